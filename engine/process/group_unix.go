//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// group runs cmd in a process group of its own, which is told to end when the context of cmd ends. The returned
// function, which must be called after cmd has ended, ends what is left of the group.
func group(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	signal := func(s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }
	cmd.Cancel = func() error { return signal(syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = signal(syscall.SIGKILL) // nothing may be left
		}
	}
}

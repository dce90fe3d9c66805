package pgtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// attributes has a server run as another user, in a group of its own, and end with the test.
func attributes(who *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: who, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
}

// killGroup ends a server and its processes, each of which is in a group of its own.
func killGroup(pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP) // it starts no other
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(b), ") ") // the name may have spaces
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
				_ = syscall.Kill(child, syscall.SIGKILL)
			}
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attributes has a server run as another user, in a group of its own, and end with the test.
func attributes(who *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: who, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
}

// killGroup ends a server and its processes, each of which is in a group of its own, and waits until they are gone: what
// they share would keep the server from starting again.
func killGroup(pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP) // it starts no other
	children := childrenOf(pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, child := range children {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); <-again.C {
		children = slices.DeleteFunc(children, func(child int) bool { return syscall.Kill(child, 0) != nil || isZombie(child) })
		if len(children) == 0 {
			return
		}
	}
}

// childrenOf returns the processes that a process has started.
func childrenOf(pid int) (out []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if f := stat(child); err == nil && len(f) > 1 && f[1] == strconv.Itoa(pid) {
			out = append(out, child)
		}
	}
	return out
}

func isZombie(pid int) bool {
	f := stat(pid)
	return len(f) == 0 || f[0] == "Z"
}

// stat returns the fields of /proc/PID/stat from the state on (proc(5)); none if the process has ended.
func stat(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil // it has ended
	}
	_, rest, _ := strings.Cut(string(b), ") ") // the name may have spaces
	return strings.Fields(rest)
}

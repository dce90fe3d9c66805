package bench

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// datasync makes the contents of a file durable.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// sleepExactly sleeps on the thread of the caller, as [time.Sleep] rounds up to milliseconds.
func sleepExactly(d time.Duration) {
	left := unix.NsecToTimespec(max(0, d).Nanoseconds())
	for unix.Nanosleep(&left, &left) == unix.EINTR {
	}
}

// suspend stops a process, or lets it go on.
func suspend(p *os.Process, on bool) error {
	if on {
		return p.Signal(unix.SIGSTOP)
	}
	return p.Signal(unix.SIGCONT)
}

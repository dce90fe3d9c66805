package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	megabyte = 1_000_000
	// settleTime is how long after startup, and after the end of its work, the memory of the program is measured.
	settleTime = 3 * time.Second
	// tick is the unit of processor time in /proc on Linux (sysconf(_SC_CLK_TCK)).
	tick = 10 * time.Millisecond
)

// memory measures the memory and processor time of the idle terminal program, on an empty and on the filled store.
func (r *run) memory(ctx context.Context) error {
	if _, err := residentSize(os.Getpid()); err != nil {
		return unavailable("memory and processor time are read from /proc, which this system does not have")
	}
	empty, err := r.emptyStore(ctx)
	if err != nil {
		return err
	}
	if err := r.idle(ctx, empty, 0, 40); err != nil {
		return err
	}
	dir, err := r.working(ctx)
	if err != nil {
		return err
	}
	most := 400.0
	if r.Campaigns <= 100_000 {
		most = 100
	}
	return r.idle(ctx, dir, r.Campaigns, most)
}

func (r *run) idle(ctx context.Context, dir string, campaigns int, most float64) (err error) {
	s, err := r.open(ctx, dir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if err := s.begin(ctx, campaigns); err != nil {
		return err
	}
	if err := s.watch(ctx, min(settleTime, r.Idle)); err != nil {
		return err
	}
	pid := s.cmd.Process.Pid
	size, err := residentSize(pid)
	if err != nil {
		return err
	}
	what := "idle terminal"
	if campaigns == 0 {
		what += " on an empty store"
	}
	row := value(Memory, what+": memory", "MB", size/megabyte, atMost(ofValue, most))
	row.Campaigns = campaigns
	r.add(row)
	before, err := used(pid)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.watch(ctx, r.Idle); err != nil {
		return err
	}
	after, err := used(pid)
	if err != nil {
		return err
	}
	row = value(Memory, what+": use of one processor", "%", 100*float64(after-before)/float64(time.Since(began)), atMost(ofValue, 0.5))
	row.Campaigns, row.Note = campaigns, fmt.Sprintf("within %v", r.Idle)
	r.add(row)
	return nil
}

// begin waits until the program has finished its startup work.
func (s *session) begin(ctx context.Context, campaigns int) error {
	if campaigns == 0 {
		_, err := s.see(ctx, "Campaigns")
		return err
	}
	if _, err := s.see(ctx, FirstName); err != nil {
		return err
	}
	if _, err := s.find(ctx); err != nil {
		return err
	}
	return s.pressAll(ctx, keyEscape, keyEscape)
}

// watch reads the program's output for d.
func (s *session) watch(ctx context.Context, d time.Duration) error {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if _, _, err := s.next(ctx, time.Until(end)); err != nil {
			return err
		}
	}
	return nil
}

// peak adds the peak memory of the server while it served requests, including mapped files. note describes the
// requests.
func (r *run) peak(pid int, note string) {
	most := 600.0
	if r.Campaigns <= 100_000 {
		most = 300
	}
	row := Row{Part: Serving, What: "peak memory of the server under load", Unit: "MB", Campaigns: r.Campaigns}
	size, err := memoryOf(pid, "VmHWM:")
	if err != nil {
		r.fail(row, err)
		return
	}
	row = value(Serving, row.What, row.Unit, size/megabyte, atMost(ofValue, most))
	row.Campaigns, row.Note = r.Campaigns, note
	r.add(row)
}

// residentSize returns the resident memory of a process in bytes.
func residentSize(pid int) (float64, error) { return memoryOf(pid, "VmRSS:") }

// memoryOf returns a memory figure of a process in bytes (proc_pid_status(5)).
func memoryOf(pid int, name string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			kib, err := strconv.ParseFloat(words[1], 64)
			return kib * 1024, err
		}
	}
	return 0, errors.New("the process has no memory")
}

// used returns the processor time of a process (proc_pid_stat(5)).
func used(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may contain spaces; utime and stime are the 12th and 13th fields after it.
	words := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(words) < 13 {
		return 0, errors.New("/proc does not tell the time of a process")
	}
	user, err1 := strconv.ParseInt(words[11], 10, 64)
	sys, err2 := strconv.ParseInt(words[12], 10, 64)
	return time.Duration(user+sys) * tick, errors.Join(err1, err2)
}

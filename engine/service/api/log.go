package api

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Log is a writer for logs that never makes its caller wait: lines are kept and written in the
// background. Where the reader at the other end has stalled, those for which there is no room are dropped
// and counted. It is safe for concurrent use.
type Log struct {
	to      io.Writer
	dropped func(lines uint64)

	mu      sync.Mutex
	waiting []byte
	since   time.Time // when the write that is under way began; zero where there is none
	lost    uint64    // lines since the last report
	total   uint64    // lines ever
	closed  bool
	wake    chan struct{} // has room for one
	done    chan struct{} // closed when everything is written after Close
}

const (
	// maxLog is how many bytes wait to be written: some thousand lines.
	maxLog = 256 << 10
	// stalled is how long a write may take before the log counts as stuck.
	stalled = 2 * time.Second
)

// NewLog begins a log that writes to w, which is never used by two at once. When writing goes on after
// lines were dropped, dropped is called with their number; it may write to the log. [Log.Close] ends it.
func NewLog(w io.Writer, dropped func(lines uint64)) *Log {
	l := &Log{to: w, dropped: dropped, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.write()
	return l
}

// Write keeps a copy of a line, or drops it. It never fails.
func (l *Log) Write(line []byte) (int, error) { return keep(l, line) }

// WriteString is [Log.Write] for a string.
func (l *Log) WriteString(line string) (int, error) { return keep(l, line) }

func keep[T string | []byte](l *Log, line T) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.waiting)+len(line) > maxLog {
		l.lost++
		l.total++
		return len(line), nil
	}
	l.waiting = append(l.waiting, line...)
	l.awake()
	return len(line), nil
}

func (l *Log) awake() {
	select {
	case l.wake <- struct{}{}:
	default: // it is awake
	}
}

// write writes what is waiting until the log is closed and nothing waits.
func (l *Log) write() {
	defer close(l.done)
	var lines []byte
	for range l.wake {
		for {
			l.mu.Lock()
			lines, l.waiting = l.waiting, lines[:0]
			if len(lines) == 0 {
				closed := l.closed
				l.mu.Unlock()
				if closed {
					return
				}
				break
			}
			lost := l.lost
			l.since, l.lost = time.Now(), 0
			l.mu.Unlock()

			if lost > 0 && l.dropped != nil { // there is room for it now
				l.dropped(lost)
			}
			_, _ = l.to.Write(lines) // there is nowhere else to tell

			l.mu.Lock()
			l.since = time.Time{}
			l.mu.Unlock()
		}
	}
}

// Dropped returns how many lines were dropped so far.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// Stuck returns an error while the log is not written: lines are being dropped, or a write has taken
// long.
func (l *Log) Stuck() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.since.IsZero():
		return nil
	case l.lost > 0:
		return fmt.Errorf("cannot write the log; %d lines were dropped", l.lost)
	case time.Since(l.since) >= stalled:
		return errors.New("cannot write the log")
	}
	return nil
}

// Close writes what is waiting, for at most the given time. What is left then is lost, and the write that
// is under way ends with the program, or when its reader reads.
func (l *Log) Close(limit time.Duration) {
	l.mu.Lock()
	l.closed = true
	l.awake()
	l.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	}
}

package api

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Log is a writer for logs that never blocks: lines are written in the background. If the reader at the other
// end stalls, lines that do not fit the buffer are dropped and counted. It is safe for concurrent use.
type Log struct {
	to      io.Writer
	dropped func(lines uint64)

	mu      sync.Mutex
	waiting []byte
	since   time.Time // start of the current write; zero if there is none
	lost    uint64    // lines since the last report
	total   uint64    // lines ever
	closed  bool
	wake    chan struct{} // capacity one
	done    chan struct{} // closed when everything is written after Close
}

const (
	// maxLog is the size of the log's buffer in bytes: some thousand lines.
	maxLog = 256 << 10
	// stalled is how long a write may take before the log is considered stuck.
	stalled = 2 * time.Second
)

// NewLog returns a log that writes to w, from one goroutine. When writing resumes after lines were dropped,
// it calls dropped with their number; dropped may write to the log. Close it after use.
func NewLog(w io.Writer, dropped func(lines uint64)) *Log {
	l := &Log{to: w, dropped: dropped, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.write()
	return l
}

// Write buffers a copy of a line, or drops it. It never fails.
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

// write writes buffered lines until the log is closed and empty.
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

// Dropped returns the number of lines dropped so far.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// Stuck returns an error while the log is blocked: lines are being dropped, or a write takes long.
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

// Close writes the buffered lines for at most the given time. Then the rest is lost; a blocked write ends
// with the program or when its reader continues.
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

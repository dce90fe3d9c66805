// Package limit implements exact rolling-window rate limits: at every moment, at most N events were allowed
// in the preceding window.
package limit

import (
	"fmt"
	"sync"
	"time"
)

// Window allows N events in every period of length Per.
type Window struct {
	N   int
	Per time.Duration
}

// String describes the window, such as "5 per minute".
func (w Window) String() string {
	switch w.Per {
	case time.Second:
		return fmt.Sprintf("%d per second", w.N)
	case time.Minute:
		return fmt.Sprintf("%d per minute", w.N)
	case time.Hour:
		return fmt.Sprintf("%d per hour", w.N)
	case 24 * time.Hour:
		return fmt.Sprintf("%d per day", w.N)
	}
	return fmt.Sprintf("%d per %s", w.N, w.Per)
}

// Log records allowed events as far back as its windows need. Refused ones are not recorded. It is safe for
// concurrent use.
type Log struct {
	mu      sync.Mutex
	windows []Window
	base    time.Time       // what at counts from; with it, a clock that is set changes nothing
	at      []time.Duration // ring: what was let through as the i-th stands at i % size
	n       int             // how many were let through
	size    int
}

// NewLog returns a log that allows events that fit all windows. Without windows it allows everything.
func NewLog(windows ...Window) *Log {
	l := &Log{windows: windows}
	for _, w := range windows {
		l.size = max(l.size, w.N)
	}
	l.size++ // for [Log.Undo]: the one before is still there
	return l
}

// Allow records an event at now, or returns how long to wait and which window is full.
func (l *Log) Allow(now time.Time) (wait time.Duration, full Window) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.since(now)
	if wait, full = l.wait(at); wait == 0 {
		l.add(at)
	}
	return wait, full
}

// Undo removes the last recorded event, once.
func (l *Log) Undo() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n > 0 {
		l.n--
	}
}

// since returns now relative to the base, but not before the newest event, so that a clock that goes back
// does not break the order.
func (l *Log) since(now time.Time) time.Duration {
	if l.n == 0 {
		l.base = now
		return 0
	}
	return max(now.Sub(l.base), l.last(1))
}

// last returns the time of the k-th newest event, from 1.
func (l *Log) last(k int) time.Duration { return l.at[(l.n-k)%l.size] }

func (l *Log) wait(at time.Duration) (longest time.Duration, full Window) {
	for _, w := range l.windows {
		if w.N <= 0 {
			return w.Per, w
		}
		if l.n < w.N {
			continue
		}
		if d := l.last(w.N) + w.Per - at; d > longest {
			longest, full = d, w
		}
	}
	return longest, full
}

func (l *Log) add(at time.Duration) {
	if i := l.n % l.size; i < len(l.at) {
		l.at[i] = at
	} else {
		l.at = append(l.at, at)
	}
	l.n++
}

// Seconds returns a wait in whole seconds, rounded up, for a Retry-After header (RFC 9110, section 10.2.3).
func Seconds(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }

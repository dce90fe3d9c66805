// Package limit counts in exact rolling windows: at no moment do more than N of what it let
// through lie within the time before that moment.
package limit

import (
	"fmt"
	"sync"
	"time"
)

// Window lets through N within every stretch of time that is Per long.
type Window struct {
	N   int
	Per time.Duration
}

// String puts the window into words, such as "5 per minute".
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

// Log remembers when something was let through, as far back as its windows ask. What is refused
// leaves no trace in it. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	windows []Window
	base    time.Time       // what at counts from; with it, a clock that is set changes nothing
	at      []time.Duration // ring: what was let through as the i-th stands at i % size
	n       int             // how many were let through
	size    int
}

// NewLog returns a log of what passes all of the windows; with none of them, everything does.
func NewLog(windows ...Window) *Log {
	l := &Log{windows: windows}
	for _, w := range windows {
		l.size = max(l.size, w.N)
	}
	l.size++ // for [Log.Undo]: the one before is still there
	return l
}

// Allow lets one through at now, or says how long to wait, and which window is full.
func (l *Log) Allow(now time.Time) (wait time.Duration, full Window) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.since(now)
	if wait, full = l.wait(at); wait == 0 {
		l.add(at)
	}
	return wait, full
}

// Undo takes back the last one that was let through, once.
func (l *Log) Undo() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n > 0 {
		l.n--
	}
}

// since returns now as a distance from the base, never before what is in the log: a clock that
// stands still or goes back must not bring the order into disorder.
func (l *Log) since(now time.Time) time.Duration {
	if l.n == 0 {
		l.base = now
		return 0
	}
	return max(now.Sub(l.base), l.last(1))
}

// last returns the time of the k-th newest, from 1.
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

// Seconds returns a wait in whole seconds, rounded up, as a Retry-After header says it (RFC 9110,
// section 10.2.3).
func Seconds(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }

package activity

import (
	"context"
	"slices"
	"sync"
)

// Capacity is the most calls in a log.
const Capacity = 500

// maxBodyBytes is the approximate limit of memory for bodies in a log. Above it the oldest bodies are
// dropped, but never those of the newest call.
const maxBodyBytes = 32 << 20

// Log records the newest calls. The zero value is ready for use. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	calls   []Call // a ring once it is full
	next    int    // where the next call goes in a full ring: the oldest one's place
	seq     uint64
	version uint64
	held    int
	changed chan struct{} // closed at the next change; nil while nobody waits
}

// Add records a call. A save of the same draft replaces the preceding entry, so that typing does not fill the
// log.
func (l *Log) Add(c Call) {
	c = c.redacted()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch last := l.newest(); {
	case last != nil && last.follows(c):
		c.Seq, c.Count = last.Seq, max(last.Count, 1)+1
		l.held -= last.weight()
		*last = c
	case len(l.calls) < Capacity:
		l.seq++
		c.Seq = l.seq
		l.calls = append(l.calls, c)
	default:
		l.seq++
		c.Seq = l.seq
		l.held -= l.calls[l.next].weight()
		l.calls[l.next] = c
		l.next = (l.next + 1) % Capacity
	}
	l.held += c.weight()
	l.trim()
	l.notify()
}

// follows reports whether next repeats the call.
func (c *Call) follows(next Call) bool {
	return c.Local && next.Local && c.Operation == next.Operation && c.Campaign == next.Campaign && c.Err == "" && next.Err == ""
}

func (c *Call) weight() int { return c.request.size + c.response.size }

func (l *Log) newest() *Call {
	if len(l.calls) == 0 {
		return nil
	}
	return &l.calls[(l.next+len(l.calls)-1)%len(l.calls)]
}

// trim drops bodies, oldest first, until the log is within its limit.
func (l *Log) trim() {
	for i := 0; l.held > maxBodyBytes && i < len(l.calls)-1; i++ {
		c := &l.calls[(l.next+i)%len(l.calls)]
		l.held -= c.weight()
		c.request, c.response = c.request.dropped(), c.response.dropped()
	}
}

func (l *Log) notify() {
	l.version++
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// Calls returns the recorded calls, newest first.
func (l *Log) Calls() []Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := append(slices.Clone(l.calls[l.next:]), l.calls[:l.next]...)
	slices.Reverse(out)
	return out
}

// Clear removes all calls.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls, l.next, l.held = nil, 0, 0
	l.notify()
}

// Version counts the changes of the log.
func (l *Log) Version() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Wait waits until the log's version differs from since, and returns it, or the error of ctx.
func (l *Log) Wait(ctx context.Context, since uint64) (uint64, error) {
	l.mu.Lock()
	if l.version != since {
		defer l.mu.Unlock()
		return l.version, nil
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	changed := l.changed
	l.mu.Unlock()
	select {
	case <-changed:
		return l.Version(), nil
	case <-ctx.Done():
		return since, ctx.Err()
	}
}

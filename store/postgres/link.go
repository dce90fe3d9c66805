package postgres

import (
	"errors"
	"sync"
	"time"

	"bugle/store"
)

// link is how the way to the database stands.
type link struct {
	mu     sync.Mutex
	since  time.Time // when it was lost; zero while it is there
	reason string
}

// awayPatience is how long a transaction waits for a database that is known to be away.
const awayPatience = 500 * time.Millisecond

func (l *link) here() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since, l.reason = time.Time{}, ""
}

func (l *link) lost(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		l.since = time.Now()
	}
	l.reason = why
}

func (l *link) away() (time.Time, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since, l.reason
}

// Away returns since when the database cannot be reached, and why; the zero time while it can be. It is found out by
// whoever uses it, and by the feed once somebody follows.
func (d *DB) Away() (since time.Time, reason string) { return d.link.away() }

// lose explains an error of connecting, and notes that the database is away.
func (d *DB) lose(err error) error {
	err = d.explain(err)
	if errors.Is(err, store.ErrUnreachable) {
		d.link.lost(err.Error())
	}
	return err
}

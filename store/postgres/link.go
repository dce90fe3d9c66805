package postgres

import (
	"errors"
	"sync"
	"time"

	"bugle/store"
)

// link is the state of the connection to the database.
type link struct {
	mu     sync.Mutex
	since  time.Time // when it was lost; zero while it is there
	reason string
}

// awayPatience is how long a transaction waits for a connection while the database is known to be unreachable.
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

// Away returns since when the database cannot be reached, and why. The time is zero while it can be reached, as far as
// transactions and the feed have noticed.
func (d *DB) Away() (since time.Time, reason string) { return d.link.away() }

// lose explains a connection error, and records that the database cannot be reached.
func (d *DB) lose(err error) error {
	err = d.explain(err)
	if errors.Is(err, store.ErrUnreachable) {
		d.link.lost(err.Error())
	}
	return err
}

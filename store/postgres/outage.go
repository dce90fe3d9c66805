package postgres

import (
	"errors"
	"sync"
	"time"

	"bugle/store"
)

// outage is since when the database cannot be reached, and why.
type outage struct {
	mu     sync.Mutex
	since  time.Time // zero while it can be reached
	reason string
}

// outagePatience is how long a transaction waits for a connection while the database is known to be unreachable.
const outagePatience = 500 * time.Millisecond

// Outage returns since when the database cannot be reached, and why. The time is zero while it can be reached, as far as
// transactions and the feed have noticed.
func (d *DB) Outage() (since time.Time, reason string) {
	d.outage.mu.Lock()
	defer d.outage.mu.Unlock()
	return d.outage.since, d.outage.reason
}

// patience returns how long to wait for the database.
func (d *DB) patience() time.Duration {
	if since, _ := d.Outage(); !since.IsZero() {
		return min(d.o.Patience, outagePatience)
	}
	return d.o.Patience
}

// reached ends an outage.
func (d *DB) reached() {
	d.outage.mu.Lock()
	defer d.outage.mu.Unlock()
	d.outage.since, d.outage.reason = time.Time{}, ""
}

// unreached explains a connection error, and begins an outage if the database cannot be reached.
func (d *DB) unreached(err error) error {
	err = d.explain(err)
	if !errors.Is(err, store.ErrUnreachable) {
		return err
	}
	d.outage.mu.Lock()
	defer d.outage.mu.Unlock()
	if d.outage.since.IsZero() {
		d.outage.since = time.Now()
	}
	d.outage.reason = err.Error()
	return err
}

// Package kv implements the records of [store.DB] over an ordered key-value store. A [Driver] is that store: one on disk
// (bugle/store/badger), one that another process owns (bugle/store/socket), or one in memory (bugle/store/mem).
// [NewStore] makes optimistic transactions of it: a transaction reads a snapshot, keeps its writes to itself, and
// remembers what it has read; at its end the driver compares that with what is there by then, and takes all writes or
// none. [Tx.Workspace] returns the records of one workspace within one transaction. Every record has a checksum over
// its key and its value, and the records of each kind are counted in the commit that writes them: damage is reported as
// a [store.CorruptError], and damaged data is never returned.
package kv

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"bugle/store"
)

// ScanOptions narrows a scan.
type ScanOptions struct {
	Reverse  bool
	From     []byte // the full key to start at, inclusive; nil starts at the end of the range if Reverse is set, else at the beginning
	KeysOnly bool   // leave value nil, which is cheaper
	Limit    int    // at most that many records; 0 means all
}

// PrefixEnd returns the first key that sorts after all keys with a prefix, or nil if there is no such key. A reverse scan
// starts before it.
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xFF {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// maxAttempts is how often a transaction runs if it conflicts each time. Each conflict means that another transaction
// succeeded, and the one that was refused most often goes first.
const maxAttempts = 1000

// Store is the transactions over a driver, and the [store.DB] of its records. It is safe for concurrent use.
type Store struct {
	driver Driver
	lease  string

	mu      sync.Mutex // guards closed, and running.Add against Close
	closed  bool
	running sync.WaitGroup
}

// NewStore returns the transactions and the records of a driver.
func NewStore(d Driver) *Store {
	return &Store{driver: d, lease: uuid.NewString()}
}

// Lease implements [store.DB]. One process at a time owns a key-value store, so this lease is the only one.
func (s *Store) Lease() string { return s.lease }

// Read implements [store.DB].
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) error {
	return s.View(ctx, func(t *Tx) error { return fn(t) })
}

// Write implements [store.DB].
func (s *Store) Write(ctx context.Context, fn func(store.Tx) error) error {
	return s.Update(ctx, func(t *Tx) error { return fn(t) })
}

// View runs fn on a snapshot of the store, and again if the snapshot was lost.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	for {
		err := s.run(ctx, fn)
		if !errors.Is(err, ErrSnapshotLost) {
			return err
		}
	}
}

// Update runs fn in one transaction. If another one changes what fn has read, fn runs again, so it must have no effects
// except on its Tx, and must not start another Update. If Update returns nil, the changes are durable; if it fails, none is
// stored, except where the context ends while they are written.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	for refused := range maxAttempts {
		err := s.run(ctx, func(t *Tx) error {
			t.begin()
			if err := fn(t); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil || len(t.writes) == 0 {
				return err
			}
			c, err := t.change()
			if err != nil {
				return err
			}
			c.Refused = refused
			return s.driver.Commit(ctx, c)
		})
		if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrSnapshotLost) {
			return err
		}
	}
	return fmt.Errorf("%w %d times in a row; try again", ErrConflict, maxAttempts)
}

// run runs fn on a snapshot.
func (s *Store) run(ctx context.Context, fn func(*Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	snap, err := s.driver.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer snap.Release()
	return fn(&Tx{ctx: ctx, driver: s.driver, snap: snap, lease: s.lease})
}

// enter counts a running transaction. The caller must call running.Done when it ends.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.running.Add(1)
	return nil
}

// Close waits for running transactions, and closes the driver, once. It must not be called within a transaction.
func (s *Store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	if again {
		return nil
	}
	return s.driver.Close()
}

// Driver returns the driver of the store.
func (s *Store) Driver() Driver { return s.driver }

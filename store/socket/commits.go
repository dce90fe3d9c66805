package socket

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"bugle/store/kv"
)

// commitSlots is how many commits of processes without the store are remembered, each by a record that is written with its
// changes. A process asks for its commit a moment after the owner has died.
const commitSlots = 4096

// commits tells processes whose owner died what became of their commits.
type commits struct {
	db kv.DB

	mu        sync.Mutex
	running   map[string]chan struct{} // closed when the commit has ended
	committed map[string]bool          // by id; false: it never will be
	slots     [commitSlots]string      // ids by slot
	next      uint64                   // number of the next commit
	loaded    bool
}

// slotKey returns the key of the record of a commit.
func slotKey(n uint64) []byte { return kv.HiddenKey(fmt.Sprintf("commit%04x", n%commitSlots)) }

// load reads the commits under former owners; mu is held.
func (c *commits) load(ctx context.Context) error {
	if c.loaded {
		return nil
	}
	err := c.db.View(ctx, func(tx kv.Tx) error {
		for slot := range uint64(commitSlots) {
			b, err := tx.Get(slotKey(slot))
			if err != nil || len(b) <= 8 { // not there, or lost
				continue
			}
			c.slots[slot] = string(b[8:])
			c.committed[c.slots[slot]] = true
			c.next = max(c.next, binary.BigEndian.Uint64(b)+1)
		}
		return ctx.Err()
	})
	c.loaded = err == nil
	return err
}

func newCommits(db kv.DB) *commits {
	return &commits{db: db, running: map[string]chan struct{}{}, committed: map[string]bool{}}
}

// begin notes that a transaction with that commit has begun; false if it was settled before.
func (c *commits) begin(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, settled := c.committed[id]; settled || c.running[id] != nil {
		return false
	}
	c.running[id] = make(chan struct{})
	return true
}

// setError writes the record of a commit within its transaction.
func (c *commits) mark(ctx context.Context, tx kv.Tx, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(ctx); err != nil {
		return fmt.Errorf("reading earlier commits: %w", err)
	}
	n := c.next
	c.next++
	delete(c.committed, c.slots[n%commitSlots])
	c.slots[n%commitSlots] = id
	return tx.Set(slotKey(n), append(binary.BigEndian.AppendUint64(nil, n), id...))
}

// end notes that a transaction with that commit has ended.
func (c *commits) end(id string, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.running[id])
	delete(c.running, id)
	if made {
		c.committed[id] = true
	}
}

// settle reports whether a commit was made. If not, it never will be.
func (c *commits) settle(ctx context.Context, id string) (made bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.running[id] != nil {
		ended := c.running[id]
		c.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
		}
		c.mu.Lock()
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	if err := c.load(ctx); err != nil {
		return false, fmt.Errorf("reading earlier commits: %w", err)
	}
	made = c.committed[id]
	c.committed[id] = made
	return made, nil
}

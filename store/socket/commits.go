package socket

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"bugle/store/kv"
)

// commitSlots is how many commits of client processes are remembered, each in a record that is written with its
// changes. A client asks for its commit a moment after the owner has died.
const commitSlots = 4096

// commits answers what became of the commits of clients whose owner died.
type commits struct {
	db kv.DB

	mu        sync.Mutex
	running   map[string]chan struct{} // closed when the commit has ended
	committed map[string]bool          // by id; false: it will never be committed
	slots     [commitSlots]string      // ids by slot
	next      uint64                   // number of the next commit
	loaded    bool
}

// slotKey returns the key of a commit's record.
func slotKey(n uint64) []byte { return kv.HiddenKey(fmt.Sprintf("commit%04x", n%commitSlots)) }

// load reads the commits of former owners. The caller holds mu.
func (c *commits) load(ctx context.Context) error {
	if c.loaded {
		return nil
	}
	err := c.db.View(ctx, func(tx kv.Tx) error {
		for slot := range uint64(commitSlots) {
			b, err := tx.Get(slotKey(slot))
			if err != nil || len(b) <= 8 { // missing or lost
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

// begin records the start of a transaction with that commit id. It returns false if the commit was settled before.
func (c *commits) begin(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, settled := c.committed[id]; settled || c.running[id] != nil {
		return false
	}
	c.running[id] = make(chan struct{})
	return true
}

// mark writes the record of a commit in its transaction.
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

// end records the end of a transaction with that commit id.
func (c *commits) end(id string, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.running[id])
	delete(c.running, id)
	if made {
		c.committed[id] = true
	}
}

// settle reports whether a commit was made. If not, it prevents it from being made later.
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

package socket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"bugle/store"
	"bugle/store/kv"
)

// commitPrefix begins the keys of the records by which a process finds out whether its commit was made. The commits of a
// process remove those whose outcome it knows, and an owner those of processes that have died.
var commitPrefix = kv.HiddenKey("commit")

// Commit implements [kv.Driver].
func (h *handle) Commit(ctx context.Context, c kv.Change) error {
	mark := append(slices.Clone(commitPrefix), uuid.NewString()...)
	known := h.settled()
	marked := c
	marked.Reads = append(slices.Clone(c.Reads), kv.Read{Key: mark}) // which does not exist
	marked.Writes = append(slices.Clone(c.Writes), kv.Write{Key: mark, Value: []byte{1}})
	for _, key := range known {
		marked.Writes = append(marked.Writes, kv.Write{Key: key, Delete: true})
	}
	unknown := false // whether it may have been made
	err := h.do(ctx, func(own *host, l *link) error {
		if unknown { // by a former owner, or before a connection broke
			if made, err := h.isMade(ctx, mark); made || err != nil {
				return err
			}
		}
		if own != nil {
			return own.commit(ctx, h.lease, c)
		}
		_, err := l.roundTrip(ctx, &request{Op: opCommit, Change: marked}, responseTimeout)
		if errors.Is(err, kv.ErrSnapshotLost) {
			unknown = true
			ctx = context.WithoutCancel(ctx) // the caller must learn the outcome
		}
		if errors.Is(err, kv.ErrConflict) && unknown { // perhaps with itself
			if made, errMade := h.isMade(ctx, mark); made || errMade != nil {
				return errMade
			}
		}
		return err
	})
	if err == nil {
		h.settle(mark)
	} else {
		h.settle(known...)
	}
	if err != nil && unknown && !errors.Is(err, kv.ErrConflict) {
		return fmt.Errorf("%w: %w", store.ErrCommitUnknown, err)
	}
	return err
}

// isMade reports whether a commit was made.
func (h *handle) isMade(ctx context.Context, mark []byte) (bool, error) {
	snap, err := h.Snapshot(ctx)
	if err != nil {
		return false, err
	}
	defer snap.Release()
	versions, err := snap.Versions(ctx, [][]byte{mark})
	return err == nil && versions[0] != 0, err
}

// settled returns the keys of commits whose outcome is known, for the caller to remove.
func (h *handle) settled() [][]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.made
	h.made = nil
	return out
}

// settle records the keys of commits whose outcome is known.
func (h *handle) settle(keys ...[]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.made = append(h.made, keys...)
}

// tidyAfter is how long a process may take to look for the outcome of a commit.
const tidyAfter = time.Minute

// tidy removes the records of commits that former owners have made. It ends when this process starts to quit.
func (o *host) tidy() {
	var old kv.Change
	snap, err := o.driver.Snapshot(o.work)
	if err != nil {
		return
	}
	err = snap.Scan(o.work, commitPrefix, kv.ScanOptions{KeysOnly: true}, func(i kv.Item) error {
		old.Writes = append(old.Writes, kv.Write{Key: slices.Clone(i.Key), Delete: true})
		return nil
	})
	snap.Release()
	if err != nil || len(old.Writes) == 0 || pause(o.work, tidyAfter) != nil {
		return
	}
	if err := o.driver.Commit(o.work, old); err != nil {
		o.log.Warn("cannot remove the records of former commits", "error", err)
	}
}

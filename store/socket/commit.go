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

// markPrefix begins the keys of marks: each is written by one commit, whose process finds out by it whether that was made.
var markPrefix = kv.HiddenKey("commit")

// markTime is how long a mark is kept at least.
const markTime = time.Minute

// Commit implements [kv.Driver].
func (h *handle) Commit(ctx context.Context, c kv.Change) error {
	mark := append(slices.Clone(markPrefix), uuid.NewString()...)
	marked := c
	marked.Reads = append(slices.Clone(c.Reads), kv.Read{Key: mark}) // which does not exist: it cannot be made twice
	marked.Writes = append(slices.Clone(c.Writes), kv.Write{Key: mark, Value: []byte{1}})
	var sent time.Time
	unknown := false // whether it was made when it was sent
	err := h.do(ctx, func(o owner) error {
		own, ok := o.(*host)
		switch {
		case ok && !unknown:
			return own.commit(ctx, h.lease, c)
		case !unknown:
			sent = time.Now()
		case time.Since(sent) > markTime/2: // the mark may be gone soon
			return errors.New("it took too long to find the next owner")
		}
		_, err := o.answer(ctx, &request{Op: opCommit, Lease: h.lease, Change: marked})
		if errors.Is(err, kv.ErrSnapshotLost) {
			unknown = true
			return err
		}
		if err != nil && unknown { // perhaps because it was made
			made, failed := isMade(ctx, o, mark)
			if made || failed != nil {
				err = failed
			}
			unknown = failed != nil
		}
		return err
	})
	if err != nil && unknown {
		return fmt.Errorf("%w: %w", store.ErrCommitUnknown, err)
	}
	return err
}

// isMade reports whether the commit with that mark was made.
func isMade(ctx context.Context, o owner, mark []byte) (bool, error) {
	snap, err := o.snapshot(ctx)
	if err != nil {
		return false, err
	}
	defer snap.Release()
	i, err := snap.Get(ctx, mark)
	return i.Version != 0, err
}

// tidy removes marks when they are old, until this process starts to quit.
func (o *host) tidy() {
	var old []kv.Write
	for {
		for batch := range slices.Chunk(old, 1000) {
			_ = o.driver.Commit(o.work, kv.Change{Writes: batch}) // if it fails, they are removed the next time
		}
		old = nil
		if snap, err := o.driver.Snapshot(o.work); err == nil {
			_ = snap.Scan(o.work, markPrefix, kv.ScanOptions{KeysOnly: true}, func(i kv.Item) error {
				old = append(old, kv.Write{Key: slices.Clone(i.Key), Delete: true})
				return nil
			})
			snap.Release()
		}
		if pause(o.work, markTime) != nil {
			return
		}
	}
}

package badger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"time"

	"bugle/store/crypt"
	"bugle/store/kv"
)

// replacedReason is part of the folder name of a replaced store. The folder is removed, at the latest by the next
// process that opens the store.
const replacedReason = "replaced"

// ErrRepairFirst reports that a store has lost records and must be repaired before it is rewritten.
var ErrRepairFirst = errors.New("part of the store was lost; run `bugle doctor --repair` first")

// Rewrite rewrites the store in a data folder, encrypted with the key to, or without encryption if to is nil, and
// removes the old files. The new store is compared with the old one record by record and verified on disk before it
// replaces the old one; if anything fails before, or ctx ends, nothing changes. progress, which may be nil, is called
// with the number of records written, or read back. It returns the number of records. It fails like [Open], because no
// other process may have the store open, and with [ErrRepairFirst].
func Rewrite(ctx context.Context, o Options, to *crypt.Key, progress func(records int, verifying bool)) (records int, err error) {
	if progress == nil {
		progress = func(int, bool) {}
	}
	old, err := Open(ctx, o)
	if err != nil {
		return 0, err
	}
	into := old.path + mendingSuffix
	if records, err = rewriteInto(ctx, old, into, to, progress); err != nil {
		return 0, errors.Join(err, old.Close(), os.RemoveAll(into))
	}
	if err := old.Close(); err != nil {
		return 0, errors.Join(err, os.RemoveAll(into))
	}
	return records, old.replaceWith(into)
}

// rewriteInto copies the old store to a new one and verifies the copy.
func rewriteInto(ctx context.Context, old *DB, into string, to *crypt.Key, progress func(int, bool)) (records int, err error) {
	old.Verify(ctx)
	if len(old.Lost()) > 0 {
		return 0, ErrRepairFirst
	}
	if err := checkRoom(old.path, old.free); err != nil {
		return 0, err
	}
	var v *keyring
	err = fillNew(ctx, old.dir, into, to, func(ctx context.Context, db kv.DB) error {
		v = db.(*DB).vault
		want, n, err := copyAll(ctx, old, db, progress)
		if err != nil {
			return err
		}
		got, m, err := digest(ctx, db, func(n int) { progress(n, true) })
		if err == nil && (n != m || !bytes.Equal(got, want)) {
			err = errors.New("cannot verify the new store; no changes made")
		}
		records = n
		return err
	})
	if err != nil {
		return 0, err
	}
	found, err := inspect(into, v, true)
	if err == nil && len(found.problems) > 0 {
		err = fmt.Errorf("the new files are damaged (%s); no changes made", found.problems[0])
	}
	return records, err
}

// copyAll copies all records from one store to another, and returns their digest.
func copyAll(ctx context.Context, from, to kv.DB, progress func(int, bool)) (sum []byte, n int, err error) {
	var some []pair
	size := 0
	flush := func() error {
		err := to.Update(ctx, func(tx kv.Tx) error {
			for _, p := range some {
				if err := tx.Set(p.key, p.value); err != nil {
					return err
				}
			}
			return nil
		})
		progress(n, false)
		some, size = some[:0], 0
		return err
	}
	sum, n, err = eachRecord(ctx, from, func(i int, key, value []byte) error {
		n = i
		some, size = append(some, pair{bytes.Clone(key), bytes.Clone(value)}), size+len(value)
		if len(some) < 1000 && size < 2<<20 {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return sum, n, err
}

type pair struct{ key, value []byte }

// digest returns a hash of all records, and their number.
func digest(ctx context.Context, db kv.DB, progress func(int)) (sum []byte, n int, err error) {
	return eachRecord(ctx, db, func(i int, _, _ []byte) error {
		if i%1024 == 0 {
			progress(i)
		}
		return nil
	})
}

func eachRecord(ctx context.Context, db kv.DB, fn func(n int, key, value []byte) error) (sum []byte, n int, err error) {
	h := sha256.New()
	err = db.View(ctx, func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{Proved: true}, func(key, value []byte) error {
			if len(value) == 0 {
				return ErrRepairFirst
			}
			n++
			writeSized(h, key)
			writeSized(h, value)
			return fn(n, key, value)
		})
	})
	return h.Sum(nil), n, err
}

func writeSized(h hash.Hash, b []byte) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(b)))
	_, _ = h.Write(size[:])
	_, _ = h.Write(b)
}

// replaceWith replaces this store, which was just closed, with a new one, and removes its files. It fails if another
// process has changed the store since.
func (d *DB) replaceWith(into string) error {
	release, err := lockFolder(d.path)
	if err != nil {
		return errors.Join(d.explainLock(err), os.RemoveAll(into))
	}
	defer release()
	if readSequence(d.path, d.identity) != d.sequence.last {
		return errors.Join(fmt.Errorf("another bugle process changed the store in %s in the meantime; no changes made, try again", d.dir), os.RemoveAll(into))
	}
	aside, err := swapIn(d.path, into, replacedReason, time.Now())
	if err != nil {
		return d.unwritable(err)
	}
	if err := removeAll(aside); err != nil {
		return fmt.Errorf("the store was replaced, but the old files are still in %s; delete that folder: %w", aside, err)
	}
	return nil
}

// cleanUp removes what a previous process left next to the store: an incomplete store, a replaced one, and unused logs
// within the store. The caller holds the lock on the store.
func cleanUp(path string) error {
	names, err := filepath.Glob(globEscape(path) + "." + replacedReason + "-*")
	if err != nil {
		return err
	}
	for _, name := range append(names, path+mendingSuffix) {
		if err := removeAll(name); err != nil {
			return err
		}
	}
	return removeEmptyLogs(path)
}

// OldCopies returns the folders in a data folder with former stores, from before a restore or a repair. They are kept
// until somebody removes them.
func OldCopies(dir string) (out []string, err error) {
	for _, why := range []string{restoredReason, damagedReason} {
		names, err := filepath.Glob(globEscape(filepath.Join(dir, Folder)) + "." + why + "-*")
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}

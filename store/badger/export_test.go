package badger

import (
	"context"
	"errors"
	"testing"
)

// SetFreeSpace makes the store believe that the disk has so many free bytes.
func (db *DB) SetFreeSpace(n uint64) {
	db.driver.free = func(string) (uint64, error) { return n, nil }
}

// OnSync calls f before each sync of the folder, which fails if f does.
func OnSync(t testing.TB, f func(path string) error) {
	real := syncFolder
	syncFolder = func(path string) error { return errors.Join(f(path), real(path)) }
	t.Cleanup(func() { syncFolder = real })
}

// Merge merges the tables, as the background does.
func (db *DB) Merge() { _ = db.driver.merge(context.Background()) }

// Notices returns what the store said since it was opened.
func (db *DB) Notices() (out []string) {
	db.driver.told.Range(func(notice, _ any) bool {
		out = append(out, notice.(string))
		return true
	})
	return out
}

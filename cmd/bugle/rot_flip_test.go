//go:build linux || darwin || freebsd

package main

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bugle/store/badger"
)

// tables returns the tables in the store's folder, with their sizes and times. It counts those that have
// gone since it was called last in this life of the server.
func (r *rotRound) tables() map[string]os.FileInfo {
	out := map[string]os.FileInfo{}
	for _, name := range rotTables(r.t, r.s.dir) {
		if info, err := os.Stat(name); err == nil { // it may have been compacted meanwhile
			out[name] = info
		}
	}
	for name := range r.known {
		if out[name] == nil {
			r.count("tables compacted")
		}
	}
	r.known = out
	return maps.Clone(out)
}

// rotTables returns the names of the tables of the store in a data folder.
func rotTables(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, badger.Folder, "[0-9]*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// settledAge is the age from which a table counts as completely written.
const settledAge = 50 * time.Millisecond

// written returns the tables that the server has written completely.
func (r *rotRound) written() map[string]os.FileInfo {
	out := r.tables()
	maps.DeleteFunc(out, func(name string, info os.FileInfo) bool {
		return r.image.has(filepath.Base(name)) || time.Since(info.ModTime()) < settledAge
	})
	return out
}

// found returns the tables that were there before the server started.
func (r *rotRound) found() map[string]os.FileInfo {
	out := r.tables()
	maps.DeleteFunc(out, func(name string, _ os.FileInfo) bool { return !r.image.has(filepath.Base(name)) })
	return out
}

// flip changes one to three bytes of some tables, 32 bytes in one place, or 4 to 128 KiB.
func (r *rotRound) flip(tables map[string]os.FileInfo) {
	if r.control || len(tables) == 0 || !r.running() {
		return
	}
	names := slices.Sorted(maps.Keys(tables))
	times, length := 1+r.rnd.IntN(3), 1
	switch r.rnd.IntN(5) {
	case 0:
		times, length = 1, 32
	case 1:
		times, length = 1, 4<<10+r.rnd.IntN(124<<10)
	}
	for range times {
		r.flipOne(names[r.rnd.IntN(len(names))], length)
	}
}

// flipOne changes a stretch of a table, whose size and time stay.
func (r *rotRound) flipOne(name string, length int) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) { // it was compacted meanwhile
			r.t.Fatal(err)
		}
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		r.t.Fatal(err)
	}
	size := int(info.Size())
	if size == 0 {
		return // it is being removed
	}
	// The index is left out in most cases: without it nobody knows which records the table had.
	index, end := indexOf(f, size), size
	if !r.chance(8) {
		end = index
	}
	length = min(length, end)
	at := r.rnd.IntN(end - length + 1)
	b := make([]byte, length)
	if _, err := f.ReadAt(b, int64(at)); err != nil {
		return // it is being removed
	}
	for i := range b {
		if length == 1 {
			b[i] ^= 1 << r.rnd.IntN(8)
		} else {
			b[i] ^= byte(1 + r.rnd.IntN(255))
		}
	}
	if _, err := f.WriteAt(b, int64(at)); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	r.inIndex = r.inIndex || at+length > index
	r.mu.Lock()
	r.counts["flips"]++
	r.counts["bytes changed"] += length
	if !r.image.has(filepath.Base(name)) {
		r.counts["flips in tables that serve wrote"]++
	}
	r.mu.Unlock()
	r.did("%d bytes at %d of %d of %s", length, at, size, filepath.Base(name))
}

// indexOf returns where the index of a table begins, by the layout of badger/v4/table: it ends with the
// index, its length, a checksum, and the length of that.
func indexOf(f *os.File, size int) int {
	number := func(end int) int {
		var b [4]byte
		if _, err := f.ReadAt(b[:], int64(end-4)); err != nil {
			return size
		}
		return int(binary.BigEndian.Uint32(b[:]))
	}
	end := size - 4 - number(size)
	if end < 4 || end > size {
		return size
	}
	if end -= 4 + number(end); end < 1 || end > size {
		return size
	}
	return end
}

package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"bugle/store/backup"
	"bugle/store/mem"
)

// Any file is either read to its end as a backup or refused; a refused one never becomes a store. If wrapped is set,
// the bytes are the contents below the checksum and compression of a valid file, so that the records themselves are
// fuzzed. What was loaded can be backed up.
func FuzzReadBackup(f *testing.F) {
	part := func(bs ...string) (out []byte) {
		for _, b := range bs {
			out = append(binary.AppendUvarint(out, uint64(len(b))), b...)
		}
		return out
	}
	sound := filepath.Join(f.TempDir(), "sound")
	if _, err := backup.Write(f.Context(), newStore(f, 2), sound, options("")); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(sound)
	if err != nil {
		f.Fatal(err)
	}
	line := bytes.SplitAfterN(whole, []byte("\n"), 3)
	f.Add(whole, false)
	f.Add(whole[:len(whole)/2], false)
	f.Add(line[0], false)
	var settings string // two records: a page
	for _, r := range dump(f, newStore(f, 0)) {
		if key, value, _ := strings.Cut(r, "="); !strings.HasPrefix(key, "m") {
			settings += string(part(key, value))
		}
	}
	for _, records := range [][]byte{
		part("", `{"records":0,"workspaces":[]}`), append([]byte(settings), part("", "", "", `{"records":2}`)...), []byte(settings), part("", "", "", "{}"),
		{0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, append(part("", `{}`), 0), part("nA\x00\x01", "", "", "", "", `{"records":1}`), part("m", "", "", `{"records":1}`),
	} {
		f.Add(records, true)
	}
	dir := f.TempDir()
	prefix := slices.Concat(line[0], line[1]) // the magic, and the header
	f.Fuzz(func(t *testing.T, in []byte, wrapped bool) {
		file := filepath.Join(dir, "x")
		if wrapped {
			in = wrap(t, prefix, in)
		}
		if err := os.WriteFile(file, in, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		info, err := backup.Verify(ctx, file, "")
		db := mem.New()
		defer db.Close()
		_, loaded := backup.Load(ctx, db, file, "", nil)
		switch {
		case err != nil && loaded == nil:
			t.Fatalf("it is loaded, and cannot be read: %v", err)
		case err != nil || loaded != nil: // what no store takes
			return
		}
		again := filepath.Join(dir, "again")
		_ = os.Remove(again)
		if _, err := backup.Write(ctx, db, again, backup.Options{}); err != nil {
			t.Fatalf("%+v was loaded, and cannot be backed up: %v", info, err)
		}
	})
}

// wrap makes a file with those bytes as its records.
func wrap(t *testing.T, prefix, records []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	out.Write(prefix)
	z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(records); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(out.Bytes())
	out.Write(sum[:])
	return out.Bytes()
}

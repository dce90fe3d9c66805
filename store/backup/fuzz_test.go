package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"bugle/store/backup"
	"bugle/store/kv"
	"bugle/store/mem"
)

// Any file is either read to its end as a backup or refused; a refused one never becomes a store. If wrapped is set,
// the bytes are the contents below the checksum and compression of a valid file, so that the records themselves are
// fuzzed; a new backup of what was read then contains the same.
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
	for _, records := range [][]byte{
		part("", `{"store":1,"records":0,"workspaces":[]}`), part("k", "v", "", `{"store":1,"records":1}`), part("k", "v", "", `{"store":99}`), part("k"), {0xFF, 0xFF, 0xFF, 0xFF, 0x0F},
		part("k", "v", "", `{"records":1,"damaged":1}`), append(part("", `{}`), 0), part("b", "1", "a", "2", "a", "", "", `{"records":3,"damaged":3}`),
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
		type record struct{ key, value string }
		var read []record
		info, err := backup.Read(ctx, file, "", func(n int, key, value []byte) error {
			if n != len(read) || len(key) == 0 {
				t.Fatalf("record %d is called %d, its key %q", len(read), n, key)
			}
			read = append(read, record{string(key), string(value)})
			return nil
		})
		if _, again := backup.Verify(ctx, file, "", nil); (again == nil) != (err == nil) {
			t.Fatalf("Read says %v, Verify %v", err, again)
		}
		db := mem.New()
		defer db.Close()
		_, loaded := backup.Load(ctx, db, file, "", nil)
		if err != nil {
			if loaded == nil {
				t.Fatalf("it is loaded, and cannot be read: %v", err)
			}
			if known := errors.Is(err, backup.ErrDamaged) || errors.Is(err, backup.ErrNewer) || errors.Is(err, backup.ErrNoPassphrase); !known {
				t.Logf("refused with %v", err)
			}
			return
		}
		if info.Records != len(read) {
			t.Fatalf("%d records were read, and it says %d", len(read), info.Records)
		}
		if loaded != nil {
			return // what no store takes
		}
		for _, r := range read {
			err := db.View(ctx, func(tx kv.Tx) error { _, err := tx.Get([]byte(r.key)); return err })
			if err != nil {
				t.Fatalf("%q was read, and is not in the store: %v", r.key, err)
			}
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

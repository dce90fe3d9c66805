package backup_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"bugle/store/backup"
	"bugle/store/kv"
	"bugle/store/mem"
)

// Any file is either read to its end as a backup or refused; a refused one never becomes a store. If wrapped is set,
// the bytes are the contents below the compression of a valid file, so that the records themselves are
// fuzzed. What was loaded can be backed up.
func FuzzReadBackup(f *testing.F) {
	sound := filepath.Join(f.TempDir(), "sound")
	if _, err := backup.Write(f.Context(), newStore(f, 2), sound, options(nil)); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(sound)
	if err != nil {
		f.Fatal(err)
	}
	head := whole[:bytes.IndexByte(whole, '\n')+1]
	f.Add(whole, false)
	f.Add(whole[:len(whole)/2], false)
	f.Add(head, false)
	// The names below are those of the format.
	type record struct{ Key, Value []byte }
	type contents struct {
		Records, Campaigns int
		Workspaces         []string
		Checksum           uint64
	}
	type block struct {
		Page     []record
		Header   []byte
		Contents *contents
	}
	var settings []record
	err = newStore(f, 0).View(f.Context(), func(tx *kv.Tx) error {
		_, err := kv.Export(tx, func(page []kv.Item) error {
			for _, r := range page {
				settings = append(settings, record{r.Key, r.Value})
			}
			return nil
		})
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	all := contents{Records: len(settings), Workspaces: []string{"DEMO"}}
	for _, r := range settings {
		all.Checksum += xxhash.Sum64(r.Value)
	}
	encode := func(blocks ...block) []byte {
		var out bytes.Buffer
		to := gob.NewEncoder(&out)
		for _, b := range blocks {
			if err := to.Encode(b); err != nil {
				f.Fatal(err)
			}
		}
		return out.Bytes()
	}
	good := encode(block{Page: settings}, block{Header: head, Contents: &all})
	if err := verify(f.Context(), wrap(f, head, good), ""); err != nil {
		f.Errorf("what this test makes is no backup: %v", err)
	}
	for _, records := range [][]byte{
		good, encode(block{Header: head, Contents: new(contents)}), encode(block{Page: settings}), encode(block{}), append(good, 0), {0xFF, 0xFF, 0xFF},
		encode(block{Page: []record{{Key: []byte("nA\x00\x01")}}}, block{Header: head, Contents: &contents{Records: 1}}),
	} {
		f.Add(records, true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte, wrapped bool) {
		file := filepath.Join(dir, "x")
		if wrapped {
			file = wrap(t, head, in)
		} else if err := os.WriteFile(file, in, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		info, _, _, err := backup.Differences(ctx, nil, file, "", nil)
		db := mem.New()
		defer db.Close()
		loaded := backup.Load(ctx, db, file, "", nil)
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

// wrap makes a file with those bytes as its blocks.
func wrap(t testing.TB, head, blocks []byte) (file string) {
	t.Helper()
	out := bytes.NewBuffer(bytes.Clone(head))
	z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	_, err = z.Write(blocks)
	file = filepath.Join(t.TempDir(), "wrapped")
	if err := errors.Join(err, z.Close(), os.WriteFile(file, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return file
}

package local_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// outboxWriter stores the messages of a test in the workspace's outbox.
type outboxWriter struct {
	t    *testing.T
	dir  string
	key  *crypt.Key
	db   *badger.DB
	when local.KeepIndex
	*local.Service
}

// newKeeper returns one that keeps the index when it is told to.
func newKeeper(t *testing.T, key *crypt.Key, rows int) *outboxWriter {
	return newKeeperThat(t, key, rows, local.KeepIndex{From: 1, After: time.Hour})
}

func newKeeperThat(t *testing.T, key *crypt.Key, rows int, when local.KeepIndex) *outboxWriter {
	k := &outboxWriter{t: t, dir: t.TempDir(), key: key, when: when}
	k.openStore()
	if _, err := local.CreateWorkspace(t.Context(), k.db, engine.Workspace{ID: "TEST", Name: "Test"}); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		k.put(i, fmt.Sprintf("Campaign %d", i))
	}
	k.open()
	t.Cleanup(k.close)
	return k
}

func (k *outboxWriter) openStore() {
	o := badger.Options{Dir: k.dir, Encrypt: k.key}
	if k.key != nil {
		o.Key = func(context.Context, string) (crypt.Key, error) { return *k.key, nil }
	}
	db, err := badger.Open(k.t.Context(), o)
	if err != nil {
		k.t.Fatal(err)
	}
	k.db = db
}

func (k *outboxWriter) open() {
	s, err := local.Open(k.db, "TEST", local.Options{Keep: k.when})
	if err != nil {
		k.t.Fatal(err)
	}
	k.Service = s
}

func (k *outboxWriter) close() {
	if err := k.Service.Close(); err != nil {
		k.t.Fatal(err)
	}
	if err := k.db.Close(); err != nil {
		k.t.Fatal(err)
	}
}

func (k *outboxWriter) reopen() {
	k.close()
	k.openStore()
	k.open()
}

// update changes the store behind the service's back.
func (k *outboxWriter) update(fn func(store.WorkspaceTx) error) {
	k.t.Helper()
	err := k.db.Write(k.t.Context(), func(tx store.Tx) error { return fn(tx.Workspace("TEST")) })
	if err != nil {
		k.t.Fatal(err)
	}
}

func keptID(i int) string { return fmt.Sprintf("%024x", i+1) }

func (k *outboxWriter) put(i int, name string) {
	k.t.Helper()
	k.update(func(sp store.WorkspaceTx) error {
		c := engine.Campaign{Body: doc.NewObject()}
		c.ID, c.CampaignID, c.Status, c.Channel = keptID(i), keptID(i), catalog.Draft, catalog.Push
		_, err := sp.PutCampaign(c, engine.Summary{Head: c.Head, Name: name}, engine.Revision{}, false)
		return err
	})
}

func (k *outboxWriter) keep() {
	k.t.Helper()
	if err := k.KeepIndex(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
}

// restored checks whether an index is restored, and that whatever way the index is filled, it has the rows that
// the store has.
func (k *outboxWriter) restored(want bool) {
	k.t.Helper()
	if _, ok := k.Restored(k.t.Context()); ok != want {
		k.t.Errorf("the index is restored: %t, want %t", ok, want)
	}
	ix, _ := k.Index(k.t.Context())
	for n, complete := 0, false; !complete; {
		var err error
		if n, complete, err = ix.Wait(k.t.Context(), n); err != nil {
			k.t.Fatal(err)
		}
	}
	n := 0
	err := k.db.Read(k.t.Context(), func(tx store.Tx) error {
		return tx.Workspace("TEST").Summaries(func(row engine.Summary) error {
			n++
			if got, _ := ix.Get(row.ID, time.Now()); got.Name != row.Name || got.Revision != row.Revision {
				k.t.Errorf("%s is %q (%d), not %q (%d)", row.ID, got.Name, got.Revision, row.Name, row.Revision)
			}
			return nil
		})
	})
	if err != nil || ix.Len() != n {
		k.t.Errorf("the index has %d of %d rows (%v)", ix.Len(), n, err)
	}
}

func (k *outboxWriter) file() string {
	k.t.Helper()
	names, err := filepath.Glob(filepath.Join(k.dir, badger.Folder, "KEPT-*"))
	if err != nil || len(names) != 1 {
		k.t.Fatal(names, err)
	}
	return names[0]
}

// What was written after the index was kept, by whomever, is in it at the next start; where something was removed,
// the rows are read again.
func TestSavedIndexIsUpdated(t *testing.T) {
	k := newKeeper(t, nil, 40)
	k.restored(false)
	k.keep()
	k.reopen()
	k.restored(true)
	k.close()
	k.openStore()
	k.put(3, "another name")
	k.put(50, "a new one")
	k.open()
	k.restored(true)
	k.put(4, "behind the back") // and of that the service was not told
	k.keep()
	k.reopen()
	k.restored(true)
	k.close()
	k.openStore()
	k.update(func(sp store.WorkspaceTx) error { return sp.ClearCampaign(keptID(7)) })
	k.put(51, "one more")
	k.open()
	k.restored(false)
	k.keep()
	k.reopen()
	k.restored(true)
}

// Whatever is wrong with the file, it is as if there were none.
func TestSavedIndexIsDamaged(t *testing.T) {
	key := crypt.New()
	for name, key := range map[string]*crypt.Key{"plain": nil, "encrypted": &key} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t, key, 20)
			k.keep()
			k.reopen()
			whole, err := os.ReadFile(k.file())
			if err != nil {
				t.Fatal(err)
			}
			if key != nil && (bytes.Contains(whole, []byte("Campaign")) || bytes.Contains(whole, []byte("INDEX"))) {
				t.Error("the file can be read without the key")
			}
			write := func(b []byte, want bool) {
				t.Helper()
				if err := os.WriteFile(k.file(), b, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, ok := k.Restored(t.Context()); ok != want {
					t.Errorf("it is restored: %t", ok)
				}
			}
			for at := 0; at < len(whole); at += 7 {
				bad := slices.Clone(whole)
				bad[at] ^= 1 << (at % 8)
				write(bad, false)
			}
			for at := 0; at < len(whole); at += 97 {
				write(whole[:at], false)
			}
			write(append(slices.Clone(whole), 0), false)
			write(whole, true)
			k.put(1, "changed")
			if err := k.Service.Close(); err != nil {
				t.Fatal(err)
			}
			k.open()
			k.keep()
			newer, err := os.ReadFile(k.file())
			if err != nil {
				t.Fatal(err)
			}
			write(whole, false) // an older one
			write(newer, true)
			k.restored(true)
		})
	}
}

// A store that was put back to what it was before the index was kept does not take it, whatever it has become since.
func TestSavedIndexOfAnotherTime(t *testing.T) {
	k := newKeeper(t, nil, 20)
	k.close()
	before := filepath.Join(t.TempDir(), "before")
	if err := os.CopyFS(before, os.DirFS(filepath.Join(k.dir, badger.Folder))); err != nil {
		t.Fatal(err)
	}
	k.openStore()
	k.put(3, "of a time that never was")
	k.open()
	k.keep()
	b, err := os.ReadFile(k.file())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(k.file())
	k.close()
	store := filepath.Join(k.dir, badger.Folder)
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(store, os.DirFS(before)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
	k.openStore()
	for range 5 {
		k.put(4, "of this time")
	}
	k.open()
	k.restored(false)
}

// The index is kept by itself once nothing is changed any more.
func TestIndexIsSavedWhenIdle(t *testing.T) {
	k := newKeeperThat(t, nil, 20, local.KeepIndex{From: 10, After: time.Millisecond})
	if _, ok := k.Index(t.Context()); !ok {
		t.Fatal("there is no index")
	}
	for {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		if n, ok := k.Restored(t.Context()); ok && n == 20 {
			break
		}
	}
}

// A small store keeps none.
func TestSmallStoreSavesNoIndex(t *testing.T) {
	k := newKeeperThat(t, nil, 5, local.KeepIndex{From: 10, After: time.Millisecond})
	k.keep()
	k.restored(false)
}

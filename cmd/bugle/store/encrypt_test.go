package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/cli"
	"bugle/store/badger"
)

// The key of a store that is not in its place yet is not thrown away.
func TestKeyIsKept(t *testing.T) {
	keyring.MockInit()
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f := &cli.Factory{Environment: cli.Environment{Data: dir, Getenv: func(string) string { return "" }}}
	if !sameEncryption(f, "", false) {
		t.Error("the store is as it was, and passes for another")
	}
	if err := os.Rename(filepath.Join(dir, badger.Folder), filepath.Join(dir, badger.Folder+".ready")); err != nil {
		t.Fatal(err)
	}
	if sameEncryption(f, "", false) {
		t.Error("the store is not there, and passes for what it was")
	}
}

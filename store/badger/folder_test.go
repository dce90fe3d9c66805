package badger

import (
	"os"
	"path/filepath"
	"testing"
)

// Who opens a store in the moment in which another has put the old one aside, and not yet the new one in
// its place, makes no third one.
func TestNoStoreIsCreatedDuringSwap(t *testing.T) {
	dir := t.TempDir()
	d := newDriver(dir, Options{})
	ready := d.path + readySuffix
	if err := os.Mkdir(ready, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(ready, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.makeFolder(); err != nil {
		t.Fatal(err)
	}
	if !exists(filepath.Join(d.path, "new")) || exists(ready) {
		t.Error("the new store is not in its place")
	}
}

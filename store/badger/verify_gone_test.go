package badger

import (
	"os"
	"path/filepath"
	"testing"

	"bugle/store/badger/internal/files"
)

// A table that a compaction has replaced is cut off before it is removed. Who proves it in that moment finds
// nothing in it, and nothing is lost.
func TestTableGoesWhileItIsProved(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	const id = 77
	if err := os.WriteFile(filepath.Join(dir, Folder, files.TableName(id)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	u := &openTable{name: files.TableName(id), id: id, size: 1000, left: []byte("a"), right: []byte("z")}
	if err := u.verify(d, nil, nil, now()); err != nil || len(d.Lost()) > 0 {
		t.Errorf("%v; lost: %q", err, d.Lost())
	}
}

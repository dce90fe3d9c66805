package badger

import (
	"os"
	"path/filepath"
	"testing"

	"bugle/store/badger/internal/files"
)

// A replaced table is truncated before it is removed. A concurrent verification finds it empty and must not report a
// loss.
func TestTableRemovedDuringVerification(t *testing.T) {
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

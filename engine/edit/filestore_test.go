package edit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
)

func tree(t *testing.T, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What is kept comes back spelled as it was, for ids of any shape, and is gone when dropped.
func TestCopies(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "not", "there", "yet")
	f := edit.NewFileStore(dir)
	ids := []string{"665f1c0de4b0a1a2b3c4d5e6", "../../etc/passwd", "", strings.Repeat("long", 200)}
	for _, id := range ids {
		if _, ok, err := f.WorkingCopy(ctx, id); ok || err != nil {
			t.Fatalf("a copy of %q before any: %v, %v", id, ok, err)
		}
		w := engine.WorkingCopy{Base: 7, At: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC), Origin: tree(t, `{"a":"<b>"}`), Body: tree(t, `{"a":"\u003cb>","n":1.0,"t":"\t"}`)}
		if err := f.PutWorkingCopy(ctx, id, w); err != nil {
			t.Fatal(err)
		}
		got, ok, err := f.WorkingCopy(ctx, id)
		if err != nil || !ok || got.Base != 7 || !got.At.Equal(w.At) || string(got.Body.Encode()) != string(w.Body.Encode()) || string(got.Origin.Encode()) != string(w.Origin.Encode()) {
			t.Fatalf("%q came back as %+v, %v, %v", id, got, ok, err)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) != len(ids) {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	for _, id := range ids {
		if err := f.DeleteWorkingCopy(ctx, id); err != nil {
			t.Fatal(err)
		}
		if err := f.DeleteWorkingCopy(ctx, id); err != nil {
			t.Errorf("dropping none: %v", err)
		}
		if _, ok, err := f.WorkingCopy(ctx, id); ok || err != nil {
			t.Errorf("%q is still there: %v", id, err)
		}
	}
}

func TestDamagedFile(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	f := edit.NewFileStore(dir)
	if err := f.PutWorkingCopy(ctx, "a", engine.WorkingCopy{Body: tree(t, `{}`)}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"body": "{"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := f.WorkingCopy(ctx, "a"); ok || err == nil || !strings.Contains(err.Error(), files[0]) {
		t.Errorf("a damaged file gave %v, %v", ok, err)
	}
}

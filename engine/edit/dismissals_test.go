package edit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/edit"
)

func TestDismissedWarningsInFiles(t *testing.T) {
	dir := t.TempDir()
	f := edit.NewFileStore(dir)
	at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	for _, id := range []string{"a", "../../b"} {
		if list, err := f.Dismissals(t.Context(), id); len(list) != 0 || err != nil {
			t.Fatalf("before any: %v, %v", list, err)
		}
		for _, d := range []engine.Dismissal{{Warning: "w@x", Reason: "one", At: at}, {Warning: "v@x", Reason: "two", Value: "1f", By: "ann@shop.eu", At: at}, {Warning: "w@x", Reason: "three", At: at}} {
			if err := f.PutDismissal(t.Context(), id, d); err != nil {
				t.Fatal(err)
			}
		}
		list, err := f.Dismissals(t.Context(), id)
		if err != nil || len(list) != 2 || list[0].By != "ann@shop.eu" || list[1].Reason != "three" || !list[1].At.Equal(at) {
			t.Errorf("%q: %+v, %v", id, list, err)
		}
		if _, ok, err := f.WorkingCopy(t.Context(), id); ok || err != nil {
			t.Errorf("a dismissal is taken for a working copy: %v", err)
		}
	}
	if err := f.PutDismissal(t.Context(), "a", engine.Dismissal{Warning: "w@x"}); err == nil {
		t.Error("dismissed without a reason")
	}
	for _, warning := range []string{"w@x", "v@x", "v@x"} {
		if err := f.DeleteDismissal(t.Context(), "a", warning); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) != 1 { // that of the other campaign
		t.Errorf("left are %v", files)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Dismissals(t.Context(), "../../b"); err == nil || !strings.Contains(err.Error(), files[0]) {
		t.Errorf("of a damaged file: %v", err)
	}
}

// Two processes that dismiss and restore warnings of one campaign at once lose none of it.
func TestDismissalsOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	both := []edit.FileStore{edit.NewFileStore(dir), edit.NewFileStore(dir)}
	for i := range 20 {
		if err := both[0].PutDismissal(t.Context(), "c1", engine.Dismissal{Warning: fmt.Sprint("old", i), Reason: "fine"}); err != nil {
			t.Fatal(err)
		}
	}
	var work sync.WaitGroup
	for n, s := range both {
		work.Go(func() {
			for i := range 10 {
				err := s.PutDismissal(t.Context(), "c1", engine.Dismissal{Warning: fmt.Sprint(n, " ", i), Reason: "fine"})
				if err = errors.Join(err, s.DeleteDismissal(t.Context(), "c1", fmt.Sprint("old", 2*i+n))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	list, err := both[0].Dismissals(t.Context(), "c1")
	if err != nil || len(list) != 20 || slices.ContainsFunc(list, func(d engine.Dismissal) bool { return strings.HasPrefix(d.Warning, "old") }) {
		t.Errorf("%d are left: %v, %v", len(list), list, err)
	}
}

package prefs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bugle/ui/prefs"
)

func TestUpdateThenRead(t *testing.T) {
	dir := t.TempDir()
	for name, p := range map[string]*prefs.Prefs{"folder": prefs.New(dir), "memory": prefs.NewInMemory()} {
		t.Run(name, func(t *testing.T) {
			one, other := p.Within("shop @ prod"), p.Within("shop/@/prod")
			for _, v := range []string{"a", "b"} {
				if _, err := prefs.Update(one, "views", func(old []string) []string { return append(old, v) })(); err != nil {
					t.Fatal(err)
				}
			}
			got, err := prefs.Read[[]string](one, "views")
			if err != nil || !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("kept %v, %v", got, err)
			}
			if got, err := prefs.Read[[]string](other, "views"); err != nil || got != nil {
				t.Errorf("another part has %v, %v", got, err)
			}
		})
	}
	if got, err := prefs.Read[[]string](prefs.New(dir).Within("shop @ prod"), "views"); err != nil || len(got) != 2 {
		t.Errorf("after a restart: %v, %v", got, err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := t.TempDir()
	if _, err := prefs.Update(prefs.New(dir), "views", func(int) int { return 1 })(); err != nil {
		t.Fatal(err)
	}
	i, err := os.Stat(filepath.Join(dir, "views.json"))
	if err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", i.Mode(), err)
	}
}

func TestDamagedFileIsReportedAndKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "views.json")
	if err := os.WriteFile(path, []byte(`["a`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := prefs.Update(prefs.New(dir), "views", func(old []string) []string { return append(old, "b") })()
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != `["a` {
		t.Errorf("the file is now %s", b)
	}
}

func TestNilPrefsKeepNothing(t *testing.T) {
	var p *prefs.Prefs
	if _, err := prefs.Update(p.Within("x"), "views", func(int) int { return 1 })(); err != nil {
		t.Fatal(err)
	}
	if n, err := prefs.Read[int](p, "views"); n != 0 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
}

// Two processes that change one preference at once lose none of it.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	var work sync.WaitGroup
	for _, p := range []*prefs.Prefs{prefs.New(dir), prefs.New(dir)} {
		for range 2 {
			work.Go(func() {
				for range 10 {
					if _, err := prefs.Update(p, "n", func(n int) int { return n + 1 })(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	work.Wait()
	if n, err := prefs.Read[int](prefs.New(dir), "n"); n != 40 || err != nil {
		t.Errorf("%d of 40 changes are kept, %v", n, err)
	}
}

// Changes are stored in the order in which they were made, whichever is stored first, and are read at once.
func TestChangesKeepTheirOrder(t *testing.T) {
	dir := t.TempDir()
	p := prefs.New(dir)
	put := func(v string) func() ([]string, error) {
		return prefs.Update(p, "views", func(old []string) []string { return append(old, v) })
	}
	a, b := put("a"), put("b")
	put("c")
	if got, err := prefs.Read[[]string](p, "views"); err != nil || strings.Join(got, "") != "abc" {
		t.Errorf("read before they are stored: %v, %v", got, err)
	}
	for _, store := range []func() ([]string, error){b, a} {
		if got, err := store(); err != nil || strings.Join(got, "") != "abc" {
			t.Errorf("stored %v, %v", got, err)
		}
	}
	put("d")
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	if got, err := prefs.Read[[]string](prefs.New(dir), "views"); err != nil || strings.Join(got, "") != "abcd" {
		t.Errorf("stored are %v, %v", got, err)
	}
}

package prefs_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bugle/ui/prefs"
)

// put appends a text to a preference and returns what stores it.
func put(p *prefs.Prefs, text string) func() error {
	return prefs.Update(p, "views", func(old []string) []string { return append(old, text) })
}

func wantViews(t *testing.T, p *prefs.Prefs, want string) {
	t.Helper()
	if got, err := prefs.Read[[]string](p, "views"); err != nil || strings.Join(got, "") != want {
		t.Errorf("read %v, %v, want %s", got, err, want)
	}
}

// Changes are read at once, and stored in the order in which they were made, whichever is stored first.
func TestUpdateThenRead(t *testing.T) {
	dir := t.TempDir()
	for name, p := range map[string]*prefs.Prefs{"folder": prefs.New(dir), "memory": prefs.NewInMemory()} {
		t.Run(name, func(t *testing.T) {
			one := p.Within("shop @ prod")
			a, b := put(one, "a"), put(one, "b")
			put(one, "c")
			wantViews(t, one, "abc")
			for _, store := range []func() error{b, a, p.Flush} {
				if err := store(); err != nil {
					t.Fatal(err)
				}
			}
			wantViews(t, one, "abc")
			wantViews(t, p.Within("shop/@/prod"), "")
		})
	}
	wantViews(t, prefs.New(dir).Within("shop @ prod"), "abc") // after a restart
}

func TestDamagedFileIsReportedAndKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "views.json")
	if err := put(prefs.New(dir), "a")(); err != nil {
		t.Fatal(err)
	}
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", i.Mode(), err)
	}
	if err := os.WriteFile(path, []byte(`["a`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := put(prefs.New(dir), "b")(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != `["a` {
		t.Errorf("the file is now %s", b)
	}
}

func TestNilPrefsKeepNothing(t *testing.T) {
	var p *prefs.Prefs
	if err := put(p.Within("x"), "a")(); err != nil {
		t.Fatal(err)
	}
	wantViews(t, p, "")
}

// Two processes that change one preference at once lose none of it.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	var work sync.WaitGroup
	for _, p := range []*prefs.Prefs{prefs.New(dir), prefs.New(dir)} {
		for range 2 {
			work.Go(func() {
				for range 10 {
					if err := put(p, "x")(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	work.Wait()
	wantViews(t, prefs.New(dir), strings.Repeat("x", 40))
}

// A key press makes a change while another one is being stored, however long that takes.
func TestUpdateDoesNotWaitForTheDisk(t *testing.T) {
	p, began, release, stored := prefs.New(t.TempDir()), make(chan bool, 9), make(chan bool), make(chan error)
	store := prefs.Update(p, "views", func(old []string) []string {
		began <- true
		<-release
		return append(old, "a")
	})
	go func() { stored <- store() }()
	<-began
	next := put(p, "b")
	close(release)
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if err := next(); err != nil {
		t.Fatal(err)
	}
	wantViews(t, p, "ab")
}

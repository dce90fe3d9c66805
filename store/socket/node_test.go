//go:build linux || darwin || freebsd

package socket_test

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/socket"
)

// next waits for the change that is wanted.
func next(t *testing.T, from <-chan store.Change, want store.Change) {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		select {
		case got := <-from:
			if got == want {
				return
			}
		case <-late:
			t.Fatalf("nobody tells of %+v", want)
		}
	}
}

// changes returns the changes of other processes.
func changes(t *testing.T, d *socket.DB) <-chan store.Change {
	t.Helper()
	out, ready := make(chan store.Change, 1000), make(chan struct{})
	go d.Follow(t.Context(), func() { close(ready) }, func(all []store.Change) {
		for _, c := range all {
			out <- c
		}
	})
	<-ready
	return out
}

// Every process receives the changes of the others. One that was disconnected is told that there may have been changes.
func TestChanges(t *testing.T) {
	s := newTestFolder(t)
	first, second := s.pair()
	third := s.node()
	ofFirst, ofSecond, ofThird := changes(t, first), changes(t, second), changes(t, third)
	one, two := s.service(first), s.service(second)
	id := create(t, one)
	c := store.Change{Workspace: workspace, Kind: store.ChangedCampaign, ID: id}
	next(t, ofSecond, c)
	next(t, ofThird, c)
	for name, do := range map[store.Change]func() error{
		{Kind: store.ChangedUser, ID: "P"}: func() error { return two.PutUser(t.Context(), engine.User{ID: "P"}) },
		{Kind: store.ChangedSettings}: func() error {
			return two.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Name = "New"; return nil })
		},
		{Kind: store.ChangedOutbox}: func() error {
			_, err := two.Test(t.Context(), engine.TestRequest{Body: parse(t, inlineTest)})
			return err
		},
		{Kind: store.ChangedCampaign, ID: id}: func() error {
			return two.PutWorkingCopy(t.Context(), id, engine.WorkingCopy{Base: 1, Body: parse(t, draft)})
		},
	} {
		s.ok(do())
		name.Workspace = workspace
		next(t, ofFirst, name)
		next(t, ofThird, name)
	}
	for len(ofSecond) > 0 {
		if c := <-ofSecond; c.Kind != store.ChangedCampaign || c.ID != id {
			t.Errorf("the second hears of its own change %+v", c)
		}
	}
	s.kill(first)
	next(t, ofSecond, store.Change{})
	next(t, ofThird, store.Change{})
	s.ok(s.service(second).Delete(t.Context(), id))
	if second.State().Role == socket.Owner {
		next(t, ofThird, c)
	}
}

// The socket is its user's alone, and goes with its owner.
func TestSocket(t *testing.T) {
	s := newTestFolder(t)
	owner := s.node()
	info, err := os.Lstat(socketOf(s.dir))
	if err != nil || info.Mode().Type() != os.ModeSocket || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	s.ok(owner.Close())
	if left, _ := os.ReadDir(s.dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestOtherUser(t *testing.T) {
	s := newTestFolder(t)
	owner, err := socket.OpenWithPeer(t.Context(), s.options(), func(net.Conn) error { return socket.OtherUser(4711) })
	s.ok(err)
	defer owner.Close()
	_, err = socket.Open(t.Context(), s.options())
	if err == nil || !strings.Contains(err.Error(), "4711") {
		t.Errorf("the owner takes another user's process: %v", err)
	}
	s2 := newTestFolder(t)
	s2.node()
	_, err = socket.OpenWithPeer(t.Context(), s2.options(), func(net.Conn) error { return socket.OtherUser(4712) })
	if err == nil || !strings.Contains(err.Error(), "4712") {
		t.Errorf("a process works through another user's: %v", err)
	}
}

// What a crash left is cleared away without a word.
func TestStaleSocket(t *testing.T) {
	s := newTestFolder(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socketOf(s.dir), Net: "unix"})
	s.ok(err)
	l.SetUnlinkOnClose(false)
	s.ok(l.Close())
	s.ok(os.MkdirAll(filepath.Join(s.dir, ".bugle-123", "x"), 0o700))
	s.pair()
	if left, _ := os.ReadDir(s.dir); len(left) != 1 {
		t.Errorf("%v is there", left)
	}
}

func TestLongPath(t *testing.T) {
	s := newTestFolder(t)
	runtime, tmp := shortDir(t), shortDir(t)
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(runtime, strings.Repeat("long", 20)))
	t.Setenv("TMPDIR", tmp)
	s.ok(os.Mkdir(os.Getenv("XDG_RUNTIME_DIR"), 0o700))
	s.dir = filepath.Join(s.dir, strings.Repeat("long", 40))
	owner, attached := s.pair()
	create(t, s.service(attached))
	s.ok(owner.Close())
	until(t, attached, "the owner", owning)
	last := s.node()
	s.ok(errors.Join(attached.Close(), last.Close()))
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), tmp} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%v is left in %s (%v)", left, dir, err)
		}
	}
}

// The owner is of another version, or does not talk at all.
func TestOtherProtocol(t *testing.T) {
	s := newTestFolder(t)
	_, err := s.open(t.Context())
	s.ok(err)
	l, err := net.Listen("unix", socketOf(s.dir))
	s.ok(err)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"protocol": 99, "version": "9.9", "pid": 7})
	})}
	go srv.Serve(l)
	defer srv.Close()
	_, err = socket.Open(t.Context(), s.options())
	if err == nil || !strings.Contains(err.Error(), "9.9") || !strings.Contains(err.Error(), "process 7") {
		t.Errorf("got %v", err)
	}
}

func TestLockedWithoutSocket(t *testing.T) {
	s := newTestFolder(t)
	_, err := s.open(t.Context())
	s.ok(err)
	o := s.options()
	o.Patience = 20 * time.Millisecond
	if _, err := socket.Open(t.Context(), o); !errors.Is(err, socket.ErrLocked) || err.Error() != errHeld.Error() {
		t.Errorf("got %v", err)
	}
}

// Problems that the owner finds in its store are sent to every other process once; the owner knows them from its
// opener.
func TestNotices(t *testing.T) {
	s := newTestFolder(t)
	owner, attached := s.pair()
	other := s.node()
	all := []<-chan string{attached.Notices(t.Context()), other.Notices(t.Context())}
	own := owner.Notices(t.Context())
	heard := changes(t, attached)
	s.holder.tell("first")
	s.holder.tell("second")
	create(t, s.service(owner)) // sent the same way, after them
	if c := <-heard; c.Kind != store.ChangedCampaign {
		t.Errorf("a notice is told as the change %+v", c)
	}
	for _, notices := range all {
		if a, b := <-notices, <-notices; a != "first" || b != "second" {
			t.Errorf("it says %q and %q", a, b)
		}
	}
	s.ok(owner.Close())
	for n := range own {
		t.Errorf("the owner hears %q", n)
	}
	s.ok(attached.Close())
	for n := range all[0] {
		t.Errorf("again it says %q", n)
	}
}

//go:build linux || darwin || freebsd

package socket_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// A process that was disconnected is told that there may have been changes.
func TestChangesAfterTakeover(t *testing.T) {
	s := newTestFolder(t)
	first, second := s.pair()
	third := s.node()
	ofSecond, ofThird := changes(t, second), changes(t, third)
	s.kill(first)
	next(t, ofSecond, store.Change{})
	next(t, ofThird, store.Change{})
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
	s.node()
	if err := os.Lchown(socketOf(s.dir), 4712, -1); err != nil {
		t.Skipf("only root can give a socket to another user: %v", err)
	}
	_, err := socket.Open(t.Context(), s.options())
	if err == nil || !strings.Contains(err.Error(), "belongs to #4712") {
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
	s.ok(os.MkdirAll(filepath.Join(s.dir, ".bugle-sock", "x"), 0o700))
	s.pair()
	if left, _ := os.ReadDir(s.dir); len(left) != 1 {
		t.Errorf("%v is there", left)
	}
}

// The path of the folder may be longer than that of a socket.
func TestLongPath(t *testing.T) {
	before, _ := filepath.Glob("/tmp/bugle-sock-*")
	s := newTestFolder(t)
	s.dir = filepath.Join(s.dir, strings.Repeat("long", 40))
	owner, attached := s.pair()
	create(t, s.service(attached))
	s.ok(owner.Close())
	until(t, attached, "the owner", owning)
	last := s.node()
	s.ok(errors.Join(attached.Close(), last.Close()))
	if left, _ := os.ReadDir(s.dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
	if after, _ := filepath.Glob("/tmp/bugle-sock-*"); len(after) > len(before) {
		t.Errorf("%v is left", after)
	}
}

func TestOtherProtocol(t *testing.T) {
	s := newTestFolder(t)
	s.stranger(99)
	_, err := socket.Open(t.Context(), s.options())
	if err == nil || !strings.Contains(err.Error(), "another version of bugle (9.9, process 7)") {
		t.Errorf("got %v", err)
	}
}

// A suspended owner keeps the store and does not answer: processes that come, and those that are attached, are told which
// one to continue.
func TestSilentOwner(t *testing.T) {
	s := newTestFolder(t)
	s.stranger(socket.Protocol)
	want := func(err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "(4711) does not respond") || !strings.Contains(err.Error(), "kill -CONT 4711") {
			t.Errorf("got %v", err)
		}
	}
	begun := time.Now()
	d, err := socket.OpenWith(t.Context(), s.options(), 10*time.Millisecond)
	s.ok(err)
	defer d.Close()
	until(t, d, "disconnected", func(s socket.State) bool { return s.Err != nil })
	want(d.State().Err)
	_, err = socket.Open(t.Context(), s.options())
	want(err)
	if took := time.Since(begun); took > 9*time.Second {
		t.Errorf("they are told after %v", took)
	}
}

func TestLockedWithoutSocket(t *testing.T) {
	s := newTestFolder(t)
	_, err := s.open(t.Context(), nil)
	s.ok(err)
	o := s.options()
	o.Patience = 20 * time.Millisecond
	if _, err := socket.Open(t.Context(), o); err != errHeld {
		t.Errorf("got %v", err)
	}
}

// Every process receives the problems that the owner finds in its store, also those from before it came.
func TestProblems(t *testing.T) {
	s := newTestFolder(t)
	open := func() (*socket.DB, <-chan string) {
		o, heard := s.options(), make(chan string, 10)
		o.Notify = func(problem string) { heard <- problem }
		d, err := socket.Open(t.Context(), o)
		s.ok(err)
		t.Cleanup(func() { d.Close() })
		return d, heard
	}
	_, ofOwner := open()
	attached, ofAttached := open()
	told := changes(t, attached)
	s.notify("first")
	s.notify("second")
	_, ofLater := open()
	for _, heard := range []<-chan string{ofOwner, ofAttached, ofLater} {
		if a, b := <-heard, <-heard; a != "first" || b != "second" {
			t.Errorf("it is told %q and %q", a, b)
		}
	}
	if len(told) > 0 {
		t.Errorf("a problem is told as the change %+v", <-told)
	}
}

//go:build linux || darwin || freebsd

package attach_test

import (
	"context"
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
	"bugle/engine/attach"
)

// next waits for the change that is wanted.
func next(t *testing.T, from <-chan attach.Change, want attach.Change) {
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

// Every node hears of every write, and knows its own; one that was cut off hears that there may
// have been some.
func TestChanges(t *testing.T) {
	s := newShed(t)
	first, second := s.pair()
	third := s.node()
	ofFirst, ofSecond, ofThird := first.Changes(t.Context()), second.Changes(t.Context()), third.Changes(t.Context())
	id := create(t, first.Service(workspace))
	c := attach.Change{Workspace: workspace, Kind: attach.Campaigns, ID: id}
	next(t, ofSecond, c)
	next(t, ofThird, c)
	s.ok(second.Service(workspace).PutProfile(t.Context(), engine.Profile{ID: "P"}))
	p := attach.Change{Workspace: workspace, Kind: attach.Profiles, ID: "P"}
	next(t, ofFirst, p)
	next(t, ofThird, p)
	p.Own = true
	next(t, ofSecond, p)
	s.kill(first)
	next(t, ofSecond, attach.Change{})
	next(t, ofThird, attach.Change{})
	s.ok(second.Service(workspace).Delete(t.Context(), id))
	next(t, ofThird, c)
}

// slow is a service whose test takes steps until it is told to stop.
type slow struct {
	attach.Service
	ended chan error
}

func (s slow) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	r.Progress(engine.TestProgress{Key: "K", Recipient: "a", Total: 2})
	r.Progress(engine.TestProgress{Key: "K", Recipient: "a", Done: true, Completed: 1, Total: 2})
	<-ctx.Done()
	s.ended <- ctx.Err()
	return engine.TestResult{Keys: []string{"K"}, Message: "Sent 1 of 2."}, nil
}

// A caller that gives up a test hears of each step, and how far it came.
func TestProgressAndCancel(t *testing.T) {
	s := newShed(t)
	ended := make(chan error, 1)
	s.wrap = func(svc attach.Service) attach.Service { return slow{svc, ended} }
	_, attached := s.pair()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var steps []engine.TestProgress
	out, err := attached.Service(workspace).Test(ctx, engine.TestRequest{Body: parse(t, `{}`), Progress: func(p engine.TestProgress) {
		if steps = append(steps, p); p.Done {
			cancel()
		}
	}})
	if err != nil || out.Message != "Sent 1 of 2." || len(steps) != 2 || steps[1].Completed != 1 {
		t.Errorf("%+v, %v after %+v", out, err, steps)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the test ended with %v", err)
	}
}

// The socket is its user's alone, and goes with its owner.
func TestSocket(t *testing.T) {
	s := newShed(t)
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
	s := newShed(t)
	owner, err := attach.OpenWithPeer(t.Context(), s.options(), func(net.Conn) error { return attach.OtherUser(4711) })
	s.ok(err)
	defer owner.Close()
	_, err = attach.Open(t.Context(), s.options())
	if err == nil || !strings.Contains(err.Error(), "4711") {
		t.Errorf("the owner takes another user's process: %v", err)
	}
	s2 := newShed(t)
	s2.node()
	_, err = attach.OpenWithPeer(t.Context(), s2.options(), func(net.Conn) error { return attach.OtherUser(4712) })
	if err == nil || !strings.Contains(err.Error(), "4712") {
		t.Errorf("a process works through another user's: %v", err)
	}
}

// What a crash left is cleared away without a word.
func TestStaleSocket(t *testing.T) {
	s := newShed(t)
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
	s := newShed(t)
	runtime, tmp := shortDir(t), shortDir(t)
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(runtime, strings.Repeat("long", 20)))
	t.Setenv("TMPDIR", tmp)
	s.ok(os.Mkdir(os.Getenv("XDG_RUNTIME_DIR"), 0o700))
	s.dir = filepath.Join(s.dir, strings.Repeat("long", 40))
	owner, attached := s.pair()
	create(t, attached.Service(workspace))
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
	s := newShed(t)
	_, err := s.open(t.Context())
	s.ok(err)
	l, err := net.Listen("unix", socketOf(s.dir))
	s.ok(err)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"protocol": 99, "version": "9.9", "pid": 7})
	})}
	go srv.Serve(l)
	defer srv.Close()
	_, err = attach.Open(t.Context(), s.options())
	if err == nil || !strings.Contains(err.Error(), "9.9") || !strings.Contains(err.Error(), "process 7") {
		t.Errorf("got %v", err)
	}
}

func TestLockedWithoutSocket(t *testing.T) {
	s := newShed(t)
	_, err := s.open(t.Context())
	s.ok(err)
	o := s.options()
	o.Patience = 20 * time.Millisecond
	if _, err := attach.Open(t.Context(), o); !errors.Is(err, attach.ErrLocked) || err.Error() != errHeld.Error() {
		t.Errorf("got %v", err)
	}
}

// The owner answers the V5 API on its socket.
func TestHandler(t *testing.T) {
	s := newShed(t)
	o := s.options()
	o.Handler = func(n *attach.Node) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ids, err := n.Workspaces(r.Context())
			_ = json.NewEncoder(w).Encode(map[string]any{"ids": ids, "ok": err == nil})
		})
	}
	n, err := attach.Open(t.Context(), o)
	s.ok(err)
	defer n.Close()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socketOf(s.dir))
	}}}
	res, err := client.Get("http://bugle/v5/campaigns")
	s.ok(err)
	defer res.Body.Close()
	var out struct {
		IDs []string
		OK  bool
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || !out.OK || len(out.IDs) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

// What the owner finds to be wrong with its store is told to every other process, once; the owner knows
// it from its opener.
func TestNotices(t *testing.T) {
	s := newShed(t)
	owner, attached := s.pair()
	other := s.node()
	all := []<-chan string{attached.Notices(t.Context()), other.Notices(t.Context())}
	own := owner.Notices(t.Context())
	changes := attached.Changes(t.Context())
	s.holder.tell("first")
	s.holder.tell("second")
	create(t, owner.Service(workspace)) // told on the same way, after them
	if c := <-changes; c.Kind != attach.Campaigns {
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

//go:build linux || darwin || freebsd

package socket_test

import (
	"bufio"
	"context"
	"encoding/gob"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
	"bugle/store/socket"
	"bugle/store/storetest"
)

const (
	workspace = enginetest.WorkspaceID
	ann       = "ann@example.com"
	draft     = `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":"Spring"}}`
)

// testFolder is a data folder whose store is in memory, and whose lock is a flag.
type testFolder struct {
	t       testing.TB
	dir     string
	db      *mem.DB
	clock   func() time.Time
	wrap    func(kv.Driver) kv.Driver // nil: as it is
	handler http.Handler              // of the API on the socket; nil: nothing is

	mu     sync.Mutex
	holder *heldDriver
	notify func(problem string) // of the holder
}

// newTestFolder returns a folder with a workspace.
func newTestFolder(t testing.TB) *testFolder {
	t.Helper()
	s := emptyTestFolder(t)
	_, err := local.CreateWorkspace(t.Context(), s.db, enginetest.Workspace())
	s.ok(err)
	return s
}

func emptyTestFolder(t testing.TB) *testFolder {
	s := &testFolder{t: t, dir: shortDir(t), db: mem.New()}
	t.Cleanup(func() { s.db.Close() })
	return s
}

func (s *testFolder) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// shortDir returns a folder whose path leaves room for a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var errHeld = &store.LockedError{Dir: "here", PID: 4711}

func (s *testFolder) open(_ context.Context, notify func(string)) (kv.Driver, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder != nil {
		return nil, errHeld
	}
	s.notify = notify
	s.holder = &heldDriver{Driver: s.db.Driver(), folder: s}
	if s.wrap != nil {
		s.holder.Driver = s.wrap(s.db.Driver())
	}
	return s.holder, nil
}

// release frees the lock, as the end of its holder's process would.
func (s *testFolder) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holder = nil
}

func (s *testFolder) options() socket.Options {
	return socket.Options{Dir: s.dir, Opener: s.open, Version: "1.0", Patience: 10 * time.Second, Handler: s.handler}
}

func (s *testFolder) node() *socket.DB {
	s.t.Helper()
	d, err := socket.Open(s.t.Context(), s.options())
	s.ok(err)
	s.t.Cleanup(func() {
		if err := d.Close(); err != nil {
			s.t.Errorf("closing: %v", err)
		}
	})
	return d
}

// pair returns an owner, and a handle that is attached to it.
func (s *testFolder) pair() (owner, attached *socket.DB) {
	s.t.Helper()
	owner, attached = s.node(), s.node()
	if a, b := owner.State().Role, attached.State().Role; a != socket.Owner || b != socket.Attached {
		s.t.Fatalf("the first is %s, the second %s", a, b)
	}
	return owner, attached
}

// service returns the service of the workspace in a store, which ends before the store.
func (s *testFolder) service(db store.DB) *local.Service {
	s.t.Helper()
	svc, err := local.Open(db, workspace, local.Options{Clock: s.clock})
	s.ok(err)
	s.t.Cleanup(func() { svc.Close() })
	return svc
}

// kill ends an owner abruptly.
func (s *testFolder) kill(d *socket.DB) {
	d.Kill()
	s.release()
}

// heldDriver is the store of a folder, which frees the lock when it is closed.
type heldDriver struct {
	kv.Driver
	folder *testFolder
}

func (d *heldDriver) Close() error {
	d.folder.mu.Lock()
	defer d.folder.mu.Unlock()
	if d.folder.holder == d {
		d.folder.holder = nil
	}
	return nil
}

// transport leads to the socket.
func (s *testFolder) transport(t *testing.T) *http.Transport {
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socketOf(s.dir))
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// stranger has an owner answer on the socket until the end of the test, who says who it is, and answers nothing else.
func (s *testFolder) stranger(protocol int) {
	_, err := s.open(s.t.Context(), nil)
	s.ok(err)
	l, err := net.Listen("unix", socketOf(s.dir))
	s.ok(err)
	s.t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.t.Cleanup(func() { c.Close() })
		in := bufio.NewReader(c)
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
		_, _ = in.ReadByte()
		_ = gob.NewEncoder(c).Encode(socket.Hello(socket.Introduction{Protocol: protocol, Version: "9.9", PID: 7}))
	}()
}

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func create(t testing.TB, svc engine.Service) string {
	t.Helper()
	out, err := svc.Create(t.Context(), engine.CreateRequest{Body: parse(t, draft)})
	if err != nil {
		t.Fatal(err)
	}
	return out.ID
}

// until waits for a state of the handle.
func until(t testing.TB, d *socket.DB, what string, is func(socket.State) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	found := false
	d.FollowState(ctx, func(s socket.State) {
		if is(s) {
			found = true
			cancel()
		}
	})
	if !found {
		t.Fatalf("the handle is not %s: %+v", what, d.State())
	}
}

func owning(s socket.State) bool   { return s.Role == socket.Owner }
func attached(s socket.State) bool { return s.Role == socket.Attached }

func socketOf(dir string) string { return filepath.Join(dir, "bugle.sock") }

// A store that another process owns is a store.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) *kv.Store {
		_, attached := emptyTestFolder(t).pair()
		return attached.Store
	})
}

// Several processes with one store are several handles on it.
func TestHandles(t *testing.T) {
	storetest.Handles(t, func(t testing.TB) func() store.DB {
		s := emptyTestFolder(t)
		return func() store.DB { return s.node() }
	})
}

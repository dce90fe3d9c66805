//go:build linux || darwin || freebsd

package attach_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/mem"
)

const (
	workspace = enginetest.WorkspaceID
	ann       = "ann@example.com"
	draft     = `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":"Spring"}}`
)

// shed is a data folder whose store is in memory, and whose lock is a flag.
type shed struct {
	t     *testing.T
	dir   string
	db    store.DB
	clock func() time.Time
	wrap  func(attach.Service) attach.Service // nil: as it is
	// handler answers the API on the socket; nil: nothing does.
	handler func(*attach.Node) http.Handler

	mu     sync.Mutex
	holder *held
}

func newShed(t *testing.T) *shed {
	t.Helper()
	s := &shed{t: t, dir: shortDir(t), db: mem.New()}
	t.Cleanup(func() { s.db.Close() })
	s.ok(s.found())
	return s
}

func (s *shed) found() error {
	_, err := local.CreateWorkspace(s.t.Context(), s.db, enginetest.Workspace())
	return err
}

func (s *shed) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// shortDir returns a folder whose path leaves room for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var errHeld = errors.New("held by another")

func (s *shed) open(context.Context) (attach.Owned, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder != nil {
		return nil, attach.Locked(errHeld, 0)
	}
	s.holder = &held{shed: s}
	return s.holder, nil
}

// release frees the lock, as the end of its holder's process would.
func (s *shed) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holder = nil
}

func (s *shed) options() attach.Options {
	return attach.Options{Dir: s.dir, Opener: s.open, Version: "1.0", Patience: 10 * time.Second, Handler: s.handler}
}

func (s *shed) node() *attach.Node {
	s.t.Helper()
	n, err := attach.Open(s.t.Context(), s.options())
	s.ok(err)
	s.t.Cleanup(func() {
		if err := n.Close(); err != nil {
			s.t.Errorf("closing: %v", err)
		}
	})
	return n
}

// pair returns an owner, and a node that is attached to it.
func (s *shed) pair() (owner, attached *attach.Node) {
	s.t.Helper()
	owner, attached = s.node(), s.node()
	if a, b := owner.State().Role, attached.State().Role; a != attach.Owner || b != attach.Attached {
		s.t.Fatalf("the first is %s, the second %s", a, b)
	}
	return owner, attached
}

// kill ends an owner abruptly.
func (s *shed) kill(n *attach.Node) {
	n.Kill()
	s.release()
}

// held is the store of a shed.
type held struct {
	shed *shed
	tell func(notice string)
}

func (h *held) Tell(tell func(notice string)) { h.tell = tell }

func (h *held) Open(workspace string) (attach.Service, error) {
	svc, err := local.Open(h.shed.db, workspace, local.Options{Clock: h.shed.clock})
	if err != nil {
		return nil, err
	}
	if h.shed.wrap != nil {
		return h.shed.wrap(svc), nil
	}
	return svc, nil
}

func (h *held) Workspaces(ctx context.Context) (ids []string, err error) {
	err = h.shed.db.Read(ctx, func(tx store.Tx) error {
		ids, err = tx.Workspaces()
		return err
	})
	return ids, err
}

func (h *held) Create(ctx context.Context, w engine.Workspace, _ bool) (string, string, error) {
	key, err := local.CreateWorkspace(ctx, h.shed.db, w)
	return w.ID, key, err
}

func (h *held) Close() error {
	h.shed.mu.Lock()
	defer h.shed.mu.Unlock()
	if h.shed.holder == h {
		h.shed.holder = nil
	}
	return nil
}

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func create(t testing.TB, svc attach.Service) string {
	t.Helper()
	out, err := svc.Create(t.Context(), engine.CreateRequest{Body: parse(t, draft)})
	if err != nil {
		t.Fatal(err)
	}
	return out.ID
}

// until waits for a state of the node.
func until(t testing.TB, n *attach.Node, what string, is func(attach.State) bool) attach.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for s := range n.States(ctx) {
		if is(s) {
			return s
		}
	}
	t.Fatalf("the node is not %s: %+v", what, n.State())
	return attach.State{}
}

func owning(s attach.State) bool { return s.Role == attach.Owner }

func socketOf(dir string) string { return filepath.Join(dir, "bugle.sock") }

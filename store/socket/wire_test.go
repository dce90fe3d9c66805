//go:build linux || darwin || freebsd

package socket_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
	"bugle/store/socket"
)

// An error arrives with its text, and as what callers ask for.
func TestErrors(t *testing.T) {
	for _, want := range []error{store.ErrTooLarge, store.ErrDiskFull, store.ErrClosed, kv.ErrConflict, syscall.EMFILE, io.EOF} {
		for _, err := range []error{want, fmt.Errorf("reading: %w", want)} {
			if got := socket.Fault(err); !errors.Is(got, want) || got.Error() != err.Error() {
				t.Errorf("%v arrives as %v", err, got)
			}
		}
	}
	if got := socket.Fault(fmt.Errorf("writing: %w", syscall.ENOSPC)); !store.IsDiskFull(got) {
		t.Errorf("a full disk arrives as %v", got)
	}
	if got := socket.Fault(nil); got != nil {
		t.Errorf("no error arrives as %v", got)
	}
}

// Through the socket and beside it, the same comes of everything that the contract suite does not reach.
func TestRoundTrip(t *testing.T) {
	s := newTestFolder(t)
	_, attached := s.pair()
	svc, home, ctx := s.service(attached), s.service(s.db), t.Context()
	id := create(t, svc)
	c, err := svc.Get(ctx, id)
	s.ok(err)
	body := parse(t, `{"basic_details":{"name":"Tab\t\u0041","x":1.00},"unknown":[1e1]}`)
	h, err := svc.Save(ctx, engine.SaveRequest{ID: id, Revision: c.Revision, Body: body, By: ann, Note: "n"})
	s.ok(err)
	_, err = svc.Save(ctx, engine.SaveRequest{ID: id, Revision: c.Revision, Body: body})
	if e := engine.AsError(err); e == nil || e.HTTP != 409 {
		t.Errorf("a save over another one: %v", err)
	}
	s.ok(svc.PutWorkingCopy(ctx, id, engine.WorkingCopy{Base: h.Revision, Body: body, At: time.Unix(1, 0).UTC()}))
	cloned, err := svc.Clone(ctx, id, ann)
	s.ok(err)
	s.ok(svc.PutUser(ctx, engine.User{ID: "P", Attributes: map[string]any{"n": json.Number("1.50")}}))
	_, err = svc.Test(ctx, engine.TestRequest{Body: parse(t, inlineTest)})
	s.ok(err)
	if c, err = home.Get(ctx, id); err != nil || string(c.Body.Encode()) != string(body.Encode()) {
		t.Errorf("the body became %s, %v", c.Body.Encode(), err)
	}

	same := func(what string, f func(*local.Service) (any, error)) {
		t.Helper()
		got, err1 := f(svc)
		want, err2 := f(home)
		if !reflect.DeepEqual(got, want) || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("%s:\ngot  %#v, %v\nwant %#v, %v", what, got, err1, want, err2)
		}
	}
	same("get", func(s *local.Service) (any, error) { return s.Get(ctx, id) })
	same("list", func(s *local.Service) (any, error) { return s.List(ctx, engine.ListQuery{Archived: true}) })
	same("copy", func(s *local.Service) (any, error) { c, ok, err := s.WorkingCopy(ctx, id); return []any{c, ok}, err })
	same("no copy", func(s *local.Service) (any, error) {
		c, ok, err := s.WorkingCopy(ctx, cloned.ID)
		return []any{c, ok}, err
	})
	same("revisions", func(s *local.Service) (any, error) { return s.Revisions(ctx, id) })
	same("revision", func(s *local.Service) (any, error) { return s.Revision(ctx, id, 1) })
	same("no revision", func(s *local.Service) (any, error) { return s.Revision(ctx, id, 99) })
	same("outbox", func(s *local.Service) (any, error) { return s.Outbox(ctx, 0) })
	same("settings", func(s *local.Service) (any, error) { return s.Workspace(ctx) })
	same("users", func(s *local.Service) (any, error) { return s.Users(ctx, "p", 5) })
	same("user", func(s *local.Service) (any, error) { return s.User(ctx, "P") })
	same("no user", func(s *local.Service) (any, error) { return s.User(ctx, "Q") })
	same("tests", func(s *local.Service) (any, error) { return s.Tests(ctx, "", 5) })
	same("recipients", func(s *local.Service) (any, error) { return s.Recipients(ctx, "EMAIL", "EMAIL", 5) })
	same("archive", func(s *local.Service) (any, error) { return nil, s.Archive(ctx, id, ann) })
	same("restore", func(s *local.Service) (any, error) { return nil, s.Restore(ctx, id, ann) })
	s.ok(errors.Join(svc.DeleteWorkingCopy(ctx, id), svc.Delete(ctx, cloned.ID), svc.DeleteUser(ctx, "P"), svc.ClearOutbox(ctx)))
	same("at the end", func(s *local.Service) (any, error) { return s.List(ctx, engine.ListQuery{}) })
}

// Every change of the settings is kept, whoever else changes them at the same time.
func TestSettingsContention(t *testing.T) {
	s := newTestFolder(t)
	owner, attached := s.pair()
	near, far := s.service(owner), s.service(attached)
	var all sync.WaitGroup
	for i, svc := range []*local.Service{near, far, near, far} {
		all.Go(func() {
			for j := range 10 {
				err := svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
					w.Teams = append(w.Teams, fmt.Sprint(i, j))
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	w, err := far.Workspace(t.Context())
	s.ok(err)
	seen := map[string]bool{}
	for _, team := range w.Teams {
		seen[team] = true
	}
	for i := range 4 {
		for j := range 10 {
			if !seen[fmt.Sprint(i, j)] {
				t.Errorf("change %d of %d is lost", j, i)
			}
		}
	}
}

// A transaction is canceled with its context, and its connection does no harm to the next one.
func TestCancel(t *testing.T) {
	s := newTestFolder(t)
	_, attached := s.pair()
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		err := attached.View(ctx, func(tx kv.Tx) error {
			return tx.Scan(nil, kv.ScanOptions{}, func(_, _ []byte) error { cancel(); return nil })
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		s.ok(attached.View(t.Context(), func(tx kv.Tx) error {
			_, err := tx.Get([]byte("none"))
			if !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		}))
	}
}

// Whatever another process of the person sends on a connection, the owner survives it.
func FuzzRequests(f *testing.F) {
	near, far := net.Pipe()
	var seed []byte
	var read sync.WaitGroup
	read.Go(func() { seed, _ = io.ReadAll(far) })
	if err := errors.Join(socket.NewLine(near).Requests(), near.Close()); err != nil {
		f.Fatal(err)
	}
	read.Wait()
	f.Add(seed)
	for _, n := range []int{1, 7, len(seed) / 2} {
		f.Add(seed[:n])
		f.Add(seed[n:])
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte) {
		db := mem.New()
		defer db.Close()
		near, far := net.Pipe()
		var all sync.WaitGroup
		all.Go(func() { _, _ = io.Copy(io.Discard, near) })
		all.Go(func() {
			_, _ = near.Write(in) // it ends early where the other end hangs up
			_ = near.Close()
		})
		if err := socket.Serve(dir, db.Driver(), far); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		if err := db.View(t.Context(), func(kv.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
}

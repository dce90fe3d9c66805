//go:build linux || darwin || freebsd

package attach_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

func crossed[T any](t *testing.T, v T) T {
	t.Helper()
	b, err := attach.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := attach.Decode(b, &out); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return out
}

// Nothing is lost between two processes: no spelling, no difference of nil, empty and absent.
func TestCodec(t *testing.T) {
	for _, text := range []string{
		`{"b":1.0,"a":1e2,"n":12345678901234567890,"s":"a\u0041\/<&>\u2028","é\u00e9":"\t\n","u":null,"o":{},"l":[]}`, `null`, `"x"`, `-0`,
	} {
		if got := crossed(t, parse(t, text)); string(got.Encode()) != text {
			t.Errorf("got %s, want %s", got.Encode(), text)
		}
	}
	if got := crossed(t, doc.Value{}); got.Exists() {
		t.Errorf("nothing became %s", got.Encode())
	}
	now := time.Date(2026, 11, 1, 12, 0, 0, 123456789, time.UTC)
	head := engine.Head{ID: "1", CreatedAt: now, Revision: 7}
	for _, v := range []any{
		engine.Summary{Head: head, Tags: []string{}, Platforms: nil, Start: now},
		engine.Profile{ID: "p", Attributes: map[string]any{"n": json.Number("1.50"), "l": []any{json.Number("1"), "x", nil, true}}},
		[]engine.Campaign{}, []engine.Campaign(nil),
		engine.SaveRequest{ID: "1", Revision: 3, By: ann, Note: "<>", Coalesce: true},
	} {
		out := reflect.New(reflect.TypeOf(v))
		b, err := attach.Encode(v)
		if err == nil {
			err = attach.Decode(b, out.Interface())
		}
		if err != nil || !reflect.DeepEqual(out.Elem().Interface(), v) {
			t.Errorf("%v:\ngot  %#v\nwant %#v", err, out.Elem().Interface(), v)
		}
	}
}

// refusing is a service that answers with one error.
type refusing struct {
	attach.Service
	err error
}

func (r refusing) Get(context.Context, string) (engine.Campaign, error) {
	return engine.Campaign{}, r.err
}

func TestErrors(t *testing.T) {
	want := &engine.Error{
		Code: engine.RateLimited, HTTP: 429, Message: "no <b>", Target: "a.b", Details: []engine.Detail{{Target: "x", Message: "y"}},
		RequestID: "r", RetryAfter: 1500 * time.Millisecond, Err: errors.New("cause"),
		Problems: []schema.Problem{{Path: doc.P("a", 0, ""), Rule: "t#r", Severity: schema.Notice, Message: "m", Section: "s"}},
	}
	for _, c := range []struct{ err, is error }{
		{fmt.Errorf("wrapped: %w", want), nil}, {errors.New("plain"), nil}, {context.DeadlineExceeded, context.DeadlineExceeded},
	} {
		s := newShed(t)
		s.wrap = func(svc attach.Service) attach.Service { return refusing{svc, c.err} }
		_, attached := s.pair()
		_, err := attached.Service(workspace).Get(t.Context(), "x")
		switch e := engine.AsError(err); {
		case c.is != nil:
			if !errors.Is(err, c.is) {
				t.Errorf("got %v, want %v", err, c.is)
			}
		case engine.AsError(c.err) == nil:
			if err == nil || e != nil || err.Error() != c.err.Error() {
				t.Errorf("got %v, want %v", err, c.err)
			}
		default:
			if e == nil || e.Err == nil || e.Err.Error() != "cause" {
				t.Fatalf("got %v", err)
			}
			e.Err = want.Err
			if !reflect.DeepEqual(e, want) {
				t.Errorf("got %+v, want %+v", e, want)
			}
		}
	}
}

// What the contract suite does not reach, through the socket and beside it.
func TestRoundTrip(t *testing.T) {
	s := newShed(t)
	_, attached := s.pair()
	svc, home, ctx := attached.Service(workspace), s.local(), t.Context()
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
	s.ok(svc.KeepCopy(ctx, id, engine.WorkingCopy{Base: h.Revision, Body: body, At: time.Unix(1, 0).UTC()}))
	cloned, err := svc.Clone(ctx, id, ann)
	s.ok(err)
	s.ok(svc.PutProfile(ctx, engine.Profile{ID: "P", Attributes: map[string]any{"n": json.Number("1.50")}}))
	_, err = svc.Test(ctx, engine.TestRequest{Body: parse(t, inlineTest)})
	s.ok(err)

	same := func(what string, f func(attach.Service) (any, error)) {
		t.Helper()
		got, err1 := f(svc)
		want, err2 := f(home)
		if !reflect.DeepEqual(got, want) || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("%s:\ngot  %#v, %v\nwant %#v, %v", what, got, err1, want, err2)
		}
	}
	same("get", func(s attach.Service) (any, error) { return s.Get(ctx, id) })
	same("list", func(s attach.Service) (any, error) { return s.List(ctx, engine.ListQuery{Archived: true}) })
	same("copy", func(s attach.Service) (any, error) { c, ok, err := s.Copy(ctx, id); return []any{c, ok}, err })
	same("no copy", func(s attach.Service) (any, error) { c, ok, err := s.Copy(ctx, cloned.ID); return []any{c, ok}, err })
	same("revisions", func(s attach.Service) (any, error) { return s.Revisions(ctx, id) })
	same("revision", func(s attach.Service) (any, error) { return s.Revision(ctx, id, 1) })
	same("no revision", func(s attach.Service) (any, error) { return s.Revision(ctx, id, 99) })
	same("outbox", func(s attach.Service) (any, error) { return s.Outbox(ctx, 0) })
	same("settings", func(s attach.Service) (any, error) { return s.Workspace(ctx) })
	same("profiles", func(s attach.Service) (any, error) { return s.Profiles(ctx, "p", 5) })
	same("profile", func(s attach.Service) (any, error) { return s.Profile(ctx, "P") })
	same("no profile", func(s attach.Service) (any, error) { return s.Profile(ctx, "Q") })
	same("tests", func(s attach.Service) (any, error) { return s.Tests(ctx, "", 5) })
	same("recipients", func(s attach.Service) (any, error) { return s.Recipients(ctx, "EMAIL", "EMAIL", 5) })
	same("archive", func(s attach.Service) (any, error) { return nil, s.Archive(ctx, id, ann) })
	same("restore", func(s attach.Service) (any, error) { return nil, s.Restore(ctx, id, ann) })
	s.ok(errors.Join(svc.DropCopy(ctx, id), svc.Delete(ctx, cloned.ID), svc.DeleteProfile(ctx, "P"), svc.ClearOutbox(ctx)))
	same("at the end", func(s attach.Service) (any, error) { return s.List(ctx, engine.ListQuery{}) })

	made, key, err := attached.CreateWorkspace(ctx, engine.Workspace{ID: "OTHER"}, false)
	if err != nil || made != "OTHER" || key == "" {
		t.Errorf("%q, %q, %v", made, key, err)
	}
	if ids, err := attached.Workspaces(ctx); err != nil || len(ids) != 2 {
		t.Errorf("%q, %v", ids, err)
	}
	if _, err := attached.Service("NONE").Workspace(ctx); engine.AsError(err) == nil || engine.AsError(err).Code != engine.NotFound {
		t.Errorf("no such workspace: %v", err)
	}
}

// Every change of the settings counts, whoever makes it at the same time.
func TestSettingsContention(t *testing.T) {
	s := newShed(t)
	owner, attached := s.pair()
	var all sync.WaitGroup
	for i, n := range []*attach.Node{owner, attached, owner, attached} {
		all.Go(func() {
			for j := range 10 {
				err := n.Service(workspace).UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
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
	w, err := attached.Service(workspace).Workspace(t.Context())
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
	boom := errors.New("no")
	if err := attached.Service(workspace).UpdateWorkspace(t.Context(), func(*engine.Workspace) error { return boom }); err != boom {
		t.Errorf("got %v", err)
	}
}

package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
)

// service is as much of one as the operations need.
type service struct {
	engine.Service

	mu       sync.Mutex
	calls    []string
	bodies   map[string]string
	archive  func(ctx context.Context, id string) error
	conflict int // how many saves are refused because somebody else was quicker
}

func (s *service) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
}

func (s *service) Archive(ctx context.Context, id, by string) error {
	s.note("archive %s by %s", id, by)
	if s.archive != nil {
		return s.archive(ctx, id)
	}
	return nil
}
func (s *service) Restore(context.Context, string, string) error { return nil }
func (s *service) Delete(context.Context, string) error          { return nil }
func (s *service) Clone(context.Context, string, string) (engine.Created, error) {
	return engine.Created{}, nil
}

func (s *service) ChangeStatus(_ context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	s.note("%s %s by %s", r.Action, r.ID, r.By)
	return engine.StatusChanged{}, nil
}

func (s *service) Get(_ context.Context, id string) (engine.Campaign, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.bodies[id]
	if !ok {
		return engine.Campaign{}, engine.MissingCampaign(id)
	}
	body, err := doc.Parse([]byte(text))
	st := catalog.Draft
	if strings.HasPrefix(id, "live") {
		st = catalog.Active
	}
	return engine.Campaign{Head: engine.Head{ID: id, Channel: catalog.Push, DeliveryType: catalog.Periodic, Status: st, Revision: 7}, Body: body}, err
}

func (s *service) Save(_ context.Context, r engine.SaveRequest) (engine.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conflict > 0 {
		s.conflict--
		return engine.Head{}, engine.Errorf(engine.BadRequest, http.StatusConflict, "somebody else saved it")
	}
	s.calls = append(s.calls, "save "+r.ID+": "+r.Note)
	s.bodies[r.ID] = string(r.Body.Encode())
	return engine.Head{}, nil
}

func (s *service) Update(_ context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	s.note("update %s from revision %s %s", r.ID, r.IfMatch, r.Body.Get("basic_details").Encode())
	return engine.Updated{}, nil
}

func rows(n int) []engine.Summary {
	out := make([]engine.Summary, n)
	for i := range out {
		out[i].ID, out[i].Channel, out[i].DeliveryType, out[i].Status = fmt.Sprint("c", i), catalog.Push, catalog.OneTime, catalog.Sent
	}
	return out
}

func ids(failures []bulk.Failure) []string {
	var out []string
	for _, f := range failures {
		out = append(out, f.Row.ID)
	}
	return out
}

func TestRunReports(t *testing.T) {
	broken := errors.New("broken")
	svc := &service{archive: func(_ context.Context, id string) error {
		if id == "c3" || id == "c17" {
			return broken
		}
		return nil
	}}
	var last bulk.Progress
	steps := 0
	r := bulk.Run(t.Context(), svc, bulk.Action{Name: catalog.Archive}, rows(40), "ann@example.com", func(p bulk.Progress) { last = p; steps++ })
	if len(r.Done) != 38 || !slices.Equal(ids(r.Failed), []string{"c3", "c17"}) || len(r.Skipped) != 0 || !errors.Is(r.Failed[0].Err, broken) {
		t.Errorf("the report is %+v", r)
	}
	if last != (bulk.Progress{Done: 40, Failed: 2, Total: 40}) || steps != 40 {
		t.Errorf("told %d times, at last %+v", steps, last)
	}
	if !slices.Contains(svc.calls, "archive c0 by ann@example.com") {
		t.Errorf("asked %q", svc.calls)
	}
}

func TestCanceledRunSkipsTheRest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	svc := &service{archive: func(ctx context.Context, id string) error {
		if id == "c5" {
			cancel()
		}
		if id >= "c5" {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}
	r := bulk.Run(ctx, svc, bulk.Action{Name: catalog.Archive}, rows(9), "", func(bulk.Progress) {})
	if len(r.Failed) != 0 || len(r.Done)+len(r.Skipped) != 9 || !slices.Contains(ids(r.Skipped), "c5") || !slices.Contains(ids(r.Skipped), "c8") {
		t.Errorf("the report is %+v", r)
	}
}

func TestATooBusyServiceIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		svc := &service{archive: func(context.Context, string) error {
			if tries++; tries < 3 {
				e := engine.Errorf(engine.RateLimited, 429, "too many")
				e.RetryAfter = 20 * time.Second
				return e
			}
			return nil
		}}
		start := time.Now()
		r := bulk.Run(t.Context(), svc, bulk.Action{Name: catalog.Archive}, rows(1), "", func(bulk.Progress) {})
		if len(r.Done) != 1 || time.Since(start) != 40*time.Second {
			t.Errorf("the report is %+v after %s", r, time.Since(start))
		}
	})
}

func TestRetag(t *testing.T) {
	for _, c := range []struct {
		tag        bulk.Tag
		body, want string
	}{
		{bulk.Tag{Add: []string{"a", "b"}}, `{}`, `{"basic_details":{"tags":["a","b"]}}`},
		{bulk.Tag{Add: []string{"a"}}, `{"x":1.0,"basic_details":{"tags":["b"],"name":"N"}}`, `{"x":1.0,"basic_details":{"tags":["b","a"],"name":"N"}}`},
		{bulk.Tag{Remove: []string{"b"}}, `{"basic_details":{"tags":["b"],"name":"N"}}`, `{"basic_details":{"name":"N"}}`},
		{bulk.Tag{Remove: []string{"z"}}, `{"basic_details":{"tags":["b"]}}`, `{"basic_details":{"tags":["b"]}}`},
		{bulk.Tag{Add: []string{"a"}}, `{"basic_details":{"tags":null}}`, `{"basic_details":{"tags":["a"]}}`},
	} {
		body, err := doc.Parse([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.tag.Retag(body)
		if err != nil || string(got.Encode()) != c.want {
			t.Errorf("%+v on %s gives %s, %v", c.tag, c.body, got.Encode(), err)
		}
	}
	for _, text := range []string{`{"basic_details":{"tags":"sale"}}`, `{"basic_details":{"tags":["a",7]}}`, `{"basic_details":[]}`} {
		body, _ := doc.Parse([]byte(text))
		if got, err := (bulk.Tag{Add: []string{"b"}}).Retag(body); err == nil || !got.Same(body) {
			t.Errorf("%s becomes %s", text, got.Encode())
		}
	}
}

func TestTagging(t *testing.T) {
	svc := &service{conflict: 1, bodies: map[string]string{
		"draft": `{"basic_details":{"name":"D"}}`, "live1": `{"basic_details":{"name":"L"},"other":{}}`, "has": `{"basic_details":{"tags":["vip"]}}`,
	}}
	list := rows(4)
	for i, id := range []string{"draft", "live1", "has", "gone"} {
		list[i].ID = id
	}
	r := bulk.Run(t.Context(), svc, bulk.Tag{Add: []string{"vip"}}, list, "ann@example.com", func(bulk.Progress) {})
	if len(r.Done) != 3 || r.Unchanged != 1 || !slices.Equal(ids(r.Failed), []string{"gone"}) {
		t.Errorf("the report is %+v", r)
	}
	slices.Sort(svc.calls)
	if want := []string{"save draft: tagged vip", `update live1 from revision "7" {"name":"L","tags":["vip"]}`}; !slices.Equal(svc.calls, want) {
		t.Errorf("asked %q", svc.calls)
	}
}

func TestWhyNot(t *testing.T) {
	svc := &service{}
	at := func(ch engine.Channel, st engine.State) engine.Summary {
		return engine.Summary{Head: engine.Head{Channel: ch, DeliveryType: catalog.Periodic, Status: st}}
	}
	for _, c := range []struct {
		op   bulk.Operation
		svc  engine.Service
		row  engine.Summary
		want string // in the reason; empty: it can be done
	}{
		{bulk.Action{Name: catalog.Pause}, svc, at(catalog.Push, catalog.Active), ""},
		{bulk.Action{Name: catalog.Pause}, svc, at(catalog.Push, catalog.Draft), "has not been published"},
		{bulk.Action{Name: catalog.Archive}, svc, at(catalog.Push, catalog.Stopped), ""},
		{bulk.Action{Name: catalog.Archive}, struct{ engine.Service }{svc}, at(catalog.Push, catalog.Stopped), "its own dashboard"},
		{bulk.Tag{}, svc, at(catalog.Push, catalog.Draft), ""},
		{bulk.Tag{}, svc, at(catalog.SMS, catalog.Draft), "read here"},
		{bulk.Tag{}, svc, at(catalog.Push, catalog.Archived), "no longer be changed"},
	} {
		if why := c.op.Blocked(c.svc, c.row); (why == "") != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%+v on %s %s: %q", c.op, c.row.Channel, c.row.Status, why)
		}
	}
}

// An undo of what was typed last waits until that is saved, keeps what others have changed, and changes no campaign that
// was published meanwhile unless the user was asked.
func TestUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &service{bodies: map[string]string{"draft": `{"basic_details":{"name":"D"}}`, "live1": `{"basic_details":{"name":"new"}}`}}
		history := &edit.History{}
		s := edit.New(edit.Config{Service: svc, Now: time.Now, History: history}, "draft")
		l, err := s.Load()(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.ApplyLoaded(l)
		root, err := s.Root().Set(doc.P("basic_details", "name"), doc.NewString("new"))
		if err != nil {
			t.Fatal(err)
		}
		s.Change(root, nil, "")
		s.Save("edited", false) // runs when the session is closed
		flush := s.Flush()
		steps := history.Next(true, func(*edit.Step) bool { return true })
		undo := bulk.Undo{History: history, Steps: steps, As: history.Copies(steps), Note: "undone", Drafts: true}
		row := func(id string) engine.Summary { return engine.Summary{Head: engine.Head{ID: id}} }
		done := make(chan error, 1)
		go func() {
			_, err := undo.Do(t.Context(), svc, row("draft"), "")
			done <- err
		}()
		synctest.Wait()
		if len(svc.calls) > 0 {
			t.Fatalf("asked %q before the last save", svc.calls)
		}
		flush()
		if err := <-done; err != nil || svc.bodies["draft"] != `{"basic_details":{"name":"D"}}` {
			t.Errorf("undone: %v, the campaign is %s", err, svc.bodies["draft"])
		}

		svc.bodies["draft"] = `{"basic_details":{"name":"theirs"}}`
		var conflict *bulk.ConflictError
		if _, err := undo.Do(t.Context(), svc, row("draft"), ""); !errors.As(err, &conflict) || conflict.Place != "Basics › Campaign name" {
			t.Errorf("over a change of somebody else: %v", err)
		}
		undo.As[0].ID = "live1"
		if _, err := undo.Do(t.Context(), svc, row("live1"), ""); err == nil || !strings.Contains(err.Error(), "it is active; open it") {
			t.Errorf("published meanwhile: %v", err)
		}
		undo.Drafts = false
		if _, err := undo.Do(t.Context(), svc, row("live1"), ""); err != nil || svc.calls[len(svc.calls)-1] != `update live1 from revision "7" {"name":"D"}` {
			t.Errorf("after a question: %v, %q", err, svc.calls)
		}
	})
}

package local_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/service/local"
	"bugle/store/kv"
)

// Whatever a body says, an operation answers or refuses: it does not panic, what it refuses is the caller's
// fault, and what is refused has written nothing.
func FuzzBodies(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `null`, `{` + emailHead + `,` + emailParts + `,` + fixed + `}`, `{"status":"PUBLISH"}`,
		`{` + pushHead + `,"campaign_content":{"locales":["de"],"variation_details":{"no_of_variations":1e18},"content":` + pushCells + `}}`,
		`{"draft_id":"` + strings.Repeat("0", 23) + `1","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}}`,
		`{"channel":"PUSH","campaign_content":{"content":{"push":{"web":{"basic_details":{"title":"{% for a in range(9) %}{{a}}{% endfor %}"}}}}},"test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":["Many"]}}`,
		`{"channel":"SMS","user_identification":{"type":"EMAIL","value":"a@example.com"},"campaign_content":{"a":["{{x}}",{"b":1}]}}`,
		`{` + pushHead + `,"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"9999-12-31T23:59:59Z","periodic_details":{"sending_frequency":"MONTHLY","repeat_frequency":1e9,"no_of_occurences":1e15,"repeat_on_date_of_month":[31,-1,"x"]}}}`,
		`{"campaign_content":{"content":{"default":{"variation_1":{"push":{"android":[]}}}}}}`,
	} {
		f.Add([]byte(s))
	}
	origin := newBench(f, local.Options{})
	draft := origin.state(1, catalog.Push, catalog.Periodic, catalog.Draft, `{}`)
	live := origin.state(2, catalog.Email, catalog.EventTriggered, catalog.Active, `{}`)
	nobody := func(engine.Connector) (delivery.Sender, error) { return nil, errors.New("nobody is reached") }
	f.Fuzz(func(t *testing.T, in []byte) {
		body, err := doc.Parse(in)
		if err != nil {
			return
		}
		ctx, db := context.Background(), origin.db.Clone()
		svc, err := local.Open(db, "TEST", local.Options{Clock: origin.clock.Now, Providers: nobody, Fetcher: &delivery.Fetcher{Timeout: 1}})
		if err != nil {
			t.Fatal(err)
		}
		before := contents(t, db.Store)
		check := func(op string, err error) {
			if e := engine.AsError(err); err != nil && (e == nil || e.HTTP >= 500) {
				t.Errorf("%s: %v", op, err)
			}
			after := contents(t, db.Store)
			if err != nil && after != before {
				t.Errorf("%s is refused (%v), and something was written", op, err)
			}
			before = after
		}
		_, err = svc.Create(ctx, engine.CreateRequest{Body: body})
		check("create", err)
		_, err = svc.Test(ctx, engine.TestRequest{Body: body})
		check("inline test", err)
		_, err = svc.Preview(ctx, engine.PreviewRequest{Body: body})
		check("preview", err)
		head, err := svc.Save(ctx, engine.SaveRequest{ID: draft, Revision: 1, Body: body})
		check("save", err)
		if err == nil {
			if c, err := svc.Get(ctx, draft); err != nil || c.Revision != head.Revision || string(c.Body.Encode()) != string(body.Encode()) {
				t.Errorf("saved %s, got %s (%v)", body.Encode(), c.Body.Encode(), err)
			}
		}
		_, err = svc.Test(ctx, engine.TestRequest{Body: parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["x"]}}`, draft)})
		check("test of a draft", err)
		_, err = svc.Validate(ctx, draft)
		check("validate", err)
		_, err = svc.Update(ctx, engine.UpdateRequest{ID: draft, Body: body})
		check("update", err)
		_, err = svc.Update(ctx, engine.UpdateRequest{ID: live, Body: body})
		check("update of a live one", err)
		_, err = svc.Meta(ctx, engine.MetaRequest{Limit: 15, Page: 1, Status: catalog.States})
		check("meta", err)
	})
}

// contents gives all that a store holds.
func contents(t *testing.T, db *kv.Store) string {
	t.Helper()
	var all strings.Builder
	err := db.View(context.Background(), func(tx *kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			fmt.Fprintf(&all, "%s=%s\n", key, value)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestConcurrentUse(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,%s}`, emailHead, emailParts)
	shared := engine.CreateRequest{Call: engine.Call{IdempotencyKey: key()}, Body: parse(t, `{%s}`, pushHead)}
	var wait sync.WaitGroup
	var mu sync.Mutex
	created := map[string]bool{}
	for i := range 8 {
		wait.Go(func() {
			out, err := b.Create(b.ctx, shared)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			created[out.ID] = true
			mu.Unlock()
			if _, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"basic_details":{"name":"n%d"}}`, i)}); err != nil {
				t.Error(err)
			}
			if _, err := b.Test(b.ctx, engine.TestRequest{Body: inlineEmail(t, `"ida@example.com"`, "")}); err != nil {
				t.Error(err)
			}
			if _, err := b.Search(b.ctx, engine.SearchRequest{Limit: 15, Page: 1}); err != nil {
				t.Error(err)
			}
			if err := b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.Teams = append(w.Teams, fmt.Sprint(i)); return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	w, err := b.Workspace(b.ctx)
	b.ok(err)
	if len(created) != 1 || b.get(id).Revision != 9 || len(w.Teams) != 8 {
		t.Errorf("%d created, revision %d, teams %v", len(created), b.get(id).Revision, w.Teams)
	}
}

// broken is a store whose disk is full.
type broken struct{ kv.Driver }

func (broken) Commit(context.Context, kv.Change) error {
	return errors.New("no space left on device")
}

func TestStoreFailure(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s}`, pushHead)
	db := kv.NewStore(broken{b.db.Driver()})
	full, err := local.Open(db, "TEST", local.Options{})
	b.ok(err)
	_, err = full.Get(b.ctx, id) // what is there can be read
	b.ok(err)
	_, err = full.Create(b.ctx, engine.CreateRequest{Body: parse(t, `{%s}`, pushHead)})
	e := refused(t, err, engine.Internal, 507)
	contains(t, e.Message, "no space left on device")

	// A damaged document is named; the others are listed all the same.
	other := b.create(`{%s}`, pushHead)
	b.ok(b.db.Update(b.ctx, func(tx *kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(k, v []byte) error {
			if strings.Contains(string(k), id) {
				v = append([]byte(nil), v...)
				v[len(v)-1] ^= 1
				return tx.Set(append([]byte(nil), k...), v)
			}
			return nil
		})
	}))
	_, err = b.Get(b.ctx, id)
	contains(t, refused(t, err, engine.Internal, 500).Message, id)
	rows, err := b.List(b.ctx, engine.ListQuery{})
	b.ok(err)
	if len(rows) != 1 || rows[0].ID != other {
		t.Errorf("%d rows", len(rows))
	}
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if _, err := b.Get(ctx, other); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}

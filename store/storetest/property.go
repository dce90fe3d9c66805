package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/store"
)

// model is the records that a workspace should have, under keys that sort as [store.Transfer] orders the records.
type model map[string]store.Record

// kinds are the kinds of records in the order of [store.Transfer].
var kinds = []string{"settings", "user", "products", "template", "message", "test", "key", "campaign"}

// key returns the key of a record in a model.
func key(kind string, parts ...any) string {
	name := fmt.Sprint(slices.Index(kinds, kind), " ")
	for _, p := range parts {
		if text, ok := p.(string); ok {
			name += fmt.Sprintf("%q ", text)
		} else {
			name += fmt.Sprintf("%04d ", p)
		}
	}
	return name
}

// drop removes the first records whose keys begin with some parts, at most limit of them, and returns how many there were.
func (m model) drop(limit int, kind string, parts ...any) (n int) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if strings.HasPrefix(k, key(kind, parts...)) && n < limit {
			delete(m, k)
			n++
		}
	}
	return n
}

func (m model) campaign(id string) (c store.WholeCampaign, ok bool) {
	c, ok = m[key("campaign", id)].(store.WholeCampaign)
	return c, ok
}

// save stores a version of a campaign, and returns its revision.
func (m model) save(t testing.TB, id, body string, coalesce bool) int64 {
	whole, _ := m.campaign(id)
	c, sum, rev := campaign(t, id, body)
	n := whole.Campaign.Revision + 1
	c.Revision, sum.Revision, rev.N, rev.Size = n, n, n, len(body)
	if coalesce && n > 2 { // the first one stays
		whole.History = whole.History[1:]
	}
	whole.Campaign, whole.Summary = c, sum
	whole.History = append([]store.Version{{Revision: rev, Campaign: c}}, whole.History...)
	m[key("campaign", id)] = whole
	return n
}

// workspaceCount makes the workspace names of checks unique, because they share one store.
var workspaceCount atomic.Int64

var errUndone = errors.New("undone")

// testAgainstMap applies the same operations to a workspace and to a map. Some transactions fail at their end.
func testAgainstMap(t *testing.T, db store.DB) {
	rapid.Check(t, func(rt *rapid.T) {
		w := engine.Workspace{ID: fmt.Sprintf("W%d", workspaceCount.Add(1))}
		write(t, db, func(tx store.Tx) error { return tx.Workspace(w.ID).PutSettings(w) })
		m := model{key("settings"): w}
		for range rapid.IntRange(1, 8).Draw(rt, "transactions") {
			steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 5).Draw(rt, "steps")
			fail := rapid.IntRange(0, 4).Draw(rt, "outcome") == 0
			var next model
			err := db.Write(t.Context(), func(tx store.Tx) error {
				next = maps.Clone(m)
				for _, step := range steps {
					if err := next.apply(t, tx.Workspace(w.ID), step); err != nil {
						return fmt.Errorf("%+v: %w", step, err)
					}
				}
				next.compare(rt, tx.Workspace(w.ID)) // the transaction sees its own writes
				if fail {
					return errUndone
				}
				return nil
			})
			switch {
			case !fail && err == nil:
				m = next
			case !fail || !errors.Is(err, errUndone):
				rt.Fatalf("Write: %v", err)
			}
			if err := db.Read(t.Context(), func(tx store.Tx) error { m.compare(rt, tx.Workspace(w.ID)); return nil }); err != nil {
				rt.Fatalf("Read: %v", err)
			}
		}
	})
}

// The ids of the records; one is the beginning of another one.
var ids = []string{"a", "ab", "a\x01", "b"}

// step is one operation.
type step struct {
	do, id, text string
	n            int
}

func drawStep(t *rapid.T) step {
	return step{
		do: rapid.SampledFrom([]string{"add", "put", "put", "coalesce", "coalesce", "delete", "copy", "discard", "dismiss", "users", "forget",
			"products", "remove products", "template", "remove version", "remove template", "deliver", "trim", "test", "key", "free key"}).Draw(t, "do"),
		id:   rapid.SampledFrom(ids).Draw(t, "id"),
		text: rapid.StringMatching(`[a-c]{0,2}`).Draw(t, "text"),
		n:    rapid.IntRange(1, 3).Draw(t, "n"),
	}
}

// apply does an operation in the store and in the map.
func (m model) apply(t testing.TB, s store.WorkspaceTx, o step) error {
	body := fmt.Sprintf(`{"text":%q}`, o.text)
	put := func(r store.Record, kind string, parts ...any) error {
		m[key(kind, parts...)] = r
		return s.PutRecords([]store.Record{r})
	}
	remove := func(err error, kind string, parts ...any) error { // what is not there is refused
		switch n := m.drop(len(m), kind, parts...); {
		case n == 0 && errors.Is(err, store.ErrNotFound):
			return nil
		case n == 0 && err == nil:
			return errors.New("it was removed, and was not there")
		}
		return err
	}
	c, exists := m.campaign(o.id)
	switch o.do {
	case "add":
		if err := s.AddCampaign(campaign(t, o.id, body)); (err != nil) != exists {
			return fmt.Errorf("adding where there is one (%t): %w", exists, err)
		}
		if !exists {
			m.save(t, o.id, body, false)
		}
	case "put", "coalesce":
		want := m.save(t, o.id, body, o.do == "coalesce")
		n, err := save(s, o.id, body, t, o.do == "coalesce")
		if n != want {
			return fmt.Errorf("revision %d should be %d (%w)", n, want, err)
		}
		return err
	case "delete":
		return remove(s.DeleteCampaign(o.id), "campaign", o.id)
	case "copy", "dismiss", "discard":
		if !exists {
			return nil // these exist only for existing campaigns
		}
		defer func() { m[key("campaign", o.id)] = c }()
		switch {
		case o.do == "discard":
			c.WorkingCopy = nil
			return s.DeleteWorkingCopy(o.id)
		case o.do == "copy":
			c.WorkingCopy = &engine.WorkingCopy{Body: parse(t, body)}
			return s.PutWorkingCopy(o.id, *c.WorkingCopy)
		case o.text == "":
			c.Dismissals = nil
		default:
			c.Dismissals = []engine.Dismissal{{Warning: o.text}}
		}
		return s.PutDismissals(o.id, c.Dismissals)
	case "users":
		m[key("user", o.id)], m[key("user", "b")] = profile(o.id, o.text), profile("b", o.text)
		return s.PutProfiles(profile("b", "other"), profile(o.id, o.text), profile("b", o.text))
	case "forget":
		return remove(s.DeleteProfile(o.id), "user", o.id)
	case "products":
		return put(products(o.id, o.text), "products", o.id)
	case "template":
		return put(template(o.id, o.n, o.text), "template", o.id, o.n)
	case "remove products":
		return remove(s.DeleteContent(engine.ContentRef{Kind: engine.KindProducts, Name: o.id}), "products", o.id)
	case "remove version":
		return remove(s.DeleteContent(engine.ContentRef{Kind: engine.KindTemplate, Name: o.id, Version: o.n}), "template", o.id, o.n)
	case "remove template":
		return remove(s.DeleteContent(engine.ContentRef{Kind: engine.KindTemplate, Name: o.id}), "template", o.id)
	case "deliver":
		return put(engine.OutboxMessage{ID: o.id, Recipient: o.text}, "message", o.id)
	case "trim":
		n, err := s.TrimOutbox(o.n)
		if want := m.drop(o.n, "message"); n != want {
			return fmt.Errorf("%d messages were trimmed, want %d (%w)", n, want, err)
		}
		return err
	case "test": // the newest is the first
		return put(engine.TestRecord{At: noon.Add(time.Duration(o.n) * time.Hour), CampaignID: o.text}, "test", 9-o.n, 9999-len(of[engine.TestRecord](m.all())))
	case "key":
		return put(store.IdempotencyRecord{Operation: "create", Key: o.id, Result: []byte(o.text), ExpiresAt: noon}, "key", o.id)
	case "free key":
		m.drop(1, "key", o.id)
		return s.DeleteIdempotencyRecord("create", o.id)
	}
	return nil
}

func profile(id, mail string) engine.User {
	return engine.User{ID: id, Attributes: map[string]any{engine.AttrEmail: mail}, Devices: []engine.Device{{Platform: "IOS", Token: mail, AdvertiseID: "ad-" + id}, {Token: mail}}}
}

func products(name, title string) engine.ContentItem {
	return engine.ContentItem{Products: &engine.ProductSet{Name: name, Products: []map[string]any{{"title": title, "price": json.Number("80.50")}}}}
}

func template(id string, version int, name string) engine.ContentItem {
	return engine.ContentItem{Template: &engine.ContentTemplate{ID: id, Version: version, Name: name, Channel: "EMAIL", SavedAt: noon}}
}

// all returns the records in their order, and of those of a type.
func (m model) all() (out []store.Record) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}

func of[T any](list []store.Record) (out []T) {
	for _, r := range list {
		if v, ok := r.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

// text returns records as JSON, in which no list and an empty one are alike.
func text(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "[]", "null")
}

// list returns what a method iterates over.
func list[T any](walk func(func(T) error) error) (out []T, err error) {
	err = walk(func(v T) error { out = append(out, v); return nil })
	return out, err
}

// compare fails the check if the workspace has other records than the map, or in another order, or finds others by their ids
// or identifiers, or up to a limit.
func (m model) compare(t *rapid.T, s store.WorkspaceTx) {
	same := func(what string, have, want any, err error) {
		if have, want := text(t, have), text(t, want); err != nil || have != want {
			t.Fatalf("%s: %s, %v, want %s", what, have, err, want)
		}
	}
	want := m.all()
	same("the records", all(t, s), want, nil)
	var summaries []engine.Summary
	for _, c := range of[store.WholeCampaign](want) {
		summaries = append(summaries, c.Summary)
	}
	newest, err := list(s.NewestSummaries)
	slices.Reverse(newest)
	same("backwards", newest, summaries, err)
	some, err := list(func(fn func(engine.Summary) error) error { return s.SummariesByID(ids, fn) })
	slices.SortFunc(some, func(a, b engine.Summary) int { return strings.Compare(a.ID, b.ID) })
	same("by their ids", some, summaries, err)
	users := of[engine.User](want)
	byID, err := list(func(fn func(engine.User) error) error { return s.ProfilesByID(ids, fn) })
	slices.SortFunc(byID, func(a, b engine.User) int { return strings.Compare(a.ID, b.ID) })
	same("users by their ids", byID, users, err)
	after, err := list(func(fn func(engine.User) error) error { return s.Profiles("a\x01", fn) })
	same("users after one", after, slices.DeleteFunc(slices.Clone(users), func(p engine.User) bool { return p.ID <= "a\x01" }), err)
	messages := of[engine.OutboxMessage](want)
	slices.Reverse(messages)
	two, err := s.Outbox(2)
	same("the outbox", two, messages[:min(2, len(messages))], err)
	sent := of[engine.TestRecord](want)
	tests, err := list(func(fn func(engine.TestRecord) error) error { return s.TestSends(2, fn) })
	same("test sends", tests, sent[:min(2, len(sent))], err)
	for _, r := range want {
		switch r := r.(type) {
		case store.IdempotencyRecord:
			got, err := s.IdempotencyRecord(r.Operation, r.Key)
			same("key", got, r, err)
		case engine.ContentItem:
			ref := r.Ref()
			if ref.Version = 0; r.Template != nil && m[key("template", ref.Name, r.Template.Version+1)] == nil {
				got, err := s.ContentItem(ref)
				same("newest", got.Template.Version >= r.Template.Version, true, err)
			}
		}
	}
	for _, mail := range []string{"", "a", "B", "ab", "abc"} {
		var want []string
		for _, u := range users {
			if mail != "" && u.Attributes[engine.AttrEmail] == strings.ToLower(mail) {
				want = append(want, u.ID)
			}
		}
		found, err := s.FindProfiles(store.ByEmail, mail)
		same("by email", found, want, err)
		found, err = s.FindProfiles(store.ByToken, strings.ToLower(mail))
		same("by token", found, want, err)
	}
}

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

// model is the expected contents of a workspace as texts, under a name of each record.
type model map[string]string

// workspaceCount makes the workspace names of checks unique, because they share one store.
var workspaceCount atomic.Int64

var errUndone = errors.New("undone")

// testAgainstMap applies the same operations to a workspace and to a map. Some transactions fail at their end.
func testAgainstMap(t *testing.T, db store.DB) {
	rapid.Check(t, func(rt *rapid.T) {
		id := fmt.Sprintf("W%d", workspaceCount.Add(1))
		write(t, db, func(tx store.Tx) error { return tx.Workspace(id).PutSettings(engine.Workspace{ID: id}) })
		m := model{}
		for range rapid.IntRange(1, 8).Draw(rt, "transactions") {
			steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 5).Draw(rt, "steps")
			fail := rapid.IntRange(0, 4).Draw(rt, "outcome") == 0
			var next model
			err := db.Write(t.Context(), func(tx store.Tx) error {
				next = maps.Clone(m)
				for _, step := range steps {
					if err := next.apply(t, tx.Workspace(id), step); err != nil {
						return fmt.Errorf("%+v: %w", step, err)
					}
				}
				next.compare(rt, tx.Workspace(id)) // the transaction sees its own writes
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
			if err := db.Read(t.Context(), func(tx store.Tx) error { m.compare(rt, tx.Workspace(id)); return nil }); err != nil {
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
		do: rapid.SampledFrom([]string{"add", "put", "put", "coalesce", "coalesce", "delete", "copy", "discard", "dismiss", "user", "users", "forget",
			"products", "remove products", "template", "remove version", "remove template", "deliver", "trim", "test", "key", "free key", "request"}).Draw(t, "do"),
		id:   rapid.SampledFrom(ids).Draw(t, "id"),
		text: rapid.StringMatching(`[a-c]{0,2}`).Draw(t, "text"),
		n:    rapid.IntRange(1, 3).Draw(t, "n"),
	}
}

// key returns the name of a record in a model. The names sort like the kinds, ids and numbers that they are made of.
func key(parts ...any) string {
	name := ""
	for _, p := range parts {
		if text, ok := p.(string); ok {
			name += fmt.Sprintf("%q ", text)
		} else {
			name += fmt.Sprintf("%04d ", p)
		}
	}
	return name
}

// has reports whether there is a record, and drop removes all whose names begin with some parts.
func (m model) has(parts ...any) bool { _, ok := m[key(parts...)]; return ok }

func (m model) drop(parts ...any) {
	maps.DeleteFunc(m, func(k, _ string) bool { return strings.HasPrefix(k, key(parts...)) })
}

// apply does an operation in the store and in the map.
func (m model) apply(t testing.TB, s store.WorkspaceTx, o step) error {
	body := fmt.Sprintf(`{"text":%q}`, o.text)
	exists := func(there bool, err error) error { // a removal of what is not there fails with ErrNotFound
		if !there && errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if !there && err == nil {
			return errors.New("it was removed, and was not there")
		}
		return err
	}
	switch o.do {
	case "add":
		if err := s.AddCampaign(campaign(t, o.id, body)); (err != nil) != m.has("campaign", o.id) {
			return fmt.Errorf("adding where there is one (%t): %w", m.has("campaign", o.id), err)
		}
		if !m.has("campaign", o.id) {
			m.save(o.id, body, 1)
		}
	case "put", "coalesce":
		var last int64
		_, _ = fmt.Sscan(m[key("campaign", o.id)], &last)
		n, err := save(s, o.id, body, t, o.do == "coalesce")
		if n != last+1 {
			return fmt.Errorf("revision %d follows %d (%w)", n, last, err)
		}
		if o.do == "coalesce" && last > 1 {
			m.drop("revision", o.id, last)
		}
		m.save(o.id, body, n)
		return err
	case "delete":
		there := m.has("campaign", o.id)
		for _, kind := range []string{"campaign", "revision", "copy", "dismissed"} {
			m.drop(kind, o.id)
		}
		return exists(there, s.DeleteCampaign(o.id))
	case "copy", "dismiss":
		if !m.has("campaign", o.id) {
			return nil // these exist only for existing campaigns
		}
		if o.do == "dismiss" {
			if m.drop("dismissed", o.id); o.text == "" {
				return s.PutDismissals(o.id, nil)
			}
			m[key("dismissed", o.id)] = o.text
			return s.PutDismissals(o.id, []engine.Dismissal{{Warning: o.text}})
		}
		m[key("copy", o.id)] = body
		return s.PutWorkingCopy(o.id, engine.WorkingCopy{Body: parse(t, body)})
	case "discard":
		m.drop("copy", o.id)
		return s.DeleteWorkingCopy(o.id)
	case "user":
		m[key("user", o.id)] = o.text
		return s.PutProfile(profile(o.id, o.text))
	case "users":
		m[key("user", o.id)], m[key("user", "b")] = o.text, o.text
		return s.PutProfiles([]engine.User{profile("b", "other"), profile(o.id, o.text), profile("b", o.text)})
	case "forget":
		there := m.has("user", o.id)
		m.drop("user", o.id)
		return exists(there, s.DeleteProfile(o.id))
	case "products":
		m[key("product_set", o.id, 0)] = o.text
		return s.PutContent(products(o.id, o.text))
	case "template":
		m[key("template", o.id, o.n)] = o.text
		return s.PutContent(template(o.id, o.n, o.text))
	case "remove products":
		there := m.has("product_set", o.id, 0)
		m.drop("product_set", o.id)
		return exists(there, s.DeleteContent(engine.ContentRef{Kind: engine.KindProducts, Name: o.id}))
	case "remove version":
		there := m.has("template", o.id, o.n)
		m.drop("template", o.id, o.n)
		return exists(there, s.DeleteContent(engine.ContentRef{Kind: engine.KindTemplate, Name: o.id, Version: o.n}))
	case "remove template":
		there := m.has("template", o.id, 1) || m.has("template", o.id, 2) || m.has("template", o.id, 3)
		m.drop("template", o.id)
		return exists(there, s.DeleteContent(engine.ContentRef{Kind: engine.KindTemplate, Name: o.id}))
	case "deliver":
		m[key("message", o.id)] = o.text
		return s.PutOutbox(engine.OutboxMessage{ID: o.id, Recipient: o.text})
	case "trim":
		messages := slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(k string) bool { return !strings.HasPrefix(k, key("message")) })
		n, err := s.TrimOutbox(o.n)
		if want := min(o.n, len(messages)); n != want {
			return fmt.Errorf("%d messages were trimmed, want %d (%w)", n, want, err)
		}
		for _, k := range messages[:n] {
			delete(m, k)
		}
		return err
	case "test":
		lines := append([]string{fmt.Sprintln(o.n, o.text)}, slices.Collect(strings.Lines(m[key("tests")]))...) // the newest first
		slices.SortStableFunc(lines, func(a, b string) int { return int(b[0]) - int(a[0]) })
		m[key("tests")] = strings.Join(lines, "")
		return s.PutTestSend(engine.TestRecord{At: noon.Add(time.Duration(o.n) * time.Hour), CampaignID: o.text})
	case "key":
		m[key("key", o.id)] = o.text
		return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: o.id, Result: []byte(o.text), ExpiresAt: noon})
	case "free key":
		m.drop("key", o.id)
		return s.DeleteIdempotencyRecord("create", o.id)
	case "request":
		m[key("request", o.id)] = fmt.Sprint(o.n)
		return s.PutRequestID("create", o.id, noon.Add(time.Duration(o.n)))
	}
	return nil
}

func (m model) save(id, body string, n int64) {
	m[key("campaign", id)] = fmt.Sprint(n, " ", body)
	m[key("revision", id, n)] = body
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

// compare fails the check if the workspace has other records than the map, or in another order.
func (m model) compare(t *rapid.T, s store.WorkspaceTx) {
	var failed []error
	got := map[string][]string{} // by kind
	note := func(value string, kind string, parts ...any) {
		got[kind] = append(got[kind], key(append([]any{kind}, parts...)...)+value)
	}
	noteIf := func(err error, value, kind, id string) {
		if err == nil {
			note(value, kind, id)
		} else if !errors.Is(err, store.ErrNotFound) {
			failed = append(failed, err)
		}
	}
	var campaigns, newest, users []string
	tests := ""
	failed = append(failed,
		s.Summaries(func(sum engine.Summary) error {
			campaigns = append(campaigns, sum.ID)
			c, err1 := s.Campaign(sum.ID)
			one, err2 := s.Summary(sum.ID)
			body := string(c.Body.Encode())
			note(fmt.Sprint(c.Revision, " ", body), "campaign", sum.ID)
			if sum.Name != body || sum.Revision != c.Revision || !equal(sum, one) {
				t.Errorf("summary %+v of %s at %d", sum, body, c.Revision)
			}
			revs, err3 := s.Revisions(sum.ID)
			for _, r := range slices.Backward(revs) {
				old, err := s.Revision(sum.ID, r.N)
				note(r.Note, "revision", sum.ID, r.N)
				if string(old.Body.Encode()) != r.Note || old.Revision != r.N || r.Size != len(r.Note) {
					t.Errorf("revision %+v is %s, %d, %v", r, old.Body.Encode(), old.Revision, err)
				}
			}
			return errors.Join(err1, err2, err3)
		}),
		s.NewestSummaries(func(sum engine.Summary) error { newest = append(newest, sum.ID); return nil }),
		s.Profiles("", func(p engine.User) error {
			users = append(users, p.ID)
			note(p.Attributes[engine.AttrEmail].(string), "user", p.ID)
			return nil
		}),
		s.Content(engine.KindProducts, func(i engine.ContentItem) error {
			note(i.Products.Products[0]["title"].(string), "product_set", i.Products.Name, 0)
			return nil
		}),
		s.Content(engine.KindTemplate, func(i engine.ContentItem) error {
			note(i.Template.Name, "template", i.Template.ID, i.Template.Version)
			return nil
		}),
		s.TestSends(0, func(r engine.TestRecord) error {
			tests += fmt.Sprintln(r.At.Sub(noon).Hours(), r.CampaignID)
			return nil
		}))
	if tests != "" {
		note(tests, "tests")
	}
	messages, err := s.Outbox(0)
	failed = append(failed, err)
	for _, d := range slices.Backward(messages) {
		note(d.Recipient, "message", d.ID)
	}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		w, err := s.WorkingCopy(id)
		noteIf(err, string(w.Body.Encode()), "copy", id)
		i, err := s.IdempotencyRecord("create", id)
		noteIf(err, string(i.Result), "key", id)
		until, err := s.RequestID("create", id)
		noteIf(err, fmt.Sprint(until.Sub(noon).Nanoseconds()), "request", id)
		dismissed, err := s.Dismissals(id)
		for _, d := range dismissed {
			note(d.Warning, "dismissed", id)
		}
		latest, found := s.ContentItem(engine.ContentRef{Kind: engine.KindTemplate, Name: id})
		if found == nil && (!m.has("template", id, latest.Template.Version) || m.has("template", id, latest.Template.Version+1)) {
			t.Errorf("the newest version of %q is %d", id, latest.Template.Version)
		}
		failed = append(failed, err)
	}
	if slices.Reverse(newest); !slices.Equal(newest, campaigns) {
		t.Errorf("backwards the campaigns are %q, and forwards %q", newest, campaigns)
	}
	failed = append(failed, m.compareSome(t, s, campaigns, users))
	var have, want []string
	for _, kind := range slices.Sorted(maps.Keys(got)) {
		have = append(have, strings.Join(got[kind], ""))
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		want = append(want, k+m[k])
	}
	if err := errors.Join(failed...); err != nil || strings.Join(have, "") != strings.Join(want, "") {
		t.Fatalf("the store holds %q (%v), want %q", have, err, want)
	}
}

// compareSome compares what is found by ids, by identifiers, and up to a limit.
func (m model) compareSome(t *rapid.T, s store.WorkspaceTx, campaigns, users []string) error {
	var byID, after, some, tests []string
	two, err := s.Outbox(2)
	all, err2 := s.Outbox(0)
	failed := []error{
		err, err2,
		s.SummariesByID(ids, func(sum engine.Summary) error { some = append(some, sum.ID); return nil }),
		s.ProfilesByID(ids, func(p engine.User) error { byID = append(byID, p.ID); return nil }),
		s.Profiles("a\x01", func(p engine.User) error { after = append(after, p.ID); return nil }),
		s.TestSends(2, func(r engine.TestRecord) error {
			tests = append(tests, fmt.Sprintln(r.At.Sub(noon).Hours(), r.CampaignID))
			return store.Stop
		}),
	}
	slices.Sort(byID)
	slices.Sort(some)
	rest := slices.DeleteFunc(slices.Clone(users), func(id string) bool { return id <= "a\x01" })
	if !slices.Equal(byID, users) || !slices.Equal(some, campaigns) || !slices.Equal(after, rest) || !equal(two, all[:min(2, len(all))]) ||
		len(tests) != min(1, len(m[key("tests")])) || len(tests) > 0 && !strings.HasPrefix(m[key("tests")], tests[0]) {
		t.Errorf("by their ids: %q of %q, %q of %q; after \"a\\x01\": %q; messages: %+v; tests: %q", byID, users, some, campaigns, after, two, tests)
	}
	for _, mail := range []string{"", "a", "B", "ab", "abc"} {
		want := slices.DeleteFunc(slices.Clone(users), func(id string) bool { return mail == "" || m[key("user", id)] != strings.ToLower(mail) })
		got, err1 := s.FindProfiles(store.ByEmail, mail)
		tokens, err2 := s.FindProfiles(store.ByToken, strings.ToLower(mail))
		if len(got)+len(tokens) != 2*len(want) || !slices.Equal(append(got, tokens...), append(want, want...)) {
			t.Errorf("%q finds %q, and as a token %q, want %q", mail, got, tokens, want)
		}
		failed = append(failed, err1, err2)
	}
	return errors.Join(failed...)
}

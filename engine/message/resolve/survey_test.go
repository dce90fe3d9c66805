package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/resolve"
)

const pushMessage = `{"segmentation_details": {"is_all_user_campaign": true}, "campaign_content": {
	"variation_details": {"distribution_type": "MANUAL", "no_of_variations": 2, "manual_distribution_percentage": {"variation_1": 100, "variation_2": 0}},
	"content": {"default": {
	"variation_1": {"push": {
		"android": {"basic_details": {"title": "Hi {{UserAttribute['First Name']}}", "message": "<b>{{UserAttribute['City']|default('you')}}</b>, {{ContentBlock['footer']}}"}},
		"ios": {"basic_details": {"title": "Hello", "message": "{{UserAttribute['City']}}"}}}},
	"variation_2": {"push": {
		"android": {"basic_details": {"title": "Hi {{UserAttribute['First Name']|default('you')}}!", "message": "x"}},
		"ios": {"basic_details": {"title": "Hello", "message": "y"}}}}}}}}`

// scanned counts by resolving every message for every user, one after the other.
func scanned(t *rapid.T, c *resolve.Campaign, users []engine.User) (unreachable, lacking int, gaps map[string][]string, longest map[string]int) {
	gaps, longest = map[string][]string{}, map[string]int{}
	for _, u := range users {
		var keys []engine.TestKey
		for _, key := range c.Written() {
			if slices.ContainsFunc(u.Devices, func(d engine.Device) bool { return d.Platform == key.Platform }) {
				keys = append(keys, key)
			}
		}
		if len(keys) == 0 {
			unreachable++
			continue
		}
		r, err := c.Resolve(context.Background(), resolve.ViewerOf(u), keys...)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Missing) > 0 {
			lacking++
		}
		for _, m := range r.Missing {
			if name := m.Expression + m.Block; !slices.Contains(gaps[name], u.ID) {
				gaps[name] = append(gaps[name], u.ID)
			}
		}
		for _, key := range keys {
			for _, what := range []string{"title", "message"} {
				text := r.Content(key).Get("basic_details").Get(what).Text()
				text = strings.NewReplacer("<b>", "", "</b>", "").Replace(text)
				if !strings.Contains(text, "{{") {
					longest[key.Platform+what] = max(longest[key.Platform+what], len([]rune(text)))
				}
			}
		}
	}
	return unreachable, lacking, gaps, longest
}

func TestSurveyIsWhatAScanFinds(t *testing.T) {
	s := newService(t)
	for _, id := range []string{"USER_1", "USER_2"} {
		if err := s.DeleteUser(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var users []engine.User
		for i := range rapid.IntRange(0, 100).Draw(t, "users") {
			u := engine.User{ID: fmt.Sprintf("U%04d", i), Attributes: map[string]any{}}
			if rapid.Bool().Draw(t, "city") {
				u.Attributes["City"] = rapid.StringMatching(`[A-Za-zäß]{1,12}`).Draw(t, "city")
			}
			if rapid.Bool().Draw(t, "name") {
				u.Attributes["First Name"] = rapid.StringMatching(`[A-Z][a-z]{1,70}`).Draw(t, "name")
			}
			for _, p := range []string{"ANDROID", "IOS"} {
				if rapid.Bool().Draw(t, p) {
					u.Devices = append(u.Devices, engine.Device{Platform: p, Token: u.ID + p})
				}
			}
			users = append(users, u)
		}
		c := prepare(newTB(t), s, catalog.Push, pushMessage)
		got, err := c.Survey(context.Background(), audience(users), resolve.SurveyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		unreachable, lacking, gaps, longest := scanned(t, c, users)
		if got.Audience != len(users) || got.Unreachable != unreachable || got.Lacking != lacking || len(got.Expressions) != len(gaps) {
			t.Fatalf("survey %+v, scan %d %d %v", got, unreachable, lacking, gaps)
		}
		for _, g := range got.Expressions {
			want := gaps[g.Expression+g.Block]
			if g.Users != len(want) || !slices.Equal(g.Examples, want[:min(len(want), resolve.MostExamples)]) {
				t.Errorf("%s: %d, %q; want %q", g.Expression, g.Users, g.Examples, want)
			}
		}
		for _, l := range got.Longest {
			if want := longest[l.Platform+strings.ToLower(l.What)]; l.Characters != want {
				t.Errorf("the longest %s on %s is %q with %d characters, want %d", l.What, l.Platform, l.Text, l.Characters, want)
			}
		}
	})
}

// newTB lets helpers of tests be used in a property.
func newTB(t *rapid.T) testing.TB { return tb{t: t} }

type tb struct {
	testing.TB
	t *rapid.T
}

func (b tb) Helper()                  {}
func (b tb) Context() context.Context { return context.Background() }
func (b tb) Fatal(args ...any)        { b.t.Fatal(args...) }

// audience is a reader of fixed users.
func audience(users []engine.User) engine.AudienceReader { return fixed{users: users} }

type fixed struct {
	engine.AudienceReader
	users []engine.User
	each  func() // before each user
}

func (f fixed) StreamAudience(ctx context.Context, r engine.AudienceRequest) iter.Seq2[engine.User, error] {
	return func(yield func(engine.User, error) bool) {
		for _, u := range f.users {
			if f.each != nil {
				f.each()
			}
			if err := ctx.Err(); err != nil {
				yield(engine.User{}, err)
				return
			}
			if u.ID > r.After && !yield(u, nil) {
				return
			}
		}
	}
}

func TestSurveyOfAWorkspace(t *testing.T) {
	s := newService(t)
	for i := range 1500 { // several pages of a stream
		u := engine.User{ID: fmt.Sprintf("X%04d", i), Attributes: map[string]any{"City": "Oslo", "First Name": "Max"}, Devices: []engine.Device{{Platform: "ANDROID", Token: fmt.Sprint(i)}}}
		if i%3 == 0 {
			delete(u.Attributes, "First Name")
		}
		if i == 700 {
			u.Attributes["First Name"] = strings.Repeat("é", 80)
		}
		if err := s.PutUser(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	c := prepare(t, s, catalog.Push, pushMessage)
	told := 0
	got, err := c.Survey(t.Context(), s, resolve.SurveyOptions{Progress: func(users, _ int) { told = users }})
	if err != nil {
		t.Fatal(err)
	}
	if got.Users != 1502 || told != 1502 || got.Audience != 1502 || got.Unreachable != 2 || got.Lacking != 500 {
		t.Errorf("%+v, told of %d", got, told)
	}
	if g := got.Expressions[0]; g.Users != 500 || fmt.Sprint(g.Examples) != "[X0000 X0003 X0006 X0009 X0012]" || len(g.Messages) != 1 {
		t.Errorf("%+v", g)
	}
	if l := got.Longest[0]; l.User != "X0700" || l.Characters != 84 || l.Cuts[0].Users != 1 {
		t.Errorf("%+v", l)
	}
	platforms, variations := got.Unused()
	if fmt.Sprint(platforms, variations) != "[IOS] [variation_2]" {
		t.Errorf("unused are %v %v", platforms, variations)
	}
}

func TestSurveyIsCanceledInTheMiddle(t *testing.T) {
	s := newService(t)
	c := prepare(t, s, catalog.Push, pushMessage)
	users := make([]engine.User, 5000)
	for i := range users {
		users[i] = engine.User{ID: fmt.Sprintf("U%04d", i), Devices: []engine.Device{{Platform: "IOS", Token: "x"}}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	got, err := c.Survey(ctx, fixed{users: users, each: func() {
		if seen++; seen == 2000 {
			cancel()
		}
	}}, resolve.SurveyOptions{})
	if !errors.Is(err, context.Canceled) || got.Audience >= 2000 {
		t.Errorf("%v after %d users", err, got.Audience)
	}
	failing := errors.New("the disk is gone")
	if _, err := c.Survey(t.Context(), failed{err: failing}, resolve.SurveyOptions{}); !errors.Is(err, failing) {
		t.Errorf("a failing audience: %v", err)
	}
}

type failed struct {
	engine.AudienceReader
	err error
}

func (f failed) StreamAudience(context.Context, engine.AudienceRequest) iter.Seq2[engine.User, error] {
	return func(yield func(engine.User, error) bool) { yield(engine.User{}, f.err) }
}

func TestCursor(t *testing.T) {
	s := newService(t)
	for i := range 6 {
		u := engine.User{ID: fmt.Sprintf("V%d", i)}
		if err := s.PutUser(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	c := prepare(t, s, catalog.Push, pushMessage)
	all := func(move func(context.Context) (engine.User, bool, error)) (out []string) {
		t.Helper()
		for {
			u, ok, err := move(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return out
			}
			out = append(out, u.ID)
		}
	}
	cur := c.Cursor(s)
	ids := all(cur.Next)
	if got := strings.Join(ids, " "); got != "USER_1 USER_2 V0 V1 V2 V3 V4 V5" {
		t.Errorf("the order is %s", got)
	}
	back := all(cur.Previous)
	slices.Reverse(back)
	if fmt.Sprint(back) != fmt.Sprint(ids[:len(ids)-1]) {
		t.Errorf("back come %v", back)
	}
	fresh := c.Cursor(s) // which has visited nobody
	fresh.Seek(ids[len(ids)-1])
	back = all(fresh.Previous)
	slices.Reverse(back)
	if fmt.Sprint(back) != fmt.Sprint(ids[:len(ids)-1]) {
		t.Errorf("from the end come %v", back)
	}
	drawn := map[string]bool{}
	for range len(ids) {
		u, ok, err := fresh.Random(t.Context())
		if err != nil || !ok || fresh.At() != u.ID {
			t.Fatalf("%v %v, at %s", ok, err, fresh.At())
		}
		drawn[u.ID] = true
	}
	if len(drawn) != len(ids) {
		t.Errorf("at random come %v", drawn)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	at := fresh.At()
	if _, _, err := fresh.Next(canceled); !errors.Is(err, context.Canceled) || fresh.At() != at {
		t.Errorf("canceled it says %v and is at %s, not %s", err, fresh.At(), at)
	}
}

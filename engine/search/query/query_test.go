package query_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"bugle/engine/search/query"
)

var now = time.Date(2026, 6, 17, 15, 0, 0, 0, time.FixedZone("", 2*3600)) // a Wednesday

var env = query.Env{Now: now, Values: func(k query.Key) []query.ValueCount {
	switch k {
	case query.Status:
		return []query.ValueCount{{Text: "draft", Count: 12}, {Text: "active", Count: 3}}
	case query.Tag:
		return []query.ValueCount{{Text: "sale", Count: 40}, {Text: "big sale", Count: 9}, {Text: "test", Count: 2}, {Text: "saas", Count: 5}}
	case query.By:
		return []query.ValueCount{{Text: "ann.lee@example.com", Count: 7}, {Text: "bob@example.com", Count: 1}}
	}
	return nil
}}

// fragments are pieces of text that queries are put together from, right and wrong ones.
var fragments = []string{
	"summer", "sale", " ", " ", " ", "status:", "draft", "drft", ",", "active", "-", "!", `"`, `\`, "tag:", "big sale", "by:", "ann", "updated:", "<7d", ">=", "2026-01-31",
	"2026-02-31", "..", "this month", "channel:push", "type:one", "version:2", "id:65f0", "is:archived", "sort:-updated", "sort:size", "staus:x", "12:30", ":", "é", "\t", "\x00", "\xff",
}

func text() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOf(rapid.SampledFrom(fragments)).Draw(t, "fragments"), "")
	})
}

func TestStringReadsBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, _ := query.Parse(text().Draw(t, "text"), env)
		again, _ := query.Parse(q.String(), env)
		if !reflect.DeepEqual(q, again) {
			t.Fatalf("%q reads back as\n%#v, not\n%#v", q, again, q)
		}
	})
}

func TestProblemsPointIntoTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := text().Draw(t, "text")
		_, problems := query.Parse(s, env)
		for _, p := range problems {
			if p.From < 0 || p.From > p.To || p.To > len(s) || p.Message == "" {
				t.Fatalf("%q: %#v", s, p)
			}
		}
		for at := range len(s) + 1 {
			for _, c := range query.Complete(s, at, env) {
				if c.From < 0 || c.From > at || c.To < at || c.To > len(s) {
					t.Fatalf("%q at %d: %#v", s, at, c)
				}
			}
		}
	})
}

func TestEditing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, _ := query.Parse(text().Draw(t, "text"), env)
		before := q.String()
		value := rapid.SampledFrom([]string{"sale", "big sale", `a "quoted" one`, "x,y"}).Draw(t, "value")
		with := q.With(query.Tag, value)
		if !with.Has(query.Tag, value) {
			t.Fatalf("%q does not have %q", with, value)
		}
		read, _ := query.Parse(with.String(), env)
		if !read.Has(query.Tag, value) {
			t.Fatalf("%q read back does not have %q", with, value)
		}
		if without := with.Without(query.Tag, value); without.Has(query.Tag, value) {
			t.Fatalf("%q still has %q", without, value)
		}
		if q.String() != before {
			t.Fatalf("%q became %q", before, q)
		}
	})
}

func TestToggle(t *testing.T) {
	for _, c := range []struct {
		text  string
		key   query.Key
		value string
		want  string
	}{
		{"", query.Status, "draft", "status:draft"},
		{"sale", query.Status, "draft", "sale status:draft"},
		{"status:draft sale", query.Status, "active", "status:draft,active sale"},
		{"status:draft,active sale", query.Status, "draft", "status:active sale"},
		{"status:draft sale", query.Status, "draft", "sale"},
		{"-status:draft", query.Status, "draft", "status:draft"},
		{"-tag:test,sale", query.Tag, "test", "-tag:sale tag:test"},
		{"is:archived", query.Status, "archived", ""},
		{"", query.Tag, "big sale", `tag:"big sale"`},
		{"sort:name", query.Sort, "-updated", "sort:-updated"},
		{"status:drft", query.Status, "draft", "status:drft,draft"},
	} {
		q, _ := query.Parse(c.text, env)
		if got := q.Toggle(c.key, c.value).String(); got != c.want {
			t.Errorf("%q toggled %s:%s is %q, not %q", c.text, c.key, c.value, got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, at, nearest, message string }{
		{"staus:draft", "staus", "status", "Unknown filter"},
		{"status:draft,actve x", "actve", "active", "no state"},
		{"sort:nmae", "nmae", "name", "no order"},
		{"tag:salle", "salle", "sale", "No campaign has the tag"},
		{"updated:yesterdy", "yesterdy", "yesterday", "not a date"},
		{"updated:2026-02-30", "2026-02-30", "", "not a date"},
		{"version:two", "two", "", "whole number"},
	} {
		_, problems := query.Parse(c.text, env)
		if len(problems) != 1 {
			t.Errorf("%q has the problems %v", c.text, problems)
			continue
		}
		p := problems[0]
		if at := c.text[p.From:p.To]; at != c.at || p.Nearest != c.nearest || !strings.Contains(p.Message, c.message) {
			t.Errorf("%q: %q at %q, nearest %q", c.text, p.Message, at, p.Nearest)
		}
	}
	for _, fine := range []string{"", "12:30 sale", `"re:engage"`, "status:", "tag:sa", "by:ann", "type:one", "channel:Email", "status:DRAFT", `updated:"this month"`, "-", "state:draft", "tag:"} {
		if _, problems := query.Parse(fine, env); len(problems) > 0 {
			t.Errorf("%q has the problems %v", fine, problems)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		text string // the cursor is at the bar
		want string // the first completions, applied
	}{
		{"|", "status:|channel:|type:|tag:"},
		{"st|", "status:|start:"},
		{"dra|", "status:draft"},
		{"sale -ta|", "sale -tag:"},
		{"crea|", "by:|created:"},
		{"status:|", "status:draft|status:scheduled"},
		{"status:s| sale", "status:scheduled sale|status:sending sale|status:sent sale|status:stopped sale"},
		{"status:draft,a|", "status:draft,active|status:draft,archived"},
		{"status:draft,dr|", ""},
		{"tag:sa|", `tag:sale|tag:saas|tag:"big sale"`},
		{`tag:"big|`, `tag:"big sale"`},
		{"by:lee|", "by:ann.lee@example.com"},
		{"updated:|", "updated:today|updated:yesterday|updated:<7d"},
		{"updated:7|", "updated:7d|updated:7w"},
		{"updated:<2|", "updated:<2d|updated:<2w"},
		{"created:this|", "created:this-week|created:this-month"},
		{"start:|", "start:today|start:tomorrow|start:+7d"},
		{"sort:-na|", "sort:-name"},
		{"type:trig|", "type:event-triggered|type:business-event-triggered"},
		{`"big|`, ""},
	} {
		text, rest, _ := strings.Cut(c.text, "|")
		got := []string{}
		for _, o := range query.Complete(text+rest, len(text), env) {
			got = append(got, (text + rest)[:o.From]+o.Text+(text + rest)[o.To:])
		}
		want := strings.Split(c.want, "|")
		if c.want == "" {
			want = nil
		}
		if len(got) < len(want) || len(want) == 0 && len(got) > 0 || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q offers %q, not %q", c.text, got, want)
		}
	}
	if c := query.Complete("status:dr", 9, env)[0]; c.Count != 12 || c.Label != "Draft" {
		t.Errorf("draft is offered as %+v", c)
	}
}

func TestExplain(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "All campaigns except archived",
		"is:all":                        "Campaigns, the archived too",
		"is:archived":                   "All archived campaigns",
		"is:archived tag:sale":          "Archived campaigns, tagged sale",
		"is:archived status:draft":      "Draft archived campaigns",
		"status:draft,active tag:sale":  "Draft or Active campaigns, tagged sale",
		"summer -test updated:<7d":      "Campaigns except archived, in the last 7 days, with “summer”, without “test”",
		`"summer sale" sort:-updated`:   "Campaigns except archived, with exactly “summer sale”, by last change, descending",
		"-channel:push created:2026-01": "Campaigns except archived, not on Push, created in 2026-01",
	} {
		q, _ := query.Parse(text, env)
		want = strings.Replace(want, ", in the last", ", changed in the last", 1)
		if got := q.Explain(); got != want {
			t.Errorf("%q is explained as %q, not %q", text, got, want)
		}
	}
}

func TestRange(t *testing.T) {
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, now.Location()) }
	var none time.Time
	for text, want := range map[string][2]time.Time{
		"<7d": {now.AddDate(0, 0, -7), none}, "7d": {now.AddDate(0, 0, -7), none}, ">30d": {none, now.AddDate(0, 0, -30)},
		"12h": {now.Add(-12 * time.Hour), none}, "+2w": {now, now.AddDate(0, 0, 14)},
		"today": {day(2026, 6, 17), day(2026, 6, 18)}, "<today": {none, day(2026, 6, 17)}, "last-week": {day(2026, 6, 8), day(2026, 6, 15)},
		"this month": {day(2026, 6, 1), day(2026, 7, 1)}, ">2026-01-01": {day(2026, 1, 2), none}, ">=2026-01-01": {day(2026, 1, 1), none},
		"<=2026-01": {none, day(2026, 2, 1)}, "2026": {day(2026, 1, 1), day(2027, 1, 1)}, "2026-01-30..2026-02": {day(2026, 1, 30), day(2026, 3, 1)},
	} {
		from, to, ok := query.Range(text, now)
		if !ok || !from.Equal(want[0]) || !to.Equal(want[1]) {
			t.Errorf("%s is %s to %s", text, from, to)
		}
	}
}

// Whatever is typed: it reads back from how it is written, problems and completions point into the text, what
// a completion at its end makes of it is read with no more problems, what is asked for is there and what is taken back
// is gone.
func FuzzParse(f *testing.F) {
	f.Add(`summer "black friday" status:draft,active -tag:"big sale" by:ann updated:<7d sort:-updated`, 3, "big sale")
	for _, s := range fragments {
		f.Add("tag:a "+s+"x", 2, s)
		f.Add(s, len(s), s)
	}
	f.Fuzz(func(t *testing.T, s string, cursor int, value string) {
		q, problems := query.Parse(s, env)
		for _, p := range problems {
			if p.From < 0 || p.From > p.To || p.To > len(s) || p.Message == "" {
				t.Fatalf("%q: %#v", s, p)
			}
		}
		again, left := query.Parse(q.String(), env)
		if !reflect.DeepEqual(q, again) || len(left) != len(problems) {
			t.Fatalf("%q reads back as %#v, not %#v, with %v instead of %v", q, again, q, left, problems)
		}
		_ = q.Explain()
		for _, c := range query.Complete(s, cursor, env) {
			if c.From < 0 || c.From > c.To || c.To > len(s) {
				t.Fatalf("%q at %d: %#v", s, cursor, c)
			}
			if _, more := query.Parse(s[:c.From]+c.Text+s[c.To:], env); cursor == len(s) && len(more) > len(problems) {
				t.Fatalf("%q at %d: %q makes it %q, with %v", s, cursor, c.Text, s[:c.From]+c.Text+s[c.To:], more)
			}
		}
		if value == "" || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
			return
		}
		with, _ := query.Parse(q.With(query.Tag, value).String(), env)
		if !with.Has(query.Tag, value) || with.Without(query.Tag, value).Has(query.Tag, value) {
			t.Fatalf("%q with the tag %q is %q, and without it %q", s, value, with, with.Without(query.Tag, value))
		}
	})
}

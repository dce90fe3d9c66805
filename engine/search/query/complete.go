package query

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Completion is a possible completion of a query.
type Completion struct {
	Text string // replaces the text between From and To
	// From and To are byte offsets in the query's text.
	From, To int
	Label    string // display name: "Draft", "in the last 7 days"
	Count    int    // number of campaigns with the value; -1 if unknown
}

// maxCompletions is the most completions shown at once.
const maxCompletions = 12

// Complete returns completions at the cursor, a byte offset in the text: keywords, and then their values,
// best first.
func Complete(text string, cursor int, env Env) []Completion {
	cursor = min(max(cursor, 0), len(text))
	tok, at := under(text, cursor)
	if cursor < tok.keyFrom {
		return nil // before a sign of negation
	}
	if !tok.keyed {
		if tok.parts[0].quoted {
			return nil
		}
		return completeWord(tok.parts[0], cursor, tok.not, env)
	}
	w := findKeyword(Key(tok.key))
	if w == nil || cursor < tok.keyFrom+len(tok.key)+1 {
		p := valueToken{text: text[tok.keyFrom:cursor], from: tok.keyFrom, to: tok.keyFrom + len(tok.key) + 1}
		return completeKeys(p, p.text)
	}
	p := tok.parts[at]
	taken := map[string]bool{}
	for i, other := range tok.parts {
		if i != at {
			taken[Fold(other.text)] = true
		}
	}
	typed := p.text
	if !p.quoted {
		typed = text[p.from:cursor]
	}
	out := w.complete(typed, env)
	out = slices.DeleteFunc(out, func(c Completion) bool { return taken[Fold(c.Text)] })
	for i := range out {
		out[i].From, out[i].To = p.from, p.to
		if needsQuotes(out[i].Text, false) {
			out[i].Text = quote(out[i].Text)
		}
	}
	return out[:min(len(out), maxCompletions)]
}

// under returns the token at the cursor, and which of its parts it is in. Where there is none it is
// an empty word.
func under(text string, cursor int) (token, int) {
	empty := token{from: cursor, to: cursor, keyFrom: cursor, parts: []valueToken{{from: cursor, to: cursor}}}
	for _, tok := range scan(text) {
		if cursor < tok.from || cursor > tok.to {
			continue
		}
		for i, p := range tok.parts {
			if cursor >= p.from && cursor <= p.to {
				return tok, i
			}
		}
		if !tok.keyed {
			return empty, 0
		}
		if cursor <= tok.keyFrom+len(tok.key) {
			return tok, 0
		}
		// Behind the colon or a comma there is a value still to come.
		at := slices.IndexFunc(tok.parts, func(p valueToken) bool { return p.from > cursor })
		if at < 0 {
			at = len(tok.parts)
		}
		tok.parts = slices.Insert(tok.parts, at, valueToken{from: cursor, to: cursor})
		return tok, at
	}
	return empty, 0
}

// completeWord returns keywords, and values of options, that start with the typed text.
func completeWord(p valueToken, cursor int, not bool, env Env) []Completion {
	typed := p.text[:min(len(p.text), cursor-p.from)]
	out := completeKeys(p, typed)
	if typed == "" {
		return out
	}
	for i := range keywords {
		w := &keywords[i]
		if w.kind != ofList || w.key == Sort || not && w.key == Is {
			continue
		}
		for _, c := range w.complete(typed, env) {
			out = append(out, Completion{string(w.key) + ":" + c.Text, p.from, p.to, c.Label, c.Count})
		}
	}
	return out[:min(len(out), maxCompletions)]
}

func completeKeys(p valueToken, typed string) []Completion {
	var out []Completion
	for _, w := range keywords {
		begins := func(name string) bool { return strings.HasPrefix(name, Fold(typed)) }
		if begins(string(w.key)) || typed != "" && slices.ContainsFunc(w.aliases, begins) {
			out = append(out, Completion{string(w.key) + ":", p.from, p.to, w.help, -1})
		}
	}
	return out
}

// complete returns the values of the query word that begin with what was typed, then those with a
// word that does.
func (w *keyword) complete(typed string, env Env) []Completion {
	switch w.kind {
	case ofList:
		return w.completeList(typed, env)
	case ofRows:
		return completeRows(env.values(w.key), typed)
	case ofTime:
		return completeTimes(typed, w.key == Start, env.Now)
	case ofCount:
		return completeRows(env.values(w.key), typed)
	}
	return nil
}

func (w *keyword) completeList(typed string, env Env) []Completion {
	var counts map[string]int
	if values := env.values(w.key); values != nil {
		counts = map[string]int{}
		for _, k := range values {
			counts[k.Text] = k.Count
		}
	}
	var out []Completion
	for _, o := range w.options {
		want := slug(typed)
		if !strings.HasPrefix(o.text, want) && WordStart(slug(o.label), want) < 0 {
			continue
		}
		if w.key == Sort && strings.HasPrefix(o.text, "-") != strings.HasPrefix(want, "-") {
			continue // users type the sign for descending order
		}
		c := Completion{Text: o.text, Label: o.label, Count: -1}
		if counts != nil && w.key != Is && w.key != Sort {
			c.Count = counts[o.text]
		}
		out = append(out, c)
	}
	return out
}

// completeRows returns the matching values by frequency: those that start with the typed text before those
// with a word that does.
func completeRows(values []ValueCount, typed string) []Completion {
	type ranked struct {
		ValueCount
		rank int
	}
	want := Fold(typed)
	var found []ranked
	for _, k := range values {
		f := Fold(k.Text)
		switch {
		case k.Text == "":
		case strings.HasPrefix(f, want):
			found = append(found, ranked{k, 0})
		case WordStart(f, want) >= 0:
			found = append(found, ranked{k, 1})
		case strings.Contains(f, want):
			found = append(found, ranked{k, 2})
		}
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	out := make([]Completion, 0, min(len(found), maxCompletions))
	for _, r := range found[:min(len(found), maxCompletions)] {
		out = append(out, Completion{Text: r.Text, Label: r.Text, Count: r.Count})
	}
	return out
}

var (
	pastTimes   = []string{"today", "yesterday", "<7d", "<2w", "<30d", "this-week", "last-week", "this-month", "last-month", "this-year", ">30d", ">1y"}
	futureTimes = []string{"today", "tomorrow", "+7d", "+2w", "this-week", "next-week", "this-month", "next-month", "yesterday", "<7d"}
)

// completeTimes returns times that start with the typed text; for a number, its units.
func completeTimes(typed string, ahead bool, now time.Time) []Completion {
	times := pastTimes
	if ahead {
		times = futureTimes
	}
	op := typed[:len(typed)-len(strings.TrimLeft(typed, "<>=+"))]
	rest := slug(typed[len(op):])
	if rest != "" && len(rest) <= 3 && strings.Trim(rest, "0123456789") == "" {
		times = nil
		for _, unit := range []string{"d", "w", "m", "y", "h"} {
			times = append(times, op+rest+unit)
		}
	} else if strings.ContainsAny(op, "<>") {
		times = nil
		for _, t := range []string{"today", "7d", "2w", "30d", "3m", "1y", "this-week", "this-month"} {
			times = append(times, op+t)
		}
	}
	if rest == "20" || len(rest) == 4 && strings.Trim(rest, "0123456789") == "" || strings.Count(rest, "-") > 0 {
		if !now.IsZero() {
			times = append(times, op+now.Format("2006-01-02"), op+now.Format("2006-01"), op+now.Format("2006"))
		}
	}
	var out []Completion
	for _, t := range times {
		s, ok := parseSpan(t)
		if ok && (strings.HasPrefix(t, op+rest) || op == "" && strings.HasPrefix(strings.TrimLeft(t, "<>+"), rest)) {
			out = append(out, Completion{Text: t, Label: s.words(), Count: -1})
		}
	}
	return out
}

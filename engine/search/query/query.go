// Package query is the language of the campaign list: words that are looked for, and words that
// narrow, such as
//
//	summer "black friday" status:draft,active -tag:test by:ann updated:<7d sort:-updated
//
// It reads the language, writes it, completes it while a person types, edits it for whoever
// clicks a facet, and says in words what it shows. What matches is found by engine/search/index.
package query

import (
	"slices"
	"strings"
)

// Query is a query that was read. The zero query shows all campaigns but the archived.
type Query struct {
	Terms []Term // in the order of the text
}

// Term is one word of a query.
type Term struct {
	// Key is the query word before the colon; empty for a word that is looked for.
	Key Key
	// Not turns the term round: what matches is left out.
	Not bool
	// Values are what stands behind the colon, any of which may match. A word that is looked for
	// has exactly one. There is none while a person has only typed "status:".
	Values []Value
	// Bad says that there is no query word of that name. Such a term narrows nothing; it is kept
	// so that editing the query loses nothing that was typed.
	Bad bool
}

// Value is one value of a term.
type Value struct {
	// Text is the value as the language writes it: "draft" and not "DRAFT", "<7d", a tag.
	Text string
	// Quoted says that it was between quotes: an exact phrase, or exactly that tag.
	Quoted bool
	// Bad says that the query word has no such value. It narrows nothing.
	Bad bool
}

// Word is a word that is looked for in names, tags, teams and creators.
type Word struct {
	Text  string
	Exact bool // a quoted phrase: no fuzzy match
	Not   bool
}

// Words returns the words that are looked for, in their order.
func (q Query) Words() []Word {
	var out []Word
	for _, t := range q.Terms {
		if t.Key == "" && len(t.Values) == 1 && t.Values[0].Text != "" {
			out = append(out, Word{Text: t.Values[0].Text, Exact: t.Values[0].Quoted, Not: t.Not})
		}
	}
	return out
}

// Text returns the words that are looked for and not left out, with a space between them.
func (q Query) Text() string {
	var out []string
	for _, w := range q.Words() {
		if !w.Not {
			out = append(out, w.Text)
		}
	}
	return strings.Join(out, " ")
}

// Filters returns the terms that narrow: those of a query word other than sort, with the values
// that it knows.
func (q Query) Filters() []Term {
	var out []Term
	for _, t := range q.Terms {
		if t.Key == "" || t.Key == Sort || t.Bad {
			continue
		}
		t.Values = slices.DeleteFunc(slices.Clone(t.Values), func(v Value) bool { return v.Bad || v.Text == "" })
		if len(t.Values) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// Order returns the column of the sort word, and whether it goes down; empty where the query has
// none. Of several the last one counts.
func (q Query) Order() (column Key, desc bool) {
	for _, t := range q.Terms {
		if t.Key != Sort || t.Bad {
			continue
		}
		for _, v := range t.Values {
			if name, down := strings.CutPrefix(v.Text, "-"); !v.Bad && name != "" {
				column, desc = Key(name), down
			}
		}
	}
	return column, desc
}

// Empty reports whether the query narrows nothing and looks for nothing.
func (q Query) Empty() bool { return len(q.Words()) == 0 && len(q.Filters()) == 0 }

// String writes the query. Reading it again gives the same query.
func (q Query) String() string {
	out := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		out[i] = t.String()
	}
	return strings.Join(out, " ")
}

// String writes the term.
func (t Term) String() string {
	var b strings.Builder
	if t.Not {
		b.WriteByte('-')
	}
	if t.Key != "" {
		b.WriteString(string(t.Key) + ":")
	}
	for i, v := range t.Values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(v.write(t.Key == ""))
	}
	return b.String()
}

// write returns the value with quotes where it has them or cannot do without.
func (v Value) write(word bool) string {
	if !v.Quoted && !needsQuotes(v.Text, word) {
		return v.Text
	}
	return quote(v.Text)
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// needsQuotes reports whether a value would be read as something else without quotes.
func needsQuotes(s string, word bool) bool {
	if s == "" || strings.HasPrefix(s, `"`) || strings.ContainsFunc(s, isSpace) {
		return true
	}
	if !word {
		return strings.Contains(s, ",")
	}
	_, _, keyed := cutKey(s)
	return keyed || s[0] == '-' || s[0] == '!'
}

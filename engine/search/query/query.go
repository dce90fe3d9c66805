// Package query implements the query language of the campaign list: its keywords, search words and filters. An example:
//
//	summer "black friday" status:draft,active -tag:test by:ann updated:<7d sort:-updated
//
// It parses, formats, completes, edits and explains queries. engine/search/index evaluates them.
package query

import (
	"slices"
	"strings"
)

// Query is a parsed query. The zero value selects all campaigns that are not archived.
type Query struct {
	Terms []Term // in order of the text
}

// Term is one word of a query.
type Term struct {
	// Key is the keyword; empty for a search word.
	Key Key
	// Not excludes what matches.
	Not bool
	// Values are the values after the colon; any of them may match. A search word has exactly one. There is
	// none while the user has only typed "status:".
	Values []Value
	// Bad reports that the keyword does not exist. The term filters nothing, but is kept so that editing the
	// query does not lose it.
	Bad bool
}

// Value is one value of a term.
type Value struct {
	// Text is the query language's spelling: "draft" and not "DRAFT", "<7d", a tag.
	Text string
	// Quoted reports that it was quoted: an exact phrase or an exact tag.
	Quoted bool
	// Bad reports that the keyword has no such value. It filters nothing.
	Bad bool
}

// Word is a search word for names, tags, teams and creators.
type Word struct {
	Text  string
	Exact bool // a quoted phrase, without fuzzy matching
	Not   bool
}

// Words returns the search words in order.
func (q Query) Words() []Word {
	var out []Word
	for _, t := range q.Terms {
		if t.Key == "" && len(t.Values) == 1 && t.Values[0].Text != "" {
			out = append(out, Word{Text: t.Values[0].Text, Exact: t.Values[0].Quoted, Not: t.Not})
		}
	}
	return out
}

// Text returns the search words that are not excluded, separated by spaces.
func (q Query) Text() string {
	var out []string
	for _, w := range q.Words() {
		if !w.Not {
			out = append(out, w.Text)
		}
	}
	return strings.Join(out, " ")
}

// Filters returns the terms of keywords other than sort, with their valid values.
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

// Order returns the sort column and whether it is descending, or "" if the query has none. The last sort term
// wins.
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

// Empty reports whether the query has no filters and no search words.
func (q Query) Empty() bool { return len(q.Words()) == 0 && len(q.Filters()) == 0 }

// String formats the query. Parsing it again results in the same query.
func (q Query) String() string {
	out := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		out[i] = t.String()
	}
	return strings.Join(out, " ")
}

// String formats the term.
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

// write returns the value with quotes if it was quoted or needs them.
func (v Value) write(word bool) string {
	if !v.Quoted && !needsQuotes(v.Text, word) {
		return v.Text
	}
	return quote(v.Text)
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// needsQuotes reports whether a value would be parsed differently without quotes.
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

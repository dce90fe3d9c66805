package campaigns

import (
	"context"
	"slices"
	"strings"
	"time"

	"bugle/engine/search/index"
	"bugle/engine/search/query"
)

// follow says where the cursor goes after a search.
type follow int

const (
	followRow  follow = iota // with the campaign that is under it
	followHome               // to the campaign that the person had chosen, else to the first
	followTop                // to the first: the best match
)

// ask is one search: what is looked for, and how it is sorted.
type ask struct {
	text   string
	sort   order
	follow follow
	under  string // the id under the cursor
	home   string // the id that the person had chosen
	now    time.Time
	number int
}

// order is a column to sort by, and the way. No column means the best match first, or the last change.
type order struct {
	Key  query.Key `json:"key,omitempty"`
	Desc bool      `json:"desc,omitempty"`
}

// answer is what a search found.
type answer struct {
	ask
	ix       *index.Index // that was searched
	result   *index.Result
	query    query.Query
	problems []query.Problem
	known    known
	// everything is what a search for nothing found, at the time of known.
	everything *index.Result
	base       int // how many the search chooses from
	at         int // where the cursor belongs; -1 where its campaign was not found
	without    []lone
}

// lone is a term of a query that finds nothing, and what it would find without that term.
type lone struct {
	term  query.Term
	finds int
}

// known are the values that campaigns have.
type known map[query.Key][]query.ValueCount

func (k known) env(now time.Time) query.Env {
	return query.Env{Values: func(key query.Key) []query.ValueCount { return k[key] }, Now: now}
}

// sorted is how many rows are put in order beside the keyboard.
const sorted = 64

// search answers a question with the rows of the moment. It fails only when ctx ends.
func search(ctx context.Context, ix *index.Index, a ask, last *answer) (*answer, error) {
	out := &answer{ask: a, at: -1, ix: ix}
	opts := index.SearchOptions{Sort: a.sort.Key, Desc: a.sort.Desc, Now: a.now}
	var err error
	if last != nil && last.ix == ix && !last.everything.Stale(a.now) {
		out.known, out.everything = last.known, last.everything
	} else {
		if out.everything, err = ix.Search(ctx, query.Query{}, opts); err != nil {
			return nil, err
		}
		out.known = known{}
		for _, k := range query.Facets {
			out.known[k] = ix.Values(k)
		}
	}
	out.query, out.problems = query.Parse(a.text, out.known.env(a.now))
	if out.result, err = ix.Search(ctx, readable(out.query), opts); err != nil {
		return nil, err
	}
	out.base = max(out.everything.Len(), out.result.Len())
	if out.query.Has(query.Is, query.IsAll) {
		out.base = out.result.Total()
	}
	out.at = out.place()
	out.result.Rows(0, min(out.result.Len(), sorted)) // in order before they are drawn
	if out.result.Len() == 0 {
		out.without, err = blame(ctx, ix, out.query, opts)
	}
	return out, err
}

// stale reports whether a search would answer otherwise now: rows may have come while it was answered, and
// another index may have taken the place of its own.
func (a *answer) stale(ix *index.Index, now time.Time) bool {
	return a.ix != ix || a.result.Stale(now) || a.everything.Stale(now)
}

func (a *answer) place() int {
	switch a.follow {
	case followRow:
		if at := a.result.Find(a.under); at >= 0 || a.under != "" {
			return at
		}
	case followHome:
		if at := a.result.Find(a.home); at >= 0 {
			return at
		}
	case followTop:
	}
	return 0
}

// blame finds the terms that each alone keep everything out.
func blame(ctx context.Context, ix *index.Index, q query.Query, opts index.SearchOptions) ([]lone, error) {
	var out []lone
	for i, t := range q.Terms {
		if t.Key == query.Sort {
			continue
		}
		r, err := ix.Search(ctx, readable(drop(q, i)), opts)
		if err != nil {
			return nil, err
		}
		if r.Len() > 0 {
			out = append(out, lone{t, r.Len()})
		}
	}
	return out, nil
}

// readable returns the query; where it has a filter that is unknown, one that finds nothing: a misspelled filter
// is a mistake to repair, and what the rest finds would hide it.
func readable(q query.Query) query.Query {
	if !slices.ContainsFunc(q.Terms, func(t query.Term) bool { return t.Bad }) {
		return q
	}
	live := query.Term{Key: query.Is, Values: []query.Value{{Text: query.IsLive}}}
	not := live
	not.Not = true
	return query.Query{Terms: append(slices.Clone(q.Terms), live, not)}
}

// drop returns the query without its i-th term.
func drop(q query.Query, i int) query.Query {
	var out query.Query
	out.Terms = append(append(out.Terms, q.Terms[:i]...), q.Terms[i+1:]...)
	return out
}

// dropTerm returns the query's text without a term.
func dropTerm(q query.Query, t query.Term) string {
	text := t.String()
	for i, other := range q.Terms {
		if other.String() == text {
			return drop(q, i).String()
		}
	}
	return q.String()
}

// sorted returns the column that the result is in the order of, and the way; empty for the best match.
func (a *answer) sorted() order {
	if c, desc := a.query.Order(); c != "" {
		return order{c, desc}
	}
	if a.sort.Key != "" {
		return a.sort
	}
	if strings.TrimSpace(a.query.Text()) != "" {
		return order{}
	}
	return order{query.Updated, true}
}

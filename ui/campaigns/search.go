package campaigns

import (
	"context"
	"slices"
	"strings"
	"time"

	"bugle/engine/search/index"
	"bugle/engine/search/query"
)

// cursorMode is where the cursor goes after a search.
type cursorMode int

const (
	cursorKeepRow cursorMode = iota // stays on its campaign
	cursorHome                      // to the campaign that the user had selected, else to the first
	cursorTop                       // to the first: the best match
)

// searchRequest is a query with its sort order.
type searchRequest struct {
	text       string
	sort       order
	cursorMode cursorMode
	current    string // the ID under the cursor
	home       string // the ID that the user had selected
	now        time.Time
}

// order is a sort column and direction. Without a column, the best match or the last change comes first.
type order struct {
	Key  query.Key `json:"key,omitempty"`
	Desc bool      `json:"desc,omitempty"`
}

// searchResult is the result of a search.
type searchResult struct {
	searchRequest
	ix       *index.Index // the index that was searched
	result   *index.Result
	query    query.Query
	problems []query.Problem
	known    map[query.Key][]query.ValueCount // the values that campaigns have
	// everything is the result of the empty query at the same time.
	everything *index.Result
	total      int // number of campaigns that were searched
	cursor     int // row of the cursor; -1 if its campaign was not found
}

// env returns what a query needs to know of the campaigns: nothing before the first search.
func (a *searchResult) env(now time.Time) query.Env {
	return query.Env{Now: now, Values: func(key query.Key) []query.ValueCount {
		if a == nil {
			return nil
		}
		return a.known[key]
	}}
}

// presorted is how many rows are sorted before the result is shown.
const presorted = 64

// search runs a query on the current rows. It fails only if ctx ends.
func search(ctx context.Context, ix *index.Index, a searchRequest, last *searchResult) (*searchResult, error) {
	out := &searchResult{searchRequest: a, cursor: -1, ix: ix}
	opts := index.SearchOptions{Sort: a.sort.Key, Desc: a.sort.Desc, Now: a.now}
	var err error
	if last != nil && last.ix == ix && !last.everything.Stale(a.now) {
		out.known, out.everything = last.known, last.everything
	} else {
		if out.everything, err = ix.Search(ctx, query.Query{}, opts); err != nil {
			return nil, err
		}
		out.known = map[query.Key][]query.ValueCount{}
		for _, k := range query.Facets {
			out.known[k] = ix.Values(k)
		}
	}
	out.query, out.problems = query.Parse(a.text, out.env(a.now))
	if out.result, err = ix.Search(ctx, searchable(out.query, misspelled(a.text, out.problems)), opts); err != nil {
		return nil, err
	}
	out.total = max(out.everything.Len(), out.result.Len())
	if out.query.Has(query.Is, query.IsAll) {
		out.total = out.result.Total()
	}
	out.cursor = out.cursorRow()
	out.result.Rows(0, min(out.result.Len(), presorted)) // sort the first rows before they are drawn
	return out, nil
}

// stale reports whether the same search could have another result now: rows may have changed, or the index may
// have been replaced.
func (a *searchResult) stale(ix *index.Index, now time.Time) bool {
	return a.ix != ix || a.result.Stale(now) || a.everything.Stale(now)
}

func (a *searchResult) cursorRow() int {
	switch a.cursorMode {
	case cursorKeepRow:
		if at := a.result.Find(a.current); at >= 0 || a.current != "" {
			return at
		}
	case cursorHome:
		if at := a.result.Find(a.home); at >= 0 {
			return at
		}
	case cursorTop:
	}
	return 0
}

// misspelled reports whether a filter has a value that does not exist and does not begin one that does, as while it is
// typed.
func misspelled(text string, problems []query.Problem) bool {
	return slices.ContainsFunc(problems, func(p query.Problem) bool {
		typed := strings.ToLower(text[p.From:p.To])
		return !slices.ContainsFunc(p.Allowed, func(word string) bool { return strings.HasPrefix(strings.ToLower(word), typed) })
	})
}

// searchable returns the query, or one without hits if it has an unknown filter, or a wrong value: the hits of the rest
// would hide the mistake.
func searchable(q query.Query, wrong bool) query.Query {
	bad := func(v query.Value) bool { return v.Bad }
	if !slices.ContainsFunc(q.Terms, func(t query.Term) bool { return t.Bad || wrong && slices.ContainsFunc(t.Values, bad) }) {
		return q
	}
	live := query.Term{Key: query.Is, Values: []query.Value{{Text: query.IsLive}}}
	not := live
	not.Not = true
	return query.Query{Terms: append(slices.Clone(q.Terms), live, not)}
}

// sorted returns the order of the result; empty for the best match.
func (a *searchResult) sorted() order {
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

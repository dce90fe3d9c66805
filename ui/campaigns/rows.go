package campaigns

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"bugle/engine"
)

// order is what the table is sorted by.
type order int

const (
	byUpdated order = iota // newest change first, as the service gives them
	byName
	byState
	byStart // the latest first; those without a start last
	orders
)

func (o order) String() string {
	return [...]string{"by last change", "by name", "by state", "by start"}[o]
}

// query says which campaigns are shown and how.
type query struct {
	text     string
	state    engine.State   // empty: all
	channel  engine.Channel // empty: all
	order    order
	archived bool
	keep     string // the id to find again
}

// narrowed reports whether a query leaves something out.
func (q query) narrowed() bool {
	return strings.TrimSpace(q.text) != "" || q.state != "" || q.channel != ""
}

// view is what a query finds in rows.
type view struct {
	rows  []engine.Summary
	shown []int32 // indexes of rows, in the order shown
	// states and channels count what choosing each would show, with the rest of the query.
	states   map[engine.State]int
	channels map[engine.Channel]int
	ofState  int // all states, with the rest of the query
	ofChan   int // all channels
	at       int // where the campaign to keep is in shown; -1 where it is not
	fresh    bool
}

// atOnce is how many rows are narrowed while the keyboard waits: it takes a few milliseconds.
const atOnce = 20_000

// breath is how many rows are looked at before the context is.
const breath = 8192

// narrow gives the view of rows that q asks for. It fails only when ctx ends.
func narrow(ctx context.Context, rows []engine.Summary, q query) (view, error) {
	v := view{rows: rows, states: map[engine.State]int{}, channels: map[engine.Channel]int{}, at: -1}
	text := strings.ToLower(strings.TrimSpace(q.text))
	for i := range rows {
		if i%breath == 0 && ctx.Err() != nil {
			return view{}, ctx.Err()
		}
		row := &rows[i]
		if text != "" && !matches(row, text) {
			continue
		}
		inState, inChannel := q.state == "" || row.Status == q.state, q.channel == "" || row.Channel == q.channel
		if inChannel {
			v.states[row.Status]++
			v.ofState++
		}
		if inState {
			v.channels[row.Channel]++
			v.ofChan++
		}
		if inState && inChannel {
			v.shown = append(v.shown, int32(i))
		}
	}
	if err := v.sort(ctx, q.order); err != nil {
		return view{}, err
	}
	for at, i := range v.shown {
		if rows[i].ID == q.keep {
			v.at = at
			break
		}
	}
	return v, nil
}

// matches reports whether a campaign's name, tags, team or creator contain text, which is in
// lower case.
func matches(row *engine.Summary, text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return has(row.Name) || has(row.Team) || has(row.CreatedBy) || slices.ContainsFunc(row.Tags, has)
}

// sort orders what is shown. Equal ones stay as the service gave them.
func (v *view) sort(ctx context.Context, by order) error {
	compare := v.comparer(by)
	if slices.IsSortedFunc(v.shown, compare) {
		return nil
	}
	n, ended := 0, false
	slices.SortFunc(v.shown, func(a, b int32) int {
		if n++; n%breath == 0 && ctx.Err() != nil {
			ended = true
		}
		if ended { // all alike: the sort is over soon
			return 0
		}
		return cmp.Or(compare(a, b), cmp.Compare(a, b))
	})
	if ended {
		return ctx.Err()
	}
	return nil
}

func (v *view) comparer(by order) func(a, b int32) int {
	switch by {
	case byName:
		names := make([]string, len(v.rows))
		for _, i := range v.shown {
			names[i] = strings.ToLower(v.rows[i].Name)
		}
		return func(a, b int32) int { return strings.Compare(names[a], names[b]) }
	case byState:
		return func(a, b int32) int { return cmp.Compare(rank(v.rows[a].Status), rank(v.rows[b].Status)) }
	case byStart:
		return func(a, b int32) int { return v.rows[b].Start.Compare(v.rows[a].Start) }
	}
	return func(a, b int32) int { return v.rows[b].UpdatedAt.Compare(v.rows[a].UpdatedAt) }
}

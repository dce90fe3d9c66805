package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

func (w *work) audienceEnv() audience.Env {
	return audience.Env{Workspace: w.workspace, Now: w.deps.Now()}
}

// filters edits the filter group at p.
func (w *work) filters(ctx context.Context, p doc.Path) error {
	return w.choose(ctx, menu{
		head:  func() []string { return w.filterHead(ctx, p) },
		items: func() []item { return w.filterItems(p) },
		help: func() []string {
			return append(w.help(w.rowAt(p))(), "Choose a filter to edit it, or one of the actions after the filters.")
		},
		full: true, leave: true,
	})
}

// filterHead tells the group, the whole audience in a sentence, and how many people that is.
func (w *work) filterHead(ctx context.Context, p doc.Path) []string {
	n := len(w.errorsAt(p))
	out := []string{fmt.Sprintf("%s: %s, %s.", trail(w.schema, p), phrase.Count(w.filterCount(p), "filter"), phrase.Count(n, "problem"))}
	whole := w.root.Lookup(p[:1])
	out = append(out, audience.Sentence(whole, w.audienceEnv()))
	if reader, ok := w.deps.Service.(engine.AudienceReader); ok && n == 0 && w.filterCount(p) > 0 {
		if c, err := reader.EstimateAudience(ctx, engine.AudienceRequest{Filters: whole}); err == nil {
			out = append(out, fmt.Sprintf("That is %d of %d people: %d can be reached by email, %d by push.", c.Matched, c.Total, c.Reach.Email, c.Reach.Push))
		}
	}
	return out
}

func (w *work) filterCount(p doc.Path) int {
	for _, n := range w.nodes(p) {
		if n.Path.Equal(p) {
			return n.Count
		}
	}
	return 0
}

func (w *work) nodes(p doc.Path) []audience.Node {
	return audience.Nodes(w.root, p, w.audienceEnv(), w.problems)
}

func (w *work) filterItems(p doc.Path) []item {
	var out []item
	join := ""
	for _, n := range w.nodes(p) {
		if n.Path.Equal(p) {
			join = n.Join
			continue
		}
		state := ""
		if n.Depth > 1 {
			state = "inside the filter before it"
		}
		if n.Problems > 0 {
			state = strings.TrimPrefix(state+", "+phrase.Count(n.Problems, "problem"), ", ")
		}
		out = append(out, item{label: sentenceless(n.Words), state: state, run: func(ctx context.Context) error { return w.filter(ctx, n) }})
	}
	if w.editing.LockedAt(p) != "" {
		return out
	}
	count := len(out)
	out = append(out, item{label: "Add a filter", word: "add", run: func(ctx context.Context) error { return w.addFilter(ctx, p) }})
	if count > 1 {
		other, words := "or", "people must match all of them"
		if join == other {
			other, words = "and", "people must match any of them"
		}
		out = append(out, item{label: "Join by " + other, word: other, state: words, run: func(ctx context.Context) error {
			root, err := audience.SetJoin(w.root, p, other)
			return w.refined(ctx, root, err, "filters joined by "+other)
		}})
	}
	if count > 0 {
		out = append(out, item{label: "Remove all filters", run: func(ctx context.Context) error {
			yes, err := w.yes(ctx, "Remove all filters here", false)
			if err != nil || !yes {
				return err
			}
			root, err := w.set(p, doc.Value{})
			return w.refined(ctx, root, err, "filters removed")
		}})
	}
	return out
}

// refined saves a change of filters, or tells why there is none.
func (w *work) refined(ctx context.Context, root doc.Value, err error, what string) error {
	if err != nil {
		w.say("%s", sentence(err.Error()))
		return nil
	}
	return w.change(ctx, root, what)
}

var kindHelp = map[audience.Kind]string{
	audience.Attribute:      "attributes of people",
	audience.Action:         "events they did or did not do",
	audience.Segment:        "people in a segment",
	audience.EventAttribute: "attributes of the event, or when it happened",
}

// addFilter asks what kind of filter to add at a group or filter, and then what it says. One in which
// nothing was filled in goes again.
func (w *work) addFilter(ctx context.Context, at doc.Path) error {
	kinds := audience.Kinds(w.root, at)
	n := 0
	if len(kinds) > 1 {
		options := make([]option, len(kinds))
		for i, k := range kinds {
			options[i] = option{label: k.Label(), help: kindHelp[k]}
		}
		var err error
		if n, err = w.among(ctx, "Filter by", options, -1); err != nil {
			return err
		}
	}
	before := w.root
	root, p, err := audience.AddFilter(w.root, at, kinds[n])
	if err != nil {
		w.say("%s", sentence(err.Error()))
		return nil
	}
	w.root = root // saved with the first answer
	w.check()
	err = w.fill(ctx, p)
	if w.root.Same(root) {
		w.root = before
		w.check()
		w.say("Nothing was entered, so no filter was added.")
	}
	return err
}

// filter offers what can be done with one filter.
func (w *work) filter(ctx context.Context, n audience.Node) error {
	p := n.Path
	items := []item{}
	if n.Kind != audience.Group {
		items = append(items, item{label: "Change", word: "change", state: "edit the filter, question by question", run: func(ctx context.Context) error { return w.fill(ctx, p) }})
	}
	edit := func(label, word, what string, do func() (doc.Value, error)) {
		items = append(items, item{label: label, word: word, run: func(ctx context.Context) error {
			root, err := do()
			return w.refined(ctx, root, err, what)
		}})
	}
	moved := func(f func(doc.Value, doc.Path) (doc.Value, doc.Path, error)) func() (doc.Value, error) {
		return func() (doc.Value, error) { root, _, err := f(w.root, p); return root, err }
	}
	if n.Kind == audience.Action {
		items = append(items, item{label: "Add a condition on the event", word: "condition", run: func(ctx context.Context) error { return w.addFilter(ctx, p) }})
	}
	edit("Negate", "not", "filter negated", func() (doc.Value, error) { return audience.Negate(w.root, p) })
	edit("Duplicate", "duplicate", "filter duplicated", moved(audience.Duplicate))
	edit("Move up", "up", "filter moved", moved(func(r doc.Value, p doc.Path) (doc.Value, doc.Path, error) { return audience.Move(r, p, -1) }))
	edit("Move down", "down", "filter moved", moved(func(r doc.Value, p doc.Path) (doc.Value, doc.Path, error) { return audience.Move(r, p, 1) }))
	edit("Move into the action before it", "in", "filter moved", moved(audience.Indent))
	edit("Move out", "out", "filter moved", moved(audience.Outdent))
	edit("Remove", "remove", "filter removed", func() (doc.Value, error) { return audience.Remove(w.root, p) })
	if why := w.editing.LockedAt(p); why != "" {
		w.say("%s %s", sentence(n.Words), why)
		return nil
	}
	return w.choose(ctx, menu{
		head:  func() []string { return []string{sentence(n.Words)} },
		items: func() []item { return items },
		once:  true, full: true, leave: true,
	})
}

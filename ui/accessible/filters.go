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

// filters edits a group of filters: an audience, or what starts a campaign.
type filters struct{ *fields }

func (f filters) audienceEnv() audience.Env {
	return audience.Env{Workspace: f.workspace, Now: f.deps.Now()}
}

// edit edits the filter group at p.
func (f filters) edit(ctx context.Context, p doc.Path) error {
	return f.choose(ctx, menu{
		header: func() []string { return f.filterHeader(ctx, p) },
		items:  func() []item { return f.filterItems(p) },
		help: func() []string {
			return append(f.help(f.rowAt(p))(), "Choose a filter to edit it, or one of the actions after the filters.")
		},
		listAlways: true, leaveOnEmpty: true,
	})
}

// filterHeader describes the group, the whole audience in a sentence, and the number of users.
func (f filters) filterHeader(ctx context.Context, p doc.Path) []string {
	n := len(f.errorsAt(p))
	out := []string{fmt.Sprintf("%s: %s, %s.", placeName(f.schema, p), phrase.Count(f.filterCount(p), "filter"), phrase.Count(n, "problem"))}
	whole := f.root.Lookup(p[:1])
	out = append(out, audience.Describe(f.root, p[:1], f.audienceEnv()))
	if reader, ok := f.deps.Service.(engine.AudienceReader); ok && n == 0 && f.filterCount(p) > 0 {
		if c, err := reader.EstimateAudience(ctx, engine.AudienceRequest{Filters: whole}); err == nil {
			out = append(out, fmt.Sprintf("That is %d of %d people: %d can be reached by email, %d by push.", c.Matched, c.Total, c.Reach.Email, c.Reach.Push))
		}
	}
	return out
}

func (f filters) filterCount(p doc.Path) int {
	for _, n := range f.nodes(p) {
		if n.Path.Equal(p) {
			return n.Count
		}
	}
	return 0
}

func (f filters) nodes(p doc.Path) []audience.Node {
	return audience.Nodes(f.root, p, f.audienceEnv(), f.problems)
}

func (f filters) filterItems(p doc.Path) []item {
	var out []item
	join := ""
	for _, n := range f.nodes(p) {
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
		out = append(out, item{label: title(n.Text), state: state, run: func(ctx context.Context) error { return f.filter(ctx, n) }})
	}
	if f.edits.LockedAt(p) != "" {
		return out
	}
	count := len(out)
	out = append(out, item{label: "Add a filter", word: "add", run: func(ctx context.Context) error { return f.addFilter(ctx, p) }})
	if count > 1 {
		other, words := "or", "people must match all of them"
		if join == other {
			other, words = "and", "people must match any of them"
		}
		out = append(out, item{label: "Join by " + other, word: other, state: words, run: func(ctx context.Context) error {
			root, err := audience.SetJoin(f.root, p, other)
			return f.saveChange(ctx, root, err, "filters joined by "+other)
		}})
	}
	if count > 0 {
		out = append(out, item{label: "Remove all filters", run: func(ctx context.Context) error {
			yes, err := f.confirm(ctx, "Remove all filters here", false)
			if err != nil || !yes {
				return err
			}
			root, err := f.set(p, doc.Value{})
			return f.saveChange(ctx, root, err, "filters removed")
		}})
	}
	return out
}

// saveChange saves a change of filters, or prints its error.
func (f filters) saveChange(ctx context.Context, root doc.Value, err error, what string) error {
	if err != nil {
		f.println("%s", phrase.Sentence(err.Error()))
		return nil
	}
	return f.change(ctx, root, what)
}

// addFilter asks which kind of filter to add, and for its inputs. If nothing was filled in, it is removed.
func (f filters) addFilter(ctx context.Context, at doc.Path) error {
	kinds := audience.Kinds(f.root, at)
	n := 0
	if len(kinds) > 1 {
		options := make([]option, len(kinds))
		for i, k := range kinds {
			options[i] = option{label: k.Label(), help: k.Help()}
		}
		var err error
		if n, err = f.chooseOption(ctx, "Filter by", options, -1); err != nil {
			return err
		}
	}
	before := f.root
	root, p, err := audience.AddFilter(f.root, at, kinds[n])
	if err != nil {
		f.println("%s", phrase.Sentence(err.Error()))
		return nil
	}
	f.root = root // saved with the first answer
	f.check()
	err = f.fill(ctx, p)
	if f.root.Same(root) {
		f.root = before
		f.check()
		f.println("Nothing was entered, so no filter was added.")
	}
	return err
}

// filter lists the operations on a filter.
func (f filters) filter(ctx context.Context, n audience.Node) error {
	p := n.Path
	items := []item{}
	if n.Kind != audience.Group {
		items = append(items, item{label: "Change", word: "change", state: "edit the filter, question by question", run: func(ctx context.Context) error { return f.fill(ctx, p) }})
	}
	edit := func(label, word, what string, do func() (doc.Value, error)) {
		items = append(items, item{label: label, word: word, run: func(ctx context.Context) error {
			root, err := do()
			return f.saveChange(ctx, root, err, what)
		}})
	}
	moved := func(do func(doc.Value, doc.Path) (doc.Value, doc.Path, error)) func() (doc.Value, error) {
		return func() (doc.Value, error) { root, _, err := do(f.root, p); return root, err }
	}
	if n.Kind == audience.Action {
		items = append(items, item{label: "Add a condition on the event", word: "condition", run: func(ctx context.Context) error { return f.addFilter(ctx, p) }})
	}
	edit("Invert", "not", "filter inverted", func() (doc.Value, error) { return audience.Negate(f.root, p) })
	edit("Duplicate", "duplicate", "filter duplicated", moved(audience.Duplicate))
	edit("Move up", "up", "filter moved", moved(func(r doc.Value, p doc.Path) (doc.Value, doc.Path, error) { return audience.Move(r, p, -1) }))
	edit("Move down", "down", "filter moved", moved(func(r doc.Value, p doc.Path) (doc.Value, doc.Path, error) { return audience.Move(r, p, 1) }))
	edit("Move into the action before it", "in", "filter moved", moved(audience.Indent))
	edit("Move out", "out", "filter moved", moved(audience.Outdent))
	edit("Remove", "remove", "filter removed", func() (doc.Value, error) { return audience.Remove(f.root, p) })
	if why := f.edits.LockedAt(p); why != "" {
		f.println("%s %s", phrase.Sentence(n.Text), why)
		return nil
	}
	return f.choose(ctx, menu{
		header: func() []string { return []string{phrase.Sentence(n.Text)} },
		items:  func() []item { return items },
		once:   true, listAlways: true, leaveOnEmpty: true,
	})
}

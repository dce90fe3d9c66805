package bulk

import (
	"cmp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
)

// Plan is which campaigns an operation can be applied to, and why not to the others.
type Plan struct {
	Allowed []engine.Summary
	Refused int
	Reasons []Counted // why not, the most frequent first
	Effects []Counted // of an [Action], the most frequent first
}

// Counted is a sentence and the number of campaigns that it applies to.
type Counted struct {
	Text  string
	Count int
}

// Prepare finds the campaigns that an operation can be applied to. The answer is the same for all campaigns of one kind and
// state.
func Prepare(svc engine.Service, op Operation, rows []engine.Summary) Plan {
	type kind struct {
		channel engine.Channel
		typ     engine.DeliveryType
		state   engine.State
	}
	type verdict struct{ why, effect string }
	known := map[kind]verdict{}
	var p Plan
	why, effects := map[string]int{}, map[string]int{}
	for _, row := range rows {
		k := kind{row.Channel, row.DeliveryType, row.Status}
		v, ok := known[k]
		if !ok {
			v.why = op.Blocked(svc, row)
			if a, ok := op.(Action); ok {
				v.effect = catalog.Effect(a.Name, row.Channel, row.DeliveryType, row.Status)
			}
			known[k] = v
		}
		if v.why != "" {
			p.Refused++
			why[reasonClause(v.why)]++
			continue
		}
		p.Allowed = append(p.Allowed, row)
		effects[v.effect]++
	}
	p.Reasons, p.Effects = byCount(why), byCount(effects)
	return p
}

// reasonClause removes the action from a reason, because the question names it.
func reasonClause(why string) string {
	if head, rest, ok := strings.Cut(why, ": "); ok && strings.HasPrefix(head, "You can't ") {
		return phrase.Capitalize(rest)
	}
	return why
}

// byCount returns texts with their counts, the most frequent first, without the empty one.
func byCount(counts map[string]int) []Counted {
	delete(counts, "")
	var out []Counted
	for text, n := range counts {
		out = append(out, Counted{text, n})
	}
	slices.SortFunc(out, func(a, b Counted) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Text, b.Text)) })
	return out
}

// Steps returns what a run has changed, for undo.
func (r Report) Steps(op Operation) []edit.Step {
	var steps []edit.Step
	for i, id := range r.Done {
		c := r.Changes[i]
		if a, ok := op.(Action); ok {
			steps = append(steps, edit.Step{ID: id, Action: a.Name})
		} else if len(c.Path) > 0 {
			steps = append(steps, edit.Step{ID: id, Before: part(c.Path, c.Before), After: part(c.Path, c.After)})
		}
	}
	return steps
}

// part returns a document that has only this value, in memory of its own.
func part(at doc.Path, v doc.Value) doc.Value {
	root, err := doc.NewObject().Set(at, v)
	if err == nil {
		root, err = doc.Parse(root.Encode())
	}
	if err != nil {
		return doc.NewObject()
	}
	return root
}

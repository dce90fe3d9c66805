package accessible

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// fill asks what a filter says, input by input: what it cannot do without, and the rest where that is
// wanted. Which come next depends on the answers.
func (w *work) fill(ctx context.Context, p doc.Path) error {
	asked := map[string]bool{}
	for rest := false; ; {
		next, ok := w.nextInput(p, asked, rest)
		if !ok && !rest {
			yes, err := w.more(ctx, p, asked)
			if err != nil {
				return err
			}
			if rest = yes; yes {
				continue
			}
		}
		if !ok {
			break
		}
		asked[next.State.Path.String()] = true
		if err := w.input(ctx, p, next); err != nil && !errors.Is(err, errList) {
			return err
		}
	}
	w.say("The filter: %s", sentence(audience.Line(w.root.Lookup(p), w.audienceEnv())))
	for _, pr := range w.errorsAt(p) {
		w.say("%s", w.problemText(pr, p))
	}
	return nil
}

// nextInput gives the first input that was not asked yet. Without rest, only one that the filter needs,
// or that holds something.
func (w *work) nextInput(p doc.Path, asked map[string]bool, rest bool) (audience.Input, bool) {
	for _, in := range audience.Inputs(w.schema, w.root, p, w.editing.Env()) {
		needed := in.Part != audience.Plain || in.State.Required || in.State.Value.Exists()
		if !asked[in.State.Path.String()] && (rest || needed) {
			return in, true
		}
	}
	return audience.Input{}, false
}

// more asks whether to go on to what the filter can do without.
func (w *work) more(ctx context.Context, p doc.Path, asked map[string]bool) (bool, error) {
	var names []string
	for _, in := range audience.Inputs(w.schema, w.root, p, w.editing.Env()) {
		if !asked[in.State.Path.String()] {
			names = append(names, in.Label)
		}
	}
	if len(names) == 0 {
		return false, nil
	}
	w.say("More settings: %s.", strings.Join(names, ", "))
	return w.yes(ctx, "Go through them", false)
}

// input asks for one member of a filter.
func (w *work) input(ctx context.Context, p doc.Path, in audience.Input) error {
	r := row{FieldState: in.State, label: in.Label}
	switch in.Part {
	case audience.Name:
		return w.filterName(ctx, p, in)
	case audience.DataType, audience.Operator:
		return w.filterChoice(ctx, p, in)
	case audience.Value:
		return w.filterValue(ctx, p, in)
	case audience.HowOften:
		return w.filterOften(ctx, p, in)
	}
	if in.State.Node == nil || !in.State.Shown {
		r.kept = "kept, but not used"
	}
	return w.field(ctx, r, 0, 0)
}

// filterName asks what the filter looks at.
func (w *work) filterName(ctx context.Context, p doc.Path, in audience.Input) error {
	a := &asking{w: w, row: row{FieldState: in.State, label: in.Label}, zone: true}
	a.offers = audience.Names(w.root, p, in.Member(), w.workspace)
	w.say("%s. Now: %s.", in.Label, now(in.State))
	for i, o := range a.offers {
		if i == mostOffers {
			w.say("And %d more. Type part of a name.", len(a.offers)-i)
			break
		}
		w.say("%d. %s", i+1, o)
	}
	return w.ask(ctx, question{
		prompt: in.Label + ", a number or a name", help: w.help(a.row), words: words(a.row),
		take: func(got answer) error {
			if done, err := a.common(ctx, got); done {
				return err
			}
			name := strings.TrimSpace(got.text)
			for i, o := range a.offers {
				if name == fmt.Sprint(i+1) {
					name = o
				}
			}
			if found, err := a.named(name); err != nil {
				return err
			} else if found != "" {
				name = found
			}
			root, err := audience.SetName(w.root, p, name, w.workspace)
			if err != nil {
				return wrong("%s", sentence(err.Error()))
			}
			return w.take(ctx, root, a.row, in.Label+": "+name+".")
		},
	})
}

// filterOften asks how often and within which time somebody did something, in words.
func (w *work) filterOften(ctx context.Context, p doc.Path, in audience.Input) error {
	a := &asking{w: w, row: row{FieldState: in.State, label: in.Label}}
	text, _ := audience.OftenText(w.root.Lookup(p))
	w.say("%s. Now: %s.", in.Label, text)
	return w.ask(ctx, question{
		prompt: in.Label + ", such as at least 2 times in the last 7 days", help: w.help(a.row), words: words(a.row),
		take: func(got answer) error {
			if done, err := a.common(ctx, got); done {
				return err
			}
			root, err := audience.SetOften(w.root, p, got.text, w.audienceEnv())
			if err != nil {
				return wrong("%s", sentence(err.Error()))
			}
			return w.take(ctx, root, a.row, audience.Line(root.Lookup(p), w.audienceEnv())+".")
		},
	})
}

// filterChoice asks for the data type or the operator, which change what goes with them.
func (w *work) filterChoice(ctx context.Context, p doc.Path, in audience.Input) error {
	a := &asking{w: w, row: row{FieldState: in.State, label: in.Label}}
	items := []item{}
	var options []schema.OptionState
	for _, o := range in.State.Options {
		if o.Offered {
			options = append(options, o)
			items = append(items, item{label: o.Title(), state: o.Help})
		}
	}
	w.say("%s. Now: %s.", in.Label, now(in.State))
	w.list(items)
	return w.ask(ctx, question{
		prompt: in.Label + ", a number", help: w.help(a.row), words: words(a.row),
		take: func(got answer) error {
			if done, err := a.common(ctx, got); done {
				return err
			}
			i, err := pickOption(items, options, strings.TrimSpace(got.text))
			if err != nil {
				return err
			}
			set := audience.SetOperator
			if in.Part == audience.DataType {
				set = audience.SetDataType
			}
			root, err := set(w.root, p, options[i].Value)
			if err != nil {
				return wrong("%s", sentence(err.Error()))
			}
			return w.take(ctx, root, a.row, in.Label+": "+options[i].Title()+".")
		},
	})
}

// filterValue asks what the filter compares with: one text, several, or the two ends of a range.
func (w *work) filterValue(ctx context.Context, p doc.Path, in audience.Input) error {
	f := w.root.Lookup(p)
	texts, ok := audience.Values(f)
	shape := audience.ValueShape(f)
	if !ok {
		return w.field(ctx, row{FieldState: in.State, label: in.Label}, 0, 0)
	}
	switch shape {
	case audience.NoValue:
		return nil
	case audience.ValueRange, audience.DateRange:
		for end, label := range []string{"From", "To"} {
			if err := w.filterText(ctx, p, in, label, shape, end); err != nil {
				return err
			}
		}
		return nil
	case audience.ValueList:
		return w.filterList(ctx, p, in, texts)
	}
	return w.filterText(ctx, p, in, in.Label, shape, 0)
}

var shapeHints = map[audience.Shape]string{
	audience.YesOrNo:      ", yes or no",
	audience.RelativeDays: ", a number of days",
	audience.Date:         ", such as 2026-12-01, yesterday or 30 days ago",
	audience.DateRange:    ", such as 2026-12-01, yesterday or 30 days ago",
	audience.Expression:   ", an expression such as {{user.country}}",
}

// filterText asks for one text of a value; end is which one.
func (w *work) filterText(ctx context.Context, p doc.Path, in audience.Input, label string, shape audience.Shape, end int) error {
	a := &asking{w: w, row: row{FieldState: in.State, label: label}}
	texts, _ := audience.Values(w.root.Lookup(p))
	held := "empty"
	if end < len(texts) && texts[end] != "" {
		held = texts[end]
	}
	w.say("%s. Now: %s.", label, held)
	return w.ask(ctx, question{
		prompt: label + shapeHints[shape], help: w.help(a.row), words: words(a.row),
		take: func(got answer) error {
			if done, err := a.common(ctx, got); done {
				return err
			}
			text, said, err := w.filterWire(got.text, shape)
			if err != nil {
				return err
			}
			next := []string{text}
			if shape == audience.ValueRange || shape == audience.DateRange {
				next = []string{"", ""}
				if old, ok := audience.Values(w.root.Lookup(p)); ok {
					copy(next, old)
				}
				next[end] = text
			}
			root, err := audience.SetValues(w.root, p, next)
			if err != nil {
				return wrong("%s", sentence(err.Error()))
			}
			return w.take(ctx, root, a.row, said)
		},
	})
}

// filterWire gives how a filter spells what was typed.
func (w *work) filterWire(text string, shape audience.Shape) (wire, said string, err error) {
	switch shape {
	case audience.Date, audience.DateRange:
		d, err := audience.ReadDate(text, w.audienceEnv())
		if err != nil {
			return "", "", wrong("%s", sentence(err.Error()))
		}
		return d.Wire, "Understood as " + d.Words + ".", nil
	case audience.YesOrNo:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "y", "yes", "true":
			return "true", "", nil
		case "n", "no", "false":
			return "false", "", nil
		}
		return "", "", wrong("Answer yes or no.")
	}
	return text, "", nil
}

// filterList asks for several texts, one a line, until an empty one.
func (w *work) filterList(ctx context.Context, p doc.Path, in audience.Input, had []string) error {
	a := &asking{w: w, row: row{FieldState: in.State, label: in.Label}}
	held := "empty"
	if len(had) > 0 {
		held = strings.Join(had, ", ")
	}
	w.say("%s, one or several. Now: %s. Your first value replaces them all.", in.Label, held)
	var next []string
	for {
		done := false
		prompt := in.Label + ", the first"
		if len(next) > 0 {
			prompt = "Another value, Enter when done"
		}
		err := w.ask(ctx, question{
			prompt: prompt, help: w.help(a.row), words: words(a.row),
			take: func(got answer) error {
				if ended, err := a.common(ctx, got); ended {
					done = true
					return err
				}
				next = append(next, got.text)
				root, err := audience.SetValues(w.root, p, next)
				if err != nil {
					next = next[:len(next)-1]
					return wrong("%s", sentence(err.Error()))
				}
				return w.take(ctx, root, a.row, "")
			},
		})
		if err != nil || done {
			return err
		}
	}
}

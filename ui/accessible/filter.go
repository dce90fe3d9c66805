package accessible

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// fill asks for the inputs of a filter one by one: the required ones, and the rest if the user wants. Which
// inputs follow depends on the answers.
func (f filters) fill(ctx context.Context, p doc.Path) error {
	asked := map[string]bool{}
	for rest := false; ; {
		next, ok := f.nextInput(p, asked, rest)
		if !ok && !rest {
			yes, err := f.more(ctx, p, asked)
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
		if err := f.input(ctx, p, next); err != nil && !errors.Is(err, errList) {
			return err
		}
	}
	f.println("The filter: %s", phrase.Sentence(audience.DescribeFilter(f.root.Lookup(p), f.audienceEnv())))
	for _, pr := range f.errorsAt(p) {
		f.println("%s", f.problemText(pr, p))
	}
	return nil
}

// nextInput returns the first input that has not been asked. Without rest, it only returns one that is required
// or has a value.
func (f filters) nextInput(p doc.Path, asked map[string]bool, rest bool) (audience.Input, bool) {
	for _, in := range audience.Inputs(f.schema, f.root, p, f.edits.Env()) {
		needed := in.Part != audience.Plain || in.State.Required || in.State.Value.Exists()
		if !asked[in.State.Path.String()] && (rest || needed) {
			return in, true
		}
	}
	return audience.Input{}, false
}

// more asks whether to continue with the optional inputs.
func (f filters) more(ctx context.Context, p doc.Path, asked map[string]bool) (bool, error) {
	var names []string
	for _, in := range audience.Inputs(f.schema, f.root, p, f.edits.Env()) {
		if !asked[in.State.Path.String()] {
			names = append(names, in.Label)
		}
	}
	if len(names) == 0 {
		return false, nil
	}
	f.println("More settings: %s.", strings.Join(names, ", "))
	return f.confirm(ctx, "Go through them", false)
}

// input asks for one field of a filter.
func (f filters) input(ctx context.Context, p doc.Path, in audience.Input) error {
	r := row{FieldState: in.State, label: in.Label}
	switch in.Part {
	case audience.Name:
		return f.filterName(ctx, p, in)
	case audience.DataType, audience.Operator:
		return f.filterChoice(ctx, p, in)
	case audience.Value:
		return f.filterValue(ctx, p, in)
	case audience.Frequency:
		return f.filterFrequency(ctx, p, in)
	}
	if in.State.Node == nil || !in.State.Shown {
		r.unusedReason = "kept, but not used"
	}
	return f.field(ctx, r, 0, 0)
}

// filterName asks what the filter is about.
func (f filters) filterName(ctx context.Context, p doc.Path, in audience.Input) error {
	a := &fieldQuestion{fields: f.fields, row: row{FieldState: in.State, label: in.Label}, zone: true}
	a.suggestions = audience.Names(f.root, p, in.Member(), f.workspace)
	f.println("%s. Now: %s.", in.Label, valueText(in.State))
	for i, o := range a.suggestions {
		if i == maxSuggestions {
			f.println("And %d more. Type part of a name.", len(a.suggestions)-i)
			break
		}
		f.println("%d. %s", i+1, o)
	}
	return f.ask(ctx, question{
		prompt: in.Label + ", a number or a name", text: true, names: a.suggestions, help: f.help(a.row), words: fieldWords(a.row),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			name := strings.TrimSpace(got.text)
			for i, o := range a.suggestions {
				if name == fmt.Sprint(i+1) {
					name = o
				}
			}
			if found, err := a.resolveName(name); err != nil {
				return err
			} else if found != "" {
				name = found
			}
			root, err := audience.SetName(f.root, p, name, f.workspace)
			if err != nil {
				return invalid("%s", phrase.Sentence(err.Error()))
			}
			return f.saveRow(ctx, root, a.row, in.Label+": "+name+".")
		},
	})
}

// filterFrequency asks how often and in which period an action happened.
func (f filters) filterFrequency(ctx context.Context, p doc.Path, in audience.Input) error {
	a := &fieldQuestion{fields: f.fields, row: row{FieldState: in.State, label: in.Label}}
	text, _ := audience.FrequencyText(f.root.Lookup(p))
	f.println("%s. Now: %s.", in.Label, text)
	return f.ask(ctx, question{
		prompt: in.Label + ", such as at least 2 times in the last 7 days", help: f.help(a.row), words: fieldWords(a.row),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			root, err := audience.SetFrequency(f.root, p, got.text, f.audienceEnv())
			if err != nil {
				return invalid("%s", phrase.Sentence(err.Error()))
			}
			return f.saveRow(ctx, root, a.row, audience.DescribeFilter(root.Lookup(p), f.audienceEnv())+".")
		},
	})
}

// filterChoice asks for the data type or the operator, which change the other inputs.
func (f filters) filterChoice(ctx context.Context, p doc.Path, in audience.Input) error {
	a := &fieldQuestion{fields: f.fields, row: row{FieldState: in.State, label: in.Label}}
	items := []item{}
	var options []schema.OptionState
	for _, o := range in.State.Options {
		if o.Offered {
			options = append(options, o)
			items = append(items, item{label: o.Title(), state: o.Help})
		}
	}
	f.println("%s. Now: %s.", in.Label, valueText(in.State))
	f.list(items)
	return f.ask(ctx, question{
		prompt: in.Label + ", a number", help: f.help(a.row), words: fieldWords(a.row),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
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
			root, err := set(f.root, p, options[i].Value)
			if err != nil {
				return invalid("%s", phrase.Sentence(err.Error()))
			}
			return f.saveRow(ctx, root, a.row, in.Label+": "+options[i].Title()+".")
		},
	})
}

// filterValue asks for the value to compare with: one text, several, or both ends of a range.
func (f filters) filterValue(ctx context.Context, p doc.Path, in audience.Input) error {
	held := f.root.Lookup(p)
	texts, ok := audience.Values(held)
	shape := audience.ValueShape(held)
	if !ok {
		return f.field(ctx, row{FieldState: in.State, label: in.Label}, 0, 0)
	}
	switch shape {
	case audience.NoValue:
		return nil
	case audience.ValueRange, audience.DateRange:
		for end, label := range []string{"From", "To"} {
			if err := f.filterText(ctx, p, in, label, shape, end); err != nil {
				return err
			}
		}
		return nil
	case audience.ValueList:
		return f.filterList(ctx, p, in, texts)
	}
	return f.filterText(ctx, p, in, in.Label, shape, 0)
}

var shapeHints = map[audience.Shape]string{
	audience.YesOrNo:      ", yes or no",
	audience.RelativeDays: ", a number of days",
	audience.Date:         ", such as 2026-12-01, yesterday or 30 days ago",
	audience.DateRange:    ", such as 2026-12-01, yesterday or 30 days ago",
	audience.Expression:   ", an expression such as {{user.country}}",
}

// filterText asks for one text of a value; end is its index.
func (f filters) filterText(ctx context.Context, p doc.Path, in audience.Input, label string, shape audience.Shape, end int) error {
	a := &fieldQuestion{fields: f.fields, row: row{FieldState: in.State, label: label}}
	texts, _ := audience.Values(f.root.Lookup(p))
	held := "empty"
	if end < len(texts) && texts[end] != "" {
		held = texts[end]
	}
	f.println("%s. Now: %s.", label, held)
	return f.ask(ctx, question{
		prompt: label + shapeHints[shape], text: true, help: f.help(a.row), words: fieldWords(a.row),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			text, said, err := f.filterWire(got.text, shape)
			if err != nil {
				return err
			}
			next := []string{text}
			if shape == audience.ValueRange || shape == audience.DateRange {
				next = []string{"", ""}
				if old, ok := audience.Values(f.root.Lookup(p)); ok {
					copy(next, old)
				}
				next[end] = text
			}
			root, err := audience.SetValues(f.root, p, next)
			if err != nil {
				return invalid("%s", phrase.Sentence(err.Error()))
			}
			return f.saveRow(ctx, root, a.row, said)
		},
	})
}

// filterWire converts a text to a filter's wire value.
func (f filters) filterWire(text string, shape audience.Shape) (wire, said string, err error) {
	switch shape {
	case audience.Date, audience.DateRange:
		d, err := audience.ParseDate(text, f.audienceEnv())
		if err != nil {
			return "", "", invalid("%s", phrase.Sentence(err.Error()))
		}
		return d.Wire, "Understood as " + d.Text + ".", nil
	case audience.YesOrNo:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "y", "yes", "true":
			return "true", "", nil
		case "n", "no", "false":
			return "false", "", nil
		}
		return "", "", invalid("Answer yes or no.")
	}
	return text, "", nil
}

// filterList asks for several texts, one per line, until an empty line.
func (f filters) filterList(ctx context.Context, p doc.Path, in audience.Input, had []string) error {
	a := &fieldQuestion{fields: f.fields, row: row{FieldState: in.State, label: in.Label}}
	held := "empty"
	if len(had) > 0 {
		held = strings.Join(had, ", ")
	}
	f.println("%s, one or several. Now: %s. Your first value replaces them all.", in.Label, held)
	var next []string
	for {
		done := false
		prompt := in.Label + ", the first"
		if len(next) > 0 {
			prompt = "Another value, Enter when done"
		}
		err := f.ask(ctx, question{
			prompt: prompt, text: true, help: f.help(a.row), words: fieldWords(a.row),
			handle: func(got answer) error {
				if ended, err := a.commonAnswer(ctx, got); ended {
					done = true
					return err
				}
				next = append(next, got.text)
				root, err := audience.SetValues(f.root, p, next)
				if err != nil {
					next = next[:len(next)-1]
					return invalid("%s", phrase.Sentence(err.Error()))
				}
				return f.saveRow(ctx, root, a.row, "")
			},
		})
		if err != nil || done {
			return err
		}
	}
}

package accessible

import (
	"context"
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// choice asks for one of a few values.
func (f *fields) choice(ctx context.Context, r row) error {
	a := &fieldQuestion{fields: f, row: r}
	if r.Node.Kind == schema.Bool {
		prompt := r.label + "? (yes or no)"
		if r.Node.Yes != "" {
			prompt = r.label + ": " + r.Node.Yes + "? (yes, or no: " + r.Node.No + ")"
		}
		return f.ask(ctx, question{
			prompt: prompt, help: f.help(r), words: fieldWords(r),
			handle: func(got answer) error {
				if done, err := a.commonAnswer(ctx, got); done {
					return err
				}
				switch strings.ToLower(strings.TrimSpace(got.text)) {
				case "y", "yes":
					return a.saveValue(ctx, doc.NewBool(true), "")
				case "n", "no":
					return a.saveValue(ctx, doc.NewBool(false), "")
				}
				return invalid("Answer yes or no. Press Enter to leave it as it is.")
			},
		})
	}
	items := optionItems(r.Options)
	f.list(items)
	return f.ask(ctx, question{
		prompt: r.label + ", 1 to " + strconv.Itoa(len(items)), help: f.help(r), words: fieldWords(r),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			i, err := pickOption(items, r.Options, strings.TrimSpace(got.text))
			if err != nil {
				return err
			}
			return a.saveValue(ctx, optionValue(r.Node, r.Options[i]), r.label+": "+r.Options[i].Title()+".")
		},
	})
}

func optionItems(options []schema.OptionState) []item {
	items := make([]item, len(options))
	for i, o := range options {
		items[i] = item{label: o.Title(), state: o.Help}
		if !o.Offered {
			items[i].disabledReason = phrase.Sentence(o.Why)
		}
	}
	return items
}

// pickOption finds an option by its number, its name, or its wire value.
func pickOption(items []item, options []schema.OptionState, text string) (int, error) {
	for i, o := range options {
		if strings.EqualFold(o.Value, text) && items[i].disabledReason == "" {
			return i, nil
		}
	}
	found, err := pickItem(items, text)
	for i := range items {
		if found == &items[i] {
			return i, nil
		}
	}
	return 0, err
}

func optionValue(n *schema.Node, o schema.OptionState) doc.Value {
	if n.Kind == schema.Integer || n.Kind == schema.Number {
		if v, ok := doc.NewNumber(o.Value); ok {
			return v
		}
	}
	return doc.NewString(o.Value)
}

// multiChoice asks for several of a few values: each number toggles one, until an empty line.
func (f *fields) multiChoice(ctx context.Context, r row) error {
	if r.Value.Exists() && r.Value.Kind() != doc.Array {
		return f.anyValue(ctx, r)
	}
	for {
		elem := f.rowAt(r.Path.Elem(r.Value.Len()))
		options := elem.Options
		items := optionItems(options)
		for i, o := range options {
			items[i].state = "not chosen"
			if indexOf(r.Value, optionValue(r.Node.Element, o)) >= 0 {
				items[i].state = "chosen"
			}
		}
		f.list(items)
		a := &fieldQuestion{fields: f, row: r}
		done := false
		err := f.ask(ctx, question{
			prompt: r.label + ", numbers to turn on or off, Enter when done", help: f.help(r), words: fieldWords(r),
			handle: func(got answer) error {
				if ended, err := a.commonAnswer(ctx, got); ended {
					done = got.word != wordClear
					return err
				}
				v := r.Value
				for _, text := range strings.FieldsFunc(got.text, func(c rune) bool { return c == ' ' || c == ',' || c == ';' }) {
					i, err := pickOption(items, options, text)
					if err != nil {
						return err
					}
					v = toggled(v, optionValue(r.Node.Element, options[i]))
				}
				return a.saveValue(ctx, v, "")
			},
		})
		if err != nil || done {
			return err
		}
		r.FieldState = f.rowAt(r.Path).FieldState
	}
}

func indexOf(list, v doc.Value) int {
	for i, e := range list.Elems() {
		if doc.Equal(e, v) {
			return i
		}
	}
	return -1
}

// toggled returns the list with v appended or removed; absent if it is empty.
func toggled(list, v doc.Value) doc.Value {
	if i := indexOf(list, v); i >= 0 {
		if list.Len() == 1 {
			return doc.Value{}
		}
		return list.Delete(doc.P(i))
	}
	out, err := list.Set(doc.P(list.Len()), v)
	if err != nil {
		return list
	}
	return out
}

package filters

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Read says the audience in a sentence, and its groups and filters; or asks for what the open filter needs.
func (t *Tree) Read(do editor.Hands) screen.Page {
	switch {
	case t.menu != nil:
		return t.readMenu(do)
	case t.open != nil:
		return t.readFilter(do)
	}
	page := screen.Page{Summary: phrase.Sentence(t.sentenceText()), Warning: t.failure, Cursor: t.cursor + 1}
	var rows screen.RowSlice
	for i, n := range t.nodes {
		row := screen.Row{Text: n.Text, Select: func() tea.Cmd {
			t.cursor = i
			t.rebuild()
			return nil
		}}
		if n.Kind == audience.Group {
			row.Text = strings.TrimSpace(n.Title + " group")
			row.State = phrase.Count(n.Count, "filter")
		}
		if n.Depth > 1 {
			row.Text = "inside, " + row.Text
		}
		if n.Problems > 0 {
			row.Problem = phrase.Count(n.Problems, "problem")
		}
		rows = append(rows, row)
	}
	page.Parts = []screen.Part{{Rows: rows}}
	return page
}

// readMenu asks what kind of filter to add.
func (t *Tree) readMenu(do editor.Hands) screen.Page {
	var rows screen.RowSlice
	for _, o := range t.menu.options {
		rows = append(rows, screen.Row{Text: o.kind.Label(), State: o.help, Open: func() tea.Cmd {
			t.add(o)
			t.rebuild()
			return do.Adopt()
		}})
	}
	return screen.Page{Place: t.menu.title, Question: true, Parts: []screen.Part{{Rows: rows}}}
}

// readFilter asks for the inputs of the open filter.
func (t *Tree) readFilter(do editor.Hands) screen.Page {
	page := screen.Page{Place: "Filter", Form: true, Cursor: t.open.Cursor() + 1, After: []string{phrase.Sentence(t.node().Text)}}
	var rows screen.RowSlice
	for i, p := range t.open.inputs.parts(t.root) {
		if in := t.open.inputs.Inputs(t.root)[i]; in.Node != nil && in.Shown {
			rows = append(rows, t.readInput(in, p, do))
		}
	}
	page.Parts = []screen.Part{{Rows: rows}}
	return page
}

// readInput is one input of the open filter.
func (t *Tree) readInput(in forms.Input, of part, do editor.Hands) screen.Row {
	row := screen.Row{Text: in.Label, State: in.Text}
	for _, p := range t.problems {
		ends := of.value && (of.shape == audience.ValueRange || of.shape == audience.DateRange)
		if p.Path.Equal(in.Path) && (!ends || of.end == 1) { // of both ends, after the second one
			row.Problem = p.Text()
		}
	}
	write := func(text string) error {
		root, err := t.open.inputs.Write(t.root, in, text)
		if err == nil && !root.Same(t.root) {
			t.root, t.wasOperation = root, false
			t.refresh()
			t.goTo(t.open.inputs.filter)
			t.open.Reload(t.root)
		}
		return err
	}
	field := &screen.FormField{Value: in.Text, Required: t.open.inputs.needs(of), Example: in.Placeholder, Set: func(text string) (string, tea.Cmd, error) {
		words, err := t.open.inputs.Read(t.root, in, text)
		if err == nil {
			err = write(text)
		}
		if err != nil || in.Kind != forms.InputDate {
			return "", do.Adopt(), err
		}
		return "Understood as " + words + ".", do.Adopt(), nil
	}}
	row.Field = field
	switch in.Kind {
	case forms.InputFixed:
		field.Locked = "It cannot be changed here."
	case forms.InputChoice:
		field.Options = optionsOf(in)
		for _, o := range field.Options {
			if o.On {
				row.State = o.Label
			}
		}
		return row
	}
	for _, it := range in.Suggest {
		field.Names = append(field.Names, it.Value)
	}
	if in.Kind != forms.InputName {
		field.Clear = func() tea.Cmd {
			if err := write(""); err != nil {
				return screen.Notify(widget.LevelError, err.Error())
			}
			return do.Adopt()
		}
	}
	return row
}

// optionsOf returns what can be chosen for an input.
func optionsOf(in forms.Input) []screen.FormOption {
	if in.Node.Kind == schema.Bool {
		return []screen.FormOption{{Value: "true", Label: "Yes", On: in.Text == "true"}, {Value: "false", Label: "No", On: in.Text == "false"}}
	}
	var out []screen.FormOption
	for _, o := range in.Options {
		if o.Offered {
			out = append(out, screen.FormOption{Value: o.Value, Label: o.Title(), Help: o.Help, On: o.Value == in.Text})
		}
	}
	return out
}

// Read says how many users match, and some of them.
func (a *audiencePanel) Read() []string {
	a.SetSize(screen.Wide, screen.Wide)
	var out []string
	for _, line := range list.SpokenLines(strings.Join(a.lines, "\n")) {
		if strings.Trim(line, "━╌─ ") != "" {
			out = append(out, line)
		}
	}
	return out
}

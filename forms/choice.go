package forms

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/textfield"
	"bugle/forms/typeahead"
	"bugle/themes"
)

// Option is one of the possible values of a field.
type Option struct {
	Value, Label, Help string
	Unavailable        string // why it cannot be chosen
	On                 bool   // it is the value, or part of it

	value doc.Value // absent if it leaves the field empty
}

// options returns the values that a row can have, and those that it has although they are not available.
func (f *Form) options(r row) []Option {
	n, states := r.Node, r.Options
	on := func(v doc.Value) bool { return doc.Equal(v, r.Value) }
	if r.Shape == shapeChecklist {
		if st, ok := f.cfg.Schema.Field(f.root, r.Path.Elem(0), f.cfg.Env); ok {
			states = st.Options
		} else {
			states = optionStates(n.Element)
		}
		n, on = n.Element, func(v doc.Value) bool { return contains(r.Value, v) }
	}
	if n.Kind == schema.Bool {
		yes, no := boolLabels(n)
		return []Option{{Value: "true", Label: yes, On: on(doc.NewBool(true)), value: doc.NewBool(true)},
			{Value: "false", Label: no, On: on(doc.NewBool(false)), value: doc.NewBool(false)}}
	}
	var out []Option
	for _, o := range states {
		opt := Option{Value: o.Value, Label: o.Title(), Help: o.Help, value: o.Literal(n.Kind)}
		if opt.On = on(opt.value); !o.Offered {
			opt.Unavailable = o.Why
		}
		if o.Offered || opt.On {
			out = append(out, opt)
		}
	}
	return out
}

// choice edits a value that is one of a few, or a list of such values. Closed, it is one line: enter, space and letters
// open it, and space toggles a boolean. Open, it is a list that is filtered by typing, or in which values are ticked.
//
// Of a list it only adds and removes what the user ticks and unticks: order, repeated elements and elements that are
// not options are kept.
type choice struct {
	options       []Option
	start, chosen []int     // one option, or those that are ticked
	many          bool      // the value is a list
	list          doc.Value // the list at the start
	toggles       bool      // space selects the next option
	theme         *themes.Theme

	filter *textfield.Field // nil if the choice is closed
	menu   typeahead.List   // the options that match the filter
}

// newChoice returns the editor of a field, or of a list if many is set. It adds an option that leaves the field empty, and
// those that keep what is not among the options.
func newChoice(t *themes.Theme, st schema.FieldState, options []Option, many bool) *choice {
	e := &choice{many: many, theme: t, toggles: st.Node.Kind == schema.Bool}
	keep := func(v doc.Value) {
		if v.Exists() && !slices.ContainsFunc(options, func(o Option) bool { return doc.Equal(o.value, v) }) {
			options = append(options, Option{Label: "(keep: " + firstRunes(keepText(v), 60) + ")", On: true, value: v})
		}
	}
	if many {
		e.list = st.Value
		for _, v := range st.Value.Elems() {
			keep(v)
		}
	} else {
		options = append([]Option{{Label: unsetText(st)}}, options...)
		keep(st.Value)
	}
	for i, o := range options {
		if o.Unavailable != "" {
			o.Label += " (" + o.Unavailable + ")"
		}
		if o.On {
			e.start = append(e.start, i)
		}
		e.options = append(e.options, o)
	}
	if !many {
		e.start = append(e.start, 0)[:1]
	}
	e.chosen = slices.Clone(e.start)
	return e
}

func contains(list, v doc.Value) bool {
	for _, e := range list.Elems() {
		if doc.Equal(e, v) {
			return true
		}
	}
	return false
}

// indexOf returns the index of the option that has a value; -1 if none has.
func (e *choice) indexOf(v doc.Value) int {
	return slices.IndexFunc(e.options, func(o Option) bool { return doc.Equal(o.value, v) })
}

// unsetText describes what happens if a field has no value.
func unsetText(st schema.FieldState) string {
	switch {
	case st.Node.Default != "":
		return "Default (" + defaultValue(st.Node) + ")"
	case st.Required:
		return "Not set"
	}
	return "None"
}

// boolLabels returns the labels of the values of a boolean.
func boolLabels(n *schema.Node) (yes, no string) {
	yes, no = "yes", "no"
	if n != nil && n.Yes != "" {
		yes, no = n.Yes, n.No
	}
	return yes, no
}

func keepText(v doc.Value) string {
	if v.Kind() == doc.String {
		return oneLine(v.Text())
	}
	return oneLine(string(v.Encode()))
}

func (e *choice) typing() bool { return e.filter != nil }
func (e *choice) modal() bool  { return e.filter != nil }

// value returns the chosen value, or the list with what was ticked and without what was unticked.
func (e *choice) value() (doc.Value, bool) {
	if slices.Equal(e.start, e.chosen) {
		return doc.Value{}, false
	}
	if !e.many {
		return e.options[e.chosen[0]].value, true
	}
	var out []doc.Value
	for _, v := range e.list.Elems() {
		if slices.Contains(e.chosen, e.indexOf(v)) {
			out = append(out, v)
		}
	}
	for _, i := range e.chosen {
		if !slices.Contains(e.start, i) {
			out = append(out, e.options[i].value)
		}
	}
	if len(out) == 0 {
		return doc.Value{}, true
	}
	return doc.NewArray(out...), true
}

func (e *choice) key(msg tea.KeyMsg) bool {
	pressed := msg.String()
	switch {
	case e.modal():
		e.openKey(msg)
	case pressed == " " && e.toggles:
		e.chosen = []int{(e.chosen[0] + 1) % len(e.options)}
	case len(e.options) == 0:
		return false
	case pressed == "enter", pressed == " ":
		e.show("")
	case !e.many && msg.Type == tea.KeyRunes && !msg.Alt && !msg.Paste:
		e.show(string(msg.Runes)) // a letter filters the options
	default:
		return false
	}
	return true
}

// openKey handles a key in the open list.
func (e *choice) openKey(msg tea.KeyMsg) {
	switch pressed := msg.String(); {
	case pressed == "esc", e.many && (pressed == "enter" || pressed == "tab"):
		e.filter = nil
	case pressed == "enter", pressed == "tab", e.many && pressed == " ":
		if r, ok := e.menu.Highlighted(); ok {
			e.choose(r.Ref)
		}
	case !e.many && e.filter.Key(msg):
		e.narrow()
	default:
		e.menu.Key(pressed)
	}
}

// show opens the list of all options, or of those that match a text.
func (e *choice) show(text string) {
	e.filter = textfield.New(e.theme, "type to find")
	e.filter.Focus()
	e.filter.SetText(text)
	e.narrow()
	if !e.many && text == "" {
		e.menu.Highlight(e.chosen[0])
	}
}

// narrow lists the options that match the filter.
func (e *choice) narrow() {
	var items []typeahead.Item
	for i, o := range e.options {
		label := oneLine(o.Label)
		switch {
		case e.many && slices.Contains(e.chosen, i):
			label = "[x] " + label
		case e.many:
			label = "[ ] " + label
		}
		items = append(items, typeahead.Item{Value: label, Ref: i})
	}
	text := e.filter.Text()
	if text != "" { // what leaves the field empty comes last
		items = typeahead.Match(append(items[1:], items[0]), text)
	}
	e.menu.Clear() // the best match is highlighted
	e.menu.Show(typeahead.Options{Items: items, Text: text, Typed: true})
}

// wheel moves the highlight of the open list.
func (e *choice) wheel(by int) { e.menu.Highlight(e.menu.At() + by) }

// chooseAt chooses the option on line y of the view, or turns its tick round.
func (e *choice) chooseAt(y int) {
	if !e.many {
		y-- // the filter
	}
	if i, ok := e.menu.RowAt(y); ok && e.menu.Highlight(i) {
		r, _ := e.menu.Highlighted()
		e.choose(r.Ref)
	}
}

// choose chooses an option, or turns its tick round.
func (e *choice) choose(at int) {
	switch {
	case !e.many:
		e.chosen, e.filter = []int{at}, nil
		return
	case slices.Contains(e.chosen, at):
		e.chosen = slices.DeleteFunc(e.chosen, func(i int) bool { return i == at })
	default:
		e.chosen = append(e.chosen, at)
		slices.Sort(e.chosen)
	}
	if e.modal() {
		e.narrow()
		e.menu.Highlight(at)
	}
}

// label returns what is chosen.
func (e *choice) label() string {
	var on []string
	for _, i := range e.chosen {
		on = append(on, e.options[i].Label)
	}
	if len(on) == 0 {
		return "None"
	}
	return strings.Join(on, ", ")
}

func (e *choice) view(w, h int) string {
	if !e.modal() {
		return cutLine(e.label(), w-2) + e.theme.Faint.Render(" ▾")
	}
	var out []string
	if !e.many {
		e.filter.SetSize(w-1, 1)
		out = append(out, e.theme.Accent.Render("/")+e.filter.View())
	}
	if e.menu.Len() == 0 {
		return strings.Join(append(out, e.theme.Faint.Render("  no match")), "\n")
	}
	return strings.Join(append(out, e.menu.Lines(e.theme, w, max(h-len(out), 1))...), "\n")
}

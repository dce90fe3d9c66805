package forms

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/textfield"
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
	n, states := r.Node, f.state(r).Options
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
// open it, and space toggles a boolean. Open, it is a Select of huh that is filtered by typing, or a MultiSelect.
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
	styles        *themes.Styles // with which the open list was built

	open   huh.Field        // over private copies of the index and the ticks; nil if the choice is closed
	filter *textfield.Field // of the open Select
	shown  []int            // the options that match the filter
	at     int              // the option under the cursor of the Select
	from   int              // the first visible line of the open list
	w      int              // width of the open list
}

// beforeDrawn is the width of a list before it is drawn: enough to tell options apart, which huh does by their text.
const beforeDrawn = 80

// newChoice returns the editor of a field, or of a list if many is set. It adds an option that leaves the field empty, and
// those that keep what is not among the options.
func newChoice(t *themes.Theme, st schema.FieldState, options []Option, many bool) *choice {
	e := &choice{many: many, theme: t, toggles: st.Node.Kind == schema.Bool, w: beforeDrawn}
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
		for slices.ContainsFunc(e.options, func(other Option) bool { return many && other.Label == o.Label }) {
			o.Label += "'" // huh identifies options by their labels
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

func (e *choice) typing() bool { return e.open != nil }
func (e *choice) modal() bool  { return e.open != nil }

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
	case e.open != nil:
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
		e.open = nil
	case pressed == "enter", pressed == "tab":
		if len(e.shown) > 0 {
			e.choose(e.at)
		}
	case !e.many && e.filter.Key(msg):
		e.narrow()
	case len(e.shown) > 0: // huh would move to an option that does not exist
		e.open.Update(msg)
		slices.Sort(e.chosen)
	}
}

// show opens the list of all options, or of those that match a text.
func (e *choice) show(text string) {
	e.filter, e.at, e.from = textfield.New(e.theme, "type to find"), 0, 0
	if !e.many {
		e.at = e.chosen[0]
	}
	e.filter.Focus()
	e.filter.SetText(text)
	e.narrow()
}

// narrow lists the options that match the filter, with the cursor on the first that has a value.
func (e *choice) narrow() {
	text := e.filter.Text()
	e.shown = nil
	for i, o := range e.options {
		if strings.Contains(strings.ToLower(o.Label), strings.ToLower(text)) {
			e.shown = append(e.shown, i)
		}
	}
	if n := len(e.shown); text != "" && n > 0 {
		e.at = e.shown[0]
		if n > 1 && !e.options[e.at].value.Exists() {
			e.at = e.shown[1]
		}
	}
	e.build()
}

// build creates the field of huh for the current size. Its value is set after its options: otherwise the list starts
// scrolled to the value.
func (e *choice) build() {
	e.styles = e.theme.Styles
	var opts []huh.Option[int]
	room := e.w - 2 // beside the mark
	if e.many {
		room -= 4 // and the tick
	}
	for _, i := range e.shown {
		opts = append(opts, huh.NewOption(cutLine(oneLine(e.options[i].Label), max(room, 1)), i))
	}
	if e.many {
		e.open = huh.NewMultiSelect[int]().Options(opts...).Value(&e.chosen).Filterable(false)
	} else {
		e.open = huh.NewSelect[int]().Options(opts...).Value(&e.at)
	}
	e.open = e.open.WithTheme(huhTheme(e.theme)).WithKeyMap(huhKeys()).WithWidth(e.w)
	e.open.Focus()
}

// hovered returns the index in shown of the option under the cursor.
func (e *choice) hovered() int {
	at := e.at
	if list, ok := e.open.(*huh.MultiSelect[int]); ok {
		at, _ = list.Hovered()
	}
	return max(slices.Index(e.shown, at), 0)
}

// wheel moves the cursor of the open list.
func (e *choice) wheel(by int) {
	e.openKey(tea.KeyMsg{Type: map[int]tea.KeyType{-1: tea.KeyUp, 1: tea.KeyDown}[by]})
}

// chooseAt chooses the option on line y of the view, or turns its tick round.
func (e *choice) chooseAt(y int) {
	if !e.many {
		y-- // the filter
	}
	if y < 0 || e.from+y >= len(e.shown) {
		return
	}
	e.choose(e.shown[e.from+y])
}

// choose chooses an option, or turns its tick round.
func (e *choice) choose(at int) {
	switch {
	case !e.many:
		e.chosen, e.open = []int{at}, nil
	case slices.Contains(e.chosen, at):
		e.chosen = slices.DeleteFunc(e.chosen, func(i int) bool { return i == at })
	default:
		e.chosen = append(e.chosen, at)
		slices.Sort(e.chosen)
	}
	if e.open != nil {
		e.build()
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
	if e.open != nil && (e.w != w || e.styles != e.theme.Styles) {
		e.w = w
		e.build()
	}
	if e.open == nil {
		return cutLine(e.label(), w-2) + e.theme.Faint.Render(" ▾")
	}
	var out []string
	if !e.many {
		e.filter.SetSize(w-1, 1)
		out = append(out, e.theme.Accent.Render("/")+e.filter.View())
	}
	if len(e.shown) == 0 {
		return strings.Join(append(out, e.theme.Faint.Render("  no match")), "\n")
	}
	lines := strings.Split(e.open.View(), "\n")
	h = max(min(h-len(out), len(e.shown)), 1)
	e.from = min(max(e.hovered()-h+1, 0), len(e.shown)-h)
	to := e.from + h
	out = append(out, lines[e.from:min(to, len(lines))]...)
	if more := len(e.shown) - to; more > 0 {
		out[len(out)-1] = strings.TrimRight(out[len(out)-1], " ") + e.theme.Faint.Render(fmt.Sprintf("  (%d more)", more))
	}
	return strings.Join(out, "\n")
}

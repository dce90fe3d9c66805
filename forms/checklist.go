package forms

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// checklist edits a list of enumerated values. It only adds and removes what the user ticks and unticks: order,
// repeated elements and elements that are not options are kept.
type checklist struct {
	list     doc.Value
	options  []option
	original []int // options that the list contained
	ticked   []int // the widget's private buffer
	open     *huh.MultiSelect[int]
	style    widgetStyle
	width    int
	height   int
}

func newChecklist(l widgetStyle, st schema.FieldState, options []schema.OptionState, w, h int) *checklist {
	e := &checklist{list: st.Value, style: l, width: w, height: h}
	for _, o := range options {
		v := o.Literal(st.Node.Element.Kind)
		if holds := contains(st.Value, v); holds || o.Offered {
			label := o.Title()
			if !o.Offered {
				label += " (" + o.Why + ")"
			}
			e.add(label, v, holds)
		}
	}
	for _, v := range st.Value.Elems() {
		if !slices.ContainsFunc(e.options, func(o option) bool { return doc.Equal(o.value, v) }) {
			e.add("(keep: "+firstRunes(keepText(v), 60)+")", v, true)
		}
	}
	e.ticked = slices.Clone(e.original)
	return e
}

func (e *checklist) add(label string, v doc.Value, holds bool) {
	// huh identifies options by their labels.
	for slices.ContainsFunc(e.options, func(o option) bool { return o.label == label }) {
		label += "'"
	}
	if holds {
		e.original = append(e.original, len(e.options))
	}
	e.options = append(e.options, option{label: label, value: v})
}

func contains(list, v doc.Value) bool {
	for _, e := range list.Elems() {
		if doc.Equal(e, v) {
			return true
		}
	}
	return false
}

func (e *checklist) typing() bool { return e.open != nil }
func (e *checklist) modal() bool  { return e.open != nil }

func (e *checklist) value() (doc.Value, bool) {
	if slices.Equal(e.original, e.ticked) {
		return doc.Value{}, false
	}
	var out []doc.Value
	for _, v := range e.list.Elems() {
		i := slices.IndexFunc(e.options, func(o option) bool { return doc.Equal(o.value, v) })
		if slices.Contains(e.ticked, i) {
			out = append(out, v)
		}
	}
	for _, i := range e.ticked {
		if !slices.Contains(e.original, i) {
			out = append(out, e.options[i].value)
		}
	}
	if len(out) == 0 {
		return doc.Value{}, true
	}
	return doc.NewArray(out...), true
}

func (e *checklist) key(msg tea.KeyMsg) bool {
	s := msg.String()
	switch {
	case e.open == nil && (s == "enter" || s == " ") && len(e.options) > 0:
		e.build(e.width, e.height)
	case e.open == nil:
		return false
	case s == "enter" || s == "esc" || s == "tab":
		e.open = nil
	default:
		e.open.Update(msg)
		slices.Sort(e.ticked)
	}
	return true
}

// step moves the highlight of the open list.
func (e *checklist) step(by int) { e.open.Update(arrow(by)) }

// chooseAt toggles the option on line y of the open list.
func (e *checklist) chooseAt(y int) bool {
	return moveToLine(e.open.View(), y, e.step) && e.key(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
}

func (e *checklist) view(w, h int) string {
	if e.open == nil {
		var on []string
		for _, i := range e.ticked {
			on = append(on, e.options[i].label)
		}
		if len(on) == 0 {
			on = []string{"None"}
		}
		return cutLine(strings.Join(on, ", "), w-2) + e.style.t.Faint.Render(" ▾")
	}
	if e.width != w || e.height != h {
		e.build(w, h)
	}
	return e.open.View()
}

// build creates the widget for a size. The ticks are set after the options; otherwise the list starts scrolled
// to the first tick.
func (e *checklist) build(w, h int) {
	opts := make([]huh.Option[int], len(e.options))
	for i, o := range e.options {
		opts[i] = huh.NewOption(cutLine(oneLine(o.label), max(w-6, 1)), i)
	}
	e.open = huh.NewMultiSelect[int]().Options(opts...).Value(&e.ticked).Filterable(false)
	e.open.WithTheme(e.style.theme).WithKeyMap(e.style.keys).WithWidth(w)
	if len(opts) > h {
		e.open.WithHeight(max(h, 1))
	}
	e.open.Focus()
	slices.Sort(e.ticked)
	e.width, e.height = w, h
}

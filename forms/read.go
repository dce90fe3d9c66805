package forms

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Line is a row of a form in words, as plain mode reads it.
type Line struct {
	schema.FieldState
	Label string
	// Value is the value in words, and Text as it is edited.
	Value, Text string
	Problem     string
	Locked      string // why it cannot be changed
	Required    bool   // it is required here
	Opens       bool   // it has a form of its own
	Adds        bool   // it adds an entry to the list or map
	Named       bool   // it adds an entry by its name, which has a value then
	Help        []string
	Choices     []Option // the only possible values; none if it is not a choice
	Several     bool     // each answer turns one of the choices on or off
	Names       []string // suggestions
	Closed      bool     // only the suggestions are valid
	Example     string
}

// Lines returns the rows of the form in words.
func (f *Form) Lines() []Line {
	out := make([]Line, len(f.rows))
	for i, r := range f.rows {
		out[i] = f.line(r)
		if i > 0 && r.contains(out[i-1].Path) {
			out[i-1].Problem = "" // it is that of a range, after the second end
		}
	}
	return out
}

// Remarks returns the problems with the form's object that no row shows.
func (f *Form) Remarks() []string {
	var out []string
	for _, p := range f.unshown() {
		out = append(out, phrase.Sentence(f.formMessage(p)))
	}
	return out
}

// Cursor returns the index of the focused row.
func (f *Form) Cursor() int { return f.cursor }

// IsList reports whether the rows are the entries of a list or map.
func (f *Form) IsList() bool {
	return f.list || f.node != nil && f.node.Kind == schema.Map
}

// FocusLine focuses a row by its index in Lines.
func (f *Form) FocusLine(i int) {
	f.focus(i)
}

func (f *Form) line(r row) Line {
	l := Line{FieldState: r.FieldState, Label: r.Label, Text: r.Text, Locked: r.locked, Required: r.required, Example: r.Placeholder,
		Opens: r.Shape == shapeSubform && r.group != groupAdder, Adds: r.group == groupAdder}
	if l.Adds {
		l.Label = phrase.Capitalize(strings.TrimPrefix(r.Label, "+ "))
		l.Opens, l.Named = f.list, !f.list
		return l
	}
	if f.list && r.Node != nil { // without a node, it is a value that is no list
		l.Label = fmt.Sprintf("%s %s", phrase.Capitalize(cmp.Or(strings.ToLower(r.Node.Title), "entry")), r.Label)
	}
	l.Value = f.valueInWords(r)
	switch r.group {
	case groupUnused:
		l.Locked = cmp.Or(l.Locked, "It is not used here: "+r.Why)
	case groupUnknown:
		l.Locked = cmp.Or(l.Locked, "This field is unknown. It is kept as it is.")
	case groupFields:
		switch r.Shape {
		case ShapeFixed:
			l.Locked = cmp.Or(l.Locked, "It cannot be changed here.")
		case ShapeChoice, shapeChecklist:
			l.Choices, l.Several = f.options(r), r.Shape == shapeChecklist
		default:
			for _, it := range f.suggestions(r) {
				l.Names = append(l.Names, it.Value)
			}
			l.Closed = len(l.Names) > 0 && r.Shape == ShapeText && (hasForm(r.Node, schema.Zone) || slices.ContainsFunc(r.Node.Rules, isConfigured))
		}
	}
	if r.Node != nil {
		l.Help = f.cfg.Schema.NotesOf(r.FieldState)
	}
	if p := f.problemAt(r); p != nil && p.Severity == schema.Error {
		l.Problem = f.problemText(r, p)
	} else if p != nil { // a warning does not make an answer wrong
		l.Help = append(l.Help, phrase.Sentence(f.problemText(r, p)))
	}
	return l
}

func isConfigured(r schema.Rule) bool {
	_, ok := schema.Unguarded(r).(schema.Configured)
	return ok
}

// valueInWords returns the value of a row in words; empty if it has none.
func (f *Form) valueInWords(r row) string {
	if moment, off := f.describeTime(r); moment != "" {
		return moment + ", " + off
	}
	switch {
	case r.Write != nil && r.Shape != ShapeChoice:
		return r.Text
	case r.Shape == shapeSubform:
		return strings.ReplaceAll(summary(r.Node, r.Value), " · ", ", ")
	case r.Node == nil:
		return oneLine(firstRunes(string(r.Value.Encode()), 300))
	case r.Value.Kind() == doc.String && len(r.Options) == 0 && strings.Contains(r.Value.Text(), "\n"):
		if n := strings.Count(r.Value.Text(), "\n"); n > 0 {
			first, _, _ := strings.Cut(r.Value.Text(), "\n")
			return phrase.Count(n+1, "line") + ", beginning: " + firstRunes(first, 60)
		}
	}
	return valueText(r.FieldState)
}

// Answer sets a row to what was answered for it in plain mode: a text as it is typed, or one of its choices by its value. It
// returns how the answer was understood if that is not obvious.
func (f *Form) Answer(i int, text string) (said string, err error) {
	if i < 0 || i >= len(f.rows) {
		return "", errors.New("this field is gone")
	}
	r := f.rows[i]
	if l := f.line(r); l.Locked != "" || l.Opens {
		return "", errors.New(phrase.Sentence(cmp.Or(l.Locked, "open it to change it")))
	}
	f.FocusLine(i)
	f.failure = ""
	root, to := f.root, r.Path
	switch {
	case r.group == groupAdder:
		to = r.Path.Child(text)
		root, err = f.addNamed(root, text)
	default:
		root, said, err = f.answered(r, text)
	}
	if err != nil {
		return "", err
	}
	f.setRoot(root)
	if r.group != groupAdder || !f.FocusPath(to) {
		f.focus(f.cursor)
	}
	return said, nil
}

// answered returns the document with an answer for a row.
func (f *Form) answered(r row, text string) (out doc.Value, said string, err error) {
	v := f.typedValue(f.root, r, text)
	switch {
	case r.Shape == ShapeChoice, r.Shape == shapeChecklist:
		e := newChoice(f.cfg.Theme, r.FieldState, f.options(r), r.Shape == shapeChecklist)
		at := slices.IndexFunc(e.options, func(o Option) bool { return o.Value == text && o.value.Exists() })
		if at < 0 {
			return f.root, "", errors.New("this is not one of the choices")
		}
		e.choose(at)
		changed := false
		if v, changed = e.value(); !changed {
			return f.root, "", nil
		}
	case r.Read != nil:
		words, notes, err := r.Read(f.root, text)
		if err != nil {
			return f.root, "", err
		}
		if r.Shape == ShapeText && words != "" {
			said = "Understood as " + strings.ReplaceAll(words, " · ", ", ") + "."
		}
		for _, n := range notes {
			said += " " + phrase.Sentence(n)
		}
	}
	out, err = f.write(f.root, r, v)
	return out, said, err
}

// ClearLine removes the value of a row.
func (f *Form) ClearLine(i int) {
	f.FocusLine(i)
	if r, ok := f.focused(); ok && r.group != groupAdder && r.group != groupResponseOnly {
		f.remove(r)
	}
}

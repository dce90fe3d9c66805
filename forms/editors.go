package forms

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// editor edits the focused field.
type editor interface {
	// key handles a key, and returns false for one that it does not use.
	key(tea.KeyMsg) bool
	// value returns the field's value, absent if it is empty, and whether the user changed it.
	value() (doc.Value, bool)
	// view draws at most h lines; they may be wider than w, because the form cuts them.
	view(w, h int) string
	// typing reports whether letters are text.
	typing() bool
	// modal reports whether the editor handles every key, including esc and enter.
	modal() bool
}

// newEditor returns the editor of a row; nil if the row is not edited in place.
func (f *Form) newEditor(r row) editor {
	if r.group != groupFields || r.locked != "" {
		return nil
	}
	switch r.Shape {
	case ShapeChoice, shapeChecklist:
		return newChoice(f.cfg.Theme, r.FieldState, f.options(r), r.Shape == shapeChecklist)
	case ShapeText, ShapeName, shapeTextArea, shapePage, ShapeWords, ShapeList, shapeAnyValue:
	default:
		return nil
	}
	in := newTextEditor(f.cfg.Theme, r.Shape, r.Text, r.Placeholder)
	if in == nil {
		return nil
	}
	f.prepare(in, r)
	return in
}

// prepare sets what a text editor offers for its row.
func (f *Form) prepare(in *textEditor, r row) {
	in.commaList, in.replaces = r.Shape == ShapeList, r.Replace
	in.suggest, in.unknownNote = f.suggestions(r), cmp.Or(r.Note, unknownNote)
	in.eager = r.Shape == ShapeName || r.required && len(in.suggest) == 1
	if r.Offers != nil {
		in.offers = func(text string) ([]string, bool) { return r.Offers(f.root, text) }
	}
	switch {
	case r.Shape == ShapeName:
		in.isValid = func(text string) bool {
			words, _, err := r.Read(f.before, text)
			return words != "" && err == nil
		}
	case hasForm(r.Node, schema.Zone):
		in.closed, in.isValid = true, schema.Zone.Matches
	}
	if in.area || r.Shape == ShapeText {
		in.expressions = f.expressions(r)
	}
	in.listSuggestions()
}

// typedValue returns the value that a text means in a row; absent if it removes the value.
func (f *Form) typedValue(before doc.Value, r row, text string) doc.Value {
	switch {
	case r.Write != nil:
		return doc.NewString(text)
	case r.Shape == ShapeList:
		return commaValue(r.Node.Element, text, before.Lookup(r.Path))
	case text == "" && !r.custom:
		return doc.Value{}
	case r.Shape == shapeAnyValue, r.Shape == shapeExternalJSON:
		return anyValue(text)
	case r.Node.Unit != "":
		text = r.Node.Amount(text)
	}
	if wire, ok := f.timeValue(before, r, text); ok {
		text = wire
	}
	return scalarValue(r.Node.Kind, text)
}

package forms

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/typeahead"
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
	switch r.shape {
	case shapeChoice, shapeChecklist:
		return newChoice(f.style, f.state(r), f.options(r), r.shape == shapeChecklist)
	case shapeInput, shapeTextArea, shapePage, shapeTimespan, shapeCommaList, shapeAnyValue:
	default:
		return nil
	}
	in := newTextEditor(f.cfg.Theme, r.shape, editedText(r), placeholder(r))
	if in == nil {
		return nil
	}
	in.commaList = r.shape == shapeCommaList
	switch {
	case r.input != nil:
		f.setInput(in, *r.input)
	case r.shape == shapeTimespan:
		in.offers = func(text string) ([]string, bool) {
			dates := f.timespanDates(r)
			_, err := r.Node.SetSpan(f.root, r.Path, text, dates)
			return r.Node.SuggestSpans(text, dates), err == nil
		}
	case in.area:
		in.expr.expressions = f.expressions(r)
	case in.commaList:
		in.suggest = typeahead.Items(f.suggestions(r))
	case r.shape == shapeInput:
		in.suggest, in.unknownNote, in.edited = typeahead.Items(f.suggestions(r)), unknownNote, f.list // an element of a list was opened for editing
		if hasForm(r.Node, schema.Zone) {
			in.closed, in.isValid = true, schema.Zone.Matches
		}
		in.expr.expressions = f.expressions(r)
	}
	in.listSuggestions()
	return in
}

// setInput prepares the editor of an input.
func (f *Form) setInput(in *textEditor, input Input) {
	in.suggest, in.unknownNote, in.replaces = input.Suggest, input.Note, input.Replace
	switch input.Kind {
	case InputWords:
		in.offers = func(text string) ([]string, bool) { return f.cfg.Inputs.Offers(f.root, input, text) }
	case InputName:
		in.eager = true
		in.isValid = func(text string) bool {
			words, err := f.cfg.Inputs.Read(f.before, input, text)
			return words != "" && err == nil
		}
	}
	in.listSuggestions()
}

// editedText returns the text that the editor of a row starts with.
func editedText(r row) string {
	switch {
	case r.input != nil:
		return r.input.Text
	case r.shape == shapeTimespan:
		return r.text
	case r.shape == shapeCommaList:
		return commaText(r.Value)
	case r.shape == shapeAnyValue && r.Value.Exists():
		return anyText(r.Value)
	}
	return scalarText(r.Value)
}

// typedValue returns the value that a text means in a row; absent if it removes the value.
func (f *Form) typedValue(before doc.Value, r row, text string) doc.Value {
	switch {
	case r.input != nil, r.shape == shapeTimespan:
		return doc.NewString(text)
	case r.shape == shapeCommaList:
		return commaValue(r.Node.Element, text, before.Lookup(r.Path))
	case text == "" && !r.custom:
		return doc.Value{}
	case r.shape == shapeAnyValue, r.shape == shapeExternalJSON:
		return anyValue(text)
	case r.Node.Unit != "":
		text = r.Node.Amount(text)
	}
	if wire, ok := f.timeValue(before, r, text); ok {
		text = wire
	}
	return scalarValue(r.Node.Kind, text)
}

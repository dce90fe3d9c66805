package forms

import (
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
func (s *rowModel) newEditor(r row) editor {
	if r.group != groupFields || r.locked != "" {
		return nil
	}
	switch r.shape {
	case shapeChoice:
		return newChoice(s.style, s.builder.state(s.draft.root, r), s.width, s.lines)
	case shapeChecklist:
		return newChecklist(s.style, r.FieldState, s.builder.elementOptions(s.draft.root, r), s.width, s.lines)
	}
	text, ok := editedText(r)
	if !ok {
		return nil
	}
	var suggest []string
	if r.input == nil && (r.shape == shapeInput || r.shape == shapeCommaList) {
		suggest = s.builder.names.suggestions(r)
	}
	in := newTextEditor(s.style.t, r.shape == shapeTextArea, text, placeholder(r), suggest)
	if in == nil {
		return nil
	}
	if r.input != nil {
		s.setInput(in, *r.input)
		return in
	}
	switch r.shape {
	case shapeInput:
		in.unknownNote, in.edited = unknownNote, s.builder.list // an element of a list was opened for editing
		if hasForm(r.Node, schema.Zone) {
			in.closed, in.isValid = true, schema.Zone.Matches
		}
		in.expr.expressions = s.builder.names.expressions(r)
	case shapeTextArea:
		in.expr.expressions = s.builder.names.expressions(r)
	case shapeTimespan:
		in.offers = &timespanOffers{names: s.builder.names, root: s.draft.root, row: r}
	case shapeCommaList:
		in.commaList = true
	}
	in.listSuggestions()
	return in
}

// setInput prepares the editor of an input.
func (s *rowModel) setInput(in *textEditor, input Input) {
	in.suggest, in.unknownNote, in.replaces = input.Suggest, input.Note, input.Replace
	in.commaList = input.Kind == InputList
	switch input.Kind {
	case InputWords:
		in.offers = inputOffers{s.builder.cfg.Inputs, s.draft.root, input}
	case InputName:
		in.eager = true
		in.isValid = func(text string) bool {
			words, err := s.builder.cfg.Inputs.Read(s.field.before, input, text)
			return words != "" && err == nil
		}
	}
	in.listSuggestions()
}

// editedText returns the text that the editor of a row starts with; false if the row is not edited as a text.
func editedText(r row) (string, bool) {
	if r.input != nil && r.shape != shapeReadOnly {
		return r.input.Text, true
	}
	switch r.shape {
	case shapeInput, shapeTextArea:
		return scalarText(r.Value), true
	case shapeTimespan:
		return r.text, true
	case shapeCommaList:
		return commaText(r.Value), true
	case shapeAnyValue:
		if r.Value.Exists() {
			return anyText(r.Value), true
		}
		return "", true
	}
	return "", false
}

// typedValue returns the value that a text means in a row; absent if it removes the value.
func (s *rowModel) typedValue(r row, text string) doc.Value {
	switch {
	case r.shape == shapeCommaList:
		return commaValue(r.Node.Element, text, s.field.before.Lookup(r.Path))
	case text == "" && !r.custom:
		return doc.Value{}
	case r.shape == shapeAnyValue:
		return anyValue(text)
	}
	if r.Node.Unit != "" {
		text = r.Node.Amount(text)
	}
	if wire, ok := s.clock.timeValue(s.field.before, r, text); ok {
		text = wire
	}
	return scalarValue(r.Node.Kind, text)
}

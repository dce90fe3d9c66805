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

// paster is an editor that handles pasted text.
type paster interface{ paste(text string) }

// newEditor returns the editor of a row; nil if the row is not edited in place.
func (s *rowModel) newEditor(r row) editor {
	if r.group != groupFields || r.locked != "" {
		return nil
	}
	before := s.draft.root
	parse := func(text string) doc.Value {
		if text == "" && !r.custom {
			return doc.Value{}
		}
		if r.shape == shapeAnyValue {
			return anyValue(text)
		}
		if wire, ok := s.clock.timeValue(before, r, text); ok {
			text = wire
		}
		return scalarValue(r.Node.Kind, text)
	}
	switch r.shape {
	case shapeInput:
		in, ok := newTextInput(s.style, scalarText(r.Value), placeholder(r), s.builder.names.suggestions(r), parse)
		if !ok {
			return nil
		}
		in.unknownNote, in.edited = unknownNote, s.builder.list // an element of a list was opened for editing
		if hasForm(r.Node, schema.Zone) {
			in.unknownNote, in.isValid = "not a time zone", schema.Zone.Matches
		}
		in.expr.expressions = s.builder.names.expressions(r)
		return in
	case shapeTimespan:
		if in, ok := newTextInput(s.style, r.text, placeholder(r), nil, doc.NewString); ok {
			in.continuations = func(text string) ([]string, bool) { return s.builder.names.timespanSuggestions(before, r, text) }
			in.listSuggestions()
			return in
		}
	case shapeAnyValue:
		text := ""
		if r.Value.Exists() {
			text = anyText(r.Value)
		}
		if in, ok := newTextInput(s.style, text, placeholder(r), nil, parse); ok {
			return in
		}
	case shapeTextArea:
		if text, ok := newTextArea(s.style, scalarText(r.Value), placeholder(r), parse); ok {
			text.expr.expressions = s.builder.names.expressions(r)
			return text
		}
	case shapeCommaList:
		parse := func(text string) doc.Value { return commaValue(r.Node.Element, text, r.Value) }
		if in, ok := newTextInput(s.style, commaText(r.Value), placeholder(r), s.builder.names.suggestions(r), parse); ok {
			in.commaList = true
			in.listSuggestions()
			return in
		}
	case shapeChoice:
		return newChoice(s.style, s.builder.state(before, r), s.width, s.lines)
	case shapeChecklist:
		return newChecklist(s.style, r.FieldState, s.builder.elementOptions(before, r), s.width, s.lines)
	}
	return nil
}

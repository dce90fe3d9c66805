package forms

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// editor is what the focused field is edited with.
type editor interface {
	// key takes a key, and reports false for one that it has no use for.
	key(tea.KeyMsg) bool
	// value returns what the field holds, absent for nothing, and whether a person changed it.
	value() (doc.Value, bool)
	// view draws at most h lines; they may be wider than w, the form cuts them.
	view(w, h int) string
	// typing reports that letters are text here.
	typing() bool
	// modal reports that every key is the editor's, Escape and Enter as well.
	modal() bool
}

// paster is an editor that takes pasted text.
type paster interface{ paste(text string) }

// newEditor makes what a row is edited with; nil where it is not edited in its place.
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
		in.unknownNote, in.edited = unknownNote, s.builder.list // an element of a list was opened to be edited
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

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
func (s *sheet) newEditor(r row) editor {
	if r.group != shown || r.locked != "" {
		return nil
	}
	before := s.draft.root
	parse := func(text string) doc.Value {
		if text == "" && !r.free {
			return doc.Value{}
		}
		if r.shape == anyJSON {
			return anyValue(text)
		}
		if wire, ok := s.clock.wire(before, r, text); ok {
			text = wire
		}
		return scalarValue(r.Node.Kind, text)
	}
	switch r.shape {
	case oneline:
		in, ok := newInput(s.look, scalarText(r.Value), placeholder(r), s.source.names.suggestions(r), parse)
		if !ok {
			return nil
		}
		in.strange, in.edited = notKnown, s.source.list // an element of a list was opened to be edited
		if hasForm(r.Node, schema.Zone) {
			in.strange, in.right = "not a time zone", schema.Zone.Matches
		}
		in.expr.offered = s.source.names.expressions(r)
		return in
	case timespan:
		if in, ok := newInput(s.look, r.text, placeholder(r), nil, doc.NewString); ok {
			in.goesOn = func(text string) ([]string, bool) { return s.source.names.spanOffers(before, r, text) }
			in.offer()
			return in
		}
	case anyJSON:
		text := ""
		if r.Value.Exists() {
			text = anyText(r.Value)
		}
		if in, ok := newInput(s.look, text, placeholder(r), nil, parse); ok {
			return in
		}
	case many:
		if text, ok := newArea(s.look, scalarText(r.Value), placeholder(r), parse); ok {
			text.expr.offered = s.source.names.expressions(r)
			return text
		}
	case commas:
		parse := func(text string) doc.Value { return commaValue(r.Node.Element, text, r.Value) }
		if in, ok := newInput(s.look, commaText(r.Value), placeholder(r), s.source.names.suggestions(r), parse); ok {
			in.many = true
			in.offer()
			return in
		}
	case chosen:
		return newChoice(s.look, s.source.state(before, r), s.width, s.lines)
	case ticks:
		return newChecklist(s.look, r.FieldState, s.source.elementOptions(before, r), s.width, s.lines)
	}
	return nil
}

package forms

import (
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/typeahead"
)

// Shape is how a row is edited.
type Shape uint8

// The shapes.
const (
	ShapeField        Shape = iota // as the schema has it
	ShapeFixed                     // not here
	ShapeText                      // as a text
	ShapeName                      // as a text that is one of the names suggested
	ShapeList                      // as texts separated by commas
	ShapeWords                     // as words that are continued by offers
	ShapeChoice                    // by choosing an option of its state, or yes or no
	shapeTextArea                  // as a text of several lines
	shapePage                      // as a text of many lines, which takes all of the form
	shapeChecklist                 // by ticking options
	shapeAnyValue                  // as a text that is JSON or a text
	shapeExternalText              // as a text in the external editor
	shapeExternalJSON              // as JSON in the external editor
	shapeSubform                   // on a form of its own, which the screen opens
)

// Input is what a row of a form edits. Most are fields of the schema; what is not one, as a part of a filter, has functions
// of its own.
type Input struct {
	schema.FieldState
	Shape                          Shape
	Label, Text, Placeholder, Help string     // Text is the value as it is edited
	Paths                          []doc.Path // all that the row shows, if that is more than its path
	Suggest                        []typeahead.Item
	Note                           string // shown beside a text that is not suggested
	Replace                        bool   // what is typed replaces the text
	// Write returns the document with a value that was chosen, or with a text as a string; without a value if it is absent or
	// empty. Nil sets the field.
	Write func(root, v doc.Value) (doc.Value, error)
	// Read returns what a text means if that is worth saying, notes about it, and why it cannot be read. Nil means that each
	// text means itself.
	Read func(root doc.Value, text string) (words string, notes []string, err error)
	// Offers returns continuations of a text, and whether it is whole without them; nil if there are none.
	Offers func(root doc.Value, text string) (offers []string, whole bool)
}

// addInputs adds the rows of the inputs that the form has in place of the fields.
func (f *Form) addInputs() {
	for _, in := range f.cfg.Inputs(f.root) {
		r := row{Input: in}
		switch {
		case in.Node == nil:
			r.group = groupUnknown
		case !in.Shown:
			r.group = groupUnused
		case in.Shape == ShapeField:
			r = f.fieldRow(in.FieldState)
			r.Label = in.Label
		}
		f.rows = append(f.rows, r)
	}
}

// Input returns the focused input.
func (f *Form) Input() Input {
	r, _ := f.focused()
	return r.Input
}

// Text returns the text in the focused row, as it is typed.
func (f *Form) Text() string {
	r, _ := f.focused()
	return f.text(r)
}

// Refresh rebuilds the rows, after what they suggest has changed. A text that is being typed is kept.
func (f *Form) Refresh() {
	f.refresh()
	if in, ok := f.editor.(*textEditor); ok {
		r, _ := f.focused()
		f.prepare(in, r)
	}
}

// Accept accepts what is highlighted in the focused row, as enter does, without going on. It reports whether that changed
// the document.
func (f *Form) Accept() bool {
	before := f.root
	switch ed := f.editor.(type) {
	case *textEditor:
		if ed.accept() {
			f.commit()
		}
	case *choice:
		if ed.modal() {
			ed.key(enterKey)
			f.commit()
		}
	}
	return !f.root.Same(before)
}

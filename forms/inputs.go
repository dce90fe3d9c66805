package forms

import (
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/typeahead"
)

// Inputs are what a form edits if that is not, one by one, the fields of its schema: the members of a filter.
type Inputs interface {
	// Inputs returns the inputs in a document, in order.
	Inputs(root doc.Value) []Input
	// Write returns the document with a text that was typed for an input, or a value that was chosen; "" removes it.
	Write(root doc.Value, in Input, text string) (doc.Value, error)
	// Read returns what a text means for an input, if that is worth saying, and why it cannot be read.
	Read(root doc.Value, in Input, text string) (words string, err error)
	// Offers returns continuations of a text, and whether it is whole without them.
	Offers(root doc.Value, in Input, text string) (offers []string, whole bool)
}

// InputKind is how an input is edited.
type InputKind uint8

// The kinds of inputs.
const (
	InputFixed  InputKind = iota // not here
	InputText                    // as a text
	InputName                    // as a text that is one of the names suggested
	InputDate                    // as a text of which the form says what it means
	InputList                    // as texts separated by commas
	InputWords                   // as words that are continued by offers
	InputChoice                  // by choosing an option of its state, or yes or no
)

// Input is a row of a form of [Inputs].
type Input struct {
	schema.FieldState
	Kind                           InputKind
	Label, Text, Placeholder, Help string
	Suggest                        []typeahead.Item
	Note                           string // shown beside a text that is not suggested
	Replace                        bool   // what is typed replaces the text
	Index                          int    // for the owner; inputs with the same path have different ones
}

var inputShapes = map[InputKind]rowShape{
	InputText: shapeInput, InputName: shapeInput, InputDate: shapeInput,
	InputList: shapeCommaList, InputWords: shapeTimespan, InputChoice: shapeChoice,
}

// addInputs adds the rows of the inputs.
func (f *Form) addInputs() {
	for _, in := range f.cfg.Inputs.Inputs(f.root) {
		r := row{FieldState: in.FieldState, input: &in, label: in.Label, shape: inputShapes[in.Kind], text: in.Text}
		if r.Node == nil {
			r.group = groupUnknown
		} else if !r.Shown {
			r.group = groupUnused
		}
		f.rows = append(f.rows, r)
	}
}

// sameInput reports whether two rows are of the same input, or of none.
func (r row) sameInput(other row) bool {
	return (r.input == nil) == (other.input == nil) && (r.input == nil || r.input.Index == other.input.Index)
}

// readInput returns what the text in the row of an input means, and why it cannot be read.
func (f *Form) readInput(r row) (words, refused string) {
	in, ok := f.editor.(*textEditor)
	if !ok || r.input.Kind == InputText || r.input.Kind == InputName && !in.changed() {
		return "", ""
	}
	words, err := f.cfg.Inputs.Read(f.before, *r.input, in.Text())
	switch {
	case err != nil && in.list.At() >= 0 && !in.list.FreeHighlighted():
		return "", "" // it is about to be replaced by a suggestion
	case err != nil:
		return "", err.Error()
	}
	return words, ""
}

// SetInputs replaces the inputs, after what they suggest has changed. A text that is being typed is kept.
func (f *Form) SetInputs(all Inputs) {
	f.cfg.Inputs = all
	f.refresh()
	if r, ok := f.focused(); ok && r.input != nil {
		if in, is := f.editor.(*textEditor); is {
			f.setInput(in, *r.input)
		}
	}
}

// Input returns the focused input; false if the form has none.
func (f *Form) Input() (Input, bool) {
	r, ok := f.focused()
	if !ok || r.input == nil {
		return Input{}, false
	}
	return *r.input, true
}

// Text returns the text in the focused row, as it is typed.
func (f *Form) Text() string {
	if in, ok := f.editor.(*textEditor); ok {
		return in.Text()
	}
	r, _ := f.focused()
	return f.text(r)
}

// FocusInput focuses the input with an index.
func (f *Form) FocusInput(index int) {
	for i, r := range f.rows {
		if r.input != nil && r.input.Index == index {
			f.focus(i)
		}
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
		if ed.open != nil {
			ed.key(enterKey)
			f.commit()
		}
	}
	return !f.root.Same(before)
}

// Package forms turns the schema of an object, or the inputs of something else, into a form.
//
// A [Form] edits the object, map or list at one path of a document, or what implements [Inputs] there. It is driven by
// Update and View, starts no goroutines or timers, and knows no field of any specification, only the schema that it
// is given.
//
// A form consists of components that each own their state: the rowModel (the document as rows, with a cursor
// and the field being edited), the layout (the position of the rows), the date picker and the name input. The
// renderer draws them, and actions describes their keys. The form routes keys and clicks to the component that
// they are for.
//
// At most one field of huh exists at a time, that of the focused row: a text field (package textfield), a Select or a
// MultiSelect. All other rows are drawn as text. The form moves the focus itself, within the Update that received the
// key, so typed-ahead keys are not lost, no field traps the focus, and each row can appear and disappear independently.
//
// No field of huh is bound to a document. It works on a private copy; the form remembers the initial content and writes
// back only differences. Reverting to the initial content restores the exact document.
package forms

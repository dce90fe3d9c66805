// Package forms turns the schema of an object into a form, and owns every use of huh.
//
// A [Form] edits the object, map or list at one path of a document. It is driven by Update and View, starts no
// goroutines or timers, and knows no field of any specification, only the schema that it is given.
//
// A form consists of components that each own their state: the rowModel (the document as rows, with a cursor
// and the field being edited), the layout (the position of the rows), the date picker and the name input. The
// renderer draws them, and actions describes their keys. The form routes keys and clicks to the component that
// they are for.
//
// At most one huh widget exists at a time, that of the focused field; all other fields are drawn as text. The
// form moves the focus itself, within the Update that received the key, so typed-ahead keys are not lost, no
// field traps the focus, and each field can appear and disappear independently.
//
// No widget is bound to a document. A widget works on a private buffer; the form remembers the buffer's initial
// content and writes back only differences. Reverting to the initial content restores the exact document.
package forms

// Package forms turns the table of one object into a form, and owns every use of huh.
//
// A [Form] edits the object, map or list at one path of a document. It is a value driven by
// Update and View: it starts no goroutine and no timer, and knows no field of any
// specification, only the schema that it is given.
//
// A form is composed of parts that each own their state: the sheet (the document as rows, with a
// cursor and the open field), the layout (where the rows stand), the calendar and the question for
// a name. The painter draws them, and the actions name their keys. The form takes keys and clicks
// to the part that they are for.
//
// At any moment at most one huh widget is alive, that of the focused field; all other fields
// are drawn as text. The form moves the focus itself, within the Update that got the key, so
// nothing typed ahead is lost, no field traps anyone, and each field can come and go alone.
//
// No widget is bound to a document. A widget works on a private buffer; the form remembers what
// the buffer held when the widget was made and writes back only what differs from it. Going back
// to what was there restores the very document that was there.
package forms

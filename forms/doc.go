// Package forms turns the schema of an object, or the inputs of something else, into a form.
//
// A [Form] edits the object, map or list at one path of a document, or other inputs there (see [Input]). It is driven by
// Update and View, starts no goroutines or timers, and knows no field of any specification, only the schema that it
// is given. What it shows is built from the document after each change, and what keys do at a row is a table of actions.
//
// At most one editor exists at a time, that of the focused row: a text field (package textfield) or a choice. All other rows
// are drawn as text. The form moves the focus itself, within the Update that received the
// key, so typed-ahead keys are not lost, no field traps the focus, and each row can appear and disappear independently.
//
// No editor is bound to a document. It works on a private copy; the form remembers the initial content and writes
// back only differences. Reverting to the initial content restores the exact document.
package forms

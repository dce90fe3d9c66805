// Package render turns the content of one message into a model for drawing it: a notification as a phone or
// browser shows it, or an email as an inbox and a mail reader show it.
//
// A model contains what is visible, without field names. It leaves out fields that the template does not use,
// according to the catalog's tables (CONTRACT.md, Fields). Texts are as in the document; code that draws them
// on a terminal must remove control characters. Nothing here fails: incomplete content results in an
// incomplete model.
package render

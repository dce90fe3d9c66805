// Package render turns the content of one cell of a campaign into a model that a picture can be drawn
// of: a notification as a phone or browser shows it, a mail as an inbox and its reader do.
//
// A model holds what would be seen and no field names. Members that the template does not use
// are left out of it, as the tables of the catalog say (CONTRACT.md,
// Fields). Texts are as the document has them: whoever draws them
// on a terminal cleans them first. Nothing here fails; content in pieces gives a model in pieces.
package render

// Package grid edits the messages of a campaign by locale and variation (CONTRACT.md, Content). It adds and
// removes locales and variations, copies messages, and splits the audience. Content in the flat shape is
// converted to the keyed shape when necessary, and back when possible, without losing anything.
//
// Every operation takes a campaign's document and returns a new one. If it fails, it returns the document
// unchanged.
package grid

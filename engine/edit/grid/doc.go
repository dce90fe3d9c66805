// Package grid edits the messages of a campaign by locale and variation (CONTRACT.md,
// Content): it adds and removes locales and variations, copies messages, and splits the audience.
// Content in the flat shape becomes keyed when it has to, and flat again when it can; what was
// there comes through as it was written.
//
// Every operation takes the document of a campaign and returns a new one; on an error the document
// comes back as it was.
package grid

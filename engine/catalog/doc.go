// Package catalog is the specification as data: every table of the contract as a
// [bugle/engine/schema.Field], compiled for each channel and each request, and the life cycle of a
// campaign as a table of transitions and locks.
//
// A rule of the specification is written in this package and nowhere else; the validator, the forms,
// the help texts and the tests read it from here.
package catalog

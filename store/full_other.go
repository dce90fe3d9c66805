//go:build !unix && !windows

package store

var noSpace, noFiles []error

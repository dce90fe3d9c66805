//go:build !unix && !windows

package store

var noSpace []error

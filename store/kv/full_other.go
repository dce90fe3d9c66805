//go:build !unix && !windows

package kv

var noSpace, noFiles []error

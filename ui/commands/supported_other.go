//go:build !unix

package commands

// supported reports whether commands can be run. Templates are written for the Unix shell.
const supported = false

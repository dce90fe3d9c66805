//go:build unix

package commands

// supported reports whether commands can be run.
const supported = true

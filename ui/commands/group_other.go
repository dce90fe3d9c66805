//go:build !unix

package commands

import "os/exec"

// supported reports whether commands can be run. Templates are written for the Unix shell.
const supported = false

func group(*exec.Cmd) (kill func()) { return func() {} }

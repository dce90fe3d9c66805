//go:build !unix

package main

import "bugle/engine/attach"

// suspendable does nothing: programs are not suspended here.
func suspendable(*attach.Node) {}

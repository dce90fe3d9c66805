//go:build !unix

package cli

import "bugle/engine/attach"

// suspendable does nothing: programs are not suspended here.
func suspendable(*attach.Node) {}

//go:build !unix

package cli

import "bugle/store/socket"

// suspendable does nothing: programs are not suspended here.
func suspendable(*socket.DB) {}

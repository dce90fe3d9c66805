//go:build !unix

package cli

import "bugle/store/socket"

// suspendable does nothing: this system does not suspend programs.
func suspendable(*socket.DB) {}

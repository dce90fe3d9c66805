//go:build !unix

package terminal

// canSuspend always returns false: this system does not suspend programs.
func canSuspend() bool { return false }

//go:build !unix

package terminal

// canSuspend is false: programs are not suspended here.
func canSuspend() bool { return false }

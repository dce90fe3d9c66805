//go:build !unix

package main

// canSuspend is false: programs are not suspended here.
func canSuspend() bool { return false }

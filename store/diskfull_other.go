//go:build !unix && !windows

package store

var diskFullErrors, tooManyFilesErrors []error

package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"time"
)

// What the linker sets in a release (.ci/release).
var (
	version    string // such as 1.2.0
	commit     string // in hexadecimal
	commitDate string // in RFC 3339
)

// Version returns the version of the program, or devel if it is no release.
func Version() string { return cmp.Or(version, "devel") }

// CommitDate returns the date of the commit that a release was built from; the zero time for other builds.
func CommitDate() time.Time {
	date, _ := time.Parse(time.RFC3339, commitDate)
	return date
}

// Build describes the running program in lines: its version, the commit of a release, and how it was built.
func Build() string {
	text := Version()
	if commit != "" {
		text += fmt.Sprintf("\nCommit:  %s\nDate:    %s", commit, CommitDate().Format("2006-01-02 15:04 UTC"))
	}
	return text + fmt.Sprintf("\nGo:      %s, %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

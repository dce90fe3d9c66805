package cli

import (
	"cmp"
	"runtime"
	"time"
)

// What the linker sets in a release (.ci/release).
var (
	version    string // such as 1.2.0
	commit     string // in hexadecimal
	commitDate string // in RFC 3339
)

// Build describes how the program was built.
type Build struct {
	Version    string    `json:"version"`              // devel if it is no release
	Commit     string    `json:"commit,omitempty"`     // in hexadecimal; only of a release
	CommitDate time.Time `json:"commit_date,omitzero"` // only of a release
	Go         string    `json:"go"`                   // the version of Go
	Platform   string    `json:"platform"`             // such as linux/amd64
}

// Version returns the version of the program, or devel if it is no release.
func Version() string { return cmp.Or(version, "devel") }

// ThisBuild describes the running program.
func ThisBuild() Build {
	date, _ := time.Parse(time.RFC3339, commitDate) // zero if there is none
	return Build{Version(), commit, date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

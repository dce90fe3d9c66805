package cli

import (
	"runtime"
	"runtime/debug"
	"strconv"
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
	Commit     string    `json:"commit,omitempty"`     // empty if it is unknown
	CommitDate time.Time `json:"commit_date,omitzero"` // zero if it is unknown
	Modified   bool      `json:"modified"`             // there were changes that are not in the commit
	Go         string    `json:"go"`                   // the version of Go
	Platform   string    `json:"platform"`             // such as linux/amd64
}

// Version returns the version of the program, or devel if it is no release.
func Version() string {
	if version == "" {
		return "devel"
	}
	return version
}

// ThisBuild describes the running program. What is not in a release is read from the information that Go records when
// it builds in a git repository.
func ThisBuild() Build {
	info, _ := debug.ReadBuildInfo()
	return newBuild(info, version, commit, commitDate)
}

func newBuild(info *debug.BuildInfo, version, commit, date string) Build {
	b := Build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if version != "" {
		b.Version, b.Commit = version, commit
	} else if info != nil {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.time":
				date = s.Value
			case "vcs.modified":
				b.Modified, _ = strconv.ParseBool(s.Value)
			}
		}
	}
	if t, err := time.Parse(time.RFC3339, date); err == nil {
		b.CommitDate = t.UTC()
	}
	return b
}

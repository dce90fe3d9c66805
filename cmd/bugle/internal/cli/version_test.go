package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A release says what the linker set; another build what Go recorded of the repository.
func TestBuild(t *testing.T) {
	at := time.Date(2026, 11, 24, 22, 58, 30, 0, time.UTC)
	recorded := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0a1b"}, {Key: "vcs.time", Value: "2026-11-24T22:58:30Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	on := Build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	release, known := on, on
	release.Version, release.Commit, release.CommitDate = "1.2.0", "2c3d", at
	known.Commit, known.CommitDate, known.Modified = "0a1b", at, true
	for name, c := range map[string]struct{ got, want Build }{
		"release":           {newBuild(recorded, "1.2.0", "2c3d", "2026-11-25T00:58:30+02:00"), release},
		"in a repository":   {newBuild(recorded, "", "", ""), known},
		"without git":       {newBuild(&debug.BuildInfo{}, "", "", ""), on},
		"nothing is known":  {newBuild(nil, "", "", ""), on},
		"a damaged time":    {newBuild(&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "today"}}}, "", "", ""), on},
		"a release, no git": {newBuild(nil, "1.2.0", "2c3d", "2026-11-24T22:58:30Z"), release},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.got, c.want)
		}
	}
}

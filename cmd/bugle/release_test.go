package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What builds a release is fixed to the byte: actions by commit, programs from npm by the hashes of a lock file, from the
// public registry, and none of them runs anything when it is installed. The job that can write to the repository runs no tests.
func TestReleaseSources(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	byCommit := regexp.MustCompile(`^actions/[a-z-]+@[0-9a-f]{40} # v\d`)
	workflows := []string{".github/workflows/ci.yml", ".github/workflows/release.yml"}
	for _, name := range workflows {
		for _, use := range regexp.MustCompile(`uses: (.*)`).FindAllStringSubmatch(read(name), -1) {
			if !byCommit.MatchString(use[1]) {
				t.Errorf("%s: %s is not named by its commit", name, use[1])
			}
		}
	}
	_, writes, _ := strings.Cut(read(".github/workflows/release.yml"), "contents: write")
	if writes == "" || strings.Contains(writes, ".ci/run") || !strings.Contains(writes, "attest-build-provenance") {
		t.Errorf("the job that writes runs tests, or attests nothing:\n%s", writes)
	}

	for _, dir := range []string{".ci/npm", "engine/openapi/testdata/client", "engine/service/api/check"} {
		type packages map[string]struct {
			Version, Resolved, Integrity string
			InBundle                     bool
		}
		var lock struct{ Packages packages }
		var own struct{ Dependencies map[string]string }
		for name, into := range map[string]any{"package-lock.json": &lock, "package.json": &own} {
			if err := json.Unmarshal([]byte(read(filepath.Join(dir, name))), into); err != nil {
				t.Fatal(err)
			}
		}
		for name, p := range lock.Packages {
			if name != "" && !p.InBundle && (!strings.HasPrefix(p.Resolved, "https://registry.npmjs.org/") || p.Integrity == "") {
				t.Errorf("%s: %s comes from %q with the hash %q", dir, name, p.Resolved, p.Integrity)
			}
		}
		for name, version := range own.Dependencies {
			if lock.Packages["node_modules/"+name].Version != version {
				t.Errorf("%s: %s is not locked at %s", dir, name, version)
			}
		}
	}
	installs := regexp.MustCompile(`\bnpm (i|install|ci)\b.*`)
	for _, name := range []string{".ci/run", ".ci/release", ".ci/install-test", "engine/service/api/check.sh", "engine/openapi/check.sh"} {
		for _, line := range installs.FindAllString(read(name), -1) {
			if !strings.Contains(line, "--ignore-scripts") || strings.HasPrefix(name, ".ci/") && !strings.HasPrefix(line, "npm ci ") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
	unit := strings.Split(read(".ci/package/bugle.service"), "\n")
	for _, setting := range []string{"MemoryMax=", "TasksMax=", "Environment=XDG_CONFIG_HOME=%S/bugle/"} { // its user has no home
		if !slices.ContainsFunc(unit, func(line string) bool { return strings.HasPrefix(line, setting) }) {
			t.Errorf("the unit has no %s", setting)
		}
	}
	if !strings.Contains(read(".ci/package/Containerfile"), "XDG_CONFIG_HOME=/data/") {
		t.Error("the image has no folder for the configuration")
	}
}

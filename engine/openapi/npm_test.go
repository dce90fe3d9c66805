package openapi_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"bugle/engine/openapi"
)

// npmTools is where `npm ci` in testdata/client puts its programs.
var npmTools = filepath.Join("testdata", "client", "node_modules")

// npmFolder returns a folder with the document, the client and the programs from npm. The test is skipped
// where they are not installed.
func npmFolder(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(npmTools, ".bin", "tsc")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED, the document was not checked: the programs from npm are not installed; run `npm ci --ignore-scripts` in engine/openapi/testdata/client")
	}
	tools, err := filepath.Abs(npmTools)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "tsconfig.json", "client.ts", "spectral.yaml"} {
		b, err := os.ReadFile(filepath.Join("testdata", "client", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(tools, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), openapi.Document("1.2.3").Indent(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func npm(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "node_modules", ".bin", program), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", program, err, out)
	}
}

// Spectral, which many gateways and editors run, finds no errors in the document.
func TestSpectralFindsNoErrors(t *testing.T) {
	npm(t, npmFolder(t), "spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "error", "openapi.json")
}

// A client that calls every operation compiles against the types that openapi-typescript makes of the
// document with its usual options.
func TestClientOfGeneratedTypesCompiles(t *testing.T) {
	dir := npmFolder(t)
	npm(t, dir, "openapi-typescript", "openapi.json", "--output", "schema.ts")
	npm(t, dir, "tsc", "--project", ".")
}

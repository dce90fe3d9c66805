package files_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/files"
)

// A campaign's file is in the folder that was named, whatever the campaign and the server call it.
func TestNamesLeadNowhereElse(t *testing.T) {
	for _, name := range []string{"../../etc/passwd", "/etc/passwd", "..", ".", "", "a/b", `..\..\x`, "con", "a\x00b", "-rf", ".bashrc", "\x1b[2J", strings.Repeat("x", 5000)} {
		c := engine.Campaign{Head: engine.Head{ID: name}, Body: doc.NewObject(doc.M("basic_details", doc.NewObject(doc.M("name", doc.NewString(name)))))}
		got := files.Name(c, ".json")
		if got != filepath.Base(got) || !filepath.IsLocal(got) || strings.HasPrefix(got, ".") || strings.HasPrefix(got, "-") || len(got) > 150 || strings.ContainsAny(got, "\x00\x1b\\") {
			t.Errorf("%q is written as %q", name, got)
		}
	}
}

// A link in the place of a file is replaced, not followed; who could not read the file still cannot; and
// nothing is left beside it.
func TestReplace(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has neither such links nor such modes
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(in("target"), []byte("precious"), 0o600))
	must(os.Symlink(in("target"), in("link.json")))
	must(os.WriteFile(in("private.json"), []byte("{}"), 0o600))
	for _, name := range []string{"link.json", "private.json", "new.json"} {
		if changed, err := files.Write(dir, name, []byte("[]\n")); err != nil || !changed {
			t.Fatalf("%s: %v, %v", name, changed, err)
		}
		if got, err := os.ReadFile(in(name)); err != nil || string(got) != "[]\n" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if got, _ := os.ReadFile(in("target")); string(got) != "precious" {
		t.Errorf("the link was followed: %q", got)
	}
	if info, err := os.Stat(in("private.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(in(".bugle-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

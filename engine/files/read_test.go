//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bugle/engine/files"
)

// What is found, or named by a file, is read only if it is a regular file in the folder, without a link on the way. What the
// user names is read in any case, up to the limit.
func TestFoundFilesAreRegular(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "dir")
	for _, made := range []error{
		os.MkdirAll(filepath.Join(dir, "sub", ".git"), 0o700), os.WriteFile(filepath.Join(outer, "secret"), []byte("secret"), 0o600),
		os.WriteFile(filepath.Join(dir, "sub", "file"), []byte("file"), 0o600), os.WriteFile(filepath.Join(dir, "sub", ".git", "config"), []byte("secret"), 0o600), os.WriteFile(filepath.Join(dir, ".env"), []byte("secret"), 0o600),
		os.Symlink("sub/file", filepath.Join(dir, "inner")), os.Symlink("../secret", filepath.Join(dir, "outer")), os.Symlink("sub", filepath.Join(dir, "folder")), os.Symlink("..", filepath.Join(dir, "up")),
		os.Symlink("/dev/zero", filepath.Join(dir, "zero")), os.Symlink("gone", filepath.Join(dir, "gone")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600), os.Symlink(dir, filepath.Join(outer, "link")),
		os.WriteFile(filepath.Join(dir, "new\nline"), []byte("file"), 0o600), os.WriteFile(filepath.Join(dir, "long"), []byte("12345"), 0o600),
	} {
		if made != nil {
			t.Fatal(made)
		}
	}
	for name, want := range map[string]string{
		"sub/file": "file", "./sub/../sub/file": "file", "new\nline": "file",
		"inner": "it is a link", "outer": "it is a link", "folder/file": "it is a link", "up/secret": "it is a link", "zero": "it is a link", "gone": "it is a link",
		"pipe": "it is not a regular file", "sub": "it is not a regular file", ".": "it is not a regular file", "long": "it is too large",
		"../secret": "leads out of the folder", "sub/../../secret": "leads out of the folder", filepath.Join(outer, "secret"): "leads out of the folder", "": "it is not a regular file",
		".env": "begin with a dot", "sub/.git/config": "begin with a dot", "none": "no such file", "sub/file/x": "not a directory", "none/x": "no such file", "a\x00b": "invalid argument",
	} {
		for _, in := range []string{dir, filepath.Join(outer, "link")} { // the folder itself was named
			b, err := files.ReadIn(in, name, 4)
			if got := string(b); err != nil && !strings.Contains(err.Error(), want) || err == nil && got != want {
				t.Errorf("%q: %q, %v; want %s", name, got, err, want)
			}
		}
	}
	for _, name := range []string{"folder/file", "up/secret", "../secret", "none/x", "sub", "sub/file/x"} {
		if _, err := files.Write(dir, name, []byte("owned")); err == nil {
			t.Errorf("%q was written", name)
		}
		if removed, err := files.Remove(dir, name); name != "none/x" && name != "sub" && (err == nil || removed) {
			t.Errorf("%q was removed", name)
		}
	}
	for _, name := range []string{"outer", "pipe", "sub/file"} { // replaced
		if _, err := files.Write(dir, name, []byte("new")); err != nil {
			t.Error(err)
		}
		if b, err := files.ReadIn(dir, name, 4); string(b) != "new" {
			t.Errorf("%q has %q (%v)", name, b, err)
		}
	}
	if err := files.MakeFolder(dir, "folder"); err == nil {
		t.Error("a link is taken for a folder")
	}
	if b, err := os.ReadFile(filepath.Join(outer, "secret")); string(b) != "secret" {
		t.Errorf("what is outside became %q (%v)", b, err)
	}
	if _, err := files.Read("/dev/zero", 4); err != files.ErrTooLarge {
		t.Errorf("a device that was named: %v", err)
	}
}

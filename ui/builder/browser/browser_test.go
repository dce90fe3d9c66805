package browser

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

func TestPagesArePrivateAndRemoved(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var shown string
	f := Files{Start: func(_ context.Context, file string) error { shown = file; return nil }}
	if err := f.Show(t.Context(), "<p>x</p>"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(shown)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if b, _ := os.ReadFile(shown); string(b) != "<p>x</p>" {
		t.Errorf("the page is %s", b)
	}
	f.Clean()
	if _, err := os.Stat(shown); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the page stays: %v", err)
	}
	shown = ""
	if err := f.Show(t.Context(), "<p>late</p>"); err == nil || shown != "" {
		t.Errorf("a page that nobody removes is shown: %q, %v", shown, err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

func TestErrorNamesFile(t *testing.T) {
	var file string
	f := Files{Start: func(_ context.Context, at string) error { file = at; return errors.New("there is no display here") }}
	defer f.Clean()
	err := f.Show(t.Context(), "x")
	if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "no display") {
		t.Errorf("%v", err)
	}
}

func TestOpenCommand(t *testing.T) {
	for _, c := range []struct{ system, env, want string }{
		{"linux", "", ""}, {"linux", "DISPLAY", "xdg-open"}, {"freebsd", "WAYLAND_DISPLAY", "xdg-open"}, {"linux", "WSL_DISTRO_NAME", "xdg-open"},
		{"darwin", "", "open"}, {"darwin", "SSH_CONNECTION", ""}, {"windows", "", "rundll32"},
	} {
		name, _, err := openCommand(c.system, func(k string) string {
			if k == c.env {
				return "1"
			}
			return ""
		}, "f")
		if name != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v", c, name, err)
		}
	}
}

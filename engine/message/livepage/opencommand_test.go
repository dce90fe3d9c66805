package livepage

import "testing"

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

package themes

import (
	"strings"
	"testing"
)

// Links are written where the terminal is known to have them, and never otherwise.
func TestHasLinks(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"nothing known":    {map[string]string{"TERM": "xterm-256color"}, false},
		"kitty":            {map[string]string{"TERM": "xterm-kitty"}, true},
		"VTE":              {map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7002"}, true},
		"VTE with a crash": {map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "5000"}, false},
		"iTerm":            {map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.10"}, true},
		"old iTerm":        {map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.0.15"}, false},
		"macOS Terminal":   {map[string]string{"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, false},
		"tmux":             {map[string]string{"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.4a", "TERM": "tmux-256color"}, true},
		"old tmux":         {map[string]string{"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.3a", "TERM": "tmux-256color", "VTE_VERSION": "7002"}, false},
		"screen":           {map[string]string{"TERM": "screen.xterm-256color", "VTE_VERSION": "7002"}, false},
		"asked for":        {map[string]string{"FORCE_HYPERLINK": "1"}, true},
		"refused":          {map[string]string{"FORCE_HYPERLINK": "0", "TERM": "xterm-kitty"}, false},
	} {
		if got := hasLinks(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLink(t *testing.T) {
	on := Theme{links: true}
	for _, address := range []string{"", "javascript:alert(1)", "mailto:ann@example.com", "https://", "http://a b/\x1b]8;;", "{{link}}"} {
		if got := on.Link(address, "text"); got != "text" {
			t.Errorf("%q is a link: %q", address, got)
		}
	}
	const address = "https://shop.example/straße?a=1;b"
	got := on.Link(address, "text")
	if !strings.Contains(got, "https://shop.example/stra%C3%9Fe?a=1;b\x07text\x1b]8;;\x07") || !strings.HasPrefix(got, "\x1b]8;id=") {
		t.Errorf("the link is %q", got)
	}
	if other := on.Link(address, "rest"); other[:len("\x1b]8;id=0123456789")] != got[:len("\x1b]8;id=0123456789")] {
		t.Errorf("two parts of a link have different ids: %q, %q", got, other)
	}
	if got := (&Theme{}).Link(address, "text"); got != "text" {
		t.Errorf("without links it is %q", got)
	}
}

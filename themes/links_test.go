package themes

import (
	"strings"
	"testing"
)

// Links are written where the terminal takes them.
func TestHasLinks(t *testing.T) {
	for want, terminals := range map[bool][]map[string]string{
		true:  {{"TERM": "xterm-kitty"}, {"TERM": "tmux-256color", "TERM_PROGRAM": "tmux"}, {"FORCE_HYPERLINK": "1"}},
		false: {{}, {"TERM": "dumb"}, {"TERM": "linux"}, {"TERM": "screen.xterm-256color"}, {"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, {"FORCE_HYPERLINK": "0", "TERM": "xterm-kitty"}},
	} {
		for _, env := range terminals {
			if got := hasLinks(func(name string) string { return env[name] }); got != want {
				t.Errorf("%v: %v", env, got)
			}
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

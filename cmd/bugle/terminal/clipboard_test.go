package terminal

import (
	"errors"
	"strings"
	"testing"
)

// A text gets to the clipboard of the machine that the person sits at.
func TestClipboard(t *testing.T) {
	const osc = "\x1b]52;c;aGk=\x07"
	for name, tt := range map[string]struct {
		env    map[string]string
		broken string // the way that fails
		want   string
	}{
		"here":                       {want: "system"},
		"here, with a broken tool":   {broken: "system", want: osc},
		"over SSH":                   {env: map[string]string{"SSH_CONNECTION": "1"}, want: osc},
		"over SSH, in tmux":          {env: map[string]string{"SSH_TTY": "1", "TMUX": "1"}, want: "tmux"},
		"over SSH, in an older tmux": {env: map[string]string{"SSH_TTY": "1", "TMUX": "1"}, broken: "tmux", want: osc},
		"in tmux here":               {env: map[string]string{"TMUX": "1"}, want: "system"},
		"in tmux, without a tool":    {env: map[string]string{"TMUX": "1"}, broken: "system", want: "tmux"},
	} {
		var out strings.Builder
		way := func(name string) func(string) error {
			return func(text string) error {
				if name == tt.broken {
					return errors.New("it is broken")
				}
				if text != "hi" {
					t.Errorf("%s gets %q", name, text)
				}
				out.WriteString(name)
				return nil
			}
		}
		c := clipboards{getenv: func(name string) string { return tt.env[name] }, system: way("system"), tmux: way("tmux"), out: &out}
		if err := c.copy("hi"); err != nil || out.String() != tt.want {
			t.Errorf("%s: %q, %v", name, out.String(), err)
		}
	}
}

//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// player is a terminal that follows a script, and counts what a person would have had to press.
type player struct {
	*terminal
	strokes int
}

// sample opens the program on the sample workspace, at its list of campaigns.
func sample(t *testing.T, width, height int, env ...string) *player {
	t.Helper()
	p := &player{terminal: open(t, width, height, filepath.Join(t.TempDir(), "data"), env...)}
	p.play("?Sample workspace", "Enter", "?Winter roast launch")
	p.strokes = 0
	return p
}

// play follows the parts in order: "?text" waits until the text is on the screen, "!text" until it is
// not, ">text" types it, and all else is keys by tmux's names with blanks between them.
func (p *player) play(parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		switch part[0] {
		case '?':
			p.see(part[1:])
		case '!':
			p.gone(part[1:])
		case '>':
			p.write(part[1:])
			p.strokes += utf8.RuneCountInString(part[1:])
		default:
			keys := strings.Fields(part)
			p.keys(keys)
			p.strokes += len(keys)
		}
	}
}

// keys sends as many keys at once as can go together: after Escape there is a pause.
func (p *player) keys(keys []string) {
	p.t.Helper()
	for from := 0; from < len(keys); {
		to := from
		for to < len(keys) && keys[to] != "Escape" {
			to++
		}
		if to > from {
			p.tmux(append([]string{"send-keys", "-t", "main"}, keys[from:to]...)...)
		}
		if to < len(keys) {
			p.press(keys[to])
			to++
		}
		from = to
	}
}

// draft returns the drafts of that name as the command prints them.
func (p *player) draft(name string) string {
	p.t.Helper()
	out, err := p.bugle("search", "--status", "DRAFT", name, "--json")
	if err != nil {
		p.t.Fatalf("search: %v\n%s", err, out)
	}
	return out
}

// holds waits until the drafts of that name hold all of the texts: the screen shows a change before it is saved.
func (p *player) holds(name string, texts ...string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		out := p.draft(name)
		not := missing(out, texts)
		if len(not) == 0 {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%q are not in\n%s", not, out)
		}
	}
}

// missing returns those of the texts that are not in what a command printed, however it was indented.
func missing(out string, texts []string) (missing []string) {
	flat := strings.NewReplacer(" ", "", "\n", "").Replace(out)
	for _, want := range texts {
		if !strings.Contains(flat, strings.ReplaceAll(want, " ", "")) {
			missing = append(missing, want)
		}
	}
	return missing
}

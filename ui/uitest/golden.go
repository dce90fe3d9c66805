package uitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Sizes are the window sizes of golden files.
var Sizes = []struct{ W, H int }{{60, 20}, {80, 24}, {120, 40}}

// Golden compares the window with testdata/NAME.golden.
func (h *Harness) Golden(name string) {
	h.t.Helper()
	Golden(h.t, name, h.Text()+"\n")
}

// Golden compares a text with testdata/NAME.golden.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	path := goldenFile(name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s shows:\n%s\nwant:\n%s", name, got, want)
	}
}

// GoldenSizes compares the window at every size of [Sizes] with testdata/NAME-WxH.golden.
func (h *Harness) GoldenSizes(name string) {
	h.t.Helper()
	for _, s := range Sizes {
		h.Resize(s.W, s.H)
		h.Golden(fmt.Sprintf("%s-%dx%d", name, s.W, s.H))
	}
}

// WantFits checks at many sizes that the screen draws exactly its cells and no control characters.
func (h *Harness) WantFits() {
	h.t.Helper()
	w, ht := h.width, h.height
	for width := 40; width <= 140; width += 5 {
		for height := 10; height <= 50; height += 5 {
			h.screen.SetSize(width, height)
			if wrong := ViewError(h.screen.View(), width, height); wrong != "" {
				h.t.Fatalf("at %d×%d %s:\n%s", width, height, wrong, h.screen.View())
			}
		}
	}
	h.Resize(w, ht)
}

// blank replaces the screens that are opened.
type blank struct {
	screen.Base
	title string
}

func (b *blank) Title() string            { return b.title }
func (b *blank) Init() tea.Cmd            { return nil }
func (b *blank) Update(tea.Msg) tea.Cmd   { return nil }
func (b *blank) View() string             { return "(" + b.title + ")" }
func (b *blank) SetSize(int, int)         {}
func (b *blank) Actions() []screen.Action { return nil }
func (b *blank) Typing() bool             { return false }

// Updating reports whether -update is set and golden files are to be written.
func Updating() bool { return *update }

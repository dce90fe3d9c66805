package widget

import (
	"strings"
	"testing"

	"bugle/themes"
)

// Every cell of a drawn hint is clickable, and nothing else is.
func TestHintAtMatchesView(t *testing.T) {
	bar := NewStatusBar(themes.Plain())
	bar.Hints = []Hint{{Key: "enter", Label: "open"}, {Key: "n", Label: "new"}, {Key: "é", Label: "naïve"}}
	for _, left := range []string{"", "Draft"} {
		bar.Left = left
		for width := 1; width < 60; width++ {
			bar.SetSize(width, 1)
			line := bar.View()
			for i, h := range append(append([]Hint{}, bar.Hints...), bar.Help) {
				text := h.Key + " " + h.Label
				at := strings.Index(line, text)
				x, w, ok := bar.HintSpan(i)
				if at >= 0 != (ok && x+w <= width) {
					t.Fatalf("width %d: %q is drawn: %v, found: %v\n%s", width, text, at >= 0, ok, line)
				}
				if at < 0 {
					continue
				}
				if x != Width(line[:at]) || w != Width(text) {
					t.Errorf("width %d: %q is at %d, drawn at %d", width, text, x, Width(line[:at]))
				}
				for cell := range w {
					if got, ok := bar.HintAt(x + cell); !ok || got != i {
						t.Errorf("width %d: at %d is hint %d, want %d", width, x+cell, got, i)
					}
				}
				if got, ok := bar.HintAt(x + w); ok {
					t.Errorf("width %d: between hints is hint %d", width, got)
				}
			}
		}
	}
}

// Levels can be told apart without color.
func TestLevelsHaveIcons(t *testing.T) {
	seen := map[string]Level{}
	for l := LevelInfo; l <= LevelError; l++ {
		sign, _ := l.icon()
		if other, ok := seen[sign]; ok {
			t.Errorf("levels %d and %d have the sign %s", l, other, sign)
		}
		seen[sign] = l
	}
}

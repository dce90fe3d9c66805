package widget_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"bugle/themes"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

func TestCleanIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "s")
		for what, got := range map[string]string{"Clean": widget.Clean(s), "CleanMarks": widget.CleanVisible(s)} {
			for _, r := range got {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
					t.Errorf("%s(%q) keeps %U: %q", what, s, r, got)
				}
			}
			if again := widget.Clean(got); again != got {
				t.Errorf("%s(%q) is %q, cleaned again %q", what, s, got, again)
			}
			// Text before and after must not change the width of the text.
			if w := widget.Width("│" + got + "│"); w != widget.Width(got)+2 {
				t.Errorf("%s(%q) = %q takes %d cells, %d between bars", what, s, got, widget.Width(got), w)
			}
		}
		for line := range strings.SplitSeq(widget.CleanLines(s), "\n") {
			if widget.Clean(line) != line {
				t.Errorf("CleanLines(%q) has the line %q", s, line)
			}
		}
	})
}

func TestTextWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := widget.Clean(hostileText().Draw(t, "s"))
		w := rapid.IntRange(0, 40).Draw(t, "w")
		total, most := widget.Width(s), 1+w%3
		if total != ansi.StringWidth(s) {
			t.Errorf("%q has width %d, the library says %d", s, total, ansi.StringWidth(s))
		}
		wantBlock(t, "PadRight", widget.PadRight(s, w), w, 1)
		wantBlock(t, "PadLeft", widget.PadLeft(s, w), w, 1)
		wantBlock(t, "Fit", widget.Fit(s, w, 3), w, 3)
		lines := widget.WrapMax(s, w, most)
		if len(lines) > most {
			t.Errorf("WrapMax(%q, %d, %d) has more lines", s, w, most)
		}
		for _, line := range slices.Concat(lines, widget.Wrap(s, w), []string{widget.Truncate(s, w)}) {
			if widget.Width(line) > w {
				t.Errorf("%q at %d has the line %q", s, w, line)
			}
		}
		if widget.Width(widget.TruncateLeft(s, w)) != max(total-w, 0) {
			t.Errorf("TruncateLeft(%q, %d) of %d is %q", s, w, total, widget.TruncateLeft(s, w))
		}
	})
}

type textRows [][]string

func (r textRows) Len() int { return len(r) }

func (r textRows) Row(i int) widget.Cells {
	cells := make(widget.Cells, len(r[i]))
	for n, text := range r[i] {
		cells[n] = widget.Cell{Text: text, Tone: themes.Tone(n)}
	}
	return cells
}

func drawColumn(t *rapid.T) widget.Column {
	return widget.Column{
		Title: hostileText().Draw(t, "title"), Min: rapid.IntRange(0, 20).Draw(t, "min"), Max: rapid.IntRange(0, 30).Draw(t, "max"),
		Weight: rapid.IntRange(0, 4).Draw(t, "weight"), Align: widget.Align(rapid.IntRange(0, 1).Draw(t, "align")), Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
	}
}

// Each widget fills exactly its size, whatever it shows.
func TestWidgetsFit(t *testing.T) {
	keys := []string{"left", "right", "backspace", "delete", "home", "end", "ctrl+u"}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 70).Draw(t, "w"), rapid.IntRange(0, 14).Draw(t, "h")
		text := func(what string) string { return hostileText().Draw(t, what) }
		number := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }

		table := widget.NewTable(plain(), rapid.SliceOfN(rapid.Custom(drawColumn), 0, 6).Draw(t, "columns")...)
		table.Empty, table.Focused = text("empty"), rapid.Bool().Draw(t, "focused")
		if rapid.Bool().Draw(t, "marks") {
			table.Marked = func(i int) bool { return i%2 == 0 }
		}
		table.SetRows(textRows(rapid.SliceOfN(rapid.SliceOfN(hostileText(), 0, 6), 0, 20).Draw(t, "rows")))
		table.SetSize(w, h)
		table.Move(number("cursor", -3, 25))
		wantBlock(t, "table", table.View(), w, h)

		panel := widget.NewPanel(plain(), text("title"))
		panel.Info, panel.Footer = text("info"), text("footer")
		panel.SetSize(w, h)
		wantBlock(t, "panel", panel.View(widget.CleanLines(text("content"))), w, h)

		tabs := widget.NewTabs(plain(), rapid.SliceOfN(hostileText(), 0, 6).Draw(t, "tabs")...)
		tabs.Active = number("active", -1, 7)
		tabs.SetSize(w, 1)
		wantBlock(t, "tabs", tabs.View(), w, 1)

		total := number("total", 0, 40)
		progress := widget.Progress(plain(), text("label"), number("frame", 0, 20), number("done", 0, total), total, w)
		wantBlock(t, "progress", progress, w, 1)

		pager := widget.NewPager(plain())
		pager.SetText(text("text"))
		pager.SetSize(w, h)
		pager.Scroll(number("scroll", -2, 9))
		wantBlock(t, "pager", pager.View(), w, h)
		pager.SetJSON(text("JSON"))
		pager.Update(uitest.Key("right"))
		wantBlock(t, "JSON", pager.View(), w, h)

		base, box := widget.CleanLines(text("base")), widget.CleanLines(text("box"))
		wantBlock(t, "cover", widget.Cover(base, box, number("x", -9, 75), number("y", -5, 16), w, h), w, h)
		wantBlock(t, "center", widget.Center(base, box, w, h), w, h)

		prompt := widget.NewPrompt(plain(), text("label"), text("placeholder"))
		prompt.SetSize(w, 1)
		wantBlock(t, "prompt without the keyboard", prompt.View(), w, 1)
		prompt.Focus()
		for range number("steps", 0, 10) {
			msg := uitest.Key(rapid.SampledFrom(keys).Draw(t, "key"))
			if rapid.Bool().Draw(t, "type") {
				msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text("typed")), Paste: true}
			}
			prompt.Update(msg)
			wantBlock(t, "prompt", prompt.View(), w, 1)
		}
	})
}

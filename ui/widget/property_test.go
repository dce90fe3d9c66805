package widget_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"bugle/themes"
	"bugle/ui/widget"
)

func drawSize(t *rapid.T) (w, h int) {
	return rapid.IntRange(0, 70).Draw(t, "w"), rapid.IntRange(0, 14).Draw(t, "h")
}

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
		if got := widget.Truncate(s, w); widget.Width(got) > w {
			t.Errorf("Truncate(%q, %d) = %q, %d wide", s, w, got, widget.Width(got))
		}
		wantBlock(t, "PadRight", widget.PadRight(s, w), w, 1)
		wantBlock(t, "PadLeft", widget.PadLeft(s, w), w, 1)
		wantBlock(t, "Fit", widget.Fit(s, w, 3), w, 3)
		for _, line := range widget.Wrap(s, w) {
			wantAtMost(t, "Wrap", line, w, 1)
		}
		for most, lines := 1+w%3, widget.WrapMax(s, w, 1+w%3); len(lines) > 0; lines = lines[1:] {
			wantAtMost(t, "WrapMost", lines[0], w, 1)
			if len(lines) > most {
				t.Errorf("WrapMost(%q, %d, %d) has more lines", s, w, most)
			}
		}
		if total := widget.Width(s); widget.Width(widget.TruncateLeft(s, w)) != max(total-w, 0) {
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

func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := drawSize(t)
		table := widget.NewTable(plain(), rapid.SliceOfN(rapid.Custom(drawColumn), 0, 6).Draw(t, "columns")...)
		table.Empty = hostileText().Draw(t, "empty")
		table.Focused = rapid.Bool().Draw(t, "focused")
		if rapid.Bool().Draw(t, "marks") {
			table.Marked = func(i int) bool { return i%2 == 0 }
		}
		table.SetRows(textRows(rapid.SliceOfN(rapid.SliceOfN(hostileText(), 0, 6), 0, 20).Draw(t, "rows")))
		table.SetSize(w, h)
		table.Move(rapid.IntRange(-3, 25).Draw(t, "cursor"))
		wantBlock(t, "table", table.View(), w, h)
	})
}

func TestPanelFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := drawSize(t)
		panel := widget.NewPanel(plain(), hostileText().Draw(t, "title"))
		panel.Info, panel.Footer = hostileText().Draw(t, "info"), hostileText().Draw(t, "footer")
		panel.SetSize(w, h)
		wantBlock(t, "panel", panel.View(widget.CleanLines(hostileText().Draw(t, "content"))), w, h)
	})
}

func TestBarsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := drawSize(t)
		tabs := widget.NewTabs(plain(), rapid.SliceOfN(hostileText(), 0, 6).Draw(t, "tabs")...)
		tabs.Active = rapid.IntRange(-1, 7).Draw(t, "active")
		tabs.SetSize(w, 1)
		wantBlock(t, "tabs", tabs.View(), w, 1)

		total := rapid.IntRange(0, 40).Draw(t, "total")
		progress := widget.Progress(plain(), hostileText().Draw(t, "label"), rapid.IntRange(0, 20).Draw(t, "frame"), rapid.IntRange(0, total).Draw(t, "done"), total, w)
		wantBlock(t, "progress", progress, w, 1)
	})
}

func TestTextViewsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := drawSize(t)
		text := hostileText().Draw(t, "text")
		pager := widget.NewPager(plain())
		pager.SetText(text)
		pager.SetSize(w, h)
		pager.Scroll(rapid.IntRange(-2, 9).Draw(t, "scroll"))
		wantBlock(t, "pager", pager.View(), w, h)

		pager.SetJSON(text)
		for range rapid.IntRange(0, 3).Draw(t, "right") {
			pager.Update(key("right"))
		}
		wantBlock(t, "json", pager.View(), w, h)
	})
}

func TestBoxesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := drawSize(t)
		body := hostileText().Draw(t, "body")
		base := widget.CleanLines(hostileText().Draw(t, "base"))
		x, y := rapid.IntRange(-9, 75).Draw(t, "x"), rapid.IntRange(-5, 16).Draw(t, "y")
		wantBlock(t, "overlay", widget.Cover(base, widget.CleanLines(body), x, y, w, h), w, h)
		wantBlock(t, "center", widget.Center(base, widget.CleanLines(body), w, h), w, h)
	})
}

func TestPromptFits(t *testing.T) {
	names := []string{"left", "right", "backspace", "delete", "home", "end", "ctrl+u"}
	rapid.Check(t, func(t *rapid.T) {
		w, _ := drawSize(t)
		prompt := widget.NewPrompt(plain(), hostileText().Draw(t, "label"), hostileText().Draw(t, "placeholder"))
		prompt.SetSize(w, 1)
		wantBlock(t, "prompt without the keyboard", prompt.View(), w, 1)
		prompt.Focus()
		for range rapid.IntRange(0, 10).Draw(t, "steps") {
			msg := key(rapid.SampledFrom(names).Draw(t, "key"))
			if rapid.Bool().Draw(t, "type") {
				msg = key(hostileText().Draw(t, "typed"))
				msg.Paste = true
			}
			prompt.Update(msg)
			wantBlock(t, "prompt", prompt.View(), w, 1)
		}
		prompt.Blur()
		wantBlock(t, "prompt without the keyboard", prompt.View(), w, 1)
	})
}

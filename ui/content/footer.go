package content

import (
	"fmt"
	"strconv"

	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// footer describes what is under the cursor in at most h lines: the last error first, or else its state.
func (d renderer) footer(h int) []string {
	t := d.cfg.Theme
	head, text, tone := d.footerText()
	switch {
	case d.failure != "":
		text, tone = d.failure, themes.ToneWarning
	case d.notice != "":
		text, tone = d.notice, themes.ToneSuccess
	case d.locked() != "":
		text, tone = d.locked(), themes.ToneWarning
	}
	lines := widget.WrapMax(widget.Clean(text), d.cfg.Width, h)
	// In little space the heading is left out, because the cursor shows it too.
	whole := len(lines) == h && (h == minFooterHeight || d.failure+d.notice+d.locked() != "")
	if !whole {
		lines = widget.WrapMax(widget.Clean(text), d.cfg.Width, h-1)
	}
	for i, line := range lines {
		lines[i] = t.Tone(tone).Render(line)
	}
	if whole {
		return lines
	}
	return append([]string{t.Strong.Render(widget.Truncate(widget.Clean(head), d.cfg.Width))}, lines...)
}

// footerText returns the heading and the state of what is under the cursor.
func (d renderer) footerText() (head, text string, tone themes.Tone) {
	if n := len(d.mem.marks); n > 0 {
		head = phrase.Count(n, "marked message") + " · "
	}
	switch f, ok := d.onField(); {
	case ok && f.Node == nil:
		return head + fieldName(f), "Unknown field. It is kept. Press x to remove it.", themes.ToneInfo
	case ok:
		return head + fieldName(f), f.Node.Help, themes.ToneMuted
	case d.onVariation():
		text, tone = d.shareFooter()
		return head + "Variation " + d.variation(d.col), text, tone
	case d.onLocale():
		text, tone = d.localeFooter()
		name := d.grid.Locales[d.row].Name
		head += grid.LocaleName(name)
		if grid.LanguageName(name) != "" {
			head += " · " + name
		}
		return head, text, tone
	}
	c := d.cell(d.row, d.col)
	text, tone = d.cellFooter(c)
	return head + d.grid.Name(c), text, tone
}

func (d renderer) shareFooter() (string, themes.Tone) {
	if d.grid.Variations[d.col].Unlisted {
		return "The A/B test does not have this variation. Press x to remove it.", themes.ToneWarning
	}
	if why := d.shareLockedReason(); why != "" {
		return why, themes.ToneMuted
	}
	sum, ok := d.grid.Sum()
	left := strconv.FormatFloat(100-sum, 'f', -1, 64)
	switch {
	case !ok:
		return "Not every percentage is a number.", themes.ToneWarning
	case sum < 100:
		return left + "% is left. Press r to add it here, = to split evenly.", themes.ToneWarning
	case sum > 100:
		return strconv.FormatFloat(sum-100, 'f', -1, 64) + "% too much. Press r to lower this one to fit, = to split evenly.", themes.ToneWarning
	}
	return "The percentages add up to 100. Type a number to change this one.", themes.ToneMuted
}

func (d renderer) localeFooter() (string, themes.Tone) {
	l := d.grid.Locales[d.row]
	if l.Unlisted {
		return "This locale has messages but is not in the list of locales. Press a to add it, x to remove it.", themes.ToneWarning
	}
	held := d.messageCount(func(i, _ int) bool { return i == d.row })
	return fmt.Sprintf("%d of %s written. Press y to copy the locale, x to remove it.", held, phrase.Count(len(d.grid.Variations), "message")), themes.ToneMuted
}

func (d renderer) cellFooter(c grid.Cell) (string, themes.Tone) {
	if !d.grid.Value(c).Exists() {
		tone := themes.ToneMuted
		if d.problemCounts[cellKey(c.Locale, c.Variation)] > 0 {
			tone = themes.ToneWarning
		}
		if d.mem.clip.empty() {
			return "Empty. Press enter to write it, or press y on another message to copy it.", tone
		}
		return "Empty. Press enter to write it, p to paste.", tone
	}
	for _, p := range d.problems {
		if at, ok := d.grid.CellAt(p.Path); ok && p.Severity == schema.Error && len(p.Path) > len(grid.Path()) && at.Is(c) {
			n := d.problemCounts[cellKey(c.Locale, c.Variation)]
			text := p.Text() + "."
			if node := d.cfg.Schema.At(p.Path); node != nil && node.Name != "" {
				text = node.Label() + ": " + text
			} else {
				text = "Message: " + text
			}
			if n > 1 {
				text = fmt.Sprintf("%d problems. %s", n, text)
			}
			return text, themes.ToneWarning
		}
	}
	if twin, ok := d.duplicates.Find(c); ok {
		return "Same as " + d.grid.Name(twin) + ".", themes.ToneInfo
	}
	return "No problems.", themes.ToneSuccess
}

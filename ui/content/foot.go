package content

import (
	"fmt"
	"strconv"

	"bugle/engine/content"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// foot tells of what the cursor is on, in at most h lines: what went wrong first, or how it stands.
func (g *Grid) foot(h int) []string {
	t := g.cfg.Theme
	head, text, tone := g.footWords()
	switch {
	case g.failure != "":
		text, tone = g.failure, themes.ToneWarning
	case g.news != "":
		text, tone = g.news, themes.ToneSuccess
	case g.locked() != "":
		text, tone = g.locked(), themes.ToneWarning
	}
	lines := widget.WrapMost(widget.Clean(text), g.cfg.Width, h)
	// Where there is little room it takes the line of what it is about: the cursor shows that, too.
	whole := len(lines) == h && (h == leastFoot || g.failure+g.news+g.locked() != "")
	if !whole {
		lines = widget.WrapMost(widget.Clean(text), g.cfg.Width, h-1)
	}
	for i, line := range lines {
		lines[i] = t.Tone(tone).Render(line)
	}
	if whole {
		return lines
	}
	return append([]string{t.Strong.Render(widget.Truncate(widget.Clean(head), g.cfg.Width))}, lines...)
}

// footWords name what the cursor is on, and say how that stands.
func (g *Grid) footWords() (head, text string, tone themes.Tone) {
	if n := len(g.mem.marks); n > 0 {
		head = phrase.Count(n, "marked message") + " · "
	}
	switch f, ok := g.onField(); {
	case ok && f.Node == nil:
		return head + fieldName(f), "Unknown field. It is kept. Press x to remove it.", themes.ToneInfo
	case ok:
		return head + fieldName(f), f.Node.Help, themes.ToneMuted
	case g.onVariation():
		text, tone = g.shareFoot()
		return head + "Variation " + g.variation(g.col), text, tone
	case g.onLocale():
		text, tone = g.localeFoot()
		name := g.grid.Locales[g.row].Name
		head += content.LocaleName(name)
		if content.LanguageName(name) != "" {
			head += " · " + name
		}
		return head, text, tone
	}
	c := g.cell(g.row, g.col)
	text, tone = g.cellFoot(c)
	return head + g.grid.Name(c), text, tone
}

func (g *Grid) shareFoot() (string, themes.Tone) {
	if g.grid.Variations[g.col].Stray {
		return "The A/B test does not have this variation. Press x to remove it.", themes.ToneWarning
	}
	if why := g.splitWhy(); why != "" {
		return why, themes.ToneMuted
	}
	sum, ok := g.grid.Sum()
	left := strconv.FormatFloat(100-sum, 'f', -1, 64)
	switch {
	case !ok:
		return "Not every percentage is a number.", themes.ToneWarning
	case sum < 100:
		return left + "% is left. Press r to add it here, = to split evenly.", themes.ToneWarning
	case sum > 100:
		return strconv.FormatFloat(sum-100, 'f', -1, 64) + " % too much. Press r to lower this one to fit, = to split evenly.", themes.ToneWarning
	}
	return "The percentages add up to 100. Type a number to change this one.", themes.ToneMuted
}

func (g *Grid) localeFoot() (string, themes.Tone) {
	l := g.grid.Locales[g.row]
	if l.Stray {
		return "This locale has messages but is not in the list of locales. Press a to add it, x to remove it.", themes.ToneWarning
	}
	held := g.held(func(i, _ int) bool { return i == g.row })
	return fmt.Sprintf("%d of %s written. Press y to copy the locale, x to remove it.", held, phrase.Count(len(g.grid.Variations), "message")), themes.ToneMuted
}

func (g *Grid) cellFoot(c content.Cell) (string, themes.Tone) {
	if !g.grid.Value(c).Exists() {
		tone := themes.ToneMuted
		if g.faults[keyOf(c.Locale, c.Variation)] > 0 {
			tone = themes.ToneWarning
		}
		if g.mem.clip.empty() {
			return "Empty. Press enter to write it, or copy another message with y.", tone
		}
		return "Empty. Press enter to write it, p to paste.", tone
	}
	for _, p := range g.problems {
		if at, ok := g.grid.At(p.Path); ok && p.Severity == schema.Error && len(p.Path) > len(content.Path()) && at.Is(c) {
			n := g.faults[keyOf(c.Locale, c.Variation)]
			text := p.Words() + "."
			if node := g.cfg.Schema.At(p.Path); node != nil && node.Name != "" {
				text = node.Label() + " " + text
			} else {
				text = "The message " + text
			}
			if n > 1 {
				text = fmt.Sprintf("%d problems. %s", n, text)
			}
			return text, themes.ToneWarning
		}
	}
	if twin, ok := g.twins.Of(c); ok {
		return "Same as " + g.grid.Name(twin) + ".", themes.ToneInfo
	}
	return "Done.", themes.ToneSuccess
}

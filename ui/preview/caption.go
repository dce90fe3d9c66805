package preview

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/themes"
	"bugle/ui/widget"
)

// Caption is what stands above a message that is shown as one person gets it.
type Caption struct {
	Name string // whose data fills the message; empty for no caption
	// Missing is what has no value in the message; At is the index of the one that the caption names.
	Missing []resolve.Missing
	At      int
	// Note is shown instead of what is missing: why the message is not shown as the person gets it.
	Note string
	// Busy reports that a newer version of the message is being resolved.
	Busy bool
}

// SetCaption sets the caption above the message.
func (p *Preview) SetCaption(c Caption) {
	height := p.captionHeight()
	p.caption = c
	if p.captionHeight() != height {
		p.pager.SetSize(p.width, p.height-p.headerHeight())
	}
}

// captionHeight returns the height of the caption. A second line names what is missing where there is room for it.
func (p *Preview) captionHeight() int {
	switch {
	case p.caption.Name == "" || p.height < 4:
		return 0
	case p.height < 9 || p.caption.Note == "" && len(p.caption.missing()) == 0:
		return 1
	}
	return 2
}

// missing returns what has no value for certain. What a content API will return is not among it.
func (c Caption) missing() []resolve.Missing {
	return slices.DeleteFunc(slices.Clone(c.Missing), func(m resolve.Missing) bool { return m.Deferred })
}

// Named returns what is missing in the message and named by the caption; false if nothing is.
func (c Caption) Named() (resolve.Missing, bool) {
	all := c.missing()
	if len(all) == 0 {
		return resolve.Missing{}, false
	}
	return all[c.At%len(all)], true
}

// view draws the caption.
func (c Caption) view(s *page, height int) []string {
	missing := c.missing()
	right, tone := "", themes.ToneMuted
	switch {
	case c.Busy:
		right = "updating…"
	case c.Note != "" && height < 2:
		right, tone = c.Note, themes.ToneWarning
	case c.Note != "":
	case len(missing) == 1:
		right, tone = "1 value missing", themes.ToneDanger
	case len(missing) > 1:
		right, tone = fmt.Sprintf("%d values missing", len(missing)), themes.ToneDanger
	case len(c.Missing) > 0:
		right = "content API not called"
	default:
		right, tone = "nothing missing", themes.ToneSuccess
	}
	who := append(line{{"As ", textStyle{tone: themes.ToneMuted}}}, textLine(c.Name, textStyle{tone: themes.ToneStrong, bold: true})...)
	lines := []string{s.draw(joinSides(who, textLine(right, textStyle{tone: tone}), s.width), s.width)}
	if height < 2 {
		return lines[:height]
	}
	named, _ := c.Named()
	second := textLine(c.Note, textStyle{tone: themes.ToneWarning})
	if c.Note == "" {
		second = line{{missingMark + " ", textStyle{tone: themes.ToneDanger}}}
		if len(missing) > 1 {
			second = append(second, run{fmt.Sprintf("%d of %d: ", c.At%len(missing)+1, len(missing)), textStyle{tone: themes.ToneMuted}})
		}
		text := MissingText(named)
		if named.Reason != "" && second.width()+widget.Width(widget.Clean(text)) > s.width {
			text = named.Reason // which names the attribute
		}
		second = append(second, textLine(text, textStyle{})...)
	}
	return append(lines, s.draw(second.cut(s.width), s.width))
}

// MissingText describes what has no value in a message: the expression and why.
func MissingText(m resolve.Missing) string {
	text := m.Reason
	if m.Expression != "" {
		text = "{{" + m.Expression + "}}: " + text
	}
	if m.Block != "" {
		text += " (in content block " + m.Block + ")"
	}
	return text
}

// reason returns why an expression that is drawn without a value has none, as a clause to append.
func (c Caption) reason(m render.Missing) string {
	for _, why := range c.Missing {
		if why.Expression == m.Expression && why.Reason != "" {
			return ": " + strings.TrimSuffix(why.Reason, ".")
		}
	}
	return ""
}

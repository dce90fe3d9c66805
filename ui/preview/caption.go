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
	// Busy reports that a newer version of the message is being resolved, and Next for whom, if it is somebody else.
	Busy bool
	Next string
	// Locale is the locale of the message, if the campaign has several.
	Locale string
}

// SetCaption sets the caption above the message.
func (p *Preview) SetCaption(c Caption) {
	p.caption = c
	p.drawCaption()
	p.pager.SetSize(p.width, p.height-p.headerHeight())
}

// drawCaption draws the caption for the size of the preview. More than one line is shown where there is room for it.
func (p *Preview) drawCaption() {
	most := 1
	switch {
	case p.caption.Name == "" || p.height < 4 || p.width == 0:
		p.captionLines = nil
		return
	case p.height >= 20:
		most = 3
	case p.height >= 9:
		most = 2
	}
	p.captionLines = p.caption.lines(&page{painter: newPainter(p.theme), width: p.width}, most)
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

// lines draws the caption in at most so many lines: whose data it is, and then what is missing and why.
func (c Caption) lines(s *page, most int) []string {
	missing := c.missing()
	right, tone := "", themes.ToneMuted
	switch {
	case c.Busy && c.Next != "":
		right = "switching to " + c.Next + "…"
	case c.Busy:
		right = "updating…"
	case c.Note != "" && most < 2:
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
	if c.Locale != "" {
		who = append(who, textLine(" · "+c.Locale, textStyle{tone: themes.ToneMuted})...)
	}
	s.add(joinSides(who, textLine(right, textStyle{tone: tone}), s.width))
	named, ok := c.Named()
	switch {
	case most < 2:
	case c.Note != "":
		s.addAll(wrapRuns(textLine(c.Note, textStyle{tone: themes.ToneWarning}), s.width, most-1))
	case ok:
		count := ""
		if len(missing) > 1 {
			count = fmt.Sprintf("%d of %d: ", c.At%len(missing)+1, len(missing))
		}
		text := MissingText(named)
		if named.Reason != "" && widget.Width(widget.Clean(missingMark+" "+count+text)) > s.width*(most-1) {
			text = named.Reason // which names the attribute
		}
		s.addAll(wrapRuns([]run{{missingMark + " ", textStyle{tone: themes.ToneDanger}}, {count, textStyle{tone: themes.ToneMuted}}, {widget.Clean(text), textStyle{}}}, s.width, most-1))
	}
	if c.Locale != "" && len(s.lines) < most {
		s.addAll(wrapRuns(textLine(localeNote, textStyle{tone: themes.ToneMuted}), s.width, most-len(s.lines)))
	}
	return s.lines
}

// localeNote says why the locale of a message is not that of the person.
const localeNote = "Which locale they get is decided when it is sent."

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

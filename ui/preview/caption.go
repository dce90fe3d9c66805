package preview

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
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
	p.resize()
}

// drawCaption draws the caption for the size of the preview. More than one line is shown where there is room for it.
func (p *Preview) drawCaption() {
	p.captionLines = nil
	if p.caption.Name == "" || p.height < 4 || p.width == 0 {
		return
	}
	most := 1
	switch {
	case p.height >= 20:
		most = 3
	case p.height >= 9:
		most = 2
	}
	s := newPage(p.theme, p.width)
	p.caption.draw(s, most)
	p.captionLines = s.lines
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

// draw draws the caption in at most so many lines: whose data it is, and then what is missing and why.
func (c Caption) draw(s *page, most int) {
	missing := c.missing()
	right, tone := "nothing missing", themes.ToneSuccess
	switch {
	case c.Busy && c.Next != "":
		right, tone = "switching to "+c.Next+"…", themes.ToneMuted
	case c.Busy:
		right, tone = "updating…", themes.ToneMuted
	case c.Note != "" && most < 2:
		right, tone = c.Note, themes.ToneWarning
	case c.Note != "":
		right = ""
	case len(missing) > 0:
		right, tone = phrase.Count(len(missing), "value")+" missing", themes.ToneDanger
	case len(c.Missing) > 0:
		right, tone = "content API not called", themes.ToneMuted
	}
	who := s.paint("As ", muted) + s.clean(c.Name, strong)
	if c.Locale != "" {
		who += s.clean(" · "+c.Locale, muted)
	}
	s.sides(who, s.clean(right, style{tone: tone}))
	named, ok := c.Named()
	switch {
	case most < 2:
	case c.Note != "":
		s.wrapped(s.clean(c.Note, style{tone: themes.ToneWarning}), most-1)
	case ok:
		mark := s.paint(missingMark+" ", danger)
		if len(missing) > 1 {
			mark += s.paint(fmt.Sprintf("%d of %d: ", c.At%len(missing)+1, len(missing)), muted)
		}
		text := MissingText(named)
		if named.Reason != "" && widget.Width(mark+widget.Clean(text)) > s.width*(most-1) {
			text = named.Reason // which names the attribute
		}
		s.wrapped(mark+s.clean(text, plain), most-1)
	}
	if c.Locale != "" && len(s.lines) < most {
		s.wrapped(s.clean(localeNote, muted), most-len(s.lines))
	}
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

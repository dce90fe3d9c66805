package content

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/widget"
)

// Axis is a dimension along which messages differ.
type Axis uint8

// The dimensions.
const (
	ByLocale Axis = iota
	ByVariation
	ByPlatform
	axisCount
)

// tabKeys are the keys that lead to the next message along each axis.
var tabKeys = [axisCount]string{ByLocale: "f5", ByVariation: "f6", ByPlatform: "f7"}

// tab is a place that a line of tabs leads to.
type tab struct {
	text string
	path doc.Path
	open bool
	off  bool // the campaign does not use that platform
}

// Tabs are the places of a form in all messages that differ from its own in one dimension: its locale, its variation, or
// its platform.
type Tabs [axisCount][]tab

// NewTabs returns the tabs of the form at the path of cfg.
func NewTabs(cfg editor.Config) Tabs {
	var out Tabs
	g, p := grid.New(cfg.Head.Channel, cfg.Root), cfg.Path
	c, ok := g.CellAt(p)
	if !ok || !p.HasPrefix(c.Message) {
		return out
	}
	rest := p[len(c.Message):]
	add := func(a Axis, name string, to grid.Cell) {
		out[a] = append(out[a], tab{text: name, path: to.Message.Join(rest...), open: to.Is(c)})
	}
	for _, l := range g.Locales {
		add(ByLocale, grid.LocaleName(l.Name), g.Cell(l.Name, c.Variation))
	}
	for _, v := range g.Variations {
		add(ByVariation, grid.VariationName(v.Name), g.Cell(c.Locale, v.Name))
	}
	if len(rest) == 0 {
		return out // the form of all platforms
	}
	for _, pf := range g.Platforms(c) {
		to := samePlace(cfg, pf.Path, rest[1:])
		out[ByPlatform] = append(out[ByPlatform], tab{text: pf.Name, path: to, open: p.HasPrefix(pf.Path), off: pf.Untargeted})
	}
	return out
}

// samePlace returns the same place in another platform's content or, if it does not exist, that content.
func samePlace(cfg editor.Config, platform, rest doc.Path) doc.Path {
	for n := len(rest); n > 0; n-- {
		p := platform.Join(rest[:n]...)
		if _, ok := cfg.Schema.Object(cfg.Root, p, cfg.Env); ok && !p.Last().IsIndex {
			return p
		}
	}
	return platform
}

// Next returns the place of the message that is some steps after the open one; nil if that is the only one.
func (t Tabs) Next(a Axis, steps int) doc.Path {
	n := len(t[a])
	open := slices.IndexFunc(t[a], func(o tab) bool { return o.open })
	if open < 0 || n < 2 {
		return nil
	}
	return t[a][(open+steps+n)%n].path
}

// segment is a piece of the line.
type segment struct {
	text string
	to   doc.Path // nil if it cannot be clicked
}

// line draws the tabs: the platforms first, then the open locale and variation, which a click changes to the next one.
func (t Tabs) line(theme *themes.Theme) []segment {
	var out []segment
	for _, a := range []Axis{ByPlatform, ByLocale, ByVariation} {
		if len(t[a]) < 2 || a != ByPlatform && t.Next(a, 1) == nil {
			continue
		}
		gap := "  "
		if len(out) == 0 {
			gap = ""
		}
		out = append(out, segment{text: theme.Faint.Render(gap + tabKeys[a] + " ")})
		for i, o := range t[a] {
			switch {
			case a == ByPlatform && i > 0:
				out = append(out, segment{text: theme.Faint.Render(" │ ")}, segment{o.platform(theme), o.path})
			case a == ByPlatform:
				out = append(out, segment{o.platform(theme), o.path})
			case o.open:
				out = append(out, segment{theme.Accent.Render(widget.Truncate(widget.Clean(o.text), 18) + " ▸"), t.Next(a, 1)})
			}
		}
	}
	return out
}

// platform draws the name of a platform.
func (o tab) platform(theme *themes.Theme) string {
	style := theme.Muted
	if o.off {
		o.text, style = o.text+" (off)", theme.Warning
	}
	switch {
	case o.open && theme.IsPlain():
		return "[" + o.text + "]"
	case o.open:
		style = theme.TabActive
	}
	return style.Render(o.text)
}

// View draws the tabs in a line. It is empty if there is only one message.
func (t Tabs) View(theme *themes.Theme, width int) string {
	var b strings.Builder
	for _, s := range t.line(theme) {
		b.WriteString(s.text)
	}
	return widget.Truncate(b.String(), width)
}

// At returns the place that a click at column x of the line leads to; nil if there is none.
func (t Tabs) At(theme *themes.Theme, x int) doc.Path {
	for _, s := range t.line(theme) {
		if x -= widget.Width(s.text); x < 0 {
			return s.to
		}
	}
	return nil
}

package content

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/widget"
)

// MessageTabs is the line above the forms of a message with its locale, its variation, and the platforms of a
// push. Each tab leads to the sibling of the open place. Create it with [NewMessageTabs].
type MessageTabs struct {
	cfg    editor.Config
	active [axisCount]bool // has a target in the form that was drawn last
}

// The dimensions along which messages differ.
const (
	byLocale = iota
	byVariation
	byPlatform
	axisCount
)

// axes are the keys of the dimensions.
var axes = [axisCount]struct{ next, prev, what string }{
	byLocale: {"f5", "alt+f5", "locale"}, byVariation: {"f6", "alt+f6", "variation"}, byPlatform: {"f7", "alt+f7", "platform"},
}

var _ editor.TabBar = (*MessageTabs)(nil)

// NewMessageTabs returns the tabs of the forms below the path of cfg.
func NewMessageTabs(cfg editor.Config) editor.TabBar { return &MessageTabs{cfg: cfg} }

// tab is a place that the line leads to.
type tab struct {
	text string
	path doc.Path
	open bool
	off  bool // the campaign does not use that platform
}

// tabs returns the tabs for the form at p, by axis.
func (s *MessageTabs) tabs(root doc.Value, p doc.Path) [axisCount][]tab {
	g := grid.New(s.cfg.Head.Channel, root)
	var out [axisCount][]tab
	c, ok := g.CellAt(p)
	if !ok || !p.HasPrefix(c.Message) {
		return out
	}
	rest := p[len(c.Message):]
	for _, l := range g.Locales {
		to := g.Cell(l.Name, c.Variation)
		out[byLocale] = append(out[byLocale], tab{text: grid.LocaleName(l.Name), path: to.Message.Join(rest...), open: to.Is(c)})
	}
	for _, v := range g.Variations {
		to := g.Cell(c.Locale, v.Name)
		out[byVariation] = append(out[byVariation], tab{text: grid.VariationName(v.Name), path: to.Message.Join(rest...), open: to.Is(c)})
	}
	if len(rest) == 0 {
		return out // the form of all platforms
	}
	for _, pf := range g.Platforms(c) {
		to := s.sibling(root, pf.Path, rest[1:])
		out[byPlatform] = append(out[byPlatform], tab{text: pf.Name, path: to, open: p.HasPrefix(pf.Path), off: pf.Untargeted})
	}
	return out
}

// sibling returns the same place in another platform's content or, if it does not exist, that content.
func (s *MessageTabs) sibling(root doc.Value, platform, rest doc.Path) doc.Path {
	for n := len(rest); n > 0; n-- {
		p := platform.Join(rest[:n]...)
		if _, ok := s.cfg.Schema.Object(root, p, s.cfg.Env); ok && !p.Last().IsIndex {
			return p
		}
	}
	return platform
}

// segment is a piece of the line.
type segment struct {
	text string
	to   doc.Path // nil if it cannot be clicked
}

// segments draws the line: the platforms first, then the open locale and variation, which a click changes to
// the next one.
func (s *MessageTabs) segments(root doc.Value, p doc.Path) []segment {
	t := s.cfg.Theme
	var out []segment
	all := s.tabs(root, p)
	for _, axis := range []int{byPlatform, byLocale, byVariation} {
		list := all[axis]
		open := openTab(list)
		s.active[axis] = len(list) > 1
		if len(list) < 2 || axis != byPlatform && open < 0 {
			continue
		}
		gap := "  "
		if len(out) == 0 {
			gap = ""
		}
		out = append(out, segment{text: t.Faint.Render(gap + axes[axis].next + " ")})
		if axis != byPlatform {
			text := widget.Truncate(widget.Clean(list[open].text), 18) + " ▸"
			out = append(out, segment{t.Accent.Render(text), list[(open+1)%len(list)].path})
			continue
		}
		for i, o := range list {
			if i > 0 {
				out = append(out, segment{text: t.Faint.Render(" │ ")})
			}
			out = append(out, segment{drawPlatform(t, o), o.path})
		}
	}
	return out
}

func drawPlatform(t *themes.Theme, o tab) string {
	style := t.Muted
	if o.off {
		o.text, style = o.text+" (off)", t.Warning
	}
	switch {
	case o.open && t.IsPlain():
		return "[" + o.text + "]"
	case o.open:
		style = t.TabActive
	}
	return style.Render(o.text)
}

func openTab(list []tab) int {
	return slices.IndexFunc(list, func(o tab) bool { return o.open })
}

// View draws the line. It is empty if there is only one message.
func (s *MessageTabs) View(root doc.Value, p doc.Path, width int) string {
	var b strings.Builder
	for _, sg := range s.segments(root, p) {
		b.WriteString(sg.text)
	}
	return widget.Truncate(b.String(), width)
}

// KeyTarget returns the place that a key leads to from p.
func (s *MessageTabs) KeyTarget(root doc.Value, p doc.Path, pressed string) (doc.Path, bool) {
	for i, axis := range axes {
		if pressed != axis.next && pressed != axis.prev {
			continue
		}
		list := s.tabs(root, p)[i]
		if open := openTab(list); open >= 0 && len(list) > 1 {
			to := open + 1
			if pressed == axis.prev {
				to = open - 1 + len(list)
			}
			return list[to%len(list)].path, true
		}
	}
	return nil, false
}

// ClickTarget returns the place that a click at column x leads to.
func (s *MessageTabs) ClickTarget(root doc.Value, p doc.Path, x int) (doc.Path, bool) {
	for _, sg := range s.segments(root, p) {
		if x -= widget.Width(sg.text); x < 0 {
			return sg.to, sg.to != nil
		}
	}
	return nil, false
}

// Bindings returns the keys that have a target in the form that was drawn last.
func (s *MessageTabs) Bindings() []key.Binding {
	var out []key.Binding
	for i, axis := range axes {
		if s.active[i] {
			out = append(out, bind(axis.next, "next "+axis.what, axis.next, axis.prev))
		}
	}
	return out
}

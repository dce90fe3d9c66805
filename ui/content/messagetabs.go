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
	keys   []axis
	active [axisCount]bool // has a target in the form that was drawn last
}

// axis is a dimension along which messages differ.
type axis struct {
	next, prev string
	binding    key.Binding
}

// The axes, in display order.
const (
	byLocale = iota
	byVariation
	byPlatform
	axisCount
)

var _ editor.TabBar = (*MessageTabs)(nil)

// NewMessageTabs returns the tabs of the forms below the path of cfg.
func NewMessageTabs(cfg editor.Config) editor.TabBar {
	way := func(next, prev, what string) axis {
		return axis{next, prev, bind(next, "next "+what, next, prev)}
	}
	return &MessageTabs{cfg: cfg, keys: []axis{
		byLocale: way("f5", "alt+f5", "locale"), byVariation: way("f6", "alt+f6", "variation"), byPlatform: way("f7", "alt+f7", "platform"),
	}}
}

// tab is a place that the line leads to.
type tab struct {
	text          string
	path          doc.Path
	open          bool
	notApplicable bool // the campaign does not use that platform
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
		out[byPlatform] = append(out[byPlatform], tab{
			text: pf.Name, path: s.sibling(root, pf.Path, p[len(c.Message)+1:]), open: p.HasPrefix(pf.Path), notApplicable: pf.Untargeted,
		})
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
	tone themes.Tone
	open bool
}

// segments renders the line: the platforms first, then the open locale and variation, which a click changes to
// the next one.
func (s *MessageTabs) segments(root doc.Value, p doc.Path) []segment {
	var out []segment
	gap := func() {
		if len(out) > 0 {
			out = append(out, segment{text: "  "})
		}
	}
	stops := s.tabs(root, p)
	for a, list := range stops {
		s.active[a] = len(list) > 1
	}
	if list := stops[byPlatform]; len(list) > 1 {
		gap()
		out = append(out, segment{text: s.keys[byPlatform].next + " ", tone: themes.ToneFaint})
		for i, o := range list {
			if i > 0 {
				out = append(out, segment{text: " │ ", tone: themes.ToneFaint})
			}
			sg := segment{text: o.text, to: o.path, tone: themes.ToneMuted, open: o.open}
			if o.notApplicable {
				sg.text, sg.tone = o.text+" (off)", themes.ToneWarning
			}
			if o.open && s.cfg.Theme.IsPlain() {
				sg.text = "[" + sg.text + "]"
			}
			out = append(out, sg)
		}
	}
	for _, a := range []int{byLocale, byVariation} {
		list := stops[a]
		i := openIndex(list)
		if len(list) < 2 || i < 0 {
			continue
		}
		gap()
		out = append(out, segment{text: s.keys[a].next + " ", tone: themes.ToneFaint},
			segment{text: widget.Truncate(widget.Clean(list[i].text), 18) + " ▸", to: list[(i+1)%len(list)].path, tone: themes.ToneAccent})
	}
	return out
}

func openIndex(list []tab) int {
	return slices.IndexFunc(list, func(o tab) bool { return o.open })
}

// View draws the line. It is empty if there is only one message.
func (s *MessageTabs) View(root doc.Value, p doc.Path, width int) string {
	t := s.cfg.Theme
	var b strings.Builder
	for _, sg := range s.segments(root, p) {
		if sg.open {
			b.WriteString(t.TabActive.Render(sg.text))
		} else {
			b.WriteString(t.Paint(sg.tone, sg.text))
		}
	}
	return widget.Truncate(b.String(), width)
}

// KeyTarget returns the place that a key leads to from p.
func (s *MessageTabs) KeyTarget(root doc.Value, p doc.Path, pressed string) (doc.Path, bool) {
	for a, k := range s.keys {
		step := 0
		switch pressed {
		case k.next:
			step = 1
		case k.prev:
			step = -1
		default:
			continue
		}
		list := s.tabs(root, p)[a]
		if i := openIndex(list); i >= 0 && len(list) > 1 {
			return list[(i+step+len(list))%len(list)].path, true
		}
	}
	return nil, false
}

// ClickTarget returns the place that a click at column x leads to.
func (s *MessageTabs) ClickTarget(root doc.Value, p doc.Path, x int) (doc.Path, bool) {
	at := 0
	for _, sg := range s.segments(root, p) {
		w := widget.Width(sg.text)
		if x >= at && x < at+w && sg.to != nil {
			return sg.to, true
		}
		at += w
	}
	return nil, false
}

// Bindings returns the keys that have a target in the form that was drawn last.
func (s *MessageTabs) Bindings() []key.Binding {
	var out []key.Binding
	for a, k := range s.keys {
		if s.active[a] {
			out = append(out, k.binding)
		}
	}
	return out
}

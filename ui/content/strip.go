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

// Strip is the line above the forms of a message: its locale and variation, and the platforms of a
// push, the open one marked. Each leads to its like. Make one with [NewStrip].
type Strip struct {
	cfg  editor.Config
	keys []axis
	live [axes]bool // that led somewhere from the form that was drawn last
}

// axis is one of the ways to go from a message to another.
type axis struct {
	next, prev string
	binding    key.Binding
}

// The axes, in the order of the line.
const (
	byLocale = iota
	byVariation
	byPlatform
	axes
)

var _ editor.TabBar = (*Strip)(nil)

// NewStrip makes the line for the forms below the path of cfg.
func NewStrip(cfg editor.Config) editor.TabBar {
	way := func(next, prev, what string) axis {
		return axis{next, prev, bind(next, "next "+what, next, prev)}
	}
	return &Strip{cfg: cfg, keys: []axis{
		byLocale: way("f5", "alt+f5", "locale"), byVariation: way("f6", "alt+f6", "variation"), byPlatform: way("f7", "alt+f7", "platform"),
	}}
}

// SetTheme changes the theme.
func (s *Strip) SetTheme(t themes.Theme) { s.cfg.Theme = t }

// stop is a place that the line leads to.
type stop struct {
	text    string
	path    doc.Path
	open    bool
	foreign bool // the campaign is not for that platform
}

// stops returns what is on the line for the form at p: the messages by axis.
func (s *Strip) stops(root doc.Value, p doc.Path) [axes][]stop {
	g := grid.New(s.cfg.Head.Channel, root)
	var out [axes][]stop
	c, ok := g.CellAt(p)
	if !ok || !p.HasPrefix(c.Message) {
		return out
	}
	rest := p[len(c.Message):]
	for _, l := range g.Locales {
		to := g.Cell(l.Name, c.Variation)
		out[byLocale] = append(out[byLocale], stop{text: grid.LocaleName(l.Name), path: to.Message.Join(rest...), open: to.Is(c)})
	}
	for _, v := range g.Variations {
		to := g.Cell(c.Locale, v.Name)
		out[byVariation] = append(out[byVariation], stop{text: grid.VariationName(v.Name), path: to.Message.Join(rest...), open: to.Is(c)})
	}
	if len(rest) == 0 {
		return out // the form of all platforms
	}
	for _, pf := range g.Platforms(c) {
		out[byPlatform] = append(out[byPlatform], stop{
			text: pf.Name, path: s.like(root, pf.Path, p[len(c.Message)+1:]), open: p.HasPrefix(pf.Path), foreign: pf.Untargeted,
		})
	}
	return out
}

// like returns the place in another platform's content that is called the same, or that content.
func (s *Strip) like(root doc.Value, platform, rest doc.Path) doc.Path {
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
	to   doc.Path // nil: nothing to press
	tone themes.Tone
	open bool
}

// segments lays the line out: first all platforms, then the open locale and variation,
// which a press turns to the next.
func (s *Strip) segments(root doc.Value, p doc.Path) []segment {
	var out []segment
	gap := func() {
		if len(out) > 0 {
			out = append(out, segment{text: "  "})
		}
	}
	stops := s.stops(root, p)
	for a, list := range stops {
		s.live[a] = len(list) > 1
	}
	if list := stops[byPlatform]; len(list) > 1 {
		gap()
		out = append(out, segment{text: s.keys[byPlatform].next + " ", tone: themes.ToneFaint})
		for i, o := range list {
			if i > 0 {
				out = append(out, segment{text: " │ ", tone: themes.ToneFaint})
			}
			sg := segment{text: o.text, to: o.path, tone: themes.ToneMuted, open: o.open}
			if o.foreign {
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
		i := opened(list)
		if len(list) < 2 || i < 0 {
			continue
		}
		gap()
		out = append(out, segment{text: s.keys[a].next + " ", tone: themes.ToneFaint},
			segment{text: widget.Truncate(widget.Clean(list[i].text), 18) + " ▸", to: list[(i+1)%len(list)].path, tone: themes.ToneAccent})
	}
	return out
}

func opened(list []stop) int {
	return slices.IndexFunc(list, func(o stop) bool { return o.open })
}

// View draws the line. It is empty where there is only one message.
func (s *Strip) View(root doc.Value, p doc.Path, width int) string {
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
func (s *Strip) KeyTarget(root doc.Value, p doc.Path, pressed string) (doc.Path, bool) {
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
		list := s.stops(root, p)[a]
		if i := opened(list); i >= 0 && len(list) > 1 {
			return list[(i+step+len(list))%len(list)].path, true
		}
	}
	return nil, false
}

// ClickTarget returns the place that a press at column x leads to.
func (s *Strip) ClickTarget(root doc.Value, p doc.Path, x int) (doc.Path, bool) {
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

// Bindings are the keys that lead somewhere from the form that was drawn last.
func (s *Strip) Bindings() []key.Binding {
	var out []key.Binding
	for a, k := range s.keys {
		if s.live[a] {
			out = append(out, k.binding)
		}
	}
	return out
}

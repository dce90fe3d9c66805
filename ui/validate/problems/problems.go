// Package problems draws a list of the problems of a campaign, grouped by component with errors first.
package problems

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// View is the list with a cursor.
type View struct {
	// Focused reports whether the list has the keyboard.
	Focused bool

	theme         themes.Theme
	channel       engine.Channel
	groups        []group
	sorted        []schema.Problem // in list order
	window        widget.Window    // over lines; its cursor is not used
	lines         []line
	cursor        int // index in sorted
	width, height int
}

type group struct {
	title    string
	severity schema.Severity
	first, n int // index in sorted, and count
}

// line is one line of the list; problem is -1 for headings and blanks.
type line struct {
	text    string
	tone    themes.Tone
	problem int
}

// New returns an empty list.
func New(t themes.Theme) View { return View{theme: t} }

func (v *View) SetTheme(t themes.Theme) { v.theme = t }

// Set sets the problems of a campaign of the channel. The cursor keeps its index.
func (v *View) Set(ch engine.Channel, problems []schema.Problem) {
	v.channel, v.groups, v.sorted = ch, nil, nil
	for _, sev := range []schema.Severity{schema.Error, schema.Notice} {
		for _, name := range componentOrder(ch, problems) {
			g := group{title: componentTitle(ch, name), severity: sev, first: len(v.sorted)}
			for _, p := range problems {
				if p.Severity == sev && component(p.Path) == name {
					v.sorted = append(v.sorted, p)
					g.n++
				}
			}
			if g.n > 0 {
				v.groups = append(v.groups, g)
			}
		}
	}
	v.cursor = max(min(v.cursor, len(v.sorted)-1), 0)
	v.layout()
}

// component returns the component that a path is in; "" for the whole campaign.
func component(p doc.Path) string {
	if len(p) == 0 || engine.IsHeadField(p[0].Name) {
		return ""
	}
	return p[0].Name
}

// componentOrder returns the components in the order in which users fill them in, then any others.
func componentOrder(ch engine.Channel, problems []schema.Problem) []string {
	names, seen := []string{""}, map[string]bool{"": true}
	for _, c := range catalog.Components(ch) {
		names, seen[string(c.Name)] = append(names, string(c.Name)), true
	}
	for _, p := range problems {
		if name := component(p.Path); !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	return names
}

func componentTitle(ch engine.Channel, name string) string {
	if name == "" {
		return "Campaign"
	}
	if n := node(ch, doc.P(name)); n != nil && n.Name != "" {
		return n.Label()
	}
	return name
}

// node returns the schema of a place in a campaign, or in a test request.
func node(ch engine.Channel, p doc.Path) *schema.Node {
	if n := catalog.Campaign(ch).At(p); n != nil {
		return n
	}
	return catalog.TestRequest(ch).At(p)
}

// Sentence capitalizes a text.
func Sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// Field names the place of a problem within its component by the titles in the schema.
func Field(ch engine.Channel, p doc.Path) string {
	var words []string
	for i := range p {
		at := p[:i+1]
		n := node(ch, at)
		switch {
		case i == 0 && component(p) != "" && len(p) > 1:
			continue // the heading names it
		case n != nil && n.Name != "":
			words = append(words, n.Label())
		case at.Last().IsIndex:
			words = append(words, fmt.Sprint(at.Last().Index+1))
		default:
			words = append(words, at.Last().Name)
		}
	}
	if len(words) == 0 {
		return "All of it"
	}
	return strings.Join(words, " › ")
}

// Place names a place of a campaign, including its component, by the titles in the schema; "" if it is not in
// the schema.
func Place(ch engine.Channel, p doc.Path) string {
	switch {
	case len(p) == 0 || node(ch, p) == nil:
		return ""
	case len(p) == 1:
		return componentTitle(ch, component(p))
	}
	return componentTitle(ch, component(p)) + " › " + Field(ch, p)
}

// Len returns the number of problems.
func (v *View) Len() int { return len(v.sorted) }

// Position describes the selected problem: "3 of 7"; empty if there is none.
func (v *View) Position() string {
	if len(v.sorted) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", v.cursor+1, len(v.sorted))
}

// Selected returns the problem under the cursor; false if there is none.
func (v *View) Selected() (schema.Problem, bool) {
	if v.cursor >= len(v.sorted) {
		return schema.Problem{}, false
	}
	return v.sorted[v.cursor], true
}

// SetSize sets the size of the list.
func (v *View) SetSize(width, height int) {
	v.width, v.height = max(width, 0), max(height, 0)
	v.layout()
}

// layout wraps the problems into lines.
func (v *View) layout() {
	v.lines = nil
	w := max(v.width-4, 1)
	add := func(problem int, tone themes.Tone, text string) {
		v.lines = append(v.lines, line{widget.Clean(text), tone, problem})
	}
	for gi, g := range v.groups {
		if gi > 0 {
			add(-1, themes.ToneText, "")
		}
		add(-1, themes.ToneStrong, fmt.Sprintf("%s — %s", g.title, Count(g.n, g.severity)))
		for i := g.first; i < g.first+g.n; i++ {
			p := v.sorted[i]
			tone := themes.ToneText
			if field := Field(v.channel, p.Path); field != g.title { // the heading names it
				add(i, tone, fit(field, w))
				tone = themes.ToneMuted
			}
			for _, l := range widget.Wrap(widget.Clean(Sentence(p.Text())), w) {
				add(i, tone, l)
			}
		}
	}
	v.window.Resize(len(v.lines), v.height)
	v.scrollToCursor()
}

// fit drops words at the start of a place that is too long, because its end identifies it.
func fit(field string, w int) string {
	field = widget.Clean(field)
	for widget.Width(field) > w {
		_, rest, found := strings.Cut(strings.TrimPrefix(field, "… › "), " › ")
		if !found {
			return widget.Truncate(field, w)
		}
		field = "… › " + rest
	}
	return field
}

// Count formats a number of problems.
func Count(n int, sev schema.Severity) string {
	noun := "problem"
	if sev == schema.Notice {
		noun = "notice"
	}
	return phrase.Count(n, noun)
}

// Update handles the keys that move, and reports whether msg was one of them.
func (v *View) Update(msg tea.KeyMsg) bool {
	switch msg.String() {
	case "up", "k":
		v.move(-1)
	case "down", "j":
		v.move(1)
	case "pgup", "ctrl+u":
		v.move(-v.page())
	case "pgdown", "ctrl+d":
		v.move(v.page())
	case "home", "g":
		v.move(-len(v.sorted))
	case "end", "G":
		v.move(len(v.sorted))
	default:
		return false
	}
	return true
}

// page returns roughly how many problems are visible.
func (v *View) page() int { return max(v.height/3, 1) }

func (v *View) move(n int) {
	v.cursor = max(min(v.cursor+n, len(v.sorted)-1), 0)
	v.scrollToCursor()
}

// scrollToCursor scrolls as little as possible to show the selected problem, with its heading if that is next
// to it.
func (v *View) scrollToCursor() {
	from, to := -1, -1
	for i, l := range v.lines {
		if l.problem == v.cursor {
			if from < 0 {
				from = i
			}
			to = i
		}
	}
	if from < 0 {
		return
	}
	if from > 0 && v.lines[from-1].problem < 0 {
		from--
	}
	v.window.Select(to)
	v.window.Select(from)
}

// Mouse handles the wheel, and a click on line y, which selects the problem there. chosen reports whether the
// problem was already selected.
func (v *View) Mouse(msg tea.MouseMsg, y int) (chosen bool) {
	if v.window.Wheel(msg) || msg.Button != tea.MouseButtonLeft || msg.Action != tea.MouseActionPress {
		return false
	}
	i, ok := v.window.At(y)
	if !ok || v.lines[i].problem < 0 {
		return false
	}
	chosen = v.lines[i].problem == v.cursor
	v.cursor = v.lines[i].problem
	return chosen
}

// View draws exactly the size set by SetSize.
func (v *View) View() string {
	from, to := v.window.Visible()
	out := make([]string, 0, v.height)
	for i := from; i < to; i++ {
		out = append(out, v.draw(i))
	}
	return widget.Fit(strings.Join(out, "\n"), v.width, v.height)
}

func (v *View) draw(i int) string {
	l := v.lines[i]
	if l.problem < 0 {
		return v.theme.Paint(l.tone, l.text)
	}
	bar, sign := " ", " "
	if l.problem == v.cursor && v.Focused {
		bar = v.theme.Accent.Render("▌")
	}
	first := i == 0 || v.lines[i-1].problem != l.problem
	if first {
		sign = v.theme.Danger.Render("✗")
		if v.sorted[l.problem].Severity == schema.Notice {
			sign = v.theme.Info.Render("i")
		}
	}
	text := v.theme.Paint(l.tone, l.text)
	if first && l.problem == v.cursor && v.Focused {
		text = v.theme.Selected.Render(widget.PadRight(l.text, max(v.width-4, 1)))
	}
	return bar + " " + sign + " " + text
}

// Package problems draws a list of what is wrong with a campaign: by component, errors first,
// each with its field, what is wrong there and which part of the specification says so.
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

// View is the list, with a cursor on one of the problems.
type View struct {
	// Focused says that the keyboard is here.
	Focused bool

	theme         themes.Theme
	channel       engine.Channel
	groups        []group
	sorted        []schema.Problem // in the order of the list
	window        widget.Window    // over lines; its cursor is not used
	lines         []line
	cursor        int // in sorted
	width, height int
}

type group struct {
	title    string
	severity schema.Severity
	first, n int // in sorted
}

// line is one line of the list; problem is -1 on headings and blanks.
type line struct {
	text    string
	tone    themes.Tone
	problem int
}

// New makes an empty list.
func New(t themes.Theme) View { return View{theme: t} }

// SetTheme changes the theme.
func (v *View) SetTheme(t themes.Theme) { v.theme = t }

// Set sets the problems that are listed, of a campaign of the channel. The cursor stays on its number.
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

// component names the part of the campaign that a path is in; "" is the campaign as a whole.
func component(p doc.Path) string {
	if len(p) == 0 || engine.IsHeadField(p[0].Name) {
		return ""
	}
	return p[0].Name
}

// componentOrder returns the components in the order in which people build them, then any others.
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

// node returns what the tables know of a place in a campaign, or in the request that tests it.
func node(ch engine.Channel, p doc.Path) *schema.Node {
	if n := catalog.Campaign(ch).At(p); n != nil {
		return n
	}
	return catalog.TestRequest(ch).At(p)
}

// Sentence begins a text with a capital.
func Sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// Field names the place of a problem within its component, in the titles of the tables.
func Field(ch engine.Channel, p doc.Path) string {
	var words []string
	for i := range p {
		at := p[:i+1]
		n := node(ch, at)
		switch {
		case i == 0 && component(p) != "" && len(p) > 1:
			continue // the heading says it
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

// Place names a place of a campaign from its component on, in the titles of the tables; "" where
// they know none there.
func Place(ch engine.Channel, p doc.Path) string {
	switch {
	case len(p) == 0 || node(ch, p) == nil:
		return ""
	case len(p) == 1:
		return componentTitle(ch, component(p))
	}
	return componentTitle(ch, component(p)) + " › " + Field(ch, p)
}

// Len is the number of problems.
func (v *View) Len() int { return len(v.sorted) }

// Position says which of the problems is chosen: "3 of 7"; nothing where there is none.
func (v *View) Position() string {
	if len(v.sorted) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", v.cursor+1, len(v.sorted))
}

// Selected returns the problem under the cursor, and false where there is none.
func (v *View) Selected() (schema.Problem, bool) {
	if v.cursor >= len(v.sorted) {
		return schema.Problem{}, false
	}
	return v.sorted[v.cursor], true
}

// SetSize tells the list the cells it may use.
func (v *View) SetSize(width, height int) {
	v.width, v.height = max(width, 0), max(height, 0)
	v.layout()
}

// layout breaks the problems into lines.
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
			if field := Field(v.channel, p.Path); field != g.title { // the heading names it already
				add(i, tone, fit(field, w))
				tone = themes.ToneMuted
			}
			for _, l := range widget.Wrap(widget.Clean(Sentence(p.Words())), w) {
				add(i, tone, l)
			}
		}
	}
	v.window.Resize(len(v.lines), v.height)
	v.scrollToCursor()
}

// fit drops words at the front of a place that is too long: its end says what it is.
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

// Count puts a number of problems into words.
func Count(n int, sev schema.Severity) string {
	noun := "problem"
	if sev == schema.Notice {
		noun = "notice"
	}
	return phrase.Count(n, noun)
}

// Update takes the keys that move, and says whether the key was one.
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

// page is how many problems are about in sight.
func (v *View) page() int { return max(v.height/3, 1) }

func (v *View) move(n int) {
	v.cursor = max(min(v.cursor+n, len(v.sorted)-1), 0)
	v.scrollToCursor()
}

// scrollToCursor scrolls as little as shows the chosen problem, with its heading where that is next to it.
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

// Mouse takes the wheel, and a press of the left button on line y, which chooses the problem
// there. chosen says that a problem was pressed that was chosen before already.
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

// View draws the list: exactly as wide and as high as SetSize said.
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

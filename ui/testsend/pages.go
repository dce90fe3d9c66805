package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/content"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// pageView draws a list, and beside or below it what is under its cursor.
func (s *Screen) pageView(title, info, empty, about string, l *widget.List, lines []string) string {
	left, right := s.boxes()
	panel := s.panel(s.crumbs(left.w, title), left, !s.beside())
	panel.Info = info
	w, h := panel.Inner()
	l.SetSize(w, h)
	l.Focused, l.Empty = true, ""
	body := l.View()
	if len(l.Items()) == 0 {
		body = strings.Join(widget.Wrap(empty, w), "\n")
	}
	detail := s.panel(about, right, s.beside())
	_, room := detail.Inner()
	if len(lines) > room {
		s.detailTop = max(min(s.detailTop, len(lines)-room), 0)
		to := min(s.detailTop+max(room, 0), len(lines))
		detail.Footer = fmt.Sprintf("%d of %d", to, len(lines))
		lines = lines[s.detailTop:to]
	}
	switch text := strings.Join(lines, "\n"); {
	case left.w == 0:
		return detail.View(text)
	case right.w == 0:
		return panel.View(body)
	default:
		return s.joined(panel.View(body), detail.View(text))
	}
}

// detailWidth is the width of what is said of the entry under the cursor.
func (s *Screen) detailWidth() int {
	_, right := s.boxes()
	w, _ := s.panel("", right, false).Inner()
	return max(w, 1)
}

// detailKeys are the actions that scroll what is said of the entry under the cursor, and give it the keyboard.
func (s *Screen) detailKeys(heading string) []screen.Action {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { s.detailTop = max(s.detailTop+n, 0); return nil }
	}
	to := func(details bool) func() tea.Cmd {
		return func() tea.Cmd { s.details = details; return nil }
	}
	acts := []screen.Action{
		{Keys: []string{"J"}, Label: "scroll", Help: "scroll the details down", Group: heading, Run: by(1)},
		{Keys: []string{"K"}, Label: "scroll back", Help: "scroll the details up", Group: heading, Run: by(-1)},
		s.zoomKey(),
	}
	if !s.details {
		return append(acts, screen.Action{Keys: []string{"right", "l"}, Label: "details", Help: "go to the details", Group: heading, Bar: 2, Run: to(true)})
	}
	return append(acts,
		screen.Action{Keys: []string{"left", "h"}, Label: "list", Help: "go to the list", Group: heading, Bar: 2, Run: to(false)},
		screen.Action{Keys: []string{"down", "j"}, Label: "scroll", Help: "scroll down", Group: heading, Run: by(1)},
		screen.Action{Keys: []string{"up", "k"}, Label: "scroll back", Help: "scroll up", Group: heading, Run: by(-1)},
	)
}

// fact draws a name and a value that may take several lines.
func (s *Screen) fact(name, value string, w int) []string {
	const label = 12
	var out []string
	for i, l := range widget.Wrap(widget.Clean(value), max(w-label, 1)) {
		head := strings.Repeat(" ", label)
		if i == 0 {
			head = s.theme.Muted.Render(widget.PadRight(name, label))
		}
		out = append(out, head+l)
	}
	return out
}

const (
	emptyGroups = "No groups yet. Add recipients to the form, then press n here to save them as a group."
	emptyOwn    = "No tests of this campaign yet. Press tab to list the tests of all campaigns."
	emptyPast   = "No tests yet. Tests you send are listed here."
)

func (s *Screen) groupsView() string {
	var lines []string
	about := "Group"
	if g, ok := s.group(); ok {
		about, lines = g.Name, s.groupLines(g, s.detailWidth())
	} else {
		for _, l := range widget.Wrap("Groups are saved on this computer, for this workspace.", s.detailWidth()) {
			lines = append(lines, s.theme.Faint.Render(l))
		}
	}
	return s.pageView("Groups", count(len(s.groups.all), "group"), emptyGroups, about, &s.groups.list, lines)
}

func (s *Screen) groupLines(g group, w int) []string {
	lines := s.fact("Identifier", s.identifierName(g.Identifier), w)
	warn := func(text string) {
		for _, l := range widget.Wrap(text, w) {
			lines = append(lines, s.theme.Warning.Render(l))
		}
	}
	if why := s.whyNotGroup(g); why != "" {
		warn(why + ".")
	}
	if n := len(g.Values); n > catalog.MaxIdentifierValues {
		warn(fmt.Sprintf("This group has %d recipients. A test uses the first %d.", n, catalog.MaxIdentifierValues))
	}
	lines = append(lines, "")
	wrong := map[int]string{}
	if s.takes(g.Identifier) {
		wrong, _ = engine.TestSend{Identifier: g.Identifier, Values: g.Values}.CheckRecipients(s.draft.Campaign.Channel)
	}
	for i, v := range g.Values {
		lines = append(lines, s.named(fmt.Sprintf("%2d ", i+1), g.Identifier, v, w))
		if wrong[i] != "" {
			for j, l := range widget.Wrap(widget.Clean(wrong[i]), max(w-5, 1)) {
				lines = append(lines, s.theme.Danger.Render([]string{"   ✗ ", "     "}[min(j, 1)]+l))
			}
		}
	}
	return lines
}

func (s *Screen) earlierView() string {
	title, empty := "Earlier tests", emptyOwn
	if s.past.wide {
		title, empty = "Earlier tests of all campaigns", emptyPast
	}
	var lines []string
	if t, ok := s.pastTest(); ok {
		lines = s.pastLines(t, s.detailWidth())
	}
	return s.pageView(title, count(len(s.past.shown()), "test"), empty, "Test", &s.past.list, lines)
}

// look returns the sign of how a test went.
func look(t model.Past) (string, themes.Tone) {
	switch sent, all := t.Sent(); sent {
	case all:
		return "✓", themes.ToneSuccess
	default:
		return "✗", themes.ToneDanger
	}
}

func (s *Screen) pastLines(t model.Past, w int) []string {
	lines := s.fact("Recipients", strings.Join(s.people.NamesAndValues(t.Ask), ", "), w)
	lines = append(lines, s.fact("Identifier", s.identifierName(t.Ask.Identifier), w)...)
	if f := t.Ask.Filter; f != (engine.KeyFilter{}) {
		lines = append(lines, s.fact("Only", model.FilterName(f), w)...)
	}
	for _, v := range model.ValuesInWords(t.Ask) {
		lines = append(lines, s.fact("Value", v, w)...)
	}
	lines = append(lines, "")
	names := content.ResultNames(t.Result.Keys)
	for i, key := range t.Result.Keys {
		r := t.Result.Data[key]
		sign := s.theme.Success.Render("✓")
		if r.Status != engine.Sent {
			sign = s.theme.Danger.Render("✗")
		}
		lines = append(lines, sign+" "+widget.Truncate(widget.Clean(names[i]), max(w-2, 1)))
		if r.FailureReason != "" {
			lines = append(lines, wrapped(s.theme, s.people.Explain(r.FailureReason, s.draft.Workspace, t.Ask), 2, w)...)
		}
	}
	lines = append(append(lines, ""), s.fact("Campaign", t.Campaign, w)...)
	return append(lines, s.fact("Sent", s.moment(t.At), w)...)
}

// pageMouse takes a press or the wheel; a press on the entry under the cursor takes it.
func (s *Screen) pageMouse(l *widget.List, msg tea.MouseMsg, take func() tea.Cmd) tea.Cmd {
	if s.onSide(msg.X, msg.Y) {
		s.detailTop = max(s.detailTop+wheel(msg), 0)
		if pressed(msg) {
			s.details = true
		}
		return nil
	}
	before := l.Cursor
	inside := l.Mouse(msg, msg.Y-1)
	if l.Cursor != before {
		s.detailTop = 0
	}
	if pressed(msg) && inside {
		s.details = false
		if l.Cursor == before {
			return take()
		}
	}
	return nil
}

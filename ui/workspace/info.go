package workspace

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// infoTab is what stands beside the form.
type infoTab uint8

const (
	tabField infoTab = iota
	tabJSON
	tabAudience
)

// info is the view beside the form, or in its place where there is no room for both.
type info struct {
	theme   themes.Theme
	tab     infoTab
	focused bool // the keyboard is here
	pager   widget.Pager
	json    widget.JSONView
	aside   editor.Aside // whom the filters pick; nil where the form edits none
	of      string       // the place that aside is of
	width   int
}

func newInfo(t themes.Theme) info {
	return info{theme: t, pager: widget.NewPager(t), json: widget.NewJSONView(t)}
}

func (i *info) setTheme(t themes.Theme) {
	i.theme = t
	i.pager.SetTheme(t)
	i.json.SetTheme(t)
	if i.aside != nil {
		i.aside.SetTheme(t)
	}
}

func (i *info) setSize(w, h int) {
	i.width = w
	i.pager.SetSize(w, h)
	i.json.SetSize(w, h)
	if i.aside != nil {
		i.aside.SetSize(w, h)
	}
}

// update hands on keys while the view has the keyboard, and results of tasks.
func (i *info) update(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyMsg)
	switch {
	case i.aside != nil && (!isKey || i.tab == tabAudience):
		return i.aside.Update(msg)
	case isKey && i.tab == tabJSON:
		i.json.Update(key)
	case isKey:
		i.pager.Update(key)
	}
	return nil
}

func (i *info) view() string {
	switch i.tab {
	case tabJSON:
		return i.json.View()
	case tabAudience:
		if i.aside != nil {
			return i.aside.View()
		}
	}
	return i.pager.View()
}

// title names the views, the one that is shown in brackets.
func (i *info) title() string { return strings.Join(i.names(), " ") }

// tabAt returns the view whose name stands at a column of the pane's frame.
func (i *info) tabAt(x int) (infoTab, bool) {
	at := widget.Width("╭─ ")
	for n, name := range i.names() {
		if x >= at && x < at+widget.Width(name) {
			return infoTab(n), true
		}
		at += widget.Width(name) + 1
	}
	return 0, false
}

func (i *info) names() []string {
	names := []string{"About", "JSON"}
	if i.aside != nil {
		names = append(names, "Audience")
	}
	for n := range names {
		if infoTab(n) == i.tab {
			names[n] = "[" + names[n] + "]"
		}
	}
	return names
}

// next goes to the next view; where both have no room, the form comes after the last one.
func (i *info) next(form bool) {
	last := tabJSON
	if i.aside != nil {
		last = tabAudience
	}
	switch {
	case form && !i.focused:
		i.focused, i.tab = true, tabJSON
		if i.aside != nil {
			i.tab = tabAudience
		}
	case form && i.tab == tabJSON, !form && i.tab == last:
		i.focused, i.tab = false, tabField
	case form:
		i.tab = tabJSON
	default:
		i.tab++
	}
}

// openInfo makes the view of the form that was opened.
func (s *Record) openInfo(cfg editor.Config) {
	s.info.focused = false
	if _, ok := s.filtersAt(s.path); !ok {
		if s.info.tab == tabAudience {
			s.info.tab = tabField
		}
		s.info.aside, s.info.of = nil, ""
		return
	}
	if s.info.aside == nil || s.info.of != s.path.String() {
		s.info.aside, s.info.of = filters.NewAside(cfg), s.path.String()
		s.info.tab = tabAudience
		s.layout()
	}
}

// showInfo brings the view to the record as it is, and to the field that has the keyboard.
func (s *Record) showInfo() {
	if s.form == nil {
		return
	}
	s.info.json.SetText(string(s.plain().Indent()))
	s.info.pager.SetStyled(s.about())
	if s.info.aside != nil {
		s.wants.info = tea.Batch(s.wants.info, s.info.aside.Show(s.root, s.path))
	}
}

// about tells what the field under the cursor is, what is wrong with it first.
func (s *Record) about() string {
	f, ok := s.form.Focused()
	node, path := f.Node, f.Path
	if !ok || node == nil {
		node, path = s.table.At(s.path), s.path
	}
	if node == nil {
		return ""
	}
	var lines []string
	add := func(style lipgloss.Style, text string) {
		// A style ends with its line: text is cut into lines before it is painted.
		for _, line := range widget.Wrap(widget.Clean(text), max(s.info.width-2, 1)) {
			lines = append(lines, style.Render(line))
		}
	}
	for _, p := range s.problems {
		if p.Path.Equal(path) {
			style := s.theme.Danger
			if p.Severity == schema.Notice {
				style = s.theme.Warning
			}
			add(style, "✗ "+sentence(p.Words()))
		}
	}
	add(s.theme.Strong, node.Label())
	for _, note := range s.table.Notes(node) {
		add(s.theme.Text, note)
	}
	return strings.Join(lines, "\n")
}

func (s *Record) nextInfo() tea.Cmd {
	s.info.next(!s.both())
	s.form.SetActive(!s.info.focused)
	s.layout()
	s.showInfo()
	return nil
}

// pressTab turns to the view whose name stands at a column of the pane's frame.
func (s *Record) pressTab(x int) {
	if tab, ok := s.info.tabAt(x); ok {
		s.info.tab = tab
		s.layout()
		s.showInfo()
	}
}

// toAudience gives the view of whom the filters pick the keyboard.
func (s *Record) toAudience() tea.Cmd {
	s.info.tab, s.info.focused = tabAudience, true
	s.form.SetActive(false)
	s.layout()
	return nil
}

func (s *Record) toForm() tea.Cmd {
	s.info.focused = false
	s.form.SetActive(true)
	return nil
}

// infoKeys tells the help which keys the view beside the form takes.
func (s *Record) infoKeys() []screen.Action {
	if s.info.tab != tabAudience || s.info.aside == nil {
		return nil
	}
	return told(s.info.aside.Bindings(), 6)
}

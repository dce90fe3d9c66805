package workspace

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// infoTab is a tab beside the form.
type infoTab uint8

const (
	tabField infoTab = iota
	tabJSON
	tabAudience
)

// info is the pane beside the form, or instead of it if they do not both fit.
type info struct {
	theme         *themes.Theme
	tab           infoTab
	pager         widget.Pager
	json          widget.JSONView
	sidePanel     editor.SidePanel // the matching users; nil if the form does not edit filters
	sidePanelPath string           // the place of the side panel

	width, height int
}

func newInfo(t *themes.Theme) info {
	return info{theme: t, pager: widget.NewPager(t), json: widget.NewJSONView(t)}
}

func (i *info) setSize(w, h int) {
	i.width, i.height = w, h
	i.pager.SetSize(w, h)
	i.json.SetSize(w, h)
	if i.sidePanel != nil {
		i.sidePanel.SetSize(w, h)
	}
}

// update handles keys while the pane has the keyboard, and results of tasks.
func (i *info) update(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyMsg)
	switch {
	case i.sidePanel != nil && (!isKey || i.tab == tabAudience):
		return i.sidePanel.Update(msg)
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
		if i.sidePanel != nil {
			return i.sidePanel.View()
		}
	}
	return i.pager.View()
}

// title returns the tab names, the current one in brackets.
func (i *info) title() string { return strings.Join(i.names(), " ") }

// tabAt returns the tab at a column of the title.
func (i *info) tabAt(x int) (infoTab, bool) {
	at := 1 // the title begins a cell after the text
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
	if i.sidePanel != nil {
		names = append(names, "Audience")
	}
	for n := range names {
		if infoTab(n) == i.tab {
			names[n] = "[" + names[n] + "]"
		}
	}
	return names
}

// next selects the next tab, and reports whether the pane is focused afterwards. If alone is set, the pane
// replaces the form, which follows the last tab.
func (i *info) next(alone, focused bool) bool {
	last := tabJSON
	if i.sidePanel != nil {
		last = tabAudience
	}
	switch {
	case alone && !focused:
		i.tab = last
		return true
	case alone && i.tab == tabJSON, !alone && i.tab == last:
		i.tab = tabField
		return false
	case alone:
		i.tab = tabJSON
	default:
		i.tab++
	}
	return focused
}

// show updates the pane for the current record and the focused place of the form.
func (i *info) show(f *form) tea.Cmd {
	i.updateSidePanel(f)
	i.json.SetText(string(f.draft.withoutEmptyGroups().Indent()))
	i.describe(f)
	if i.sidePanel == nil {
		return nil
	}
	return i.sidePanel.Show(f.root, f.path)
}

// describe describes the focused field.
func (i *info) describe(f *form) { i.pager.SetStyled(i.fieldText(f)) }

// updateSidePanel creates the side panel if the form edits filters.
func (i *info) updateSidePanel(f *form) {
	if _, ok := f.draft.filtersAt(f.path); !ok {
		if i.tab == tabAudience {
			i.tab = tabField
		}
		i.sidePanel, i.sidePanelPath = nil, ""
		return
	}
	if i.sidePanel == nil || i.sidePanelPath != f.path.String() {
		i.sidePanel, i.sidePanelPath, i.tab = filters.NewAudiencePanel(f.config()), f.path.String(), tabAudience
		i.sidePanel.SetSize(i.width, i.height)
	}
}

// fieldText describes the focused field, its problems first.
func (i *info) fieldText(f *form) string {
	at, ok := f.editor.Focused()
	node, path := at.Node, at.Path
	if !ok || node == nil {
		node, path = f.schema.At(f.path), f.path
	}
	if node == nil {
		return ""
	}
	var lines []string
	add := func(style lipgloss.Style, text string) {
		// Styles do not span lines: text is wrapped before it is styled.
		lines = append(lines, widget.WrapStyled(style, text, i.width-2)...)
	}
	for _, p := range f.draft.Problems() {
		if p.Path.Equal(path) {
			style := i.theme.Danger
			if p.Severity == schema.Notice {
				style = i.theme.Warning
			}
			add(style, "✗ "+phrase.Sentence(p.Text()))
		}
	}
	add(i.theme.Strong, node.Label())
	for _, note := range f.schema.Notes(node) {
		add(i.theme.Text, note)
	}
	return strings.Join(lines, "\n")
}

// mouse handles a mouse event relative to the inside of the pane. A click on a tab name in its title selects it.
func (i *info) mouse(msg tea.MouseMsg) tea.Cmd {
	if widget.Pressed(msg) && msg.Y < 0 {
		if tab, ok := i.tabAt(msg.X); ok {
			i.tab = tab
		}
		return nil
	}
	switch {
	case i.tab == tabAudience && i.sidePanel != nil:
		return i.sidePanel.Update(msg)
	case i.tab == tabJSON:
		i.json.Mouse(msg)
	default:
		i.pager.Mouse(msg)
	}
	return nil
}

// helpEntries describes the keys of the pane for the help.
func (i *info) helpEntries() []screen.Action {
	if i.tab != tabAudience || i.sidePanel == nil {
		return nil
	}
	return helpEntries(i.sidePanel.Bindings(), 6)
}

package list

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/widget"
)

// Tab is one way to show an entry.
type Tab struct {
	Name string // not shown if there is one tab
	// Draw returns the text for a size. It is called when the tab is opened, and when the size or the theme has changed.
	Draw func(width, height int) Text
}

// Text is the text of a tab: plain, with styles, or JSON.
type Text struct {
	Text         string
	Styled, JSON bool
}

// Reader shows an entry under tabs.
type Reader struct {
	theme         *themes.Theme
	styles        *themes.Styles // with which the text was drawn
	entry         string         // identifies the entry; empty if there is none
	tabs          []Tab
	bar           widget.Tabs
	pager         widget.Pager
	width, height int
}

// newReader returns an empty reader, which opens the tab of that index first.
func newReader(t *themes.Theme, open int) *Reader {
	r := &Reader{theme: t, bar: widget.NewTabs(t), pager: widget.NewPager(t)}
	r.bar.Active = open
	return r
}

// SetSize sets the size of the reader.
func (r *Reader) SetSize(w, h int) {
	again := w != r.width || h != r.height || r.styles != r.theme.Styles
	r.width, r.height, r.styles = w, h, r.theme.Styles
	r.bar.SetSize(w, 1)
	r.pager.SetSize(w, h-r.head())
	if again {
		r.draw()
	}
}

// head returns the number of lines above the text: the tabs and a blank line.
func (r *Reader) head() int {
	if len(r.tabs) < 2 {
		return 0
	}
	return 2
}

// Show shows an entry from its start, in the current tab or, if it has none of that name, in the first. An entry that is shown
// already stays as it is.
func (r *Reader) Show(entry string, tabs ...Tab) {
	if entry == r.entry {
		return
	}
	open, name := r.Tab()
	if len(r.tabs) > 0 {
		open = max(slices.IndexFunc(tabs, func(t Tab) bool { return t.Name == name }), 0)
	}
	r.entry, r.tabs, r.bar.Names = entry, tabs, nil
	for _, tab := range tabs {
		r.bar.Names = append(r.bar.Names, tab.Name)
	}
	r.open(open)
}

// Clear removes the entry.
func (r *Reader) Clear() { r.entry = "" }

// Tab returns the index and the name of the current tab.
func (r *Reader) Tab() (i int, name string) {
	if r.bar.Active < len(r.bar.Names) {
		name = r.bar.Names[r.bar.Active]
	}
	return r.bar.Active, name
}

// text returns the text of the current tab.
func (r *Reader) text() Text {
	if r.entry == "" {
		return Text{}
	}
	return r.tabs[r.bar.Active].Draw(r.width, r.height)
}

// Text returns the text of the current tab.
func (r *Reader) Text() string { return r.text().Text }

// open shows a tab from its start.
func (r *Reader) open(tab int) {
	r.bar.Active = tab
	r.pager = widget.NewPager(r.theme)
	r.pager.SetSize(r.width, r.height-r.head())
	r.draw()
}

// draw draws the text of the current tab.
func (r *Reader) draw() {
	if r.width <= 0 {
		return // it is not shown
	}
	switch text := r.text(); {
	case text.JSON:
		r.pager.SetJSON(text.Text)
	case text.Styled:
		r.pager.SetStyled(text.Text)
	default:
		r.pager.SetText(text.Text)
	}
}

// turn opens the next or previous tab.
func (r *Reader) turn(n int) tea.Cmd {
	if of := len(r.tabs); of > 0 {
		r.open((r.bar.Active + n + of) % of)
	}
	return nil
}

// mouse handles the wheel and a click on a tab, relative to the reader.
func (r *Reader) mouse(msg tea.MouseMsg) {
	if i, ok := r.bar.At(msg.X); ok && msg.Y < r.head()-1 && widget.Pressed(msg) {
		r.open(i)
		return
	}
	r.pager.Mouse(msg)
}

// view draws the tabs and the text.
func (r *Reader) view() string {
	switch {
	case r.entry == "":
		return ""
	case r.head() == 0:
		return r.pager.View()
	}
	return widget.Fit(r.bar.View()+"\n\n"+r.pager.View(), r.width, r.height)
}

// lines returns the text of the current tab in lines, for plain mode.
func (r *Reader) lines() []string {
	text := r.text()
	if text.JSON {
		return strings.Split(text.Text, "\n")
	}
	return SpokenLines(text.Text)
}

package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// pane identifies a pane.
type pane uint8

const (
	paneSections pane = iota
	paneForm
	paneInfo
	paneCaller // the screen that opened this one: esc may return there, but it never has the focus
)

// panes are the section list, the form and the info pane. One of them has the focus, and all show the same
// place.
type panes struct {
	edit     *edit.Session
	theme    *themes.Theme
	change   func(root doc.Value, field string) tea.Cmd // replaces the document, see [Screen.change]
	editText func(forms.OpenEditorMsg) tea.Cmd          // opens a text in the user's editor

	sections sectionList
	host     host
	info     info
	focus    pane
	from     pane // the focus before it moved to the info pane

	width, height int
	layout        layout
	request       layoutRequest // the request that layout was computed for
	measured      editor.Editor // the editor whose lines were counted
	zoom          bool          // the focused pane fills the screen
}

// setSize divides the screen.
func (ps *panes) setSize(width, height int) {
	ps.width, ps.height = width, height
	ps.measured, ps.layout, ps.host.size = nil, layout{}, box{}
	ps.arrange()
}

// arrange divides the screen again if the panes request another layout.
func (ps *panes) arrange() {
	d := layoutRequest{focus: ps.focus, zoom: ps.zoom, lines: ps.request.lines}
	fresh := ps.measured != ps.host.editor || ps.layout.form.w == 0
	if fresh {
		d.lines = ps.host.lines(divide(ps.width, ps.height, layoutRequest{}).form.w, ps.height)
	} else if d == ps.request {
		return
	}
	ps.request, ps.measured = d, ps.host.editor
	ps.layout = divide(ps.width, ps.height, d)
	ps.sections.list.SetSize(ps.layout.sections.w-4, ps.layout.sections.h-2)
	ps.info.setSize(ps.layout.side, ps.layout.wide)
	ps.host.setSize(ps.layout.form)
	ps.info.shown = ""
	ps.refresh()
}

// view draws the panes.
func (ps *panes) view() string {
	ps.sections.list.Focused = ps.focus == paneSections
	side := func() string { return ps.info.view(ps.focus == paneInfo) }
	left := func() string {
		return panel(ps.theme, ps.sections.title(), ps.layout.sections, ps.focus == paneSections, "").View(ps.sections.list.View())
	}
	switch {
	case ps.zoom && ps.focus == paneSections:
		return left()
	case ps.zoom && ps.focus == paneInfo:
		return side()
	case ps.zoom:
		return ps.formView()
	case ps.layout.wide:
		return widget.JoinHorizontal(left(), ps.formView(), side())
	}
	return widget.JoinHorizontal(left(), widget.JoinVertical(ps.formView(), side()))
}

// formSpan returns the first column of the form's pane, and its width.
func (ps *panes) formSpan() (x, width int) { return ps.layout.sections.w, ps.layout.main.w }

// formView draws the pane of the form.
func (ps *panes) formView() string {
	panel := panel(ps.theme, breadcrumbText(ps.host.places.breadcrumb(ps.host.path), ps.layout.main.w-6), ps.layout.main, ps.focus == paneForm, "")
	if ps.host.editor == nil {
		return panel.View("")
	}
	if p := ps.sections.at(ps.host.path); p.state == sectionNotApplicable {
		inner, _ := panel.Inner()
		return panel.View(strings.Join(widget.Wrap(ps.theme.Muted.Render(phrase.Capitalize(widget.Clean(p.reason))), inner), "\n"))
	}
	return panel.View(ps.host.view(ps.focus == paneForm))
}

// location returns the user's position.
func (ps *panes) location() location {
	return location{focus: ps.focus, path: ps.host.path, field: ps.host.focused()}
}

// place returns the path of the focused field, or else of the form.
func (ps *panes) place() doc.Path { return ps.location().place() }

// showChecked shows the problems of the current document.
func (ps *panes) showChecked() {
	ps.sections.show(ps.edit)
	if ps.host.editor != nil {
		ps.host.editor.SetProblems(ps.edit.Problems())
	}
	ps.refresh()
}

// reload shows the current document in the open form.
func (ps *panes) reload() {
	ps.host.reload()
	ps.refresh()
}

// refresh updates the info pane and its side panel for the current location.
func (ps *panes) refresh() {
	if len(ps.host.path) == 0 {
		return
	}
	at := ps.location()
	if t, of, place, ok := ps.host.places.sidePanelAt(at.place(), &ps.sections); ok {
		ps.info.setSidePanel(of[:1].String(), place, func() editor.SidePanel { return t.sidePanel(ps.host.config(of)) })
	} else {
		ps.info.setSidePanel("", nil, nil)
	}
	ps.info.refresh(at)
}

// adopt adopts what the form's last message changed. alone makes it an undo step of its own, for text that was
// not typed key by key.
func (ps *panes) adopt(cmd tea.Cmd, alone bool) tea.Cmd {
	if ps.host.editor == nil {
		return cmd
	}
	root, field, changed := ps.host.edits()
	if !changed {
		ps.refresh()
		return cmd
	}
	if alone {
		field = ""
	}
	cmd = tea.Batch(cmd, ps.change(root, field))
	ps.host.editor.Reload(ps.edit.Root()) // so that what follows counts as an edit even if it leads back to how it was
	return cmd
}

// message passes a message that the form has requested, such as the content of the clipboard, to the form and to the side
// panel.
func (ps *panes) message(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if ps.host.editor != nil {
		cmds = append(cmds, ps.adopt(ps.host.editor.Update(msg), true))
	}
	if ps.info.sidePanel != nil {
		cmds = append(cmds, ps.info.sidePanel.Update(msg))
	}
	return tea.Batch(cmds...)
}

// fulfill carries out the requests of the editor and the side panel.
func (ps *panes) fulfill() tea.Cmd {
	w := ps.host.requests
	ps.host.requests = requests{}
	var cmds []tea.Cmd
	if w.notice != "" {
		cmds = append(cmds, screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, w.notice))
	}
	if w.open != nil {
		cmds = append(cmds, ps.open(w.open))
		ps.host.requests = requests{}
	}
	return tea.Batch(append(cmds, ps.info.takeStarted())...)
}

// typing reports whether the form has the keyboard.
func (ps *panes) typing() bool { return ps.focus == paneForm && ps.host.editor != nil }

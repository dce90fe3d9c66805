package builder

import (
	"slices"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"

	tea "github.com/charmbracelet/bubbletea"
)

// goTo shows the form that contains the place p, and focuses its field.
func (ps *panes) goTo(p doc.Path) {
	if len(p) == 0 {
		return
	}
	at := ps.host.places.formOf(p)
	ps.show(at)
	if len(p) > len(at) {
		ps.host.editor.FocusPath(p)
		ps.refresh()
	}
}

// open shows the form of a place below the current one; for a field, the form that contains it.
func (ps *panes) open(p doc.Path) tea.Cmd {
	ps.focus = paneForm
	if n := ps.edit.Schema().At(p); n != nil && len(n.Children) == 0 && n.Element == nil && n.Kind != schema.Any {
		ps.goTo(p)
		return nil
	}
	ps.show(p)
	return nil
}

// up leaves the form for the one around it, and the outermost one for the section list.
func (ps *panes) up() tea.Cmd {
	if len(ps.host.path) <= 1 {
		return ps.focusSections()
	}
	from := ps.host.path
	ps.goTo(from.Parent())
	ps.host.editor.FocusPath(from)
	ps.refresh()
	return nil
}

// enter focuses the form of the selected section.
func (ps *panes) enter() tea.Cmd {
	if ps.host.editor == nil {
		return nil
	}
	if p := ps.sections.at(ps.host.path); p.state == sectionNotApplicable {
		return screen.Notify(widget.LevelWarning, p.title+" is not used by this campaign: "+p.reason)
	}
	ps.focus, ps.info.chosen = paneForm, false
	ps.refresh()
	return nil
}

// follow shows the form of the selected section.
func (ps *panes) follow() {
	if at := ps.sections.chosen(); len(at) > 0 && !at.Equal(ps.host.path) {
		ps.goTo(at)
	}
}

// show shows the form of the object, list or map at p.
func (ps *panes) show(p doc.Path) {
	if ps.focus == paneForm && ps.sections.at(p).state == sectionNotApplicable {
		ps.focus = paneSections // it has no fields to focus
	}
	ps.host.show(p)
	ps.refresh()
}

// openSibling opens the form at to and focuses the field with the same name as the current one.
func (ps *panes) openSibling(to doc.Path) tea.Cmd {
	from, at := ps.host.path, ps.place()
	cmd := ps.open(to)
	if at.HasPrefix(from) {
		ps.host.editor.FocusPath(to.Join(at[len(from):]...))
		ps.refresh()
	}
	return cmd
}

// toggleGrid switches between the grid and the form of the messages.
func (ps *panes) toggleGrid() tea.Cmd {
	at := ps.place()
	ps.host.places.toggleView(len(ps.host.path) == 1 && ps.host.places.gridOpen())
	ps.show(at[:1])
	ps.host.editor.FocusPath(at)
	ps.focus = paneForm
	ps.refresh()
	return nil
}

// focusField shows the form of a place and focuses the field there.
func (ps *panes) focusField(p doc.Path) tea.Cmd {
	if len(p) == 0 {
		return nil
	}
	ps.sections.choose(p)
	ps.focus = paneForm
	ps.goTo(p)
	return nil
}

// focusInfo focuses the pane beside the form.
func (ps *panes) focusInfo() {
	if ps.focus != paneInfo {
		ps.from, ps.focus = ps.focus, paneInfo
	}
}

func (ps *panes) focusSidePanel() tea.Cmd {
	ps.info.focusSidePanel()
	ps.focusInfo()
	ps.refresh()
	return nil
}

func (ps *panes) focusSections() tea.Cmd {
	ps.focus, ps.info.chosen = paneSections, false
	ps.refresh()
	return nil
}

func (ps *panes) focusProblems() tea.Cmd {
	ps.focusInfo()
	ps.info.tab, ps.info.chosen = tabProblems, false
	ps.info.showProblems(true)
	return nil
}

// openSelectedProblem goes to the field of the problem under the cursor.
func (ps *panes) openSelectedProblem() tea.Cmd {
	to, ok := ps.info.selectedProblem()
	if !ok {
		return nil
	}
	return ps.focusField(to)
}

// turnTab moves to another tab beside the form.
func (ps *panes) turnTab(n int) tea.Cmd {
	ps.info.turnTab(n)
	ps.refresh()
	return nil
}

// goToChange shows the form that contains the changes and focuses the changed field. If several sections
// changed, it goes to where the user was.
func (ps *panes) goToChange(changes []doc.Change, was doc.Path) {
	at := doc.CommonPath(changes)
	at = existingPath(ps.edit, at)
	if len(at) == 0 {
		at = was
	}
	if len(at) == 0 {
		ps.reload()
		return
	}
	holder := ps.host.places.formOf(at)
	if len(changes) == 1 && len(at) > 1 && !at.Equal(ps.host.path) {
		holder = ps.host.places.formOf(at.Parent())
	}
	ps.sections.choose(at)
	if ps.focus != paneForm {
		ps.focus, ps.info.chosen = paneForm, false
	}
	switch {
	case ps.host.places.editedTogether(ps.host.path, at):
		ps.reload()
		ps.host.editor.FocusPath(at)
		ps.refresh()
		return
	case holder.Equal(ps.host.path) && ps.sections.at(at).state != sectionNotApplicable:
		ps.reload()
	default:
		ps.show(holder)
	}
	for q := at; len(q) > len(holder) && !ps.host.editor.FocusPath(q); q = q.Parent() {
	}
	ps.refresh()
}

// goToNextProblem goes to the problem after the current location, or to the first one from this section on.
func (ps *panes) goToNextProblem() tea.Cmd {
	todo := schema.Errors(ps.sections.inOrder(ps.edit.Problems()))
	if len(todo) == 0 {
		return nil
	}
	at := ps.place()
	here := func(p schema.Problem) bool { return p.Path.Equal(at) || firstMissing(ps.edit, p.Path).Equal(at) }
	next := 0
	if i := slices.IndexFunc(todo, here); i >= 0 && ps.focus == paneForm {
		next = (i + 1) % len(todo)
	} else if len(at) > 0 {
		section := ps.sections.index(at)
		next = max(slices.IndexFunc(todo, func(p schema.Problem) bool { return ps.sections.index(p.Path) >= section }), 0)
	}
	to := firstMissing(ps.edit, todo[next].Path)
	if len(to) == 0 {
		return ps.focusProblems()
	}
	cmd := ps.focusField(to)
	if n := len(todo); n == 1 && next == 0 && to.Equal(at) && ps.focus == paneForm {
		return tea.Batch(cmd, screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "This is all that is left to do."))
	}
	return cmd
}

package builder

import (
	"slices"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"

	tea "github.com/charmbracelet/bubbletea"
)

// goTo shows the form that holds the place p, with the field at p focused.
func (ps *panes) goTo(p doc.Path) {
	if len(p) == 0 {
		return
	}
	at := ps.host.places.formOf(p)
	ps.show(at)
	if len(p) > len(at) {
		ps.host.form.FocusPath(p)
		ps.refresh()
	}
}

// open shows the form of a place below the present one; that of a field is the form that it is in.
func (ps *panes) open(p doc.Path) tea.Cmd {
	ps.focus = paneForm
	if n := ps.edit.Schema().At(p); n != nil && len(n.Children) == 0 && n.Element == nil && n.Kind != schema.Any {
		ps.goTo(p)
		return nil
	}
	ps.show(p)
	return nil
}

// up leaves the form for the one around it, and the outermost for the component list.
func (ps *panes) up() tea.Cmd {
	if len(ps.host.path) <= 1 {
		return ps.toParts()
	}
	from := ps.host.path
	ps.goTo(from.Parent())
	ps.host.form.FocusPath(from)
	ps.refresh()
	return nil
}

// enter moves the focus to the form of the chosen component.
func (ps *panes) enter() tea.Cmd {
	if ps.host.form == nil {
		return nil
	}
	if p := ps.sections.at(ps.host.path); p.state == partForeign {
		return screen.Notify(widget.LevelWarning, p.title+" is not used by this campaign: "+p.why)
	}
	ps.focus, ps.info.chosen = paneForm, false
	ps.refresh()
	return nil
}

// follow shows the form of the section under the cursor of the list.
func (ps *panes) follow() {
	if at := ps.sections.chosen(); len(at) > 0 && !at.Equal(ps.host.path) {
		ps.goTo(at)
	}
}

// show shows the form of the object, list or map at p.
func (ps *panes) show(p doc.Path) {
	if ps.focus == paneForm && ps.sections.at(p).state == partForeign {
		ps.focus = paneParts // it takes no keys
	}
	ps.host.show(p)
	ps.refresh()
}

// openLike opens the form at to, with the field focused that is called as the present one.
func (ps *panes) openLike(to doc.Path) tea.Cmd {
	from, at := ps.host.path, ps.place()
	cmd := ps.open(to)
	if at.HasPrefix(from) {
		ps.host.form.FocusPath(to.Join(at[len(from):]...))
		ps.refresh()
	}
	return cmd
}

// turnGrid turns from the grid to the form of the component, and back.
func (ps *panes) turnGrid() tea.Cmd {
	at := ps.place()
	ps.host.places.turn(len(ps.host.path) == 1 && ps.host.places.gridOpen())
	ps.show(at[:1])
	ps.host.form.FocusPath(at)
	ps.focus = paneForm
	ps.refresh()
	return nil
}

// goField shows the form of a place and moves the focus to the field there.
func (ps *panes) goField(p doc.Path) tea.Cmd {
	if len(p) == 0 {
		return nil
	}
	ps.sections.choose(p)
	ps.focus = paneForm
	ps.goTo(p)
	return nil
}

// toInfo focuses the pane beside the form.
func (ps *panes) toInfo() {
	if ps.focus != paneInfo {
		ps.from, ps.focus = ps.focus, paneInfo
	}
}

func (ps *panes) toAside() tea.Cmd {
	ps.info.toAside()
	ps.toInfo()
	ps.refresh()
	return nil
}

func (ps *panes) toParts() tea.Cmd {
	ps.focus, ps.info.chosen = paneParts, false
	ps.refresh()
	return nil
}

func (ps *panes) toProblems() tea.Cmd {
	ps.toInfo()
	ps.info.tab, ps.info.chosen = tabProblems, false
	ps.info.showProblems(true)
	return nil
}

// toProblem goes to the field of the problem under the cursor.
func (ps *panes) toProblem() tea.Cmd {
	to, ok := ps.info.goal()
	if !ok {
		return nil
	}
	return ps.goField(to)
}

// turnTab turns to the next tab beside the form, or the one before.
func (ps *panes) turnTab(n int) tea.Cmd {
	ps.info.turn(n)
	ps.refresh()
	return nil
}

// toChange shows the form that holds the changes, with the keyboard in the changed field. Changes of several
// sections lead to where the person was.
func (ps *panes) toChange(changes []doc.Change, was doc.Path) {
	at := doc.CommonPath(changes)
	at = present(ps.edit, at)
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
	case ps.host.places.beside(ps.host.path, at):
		ps.reload()
		ps.host.form.FocusPath(at)
		ps.refresh()
		return
	case holder.Equal(ps.host.path) && ps.sections.at(at).state != partForeign:
		ps.reload()
	default:
		ps.show(holder)
	}
	for q := at; len(q) > len(holder) && !ps.host.form.FocusPath(q); q = q.Parent() {
	}
	ps.refresh()
}

// toNext goes to the problem after the one that the person is at, or to the first from this section on.
func (ps *panes) toNext() tea.Cmd {
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
		return ps.toProblems()
	}
	cmd := ps.goField(to)
	if n := len(todo); n == 1 && next == 0 && to.Equal(at) && ps.focus == paneForm {
		return tea.Batch(cmd, screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "This is all that is left to do."))
	}
	return cmd
}

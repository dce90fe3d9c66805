package testsend

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/resolve"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/viewas"
	"bugle/ui/widget"
)

// personas are the users whose data the messages have in place of the recipients' own, each in messages of their own.
type personas struct {
	*sendContext
	list []engine.TestPersona
}

// personaIDs returns what identifies users whose data messages have.
func personaIDs(as []engine.TestPersona) string {
	var b strings.Builder
	for _, p := range as {
		b.WriteString("\x00" + p.ID)
	}
	return b.String()
}

// personaNames returns the names of users whose data messages have, in a few words.
func personaNames(as []engine.TestPersona) string {
	names := make([]string, len(as))
	for i, p := range as {
		if names[i] = p.Name; p.Name == "" {
			names[i] = p.ID
		}
	}
	return strings.Join(names, ", ")
}

// personaRecipient is the key under which the directory has the user of a persona.
func personaRecipient(p engine.TestPersona) model.Recipient {
	return model.Recipient{Identifier: engine.MemberIdentifier, Value: p.ID}
}

// View draws the rows: the users, and one that adds another. A blank line comes first where they begin a section.
func (p *personas) View(cursor rowID, w int, first bool) []row {
	var rows []row
	if first {
		rows = append(rows, textRow(""))
	}
	label := "Send as"
	for i, as := range p.list {
		text := widget.Clean(as.String())
		rows = append(rows, line(p.theme, cursor, rowID{rowPersona, i}, label, widget.Truncate(text, max(w-2-labelWidth, 1)), w))
		label = " "
	}
	at := rowID{rowPersona, len(p.list)}
	text := "the recipient"
	if len(p.list) > 0 {
		text = "add a user"
	}
	add := line(p.theme, cursor, at, label, choice(p.theme, cursor == at, text), w)
	if cursor == at {
		add = addBelow(add, 2+labelWidth, w, p.theme.Faint, "Whose data the messages have. Several users get one message each.")
	}
	return append(rows, add)
}

// rowIDs returns the rows that the cursor visits.
func (p *personas) rowIDs() (out []rowID) {
	for i := range len(p.list) + 1 {
		out = append(out, rowID{rowPersona, i})
	}
	return out
}

// addPersona adds a user whose data the messages have.
func addPersona(f *form, p engine.TestPersona, u *engine.User) tea.Cmd {
	if u != nil {
		f.people.Add(map[model.Recipient]model.ResolvedUser{personaRecipient(p): {User: u, Certain: true}})
	}
	switch {
	case slices.ContainsFunc(f.as.list, func(o engine.TestPersona) bool { return o.ID == p.ID }):
		return nil
	case len(f.as.list) >= catalog.MaxIdentifierValues:
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("A test can be sent as up to %d users.", catalog.MaxIdentifierValues))
	}
	f.record(f.state(), "send as "+p.String(), rowID{rowPersona, len(f.as.list)})
	f.as.list = append(slices.Clone(f.as.list), p)
	f.focus(rowID{rowPersona, len(f.as.list)})
	return f.refresh()
}

// dropPersona removes the user under the cursor.
func dropPersona(f *form) tea.Cmd {
	at := f.at
	f.record(f.state(), "send as "+f.as.list[at.i].String(), at)
	f.as.list = slices.Delete(slices.Clone(f.as.list), at.i, at.i+1)
	f.focus(at)
	return f.refresh()
}

// asChooser is the box in which the user chooses whose data the messages have.
type asChooser struct {
	*layout
	form *form
	box  *viewas.Chooser // the one that was opened last; nil if none was
}

// open opens the box.
func (c *asChooser) open() tea.Cmd {
	cfg := viewas.Config{Service: c.deps.Service, Campaign: c.id, Prefs: c.prefs, Tasks: c.tasks}
	c.box = viewas.NewChooser(cfg, c.theme, viewas.ChooserHost{
		Title: "Send as", Group: groupTest, Choice: c.chosen, Choose: c.choose,
		Room: func() (x, width int) { return 0, c.panes.Rect(paneMain).W },
		Source: func() viewas.Source {
			return viewas.Source{Channel: c.draft.Campaign.Channel, Workspace: c.draft.Workspace, Document: c.draft.Campaign.Document()}
		},
	})
	return c.tasks.Show(c.box, c.box.Open())
}

// close closes the box and ends its tasks.
func (c *asChooser) close() {
	if c.box != nil {
		c.box.Close()
	}
}

// chosen returns the users that were chosen, as one choice, and the last of them.
func (c *asChooser) chosen() (viewas.Choice, *engine.User) {
	list := c.form.as.list
	if len(list) == 0 {
		return viewas.Choice{}, nil
	}
	last := list[len(list)-1]
	known, _ := c.people.Lookup(personaRecipient(last))
	return viewas.Choice{Person: resolve.PersonNamed(last.ID), Name: personaNames(list)}, known.User
}

func (c *asChooser) choose(to viewas.Choice, u *engine.User) tea.Cmd {
	p := engine.TestPersona{ID: to.ID}
	if to.Name != to.ID {
		p.Name = to.Name
	}
	return addPersona(c.form, p, u)
}

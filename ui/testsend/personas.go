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

// userRecipient is the key under which the directory has a user.
func userRecipient(id string) model.Recipient {
	return model.Recipient{Identifier: engine.MemberIdentifier, Value: id}
}

// personaRows returns the rows of the users whose data the messages have in place of the recipients' own, each in messages of
// their own, and one that adds another user.
func (f *form) personaRows() []row {
	var rows []row
	label := "Send as"
	for i := range len(f.as) + 1 {
		r := row{rowID: rowID{kind: rowPersona, i: i}}
		r.enter = screen.Action{Label: "add user", Help: "send the message with the data of another user", Run: f.chooseAs}
		head := f.label(label)
		if i < len(f.as) {
			name := widget.Clean(f.as[i].String())
			r.draw = func(w int) []string { return []string{head + widget.Truncate(name, max(w-2-labelWidth, 1))} }
			r.more = []screen.Action{removeAction("remove the user", func() tea.Cmd { return f.dropPersona(i) })}
			r.read = screen.Row{Text: "Send as " + name}
		} else {
			text := "the recipient"
			if i > 0 {
				text = "add a user"
			}
			r.draw = func(int) []string { return []string{head + f.dropDown(r.rowID, text)} }
			if f.at == r.rowID {
				r = f.withNote(r, "Whose data the messages have. Several users get one message each.")
			}
			r.read = screen.Row{Text: "Send as another user", Open: f.chooseAs}
		}
		rows, label = append(rows, r), " "
	}
	return rows
}

// addPersona adds a user whose data the messages have.
func (f *form) addPersona(p engine.TestPersona, u *engine.User) tea.Cmd {
	if u != nil {
		f.people.Add(map[model.Recipient]model.ResolvedUser{userRecipient(p.ID): {User: u, Certain: true}})
	}
	switch {
	case slices.ContainsFunc(f.as, func(o engine.TestPersona) bool { return o.ID == p.ID }):
		return nil
	case len(f.as) >= catalog.MaxIdentifierValues:
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("A test can be sent as up to %d users.", catalog.MaxIdentifierValues))
	}
	f.change("send as "+p.String(), rowID{kind: rowPersona, i: len(f.as)}, func(in *input) { in.as = append(slices.Clip(in.as), p) })
	f.focus(rowID{kind: rowPersona, i: len(f.as)})
	return f.refresh()
}

// dropPersona removes the i-th user.
func (f *form) dropPersona(i int) tea.Cmd {
	f.change("send as "+f.as[i].String(), f.at, func(in *input) { in.as = slices.Delete(slices.Clone(in.as), i, i+1) })
	f.focus(f.at)
	return f.refresh()
}

// chooseAs opens a box in which the user chooses whose data the messages have.
func (f *form) chooseAs() tea.Cmd {
	cfg := viewas.Config{Service: f.deps.Service, Campaign: f.id, Prefs: f.prefs, Tasks: f.tasks}
	box := viewas.NewChooser(cfg, f.theme, viewas.ChooserHost{
		Title: "Send as", Group: groupTest, Choice: f.chosenAs,
		Choose: func(to viewas.Choice, u *engine.User) tea.Cmd {
			p := engine.TestPersona{ID: to.ID}
			if to.Name != to.ID {
				p.Name = to.Name
			}
			return f.addPersona(p, u)
		},
		Source: func() viewas.Source {
			return viewas.Source{Channel: f.draft.Campaign.Channel, Workspace: f.draft.Workspace, Document: f.draft.Campaign.Document()}
		},
	})
	return f.tasks.Show(box, box.Open())
}

// chosenAs returns the users that were chosen, as one choice, and the last of them.
func (f *form) chosenAs() (viewas.Choice, *engine.User) {
	if len(f.as) == 0 {
		return viewas.Choice{}, nil
	}
	last := f.as[len(f.as)-1]
	known, _ := f.people.Lookup(userRecipient(last.ID))
	return viewas.Choice{Person: resolve.PersonNamed(last.ID), Name: personaNames(f.as)}, known.User
}

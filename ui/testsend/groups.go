package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// group is a named group of recipients for one identifier; its values are invalid for any other.
type group struct {
	Name       string   `json:"name"`
	Identifier string   `json:"identifier"`
	Values     []string `json:"values"`
}

// prefGroups is the name of the preference with a workspace's groups.
const prefGroups = "recipient groups"

// groupsPage is the page for choosing and editing groups.
type groupsPage struct {
	listPage[group]
	steps screen.UndoStack
	use   func(g group, beside bool) tea.Cmd // adds a group to the form
}

// newGroupsPage returns the page without groups.
func newGroupsPage(l *layout, use func(g group, beside bool) tea.Cmd) groupsPage {
	p := groupsPage{use: use}
	p.listPage = newListPage(l, "group", func(g group) widget.Item {
		return widget.Item{
			Text: g.Name, Info: fmt.Sprintf("%s · %d", l.identifierName(g.Identifier), len(g.Values)),
			Dim: l.unfitReason(g) != "", // explained beside the list and by the keys
		}
	})
	return p
}

// refresh fills the list, with the cursor on the group of that name.
func (p *groupsPage) refresh(name string) {
	p.list.Set(p.groups)
	p.list.Select(func(g group) bool { return g.Name == name })
}

// unfitReason returns why a group cannot be used here.
func (l *layout) unfitReason(g group) string {
	if model.HasIdentifier(l.draft.Campaign.Channel, g.Identifier) {
		return ""
	}
	return l.draft.Campaign.Channel.Label() + " campaigns can't use this identifier"
}

// disabledReason returns why a group cannot be used here, as a sentence.
func (p *groupsPage) disabledReason(g group) string {
	if why := p.unfitReason(g); why != "" {
		return fmt.Sprintf("Can't use %s here: %s.", g.Name, why)
	}
	return ""
}

// useClicked adds the selected group to the form in place of the recipients there.
func (p *groupsPage) useClicked() tea.Cmd {
	g, ok := p.list.Selected()
	if !ok {
		return nil
	}
	if why := p.disabledReason(g); why != "" {
		return screen.Notify(widget.LevelWarning, why)
	}
	return p.use(g, false)
}

// change changes the stored groups and records the change for undo.
func (p *groupsPage) change(what, name string, change func([]group) []group) tea.Cmd {
	before := slices.Clone(p.groups)
	after := change(slices.Clone(before))
	gone, came := difference(before, after), difference(after, before)
	p.steps.PushUndo(screen.UndoStep{
		Label: what,
		Undo:  func() tea.Cmd { return p.restore(came, gone) },
		Redo:  func() tea.Cmd { return p.restore(gone, came) },
	})
	return p.update(name, change)
}

// update changes the stored groups as they are on disk, and moves to the group of that name.
func (p *groupsPage) update(name string, change func([]group) []group) tea.Cmd {
	store := prefs.Update(p.prefs, prefGroups, func(old []group) []group {
		all := change(slices.Clone(old))
		slices.SortStableFunc(all, func(a, b group) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
		return all
	})
	save := func(context.Context) ([]group, error) { return store() }
	return screen.Go(p.tasks, taskGroups, save, func(all []group, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, phrase.Capitalize(err.Error()))
		}
		p.groups = all
		p.refresh(name)
		p.changed()
		return nil
	})
}

// askName asks for a name that no other group has.
func (p *groupsPage) askName(title, old string, then func(name string) tea.Cmd) tea.Cmd {
	all := p.groups
	return screen.Send(screen.InputMsg{Title: title, Placeholder: "such as QA team", Value: old, Validate: func(text string) string {
		text = strings.TrimSpace(text)
		if text == "" {
			return "A group needs a name."
		}
		if text != old && slices.ContainsFunc(all, func(g group) bool { return strings.EqualFold(g.Name, text) && !strings.EqualFold(text, old) }) {
			return "A group with this name already exists."
		}
		return ""
	}, Then: func(name string) tea.Cmd { return then(strings.TrimSpace(name)) }})
}

const noRecipients = "Add recipients to the form first."

func without(all []group, name string) []group {
	return slices.DeleteFunc(all, func(g group) bool { return strings.EqualFold(g.Name, name) })
}

// restore replaces some groups by others. Groups that another terminal changed are kept.
func (p *groupsPage) restore(gone, restore []group) tea.Cmd {
	name := ""
	if len(restore) > 0 {
		name = restore[0].Name
	}
	return p.update(name, func(all []group) []group {
		for _, g := range slices.Concat(gone, restore) {
			all = without(all, g.Name)
		}
		return append(all, restore...)
	})
}

// difference returns the groups of one list that the other does not contain unchanged.
func difference(of, other []group) []group {
	return slices.DeleteFunc(slices.Clone(of), func(g group) bool {
		return slices.ContainsFunc(other, func(o group) bool {
			return o.Name == g.Name && o.Identifier == g.Identifier && slices.Equal(o.Values, g.Values)
		})
	})
}

// add saves recipients as a new group.
func (p *groupsPage) add(of engine.TestSend) tea.Cmd {
	g := group{Identifier: of.Identifier, Values: of.Values}
	if len(g.Values) == 0 {
		return screen.Notify(widget.LevelWarning, noRecipients)
	}
	return p.askName("Save "+phrase.Count(len(g.Values), "recipient")+" as a group", "", func(name string) tea.Cmd {
		g.Name = name
		return tea.Batch(
			p.change(fmt.Sprintf("saved the group %q", name), name, func(all []group) []group { return append(without(all, name), g) }),
			screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, fmt.Sprintf("Saved %s as %q.", phrase.Count(len(g.Values), "recipient"), name)))
	})
}

func (p *groupsPage) rename(g group) tea.Cmd {
	return p.askName("Rename group", g.Name, func(name string) tea.Cmd {
		return p.change(fmt.Sprintf("renamed the group %q", g.Name), name, func(all []group) []group {
			for i := range all {
				if all[i].Name == g.Name {
					all[i].Name = name
				}
			}
			return all
		})
	})
}

// replace replaces the recipients of a group.
func (p *groupsPage) replace(g group, with engine.TestSend) tea.Cmd {
	if len(with.Values) == 0 {
		return screen.Notify(widget.LevelWarning, noRecipients)
	}
	now := group{g.Name, with.Identifier, with.Values}
	return screen.Ask(screen.Question{
		Title: fmt.Sprintf("Replace the recipients of %q?", g.Name),
		Body:  fmt.Sprintf("It has %s. It will have %s: %s.", phrase.Count(len(g.Values), "recipient"), phrase.Count(len(now.Values), "recipient"), model.Summarize(now.Values)),
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return p.change(fmt.Sprintf("replaced the recipients of %q", g.Name), g.Name, func(all []group) []group { return append(without(all, g.Name), now) })
		},
	})
}

func (p *groupsPage) remove(g group) tea.Cmd {
	return screen.Ask(screen.Question{
		Title: fmt.Sprintf("Delete the group %q?", g.Name), Body: "It has " + phrase.Count(len(g.Values), "recipient") + ". You can undo this with ctrl+z.", Danger: true,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return p.change(fmt.Sprintf("deleted the group %q", g.Name), "", func(all []group) []group { return without(all, g.Name) })
		},
	})
}

// groupsHost is what the page needs from the form.
type groupsHost struct {
	ask   engine.TestSend // the form's request
	empty bool            // the form has no recipients and no input
	add   func() tea.Cmd  // saves the form's recipients, including input, as a group
	up    screen.Action
}

// actions returns the actions on groups.
func (p *groupsPage) actions(host groupsHost) []screen.Action {
	empty := ""
	if host.empty {
		empty = noRecipients
	}
	on := func(a screen.Action, why func(group) string, do func(group) tea.Cmd) screen.Action {
		if a = p.list.On(a, why, do); a.DisabledReason != "" {
			a.BarPriority = 0
		}
		return a
	}
	use := func(beside bool) func(group) tea.Cmd {
		return func(g group) tea.Cmd { return p.use(g, beside) }
	}
	return append([]screen.Action{
		on(screen.Action{Keys: []string{"enter"}, Label: "use", Help: "send to this group instead of the form's recipients", Group: groupGroups, BarPriority: 9}, p.disabledReason, use(false)),
		on(screen.Action{Keys: []string{"+", "a"}, Label: "add", Help: "add this group to the form's recipients", Group: groupGroups, BarPriority: 6}, p.disabledReason, use(true)),
		{Keys: []string{"n"}, Label: "new", Help: "save the form's recipients as a group", Group: groupGroups, BarPriority: 8, DisabledReason: empty, Run: host.add},
		on(screen.Action{Keys: []string{"w"}, Label: "replace", Help: "replace this group's recipients with the form's", Group: groupGroups, BarPriority: 3, DisabledReason: empty}, nil,
			func(g group) tea.Cmd { return p.replace(g, host.ask) }),
		on(screen.Action{Keys: []string{"r"}, Label: "rename", Help: "rename this group", Group: groupGroups, BarPriority: 5}, nil, p.rename),
		on(screen.Action{Keys: []string{"d", "delete"}, Label: "delete", Help: "delete this group", Group: groupGroups, BarPriority: 4}, nil, p.remove),
		host.up,
	}, p.detailsActions(groupGroups)...)
}

const emptyGroups = "No groups yet. Add recipients to the form, then press n here to save them as a group."

// View draws the page.
func (p *groupsPage) View() string {
	var lines []string
	about := "Group"
	if g, ok := p.list.Selected(); ok {
		about, lines = g.Name, p.lines(g, p.detailsWidth())
	} else {
		lines = append(lines, widget.WrapStyled(p.theme.Faint, "Groups are saved on this computer, for this workspace.", p.detailsWidth())...)
	}
	return p.view("Groups", phrase.Count(len(p.groups), "group"), emptyGroups, about, lines)
}

func (p *groupsPage) lines(g group, w int) []string {
	lines := fact(p.theme, "Identifier", p.identifierName(g.Identifier), w)
	warn := func(text string) {
		lines = append(lines, widget.WrapStyled(p.theme.Warning, text, w)...)
	}
	if why := p.unfitReason(g); why != "" {
		warn(why + ".")
	}
	if n := len(g.Values); n > catalog.MaxIdentifierValues {
		warn(fmt.Sprintf("This group has %d recipients. A test uses the first %d.", n, catalog.MaxIdentifierValues))
	}
	lines = append(lines, "")
	wrong := map[int]string{}
	if model.HasIdentifier(p.draft.Campaign.Channel, g.Identifier) {
		wrong, _ = engine.TestSend{Identifier: g.Identifier, Values: g.Values}.CheckRecipients(p.draft.Campaign.Channel)
	}
	for i, v := range g.Values {
		lines = append(lines, p.recipientLine(fmt.Sprintf("%2d ", i+1), g.Identifier, v, w))
		if wrong[i] != "" {
			for j, l := range widget.Wrap(widget.Clean(wrong[i]), max(w-5, 1)) {
				lines = append(lines, p.theme.Danger.Render([]string{"   ✗ ", "     "}[min(j, 1)]+l))
			}
		}
	}
	return lines
}

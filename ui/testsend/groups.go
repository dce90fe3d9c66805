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
type groupsPage struct{ listPage[group] }

// newGroupsPage returns the page without groups.
func newGroupsPage(c *sendContext) groupsPage {
	p := groupsPage{newListPage(c, "group", func(g group) widget.Item {
		return widget.Item{
			Text: g.Name, Info: fmt.Sprintf("%s · %d", c.identifierName(g.Identifier), len(g.Values)),
			Dim: c.unfitReason(g) != "", // explained beside the list and by the keys
		}
	}, c.groupLines)}
	p.list.Empty = "No groups yet. Add recipients to the form, then press n here to save them as a group. Groups are saved on this computer, for this workspace."
	return p
}

// refresh fills the list, with the cursor on the group of that name.
func (p *groupsPage) refresh(name string) {
	p.list.Set(p.groups)
	p.list.Select(func(g group) bool { return g.Name == name })
}

// unfitReason returns why a group cannot be used here, as a sentence; empty if it can.
func (s *sendContext) unfitReason(g group) string {
	if ch := s.draft.Campaign.Channel; !model.HasIdentifier(ch, g.Identifier) {
		return ch.Label() + " campaigns can't use this identifier."
	}
	return ""
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
		return nil
	})
}

// askName asks for a name that no other group has.
func (p *groupsPage) askName(title, old string, then func(name string) tea.Cmd) tea.Cmd {
	all := p.groups
	return screen.Send(screen.InputMsg{Title: title, Placeholder: "such as QA team", Value: old, Validate: func(text string) string {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
			return "A group needs a name."
		case !strings.EqualFold(text, old) && slices.ContainsFunc(all, func(g group) bool { return strings.EqualFold(g.Name, text) }):
			return "A group with this name already exists."
		}
		return ""
	}, Then: func(name string) tea.Cmd { return then(strings.TrimSpace(name)) }})
}

// add saves the recipients of a test as a group.
func (p *groupsPage) add(ask engine.TestSend) tea.Cmd {
	about := phrase.Count(len(ask.Values), "recipient")
	return p.askName("Save "+about+" as a group", "", func(name string) tea.Cmd {
		return tea.Batch(
			p.update(name, func(all []group) []group { return append(all, group{name, ask.Identifier, ask.Values}) }),
			screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, fmt.Sprintf("Saved %s as %q.", about, name)))
	})
}

func (p *groupsPage) rename(g group) tea.Cmd {
	return p.askName("Rename group", g.Name, func(name string) tea.Cmd {
		return p.update(name, func(all []group) []group {
			for i := range all {
				if all[i].Name == g.Name {
					all[i].Name = name
				}
			}
			return all
		})
	})
}

func (p *groupsPage) remove(g group) tea.Cmd {
	return screen.Ask(screen.Question{
		Title: fmt.Sprintf("Delete the group %q?", g.Name), Body: "It has " + phrase.Count(len(g.Values), "recipient") + ".", Danger: true,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return p.update("", func(all []group) []group {
				return slices.DeleteFunc(all, func(other group) bool { return other.Name == g.Name })
			})
		},
	})
}

// newGroup saves the form's recipients, including input, as a group.
func (s *Screen) newGroup() tea.Cmd {
	if !s.form.commit() {
		return s.form.showRejection()
	}
	return s.groups.add(s.form.request())
}

// groupsActions returns the actions on groups.
func (s *Screen) groupsActions() []screen.Action {
	p := &s.groups
	on := func(a screen.Action, why func(group) string, do func(group) tea.Cmd) screen.Action {
		a.Group = groupGroups
		if a = p.list.On(a, why, do); a.DisabledReason != "" {
			a.BarPriority = 0
		}
		return a
	}
	use := func(beside bool) func(group) tea.Cmd {
		return func(g group) tea.Cmd {
			s.show(stageForm)
			return s.form.useGroup(g, beside)
		}
	}
	add := screen.Action{Keys: []string{"n"}, Label: "new", Help: "save the form's recipients as a group", Group: groupGroups, BarPriority: 8, Run: s.newGroup}
	if len(s.form.recipients()) == 0 && s.form.text() == "" {
		add.DisabledReason = "Add recipients to the form first."
	}
	return append([]screen.Action{
		on(screen.Action{Keys: []string{"enter"}, Label: "use", Help: "send to this group instead of the form's recipients", BarPriority: 9}, p.unfitReason, use(false)),
		on(screen.Action{Keys: []string{"+", "a"}, Label: "add", Help: "add this group to the form's recipients", BarPriority: 6}, p.unfitReason, use(true)),
		add,
		on(screen.Action{Keys: []string{"r"}, Label: "rename", Help: "rename this group", BarPriority: 5}, nil, p.rename),
		on(screen.Action{Keys: []string{"d", "delete"}, Label: "delete", Help: "delete this group", BarPriority: 4}, nil, p.remove),
		s.upAction(groupGroups),
	}, p.scrollActions(groupGroups)...)
}

// groupLines draws the recipients of a group, each with what is wrong with it.
func (s *sendContext) groupLines(g group, w int) []string {
	lines := fact(s.theme, "Identifier", s.identifierName(g.Identifier), w)
	var wrong map[int]string
	if why := s.unfitReason(g); why != "" {
		lines = append(lines, widget.WrapStyled(s.theme.Warning, why, w)...)
	} else {
		wrong, _ = engine.TestSend{Identifier: g.Identifier, Values: g.Values}.CheckRecipients(s.draft.Campaign.Channel)
	}
	if n := len(g.Values); n > catalog.MaxIdentifierValues {
		lines = append(lines, widget.WrapStyled(s.theme.Warning, fmt.Sprintf("This group has %d recipients. A test uses the first %d.", n, catalog.MaxIdentifierValues), w)...)
	}
	lines = append(lines, "")
	for i, v := range g.Values {
		lines = append(lines, s.recipientLine(fmt.Sprintf("%2d ", i+1), g.Identifier, v, w))
		if wrong[i] != "" {
			lines = append(lines, widget.WrapIndented(s.theme.Danger, "✗ "+wrong[i], w, 3)...)
		}
	}
	return lines
}

package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
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

// openGroups lists the groups, and offers to save the recipients as another one.
func (f *form) openGroups() tea.Cmd {
	var options []widget.Option
	for _, g := range f.groups {
		o := widget.Option{Label: g.Name, Help: fmt.Sprintf("%s: %s.", phrase.Count(len(g.Values), "recipient"), model.Summarize(f.people.Names(engine.TestSend{Identifier: g.Identifier, Values: g.Values})))}
		if ch := f.draft.Campaign.Channel; !model.HasIdentifier(ch, g.Identifier) {
			o.Dim, o.DisabledReason = true, ch.Label()+" campaigns can't use the identifier of this group."
		}
		options = append(options, o)
	}
	save := widget.Option{Label: "Save the recipients as a group", Help: "Groups are saved on this computer, for this workspace."}
	if len(f.recipients()) == 0 && f.text() == "" {
		save.Dim, save.DisabledReason = true, "Add recipients to the form first."
	}
	return screen.Send(screen.ChooseMsg{Title: "Groups", Options: append(options, save), Then: func(a widget.Answer) tea.Cmd {
		if a.Index == len(options) {
			return f.newGroup()
		}
		return f.openGroup(f.groups[a.Index])
	}})
}

// openGroup asks what to do with a group.
func (f *form) openGroup(g group) tea.Cmd {
	do := []func(group) tea.Cmd{
		func(g group) tea.Cmd { return f.useGroup(g, false) },
		func(g group) tea.Cmd { return f.useGroup(g, true) },
		f.renameGroup,
		f.deleteGroup,
	}
	return screen.Send(screen.ChooseMsg{Title: g.Name, Options: []widget.Option{
		{Label: "Use", Help: "Send to this group instead of the form's recipients."},
		{Label: "Add", Help: "Add this group to the form's recipients."},
		{Label: "Rename"},
		{Label: "Delete"},
	}, Then: func(a widget.Answer) tea.Cmd { return do[a.Index](g) }})
}

// updateGroups changes the stored groups as they are on disk.
func (f *form) updateGroups(change func([]group) []group) tea.Cmd {
	store := prefs.Update(f.prefs, prefGroups, func(old []group) []group {
		all := change(slices.Clone(old))
		slices.SortStableFunc(all, func(a, b group) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
		return all
	})
	return screen.Go(f.tasks, taskGroups, func(context.Context) ([]group, error) { return store() }, func(all []group, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, phrase.Capitalize(err.Error()))
		}
		f.groups = all
		f.suggest()
		return nil
	})
}

// askGroupName asks for a name that no other group has.
func (f *form) askGroupName(title, old string, then func(name string) tea.Cmd) tea.Cmd {
	return screen.Send(screen.InputMsg{Title: title, Placeholder: "such as QA team", Value: old, Validate: func(text string) string {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
			return "A group needs a name."
		case !strings.EqualFold(text, old) && slices.ContainsFunc(f.groups, func(g group) bool { return strings.EqualFold(g.Name, text) }):
			return "A group with this name already exists."
		}
		return ""
	}, Then: func(name string) tea.Cmd { return then(strings.TrimSpace(name)) }})
}

// newGroup saves the form's recipients, including input, as a group.
func (f *form) newGroup() tea.Cmd {
	if refused := f.commit(); refused != nil {
		return refused
	}
	identifier, values := f.identifier, f.recipients()
	about := phrase.Count(len(values), "recipient")
	return f.askGroupName("Save "+about+" as a group", "", func(name string) tea.Cmd {
		return tea.Batch(
			f.updateGroups(func(all []group) []group { return append(all, group{name, identifier, values}) }),
			screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, fmt.Sprintf("Saved %s as %q.", about, name)))
	})
}

func (f *form) renameGroup(g group) tea.Cmd {
	return f.askGroupName("Rename group", g.Name, func(name string) tea.Cmd {
		return f.updateGroups(func(all []group) []group {
			for i := range all {
				if all[i].Name == g.Name {
					all[i].Name = name
				}
			}
			return all
		})
	})
}

func (f *form) deleteGroup(g group) tea.Cmd {
	return screen.Ask(screen.Question{
		Title: fmt.Sprintf("Delete the group %q?", g.Name), Body: "It has " + phrase.Count(len(g.Values), "recipient") + ".", Danger: true,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return f.updateGroups(func(all []group) []group {
				return slices.DeleteFunc(all, func(other group) bool { return other.Name == g.Name })
			})
		},
	})
}

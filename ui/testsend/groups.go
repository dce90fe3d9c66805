package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/schema"
	model "bugle/engine/testsend"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// group is a named group of recipients. It belongs to one identifier: its values mean nothing to
// another.
type group struct {
	Name       string   `json:"name"`
	Identifier string   `json:"identifier"`
	Values     []string `json:"values"`
}

// prefGroups is the name that groups are kept under, for a workspace.
const prefGroups = "recipient groups"

// groupsPage is where groups are chosen and looked after.
type groupsPage struct {
	all   []group
	list  widget.List
	steps screen.Steps
}

// openGroups shows the groups.
func (s *Screen) openGroups() tea.Cmd {
	s.show(stageGroups)
	s.listGroups("")
	return nil
}

// listGroups fills the list, with the cursor on the group of that name.
func (s *Screen) listGroups(name string) {
	p := &s.groups
	items := make([]widget.Item, len(p.all))
	at := p.list.Cursor
	for i, g := range p.all {
		items[i] = widget.Item{Text: g.Name, Info: fmt.Sprintf("%s · %d", s.identifierName(g.Identifier), len(g.Values))}
		items[i].Dim = s.whyNotGroup(g) != "" // said beside the list, and by the keys
		if g.Name == name {
			at = i
		}
	}
	p.list.SetItems(items)
	p.list.Choose(max(min(at, len(items)-1), 0))
}

// identifierName returns an identifier as people read it, also where it is another channel's.
func (s *Screen) identifierName(identifier string) string {
	for _, ch := range []engine.Channel{s.draft.Campaign.Channel, catalog.Push, catalog.Email} {
		if !ch.Writable() {
			continue
		}
		for _, o := range engine.TestFieldsOf(ch).Identifier.Options {
			if o.Value == identifier {
				return o.Title()
			}
		}
	}
	return identifier
}

func (s *Screen) takes(identifier string) bool {
	return slices.ContainsFunc(s.draft.Fields.Identifier.Options, func(o schema.Option) bool { return o.Value == identifier })
}

// whyNotGroup returns why a group cannot be used here.
func (s *Screen) whyNotGroup(g group) string {
	if s.takes(g.Identifier) {
		return ""
	}
	return s.draft.Campaign.Channel.Label() + " campaigns can't use this identifier"
}

func (s *Screen) group() (group, bool) {
	if i := s.groups.list.Cursor; i >= 0 && i < len(s.groups.all) {
		return s.groups.all[i], true
	}
	return group{}, false
}

// useGroup puts the group's values into the form, in the place of those there or beside them. A test
// takes no more than ten: the person is told what is left out.
func (s *Screen) useGroup(g group, beside bool) tea.Cmd {
	if why := s.whyNotGroup(g); why != "" {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Can't use %s here: %s.", g.Name, why))
	}
	identifier := g.Identifier
	s.record(s.chosen(), fmt.Sprintf("used the group %q", g.Name), spot{onPrompt, 0})
	s.form.identifier, s.form.wrong, s.form.profiles = identifier, "", nil
	var values []string
	if beside {
		values = slices.Clone(s.form.values[identifier])
	}
	for _, v := range g.Values {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	most, all := model.MostRecipients(s.form.identifier), len(values)
	s.form.values[identifier] = values[:min(all, most)]
	s.form.prompt.SetValue("")
	s.show(stageForm)
	s.focus(spot{onSend, 0})
	s.offer()
	cmd := s.refresh()
	if all <= most {
		return cmd
	}
	return tea.Batch(cmd, screen.Notify(widget.LevelWarning, fmt.Sprintf(
		"A test can have up to %d recipients. Left out: %s.", most, model.Some(values[most:]))))
}

// changeGroups changes what is kept and notes the change for undo.
func (s *Screen) changeGroups(what, name string, change func([]group) []group) tea.Cmd {
	before := slices.Clone(s.groups.all)
	after := change(slices.Clone(before))
	gone, came := differing(before, after), differing(after, before)
	s.groups.steps.Did(screen.Step{
		What: what,
		Undo: func() tea.Cmd { return s.putGroups(came, gone) },
		Redo: func() tea.Cmd { return s.putGroups(gone, came) },
	})
	return s.keepGroups(name, change)
}

// keepGroups changes what is kept, as it is now on the disk, and goes to the group of that name.
func (s *Screen) keepGroups(name string, change func([]group) []group) tea.Cmd {
	kept := s.prefs
	return s.Run(taskGroups, func(context.Context) (any, error) {
		all, err := prefs.Change(kept, prefGroups, func(old []group) []group {
			all := change(slices.Clone(old))
			slices.SortStableFunc(all, func(a, b group) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
			return all
		})
		return groupsKept{all, name}, err
	})
}

// groupsKept is how the groups are after a change; the cursor goes to the one of that name.
type groupsKept struct {
	all  []group
	name string
}

// tookGroups shows the groups as they are kept now.
func (s *Screen) tookGroups(r screen.Result) tea.Cmd {
	if r.Err != nil {
		return screen.Notify(widget.LevelError, problems.Sentence(r.Err.Error()))
	}
	k := r.Value.(groupsKept)
	s.groups.all = k.all
	s.listGroups(k.name)
	s.offer()
	return nil
}

// nameGroup asks for a name that no other group has.
func (s *Screen) nameGroup(title, old string, then func(name string) tea.Cmd) tea.Cmd {
	all := s.groups.all
	return screen.Send(screen.InputMsg{Title: title, Placeholder: "such as QA team", Value: old, Check: func(text string) string {
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

// newGroup keeps the recipients of the form as a group.
func (s *Screen) newGroup() tea.Cmd {
	if !s.commit() {
		return s.notTaken()
	}
	g := group{Identifier: s.form.identifier, Values: slices.Clone(s.form.recipients())}
	if len(g.Values) == 0 {
		return screen.Notify(widget.LevelWarning, noRecipients)
	}
	return s.nameGroup("Save "+count(len(g.Values), "recipient")+" as a group", "", func(name string) tea.Cmd {
		g.Name = name
		return tea.Batch(
			s.changeGroups(fmt.Sprintf("saved the group %q", name), name, func(all []group) []group { return append(without(all, name), g) }),
			screen.NotifyAbout(screen.AboutEdit, widget.LevelSuccess, fmt.Sprintf("Saved %s as %q.", count(len(g.Values), "recipient"), name)))
	})
}

const noRecipients = "Add recipients to the form first."

func without(all []group, name string) []group {
	return slices.DeleteFunc(all, func(g group) bool { return strings.EqualFold(g.Name, name) })
}

func (s *Screen) renameGroup() tea.Cmd {
	g, ok := s.group()
	if !ok {
		return nil
	}
	return s.nameGroup("Rename group", g.Name, func(name string) tea.Cmd {
		return s.changeGroups(fmt.Sprintf("renamed the group %q", g.Name), name, func(all []group) []group {
			for i := range all {
				if all[i].Name == g.Name {
					all[i].Name = name
				}
			}
			return all
		})
	})
}

// refillGroup gives the group the recipients of the form.
func (s *Screen) refillGroup() tea.Cmd {
	g, ok := s.group()
	values := slices.Clone(s.form.recipients())
	if !ok || len(values) == 0 {
		return screen.Notify(widget.LevelWarning, noRecipients)
	}
	now := group{g.Name, s.form.identifier, values}
	return screen.Ask(screen.Question{
		Title: fmt.Sprintf("Replace the recipients of %q?", g.Name),
		Body:  fmt.Sprintf("It has %s. It will have %s: %s.", count(len(g.Values), "recipient"), count(len(values), "recipient"), model.Some(values)),
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return s.changeGroups(fmt.Sprintf("replaced the recipients of %q", g.Name), g.Name, func(all []group) []group { return append(without(all, g.Name), now) })
		},
	})
}

func (s *Screen) deleteGroup() tea.Cmd {
	g, ok := s.group()
	if !ok {
		return nil
	}
	return screen.Ask(screen.Question{
		Title: fmt.Sprintf("Delete the group %q?", g.Name), Body: "It has " + count(len(g.Values), "recipient") + ". You can undo this with ctrl+z.", Danger: true,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return s.changeGroups(fmt.Sprintf("deleted the group %q", g.Name), "", func(all []group) []group { return without(all, g.Name) })
		},
	})
}

// groupActions are what can be done with groups.
func (s *Screen) groupActions() []screen.Action {
	g, any := s.group()
	none, unfit, empty := "", "", ""
	if !any {
		none = "No groups yet."
		unfit = none
	} else if why := s.whyNotGroup(g); why != "" {
		unfit = fmt.Sprintf("Can't use %s here: %s.", g.Name, why)
	}
	if len(s.form.recipients()) == 0 && s.form.prompt.Value() == "" {
		empty = noRecipients
	}
	bar := func(n int, why string) int {
		if why != "" {
			return 0
		}
		return n
	}
	refill := none
	if refill == "" {
		refill = empty
	}
	return append([]screen.Action{
		{Keys: []string{"enter"}, Label: "use", Help: "send to this group instead of the form's recipients", Group: groupGroups, Bar: bar(9, unfit), Why: unfit, Run: func() tea.Cmd { return s.useGroup(g, false) }},
		{Keys: []string{"+", "a"}, Label: "add", Help: "add this group to the form's recipients", Group: groupGroups, Bar: bar(6, unfit), Why: unfit, Run: func() tea.Cmd { return s.useGroup(g, true) }},
		{Keys: []string{"n"}, Label: "new", Help: "save the form's recipients as a group", Group: groupGroups, Bar: 8, Why: empty, Run: s.newGroup},
		{Keys: []string{"w"}, Label: "replace", Help: "replace this group's recipients with the form's", Group: groupGroups, Bar: bar(3, refill), Why: refill, Run: s.refillGroup},
		{Keys: []string{"r"}, Label: "rename", Help: "rename this group", Group: groupGroups, Bar: bar(5, none), Why: none, Run: s.renameGroup},
		{Keys: []string{"d", "delete"}, Label: "delete", Help: "delete this group", Group: groupGroups, Bar: bar(4, none), Why: none, Run: s.deleteGroup},
		s.upKey(groupGroups),
	}, s.detailKeys(groupGroups)...)
}

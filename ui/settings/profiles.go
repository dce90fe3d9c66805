package settings

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// profiles is the tab of what the program works on.
type profiles struct {
	list   widget.List
	all    []Profile
	failed error
}

func (p *profiles) set(all []Profile, failed error) {
	p.all, p.failed = all, failed
	items := make([]widget.Item, len(all))
	for i, one := range all {
		items[i] = widget.Item{Icon: " ", Text: one.Name + "  " + one.Where}
		switch {
		case one.Here && one.Next:
			items[i].Icon, items[i].IconTone, items[i].Info = "✓", themes.ToneSuccess, "in use"
		case one.Here:
			items[i].Icon, items[i].IconTone, items[i].Info = "●", themes.ToneAccent, "this window"
		case one.Next:
			items[i].Icon, items[i].IconTone, items[i].Info = "○", themes.ToneInfo, "next start"
		}
	}
	p.list.SetItems(items)
}

// profileUsed is the profiles after another was chosen for the next start.
type profileUsed struct {
	all    []Profile
	name   string
	said   string
	before string // the one that it was; empty where the change was undone or redone
}

func (s *Screen) useProfile() tea.Cmd {
	at := s.profiles.list.Cursor
	if at >= len(s.profiles.all) {
		return nil
	}
	name, before := s.profiles.all[at].Name, ""
	for _, p := range s.profiles.all {
		if p.Next {
			before = p.Name
		}
	}
	return s.use(name, "The next start uses "+name+". This window stays connected as it is.", before)
}

// use chooses what the next start works on, with the cursor on it.
func (s *Screen) use(name, said, before string) tea.Cmd {
	list := s.src.Profiles
	return tea.Batch(s.turnTo(tabProfiles), s.Run(taskProfile, func(context.Context) (any, error) {
		if err := list.Use(name); err != nil {
			return nil, err
		}
		all, err := list.List()
		return profileUsed{all, name, said, before}, err
	}))
}

// used shows what the next start works on.
func (s *Screen) used(p profileUsed) tea.Cmd {
	s.profiles.set(p.all, nil)
	s.profiles.list.SelectItem(max(slices.IndexFunc(p.all, func(one Profile) bool { return one.Name == p.name }), 0))
	if p.before != "" {
		what := "next start with " + p.name
		s.PushUndo(screen.UndoStep{
			Label: what, OwnNotice: true,
			Undo: func() tea.Cmd { return s.use(p.before, "Undone: "+what, "") },
			Redo: func() tea.Cmd { return s.use(p.name, "Redone: "+what, "") },
		})
	}
	return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, p.said)
}

func (s *Screen) whyNoUse() string {
	at := s.profiles.list.Cursor
	switch {
	case at >= len(s.profiles.all):
		return "No remote is selected."
	case s.profiles.all[at].Next:
		return "The next start already uses it."
	}
	return ""
}

func (s *Screen) copyPath() tea.Cmd {
	p := s.src.Places[s.files.Cursor]
	return screen.Copy(p.Path, "the path of "+p.Name)
}

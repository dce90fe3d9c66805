package settings

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// remotesTab is the tab with the local store and the remotes.
type remotesTab struct {
	list   widget.List
	all    []Remote
	failed error
}

func (p *remotesTab) set(all []Remote, failed error) {
	p.all, p.failed = all, failed
	items := make([]widget.Item, len(all))
	for i, one := range all {
		items[i] = widget.Item{Icon: " ", Text: one.Name + "  " + one.Location}
		switch {
		case one.Current && one.Default:
			items[i].Icon, items[i].IconTone, items[i].Info = "✓", themes.ToneSuccess, "in use"
		case one.Current:
			items[i].Icon, items[i].IconTone, items[i].Info = "●", themes.ToneAccent, "this window"
		case one.Default:
			items[i].Icon, items[i].IconTone, items[i].Info = "○", themes.ToneInfo, "next start"
		}
	}
	p.list.SetItems(items)
}

// remoteUsed reports that the default for the next start has changed.
type remoteUsed struct {
	all    []Remote
	name   string
	notice string
	before string // the previous default; empty after undo or redo
}

func (s *Screen) useRemote() tea.Cmd {
	at := s.remotes.list.Cursor
	if at >= len(s.remotes.all) {
		return nil
	}
	name, before := s.remotes.all[at].Name, ""
	for _, p := range s.remotes.all {
		if p.Default {
			before = p.Name
		}
	}
	return s.use(name, "The next start uses "+name+". This window stays connected as it is.", before)
}

// use sets the default for the next start and moves the cursor to it.
func (s *Screen) use(name, said, before string) tea.Cmd {
	list := s.src.Remotes
	return tea.Batch(s.openTab(tabRemotes), screen.Write(&s.Base, taskRemote, func(context.Context) (remoteUsed, error) {
		if err := list.Use(name); err != nil {
			return remoteUsed{}, err
		}
		all, err := list.List()
		return remoteUsed{all, name, said, before}, err
	}, orNotify(s.showUsed)))
}

// showUsed shows the default for the next start.
func (s *Screen) showUsed(p remoteUsed) tea.Cmd {
	s.remotes.set(p.all, nil)
	s.remotes.list.SelectItem(max(slices.IndexFunc(p.all, func(one Remote) bool { return one.Name == p.name }), 0))
	if p.before != "" {
		what := "next start with " + p.name
		s.PushUndo(screen.UndoStep{
			Label: what, OwnNotice: true,
			Undo: func() tea.Cmd { return s.use(p.before, "Undone: "+what, "") },
			Redo: func() tea.Cmd { return s.use(p.name, "Redone: "+what, "") },
		})
	}
	return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, p.notice)
}

func (s *Screen) useDisabledReason() string {
	at := s.remotes.list.Cursor
	switch {
	case at >= len(s.remotes.all):
		return "No remote is selected."
	case s.remotes.all[at].Default:
		return "The next start already uses it."
	}
	return ""
}

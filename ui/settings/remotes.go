package settings

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// remotesTab is the tab with the local store and the remotes.
type remotesTab struct {
	list   *list.List[Remote]
	failed error
}

func newRemotesTab(t *themes.Theme) remotesTab {
	p := remotesTab{list: list.Items(t, "remote", remoteItem)}
	p.list.Focused = true
	return p
}

func (p *remotesTab) set(all []Remote, failed error) {
	p.failed = failed
	p.list.Set(all)
}

func remoteItem(r Remote) widget.Item {
	item := widget.Item{Icon: " ", Text: r.Name + "  " + r.Location}
	switch {
	case r.Current && r.Default:
		item.Icon, item.IconTone, item.Info = "✓", themes.ToneSuccess, "in use"
	case r.Current:
		item.Icon, item.IconTone, item.Info = "●", themes.ToneAccent, "this window"
	case r.Default:
		item.Icon, item.IconTone, item.Info = "○", themes.ToneInfo, "next start"
	}
	return item
}

// remoteUsed reports that the default for the next start has changed.
type remoteUsed struct {
	all    []Remote
	name   string
	notice string
	before string // the previous default; empty after undo or redo
}

func (s *Screen) useRemote(r Remote) tea.Cmd {
	before := ""
	for _, p := range s.remotes.list.Shown() {
		if p.Default {
			before = p.Name
		}
	}
	return s.use(r.Name, "The next start uses "+r.Name+". This window stays connected as it is.", before)
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
	s.remotes.list.Select(func(r Remote) bool { return r.Name == p.name })
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

// useDisabledReason returns why a remote cannot be made the default.
func useDisabledReason(r Remote) string {
	if r.Default {
		return "The next start already uses it."
	}
	return ""
}

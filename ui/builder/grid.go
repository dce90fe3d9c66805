package builder

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	enginecontent "bugle/engine/content"
	"bugle/engine/doc"
	"bugle/ui/content"
	"bugle/ui/editor"
	"bugle/ui/screen"
)

// grid says how the messages are edited: as a grid of locales and variations where there is more than
// one, as a form where one stands alone, unless the person turned to the other.
type grid struct {
	memory content.Memory
	chosen look // what the person turned to
}

// look is how the messages are shown.
type look uint8

const (
	byNumber look = iota // as many as there are ask for
	asGrid
	asForm
)

// gridOpen reports whether the messages are shown as a grid.
func (s *Screen) gridOpen() bool {
	if s.grid.chosen == byNumber {
		return enginecontent.Read(s.edit.Head().Channel, s.edit.Root()).Many()
	}
	return s.grid.chosen == asGrid
}

// newGrid makes the grid; nil where the form is wanted.
func (s *Screen) newGrid(cfg editor.Config) editor.Editor {
	if !s.gridOpen() {
		return nil
	}
	return content.New(cfg, &s.grid.memory)
}

// gridShows reports whether the grid shows what is at p, where it is open.
func (s *Screen) gridShows(p doc.Path) bool {
	return s.gridOpen() && enginecontent.Read(s.edit.Head().Channel, s.edit.Root()).Shows(p)
}

// inContent reports whether the person is in the component of the messages.
func (s *Screen) inContent() bool {
	return len(s.path) > 0 && s.path[0].Name == string(catalog.CampaignContent) && s.edit.Head().Channel.Writable()
}

// turnGrid turns from the grid to the form of the component, and back.
func (s *Screen) turnGrid() tea.Cmd {
	at := s.place()
	if len(s.path) == 1 && s.gridOpen() {
		s.grid.chosen = asForm
	} else {
		s.grid.chosen = asGrid
	}
	s.show(at[:1])
	s.form.FocusPath(at)
	s.focus = paneForm
	s.refreshInfo()
	return nil
}

// gridKey is the action that leads to the grid from everywhere in the messages.
func (s *Screen) gridKey() []screen.Action {
	if !s.inContent() {
		return nil
	}
	a := screen.Action{Name: "grid", Keys: []string{"alt+m"}, Label: "grid", Help: "show the messages by locale and variation", Group: groupMove, Bar: 5, Typing: true, Run: s.turnGrid}
	if len(s.path) == 1 && s.gridOpen() {
		a.Label, a.Help, a.Bar = "form", "show the content as a form", 1
	}
	if s.form.Modal() {
		a.Bar = 0
	}
	if s.focus != paneForm {
		a.Keys = append([]string{"m"}, a.Keys...)
	}
	return []screen.Action{a}
}

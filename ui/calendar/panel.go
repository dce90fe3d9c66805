package calendar

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/ui/editor"
)

// schedulePanel is a [Schedule] as a side panel of the schedule form.
type schedulePanel struct {
	schedule Schedule
	now      func() time.Time
}

// NewPanel returns the side panel of the schedule form: the campaign's next sends.
func NewPanel(cfg editor.Config) editor.SidePanel {
	a := &schedulePanel{schedule: NewSchedule(cfg.Theme), now: cfg.Now}
	if a.now == nil {
		a.now = time.Now
	}
	a.schedule.Numbers = true
	a.schedule.SetDocument(cfg.Root, a.now())
	return a
}

func (a *schedulePanel) Title() string           { return "Calendar" }
func (a *schedulePanel) SetSize(w, h int)        { a.schedule.SetSize(w, h) }
func (a *schedulePanel) View() string            { return a.schedule.View() }
func (a *schedulePanel) Bindings() []key.Binding { return a.schedule.Bindings() }

func (a *schedulePanel) Show(root doc.Value, _ doc.Path) tea.Cmd {
	a.schedule.SetDocument(root, a.now())
	return nil
}

func (a *schedulePanel) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		a.schedule.Update(msg)
	case tea.MouseMsg:
		a.schedule.Mouse(msg)
	}
	return nil
}

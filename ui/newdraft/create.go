package newdraft

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/screen"
)

// taskCreate is the kind of the task that creates the draft.
const taskCreate = "create"

// created is a draft that was created, and what the service did not take with it.
type created struct {
	engine.Created
	rest doc.Value
}

// create creates the draft.
func (s *Screen) create() tea.Cmd {
	draft := engine.Draft{
		Channel: engine.Channel(s.channel), DeliveryType: catalog.DeliveryType(s.deliveryType), CreatedBy: s.creator.Text(),
		Components: engine.WithName(s.source, s.name.Text()),
	}
	service := s.deps.Service
	return screen.Go(&s.Base, taskCreate, func(ctx context.Context) (created, error) {
		made, rest, err := draft.Create(ctx, service)
		return created{made, rest}, err
	}, screen.OrNotify(func(c created) tea.Cmd {
		s.created = true
		return tea.Sequence(screen.Changed(c.ID), screen.Replace(screen.Route{Name: screen.Builder, ID: c.ID, Doc: c.rest}))
	}))
}

// Actions returns what the user can do now.
func (s *Screen) Actions() []screen.Action {
	const group = "New draft"
	next := screen.Action{Keys: []string{"enter", "tab"}, Label: "next", Help: "go to the next question", Group: group, BarPriority: 9, WhileTyping: true, Run: s.next}
	if s.at() == len(s.questions)-1 {
		next = screen.Action{Keys: []string{"enter"}, Label: "create", Help: "create the draft and open it", Group: group, BarPriority: 9, WhileTyping: true, Run: s.next}
	}
	if s.Running(taskCreate) {
		next.DisabledReason = "The draft is being created."
	}
	acts := []screen.Action{next}
	if s.at() > 0 {
		back := func() tea.Cmd { return s.focus(s.at() - 1) }
		acts = append(acts, screen.Action{Keys: []string{"esc", "shift+tab"}, Label: "back", Help: "go back to the previous question", Group: group, BarPriority: 8, WhileTyping: true, Run: back})
	} else {
		acts = append(acts,
			screen.Action{Keys: []string{"T"}, Label: "templates", Help: "start from a template", Group: group, BarPriority: 5, Run: chooseTemplate},
			screen.Action{Keys: []string{"i"}, Label: "import file", Help: "start from a campaign file (JSON or YAML)", Group: group, BarPriority: 4, Run: s.askFile})
	}
	return acts
}

// Update handles messages, and keys that are not actions.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case tea.MouseMsg:
		return s.mouse(msg)
	case tea.KeyMsg:
		s.key(msg)
	}
	return nil
}

package newdraft

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// taskCreate is the kind of the task that creates the draft.
const taskCreate = "create"

// create creates the draft; if bare is set, without its name and components.
func (s *Screen) create(bare bool) tea.Cmd {
	s.refused = nil
	draft := engine.Draft{Channel: engine.Channel(s.channel), DeliveryType: catalog.DeliveryType(s.deliveryType), CreatedBy: s.creator.Text()}
	if !bare {
		draft.Components = engine.WithName(s.source, s.name.Text())
	}
	service := s.deps.Service
	return screen.Go(&s.Base, taskCreate, func(ctx context.Context) (engine.Created, error) { return draft.Create(ctx, service) }, s.openCreated)
}

// isValidationError reports whether a request was refused because of its content.
func isValidationError(err error) bool {
	e := engine.AsError(err)
	return e != nil && e.Code == engine.ValidationFailed
}

// openCreated opens the draft that was created in the builder.
func (s *Screen) openCreated(made engine.Created, err error) tea.Cmd {
	if screen.Canceled(err) {
		return nil
	}
	if made.ID == "" || err != nil && isValidationError(err) {
		s.refused = err
		return nil
	}
	s.created = true
	open := tea.Sequence(screen.Changed(made.ID), screen.Replace(screen.Route{Name: screen.Builder, ID: made.ID}))
	if err != nil {
		return tea.Batch(screen.Notify(widget.LevelError, err.Error()), open)
	}
	return open
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
			screen.Action{Keys: []string{"i"}, Label: "import file", Help: "start from a campaign file (JSON)", Group: group, BarPriority: 4, Run: s.askFile})
	}
	if s.refused != nil && isValidationError(s.refused) {
		acts = append(acts, screen.Action{Keys: []string{"ctrl+b"}, Label: "create empty", Help: "create an empty draft", Group: group, BarPriority: 7, WhileTyping: true,
			Run: func() tea.Cmd { return s.create(true) }})
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

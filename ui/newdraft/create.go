package newdraft

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// taskCreate is the kind of the task that creates the draft.
const taskCreate = "create"

// create creates the draft; if bare is set, without its name and components.
func (s *Screen) create(bare bool) tea.Cmd {
	s.refused = nil
	draft := engine.Draft{Channel: s.channel(), DeliveryType: s.deliveryType().Type, CreatedBy: s.creator.Value()}
	if !bare {
		draft.Components = engine.WithName(s.source, s.name.Value())
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
	next := screen.Action{Keys: []string{"enter", "tab"}, Label: "next", Help: "go to the next question", Group: group, BarPriority: 9, WhileTyping: true, DisabledReason: s.stepError(), Run: s.next}
	if s.step == stepCreator {
		next = screen.Action{Keys: []string{"enter"}, Label: "create", Help: "create the draft and open it", Group: group, BarPriority: 9, WhileTyping: true, Run: s.next}
	}
	if s.Running(taskCreate) {
		next.DisabledReason = "The draft is being created."
	}
	acts := []screen.Action{next}
	if s.step > stepChannel {
		acts = append(acts, screen.Action{Keys: []string{"esc", "shift+tab"}, Label: "back", Help: "go back to the previous question", Group: group, BarPriority: 8, WhileTyping: true, Run: s.back})
	}
	if s.step == stepChannel {
		acts = append(acts, s.sourceActions(group)...)
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

func (s *Screen) key(msg tea.KeyMsg) {
	switch s.step {
	case stepChannel:
		if s.channels.Update(msg) {
			s.listTypes()
		}
	case stepType:
		s.types.Update(msg)
	case stepName:
		s.typeKey(&s.name, msg)
	case stepCreator:
		s.typeKey(&s.creator, msg)
	}
}

// typeKey handles a key in a text field; up and down move to the neighboring questions.
func (s *Screen) typeKey(in *widget.Prompt, msg tea.KeyMsg) {
	switch msg.String() {
	case "up":
		s.back()
	case "down":
		s.goTo(s.step + 1)
	default:
		if in.Update(msg) {
			s.inputError = ""
		}
	}
}

func (s *Screen) list() *widget.List {
	switch s.step {
	case stepChannel:
		return &s.channels
	case stepType:
		return &s.types
	}
	return nil
}

// mouse handles clicks: on an answered question, which opens it, and on an option; a second click confirms it.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	pressed := widget.Pressed(msg)
	pane, msg := s.panes.Mouse(msg)
	if pane != paneQuestions {
		return nil
	}
	if pressed {
		for to, y := range s.positions.step {
			if y == msg.Y && step(to) <= s.step {
				s.goTo(step(to))
				return nil
			}
		}
	}
	list := s.list()
	if list == nil {
		return nil
	}
	before := list.Cursor
	if !list.Mouse(msg, msg.Y-s.positions.list) {
		return nil
	}
	if pressed && list.Cursor == before {
		if why := s.stepError(); why != "" {
			return screen.Notify(widget.LevelWarning, why)
		}
		return s.next()
	}
	if s.step == stepChannel {
		s.listTypes()
	}
	return nil
}

// answer returns the answer to a step.
func (s *Screen) answer(of step) string {
	switch of {
	case stepChannel:
		return s.channel().Label()
	case stepType:
		return s.deliveryType().Label
	case stepName:
		return s.name.Value()
	default:
		return s.creator.Value()
	}
}

package workspace

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/settings"
	"bugle/ui/screen"
)

// trial is what came of trying a record.
type trial struct {
	name string
	settings.Outcome
}

// try tries the record under the cursor, once the person has said what it asks for.
func (s *List) try() tea.Cmd {
	v, ok := s.selected()
	if !ok {
		return nil
	}
	if s.section().ID == "segments" {
		name := s.selectedName()
		return screen.Open(audienceRoute(name, audience.OfSegment(name)))
	}
	return s.askInput(s.section(), s.section().NameOf(v), s.section().TrialInputs(v), nil)
}

// askInput asks for the inputs that are left, one after the other.
func (s *List) askInput(sec *settings.Section, name string, left []settings.Input, said []string) tea.Cmd {
	if len(left) == 0 {
		return s.runTrial(sec, name, said)
	}
	in := left[0]
	title := "Send a test message through " + name
	if !in.Optional {
		title = name + ": " + in.Name
	}
	placeholder := in.Example
	if in.Optional {
		placeholder = in.Example + "; leave empty to only check the settings"
	}
	if placeholder == "" {
		placeholder = in.Help
	}
	return screen.Send(screen.InputMsg{Title: title, Placeholder: placeholder, Value: s.proposed(sec), Then: func(text string) tea.Cmd {
		return s.askInput(sec, name, left[1:], append(said[:len(said):len(said)], text))
	}})
}

// proposed is what a trial of a mail server is sent to, unless the person says otherwise.
func (s *List) proposed(sec *settings.Section) string {
	if sec.ID == "connectors" {
		return s.deps.Author
	}
	return ""
}

func (s *List) runTrial(sec *settings.Section, name string, inputs []string) tea.Cmd {
	svc, from := s.deps.Service, s.deps.Author
	return s.Run(taskTry, func(ctx context.Context) (any, error) {
		out, err := sec.Try(ctx, svc, name, from, inputs)
		return trial{name, out}, err
	})
}

func (s *List) tried(r screen.Result) tea.Cmd {
	switch {
	case screen.Canceled(r.Err):
		return nil
	case r.Err != nil:
		return notice(r.Err)
	}
	t := r.Value.(trial)
	s.say(t.name, t.Failed, t.Words, t.Detail)
	return nil
}

// audienceRoute leads to whom filters pick.
func audienceRoute(title string, filters doc.Value) screen.Route {
	return screen.Route{Name: screen.Workspace, Path: doc.P(placeAudience), Query: title, Doc: filters}
}

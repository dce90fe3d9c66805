package workspace

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/workspace/settings"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// trials runs trials of records.
type trials struct {
	service engine.Service
	tasks   *screen.Base
	author  string
	report  reportFunc
}

// try runs a trial of a section's record after asking for its inputs.
func (t *trials) try(sec *settings.Section, v doc.Value) tea.Cmd {
	name := sec.NameOf(v)
	if sec.ID == "segments" {
		return screen.Open(filters.AudienceRoute(name, audience.SegmentFilters(name)))
	}
	return t.askInput(sec, name, sec.TrialInputs(v), nil)
}

// askInput asks for the remaining inputs one after the other.
func (t *trials) askInput(sec *settings.Section, name string, left []settings.Input, said []string) tea.Cmd {
	if len(left) == 0 {
		return t.runTrial(sec, name, said)
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
	return screen.Send(screen.InputMsg{Title: title, Placeholder: placeholder, Value: t.defaultRecipient(sec), Then: func(text string) tea.Cmd {
		return t.askInput(sec, name, left[1:], append(said[:len(said):len(said)], text))
	}})
}

// defaultRecipient returns the suggested recipient of a trial.
func (t *trials) defaultRecipient(sec *settings.Section) string {
	if sec.ID == "connectors" {
		return t.author
	}
	return ""
}

func (t *trials) runTrial(sec *settings.Section, name string, inputs []string) tea.Cmd {
	svc, from := t.service, t.author
	return screen.Stream(t.tasks, taskTry, func(ctx context.Context, emit func(string)) (settings.TrialResult, error) {
		return sec.Try(delivery.WithProgress(ctx, emit), svc, name, from, inputs)
	}, func(sentence string) tea.Cmd {
		return screen.Notify(widget.LevelInfo, sentence)
	}, orNotify(func(out settings.TrialResult) tea.Cmd {
		t.report(name, out.Failed, out.Text, out.Detail)
		return nil
	}))
}

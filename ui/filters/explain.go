package filters

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Tasks of the audience panel.
const (
	taskCount = "audience.count"
	taskWhy   = "audience.why"
)

// found has the users that match a text and, if it is one, why it is in the audience or not.
type found struct {
	people []engine.User
	why    explained
}

// explained is why a user is in the audience of filters or not.
type explained struct {
	filters doc.Value
	person  engine.User
	result  engine.AudienceResult
}

// maxFound is how many users are offered for a text.
const maxFound = 12

// explainMsg asks the audience panel why a user matches or not.
type explainMsg struct{ name string }

// askUserName asks which user to explain the filters for. The panel explains them, whoever asks.
func askUserName(cfg editor.Config) tea.Cmd {
	_, reads := cfg.Service.(engine.AudienceReader)
	_, known := cfg.Service.(engine.UserStore)
	if !reads || !known || cfg.Host.Tasks == nil {
		return screen.Notify(widget.LevelInfo, unsupportedText)
	}
	return screen.Send(screen.InputMsg{
		Title: "Why does a user match, or not?", Placeholder: "name, email address or ID",
		Then: func(text string) tea.Cmd { return screen.Send(explainMsg{text}) },
	})
}

func explain(ctx context.Context, r engine.AudienceReader, filters doc.Value, p engine.User) (explained, error) {
	result, err := r.ExplainAudience(ctx, engine.AudienceRequest{Filters: filters, UserID: p.ID})
	return explained{filters, p, result}, err
}

// whyLines describes the outcome and the filters that decided it.
func whyLines(t *themes.Theme, e explained, w int) []string {
	head, tone := "✗ "+e.person.DisplayName()+" is not included:", themes.ToneWarning
	if e.result.Matched {
		head, tone = "✓ "+e.person.DisplayName()+" is included:", themes.ToneSuccess
	}
	out := widget.WrapStyled(t.Tone(tone), head, w)
	for _, r := range e.result.Decisive() {
		if r.Words == "" {
			continue
		}
		out = append(out, widget.WrapIndented(t.Tone(themes.ToneText), r.Words, w, 2)...)
		if r.Found != "" {
			out = append(out, widget.WrapIndented(t.Tone(themes.ToneMuted), "→ "+r.Found, w, 4)...)
		}
	}
	return out
}

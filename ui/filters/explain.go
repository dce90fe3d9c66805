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

// Tasks of the audience panel. Their results are delivered to it, whoever started them.
const (
	taskCount = "audience.count"
	taskTick  = "audience.tick"
	taskFind  = "audience.find"
	taskWhy   = "audience.why"
)

// found has the users that match a text.
type found struct {
	text   string
	people []engine.User
}

// explained is why a user is in the audience of filters or not.
type explained struct {
	filters doc.Value
	person  engine.User
	result  engine.AudienceResult
}

// maxFound is how many users are offered for a text.
const maxFound = 12

// askUserName asks which user to explain the filters for.
func askUserName(cfg editor.Config, filters func() doc.Value) tea.Cmd {
	reader, people := cfg.Service.(engine.AudienceReader)
	keeper, known := cfg.Service.(engine.UserStore)
	if !people || !known || cfg.Host.Run == nil {
		return screen.Notify(widget.LevelInfo, unsupportedText)
	}
	return screen.Send(screen.InputMsg{
		Title: "Why does a user match, or not?", Placeholder: "name, email address or ID",
		Then: func(text string) tea.Cmd {
			filters := filters()
			return cfg.Host.Run(taskFind, func(ctx context.Context) (any, error) {
				ps, err := keeper.Users(ctx, text, maxFound)
				if err != nil {
					return nil, err
				}
				if len(ps) != 1 {
					return found{text, ps}, nil
				}
				return explain(ctx, reader, filters, ps[0])
			})
		},
	})
}

func explain(ctx context.Context, r engine.AudienceReader, filters doc.Value, p engine.User) (any, error) {
	result, err := r.ExplainAudience(ctx, engine.AudienceRequest{Filters: filters, UserID: p.ID})
	return explained{filters, p, result}, err
}

// whyLines describes the outcome and the filters that decided it.
func whyLines(t themes.Theme, e explained, w int) []string {
	head, tone := "✗ "+e.person.DisplayName()+" is not included:", themes.ToneWarning
	if e.result.Matched {
		head, tone = "✓ "+e.person.DisplayName()+" is included:", themes.ToneSuccess
	}
	out := paint(t, tone, head, w, 0)
	for _, r := range e.result.Decisive() {
		if r.Words == "" {
			continue
		}
		out = append(out, paint(t, themes.ToneText, r.Words, w, 2)...)
		if r.Found != "" {
			out = append(out, paint(t, themes.ToneMuted, "→ "+r.Found, w, 4)...)
		}
	}
	return out
}

// paint wraps a text into lines of one tone.
func paint(t themes.Theme, tone themes.Tone, text string, w, indent int) []string {
	var out []string
	for _, l := range widget.Wrap(widget.Clean(text), max(w-indent, 1)) {
		out = append(out, widget.PadRight("", indent)+t.Paint(tone, l))
	}
	return out
}

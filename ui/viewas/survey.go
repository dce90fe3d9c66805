package viewas

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// Survey is an overlay that resolves the messages for everyone in the audience, and shows what that comes to.
type Survey struct {
	screen.Box
	cfg   Config
	theme *themes.Theme
	host  SurveyHost

	channel  engine.Channel
	running  bool
	canceled bool
	progress progress
	out      resolve.Survey
	done     bool // out is complete, or what was found before the survey was canceled
	err      error
	list     *list.List[surveyRow]
}

// surveyRow is a line of the result, and the text of the campaign that it is about; nil for none.
type surveyRow struct {
	widget.Item
	path doc.Path
}

// SurveyHost is what a survey needs of the screen that it is over.
type SurveyHost struct {
	Source func() Source
	// GoTo leads to a text of the campaign.
	GoTo func(doc.Path) tea.Cmd
	// Back is the action of esc; the survey sets what it does.
	Back screen.Action
}

// progress is how many users were looked at, and how many of them are in the audience.
type progress struct{ users, audience int }

// progressTime is how often progress is reported, so that the survey does not wait for the screen.
const progressTime = 100 * time.Millisecond

// NewSurvey returns a survey. Start starts it.
func NewSurvey(cfg Config, t *themes.Theme, host SurveyHost) *Survey {
	s := &Survey{cfg: cfg, theme: t, host: host, list: list.Items(t, "line", func(r surveyRow) widget.Item { return r.Item })}
	s.list.Focused = true
	return s
}

// Start starts the survey of the current audience. It calls no content API.
func (s *Survey) Start() tea.Cmd {
	reader, ok := s.cfg.Audience()
	if !ok {
		return nil
	}
	src, service := s.host.Source(), s.cfg.Service
	s.channel, s.running, s.canceled, s.done, s.err, s.progress = src.Channel, true, false, false, nil, progress{}
	return screen.Stream(s.cfg.Tasks, taskSurvey, func(ctx context.Context, emit func(progress)) (resolve.Survey, error) {
		c, err := resolve.Prepare(ctx, service, src.Workspace, src.Channel, src.Document)
		if err != nil {
			return resolve.Survey{}, err
		}
		last := time.Now()
		return c.Survey(ctx, reader, resolve.SurveyOptions{Progress: func(users, audience int) {
			if now := time.Now(); now.Sub(last) >= progressTime {
				last = now
				emit(progress{users, audience})
			}
		}})
	}, func(p progress) tea.Cmd {
		s.progress = p
		return nil
	}, s.finish)
}

func (s *Survey) finish(out resolve.Survey, err error) tea.Cmd {
	s.running, s.canceled = false, screen.Canceled(err)
	if err != nil && !s.canceled {
		s.err = err
	}
	s.out, s.done = out, s.err == nil
	s.fill()
	return nil
}

// Back cancels the survey while it runs, and closes it otherwise.
func (s *Survey) Back() tea.Cmd {
	if s.running {
		s.cfg.Tasks.Cancel(taskSurvey)
		s.canceled = true
		return nil
	}
	return s.Close()
}

// Close closes the survey and ends it.
func (s *Survey) Close() tea.Cmd {
	s.cfg.Tasks.Drop(taskSurvey)
	return s.Box.Close()
}

// Typing returns false: there is no text field.
func (s *Survey) Typing() bool { return false }

// Key handles a key that is not an action.
func (s *Survey) Key(msg tea.KeyMsg) tea.Cmd {
	if msg.String() == "enter" {
		return s.follow()
	}
	s.list.Key(msg)
	return nil
}

// follow goes to the text that the highlighted line is about.
func (s *Survey) follow() tea.Cmd {
	if row, _ := s.list.Selected(); len(row.path) > 0 {
		return tea.Batch(s.Close(), s.host.GoTo(row.path))
	}
	return nil
}

// Mouse handles the wheel, and clicks on lines that lead somewhere.
func (s *Survey) Mouse(msg tea.MouseMsg) tea.Cmd {
	msg.Y-- // the frame
	if hit, _ := s.list.Mouse(msg); hit && widget.Pressed(msg) {
		return s.follow()
	}
	return nil
}

// Actions describes the keys, the most important first, and has the action of esc.
func (s *Survey) Actions() []screen.Action {
	var acts []screen.Action
	if len(s.out.Expressions)+len(s.out.Longest) > 0 && !s.running {
		acts = append(acts, screen.Action{Keys: []string{"enter"}, Label: "go to field"})
	}
	back := s.host.Back
	back.Run = s.Back
	if back.Label = "close"; s.running {
		back.Label = "cancel"
	}
	back.Help = back.Label + " the survey"
	return boxActions(append(acts, screen.Action{Keys: []string{"↑/↓"}, Label: "move"}), back)
}

// At returns where the survey goes: over the whole screen, below the header.
func (s *Survey) At(string, int, int) (x, y int) { return 0, 1 }

// View draws the survey.
func (s *Survey) View(width, height int) string {
	height -= 2 // the header and the status bar
	panel := widget.NewPanel(s.theme, "Audience survey")
	panel.Focused = true
	panel.SetSize(width, height)
	w, h := panel.Inner()
	switch {
	case s.running:
		return panel.View(s.progressView(w))
	case s.err != nil:
		return panel.View(s.theme.Danger.Render(strings.Join(widget.Wrap(widget.Clean(phrase.Capitalize(s.err.Error())), max(w, 1)), "\n")))
	}
	s.list.SetSize(w, h)
	if s.canceled {
		panel.Info = "canceled"
	}
	return panel.View(s.list.View())
}

func (s *Survey) progressView(w int) string {
	label := "Resolving the messages for everyone in the audience"
	if s.canceled {
		label = "Canceling"
	}
	bar := widget.NewProgress(s.theme, label)
	bar.Frame = s.progress.users
	bar.SetSize(w, 1)
	count := fmt.Sprintf("%s of %s users are in the audience so far.", phrase.Thousands(s.progress.audience), phrase.Thousands(s.progress.users))
	return bar.View() + "\n" + s.theme.Muted.Render(widget.Truncate(count, w)) + "\n\n" + s.theme.Faint.Render(widget.Truncate("esc cancels; what was found is shown.", w))
}

// fill makes the lines of the result.
func (s *Survey) fill() {
	var rows []surveyRow
	put := func(it widget.Item, path doc.Path) {
		it.Wrap = true
		rows = append(rows, surveyRow{it, path})
	}
	heading := func(text string) {
		if len(rows) > 0 {
			put(widget.Item{Heading: true}, nil)
		}
		put(widget.Item{Text: text, Heading: true}, nil)
	}
	s.fillUsers(heading, put)
	s.fillMissing(heading, put)
	s.fillUnused(heading, put)
	s.fillLongest(heading, put)
	s.list.Set(rows)
}

type (
	addHeading = func(string)
	addLine    = func(widget.Item, doc.Path)
)

func (s *Survey) fillUsers(heading addHeading, put addLine) {
	title := "Users"
	if s.canceled {
		title += ", until the survey was canceled"
	}
	heading(title)
	line := func(text string, n int, tone themes.Tone) {
		put(widget.Item{Icon: " ", Text: text, Info: phrase.Thousands(n), InfoTone: tone}, nil)
	}
	line("In the workspace", s.out.Users, themes.ToneMuted)
	line("In the audience", s.out.Audience, themes.ToneText)
	line("Cannot be reached", s.out.Unreachable, warnAbove(s.out.Unreachable))
	line("A value is missing, so that a message is not sent", s.out.Lacking, warnAbove(s.out.Lacking))
	if s.out.Deferred > 0 {
		line("Need a content API, which was not called: "+strings.Join(s.out.APIs, ", "), s.out.Deferred, themes.ToneMuted)
	}
}

func warnAbove(n int) themes.Tone {
	if n > 0 {
		return themes.ToneWarning
	}
	return themes.ToneSuccess
}

func (s *Survey) fillMissing(heading addHeading, put addLine) {
	heading("Missing values")
	for _, g := range s.out.Expressions {
		text := preview.MissingText(resolve.Missing{Expression: g.Expression, Block: g.Block, Reason: g.Reason})
		text += " · " + problems.Place(s.channel, g.Path)
		if len(g.Examples) > 0 {
			text += " · such as " + strings.Join(g.Examples, ", ")
		}
		put(widget.Item{Icon: "⚠", IconTone: themes.ToneDanger, Text: text, Info: phrase.Thousands(g.Users), InfoTone: themes.ToneDanger}, g.Path)
	}
	if len(s.out.Expressions) == 0 {
		put(widget.Item{Icon: "✓", IconTone: themes.ToneSuccess, Text: "Nothing is missing for anyone."}, nil)
	}
}

func (s *Survey) fillUnused(heading addHeading, put addLine) {
	heading("Never used")
	platforms, variations := s.out.Unused()
	without := "has such a device"
	if s.channel == catalog.Email {
		without = "has an email address"
	}
	for _, name := range platforms {
		put(widget.Item{Icon: "⚠", IconTone: themes.ToneWarning, Text: grid.CellName(name, "", "") + ": nobody in the audience " + without}, nil)
	}
	for _, name := range variations {
		put(widget.Item{Icon: "⚠", IconTone: themes.ToneWarning, Text: grid.VariationName(name) + ": nobody gets this variation"}, nil)
	}
	if len(platforms)+len(variations) == 0 {
		put(widget.Item{Icon: "✓", IconTone: themes.ToneSuccess, Text: "Every platform and variation is used."}, nil)
	}
	put(widget.Item{Icon: "·", IconTone: themes.ToneFaint, Text: "Which locale a user gets is decided when the message is sent.", Dim: true}, nil)
}

func (s *Survey) fillLongest(heading addHeading, put addLine) {
	if len(s.out.Longest) == 0 {
		return
	}
	heading("Longest texts, in characters")
	for _, l := range s.out.Longest {
		text := grid.CellName(l.Platform, "", "") + " · " + l.What
		if l.User != "" {
			text += " · for " + l.User
		}
		put(widget.Item{Icon: " ", Text: text, Info: fmt.Sprint(l.Characters)}, l.Path)
		for _, c := range l.Cuts {
			it := widget.Item{Icon: "✓", IconTone: themes.ToneSuccess, Text: c.Words() + ": seen in full by everyone"}
			if c.Users > 0 {
				it = widget.Item{Icon: "✂", IconTone: themes.ToneWarning, Text: fmt.Sprintf("%s: cut for %s", c.Words(), phrase.Count(c.Users, "user"))}
			}
			put(it, l.Path)
		}
	}
}

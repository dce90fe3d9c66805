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
	progress progress
	out      resolve.Survey // complete, or what was found before the survey was canceled
	canceled bool
	err      error
	list     *list.List[surveyLine]
}

// SurveyHost is what a survey needs of the screen that it is over.
type SurveyHost struct {
	// Group is the help heading of the survey's keys.
	Group  string
	Source func() Source
	// GoTo leads to a text of the campaign.
	GoTo func(doc.Path) tea.Cmd
}

// progress is how many users were looked at, and how many of them are in the audience.
type progress struct{ users, audience int }

// progressTime is how often progress is reported, so that the survey does not wait for the screen.
const progressTime = 100 * time.Millisecond

// NewSurvey returns a survey. Start starts it.
func NewSurvey(cfg Config, t *themes.Theme, host SurveyHost) *Survey {
	s := &Survey{cfg: cfg, theme: t, host: host, list: list.Items(t, "line", func(l surveyLine) widget.Item { return l.Item })}
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
	s.channel = src.Channel
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
	}, func(out resolve.Survey, err error) tea.Cmd {
		if s.canceled = screen.Canceled(err); !s.canceled {
			s.err = err
		}
		s.out = out
		s.fill()
		return nil
	})
}

func (s *Survey) running() bool { return s.cfg.Tasks.Running(taskSurvey) }

// Back cancels the survey while it runs, and closes it otherwise.
func (s *Survey) Back() tea.Cmd {
	if s.running() {
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

// Key moves the cursor.
func (s *Survey) Key(msg tea.KeyMsg) tea.Cmd {
	s.list.Key(msg)
	return nil
}

// follow goes to the text that the highlighted line is about.
func (s *Survey) follow() tea.Cmd {
	if line, _ := s.list.Selected(); len(line.path) > 0 {
		return tea.Batch(s.Close(), s.host.GoTo(line.path))
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

// Actions returns what the user can do.
func (s *Survey) Actions() []screen.Action {
	var acts []screen.Action
	if len(s.out.Expressions)+len(s.out.Longest) > 0 && !s.running() {
		acts = append(acts, screen.Action{Keys: []string{"enter"}, Label: "go to field", Group: s.host.Group, BarPriority: 10, Run: s.follow})
	}
	back := screen.Action{Name: "close", Keys: []string{"esc"}, Label: "close", Help: "close the survey", Group: s.host.Group, BarPriority: 7, Run: s.Back}
	if s.running() {
		back.Label, back.Help = "cancel", "cancel the survey"
	}
	return append(acts, back)
}

// At returns where the survey goes: over the whole screen, below the header.
func (s *Survey) At(string, int, int) (x, y int) { return 0, 1 }

// View draws the survey.
func (s *Survey) View(width, height int) string {
	panel := widget.NewPanel(s.theme, "Audience survey")
	panel.Focused = true
	panel.SetSize(width, height-2) // without the header and the status bar
	w, h := panel.Inner()
	switch {
	case s.running():
		return panel.View(s.progressView(w))
	case s.err != nil:
		return panel.View(strings.Join(widget.WrapStyled(s.theme.Danger, phrase.Capitalize(s.err.Error()), max(w, 1)), "\n"))
	case s.canceled:
		panel.Info = "canceled"
	}
	s.list.SetSize(w, h)
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

// surveyLine is a line of the result, with the path of the text that it is about.
type surveyLine struct {
	widget.Item
	path doc.Path
}

// fill lists the result.
func (s *Survey) fill() {
	var lines []surveyLine
	for _, part := range [][]surveyLine{s.users(), s.missing(), s.unused(), s.longest()} {
		if len(lines) > 0 && len(part) > 0 {
			lines = append(lines, surveyLine{Item: widget.Item{Heading: true}})
		}
		for _, l := range part {
			l.Wrap = !l.Heading
			lines = append(lines, l)
		}
	}
	s.list.Set(lines)
}

func heading(text string) surveyLine {
	return surveyLine{Item: widget.Item{Text: text, Heading: true}}
}

// users says how many users there are and get a message.
func (s *Survey) users() []surveyLine {
	title := "Users"
	if s.canceled {
		title += ", until the survey was canceled"
	}
	line := func(text string, n int, tone themes.Tone) surveyLine {
		return surveyLine{Item: widget.Item{Icon: " ", Text: text, Info: phrase.Thousands(n), InfoTone: tone}}
	}
	failing := func(n int) themes.Tone {
		if n > 0 {
			return themes.ToneWarning
		}
		return themes.ToneSuccess
	}
	out := []surveyLine{
		heading(title),
		line("In the workspace", s.out.Users, themes.ToneMuted),
		line("In the audience", s.out.Audience, themes.ToneText),
		line("Cannot be reached", s.out.Unreachable, failing(s.out.Unreachable)),
		line("A value is missing, so that a message is not sent", s.out.Lacking, failing(s.out.Lacking)),
	}
	if s.out.Deferred > 0 {
		out = append(out, line("Need a content API, which was not called: "+strings.Join(s.out.APIs, ", "), s.out.Deferred, themes.ToneMuted))
	}
	return out
}

// missing lists the expressions that have no value for somebody.
func (s *Survey) missing() []surveyLine {
	out := []surveyLine{heading("Missing values")}
	for _, g := range s.out.Expressions {
		text := preview.MissingText(resolve.Missing{Expression: g.Expression, Block: g.Block, Reason: g.Reason})
		text += " · " + problems.Place(s.channel, g.Path)
		if len(g.Examples) > 0 {
			text += " · such as " + strings.Join(g.Examples, ", ")
		}
		out = append(out, surveyLine{widget.Item{Icon: "⚠", IconTone: themes.ToneDanger, Text: text, Info: phrase.Thousands(g.Users), InfoTone: themes.ToneDanger}, g.Path})
	}
	if len(s.out.Expressions) == 0 {
		out = append(out, good("Nothing is missing for anyone."))
	}
	return out
}

func good(text string) surveyLine {
	return surveyLine{Item: widget.Item{Icon: "✓", IconTone: themes.ToneSuccess, Text: text}}
}

// unused lists the messages that nobody gets.
func (s *Survey) unused() []surveyLine {
	out := []surveyLine{heading("Never used")}
	warn := func(text string) {
		out = append(out, surveyLine{Item: widget.Item{Icon: "⚠", IconTone: themes.ToneWarning, Text: text}})
	}
	platforms, variations := s.out.Unused()
	without := "has such a device"
	if s.channel == catalog.Email {
		without = "has an email address"
	}
	for _, name := range platforms {
		warn(grid.CellName(name, "", "") + ": nobody in the audience " + without)
	}
	for _, name := range variations {
		warn(grid.VariationName(name) + ": nobody gets this variation")
	}
	if len(platforms)+len(variations) == 0 {
		out = append(out, good("Every platform and variation is used."))
	}
	return append(out, surveyLine{Item: widget.Item{Icon: "·", IconTone: themes.ToneFaint, Text: "Which locale a user gets is decided when the message is sent.", Dim: true}})
}

// longest lists the longest texts, and whether all of each is seen.
func (s *Survey) longest() []surveyLine {
	if len(s.out.Longest) == 0 {
		return nil
	}
	out := []surveyLine{heading("Longest texts, in characters")}
	for _, l := range s.out.Longest {
		text := grid.CellName(l.Platform, "", "") + " · " + l.What
		if l.User != "" {
			text += " · for " + l.User
		}
		out = append(out, surveyLine{widget.Item{Icon: " ", Text: text, Info: fmt.Sprint(l.Characters)}, l.Path})
		for _, c := range l.Cuts {
			line := good(c.Words() + ": seen in full by everyone")
			if c.Users > 0 {
				line.Item = widget.Item{Icon: "✂", IconTone: themes.ToneWarning, Text: fmt.Sprintf("%s: cut for %s", c.Words(), phrase.Count(c.Users, "user"))}
			}
			line.path = l.Path
			out = append(out, line)
		}
	}
	return out
}

// Read says what the messages come to for everyone in the audience.
func (s *Survey) Read() screen.Page {
	page := screen.Page{Place: "Audience survey"}
	switch {
	case s.running():
	case s.err != nil:
		page.Summary = phrase.Sentence(s.err.Error())
	default:
		page.Parts = []screen.Part{{Rows: s.list.Rows(nil, nil)}}
	}
	return page
}

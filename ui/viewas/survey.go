package viewas

import (
	"context"
	"fmt"
	"slices"
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
	cfg    Config
	theme  *themes.Theme
	source func() Source
	goTo   func(doc.Path) tea.Cmd

	channel  engine.Channel
	progress progress
	out      resolve.Survey // complete, or what was found before the survey was canceled
	canceled bool
	err      error
	list     *list.List[surveyRow]
}

// progress is how many users were looked at, and how many of them are in the audience.
type progress struct{ users, audience int }

// progressTime is how often progress is reported, so that the survey does not wait for the screen.
const progressTime = 100 * time.Millisecond

// NewSurvey returns a survey of what source returns, which Start starts. goTo leads to a text of the campaign.
func NewSurvey(cfg Config, t *themes.Theme, source func() Source, goTo func(doc.Path) tea.Cmd) *Survey {
	s := &Survey{cfg: cfg, theme: t, source: source, goTo: goTo, list: list.Items(t, "line", surveyRow.item)}
	s.list.Focused = true
	return s
}

// Start starts the survey of the current audience. It calls no content API.
func (s *Survey) Start() tea.Cmd {
	reader, ok := s.cfg.Audience()
	if !ok {
		return nil
	}
	src, service := s.source(), s.cfg.Service
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

// follow goes to the text that a row is about.
func (s *Survey) follow(row surveyRow) tea.Cmd { return tea.Batch(s.Close(), s.goTo(row.path)) }

// Mouse handles the wheel, and clicks on rows that lead somewhere.
func (s *Survey) Mouse(msg tea.MouseMsg) tea.Cmd {
	msg.Y-- // the frame
	if hit, _ := s.list.Mouse(msg); hit && widget.Pressed(msg) {
		if row, ok := s.list.Selected(); ok {
			return s.follow(row)
		}
	}
	return nil
}

// Actions returns what the user can do.
func (s *Survey) Actions() []screen.Action {
	back := screen.Action{Name: "close", Keys: []string{"esc"}, Label: "close", Help: "close the survey", Group: "View as", BarPriority: 7, Run: s.Back}
	if s.running() {
		back.Label, back.Help = "cancel", "cancel the survey"
		return []screen.Action{back}
	}
	enter := screen.Action{Keys: []string{"enter"}, Label: "go to field", Group: "View as", BarPriority: 10}
	return []screen.Action{s.list.On(enter, nil, s.follow), back}
}

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
	bar := widget.Progress(s.theme, label, s.progress.users, 0, 0, w)
	count := fmt.Sprintf("%s of %s users are in the audience so far.", phrase.Thousands(s.progress.audience), phrase.Thousands(s.progress.users))
	return bar + "\n" + s.theme.Muted.Render(widget.Truncate(count, w)) + "\n\n" + s.theme.Faint.Render(widget.Truncate("esc cancels; what was found is shown.", w))
}

// surveyRow is a line of the result.
type surveyRow struct {
	sign  string // empty for the heading of a part
	tone  themes.Tone
	text  string
	count string
	path  doc.Path // of the text that it is about; nil if it leads nowhere
}

// item draws the row. The cursor goes only to rows that lead somewhere.
func (r surveyRow) item() widget.Item {
	return widget.Item{Icon: r.sign, IconTone: r.tone, Text: r.text, Info: r.count, InfoTone: r.tone,
		Heading: r.sign == "", Fixed: r.path == nil, Wrap: true}
}

func good(text string) surveyRow { return surveyRow{sign: "✓", tone: themes.ToneSuccess, text: text} }

func warn(text string) surveyRow { return surveyRow{sign: "⚠", tone: themes.ToneWarning, text: text} }

// fill lists the result.
func (s *Survey) fill() {
	rows := slices.Concat(s.users(), s.missing(), s.unused(), s.longest())
	for i, r := range slices.Backward(rows) {
		if r.sign == "" && i > 0 {
			rows = slices.Insert(rows, i, surveyRow{})
		}
	}
	s.list.Set(rows)
}

// users says how many users there are and get a message.
func (s *Survey) users() []surveyRow {
	title := "Users"
	if s.canceled {
		title += ", until the survey was canceled"
	}
	rows := []surveyRow{{text: title}}
	add := func(text string, n int, tone themes.Tone) {
		rows = append(rows, surveyRow{sign: " ", tone: tone, text: text, count: phrase.Thousands(n)})
	}
	failing := func(n int) themes.Tone {
		if n > 0 {
			return themes.ToneWarning
		}
		return themes.ToneSuccess
	}
	add("In the workspace", s.out.Users, themes.ToneMuted)
	add("In the audience", s.out.Audience, themes.ToneText)
	add("Cannot be reached", s.out.Unreachable, failing(s.out.Unreachable))
	add("A value is missing, so that a message is not sent", s.out.Lacking, failing(s.out.Lacking))
	if s.out.Deferred > 0 {
		add("Need a content API, which was not called: "+strings.Join(s.out.APIs, ", "), s.out.Deferred, themes.ToneMuted)
	}
	return rows
}

// missing lists the expressions that have no value for somebody.
func (s *Survey) missing() []surveyRow {
	rows := []surveyRow{{text: "Missing values"}}
	for _, g := range s.out.Expressions {
		text := preview.MissingText(resolve.Missing{Expression: g.Expression, Block: g.Block, Reason: g.Reason})
		text += " · " + problems.Place(s.channel, g.Path)
		if len(g.Examples) > 0 {
			text += " · such as " + strings.Join(g.Examples, ", ")
		}
		rows = append(rows, surveyRow{sign: "⚠", tone: themes.ToneDanger, text: text, count: phrase.Thousands(g.Users), path: g.Path})
	}
	if len(s.out.Expressions) == 0 {
		rows = append(rows, good("Nothing is missing for anyone."))
	}
	return rows
}

// unused lists the messages that nobody gets.
func (s *Survey) unused() []surveyRow {
	rows := []surveyRow{{text: "Never used"}}
	platforms, variations := s.out.Unused()
	without := "has such a device"
	if s.channel == catalog.Email {
		without = "has an email address"
	}
	for _, name := range platforms {
		rows = append(rows, warn(grid.CellName(name, "", "")+": nobody in the audience "+without))
	}
	for _, name := range variations {
		rows = append(rows, warn(grid.VariationName(name)+": nobody gets this variation"))
	}
	if len(platforms)+len(variations) == 0 {
		rows = append(rows, good("Every platform and variation is used."))
	}
	return append(rows, surveyRow{sign: "·", tone: themes.ToneFaint, text: "Which locale a user gets is decided when the message is sent."})
}

// longest lists the longest texts, and whether all of each is seen.
func (s *Survey) longest() []surveyRow {
	if len(s.out.Longest) == 0 {
		return nil
	}
	rows := []surveyRow{{text: "Longest texts, in characters"}}
	for _, l := range s.out.Longest {
		text := grid.CellName(l.Platform, "", "") + " · " + l.What
		if l.User != "" {
			text += " · for " + l.User
		}
		rows = append(rows, surveyRow{sign: " ", text: text, count: fmt.Sprint(l.Characters), path: l.Path})
		for _, c := range l.Cuts {
			row := good(c.Words() + ": seen in full by everyone")
			if c.Users > 0 {
				row = warn(fmt.Sprintf("%s: cut for %s", c.Words(), phrase.Count(c.Users, "user")))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Read says what the messages come to for everyone in the audience.
func (s *Survey) Read() screen.Page {
	page := screen.Page{Place: "Audience survey"}
	switch {
	case s.running():
	case s.err != nil:
		page.Summary = phrase.Sentence(s.err.Error())
	default:
		part := screen.Part{Rows: s.list.Rows(nil, s.follow)}
		for _, r := range s.list.Shown() {
			if r.path == nil && r.text != "" {
				part.Lines = append(part.Lines, list.Spoken(strings.TrimSpace(r.text+" "+r.count)))
			}
		}
		page.Parts = []screen.Part{part}
	}
	return page
}

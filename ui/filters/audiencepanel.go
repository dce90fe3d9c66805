package filters

import (
	"context"
	"errors"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// audiencePanel shows beside the filters how many users match, some of them, and why.
type audiencePanel struct {
	cfg    editor.Config
	reader engine.AudienceReader // nil if the service cannot evaluate filters

	place   doc.Path
	root    doc.Value
	filters doc.Value // the filters at the place in root
	shown   bool

	counting       bool
	progress       engine.AudienceCount // of the running count; zero at its start
	answer         *answer
	err            error
	why            *explained
	questionNotice string // the outcome of the last question

	width, height int
	cursor        int // the user under the cursor
	top           int
	lines         []string
	peopleLine    int // the line of the first user; -1 if none is shown
}

// answer is the result of a count.
type answer struct {
	count   engine.AudienceCount
	steps   []stepCount
	members []engine.User
}

type stepCount struct {
	words   string
	matched int
}

const (
	maxMembers = 12
	// maxStepUsers is the largest audience for which steps are counted too, each of which is a count of its own.
	maxStepUsers = 50_000
	maxSteps     = 12
	// progressInterval is the minimum time between updates of the progress.
	progressInterval = 120 * time.Millisecond
)

// unsupportedText is shown if the service cannot evaluate filters.
const unsupportedText = "This service does not show who matches. Recipients are counted when a campaign is sent."

// NewAudiencePanel returns the panel that shows the audience of the filters.
func NewAudiencePanel(cfg editor.Config) editor.SidePanel {
	a := &audiencePanel{cfg: cfg, place: groupsPath(cfg.Path), peopleLine: -1}
	a.reader, _ = cfg.Service.(engine.AudienceReader)
	return a
}

func (a *audiencePanel) Title() string { return "Audience" }

func (a *audiencePanel) SetSize(w, h int) {
	a.width, a.height = max(w, 0), max(h, 0)
	a.rebuild()
}

// Show sets the document and starts a count if its filters have changed.
func (a *audiencePanel) Show(root doc.Value, _ doc.Path) tea.Cmd {
	filters := root.Lookup(a.place)
	if a.shown && filters.Same(a.filters) {
		return nil
	}
	same := a.shown && doc.Equal(filters, a.filters)
	a.root, a.filters, a.shown = root, filters, true
	if same {
		return nil
	}
	a.why, a.questionNotice = nil, ""
	cmd := a.start()
	a.rebuild()
	return cmd
}

// start starts a new count. It cancels a running one, and then waits until the filters stop changing.
func (a *audiencePanel) start() tea.Cmd {
	tasks := a.cfg.Host.Tasks
	if a.reader == nil || tasks == nil {
		return nil
	}
	wait := tasks.SettleTime(taskCount)
	a.counting, a.progress = true, engine.AudienceCount{}
	reader, filters, env := a.reader, a.filters, audienceEnv(a.cfg)
	return screen.Stream(tasks, taskCount, func(ctx context.Context, emit func(engine.AudienceCount)) (answer, error) {
		if err := screen.Pause(ctx, wait); err != nil {
			return answer{}, err
		}
		last := time.Now()
		return countAudience(ctx, reader, filters, env, func(c engine.AudienceCount) {
			if now := time.Now(); now.Sub(last) >= progressInterval {
				last = now
				emit(c)
			}
		})
	}, func(c engine.AudienceCount) tea.Cmd {
		a.progress = c
		a.rebuild()
		return nil
	}, func(out answer, err error) tea.Cmd {
		a.counting, a.err, a.answer = false, err, nil
		if err == nil {
			a.answer = &out
			a.cursor = max(0, min(a.cursor, len(out.members)-1))
		}
		a.rebuild()
		return nil
	})
}

// countAudience counts the users who match, after each step too, and returns some of them.
func countAudience(ctx context.Context, r engine.AudienceReader, filters doc.Value, env audience.Env, progress func(engine.AudienceCount)) (out answer, err error) {
	if out.count, err = r.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters, Progress: progress}); err != nil {
		return out, err
	}
	if out.count.Matched > 0 {
		if out.members, err = r.AudienceMembers(ctx, engine.AudienceRequest{Filters: filters, Limit: maxMembers}); err != nil {
			return out, err
		}
	}
	steps := audience.Steps(filters, env)
	if out.count.Total > maxStepUsers || len(steps) > maxSteps {
		return out, nil
	}
	for i, s := range steps {
		n := out.count
		if i < len(steps)-1 { // the last step is the audience itself
			if n, err = r.EstimateAudience(ctx, engine.AudienceRequest{Filters: s.Filters}); err != nil {
				return out, err
			}
		}
		out.steps = append(out.steps, stepCount{s.Text, n.Matched})
	}
	return out, nil
}

// Update handles keys, mouse events and the questions of the tree.
func (a *audiencePanel) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case explainMsg:
		cmd = a.find(msg.name)
	case tea.KeyMsg:
		cmd = a.key(msg)
	case tea.MouseMsg:
		cmd = a.mouse(msg)
	}
	a.rebuild()
	return cmd
}

// find looks for the user with a name, email address or ID, and shows why it matches or not. It asks which user is meant
// if there are several.
func (a *audiencePanel) find(name string) tea.Cmd {
	users, known := a.cfg.Service.(engine.UserStore)
	if a.reader == nil || !known || a.cfg.Host.Tasks == nil {
		return screen.Notify(widget.LevelInfo, unsupportedText)
	}
	reader, filters := a.reader, a.filters
	work := func(ctx context.Context) (found, error) {
		people, err := users.Users(ctx, name, maxFound)
		if err != nil || len(people) != 1 {
			return found{people: people}, err
		}
		why, err := explain(ctx, reader, filters, people[0])
		return found{people, why}, err
	}
	return screen.Go(a.cfg.Host.Tasks, taskWhy, work, func(f found, err error) tea.Cmd {
		switch {
		case err != nil || len(f.people) == 1:
			return a.showExplanation(f.why, err)
		case len(f.people) == 0:
			return a.showProblem("No user has a name, email address or ID like “" + name + "”.")
		}
		a.clearExplanation()
		return a.askUser(f.people)
	})
}

func (a *audiencePanel) clearExplanation() {
	a.why, a.questionNotice, a.top = nil, "", 0
	a.rebuild()
}

// showProblem tells the user why there is no explanation.
func (a *audiencePanel) showProblem(text string) tea.Cmd {
	a.why, a.questionNotice, a.top = nil, text, 0
	a.rebuild()
	return screen.Notify(widget.LevelWarning, text)
}

// showExplanation shows why a user matches or not.
func (a *audiencePanel) showExplanation(why explained, err error) tea.Cmd {
	a.clearExplanation()
	switch {
	case screen.Canceled(err):
		return nil
	case err != nil:
		return a.showProblem(errorSentence(err))
	case !doc.Equal(why.filters, a.filters): // they have changed meanwhile
		return a.explain(why.person)
	}
	a.why = &why
	a.rebuild()
	return nil
}

func (a *audiencePanel) askUser(people []engine.User) tea.Cmd {
	options := make([]widget.Option, len(people))
	for i, p := range people {
		options[i] = widget.Option{Label: p.DisplayName(), Help: p.ID}
	}
	return screen.Send(screen.ChooseMsg{Title: "Which user?", Options: options, Then: func(w widget.Answer) tea.Cmd {
		if w.Index < 0 || w.Index >= len(people) {
			return nil
		}
		return a.explain(people[w.Index])
	}})
}

func (a *audiencePanel) explain(p engine.User) tea.Cmd {
	reader, filters := a.reader, a.filters
	work := func(ctx context.Context) (explained, error) { return explain(ctx, reader, filters, p) }
	return screen.Go(a.cfg.Host.Tasks, taskWhy, work, a.showExplanation)
}

// errorSentence describes in a sentence why the filters cannot be counted.
func errorSentence(err error) string {
	var e *engine.Error
	if errors.As(err, &e) && e.Message != "" {
		return phrase.Sentence(e.Message)
	}
	return phrase.Sentence(err.Error())
}

func (a *audiencePanel) key(msg tea.KeyMsg) tea.Cmd {
	n := 0
	if a.answer != nil {
		n = len(a.answer.members)
	}
	switch msg.String() {
	case "w":
		return askUserName(a.cfg)
	case "enter":
		if a.why != nil {
			a.why = nil
			return nil
		}
		if a.cursor < n {
			return a.explain(a.answer.members[a.cursor])
		}
	case "up", "k":
		a.move(-1, n)
	case "down", "j":
		a.move(1, n)
	case "pgup":
		a.top -= max(a.height-1, 1)
	case "pgdown", " ":
		a.top += max(a.height-1, 1)
	}
	return nil
}

// move moves the cursor among the users, or scrolls if none are listed.
func (a *audiencePanel) move(by, n int) {
	if n == 0 || a.why != nil {
		a.top += by
		return
	}
	a.cursor = max(0, min(a.cursor+by, n-1))
	if y := a.peopleLine + a.cursor; y < a.top || y >= a.top+a.height {
		a.top = y - a.height/2
	}
}

func (a *audiencePanel) mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		a.top -= wheelLines
	case msg.Button == tea.MouseButtonWheelDown:
		a.top += wheelLines
	case widget.Pressed(msg) && a.peopleLine >= 0 && a.answer != nil:
		if i := a.top + msg.Y - a.peopleLine; i >= 0 && i < len(a.answer.members) {
			if i == a.cursor {
				return a.explain(a.answer.members[i])
			}
			a.cursor = i
		}
	}
	return nil
}

// Bindings returns the keys that work in the panel.
func (a *audiencePanel) Bindings() []key.Binding {
	if a.reader == nil {
		return []key.Binding{bind("↑/↓", "scroll", "up", "down")}
	}
	out := []key.Binding{bind("w", "why a user matches", "w"), bind("↑/↓", "move", "up", "down")}
	switch {
	case a.why != nil:
		return append([]key.Binding{bind("enter", "back", "enter")}, out...)
	case a.answer != nil && len(a.answer.members) > 0:
		return append([]key.Binding{bind("enter", "why this one", "enter")}, out...)
	}
	return out
}

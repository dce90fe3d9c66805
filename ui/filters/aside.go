package filters

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// aside tells beside the filters how many people they pick, who some of them are, and why.
type aside struct {
	cfg    editor.Config
	reader engine.AudienceReader // nil where the service cannot tell

	place   doc.Path
	root    doc.Value
	filters doc.Value // of root, at the place
	shown   bool

	counting bool
	counted  chan struct{} // closed where the count has ended
	progress *atomic.Pointer[engine.AudienceCount]
	answer   *answer
	err      error
	why      *explained
	asked    string // what was said of a question

	width, height int
	at            int // the person under the cursor
	top           int
	lines         []string
	people        int // the line of the first person; -1 where none is shown
}

// answer is what a count found.
type answer struct {
	count   engine.AudienceCount
	steps   []stepped
	members []engine.User
}

type stepped struct {
	words   string
	matched int
}

const (
	maxMembers = 12
	// maxStepped is up to how many people the steps are counted as well: each of them is a count.
	maxStepped = 50_000
	maxSteps   = 12
	// settled is how long filters that change while a count runs have to stay before the next one.
	settled = 150 * time.Millisecond
	ticking = 120 * time.Millisecond
)

// untold is said where the service cannot evaluate filters.
const untold = "This service does not show who matches. Recipients are counted when a campaign is sent."

// NewAside makes the view beside filters: the audience that they pick.
func NewAside(cfg editor.Config) editor.SidePanel {
	a := &aside{cfg: cfg, place: placeOf(cfg.Path), people: -1}
	a.reader, _ = cfg.Service.(engine.AudienceReader)
	return a
}

func (a *aside) Title() string { return "Audience" }

func (a *aside) SetSize(w, h int) {
	a.width, a.height = max(w, 0), max(h, 0)
	a.lay()
}

func (a *aside) SetTheme(t themes.Theme) {
	a.cfg.Theme = t
	a.lay()
}

// Show takes over a document; where its filters are others than before, they are counted.
func (a *aside) Show(root doc.Value, _ doc.Path) tea.Cmd {
	filters := root.Lookup(a.place)
	if a.shown && filters.Same(a.filters) {
		return nil
	}
	same := a.shown && doc.Equal(filters, a.filters)
	a.root, a.filters, a.shown = root, filters, true
	if same {
		return nil
	}
	a.why, a.asked = nil, ""
	cmd := a.start()
	a.lay()
	return cmd
}

// start counts anew. A count that still runs is canceled by it, and then it waits for a moment in
// which nothing else changes.
func (a *aside) start() tea.Cmd {
	if a.reader == nil || a.cfg.Host.Run == nil {
		return nil
	}
	wait := time.Duration(0)
	if a.counting {
		wait = settled
	}
	a.counting = true
	a.progress, a.counted = &atomic.Pointer[engine.AudienceCount]{}, make(chan struct{})
	reader, filters, env, progress, counted := a.reader, a.filters, audienceEnv(a.cfg), a.progress, a.counted
	count := a.cfg.Host.Run(taskCount, func(ctx context.Context) (any, error) {
		defer close(counted)
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
		return look(ctx, reader, filters, env, func(c engine.AudienceCount) { progress.Store(&c) })
	})
	return tea.Batch(count, a.tick())
}

// look counts who is in, after each step, and finds some of them.
func look(ctx context.Context, r engine.AudienceReader, filters doc.Value, env audience.Env, tell func(engine.AudienceCount)) (any, error) {
	var out answer
	var err error
	if out.count, err = r.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters, Progress: tell}); err != nil {
		return nil, err
	}
	if out.count.Matched > 0 {
		if out.members, err = r.AudienceMembers(ctx, engine.AudienceRequest{Filters: filters, Limit: maxMembers}); err != nil {
			return nil, err
		}
	}
	steps := audience.Steps(filters, env)
	if out.count.Total > maxStepped || len(steps) > maxSteps {
		return out, nil
	}
	for i, s := range steps {
		n := out.count
		if i < len(steps)-1 { // the last one is the audience itself
			if n, err = r.EstimateAudience(ctx, engine.AudienceRequest{Filters: s.Filters}); err != nil {
				return nil, err
			}
		}
		out.steps = append(out.steps, stepped{s.Text, n.Matched})
	}
	return out, nil
}

// tick comes back while a count runs, so that its progress is drawn.
func (a *aside) tick() tea.Cmd {
	counted := a.counted
	return a.cfg.Host.Run(taskTick, func(ctx context.Context) (any, error) {
		ctx, stop := context.WithTimeout(ctx, ticking)
		defer stop()
		select {
		case <-ctx.Done():
		case <-counted:
		}
		return nil, nil
	})
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Update takes keys, the mouse, and results.
func (a *aside) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case screen.Result:
		cmd = a.result(msg)
	case tea.KeyMsg:
		cmd = a.key(msg)
	case tea.MouseMsg:
		cmd = a.mouse(msg)
	}
	a.lay()
	return cmd
}

func (a *aside) result(r screen.Result) tea.Cmd {
	switch kindOf(r.Kind) {
	case taskTick:
		select {
		case <-a.counted: // its answer is on its way
		default:
			return a.tick()
		}
	case taskCount:
		a.counting, a.err, a.answer = false, r.Err, nil
		if v, ok := r.Value.(answer); ok && r.Err == nil {
			a.answer = &v
			a.at = max(0, min(a.at, len(v.members)-1))
		}
	case taskFind, taskWhy:
		return a.told(r)
	}
	return nil
}

// kindOf returns the name that this package gave a task: the builder puts its own before it.
func kindOf(kind string) string {
	for _, k := range []string{taskCount, taskTick, taskFind, taskWhy} {
		if len(kind) >= len(k) && kind[len(kind)-len(k):] == k {
			return k
		}
	}
	return ""
}

// told shows the answer to why somebody is in, and asks back where several people may be meant.
func (a *aside) told(r screen.Result) tea.Cmd {
	a.why, a.asked, a.top = nil, "", 0
	switch v := r.Value.(type) {
	case explained:
		if r.Err == nil {
			a.why = &v
			return nil
		}
	case found:
		if len(v.people) == 0 && r.Err == nil {
			a.asked = "No user has a name, email address or ID like “" + v.text + "”."
			return screen.Notify(widget.LevelWarning, a.asked)
		}
		return a.askWhich(v.people)
	}
	if r.Err != nil && !screen.Canceled(r.Err) {
		a.asked = reason(r.Err)
		return screen.Notify(widget.LevelWarning, a.asked)
	}
	return nil
}

func (a *aside) askWhich(people []engine.User) tea.Cmd {
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

func (a *aside) explain(p engine.User) tea.Cmd {
	reader, filters := a.reader, a.filters
	return a.cfg.Host.Run(taskWhy, func(ctx context.Context) (any, error) { return explain(ctx, reader, filters, p) })
}

// reason says in a sentence why the filters cannot be counted.
func reason(err error) string {
	var e *engine.Error
	if errors.As(err, &e) && e.Message != "" {
		return sentence(errors.New(e.Message))
	}
	return sentence(err)
}

func (a *aside) key(msg tea.KeyMsg) tea.Cmd {
	n := 0
	if a.answer != nil {
		n = len(a.answer.members)
	}
	switch msg.String() {
	case "w":
		return askWhom(a.cfg, func() doc.Value { return a.filters })
	case "enter":
		if a.why != nil {
			a.why = nil
			return nil
		}
		if a.at < n {
			return a.explain(a.answer.members[a.at])
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

// move moves among the people, or scrolls where none are in the text.
func (a *aside) move(by, n int) {
	if n == 0 || a.why != nil {
		a.top += by
		return
	}
	a.at = max(0, min(a.at+by, n-1))
	if y := a.people + a.at; y < a.top || y >= a.top+a.height {
		a.top = y - a.height/2
	}
}

func (a *aside) mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		a.top -= wheelLines
	case msg.Button == tea.MouseButtonWheelDown:
		a.top += wheelLines
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress && a.people >= 0 && a.answer != nil:
		if i := a.top + msg.Y - a.people; i >= 0 && i < len(a.answer.members) {
			if i == a.at {
				return a.explain(a.answer.members[i])
			}
			a.at = i
		}
	}
	return nil
}

// Bindings are the keys that do something here.
func (a *aside) Bindings() []key.Binding {
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

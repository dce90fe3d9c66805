package filters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// audiencePanel shows beside the filters how many users match, after each step too, how many can be reached, and some of
// them. Who matches, and why, is a screen of its own: see [AudienceRoute].
type audiencePanel struct {
	cfg    editor.Config
	reader engine.AudienceReader // nil if the service cannot evaluate filters

	place   doc.Path
	root    doc.Value
	filters doc.Value // the filters at the place in root
	shown   bool

	counting bool
	answer   *answer
	err      error
	pager    widget.Pager
	lines    []string
	width    int
}

// answer is the result of a count, with that after each step.
type answer struct {
	matching
	steps []stepCount
}

type stepCount struct {
	words   string
	matched int
}

// matching is how many users match filters, and the first of them.
type matching struct {
	count   engine.AudienceCount
	members []engine.User
}

// countMatching counts the users who match filters, and returns at most limit of them.
func countMatching(ctx context.Context, r engine.AudienceReader, filters doc.Value, limit int) (out matching, err error) {
	if out.count, err = r.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters}); err == nil && out.count.Matched > 0 {
		out.members, err = r.AudienceMembers(ctx, engine.AudienceRequest{Filters: filters, Limit: limit})
	}
	return out, err
}

// matchedText describes a count in words: "3 of 12 users · 25%".
func matchedText(c engine.AudienceCount) string {
	words := phrase.Thousands(c.Matched) + " of " + phrase.Thousands(c.Total) + " users"
	if c.Total == 1 {
		words = strings.TrimSuffix(words, "s")
	}
	if c.Total == 0 {
		return words
	}
	share := 100 * float64(c.Matched) / float64(c.Total)
	if share > 0 && share < 10 {
		return fmt.Sprintf("%s · %.1f%%", words, share)
	}
	return fmt.Sprintf("%s · %.0f%%", words, share)
}

const (
	taskCount  = "audience.count"
	maxMembers = 12
	// maxStepUsers is the largest audience for which steps are counted too, each of which is a count of its own.
	maxStepUsers = 50_000
	maxSteps     = 12
	// maxStepLines is how many lines the text of a step takes at most.
	maxStepLines = 2
)

// UnsupportedText is shown if the service cannot evaluate filters.
const UnsupportedText = "This service does not show who matches. Recipients are counted when a campaign is sent."

// findInAudience opens the screen of who matches the filters of a place, ready to find any user.
func findInAudience(cfg editor.Config, root doc.Value) tea.Cmd {
	if _, reads := cfg.Service.(engine.AudienceReader); !reads {
		return screen.Notify(widget.LevelInfo, UnsupportedText)
	}
	r := AudienceRoute(cmp.Or(engine.CampaignName(root), "these filters"), root.Lookup(groupsPath(cfg.Path)))
	r.Path = r.Path.Child(findPath)
	return screen.Open(r)
}

// NewAudiencePanel returns the panel that shows the audience of the filters.
func NewAudiencePanel(cfg editor.Config) editor.SidePanel {
	a := &audiencePanel{cfg: cfg, place: groupsPath(cfg.Path), pager: widget.NewPager(cfg.Theme)}
	a.reader, _ = cfg.Service.(engine.AudienceReader)
	return a
}

func (a *audiencePanel) Title() string { return "Audience" }

func (a *audiencePanel) SetSize(w, h int) {
	a.pager.SetSize(max(w, 0), max(h, 0))
	a.width = max(w-2, 0) // beside the scroll bar
	a.draw()
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
	cmd := a.start()
	a.draw()
	return cmd
}

// start starts a new count. It cancels a running one, and then waits until the filters stop changing.
func (a *audiencePanel) start() tea.Cmd {
	tasks := a.cfg.Host.Tasks
	if a.reader == nil || tasks == nil {
		return nil
	}
	a.counting = true
	reader, filters, env := a.reader, a.filters, envOf(a.cfg)
	work := screen.Settled(tasks, taskCount, func(ctx context.Context) (answer, error) { return countAudience(ctx, reader, filters, env) })
	return screen.Go(tasks, taskCount, work, func(out answer, err error) tea.Cmd {
		a.counting, a.err, a.answer = false, err, nil
		if err == nil {
			a.answer = &out
		}
		a.draw()
		return nil
	})
}

// countAudience counts the users who match, after each step too, and returns some of them.
func countAudience(ctx context.Context, r engine.AudienceReader, filters doc.Value, env audience.Env) (out answer, err error) {
	if out.matching, err = countMatching(ctx, r, filters, maxMembers); err != nil {
		return out, err
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

// Update handles keys and mouse events.
func (a *audiencePanel) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if key.Matches(msg, whoKey) {
			return findInAudience(a.cfg, a.root)
		}
		a.pager.Update(msg)
	case tea.MouseMsg:
		a.pager.Mouse(msg)
	}
	return nil
}

// Bindings returns the keys that work in the panel.
func (a *audiencePanel) Bindings() []key.Binding {
	scroll := bind("↑/↓", "scroll", "up", "down")
	if a.reader == nil {
		return []key.Binding{scroll}
	}
	return []key.Binding{whoKey, scroll}
}

// View draws the panel.
func (a *audiencePanel) View() string { return a.pager.View() }

// draw renders the text of the panel.
func (a *audiencePanel) draw() {
	a.lines = nil
	switch {
	case a.reader == nil:
		a.add(themes.ToneStrong, audience.Describe(a.root, a.place, envOf(a.cfg)))
		a.add(themes.ToneMuted, UnsupportedText)
	case a.counting && a.answer == nil:
		a.add(themes.ToneMuted, "Counting…")
	case a.err != nil:
		a.drawUnfinished()
	case a.answer != nil:
		a.drawAnswer()
	}
	a.pager.SetStyled(strings.Join(a.lines, "\n"))
}

func (a *audiencePanel) add(tone themes.Tone, text string) {
	a.lines = append(a.lines, widget.WrapStyled(a.cfg.Theme.Tone(tone), text, a.width)...)
}

// drawUnfinished adds what is missing in the filters.
func (a *audiencePanel) drawUnfinished() {
	var e *engine.Error
	if !errors.As(a.err, &e) || e.Code != engine.ValidationFailed {
		a.add(themes.ToneWarning, "Not counted. "+errorSentence(a.err))
		return
	}
	a.add(themes.ToneMuted, "Complete the marked filters to see how many users match.")
	for _, d := range e.Details {
		a.add(themes.ToneWarning, "○ "+phrase.Sentence(d.Message))
	}
}

// errorSentence describes in a sentence why the filters cannot be counted.
func errorSentence(err error) string {
	var e *engine.Error
	if errors.As(err, &e) && e.Message != "" {
		return phrase.Sentence(e.Message)
	}
	return phrase.Sentence(err.Error())
}

func (a *audiencePanel) drawAnswer() {
	c := a.answer.count
	switch {
	case c.Matched > 0 || audience.HasFilters(a.filters):
		a.drawCount(c)
	case audience.IsTrigger(a.root, a.place):
		a.add(themes.ToneStrong, "No event yet")
	default:
		a.add(themes.ToneStrong, "No audience yet")
	}
	a.drawReach(c)
	if c.Total == 0 {
		a.add(themes.ToneMuted, "This workspace has no users yet. Import some in the workspace screen, or with bugle users import.")
		return
	}
	if len(a.answer.steps) > 0 {
		a.drawSteps(len(phrase.Thousands(c.Total)))
	}
	if len(a.answer.members) > 0 {
		a.add(themes.ToneMuted, "")
		a.add(themes.ToneMuted, "Such as")
	}
	for _, p := range a.answer.members {
		name, id := widget.Clean(p.DisplayName()), widget.Clean(p.ID)
		if id == name {
			id = ""
		}
		t := a.cfg.Theme
		a.lines = append(a.lines, "  "+t.Text.Render(widget.Truncate(name, max(a.width-2, 0)))+"  "+t.Faint.Render(id))
	}
}

// drawCount adds how many users match, as text and as a bar.
func (a *audiencePanel) drawCount(c engine.AudienceCount) {
	words := matchedText(c)
	w, full := min(max(a.width, 1), 48), 0
	if c.Total > 0 {
		full = c.Matched * w / c.Total
	}
	if c.Matched > 0 {
		full = max(full, 1)
	}
	if a.counting {
		words += " · counting…"
	}
	a.add(themes.ToneStrong, words)
	t := a.cfg.Theme
	a.lines = append(a.lines, t.Accent.Render(strings.Repeat("━", full))+t.Faint.Render(strings.Repeat("╌", w-full)))
}

// drawReach adds how many of the matching users the campaign's channel reaches, or what to do if there are none.
func (a *audiencePanel) drawReach(c engine.AudienceCount) {
	n, how := c.Reach.Push, "by push"
	parts := fmt.Sprintf(" (Android %s, iOS %s, web %s)",
		phrase.Thousands(c.Reach.Android), phrase.Thousands(c.Reach.IOS), phrase.Thousands(c.Reach.Web))
	if a.cfg.Head.Channel == catalog.Email {
		n, how, parts = c.Reach.Email, "by email", ""
	}
	switch {
	case c.Matched == 0 && audience.HasFilters(a.filters):
		a.add(themes.ToneWarning, "Nobody matches these filters.")
	case c.Matched == 0 && audience.IsTrigger(a.root, a.place):
		a.add(themes.ToneMuted, "Add an event to see how many users have done it.")
	case c.Matched == 0:
		a.add(themes.ToneMuted, "Add a filter to see how many users match.")
	case n == 0:
		a.add(themes.ToneWarning, "None can be reached "+how+".")
	case n == c.Matched:
		a.add(themes.ToneText, "All can be reached "+how+parts+".")
	default:
		a.add(themes.ToneText, phrase.Thousands(n)+" can be reached "+how+parts+".")
	}
}

// drawSteps adds how each filter narrows the audience, with numbers of some digits.
func (a *audiencePanel) drawSteps(digits int) {
	t := a.cfg.Theme
	a.add(themes.ToneMuted, "")
	a.add(themes.ToneMuted, "Step by step")
	for _, s := range a.answer.steps {
		n := widget.PadLeft(phrase.Thousands(s.matched), digits)
		for i, words := range wrapMax(s.words, a.width-digits-2, maxStepLines) {
			if i > 0 {
				n = strings.Repeat(" ", digits)
			}
			a.lines = append(a.lines, t.Strong.Render(n)+"  "+t.Text.Render(words))
		}
	}
}

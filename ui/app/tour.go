package app

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// tourPrefs records whether the user has seen the tour.
type tourPrefs struct {
	Offered bool `json:"offered"`
	Seen    bool `json:"seen"`
}

// tourOfferMsg reports that the tour has never been offered.
type tourOfferMsg struct{}

// tourOfferTime is how long the offer is shown.
const tourOfferTime = 10 * time.Second

// offerTour offers the tour once, on the first start in a workspace. The offer is a notice, so it is never in
// the way.
func offerTour(deps screen.Deps) tea.Cmd {
	p := deps.Prefs
	if p == nil || deps.Service == nil {
		return nil
	}
	return func() tea.Msg {
		known, err := prefs.Read[tourPrefs](p, prefTour)
		if err == nil && (known.Offered || known.Seen) {
			return nil
		}
		if err == nil {
			_, err = prefs.Update(p, prefTour, func(t tourPrefs) tourPrefs { t.Offered = true; return t })()
		}
		if err != nil {
			return unreadable(err)
		}
		return tourOfferMsg{}
	}
}

func tourOfferText(live []screen.Action) string {
	return "New here? Press " + keyFor(live, nameTour) + " for a tour in five steps."
}

// target is what a step of the tour points at.
type target int

const (
	atHeader target = iota
	atBody
	atHint // of the status bar
)

// tourStep is one step of the tour.
type tourStep struct {
	title, text string
	points      target
	hint        string // label of the hint that it points at, or of the help hint if that is not visible
}

// tourSteps returns the tour with the current keys; onList reports whether the list of campaigns is on top.
func tourSteps(live []screen.Action, onList bool) []tourStep {
	body := tourStep{"The screen", "Up and down move, enter opens, esc goes back. The mouse works, too.", atBody, ""}
	begin := tourStep{"Your first campaign", "Start a draft in the list of campaigns. The builder saves as you type and lists what is missing. Validate checks the draft before you publish it. Test sends it to a few people.", atHint, ""}
	if onList {
		body.text = "These are your campaigns. Up and down move, enter opens one, / searches as you type. The mouse works, too."
		begin.text = fmt.Sprintf("Press %s to start a draft. The builder saves as you type and lists what is missing. Press %s to check the draft before you publish it, and %s to send a test to a few people.", keyForLabel(live, "new"), keyForLabel(live, "validate"), keyForLabel(live, "test"))
		begin.hint = "new"
	}
	again := fmt.Sprintf(" Press %s to see this tour again. Themes and keys are in Settings.", keyFor(live, nameTour))
	begin.text += again
	return []tourStep{
		{"Where you are", "Press esc to go back one step, or click a name to go there. The right end shows the state: saved, problems, offline.", atHeader, ""},
		body,
		{"What you can do", "These keys work now; you can also click them. Press a dimmed one to see why it doesn't work. At the left, Keys means that letters are commands, and Typing that they are text.", atHint, "first"},
		{"Everything else", fmt.Sprintf("%s lists every key. %s finds any action, section, field, campaign or setting by name.", keyFor(live, nameHelp), keyFor(live, namePalette)), atHint, "help"},
		begin,
	}
}

// keyForLabel formats the key of the screen's action with that label, or returns the label if it has none.
func keyForLabel(live []screen.Action, label string) string {
	for _, a := range live {
		if a.Label == label && len(a.Keys) > 0 {
			return keymap.Format(a.Keys[0])
		}
	}
	return label
}

// tourBox shows the steps one after the other, each beside its target.
type tourBox struct {
	screen.Box
	theme *themes.Theme
	steps []tourStep
	step  int
	// targets returns what the steps point at: the column of the breadcrumb, and the status bar with the action of
	// each hint.
	targets func() (header int, bar widget.StatusBar, acts []screen.Action)
}

func (m *Model) tour() tea.Cmd {
	m.pushOverlay(&tourBox{theme: m.theme, steps: tourSteps(m.activeActions(), m.route().Name == screen.Campaigns), targets: func() (int, widget.StatusBar, []screen.Action) {
		h := m.header()
		bar, acts := m.statusBar()
		return widget.Width(h.start()), bar, acts
	}})
	return remember(m.opts.Deps, prefTour, func(tourPrefs) tourPrefs { return tourPrefs{true, true} })
}

// Key moves through the steps. Any other key ends the tour and works as usual.
func (t *tourBox) Key(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "enter", "right", " ", "tab", "down":
		return t.next()
	case "left", "backspace", "shift+tab", "up":
		t.step = max(t.step-1, 0)
		return nil
	case "esc":
		return t.Close()
	}
	t.Close()
	return func() tea.Msg { return msg }
}

// next shows the next step, or ends the tour.
func (t *tourBox) next() tea.Cmd {
	if t.step++; t.step == len(t.steps) {
		return t.Close()
	}
	return nil
}

// Mouse moves through the steps.
func (t *tourBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		t.step = max(t.step-1, 0)
	case msg.Button == tea.MouseButtonWheelDown:
		t.step = min(t.step+1, len(t.steps)-1)
	case widget.Pressed(msg):
		return t.next()
	}
	return nil
}

// column returns the column that the step points at.
func (t *tourBox) column() int {
	s := t.steps[min(t.step, len(t.steps)-1)]
	header, bar, acts := t.targets()
	if s.points == atHeader {
		return header
	}
	at := len(acts)
	for i, a := range acts {
		if s.hint == a.Label || s.hint == "first" && i == 0 {
			at = i
		}
	}
	x, _, ok := bar.HintSpan(at)
	if !ok {
		x, _, _ = bar.HintSpan(len(acts))
	}
	return x
}

// tourWidth is the width of the box.
const tourWidth = 56

// View draws the box.
func (t *tourBox) View(width, _ int) string {
	s := t.steps[min(t.step, len(t.steps)-1)]
	w := min(width-4, tourWidth)
	lines := widget.Wrap(s.text, w-4)
	panel := widget.NewPanel(t.theme, s.title)
	panel.Focused, panel.Info, panel.Footer = true, fmt.Sprintf("%d of %d", t.step+1, len(t.steps)), "enter next · ← back · esc close"
	if t.step == len(t.steps)-1 {
		panel.Footer = "enter done · ← back"
	}
	panel.SetSize(w, len(lines)+2)
	return panel.View(t.theme.Text.Render(strings.Join(lines, "\n")))
}

// pointer returns the sign beside the box and its position; false if the step describes the whole screen.
func (t *tourBox) pointer(height int) (sign string, x, y int, ok bool) {
	switch t.steps[min(t.step, len(t.steps)-1)].points {
	case atHeader:
		return t.theme.Accent.Bold(true).Render("▲"), t.column(), 1, true
	case atHint:
		return t.theme.Accent.Bold(true).Render("▼"), t.column(), height - 2, true
	case atBody:
	}
	return "", 0, 0, false
}

// boxLeft returns the left column of a box of width w near its target.
func (t *tourBox) boxLeft(w, width int) int {
	return min(max(t.column()-w/2, 1), max(width-w-1, 0))
}

// At returns where the box goes: near what the step points at.
func (t *tourBox) At(box string, width, height int) (x, y int) {
	w, h := widget.Width(firstLine(box)), strings.Count(box, "\n")+1
	switch t.steps[min(t.step, len(t.steps)-1)].points {
	case atHeader:
		return t.boxLeft(w, width), 2
	case atHint:
		return t.boxLeft(w, width), max(height-2-h, 0)
	case atBody:
	}
	return widget.CenterAt(box, width, height)
}

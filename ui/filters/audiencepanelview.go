package filters

import (
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/widget"
)

// rebuild renders the lines of the panel.
func (a *audiencePanel) rebuild() {
	a.lines, a.peopleLine = nil, -1
	switch {
	case a.reader == nil:
		a.addText(themes.ToneStrong, audience.Describe(a.root, a.place, audienceEnv(a.cfg)))
		a.addText(themes.ToneMuted, unsupportedText)
	case a.why != nil:
		a.lines = whyLines(a.cfg.Theme, *a.why, a.width)
		a.addText(themes.ToneFaint, "Press enter to go back to the count.")
	case a.counting && a.answer == nil:
		a.layCounting()
	case a.err != nil:
		a.layUnfinished()
	case a.answer != nil:
		a.layAnswer()
	}
	if a.questionNotice != "" && a.why == nil {
		a.addText(themes.ToneWarning, a.questionNotice)
	}
	a.top = max(0, min(a.top, len(a.lines)-a.height))
}

func (a *audiencePanel) addText(tone themes.Tone, text string) {
	a.lines = append(a.lines, widget.WrapStyled(a.cfg.Theme.Tone(tone), text, a.width)...)
}

func (a *audiencePanel) View() string {
	lines := a.lines
	if a.top < len(lines) {
		lines = lines[a.top:]
	}
	return widget.Fit(strings.Join(lines, "\n"), a.width, a.height)
}

func (a *audiencePanel) layCounting() {
	text := "Counting…"
	if c := a.progress; c.Total > 0 {
		text = fmt.Sprintf("Counting… %s of %s users checked", phrase.Thousands(c.Matched), phrase.Thousands(c.Total))
	}
	a.addText(themes.ToneMuted, text)
}

// layUnfinished adds what is missing in the filters.
func (a *audiencePanel) layUnfinished() {
	var e *engine.Error
	if !errors.As(a.err, &e) || e.Code != engine.ValidationFailed {
		a.addText(themes.ToneWarning, "Not counted. "+errorSentence(a.err))
		return
	}
	a.addText(themes.ToneMuted, "Complete the marked filters to see how many users match.")
	for i, d := range e.Details {
		if i == 3 {
			a.addText(themes.ToneFaint, fmt.Sprintf("and %d more", len(e.Details)-i))
			break
		}
		a.addText(themes.ToneWarning, "○ "+phrase.Sentence(d.Message))
	}
}

func (a *audiencePanel) layAnswer() {
	c := a.answer.count
	if c.Matched == 0 && !audience.HasFilters(a.filters) {
		none := "No audience yet"
		if audience.IsTrigger(a.root, a.place) {
			none = "No event yet"
		}
		a.addText(themes.ToneStrong, none)
	} else {
		a.layCount(c)
	}
	a.layReach(c)
	if c.Total == 0 {
		a.addText(themes.ToneMuted, "This workspace has no users yet. Import some in the workspace screen, or with bugle users import.")
		return
	}
	a.laySteps(c)
	a.layPeople()
}

// layCount adds how many users match, as text and as a bar.
func (a *audiencePanel) layCount(c engine.AudienceCount) {
	words := fmt.Sprintf("%s of %s", phrase.Thousands(c.Matched), users(c.Total))
	if c.Total > 0 {
		words += " · " + percent(c.Matched, c.Total)
	}
	if a.counting {
		words += " · counting…"
	}
	a.addText(themes.ToneStrong, words)
	if a.height > 6 {
		a.lines = append(a.lines, a.bar(c.Matched, c.Total))
	}
}

func (a *audiencePanel) bar(n, of int) string {
	w := min(max(a.width, 1), 48)
	full := 0
	if of > 0 {
		full = n * w / of
		if n > 0 && full == 0 {
			full = 1
		}
	}
	return a.cfg.Theme.Accent.Render(strings.Repeat("━", full)) + a.cfg.Theme.Faint.Render(strings.Repeat("╌", w-full))
}

// layReach adds how many of the matching users the campaign's channel reaches.
func (a *audiencePanel) layReach(c engine.AudienceCount) {
	if c.Matched == 0 {
		switch {
		case audience.HasFilters(a.filters):
			a.addText(themes.ToneWarning, "Nobody matches these filters.")
		case audience.IsTrigger(a.root, a.place):
			a.addText(themes.ToneMuted, "Add an event to see how many users have done it.")
		default:
			a.addText(themes.ToneMuted, "Add a filter to see how many users match.")
		}
		return
	}
	r := c.Reach
	if a.cfg.Head.Channel == catalog.Email {
		a.reachLine(r.Email, c.Matched, "by email", "")
		return
	}
	a.reachLine(r.Push, c.Matched, "by push", fmt.Sprintf(" (Android %s, iOS %s, web %s)", phrase.Thousands(r.Android), phrase.Thousands(r.IOS), phrase.Thousands(r.Web)))
}

func (a *audiencePanel) reachLine(n, of int, how, parts string) {
	switch {
	case n == 0:
		a.addText(themes.ToneWarning, "None can be reached "+how+".")
	case n == of:
		a.addText(themes.ToneText, "All can be reached "+how+parts+".")
	default:
		a.addText(themes.ToneText, phrase.Thousands(n)+" can be reached "+how+parts+".")
	}
}

// laySteps adds how each filter narrows the audience.
func (a *audiencePanel) laySteps(c engine.AudienceCount) {
	if len(a.answer.steps) == 0 {
		return
	}
	a.addText(themes.ToneMuted, "")
	a.addText(themes.ToneMuted, "Step by step")
	digits := len(phrase.Thousands(c.Total))
	for _, s := range a.answer.steps {
		n := widget.PadLeft(phrase.Thousands(s.matched), digits)
		t := a.cfg.Theme
		for i, words := range wrapMax(s.words, a.width-digits-2, maxStepLines) {
			if i > 0 {
				n = strings.Repeat(" ", digits)
			}
			a.lines = append(a.lines, t.Strong.Render(n)+"  "+t.Text.Render(words))
		}
	}
}

// maxStepLines is how many lines the text of a step takes at most.
const maxStepLines = 2

// layPeople adds the first matching users.
func (a *audiencePanel) layPeople() {
	t, ps := a.cfg.Theme, a.answer.members
	if len(ps) == 0 {
		return
	}
	a.addText(themes.ToneMuted, "")
	a.addText(themes.ToneMuted, "Such as")
	a.peopleLine = len(a.lines)
	for i, p := range ps {
		name := widget.Clean(p.DisplayName())
		id := ""
		if p.ID != name {
			id = "  " + widget.Clean(p.ID)
		}
		if i == a.cursor {
			a.lines = append(a.lines, t.Accent.Render("▸ ")+t.Strong.Render(widget.Truncate(name, max(a.width-2, 0)))+t.Faint.Render(id))
			continue
		}
		a.lines = append(a.lines, "  "+t.Text.Render(widget.Truncate(name, max(a.width-2, 0)))+t.Faint.Render(id))
	}
}

// users formats a number of users.
func users(n int) string {
	if n == 1 {
		return "1 user"
	}
	return phrase.Thousands(n) + " users"
}

// percent formats a share, with a decimal if it is small.
func percent(n, of int) string {
	p := 100 * float64(n) / float64(of)
	if p > 0 && p < 10 {
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

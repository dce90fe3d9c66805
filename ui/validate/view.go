package validate

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.list.SetSize(width-4, height-2-len(s.head()))
}

// View draws what the validation says, and the list of problems and warnings.
func (s *Screen) View() string {
	name := s.Title()
	if s.checked {
		name = engine.Summarize(s.campaign).Title()
	}
	panel := widget.NewPanel(s.theme, name)
	panel.Focused, panel.Footer = true, s.list.Position()
	panel.SetSize(s.width, s.height)
	return panel.View(strings.Join(append(s.head(), s.list.View()), "\n"))
}

// head returns the lines above the list.
func (s *Screen) head() []string {
	var lines []string
	for _, st := range append(s.statements(), statement{themes.ToneMuted, s.hint()}) {
		if st.text != "" {
			lines = append(lines, widget.WrapStyled(s.theme.Tone(st.tone), st.text, s.width-4)...)
		}
	}
	return append(lines, "")
}

// Read says whether the campaign can be published, its problems and its warnings.
func (s *Screen) Read() screen.Page {
	page := screen.Page{Cursor: s.list.At()}
	var said []string
	for _, st := range s.statements() {
		if st.text != "" {
			said = append(said, phrase.Sentence(st.text))
		}
	}
	page.Summary = strings.Join(said, " ")
	if s.checked {
		page.Parts = []screen.Part{s.list.Read()}
	}
	return page
}

// statement is a sentence about the campaign.
type statement struct {
	tone themes.Tone
	text string
}

// statements says whether the campaign can be published, and how many warnings there are.
func (s *Screen) statements() []statement {
	switch {
	case s.failed != nil:
		return []statement{{themes.ToneDanger, "Couldn't check this campaign."}, {themes.ToneText, widget.Clean(phrase.Sentence(s.failed.Error()))}}
	case !s.checked:
		return []statement{{themes.ToneMuted, "Checking the campaign…"}}
	}
	return []statement{s.verdict(), s.aboutWarnings(), {themes.ToneMuted, s.notChecked()}}
}

// verdict says whether the campaign can be published, or whether that of a published one has problems.
func (s *Screen) verdict() statement {
	state := widget.Clean(s.campaign.Status.Label())
	valid, invalid := "No problems found. This campaign is "+state+".", "This campaign is "+state+" and has problems"
	switch {
	case s.campaign.Status == catalog.Draft:
		valid, invalid = "Ready to publish.", "Not ready to publish"
	case s.pending:
		valid, invalid = "No problems found. Your changes can be applied.", "Your changes cannot be applied yet"
	}
	errors := len(schema.Errors(s.outcome.Problems))
	notices := ""
	if n := len(s.outcome.Problems) - errors; n > 0 {
		notices = " " + phrase.Count(n, "notice") + "."
	}
	switch {
	case s.outcome.Valid:
		return statement{themes.ToneSuccess, valid + notices}
	case errors == 0:
		return statement{themes.ToneDanger, invalid + ". The service doesn't say why." + notices}
	}
	return statement{themes.ToneDanger, invalid + ": " + phrase.Count(errors, "problem") + "." + notices}
}

// aboutWarnings counts the warnings, or says what keeps them from being shown.
func (s *Screen) aboutWarnings() statement {
	switch online := s.Running(taskOnline); {
	case online && s.progress.of > 0:
		return statement{themes.ToneInfo, fmt.Sprintf("Checking links and images: %d of %d. Press X to cancel.", s.progress.done, s.progress.of)}
	case online:
		return statement{themes.ToneInfo, "Checking links and images… Press X to cancel."}
	case s.Running(taskWarnings) && !s.known:
		return statement{themes.ToneMuted, "Looking for warnings…"}
	case s.warningsFailed != nil:
		return statement{themes.ToneWarning, "Couldn't look for warnings: " + widget.Clean(s.warningsFailed.Error())}
	case s.found.Summary() != "":
		return statement{themes.ToneWarning, "Also worth a look: " + s.found.Summary() + "."}
	case s.known && s.campaign.Channel.Writable() && s.list.Len() == 0:
		return statement{themes.ToneMuted, "No warnings."}
	}
	return statement{}
}

// hint returns the key for what is next.
func (s *Screen) hint() string {
	switch {
	case s.failed != nil:
		return "Press r to reload or esc to go back."
	case s.checked && s.outcome.Valid && s.campaign.Status == catalog.Draft:
		return "Press s to publish it."
	}
	return ""
}

// notChecked says which checks were not made, and why.
func (s *Screen) notChecked() string {
	var reasons []string
	for _, c := range s.found.Skipped {
		if !slices.Contains(reasons, c.Why) {
			reasons = append(reasons, c.Why)
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return phrase.Count(len(s.found.Skipped), "check") + " could not be made, because " + strings.Join(reasons, ", ") + "."
}

// Badge summarizes the result.
func (s *Screen) Badge() (string, themes.Tone) {
	if s.Running(taskCheck) {
		return "checking…", themes.ToneMuted
	}
	if !s.checked {
		return "", themes.ToneMuted
	}
	text, tone := s.campaign.Status.Label(), themes.ToneInfo
	switch {
	case !s.outcome.Valid:
		text, tone = phrase.Count(len(schema.Errors(s.outcome.Problems)), "problem"), themes.ToneDanger
	case s.campaign.Status == catalog.Draft:
		text, tone = "ready to publish", themes.ToneSuccess
	}
	if n := s.found.Count(check.Warning); n > 0 {
		text += " · " + phrase.Count(n, "warning")
	}
	return text, tone
}

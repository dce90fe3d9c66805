package validate

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.list.SetSize(width-4, height-2-s.headerHeight())
	s.pager.SetSize(width-4, height-2)
	s.pager.SetStyled(s.emptyText())
}

// View draws the header and the list of problems and warnings, or a text if there are none.
func (s *Screen) View() string {
	panel := widget.NewPanel(s.theme, s.name())
	panel.Focused, panel.Footer = true, s.list.Position()
	panel.SetSize(s.width, s.height)
	if !s.checked || s.list.Len() == 0 {
		return panel.View(s.pager.View())
	}
	return panel.View(s.header() + "\n" + s.list.View())
}

func (s *Screen) name() string {
	if !s.checked {
		return "Validate"
	}
	return engine.Summarize(s.campaign).Title()
}

// headerHeight returns the number of lines above the list.
func (s *Screen) headerHeight() int { return len(s.headerLines()) + 1 }

func (s *Screen) header() string { return strings.Join(s.headerLines(), "\n") + "\n" }

func (s *Screen) headerLines() []string {
	var lines []string
	add := func(style lipgloss.Style, text string) {
		lines = append(lines, widget.WrapStyled(style, text, s.width-4)...)
	}
	verdict, style := s.invalidText()+": "+problems.Count(s.errors, schema.Error), s.theme.Danger
	switch {
	case s.outcome.Valid:
		verdict, style = s.validText(), s.theme.Success
	case s.errors == 0: // a service may refuse without a reason
		verdict = s.invalidText() + ". The service doesn't say why."
	}
	if s.notices > 0 {
		if s.errors == 0 {
			verdict += " There " + noticesText(s.notices)
		} else {
			verdict += ", " + problems.Count(s.notices, schema.Notice)
		}
	}
	add(style, verdict)
	if text, style := s.warningsText(); text != "" {
		add(style, text)
	}
	if s.outcome.Valid {
		add(s.theme.Muted, s.nextSteps())
	}
	return lines
}

// warningsText describes the warnings, or what keeps them from being shown.
func (s *Screen) warningsText() (string, lipgloss.Style) {
	w := s.warnings
	switch {
	case s.Running(taskOnline) && w.progress.canceled:
		return "Canceling…", s.theme.Muted
	case s.Running(taskOnline) && w.progress.of > 0:
		return fmt.Sprintf("Checking links and images: %d of %d. Press X to cancel.", w.progress.done, w.progress.of), s.theme.Info
	case s.Running(taskOnline):
		return "Checking links and images… Press X to cancel.", s.theme.Info
	case s.Running(taskWarnings) && !w.known:
		return "Looking for warnings…", s.theme.Muted
	case w.failed != nil:
		return "Couldn't look for warnings: " + widget.Clean(w.failed.Error()), s.theme.Warning
	}
	n := w.result.Summary()
	if n == "" {
		return "", s.theme.Text
	}
	return "Also worth a look: " + n + ".", s.theme.Warning
}

// validText returns the headline of a valid campaign: a draft can be published, others show their state.
func (s *Screen) validText() string {
	switch {
	case s.campaign.Status == catalog.Draft:
		return "Ready to publish."
	case s.pending:
		return "No problems found. Your changes can be applied."
	}
	return "No problems found. This campaign is " + s.state() + "."
}

// invalidText returns the headline of an invalid campaign.
func (s *Screen) invalidText() string {
	switch {
	case s.campaign.Status == catalog.Draft:
		return "Not ready to publish"
	case s.pending:
		return "Your changes cannot be applied yet"
	}
	return "This campaign is " + s.state() + " and has problems"
}

func noticesText(n int) string {
	if n == 1 {
		return "is 1 notice."
	}
	return "are " + problems.Count(n, schema.Notice) + "."
}

// emptyText is shown instead of an empty list.
func (s *Screen) emptyText() string {
	switch {
	case s.failed != nil:
		return s.theme.Danger.Render("Couldn't check this campaign.") + "\n\n" +
			widget.CleanLines(phrase.Capitalize(s.failed.Error())) + "\n\nPress r to try again or esc to go back."
	case !s.checked:
		return "Checking the campaign…"
	case !s.outcome.Valid: // a service may refuse without a reason
		return s.theme.Danger.Render(s.invalidText()+".") + "\n\nThe service doesn't say why. Press r to check again."
	}
	out := s.theme.Success.Render("✓ "+s.validText()) + "\n\n" + strings.ReplaceAll(s.nextSteps(), " · ", "\n")
	text, style := s.warningsText()
	if text == "" && s.warnings.known && s.campaign.Channel.Writable() {
		text, style = "No warnings.", s.theme.Muted
	}
	for _, line := range append([]string{text}, s.warnings.result.NotChecked()...) {
		if line == "" {
			continue
		}
		out += "\n"
		out += "\n" + strings.Join(widget.WrapStyled(style, line, s.width-6), "\n")
		style = s.theme.Muted
	}
	return out
}

// nextSteps describes what to do with a valid campaign.
func (s *Screen) nextSteps() string {
	steps := []string{}
	if s.testDisabledReason() == "" {
		steps = append(steps, "t sends a test")
	}
	if s.campaign.Status == catalog.Draft {
		steps = append(steps, "s publishes it")
	} else {
		steps = append(steps, "s changes its status")
	}
	return strings.Join(append(steps, "b opens it in the builder"), " · ")
}

func (s *Screen) state() string { return widget.Clean(s.campaign.Status.Label()) }

package validate

import (
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/schema"
	"bugle/themes"
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

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.list.SetTheme(t)
	s.pager.SetTheme(t)
	s.SetSize(s.width, s.height)
}

// View draws the header and the list of problems, or a text if there are none.
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
	verdict, style := s.invalidText()+": "+problems.Count(s.errors, schema.Error), s.theme.Danger
	if s.errors == 0 {
		verdict, style = s.validText(), s.theme.Success
	}
	if s.notices > 0 {
		if s.errors == 0 {
			verdict += " There " + noticesText(s.notices)
		} else {
			verdict += ", " + problems.Count(s.notices, schema.Notice)
		}
	}
	var lines []string
	for _, l := range widget.Wrap(verdict, max(s.width-4, 1)) {
		lines = append(lines, style.Render(l))
	}
	if s.errors == 0 {
		for _, l := range widget.Wrap(s.nextSteps(), max(s.width-4, 1)) {
			lines = append(lines, s.theme.Muted.Render(l))
		}
	}
	return lines
}

// validText returns the headline of a valid campaign: a draft can be published, others show their state.
func (s *Screen) validText() string {
	if s.campaign.Status == catalog.Draft {
		return "Ready to publish."
	}
	return "No problems found. This campaign is " + s.state() + "."
}

// invalidText returns the headline of an invalid campaign.
func (s *Screen) invalidText() string {
	if s.campaign.Status == catalog.Draft {
		return "Not ready to publish"
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
			widget.CleanLines(problems.Sentence(s.failed.Error())) + "\n\nPress r to try again or esc to go back."
	case !s.checked:
		return "Checking the campaign…"
	case !s.outcome.Valid: // a service may refuse without a reason
		return s.theme.Danger.Render(s.invalidText()+".") + "\n\nThe service doesn't say why. Press r to check again."
	}
	return s.theme.Success.Render("✓ "+s.validText()) + "\n\n" + strings.ReplaceAll(s.nextSteps(), " · ", "\n")
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

package workspace

import (
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/filters"
	"bugle/ui/panes"
	"bugle/ui/widget"
)

// cells returns the row of a user in the table.
func (p user) cells() widget.Cells {
	mark := widget.Cell{Text: "✓", Tone: themes.ToneSuccess}
	switch {
	case !p.known:
		mark = widget.Cell{}
	case !p.matches:
		mark = widget.Cell{Text: "✗", Tone: themes.ToneWarning}
	}
	mail, _ := p.Attributes[engine.AttrEmail].(string)
	return widget.Cells{mark, {Text: p.ID}, {Text: p.DisplayName()}, {Text: mail, Tone: themes.ToneMuted}}
}

// SetSize divides the screen.
func (s *Audience) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.layout()
}

func (s *Audience) layout() {
	w, h := s.panes.Size(paneUsers)
	s.users.SetSize(w, max(h-len(s.header()), 1))
	s.pager.SetSize(s.panes.Size(paneWhy))
}

// header returns the lines above the users: the filters in words, how many can be reached, the search.
func (s *Audience) header() []string {
	w, _ := s.panes.Size(paneUsers)
	var out []string
	words := audience.Describe(s.filters, nil, audience.Env{})
	for i, l := range widget.Wrap(widget.Clean(words), w) {
		if i == 2 {
			break
		}
		out = append(out, s.theme.Text.Render(l))
	}
	if s.loaded && s.failed == nil && s.reader != nil {
		out = append(out, s.theme.Muted.Render(widget.Truncate(s.countText(), w)))
	}
	if line := s.users.FilterLines(); len(line) > 0 {
		return append(out, line...)
	}
	return append(out, "")
}

func (s *Audience) countText() string {
	return fmt.Sprintf("%s of %s · %s by email, %s by push", phrase.Thousands(s.count.Matched), phrase.Thousands(s.count.Total), phrase.Thousands(s.count.Reach.Email), phrase.Thousands(s.count.Reach.Push))
}

// View draws the users and the explanation for the selected one, or one of both.
func (s *Audience) View() string {
	s.layout()
	s.draw()
	return s.panes.View(func(pane int) panes.Content {
		if pane == paneWhy {
			return panes.Content{Title: "Why", Body: s.pager.View()}
		}
		c := panes.Content{Title: "In"}
		if s.searched != "" {
			c.Title = "Found"
		}
		if n := s.users.Len(); n > 0 {
			c.Info = fmt.Sprintf("%d of %s", s.users.Index()+1, recordCount(n, s.searched == "" && s.count.Matched > n))
		}
		s.users.Empty, s.users.Focused = s.emptyText(), s.panes.Focused() == paneUsers
		c.Body = strings.Join(append(s.header(), s.users.View()), "\n")
		return c
	})
}

func (s *Audience) emptyText() string {
	switch {
	case s.reader == nil:
		return filters.UnsupportedText
	case s.failed != nil:
		return "Cannot load the audience: " + phrase.Sentence(s.failed.Error()) + "\nPress r to try again."
	case !s.loaded:
		return "Counting…"
	case s.searched != "":
		return "No user matches this search. Press esc to clear it."
	}
	return "Nobody matches. Press / to find a user and see why they are not included."
}

// draw renders the explanation for the selected user.
func (s *Audience) draw() {
	p, ok := s.users.Selected()
	if !ok || s.explanation.id != p.ID {
		s.pager.SetText("")
		return
	}
	w, _ := s.panes.Size(paneWhy)
	head, tone := p.DisplayName()+" is not included:", themes.ToneWarning
	if s.explanation.result.Matched {
		head, tone = p.DisplayName()+" is included:", themes.ToneSuccess
	}
	lines := widget.WrapStyled(s.theme.Tone(tone), head, w)
	for _, r := range s.explanation.result.Decisive() {
		lines = append(lines, resultLines(s.theme, r, w)...)
	}
	if len(s.explanation.result.Children) > 0 {
		lines = append(lines, "", s.theme.Header.Render("All filters"))
		lines = append(lines, treeLines(s.theme, s.explanation.result.Children, w, 0)...)
	}
	s.pager.SetStyled(strings.Join(lines, "\n"))
}

func resultLines(t *themes.Theme, r engine.AudienceResult, w int) []string {
	if r.Words == "" {
		return nil
	}
	out := widget.WrapIndented(t.Tone(themes.ToneText), r.Words, w, 2)
	if r.Found != "" {
		out = append(out, widget.WrapIndented(t.Tone(themes.ToneMuted), "→ "+r.Found, w, 4)...)
	}
	return out
}

// treeLines renders the nested filters with their results.
func treeLines(t *themes.Theme, rs []engine.AudienceResult, w, indent int) []string {
	var out []string
	for _, r := range rs {
		mark, tone := "✓ ", themes.ToneSuccess
		if !r.Matched {
			mark, tone = "✗ ", themes.ToneWarning
		}
		words := r.Words
		switch {
		case words == "" && r.Excludes:
			words = "excluded by:"
		case words == "" && r.Any:
			words = "any of:"
		case words == "":
			words = "all of:"
		}
		for i, l := range widget.Wrap(widget.Clean(words), max(w-indent-2, 1)) {
			if i > 0 {
				mark = "  "
			}
			out = append(out, strings.Repeat(" ", indent)+t.Paint(tone, mark)+t.Text.Render(l))
		}
		if r.Found != "" {
			out = append(out, widget.WrapIndented(t.Tone(themes.ToneFaint), r.Found, w, indent+2)...)
		}
		out = append(out, treeLines(t, r.Children, w, indent+2)...)
	}
	return out
}

package workspace

import (
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/widget"
)

// userRows are the rows of the table.
type userRows []user

func (r userRows) Len() int { return len(r) }

func (r userRows) Row(i int) widget.Cells {
	p := r[i]
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

func (s *Audience) showsBoth() bool { return s.width >= bothMinWidth }

func (s *Audience) tableWidth() int {
	if s.showsBoth() {
		return s.width / 2
	}
	return s.width
}

// SetSize divides the screen.
func (s *Audience) SetSize(width, height int) {
	s.width, s.height = width, height
	s.layout()
}

func (s *Audience) layout() {
	w := max(s.tableWidth()-4, 1)
	s.filter.SetSize(w, 1)
	s.table.SetSize(w, max(s.height-2-len(s.header()), 1))
	if s.showsBoth() {
		w = max(s.width-s.tableWidth()-4, 1)
	}
	s.pager.SetSize(w, max(s.height-2, 1))
}

// header returns the lines above the users: the filters in words, how many can be reached, the search.
func (s *Audience) header() []string {
	w := max(s.tableWidth()-4, 1)
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
	if s.focus == paneFilter || s.filter.Value() != "" {
		return append(out, s.filter.View())
	}
	return append(out, "")
}

func (s *Audience) countText() string {
	return fmt.Sprintf("%s of %s · %s by email, %s by push", phrase.Thousands(s.count.Matched), phrase.Thousands(s.count.Total), phrase.Thousands(s.count.Reach.Email), phrase.Thousands(s.count.Reach.Push))
}

// View draws the users and the explanation for the selected one, or one of both.
func (s *Audience) View() string {
	if s.width == 0 || s.height == 0 {
		return ""
	}
	s.layout()
	s.draw()
	switch {
	case s.showsBoth():
		return widget.JoinHorizontal(s.usersView(), s.explanationView(s.width-s.tableWidth()))
	case s.focus == paneReport:
		return s.explanationView(s.width)
	}
	return s.usersView()
}

func (s *Audience) usersView() string {
	title := "In"
	if s.searched != "" {
		title = "Found"
	}
	panel := widget.NewPanel(s.theme, title)
	panel.Focused = s.focus != paneReport
	if len(s.users) > 0 {
		panel.Info = fmt.Sprintf("%d of %s", s.table.Cursor+1, recordCount(len(s.users), s.searched == "" && s.count.Matched > len(s.users)))
	}
	panel.SetSize(s.tableWidth(), s.height)
	s.table.Empty = s.emptyText()
	return panel.View(strings.Join(append(s.header(), s.table.View()), "\n"))
}

func (s *Audience) emptyText() string {
	switch {
	case s.reader == nil:
		return unsupportedText
	case s.failed != nil:
		return "Cannot load the audience: " + phrase.Sentence(s.failed.Error()) + "\nPress r to try again."
	case !s.loaded:
		return "Counting…"
	case s.searched != "":
		return "No user matches this search. Press esc to clear it."
	}
	return "Nobody matches. Press / to find a user and see why they are not included."
}

func (s *Audience) explanationView(width int) string {
	panel := widget.NewPanel(s.theme, "Why")
	panel.Focused = s.focus == paneReport
	panel.SetSize(width, s.height)
	return panel.View(s.pager.View())
}

// draw renders the explanation for the selected user.
func (s *Audience) draw() {
	p, ok := s.selected()
	if !ok || s.explanation.id != p.ID {
		s.pager.SetText("")
		return
	}
	w := max(s.width-4, 1)
	if s.showsBoth() {
		w = max(s.width-s.tableWidth()-4, 1)
	}
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

package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/editpane"
	"bugle/ui/panes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// sideView is what the pane beside the form shows.
type sideView uint8

const (
	sidePanel    sideView = iota // what the section is about: the message, the audience, the next sends, the links
	sideProblems                 // all problems and warnings
	sideJSON                     // the section as the service gets it
)

// side is the pane beside the form.
type side struct {
	editpane.Side // with the panel of the section

	edit     *edit.Session
	warnings *warner

	chosen   sideView
	problems *problems.View
	json     widget.JSONView
	text     string // of the JSON, to keep its position while nothing changes
}

func newSide(e *edit.Session, w *warner, t *themes.Theme) side {
	return side{edit: e, warnings: w, problems: problems.New(t), json: widget.NewJSONView(t)}
}

func (s *side) setSize(width, height int) {
	s.json.SetSize(width, height)
	s.problems.SetSize(width, height)
	s.Side.SetSize(width, height)
}

// showProblems lists the problems and warnings of the document.
func (s *side) showProblems() {
	s.problems.Empty = "No problems."
	if s.edit.Head().Status == catalog.Draft {
		s.problems.Empty += "\nPress v to validate, t to send a test."
	}
	s.problems.Set(s.edit.Head().Channel, s.edit.Problems())
	s.problems.SetWarnings(check.Result{Findings: s.warnings.result.Findings})
}

// selectedProblem returns the place of the problem or warning under the cursor.
func (s *side) selectedProblem() (doc.Path, bool) {
	if s.shows() != sideProblems {
		return nil, false
	}
	return s.problems.Place()
}

// showJSON shows the section of a place as JSON, with the value of the focused field marked.
func (s *side) showJSON(place doc.Path, field *schema.FieldState) {
	section := s.edit.Root().Lookup(place[:1])
	text := "{}"
	if section.Exists() {
		text = string(section.Indent())
	}
	if text != s.text {
		s.text = text
		s.json.SetText(text)
	}
	from, to := 0, 0
	if field != nil && field.Value.Exists() && field.Path.HasPrefix(place[:1]) {
		from, to = lineRange(section, field.Path[1:])
	}
	s.json.Mark(from, to)
	if to > 0 {
		s.json.GoTo(from)
	}
}

// lineRange returns the lines, counted from 0, of the value at p in the formatted text of v: the first one and
// the one after the last. It returns 0, 0 if there is no such value.
func lineRange(v doc.Value, p doc.Path) (from, to int) {
	line := 0
	for _, step := range p {
		line++ // the opening bracket
		found := false
		if step.IsIndex {
			for i, e := range v.Elems() {
				if found = i == step.Index; found {
					break
				}
				line += valueHeight(e)
			}
			v = v.At(step.Index)
		} else {
			for name, m := range v.Members() {
				if found = name == step.Name; found {
					break
				}
				line += valueHeight(m)
			}
			v = v.Get(step.Name)
		}
		if !found {
			return 0, 0
		}
	}
	return line, line + valueHeight(v)
}

func valueHeight(v doc.Value) int { return strings.Count(string(v.Indent()), "\n") + 1 }

// key passes a key to what is shown.
func (s *side) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case s.shows() == sideProblems:
		s.problems.Key(msg)
	case s.shows() == sideJSON:
		s.json.Update(msg)
	case s.Panel != nil:
		return s.Panel.Update(msg)
	}
	return nil
}

// mouse passes a mouse event to what is shown, and reports whether it hit a problem.
func (s *side) mouse(msg tea.MouseMsg) (cmd tea.Cmd, hit bool) {
	switch {
	case s.shows() == sideProblems:
		hit, _ = s.problems.Mouse(msg)
	case s.shows() == sideJSON:
		s.json.Mouse(msg)
	case s.Panel != nil:
		cmd = s.Panel.Update(msg)
	}
	return cmd, hit
}

// content draws what is shown.
func (s *side) content(focused bool) panes.Content {
	switch {
	case s.shows() == sideProblems:
		s.problems.Focused = focused
		c := panes.Content{Title: "Problems", Body: s.problems.View()}
		if n := s.warnings.count(); n > 0 {
			c.Info = phrase.Count(n, "warning")
		}
		return c
	case s.shows() == sideJSON:
		return panes.Content{Title: "JSON", Body: s.json.View()}
	case s.Panel == nil:
		return panes.Content{}
	}
	c := panes.Content{Title: s.Panel.Title(), Body: s.Panel.View()}
	if n, ok := s.Panel.(interface{ Note() string }); ok {
		c.Info = n.Note()
	}
	return c
}

// shows returns what is shown: while there is no message yet, the problems in place of an empty preview.
func (s *side) shows() sideView {
	if p, ok := s.Panel.(*previewPanel); ok && s.chosen == sidePanel && p.empty() && errorCount(s.edit) > 0 {
		return sideProblems
	}
	return s.chosen
}

// inPanel reports whether the panel of the section is shown.
func (s *side) inPanel() bool { return s.shows() == sidePanel && s.Panel != nil }

// toDo returns what is left to do before the campaign can be published, or how many warnings there are.
func (s *side) toDo() (text string, tone themes.Tone) {
	errors, warnings := errorCount(s.edit), s.warnings.count()
	switch {
	case errors > 0:
		return phrase.Thousands(errors) + " to do", themes.ToneWarning
	case warnings > 0:
		return phrase.Count(warnings, "warning"), themes.ToneWarning
	case s.edit.Head().Status == catalog.Draft:
		return "no problems", themes.ToneSuccess
	}
	return "", themes.ToneSuccess
}

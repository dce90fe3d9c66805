package builder

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// editField opens the focused field in the person's editor: a text as it is, anything else as
// JSON.
func (s *Screen) editField() tea.Cmd {
	f, ok := s.form.Focused()
	if !ok {
		return screen.Notify(widget.LevelInfo, "There is no field here to edit.")
	}
	if f.Node != nil && (f.Node.Kind == schema.String || f.Node.Kind == schema.Time) && (f.Value.Kind() == doc.String || !f.Value.Exists()) {
		return s.editText(f)
	}
	return s.editJSON(f.Path)
}

func (s *Screen) editText(f schema.FieldState) tea.Cmd {
	suffix := ".txt"
	if f.Node.Long {
		suffix = ".html"
	}
	return screen.Send(screen.EditMsg{Text: f.Value.Text(), Suffix: suffix, Then: func(text string, changed bool) tea.Cmd {
		if !changed {
			return nil
		}
		return s.put(f.Path, doc.NewString(text))
	}})
}

// editPart opens the chosen component as JSON.
func (s *Screen) editPart() tea.Cmd {
	if len(s.path) == 0 {
		return nil
	}
	return s.editJSON(s.path[:1])
}

func (s *Screen) editJSON(p doc.Path) tea.Cmd {
	text := string(s.root.Lookup(p).Indent())
	if text == "" {
		text = "{}"
	}
	return s.editJSONText(p, text, text)
}

// editJSONText opens text for what is at p; before is what the document has there. A text that
// does not parse is offered again, so that nothing typed is lost.
func (s *Screen) editJSONText(p doc.Path, text, before string) tea.Cmd {
	return screen.Send(screen.EditMsg{Text: text, Suffix: ".json", Then: func(after string, _ bool) tea.Cmd {
		if after == before {
			return nil
		}
		v, err := doc.Parse([]byte(after))
		if err == nil {
			return s.put(p, v)
		}
		return screen.Ask(screen.Question{
			Title:   "This is not JSON yet",
			Body:    err.Error() + "\n\nGo on editing your text, or leave the campaign as it was?",
			Buttons: []widget.Button{{Label: "Go on editing", Key: "e"}, {Label: "Drop my text", Key: "d", Danger: true}},
			Then: func(a widget.Answer) tea.Cmd {
				if a.Index == 1 {
					return nil
				}
				return s.editJSONText(p, after, before)
			},
		})
	}})
}

// put writes a value and shows it.
func (s *Screen) put(p doc.Path, v doc.Value) tea.Cmd {
	root, err := s.root.Set(p, v)
	if err != nil {
		return screen.Notify(widget.LevelError, "This cannot be changed here: "+err.Error())
	}
	cmd := s.change(root, "")
	s.reload()
	return cmd
}

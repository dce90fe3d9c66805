package builder

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// editText opens what the form asks for in the person's editor. A text that does not parse is
// offered again.
func (s *Screen) editText(m forms.EditMsg) tea.Cmd {
	if m.JSON {
		return s.editJSONText(m.Path, m.Text, m.Text)
	}
	suffix := ".txt"
	if n := s.schema.At(m.Path); n != nil && n.Long {
		suffix = ".html"
	}
	return screen.Send(screen.EditMsg{Text: m.Text, Suffix: suffix, Then: func(text string, changed bool) tea.Cmd {
		if !changed || s.form == nil {
			return nil
		}
		if f, ok := s.form.(interface {
			SetText(doc.Path, string, bool) error
		}); !ok {
			return s.put(m.Path, doc.NewString(text))
		} else if err := f.SetText(m.Path, text, false); err != nil {
			return screen.Notify(widget.LevelError, err.Error())
		}
		return s.fromForm(nil)
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

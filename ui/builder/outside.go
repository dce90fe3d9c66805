package builder

import (
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
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
	if n := s.edit.Schema().At(m.Path); n != nil && n.Long {
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
		return s.fromPaste(nil)
	}})
}

// editPart opens the chosen component as JSON.
func (s *Screen) editPart() tea.Cmd {
	if len(s.path) == 0 {
		return nil
	}
	return s.editJSON(s.path[:1])
}

// editAll opens all components as one JSON document.
func (s *Screen) editAll() tea.Cmd {
	return s.editJSONText(nil, string(s.edit.Body().Indent()), string(s.edit.Body().Indent()))
}

func (s *Screen) editJSON(p doc.Path) tea.Cmd {
	text := string(s.edit.Root().Lookup(p).Indent())
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
		v, err := s.parseJSON(p, after)
		if err == nil {
			err = s.refusal(p, v)
		}
		if err == nil {
			return s.put(p, v)
		}
		return screen.Ask(screen.Question{
			Title:   "This is not valid yet",
			Body:    capital(err.Error()) + "\n\nKeep editing, or discard your text?",
			Buttons: []widget.Button{{Label: "Keep editing", Key: "e"}, {Label: "Discard", Key: "d", Danger: true}},
			Then: func(a widget.Answer) tea.Cmd {
				if a.Index == 1 {
					return nil
				}
				return s.editJSONText(p, after, before)
			},
		})
	}})
}

// parseJSON reads what the editor left for the place p: of the whole campaign, where p is empty, its
// components, with the head that it has.
func (s *Screen) parseJSON(p doc.Path, text string) (doc.Value, error) {
	v, err := doc.Parse([]byte(text))
	if err != nil || len(p) > 0 {
		return v, err
	}
	if v.Kind() != doc.Object {
		return v, fmt.Errorf("a campaign must be a JSON object, { … }, not a %s", v.Kind())
	}
	for name := range v.Members() {
		if engine.IsHeadField(name) {
			return v, fmt.Errorf("%s is set by the service and cannot be edited here. Remove it", name)
		}
	}
	return s.edit.Current().With(v).Document(), nil
}

// refusal says why the value at p cannot become v.
func (s *Screen) refusal(p doc.Path, v doc.Value) error {
	root, err := s.edit.Root().Set(p, v)
	if err != nil {
		return err
	}
	if why := s.edit.Locked(root); why != "" {
		paths := catalog.LockedChanges(s.edit.Head().Status, s.edit.Root(), root)
		for i, at := range paths {
			if i == 0 {
				why += " It is about "
			} else {
				why += ", "
			}
			why += s.where(at)
		}
		if len(paths) > 0 {
			why += "."
		}
		return errors.New(why)
	}
	return nil
}

// put writes a value and shows it.
func (s *Screen) put(p doc.Path, v doc.Value) tea.Cmd {
	root, err := s.edit.Root().Set(p, v)
	if err != nil {
		return screen.Notify(widget.LevelError, "Cannot change this here: "+err.Error())
	}
	cmd := s.change(root, "")
	s.reload()
	return cmd
}

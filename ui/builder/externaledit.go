package builder

import (
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// editText opens a text of the form in the user's editor. If the result does not parse, it is opened again.
func (s *Screen) editText(m forms.OpenEditorMsg) tea.Cmd {
	if m.JSON {
		return editJSON(s.edit, m.Path, m.Text, m.Text, s.setValue)
	}
	return screen.Send(screen.OpenEditorMsg{Text: m.Text, Suffix: textSuffix(s.edit.Schema(), m.Path, m.Text), Then: func(text string, changed bool) tea.Cmd {
		if !changed || s.host.editor == nil {
			return nil
		}
		if f, ok := s.host.editor.(interface {
			SetText(doc.Path, string, bool) error
		}); !ok {
			return s.setValue(m.Path, doc.NewString(text))
		} else if err := f.SetText(m.Path, text, false); err != nil {
			return screen.Notify(widget.LevelError, err.Error())
		}
		return s.adopt(nil, true)
	}})
}

// editJSON opens text in the user's editor and stores the result at p; before is the current value. If the
// result does not parse, it is opened again, so that nothing typed is lost.
func editJSON(e *edit.Session, p doc.Path, text, before string, put func(doc.Path, doc.Value) tea.Cmd) tea.Cmd {
	return screen.Send(screen.OpenEditorMsg{Text: text, Suffix: ".json", Then: func(after string, _ bool) tea.Cmd {
		if after == before {
			return nil
		}
		v, err := parseJSON(e, p, after)
		if err == nil {
			err = rejectionReason(e, p, v)
		}
		if err == nil {
			return put(p, v)
		}
		return screen.Ask(screen.Question{
			Title:   "The JSON of " + status.Name(engine.Summarize(e.Campaign())) + " is not valid yet",
			Body:    phrase.Capitalize(err.Error()) + "\n\nKeep editing, or discard your text?",
			Buttons: []widget.Button{{Label: "Keep editing", Key: "e"}, {Label: "Discard", Key: "d", Danger: true}},
			Then: func(a widget.Answer) tea.Cmd {
				if a.Index == 1 {
					return nil
				}
				return editJSON(e, p, after, before, put)
			},
		})
	}})
}

// jsonAt returns the JSON of the value at p; if p is empty, of all sections.
func jsonAt(e *edit.Session, p doc.Path) string {
	if len(p) == 0 {
		return string(e.Body().Indent())
	}
	if v := e.Root().Lookup(p); v.Exists() {
		return string(v.Indent())
	}
	return "{}"
}

// parseJSON parses the edited text of the place p; if p is empty, of the whole body, keeping its head.
func parseJSON(e *edit.Session, p doc.Path, text string) (doc.Value, error) {
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
	return e.Campaign().With(v).Document(), nil
}

// rejectionReason returns why the value at p cannot be changed to v.
func rejectionReason(e *edit.Session, p doc.Path, v doc.Value) error {
	root, err := e.Root().Set(p, v)
	if err != nil {
		return err
	}
	if why := e.Locked(root); why != "" {
		paths := catalog.LockedChanges(e.Head().Status, e.Root(), root)
		for i, at := range paths {
			if i == 0 {
				why += " It is about "
			} else {
				why += ", "
			}
			why += edit.PlaceName(e.Schema(), at)
		}
		if len(paths) > 0 {
			why += "."
		}
		return errors.New(why)
	}
	return nil
}

// setValue writes a value and shows it.
func (s *Screen) setValue(p doc.Path, v doc.Value) tea.Cmd {
	root, err := s.edit.Root().Set(p, v)
	if err != nil {
		return screen.Notify(widget.LevelError, "Cannot change this here: "+err.Error())
	}
	cmd := s.change(root, "")
	s.reload()
	return cmd
}

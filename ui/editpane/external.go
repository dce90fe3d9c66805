package editpane

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// EditOutside opens a text or a value of the open form in the user's editor, and then runs one of two functions:
// edited, if the form has a new text that was not typed key by key, or put with a value that the document can have at
// the place.
func (p *Pane) EditOutside(m forms.OpenEditorMsg, edited func() tea.Cmd, put func(doc.Path, doc.Value) tea.Cmd) tea.Cmd {
	if m.JSON {
		return p.editJSON(m.Path, m.Text, m.Text, put)
	}
	suffix := TextSuffix(p.document.Schema().At(m.Path), m.Text)
	return screen.Send(screen.OpenEditorMsg{Text: m.Text, Suffix: suffix, Then: func(text string, changed bool) tea.Cmd {
		form, ok := p.Editor.(textSetter)
		switch {
		case !changed || p.Editor == nil:
			return nil
		case !ok:
			return put(m.Path, doc.NewString(text))
		}
		if err := form.SetText(m.Path, text, false); err != nil {
			return screen.Notify(widget.LevelError, phrase.Sentence(err.Error()))
		}
		return edited()
	}})
}

// textSetter is an editor in which the text of a field can be replaced.
type textSetter interface {
	SetText(p doc.Path, text string, asJSON bool) error
}

// EditJSON opens the value at a place as JSON in the user's editor, without a place all of the document, and passes the
// result to put. If it is not valid, it is opened again, so that nothing typed is lost.
func (p *Pane) EditJSON(at doc.Path, put func(doc.Path, doc.Value) tea.Cmd) tea.Cmd {
	text := p.document.JSON(at)
	return p.editJSON(at, text, text, put)
}

func (p *Pane) editJSON(at doc.Path, text, before string, put func(doc.Path, doc.Value) tea.Cmd) tea.Cmd {
	return screen.Send(screen.OpenEditorMsg{Text: text, Suffix: ".json", Then: func(after string, _ bool) tea.Cmd {
		if after == before {
			return nil
		}
		v, err := doc.Parse([]byte(after))
		if err == nil {
			_, err = p.document.With(at, v)
		}
		if err == nil {
			return put(at, v)
		}
		return screen.Ask(screen.Question{
			Title:   "The JSON of " + p.document.Name() + " is not valid yet",
			Body:    phrase.Capitalize(err.Error()) + "\n\nKeep editing, or discard your text?",
			Buttons: []widget.Button{{Label: "Keep editing", Key: "e"}, {Label: "Discard", Key: "d", Danger: true}},
			Then: func(a widget.Answer) tea.Cmd {
				if a.Index == 1 {
					return nil
				}
				return p.editJSON(at, after, before, put)
			},
		})
	}})
}

// TextSuffix returns the file name suffix of the text of a field.
func TextSuffix(n *schema.Node, text string) string {
	switch {
	case mjml.InField(n) && mjml.IsSource(text):
		return ".mjml"
	case n != nil && n.Long:
		return ".html"
	}
	return ".txt"
}

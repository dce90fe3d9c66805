package editpane

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// editOutside opens a text or a value of the document in the user's editor. [Pane.Edits] then returns the result.
func (p *Pane) editOutside(m forms.OpenEditorMsg) tea.Cmd {
	if m.JSON {
		return p.editJSON(m.Path, m.Text, m.Text)
	}
	suffix := TextSuffix(p.document.Schema().At(m.Path), m.Text)
	return screen.Send(screen.OpenEditorMsg{Text: m.Text, Suffix: suffix, Then: func(text string, changed bool) tea.Cmd {
		if !changed {
			return nil
		}
		if !strings.HasSuffix(m.Text, "\n") {
			text = strings.TrimSuffix(text, "\n") // editors end a file with a newline
		}
		adopt, err := p.put(m.Path, doc.NewString(text))
		if err != nil {
			return screen.Notify(widget.LevelError, phrase.Sentence(err.Error()))
		}
		return adopt
	}})
}

const taskAdopt = "adopt"

// put adopts a value from outside the editor; an empty text removes the value.
func (p *Pane) put(at doc.Path, v doc.Value) (tea.Cmd, error) {
	root, err := p.document.With(at, v)
	if err != nil {
		return nil, err
	}
	if v.Kind() == doc.String && v.Text() == "" {
		root = root.Delete(at)
	}
	done := func(context.Context) (doc.Value, error) { return root, nil }
	return screen.Go(p.tasks, taskAdopt, done, func(root doc.Value, _ error) tea.Cmd {
		p.outside, p.alone = root, true
		return nil
	}), nil
}

// EditJSON opens the value at a place as JSON in the user's editor, without a place all of the document. [Pane.Edits] then
// returns the result. If that is not valid, it is opened again, so that nothing typed is lost.
func (p *Pane) EditJSON(at doc.Path) tea.Cmd {
	text := p.document.JSON(at)
	return p.editJSON(at, text, text)
}

func (p *Pane) editJSON(at doc.Path, text, before string) tea.Cmd {
	return screen.Send(screen.OpenEditorMsg{Text: text, Suffix: ".json", Then: func(after string, _ bool) tea.Cmd {
		if after == before {
			return nil
		}
		v, err := doc.Parse([]byte(after))
		if err == nil {
			var adopt tea.Cmd
			if adopt, err = p.put(at, v); err == nil {
				return adopt
			}
		}
		return screen.Ask(screen.Question{
			Title:   "The JSON of " + p.document.Name() + " is not valid yet",
			Body:    phrase.Capitalize(err.Error()) + "\n\nKeep editing, or discard your text?",
			Buttons: []widget.Option{{Label: "Keep editing", Key: "e"}, {Label: "Discard", Key: "d"}},
			Then: func(a widget.Answer) tea.Cmd {
				if a.Index == 1 {
					return nil
				}
				return p.editJSON(at, after, before)
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

package workspace

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// editText opens a text that the form requests in the user's editor.
func (f *form) editText(m forms.OpenEditorMsg) tea.Cmd {
	if m.JSON {
		return f.editJSON(m.Path, m.Text, m.Text)
	}
	suffix := ".txt"
	if n := f.draft.Schema().At(m.Path); n != nil && n.Long {
		suffix = ".html"
	}
	return screen.Send(screen.OpenEditorMsg{Text: m.Text, Suffix: suffix, Then: func(text string, changed bool) tea.Cmd {
		plain, ok := f.editor.(*forms.Form)
		if !changed || !ok {
			return nil
		}
		if err := plain.SetText(m.Path, text, false); err != nil {
			return errorNotice(err)
		}
		f.adopt(true)
		return f.afterExternal()
	}})
}

// editAll opens the record as JSON.
func (f *form) editAll() tea.Cmd {
	text := string(f.draft.withoutEmptyGroups().Indent())
	return f.editJSON(nil, text, text)
}

// editJSON opens text in the user's editor for the value at p. If the result is invalid, it is opened again, so
// that nothing typed is lost.
func (f *form) editJSON(p doc.Path, text, before string) tea.Cmd {
	return screen.Send(screen.OpenEditorMsg{Text: text, Suffix: ".json", Then: func(after string, _ bool) tea.Cmd {
		if strings.TrimSpace(after) == strings.TrimSpace(before) {
			return nil
		}
		v, err := doc.Parse([]byte(after))
		root := f.draft.Root()
		if err == nil {
			root, err = root.Set(p, v)
		}
		if err == nil && root.Kind() == doc.Object {
			f.draft.change(root, f.path, "")
			f.goTo(p)
			return f.afterExternal()
		}
		why := "A record must be a JSON object: { … }."
		if err != nil {
			why = phrase.Sentence(err.Error())
		}
		return screen.Ask(screen.Question{
			Title:   "This is not valid yet",
			Body:    why + "\n\nKeep editing, or discard your text?",
			Buttons: []widget.Button{{Label: "Keep editing", Key: "e"}, {Label: "Discard", Key: "d", Danger: true}},
			Then: func(a widget.Answer) tea.Cmd {
				if a.Index == 1 {
					return nil
				}
				return f.editJSON(p, after, before)
			},
		})
	}})
}

package builder

import (
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
	"bugle/ui/screen"
)

// FocusedField returns the field of the form that has the keyboard; false if there is none, or if a list is open in
// it.
func (s *Screen) FocusedField() (screen.Field, bool) {
	if !s.loaded || s.Covered() || s.panes.Focused() != paneForm || s.host.editor == nil || s.host.editor.Modal() {
		return screen.Field{}, false
	}
	f := s.host.focused()
	if f == nil || f.Node == nil || f.Response != nil {
		return screen.Field{}, false
	}
	form, p, before := s.host.path, f.Path, s.edit.Root().Lookup(f.Path)
	asJSON := before.Exists() && before.Kind() != doc.String || !before.Exists() && f.Node.Kind != schema.String
	text := before.Text()
	if source, ok := sourceOf(f.Node, text); ok {
		text = source
	}
	out := screen.Field{Name: edit.PlaceName(s.edit.Schema(), p), Path: p.String(), Text: text, Suffix: textSuffix(s.edit.Schema(), p, text), LockedReason: s.edit.LockedAt(p), Help: s.fieldHelp(p, f.Node)}
	if asJSON && before.Exists() {
		out.Text = string(before.Indent())
	}
	if asJSON {
		out.Suffix = ".json"
	}
	out.Set = func(text string) (tea.Cmd, error) {
		if now := s.edit.Root().Lookup(p); string(now.Encode()) != string(before.Encode()) {
			return nil, errors.New("the field was changed meanwhile, so its output was not used")
		}
		return s.setText(form, p, text, asJSON)
	}
	return out, true
}

// fieldHelp returns the documentation of a field, and what to do about its warnings.
func (s *Screen) fieldHelp(p doc.Path, n *schema.Node) []string {
	notes := s.edit.Schema().Notes(n)
	if f, ok := s.edit.Schema().Field(s.edit.Root(), p, s.edit.Env()); ok && f.Node == n {
		notes = s.edit.Schema().NotesOf(f)
	}
	if _, ok := sourceOf(n, s.edit.Root().Lookup(p).Text()); ok {
		notes = append([]string{"You are editing the MJML. The HTML that is compiled from it is in the preview."}, notes...)
	}
	for _, f := range s.warnings.at(p) {
		notes = append(notes, f.Text()+". "+f.Remedy)
	}
	return notes
}

// setText replaces the value at p as one edit. form is the path of the form that shows it.
func (s *Screen) setText(form, p doc.Path, text string, asJSON bool) (tea.Cmd, error) {
	editor, ok := s.host.editor.(interface {
		SetText(doc.Path, string, bool) error
	})
	if ok && s.host.path.Equal(form) {
		if err := editor.SetText(p, text, asJSON); err != nil {
			return nil, err
		}
		return tea.Batch(s.adopt(nil, true), s.fulfill()), nil
	}
	v := doc.NewString(text)
	if asJSON {
		parsed, err := doc.Parse([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("invalid JSON, not applied: %w", err)
		}
		v = parsed
	}
	if err := rejectionReason(s.edit, p, v); err != nil {
		return nil, err
	}
	return tea.Batch(s.setValue(p, v), s.fulfill()), nil
}

// textSuffix returns the file name suffix of a text.
func textSuffix(sch *schema.Schema, p doc.Path, text string) string {
	n := sch.At(p)
	switch {
	case mjml.InField(n) && mjml.IsSource(text):
		return ".mjml"
	case n != nil && n.Long:
		return ".html"
	}
	return ".txt"
}

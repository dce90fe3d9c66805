package editpane

import (
	"errors"
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/screen"
)

// Help describes the keys that the editor handles in the focused field, and returns the action that closes what is open in it.
// The first ones are in the status bar.
func (p *Pane) Help(group, moveGroup string) []screen.Action {
	rank := []int{10, 9, 7, 6, 5} // leaving, with priority 8, comes third
	bar := map[string]int{}
	for i, b := range p.Hints() {
		if i < len(rank) {
			bar[b.Help().Key] = rank[i]
		}
	}
	acts := BindingHelp(p.Bindings(), group, 0)
	for i, a := range acts {
		acts[i].BarPriority = bar[a.Keys[0]]
	}
	if form, ok := p.Editor.(*forms.Form); ok {
		for _, f := range form.TemplateHelp() {
			acts = append(acts, screen.Action{
				Keys: []string{f.Written()}, Label: f.Signature, Help: f.Entry(), Group: "Expressions (more: bugle help templates)", WhileTyping: true, HelpOnly: true,
			})
		}
	}
	if p.Modal() {
		acts = append(acts, screen.Action{
			Keys: []string{"esc"}, Label: "close", Help: "cancel and keep the field as it was", Group: moveGroup, BarPriority: 8, WhileTyping: true,
			Run: func() tea.Cmd { return p.Update(tea.KeyMsg{Type: tea.KeyEsc}) },
		})
	}
	return acts
}

// BindingHelp describes keys that are handled in Update, but for esc, which screens describe. The first three are in
// the status bar with priorities from bar on, unless bar is 0.
func BindingHelp(bindings []key.Binding, group string, bar int) []screen.Action {
	var acts []screen.Action
	for _, b := range bindings {
		h := b.Help()
		if h.Key == "esc" {
			continue
		}
		a := screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: group, WhileTyping: true, HelpOnly: true}
		if len(acts) < 3 && bar > 0 {
			a.BarPriority = bar - len(acts)
		}
		acts = append(acts, a)
	}
	return acts
}

// Field returns the focused field for commands and the help; false if there is none, or if a list is open in it.
func (p *Pane) Field() (screen.Field, bool) {
	f := p.FocusedField()
	if f == nil || p.Modal() || f.Node == nil || f.Response != nil {
		return screen.Field{}, false
	}
	at, s := f.Path, p.document.Schema()
	before := p.document.Root().Lookup(at)
	asJSON := before.Exists() && before.Kind() != doc.String || !before.Exists() && f.Node.Kind != schema.String
	text := before.Text()
	if source, ok := Source(f.Node, text); ok {
		text = source
	}
	out := screen.Field{Name: edit.PlaceName(s, at), Path: at.String(), Text: text, Suffix: TextSuffix(f.Node, text), Help: p.fieldHelp(*f)}
	if locked := p.document.Config().Locked; locked != nil {
		out.LockedReason = locked(at)
	}
	if asJSON && before.Exists() {
		out.Text = string(before.Indent())
	}
	if asJSON {
		out.Suffix = ".json"
	}
	out.Set = func(text string) (tea.Cmd, error) {
		if now := p.document.Root().Lookup(at); string(now.Encode()) != string(before.Encode()) {
			return nil, errors.New("the field was changed meanwhile, so its output was not used")
		}
		v := doc.NewString(text)
		if asJSON {
			parsed, err := doc.Parse([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("invalid JSON, not applied: %w", err)
			}
			v = parsed
		}
		return p.put(at, v)
	}
	return out, true
}

// fieldHelp returns the documentation of a field, and what to do about its warnings.
func (p *Pane) fieldHelp(f schema.FieldState) []string {
	s, d := p.document.Schema(), p.document
	notes := s.Notes(f.Node)
	if now, ok := s.Field(d.Root(), f.Path, d.Config().Env); ok && now.Node == f.Node {
		notes = s.NotesOf(now)
	}
	if _, ok := Source(f.Node, d.Root().Lookup(f.Path).Text()); ok {
		notes = append([]string{"You are editing the MJML. The HTML that is compiled from it is in the preview."}, notes...)
	}
	for _, w := range d.Warnings() {
		if w.Path.Equal(f.Path) {
			notes = append(notes, w.Text())
		}
	}
	return notes
}

// Source returns the MJML that the text of a field was compiled from.
func Source(n *schema.Node, text string) (string, bool) {
	if !mjml.InField(n) {
		return "", false
	}
	return mjml.Source(text)
}

// Package editpane edits a document place by place: it holds the editor of the open place, and knows which editor and which
// panel each place has.
package editpane

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Document is what is edited.
type Document interface {
	Root() doc.Value
	Schema() *schema.Schema
	Problems() []schema.Problem
	// Warnings are shown at the fields of forms, like problems.
	Warnings() []schema.Problem
	// Config returns the configuration of its editors but for place, size and host.
	Config() editor.Config
	// With returns the document with another value at a place, or why it cannot have it.
	With(p doc.Path, v doc.Value) (doc.Value, error)
	// JSON returns the value at a place; without a place, what the user may edit of the document.
	JSON(p doc.Path) string
	// Name is its name in questions.
	Name() string
}

// Pane edits a document. Nothing is open at first.
type Pane struct {
	editor.Editor // of the open place; nil if none is open

	document Document
	tools    Tools
	tasks    *screen.Base
	depth    int // of the outermost forms: 1 if these are the fields of the document

	path     doc.Path
	schema   *schema.Schema // that the editor was made for
	width    int
	height   int
	requests Requests
	outside  doc.Value // the document as it was edited outside the editor; absent if it was not
	alone    bool      // what was edited last was not typed key by key
}

// New returns a pane. The tasks of its editors are those of the screen. depth is the length of the paths of the
// outermost forms: 0 for the document itself, 1 for each of its fields.
func New(d Document, tools Tools, tasks *screen.Base, depth int) Pane {
	return Pane{document: d, tools: tools, tasks: tasks, depth: depth}
}

// Requests are what an editor or a panel has requested during Update.
type Requests struct {
	Open   doc.Path // nil if no place is to be opened
	Notice string
}

// Update passes a message to the editor. What it edits and requests is there afterwards: see [Pane.Edits] and
// [Pane.TakeRequests].
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case forms.OpenMsg:
		p.requests.Open = msg.Path
		return nil
	case forms.OpenEditorMsg:
		return p.editOutside(msg)
	}
	pressed, isKey := msg.(tea.KeyMsg)
	_, isMouse := msg.(tea.MouseMsg)
	p.alone = pressed.Paste || !isKey && !isMouse
	_, plain := p.Editor.(*forms.Form)
	cmd := p.Editor.Update(msg)
	if !plain || cmd == nil || pressed.String() == "ctrl+v" { // other editors request through their host; the clipboard may be slow
		return cmd
	}
	return p.Update(cmd()) // the next key may have been typed already, and belongs to the place that is opened
}

// TakeRequests returns the requests since the last call.
func (p *Pane) TakeRequests() Requests {
	r := p.requests
	p.requests = Requests{}
	return r
}

// Asked reports whether there are requests.
func (p *Pane) Asked() bool { return p.requests.Open != nil || p.requests.Notice != "" }

// IsOpen reports whether a place is open.
func (p *Pane) IsOpen() bool { return p.Editor != nil }

// Path returns the open place.
func (p *Pane) Path() doc.Path { return p.path }

// Open opens the editor of the object, list or map at a place.
func (p *Pane) Open(at doc.Path) {
	p.requests.Notice = cmp.Or(editor.Discarded(p.Editor), p.requests.Notice)
	p.path, p.schema = at, p.document.Schema()
	p.Editor = p.newEditor(at)
	p.ShowProblems()
}

// newEditor returns the editor of the object, map or list at a place.
func (p *Pane) newEditor(at doc.Path) editor.Editor {
	cfg := p.ConfigAt(at)
	if t, of, ok := p.ToolAt(at); ok && t.Edit != nil && len(of) == len(at) {
		if ed := t.Edit(cfg); ed != nil {
			return ed
		}
	}
	return forms.New(cfg.Config)
}

// ConfigAt returns the configuration of an editor or a panel for a place.
func (p *Pane) ConfigAt(at doc.Path) editor.Config {
	cfg := p.document.Config()
	cfg.Schema, cfg.Root, cfg.Path = p.document.Schema(), p.document.Root(), at
	cfg.Width, cfg.Height = p.width, p.height
	cfg.Host = editor.Host{
		Open:   func(to doc.Path) { p.requests.Open = to },
		Notify: func(text string) { p.requests.Notice = text },
		Tasks:  p.tasks,
	}
	return cfg
}

// Visit opens the form or the page of a place; for a field, the form that shows it.
func (p *Pane) Visit(at doc.Path) {
	n := p.document.Schema().At(at)
	switch {
	case forms.IsPage(n):
		if p.Open(at); !p.onPage() {
			p.GoTo(at) // the text is too long for a page
		}
	case n != nil && len(n.Children) == 0 && n.Element == nil && n.Kind != schema.Any:
		p.GoTo(at)
	default:
		p.Open(at)
	}
}

// onPage reports whether the page of a document is open.
func (p *Pane) onPage() bool {
	return p.IsOpen() && forms.IsPage(p.document.Schema().At(p.path)) && p.Typing()
}

// GoTo opens the form that shows a place, and focuses its field.
func (p *Pane) GoTo(at doc.Path) {
	form := p.FormOf(at)
	p.Open(form)
	if len(at) > len(form) {
		p.FocusPath(at)
	}
}

// Up opens the form around the open one, with the cursor on the place that it came from.
func (p *Pane) Up() {
	from := p.path
	p.GoTo(from.Parent())
	p.FocusPath(from)
}

// focusNear focuses the field at a place below the open one, or that of the innermost place around it which has one.
func (p *Pane) focusNear(at doc.Path) {
	for len(at) > len(p.path) && !p.FocusPath(at) {
		at = at.Parent()
	}
}

// Restored shows the document after an undo or redo, with the cursor on the field that has changed; if several sections have,
// on what was open then. It returns the notice about it; done is its verb.
func (p *Pane) Restored(done string, m edit.UndoResult) tea.Cmd {
	notice := func(l widget.Level, text string) tea.Cmd {
		return screen.NotifyAbout(screen.TopicEdit, l, widget.Clean(text))
	}
	switch {
	case len(m.Conflicts) > 0:
		return notice(widget.LevelWarning, "Not "+strings.ToLower(done)+": someone else has changed "+edit.PlaceName(p.document.Schema(), m.Conflicts[0])+" since.")
	case m.Locked != "":
		return notice(widget.LevelWarning, m.Locked)
	}
	at := p.existing(doc.CommonPath(m.Changes))
	if len(at) == 0 {
		at = m.Cursor
	}
	p.Show()
	if !p.ShowsAlso(at) {
		holder := p.FormOf(at)
		if len(m.Changes) == 1 && len(at) > p.depth && !at.Equal(p.path) {
			holder = p.FormOf(at.Parent())
		}
		if !holder.Equal(p.path) {
			p.GoTo(holder)
		}
	}
	p.focusNear(at)
	return notice(widget.LevelSuccess, done+": "+edit.ChangeName(p.document.Schema(), m.Changes))
}

// existing returns a place, cut at the list or map whose entry does not exist any more.
func (p *Pane) existing(at doc.Path) doc.Path {
	for i := range at {
		around := p.document.Schema().At(at[:i])
		entry := at[i].IsIndex || around != nil && around.Kind == schema.Map
		if entry && !p.document.Root().Lookup(at[:i+1]).Exists() {
			return at[:i]
		}
	}
	return at
}

// Show updates the editor to the document. If its schema has changed, the editor is made anew, with the cursor in the same
// place.
func (p *Pane) Show() {
	if p.Editor == nil {
		return
	}
	if p.schema != p.document.Schema() {
		at := p.Place()
		p.Open(p.path)
		p.FocusPath(at)
		return
	}
	p.Reload(p.document.Root())
	p.ShowProblems()
}

// ShowProblems shows the problems of the document at their fields, and in a form the warnings.
func (p *Pane) ShowProblems() {
	if p.Editor == nil {
		return
	}
	all := p.document.Problems()
	if _, plain := p.Editor.(*forms.Form); plain {
		all = slices.Concat(all, p.document.Warnings())
	}
	p.SetProblems(all)
}

// FocusedField returns the focused field; nil if there is none.
func (p *Pane) FocusedField() *schema.FieldState {
	if p.Editor != nil {
		if f, ok := p.Focused(); ok {
			return &f
		}
	}
	return nil
}

// Place returns the focused field, or else the open place.
func (p *Pane) Place() doc.Path {
	if f := p.FocusedField(); f != nil {
		return f.Path
	}
	return p.path
}

// Edits returns the document with what was edited since the last call, and the field that was typed in, which is empty for
// anything else. It returns false if nothing has changed.
func (p *Pane) Edits() (root doc.Value, field string, ok bool) {
	now := p.document.Root()
	root, changed := p.Edited()
	if p.outside.Exists() {
		root, p.outside, changed = p.outside, doc.Value{}, true
	}
	if !changed || root.Same(now) || len(doc.Diff(now, root)) == 0 {
		return root, "", false
	}
	e, ok := p.Editor.(editor.OperationEditor)
	if p.alone || ok && e.LastWasOperation() {
		return root, "", true
	}
	return root, p.Place().String(), true
}

// SetSize sets the size of the editor.
func (p *Pane) SetSize(width, height int) {
	p.width, p.height = width, height
	if p.Editor != nil {
		p.Editor.SetSize(width, height)
	}
}

// Lines returns the number of lines that the editor needs in a size, without the help below the focused field.
func (p *Pane) Lines(width, height int) int {
	if p.Editor == nil {
		return 0
	}
	p.Editor.SetSize(width, height)
	p.Editor.SetActive(false)
	return strings.Count(p.Editor.View(), "\n") + 1
}

// View draws the editor; active reports whether it has the keyboard.
func (p *Pane) View(active bool) string {
	p.SetActive(active)
	return p.Editor.View()
}

package workspace

import (
	"cmp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// form edits one place of the record at a time.
type form struct {
	draft         *draft
	deps          screen.Deps
	tasks         *screen.Base
	afterExternal func(...tea.Cmd) tea.Cmd // shows the changes of an external edit

	editor   editor.Editor // nil until the record has been read
	path     doc.Path      // the place that the editor edits
	active   bool          // the form has the keyboard
	schema   *schema.Schema
	root     doc.Value // the editor's version of the record
	requests requests

	width, height int
}

// requests collects what the editor has requested during Update.
type requests struct {
	open   doc.Path
	notice string
}

// fulfill carries out the requests of the editor.
func (f *form) fulfill() tea.Cmd {
	w := f.requests
	f.requests = requests{}
	if w.open != nil {
		f.open(w.open)
	}
	if w.notice == "" {
		return nil
	}
	return screen.Notify(widget.LevelInfo, w.notice)
}

// open opens the editor of the object, map or list at p, and focuses it.
func (f *form) open(p doc.Path) {
	f.path, f.active = p, true
	f.updateSchema()
}

func (f *form) updateSchema() {
	f.requests.notice = cmp.Or(editor.Discarded(f.editor), f.requests.notice)
	f.draft.addFilterGroup(f.path)
	f.root, f.schema = f.draft.Root(), f.draft.Schema()
	cfg := f.config()
	if at, ok := f.draft.filtersAt(f.path); ok && len(at) == len(f.path) {
		f.editor = filters.New(cfg)
	} else {
		f.editor = forms.New(cfg.Config)
	}
	f.editor.SetProblems(f.draft.Problems())
	f.editor.SetSize(f.width, f.height)
}

// reopen recreates the editor, with the cursor in the same place.
func (f *form) reopen() {
	at := f.place()
	f.updateSchema()
	f.editor.FocusPath(at)
	f.editor.SetActive(f.active)
}

// sync updates the editor to the current record. If its schema has changed, the editor is recreated.
func (f *form) sync() {
	if f.schema != f.draft.Schema() {
		f.reopen()
		return
	}
	f.draft.addFilterGroup(f.path)
	if root := f.draft.Root(); !root.Same(f.root) {
		f.root = root
		f.editor.Reload(root)
	}
	f.editor.SetProblems(f.draft.Problems())
}

func (f *form) config() editor.Config {
	return editor.Config{
		Config: forms.Config{
			Schema: f.schema, Root: f.root, Path: f.path, Env: settings.Env(f.draft.workspace), Theme: f.deps.Theme,
			Suggest: f.draft.suggest, Locked: f.draft.locked, Now: f.deps.Now,
		},
		Workspace: f.draft.workspace, Service: f.deps.Service, Now: f.deps.Now, Local: f.deps.Local,
		Host: editor.Host{
			Open:   func(p doc.Path) { f.requests.open = p },
			Notify: func(text string) { f.requests.notice = text },
			Tasks:  f.tasks,
		},
	}
}

// goTo opens the editor of the place p, or of the one around it, and moves the cursor there.
func (f *form) goTo(p doc.Path) {
	at, ok := f.draft.filtersAt(p)
	if !ok {
		for at = p; len(at) > 0 && !f.opens(at); {
			at = at.Parent()
		}
	}
	f.open(at)
	if len(p) > len(at) {
		f.editor.FocusPath(p)
	}
}

// opens reports whether p has a form of its own.
func (f *form) opens(p doc.Path) bool {
	st, ok := f.draft.Schema().Field(f.draft.Root(), p, settings.Env(f.draft.workspace))
	return ok && forms.Opens(st)
}

// up leaves the form for the one around it, with the cursor on the place that it came from.
func (f *form) up() tea.Cmd {
	if from := f.path; len(from) > 0 {
		f.goTo(from.Parent())
		f.editor.FocusPath(from)
	}
	return nil
}

// goToChange moves the cursor to the place that an undo or redo changed, or to the one around it.
func (f *form) goToChange(at doc.Path) {
	if !at.HasPrefix(f.path) || len(at) == len(f.path) {
		f.goTo(at.Parent())
	}
	for q := at; len(q) > len(f.path) && !f.editor.FocusPath(q); q = q.Parent() {
	}
}

// place returns the focused field, or else the place that the editor edits.
func (f *form) place() doc.Path {
	if at, ok := f.editor.Focused(); ok {
		return at.Path
	}
	return f.path
}

// update passes a message to the editor and adopts its changes. alone makes the change an undo step of its own,
// for text that was not typed key by key.
func (f *form) update(msg tea.Msg, alone bool) tea.Cmd {
	cmd := f.editor.Update(msg)
	f.adopt(alone)
	return cmd
}

func (f *form) adopt(alone bool) {
	root, changed := f.editor.Edited()
	if !changed || root.Same(f.draft.Root()) {
		return
	}
	field := f.place().String()
	if e, ok := f.editor.(editor.OperationEditor); alone || ok && e.LastWasOperation() {
		field = "" // a step of its own
	}
	f.root = root
	f.draft.change(root, f.path, field)
}

// key passes a key to the editor, and reports whether it was enter in the last field of a form.
func (f *form) key(msg tea.KeyMsg) (cmd tea.Cmd, last bool) {
	before, _ := f.editor.Focused()
	root, modal := f.draft.Root(), f.editor.Modal()
	cmd = f.update(msg, msg.Paste)
	asked := f.requests.open != nil || f.requests.notice != ""
	if msg.String() != "enter" || modal || f.editor.Modal() || cmd != nil || !root.Same(f.draft.Root()) || asked {
		return cmd, false
	}
	after, ok := f.editor.Focused()
	_, plain := f.editor.(*forms.Form)
	return cmd, plain && ok && after.Path.Equal(before.Path)
}

// typing reports whether letters are text.
func (f *form) typing() bool { return f.editor != nil && f.active && f.editor.Typing() }

func (f *form) setActive(on bool) {
	f.active = on
	f.editor.SetActive(on)
}

func (f *form) setSize(w, h int) {
	f.width, f.height = w, h
	if f.editor != nil {
		f.editor.SetSize(w, h)
	}
}

// title returns the place in the record.
func (f *form) title() string {
	return strings.Join(append([]string{f.draft.title()}, f.draft.Schema().Trail(f.path)...), " › ")
}

// actions describes the keys of the editor for the help, and returns the actions that leave it.
func (f *form) actions() []screen.Action {
	rank := []int{9, 7, 6, 5}
	bar := map[string]int{}
	for i, b := range f.editor.Hints() {
		if i < len(rank) {
			bar[b.Help().Key] = rank[i]
		}
	}
	acts := helpEntries(f.editor.Bindings(), 0)
	for i, a := range acts {
		acts[i].BarPriority = bar[a.Keys[0]]
	}
	out := screen.Action{Keys: []string{"esc"}, Group: groupMove, BarPriority: 8, WhileTyping: true}
	switch {
	case f.editor.Modal():
		out.Label, out.Help = "close", "cancel and keep the field as it was"
		out.Run = func() tea.Cmd { return f.update(tea.KeyMsg{Type: tea.KeyEsc}, false) }
	case len(f.path) > 0:
		out.Label, out.Help, out.Run = "back", "back to the outer form", f.up
	default:
		return acts
	}
	return append(acts, out)
}

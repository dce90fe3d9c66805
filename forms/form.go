package forms

import (
	"slices"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/calendar"
	"bugle/themes"
)

// Config configures a form.
type Config struct {
	Schema *schema.Schema
	Root   doc.Value  // the whole document, which conditions refer to
	Path   doc.Path   // of the object, map, list or document to edit, which need not exist
	Env    schema.Env // the stage whose required fields are marked, flags, lists
	Theme  *themes.Theme
	// Inputs returns what is edited at Path in a document, in order and with different paths; nil if that are the fields of
	// the schema.
	Inputs func(root doc.Value) []Input
	// Focus is the field to start at; the first field if empty or not found.
	Focus string
	// Suggest returns the names in a workspace list, for fields with suggestions; nil if there are none.
	Suggest func(list string) []string
	// Source returns the text that a text was made from, which is shown and edited in its place; false if there is none.
	// Nil means that all texts are edited as they are.
	Source func(n *schema.Node, text string) (string, bool)
	// Locked returns why the value at a path cannot be changed now, and "" if it can; nil if all can. A locked value
	// can be viewed, and only handles keys that move.
	Locked func(doc.Path) string
	// Follow returns an edited document with what follows from the edit; nil if nothing does.
	Follow func(before, after doc.Value) doc.Value
	// Now returns the current time for relative dates; nil means time.Now.
	Now func() time.Time
	// Zone returns the time zone of a document for times without a zone field around them; nil, or false, if there is
	// none.
	Zone func(root doc.Value) (*time.Location, bool)
	// Width and Height are the maximum size of the view.
	Width, Height int
}

// OpenMsg asks the screen to open the form of the object, map, list or document at Path.
type OpenMsg struct{ Path doc.Path }

// OpenEditorMsg asks the screen to open the text of the value at Path in an external editor.
type OpenEditorMsg struct {
	Path doc.Path
	Text string
	JSON bool // Text is indented JSON rather than the text of a string
}

// Form edits one object, map or list. Create one with [New]; it must not be copied.
type Form struct {
	cfg  Config
	node *schema.Node // of the path; nil if it is not in the schema
	list bool         // the path is a list
	page bool         // the path is a document, whose text takes all of the form

	root     doc.Value
	base     doc.Value // the document that Edited compares with
	origin   doc.Value // the initial document: its objects are not deleted with their last field
	problems []schema.Problem
	failure  string // why the last change failed

	rows    []row
	inlined []doc.Path // the inlined objects
	cursor  int        // the focused row
	editor  editor     // of the focused row; nil if it is not edited in place
	before  doc.Value  // the document before the editor's changes

	name     *textEditor      // nil unless a name is being asked for, in place of the focused row's value
	calendar *calendar.Picker // nil unless a date is being picked for the focused row, in place of the fields
	inactive bool             // the form does not have the keyboard: no row is drawn as focused
	layout   layout
}

// New returns a form. It does not change the document by itself.
func New(cfg Config) *Form {
	f := &Form{cfg: cfg, node: cfg.Schema.At(cfg.Path), root: cfg.Root, base: cfg.Root, origin: cfg.Root}
	f.list, f.page = f.node != nil && f.node.Kind == schema.List, IsPage(f.node)
	f.layout.width, f.layout.height = cfg.Width, cfg.Height
	f.refresh()
	if cfg.Focus == "" || !f.FocusPath(cfg.Path.Child(cfg.Focus)) {
		f.focus(0)
	}
	return f
}

// SetActive sets whether the form has the keyboard. If not, no row is drawn as focused; a new form is active.
func (f *Form) SetActive(on bool) {
	f.inactive = !on
}

// SetSize sets the maximum size of the view.
func (f *Form) SetSize(w, h int) {
	f.layout.width, f.layout.height = w, h
}

// Edited returns the document with the user's changes, and whether there are any since Config.Root or the last
// [Form.Reload].
func (f *Form) Edited() (doc.Value, bool) {
	return f.root, !f.root.Same(f.base)
}

// Reload replaces the document: with the result of Edited after it was saved, or with one that was changed
// elsewhere (undo, an edit as JSON). In the second case all fields are recreated, except for one that is typed in and whose
// text is the same; the focus stays.
func (f *Form) Reload(root doc.Value) {
	f.base = root
	if root.Same(f.root) {
		return
	}
	f.origin, f.root = root, root
	f.failure = ""
	f.refresh()
	if !f.keepsText() {
		f.focus(f.cursor)
	}
}

// SetProblems sets the problems of the current document. The screen calls it after each change.
func (f *Form) SetProblems(ps []schema.Problem) { f.problems = ps }

// Focused returns the focused field in its current state; false on the row that adds to a map or list.
func (f *Form) Focused() (schema.FieldState, bool) {
	r, ok := f.focused()
	return r.FieldState, ok && r.group != groupAdder
}

// FocusPath focuses the field at p, or the one that contains p. It returns false if there is none.
func (f *Form) FocusPath(p doc.Path) bool {
	i := slices.IndexFunc(f.rows, func(r row) bool { return r.group != groupAdder && r.contains(p) })
	if i < 0 && slices.ContainsFunc(f.inlined, p.Equal) {
		i = slices.IndexFunc(f.rows, func(r row) bool { return r.Path.HasPrefix(p) })
	}
	if i >= 0 {
		f.focus(i)
	}
	return i >= 0
}

// Typing reports whether a text field has the keyboard, so that letters are text.
func (f *Form) Typing() bool {
	return f.name != nil || f.calendar != nil || f.editor != nil && f.editor.typing()
}

// Modal reports whether a list, the calendar or the input of a name is open, which esc closes.
func (f *Form) Modal() bool {
	return f.name != nil || f.calendar != nil || f.editor != nil && f.editor.modal()
}

// Pending returns the name that is typed and not accepted yet.
func (f *Form) Pending() string {
	if f.name == nil {
		return ""
	}
	return f.name.Text()
}

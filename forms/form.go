package forms

import (
	"time"

	"github.com/charmbracelet/bubbles/key"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
)

// Config configures a form.
type Config struct {
	Schema *schema.Schema
	Root   doc.Value  // the whole document, which conditions refer to
	Path   doc.Path   // of the object, map or list to edit, which need not exist
	Env    schema.Env // the stage whose required fields are marked, flags, lists
	Theme  *themes.Theme
	// Inputs are what is edited at Path; nil if that are the fields of the schema.
	Inputs Inputs
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
	// Now returns the current time for relative dates; nil means time.Now.
	Now func() time.Time
	// Zone returns the time zone of a document for times without a zone field around them; nil, or false, if there is
	// none.
	Zone func(root doc.Value) (*time.Location, bool)
	// Width and Height are the maximum size of the view.
	Width, Height int
}

// OpenMsg asks the screen to open the form of the object, map or list at Path.
type OpenMsg struct{ Path doc.Path }

// OpenEditorMsg asks the screen to open Text in an external editor, and to pass the result to [Form.SetText]
// with the same Path and JSON.
type OpenEditorMsg struct {
	Path doc.Path
	Text string
	JSON bool // Text is indented JSON rather than the text of a string
}

// Form edits one object, map or list. Create one with [New]; it must not be copied.
type Form struct {
	cfg        Config
	keys       keyMap
	model      rowModel
	layout     layout
	nameInput  *nameInput  // nil unless a name is being asked for
	datePicker *datePicker // nil unless a date is being picked
	inactive   bool        // the form does not have the keyboard: no row is drawn as focused
}

// New returns a form. It does not change the document by itself.
func New(cfg Config) *Form {
	f := &Form{cfg: cfg, keys: newKeyMap(), layout: layout{width: cfg.Width, height: cfg.Height}}
	f.model = newRowModel(&f.cfg)
	f.fit()
	if cfg.Focus == "" || !f.model.focusPath(cfg.Path.Child(cfg.Focus)) {
		f.model.focus(0)
	}
	f.arrange()
	return f
}

// SetActive sets whether the form has the keyboard. If not, no row is drawn as focused; a new form is active.
func (f *Form) SetActive(on bool) {
	if f.inactive == on {
		f.inactive = !on
		f.arrange()
	}
}

// SetSize sets the maximum size of the view.
func (f *Form) SetSize(w, h int) {
	f.layout.width, f.layout.height = w, h
	f.model.style.follow()
	f.arrange()
}

// Edited returns the document with the user's changes, and whether there are any since Config.Root or the last
// [Form.Reload].
func (f *Form) Edited() (doc.Value, bool) {
	return f.model.draft.root, !f.model.draft.root.Same(f.model.draft.base)
}

// Reload replaces the document: with the result of Edited after it was saved, or with one that was changed
// elsewhere (undo, an edit as JSON). In the second case all fields are recreated, except for one that is typed in and whose
// text is the same; the focus stays.
func (f *Form) Reload(root doc.Value) {
	if !f.model.draft.reload(root) {
		return
	}
	f.model.failure, f.model.field.added = "", false
	f.model.refresh()
	if !f.model.keepsText() {
		f.focus(f.model.cursor)
	}
	f.arrange()
}

// SetProblems sets the problems of the current document. After the first call the form does not validate by
// itself; the screen must call it after each change.
func (f *Form) SetProblems(ps []schema.Problem) {
	f.model.problems.list, f.model.problems.external = ps, true
	f.arrange()
}

// SetText sets the field at p to the result of an external editor. Invalid JSON is rejected with its line and
// column, and changes nothing; an empty text removes the value.
func (f *Form) SetText(p doc.Path, text string, asJSON bool) error {
	old := f.model.builder.shown(f.cfg.Schema.At(p), f.model.draft.root.Lookup(p))
	root, err := f.model.draft.withText(p, old, text, asJSON)
	if err != nil || root.Same(f.model.draft.root) {
		return err
	}
	f.model.setRoot(root)
	f.focus(f.model.cursor)
	f.arrange()
	return nil
}

// Focused returns the focused field in its current state; false on the row that adds to a map or list.
func (f *Form) Focused() (schema.FieldState, bool) {
	r, ok := f.model.focused()
	return r.FieldState, ok && r.group != groupAdder
}

// FocusPath focuses the field at p, or the one that contains p. It returns false if there is none.
func (f *Form) FocusPath(p doc.Path) bool {
	found := f.model.focusPath(p)
	if found {
		f.nameInput, f.datePicker = nil, nil
	}
	f.arrange()
	return found
}

// focus moves to a row and closes the name input and the date picker.
func (f *Form) focus(i int) {
	f.nameInput, f.datePicker = nil, nil
	f.model.focus(i)
}

// Typing reports whether a text field has the keyboard, so that letters are text.
func (f *Form) Typing() bool {
	return f.nameInput != nil || f.datePicker != nil || f.model.field.typing()
}

// Modal reports whether a list, the date picker or the name input is open, which esc closes.
func (f *Form) Modal() bool {
	return f.nameInput != nil || f.datePicker != nil || f.model.field.modal() || f.model.builder.list && f.model.field.editor != nil
}

// Pending returns the name that is typed and not accepted yet.
func (f *Form) Pending() string {
	if f.nameInput == nil {
		return ""
	}
	return f.nameInput.name()
}

// Bindings returns the keys that work at the focused field, for the screen's help and to avoid conflicts. Keys
// that are text are not included: see [Form.Typing].
func (f *Form) Bindings() []key.Binding { return f.actions().all() }

// Hints returns the most important Bindings at the focused field, in order of importance.
func (f *Form) Hints() []key.Binding { return f.actions().important() }

func (f *Form) actions() *actions {
	r, ok := f.model.focused()
	return &actions{keys: f.keys, row: r, ok: ok, editor: f.model.field.editor, list: f.model.builder.list, removable: r.removable(len(f.cfg.Path)),
		hidden: len(f.model.hiddenPaths()), modal: f.Modal(), pickingDate: f.datePicker != nil, naming: f.nameInput != nil}
}

// View draws the form, at most as large as its size, scrolled to the focused field.
func (f *Form) View() string {
	switch {
	case f.layout.width <= 0 || f.layout.height <= 0:
		return ""
	case f.datePicker != nil:
		return f.datePicker.view(f.layout.width, f.layout.height)
	}
	return f.renderer().form()
}

func (f *Form) renderer() *renderer {
	p := &renderer{theme: f.cfg.Theme, model: &f.model, layout: &f.layout, nameInput: f.nameInput, actions: f.actions(), focus: f.model.cursor}
	if f.inactive && !f.Modal() {
		p.focus = -1
	}
	return p
}

// fit sets the available size of the rows and their editors.
func (f *Form) fit() {
	f.layout.fitLabels(f.model.rows)
	f.model.width, f.model.lines = f.layout.valueWidth(), f.layout.menuHeight()
}

// arrange positions the rows, and scrolls to the focused one.
func (f *Form) arrange() {
	f.fit()
	at, p := f.model.cursor, f.renderer()
	f.layout.headerHeight = len(p.header())
	f.layout.arrange(p.heights(), at, at < len(f.model.rows) && f.model.heading(at) != "")
}

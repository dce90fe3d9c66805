package forms

import (
	"time"

	"github.com/charmbracelet/bubbles/key"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
)

// Config describes what a form edits and how it looks.
type Config struct {
	Schema *schema.Schema
	Root   doc.Value  // the whole document: conditions read it
	Path   doc.Path   // of the object, map or list that the form edits; it need not be there yet
	Env    schema.Env // the stage whose requirements are marked, flags, lists
	Theme  themes.Theme
	// Focus is the member to start at; the first field where empty or not there.
	Focus string
	// Suggest returns the names of a workspace list, for fields that a list offers values for; nil
	// where none is at hand.
	Suggest func(list string) []string
	// Locked returns why the value at a path may not be changed now, and "" where it may; nil where
	// all may. A locked value can be viewed and takes no keys but those that move.
	Locked func(doc.Path) string
	// Now returns the time that "tomorrow" is counted from; time.Now where nil.
	Now func() time.Time
	// Zone returns the time zone of a document whose form has no field for one around a time; nil, or
	// false, where there is none. A field around it that holds a zone comes first.
	Zone func(root doc.Value) (*time.Location, bool)
	// Width and Height are the cells and lines that View may take.
	Width, Height int
}

// OpenMsg asks the screen to open a form on the object, map or list at Path.
type OpenMsg struct{ Path doc.Path }

// OpenEditorMsg asks the screen to open an editor on Text, and to hand what comes back to
// [Form.SetText] with the same Path and JSON.
type OpenEditorMsg struct {
	Path doc.Path
	Text string
	JSON bool // Text is the value as indented JSON, else the text of a string
}

// Form edits one object, map or list. Make one with [New]; it must not be copied.
type Form struct {
	cfg     Config
	keys    keyMap
	model   rowModel
	layout  layout
	nameInput  *nameInput  // a name is being asked for
	datePicker *datePicker // a date is being picked
	inactive bool     // the keyboard is elsewhere: no row looks focused
}

// New makes a form. It changes nothing of the document before a person does.
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

// SetActive sets whether the form has the keyboard. Without it no row is drawn as focused; a
// new form has it.
func (f *Form) SetActive(on bool) {
	if f.inactive == on {
		f.inactive = !on
		f.arrange()
	}
}

// SetSize sets the cells and lines that View may take.
func (f *Form) SetSize(w, h int) {
	f.layout.width, f.layout.height = w, h
	f.arrange()
}

// Edited returns the document with everything that a person changed so far, and whether that is
// anything since Config.Root or the last [Form.Reload].
func (f *Form) Edited() (doc.Value, bool) {
	return f.model.draft.root, !f.model.draft.root.Same(f.model.draft.base)
}

// Reload takes over a document: the one that Edits returned, once it is saved, or one that changed
// elsewhere (undo, an edit as JSON). In the second case all fields are made anew; the focus stays.
func (f *Form) Reload(root doc.Value) {
	if !f.model.draft.reload(root) {
		return
	}
	f.model.failure, f.model.field.added = "", false
	f.model.refresh()
	f.focus(f.model.cursor)
	f.arrange()
}

// SetProblems hands in the problems of the present document. From then on the form does not
// validate by itself; the screen hands them in after each change.
func (f *Form) SetProblems(ps []schema.Problem) {
	f.model.problems.list, f.model.problems.external = ps, true
	f.arrange()
}

// SetText sets the field at p to the text that an editor returned. Text that should be JSON and is
// not is refused, with its line and column, and changes nothing; an empty text removes the value.
func (f *Form) SetText(p doc.Path, text string, asJSON bool) error {
	root, err := f.model.draft.withText(p, text, asJSON)
	if err != nil || root.Same(f.model.draft.root) {
		return err
	}
	f.model.setRoot(root)
	f.focus(f.model.cursor)
	f.arrange()
	return nil
}

// Focused returns the focused field as it stands in the document; false on the row that adds to a
// map or list.
func (f *Form) Focused() (schema.FieldState, bool) {
	r, ok := f.model.focused()
	return r.FieldState, ok && r.group != groupAdder
}

// FocusPath focuses the field at p, or the one that p leads into. It reports false where the form
// has none.
func (f *Form) FocusPath(p doc.Path) bool {
	found := f.model.focusPath(p)
	if found {
		f.nameInput, f.datePicker = nil, nil
	}
	f.arrange()
	return found
}

// focus moves to a row, whatever was asked for in the place of one.
func (f *Form) focus(i int) {
	f.nameInput, f.datePicker = nil, nil
	f.model.focus(i)
}

// Typing reports whether a text field has the keyboard: letters are text, no commands.
func (f *Form) Typing() bool { return f.nameInput != nil || f.datePicker != nil || f.model.field.typing() }

// Modal reports whether a list or a calendar is open, or a name is asked for: Escape is the form's then.
func (f *Form) Modal() bool {
	return f.nameInput != nil || f.datePicker != nil || f.model.field.modal() || f.model.builder.list && f.model.field.editor != nil
}

// Bindings returns the keys that do something at the focused field, for the screen's help and to
// tell the form's keys from its own. Keys that are text are not among them: see [Form.Typing].
func (f *Form) Bindings() []key.Binding { return f.actions().all() }

// Hints returns the few of the Bindings that a person wants at the focused field, the most wanted
// first.
func (f *Form) Hints() []key.Binding { return f.actions().important() }

func (f *Form) actions() *actions {
	r, ok := f.model.focused()
	return &actions{keys: f.keys, row: r, ok: ok, editor: f.model.field.editor, list: f.model.builder.list, removable: r.removable(len(f.cfg.Path)),
		hidden: len(f.model.hiddenPaths()), modal: f.Modal(), pickingDate: f.datePicker != nil, naming: f.nameInput != nil}
}

// View draws the form: never wider nor taller than its size, scrolled to the focused field.
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

// fit sets how much room the rows and their editors have.
func (f *Form) fit() {
	f.layout.fitLabels(f.model.rows)
	f.model.width, f.model.lines = f.layout.valueWidth(), f.layout.menuHeight()
}

// arrange finds out where each row stands, and scrolls so that the focused one is in sight.
func (f *Form) arrange() {
	f.fit()
	at, p := f.model.cursor, f.renderer()
	f.layout.headerHeight = len(p.header())
	f.layout.arrange(p.heights(), at, at < len(f.model.rows) && f.model.heading(at) != "")
}

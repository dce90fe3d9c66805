package forms

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

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
	// Suggest gives the names of a workspace list, for fields that a list offers values for; nil
	// where none is at hand.
	Suggest func(list string) []string
	// Locked says why what is at a path may not be changed now, and "" where it may; nil where
	// all may. What is locked can be looked at and takes no keys but those that move.
	Locked func(doc.Path) string
	// Now gives the time that "tomorrow" is told from; the clock's where nil.
	Now func() time.Time
	// Zone gives the time zone of a document whose form has no field for one around a time; nil, or
	// false, where there is none. A field around it that holds a zone comes first.
	Zone func(root doc.Value) (*time.Location, bool)
	// Width and Height are the cells and lines that View may take.
	Width, Height int
}

// OpenMsg asks the screen to open a form on the object, map or list at Path.
type OpenMsg struct{ Path doc.Path }

// EditMsg asks the screen to open an editor on Text, and to hand what comes back to
// [Form.SetText] with the same Path and JSON.
type EditMsg struct {
	Path doc.Path
	Text string
	JSON bool // Text is the value as indented JSON, else the text of a string
}

// Form edits one object, map or list. Make one with [New]; it must not be copied.
type Form struct {
	cfg  Config
	look look
	keys keyMap
	node *schema.Node // of the path; nil where the tables know nothing there
	list bool         // the path holds a list

	base   doc.Value // what Edits compares with
	origin doc.Value // the document as the form met it: what was there is never deleted with its last member
	root   doc.Value

	rows    []row
	flats   []doc.Path // the objects whose fields are among the rows
	at      int        // the focused row
	ed      editor
	before  doc.Value // root when ed was made, without what ed changed
	naming  *naming   // a name is being asked for
	added   bool      // the element that is edited was just added
	resting bool      // the keyboard is elsewhere: no row looks focused
	picking *picking  // a date is being picked

	problems []schema.Problem
	given    bool // the screen hands problems in
	failure  string

	top    int // the first line in sight
	spans  []span
	labels int // width of the label column
}

// naming asks for the name of a new member, or for the new one of the member at rename.
type naming struct{ rename doc.Path }

// New makes a form. It changes nothing of the document before a person does.
func New(cfg Config) *Form {
	f := &Form{cfg: cfg, look: newLook(cfg.Theme), keys: newKeyMap()}
	f.node = cfg.Schema.At(cfg.Path)
	f.list = f.node != nil && f.node.Kind == schema.List
	f.base, f.origin, f.root = cfg.Root, cfg.Root, cfg.Root
	f.refresh()
	if cfg.Focus == "" || !f.FocusPath(cfg.Path.Child(cfg.Focus)) {
		f.focus(0)
	}
	return f
}

// SetActive tells the form whether it has the keyboard. Without it no row is drawn as focused; a
// new form has it.
func (f *Form) SetActive(on bool) {
	if f.resting == on {
		f.resting = !on
		f.arrange()
	}
}

// Init returns no command: a form waits for keys.
func (f *Form) Init() tea.Cmd { return nil }

// SetSize sets the cells and lines that View may take.
func (f *Form) SetSize(w, h int) {
	f.cfg.Width, f.cfg.Height = w, h
	f.arrange()
}

// Edits returns the document with everything that a person changed so far, and whether that is
// anything since Config.Root or the last [Form.Reload].
func (f *Form) Edits() (doc.Value, bool) { return f.root, !f.root.Same(f.base) }

// Reload takes over a document: the one that Edits gave, once it is saved, or one that changed
// elsewhere (undo, an edit as JSON). In the second case all fields are made anew; the focus stays.
func (f *Form) Reload(root doc.Value) {
	f.base = root
	if root.Same(f.root) {
		return
	}
	f.origin, f.root = root, root
	f.naming, f.failure, f.added, f.picking = nil, "", false, nil
	f.refresh()
	f.focus(f.at)
}

// SetProblems hands in the problems of the present document. From then on the form does not
// validate by itself; the screen hands them in after each change.
func (f *Form) SetProblems(ps []schema.Problem) {
	f.problems, f.given = ps, true
	f.arrange()
}

// Focused returns the focused field as it stands in the document; false on the row that adds to a
// map or list.
func (f *Form) Focused() (schema.FieldState, bool) {
	r, ok := f.focusedRow()
	return r.FieldState, ok && r.group != adder
}

// FocusPath focuses the field at p, or the one that p leads into. It reports false where the form
// has none.
func (f *Form) FocusPath(p doc.Path) bool {
	f.leave()
	i := slices.IndexFunc(f.rows, func(r row) bool { return r.group != adder && r.holds(p) })
	if i < 0 && slices.ContainsFunc(f.flats, p.Equal) {
		i = slices.IndexFunc(f.rows, func(r row) bool { return r.Path.HasPrefix(p) })
	}
	if i >= 0 {
		f.focus(i)
	}
	return i >= 0
}

// Typing reports that a text field has the keyboard: letters are text, no commands.
func (f *Form) Typing() bool { return f.picking != nil || f.ed != nil && f.ed.typing() }

// Modal reports that a list or a calendar is open, or a name is asked for: Escape is the form's then.
func (f *Form) Modal() bool {
	return f.naming != nil || f.picking != nil || f.ed != nil && (f.ed.modal() || f.list)
}

func (f *Form) focusedRow() (row, bool) {
	if f.at < 0 || f.at >= len(f.rows) {
		return row{}, false
	}
	return f.rows[f.at], true
}

// focus moves to a row and makes the widget that it is edited with.
func (f *Form) focus(i int) {
	f.reshape(f.at)
	f.at = max(min(i, len(f.rows)-1), 0)
	f.reshape(f.at)
	f.ed, f.naming, f.added, f.before, f.picking = nil, nil, false, f.root, nil
	if r, ok := f.focusedRow(); ok && !f.list {
		f.ed = f.newEditor(r)
	}
	f.arrange()
}

// reshape gives a row that is no longer edited the shape that its present value asks for.
func (f *Form) reshape(i int) {
	if i < len(f.rows) && f.rows[i].group == shown && f.rows[i].shape != phrase {
		f.rows[i].shape = shapeOf(f.rows[i].FieldState)
	}
}

// leave ends the editing of the focused row, before the focus goes elsewhere.
func (f *Form) leave() {
	r, ok := f.focusedRow()
	if !ok || !f.added || r.Value.Text() != "" || r.Value.Kind() != doc.String {
		return
	}
	f.added = false
	f.setRoot(f.root.Delete(r.Path)) // added and left empty
}

func (f *Form) newEditor(r row) editor {
	if r.group != shown || r.locked != "" {
		return nil
	}
	w, h := f.valueWidth(), f.menuHeight()
	parse := func(text string) doc.Value {
		if text == "" && !r.free {
			return doc.Value{}
		}
		if r.shape == anyJSON {
			return anyValue(text)
		}
		if wire, ok := f.wireTime(r, text); ok {
			text = wire
		}
		return scalarValue(r.Node.Kind, text)
	}
	var ed editor
	ok := true
	switch r.shape {
	case oneline:
		var in *input
		in, ok = newInput(f.look, scalarText(r.Value), f.placeholder(r), f.suggestions(r), parse)
		if ok {
			in.strange, in.edited = notKnown, f.list // an element of a list was opened to be edited
			if hasForm(r.Node, schema.Zone) {
				in.strange, in.right = "not a time zone", schema.Zone.Matches
			}
			in.expr.offered = f.expressions(r)
		}
		ed = in
	case phrase:
		var in *input
		in, ok = newInput(f.look, r.text, f.placeholder(r), nil, doc.NewString)
		if ok {
			in.goesOn = func(text string) ([]string, bool) { return f.spanOffers(r, text) }
			in.offer()
		}
		ed = in
	case anyJSON:
		text := ""
		if r.Value.Exists() {
			text = anyText(r.Value)
		}
		ed, ok = newInput(f.look, text, f.placeholder(r), nil, parse)
	case many:
		var text *area
		text, ok = newArea(f.look, scalarText(r.Value), f.placeholder(r), parse)
		if ok {
			text.expr.offered = f.expressions(r)
		}
		ed = text
	case commas:
		var in *input
		in, ok = newInput(f.look, commaText(r.Value), f.placeholder(r), f.suggestions(r), func(text string) doc.Value {
			return commaValue(r.Node.Element, text, r.Value)
		})
		if ok {
			in.many = true
			in.offer()
		}
		ed = in
	case chosen:
		ed = newChoice(f.look, f.state(r), w, h)
	case ticks:
		ed = newChecklist(f.look, r.FieldState, f.elementOptions(r), w, h)
	default:
		return nil
	}
	if !ok {
		return nil
	}
	return ed
}

// state fills in what the rows of a list do not carry: the options of an element.
func (f *Form) state(r row) schema.FieldState {
	if !f.list {
		return r.FieldState
	}
	st, _ := f.cfg.Schema.Field(f.root, r.Path, f.cfg.Env)
	return st
}

func (f *Form) elementOptions(r row) []schema.OptionState {
	st, ok := f.cfg.Schema.Field(f.root, r.Path.Elem(0), f.cfg.Env)
	if !ok {
		return optionStates(r.Node.Element)
	}
	return st.Options
}

// absorb takes over what the editor of the focused row holds.
func (f *Form) absorb() {
	r, ok := f.focusedRow()
	if !ok || f.ed == nil || f.naming != nil {
		return
	}
	v, changed := f.ed.value()
	if !changed {
		f.setRoot(f.before)
		return
	}
	var root doc.Value
	var err error
	if r.shape == phrase {
		root = f.writeSpan(f.before, r, v.Text())
	} else {
		root, err = f.write(f.before, r.Path, v)
	}
	if err != nil {
		f.failure = "Cannot change this field: " + err.Error() + "."
		f.arrange()
		return
	}
	f.setRoot(f.decide(root, r))
}

func (f *Form) write(root doc.Value, p doc.Path, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		return root.Set(p, v)
	}
	return f.without(root, p), nil
}

// without returns root without what is at p, and without the objects and lists around it that the
// form made and that are empty now. Those that were there before stay.
func (f *Form) without(root doc.Value, p doc.Path) doc.Value {
	out := root.Delete(p)
	for q := p.Parent(); ; q = q.Parent() {
		v := out.Lookup(q)
		if !v.Exists() || !v.Empty() || v.Kind() != doc.Object && v.Kind() != doc.Array || f.origin.Lookup(q).Exists() || len(q) > 0 && q.Last().IsIndex {
			return out
		}
		out = out.Delete(q)
		if len(q) == 0 {
			return out
		}
	}
}

// setRoot takes a new document over, and builds the rows anew: a change may show and hide fields.
func (f *Form) setRoot(root doc.Value) {
	f.failure = ""
	if root.Same(f.root) {
		f.arrange()
		return
	}
	f.root = root
	f.refresh()
}

// refresh builds the rows and keeps the focus on the field that has it, its editor alive.
func (f *Form) refresh() {
	old, had := f.focusedRow()
	f.rows = f.build()
	if had {
		kept := false
		for i, r := range f.rows {
			if r.Path.Equal(old.Path) && (r.group == adder) == (old.group == adder) {
				f.at, kept = i, true
				f.rows[i].shape = f.liveShape(old, r)
				break
			}
		}
		if !kept {
			f.at = max(min(f.at, len(f.rows)-1), 0)
			f.ed = nil
		}
	}
	if !f.given {
		f.problems = f.cfg.Schema.Validate(f.root, f.cfg.Env)
	}
	f.arrange()
}

// liveShape keeps a field in the shape in which it is being edited, whatever its text has become.
func (f *Form) liveShape(old, now row) shape {
	if f.ed != nil {
		return old.shape
	}
	return now.shape
}

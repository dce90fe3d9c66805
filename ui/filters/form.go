package filters

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/typeahead"
	"bugle/ui/widget"
)

// form is a filter that is open in its place: one row for each thing to fill in.
type form struct {
	*outline
	filter doc.Path
	rows   []row
	at     int
	typing bool // the row is a line of text

	before  doc.Value // the document when the row was reached: what is typed is written into that
	prompt  widget.Prompt
	start   string           // what the prompt held then
	names   []typeahead.Item // that the row can be filled in with
	list    typeahead.List   // what fits what is typed
	refused bool             // it was said already that what is typed cannot be read
	over    bool             // the text was typed over that of the row
	fresh   bool             // nothing was done in the row yet: what is typed takes the place of the old text
}

// openForm opens the filter under the cursor, at its first row.
func (t *Tree) openForm() {
	t.open = &form{outline: t.outline, filter: t.node().Path}
	t.open.rows = t.open.made()
	t.open.focusRow(0)
}

// reopen makes the rows of the open filter anew, and closes it where it is gone.
func (t *Tree) reopen() {
	f := t.open
	if !f.filter.Equal(t.node().Path) {
		t.goTo(f.filter)
	}
	if n := t.node(); !f.filter.Equal(n.Path) || n.Kind == audience.Group {
		t.open = nil
		return
	}
	f.rows = f.made()
	f.focusRow(f.at)
}

// closeForm closes the open filter. One that was added and not filled in goes.
func (t *Tree) closeForm() {
	if t.open == nil {
		return
	}
	t.open = nil
	if t.untouched() {
		t.root, t.at = t.draft.before, t.draft.from
		t.refresh()
	}
	t.draft = nil
}

func (f *form) row() (row, bool) {
	if f.at < 0 || f.at >= len(f.rows) {
		return row{}, false
	}
	return f.rows[f.at], true
}

// focusRow returns a row the keyboard.
func (f *form) focusRow(i int) {
	f.at = max(0, min(i, len(f.rows)-1))
	f.before, f.typing, f.names, f.fresh, f.refused, f.over = f.root, false, nil, false, false, false
	f.list.Clear()
	r, ok := f.row()
	f.start = r.text
	if !ok || !r.kind.isText() {
		return
	}
	f.typing = true
	f.prompt = widget.NewPrompt(f.cfg.Theme, "", r.placeholder())
	f.prompt.SetValue(r.text)
	f.prompt.Focus()
	f.start = f.prompt.Value()
	f.fresh = (r.counts() || r.kind == oftenRow || r.kind == nameRow) && r.text != ""
	if r.kind == nameRow {
		f.names = f.namesOf(r)
		if r.text == "" { // a name that is there is walked past, not chosen anew
			f.list.Show(typeahead.Offer{Items: f.names, Typed: true})
		}
	}
}

// focusPath returns the row at p the keyboard, or the one around it.
func (f *form) focusPath(p doc.Path) {
	best := -1
	for i, r := range f.rows {
		q := r.input.State.Path
		if p.HasPrefix(q) || q.HasPrefix(p) && len(p) > len(f.filter) {
			best = i
			break
		}
	}
	if best < 0 { // the second end of a range is a place of its own
		best = slices.IndexFunc(f.rows, func(r row) bool { return r.end == 1 })
	}
	if best >= 0 {
		f.focusRow(best)
	}
}

// key takes a key, and reports whether the filter is done with.
func (f *form) key(msg tea.KeyMsg) bool {
	k := f.keys
	r, ok := f.row()
	leaving := key.Matches(msg, k.Close) || msg.String() == "enter" || key.Matches(msg, k.Next) && !(f.offering() && key.Matches(msg, k.Pick)) || key.Matches(msg, k.Prev)
	if _, marked := f.marked(); leaving && ok && !marked {
		if err := f.unread(r); err != nil && !f.refused {
			f.failure, f.refused = sentence(err), true // once: whoever leaves after that means it
			return false
		}
	}
	switch {
	case key.Matches(msg, k.Close):
		f.keepTyped()
		return true
	case !ok:
	case f.offering() && f.list.Key(msg.String()):
		f.takeTyped(r)
	case msg.String() == "enter":
		return f.enter(r)
	case key.Matches(msg, k.Next):
		if f.typed() {
			f.takePick(r)
		}
		f.focusRow(f.at + 1)
	case key.Matches(msg, k.Prev):
		f.keepTyped()
		f.focusRow(f.at - 1)
	case key.Matches(msg, k.Clear):
		f.write(f.before, r, nil)
		f.focusRow(f.at)
	case f.typing:
		f.typeKey(r, msg)
	case r.kind == toggleRow:
		f.toggleKey(r, msg)
	case r.kind == choiceRow:
		f.choiceKey(r, msg)
	}
	return false
}

// enter goes on to what still has to be said, and reports whether nothing has.
func (f *form) enter(r row) bool {
	took := f.takePick(r)
	if r.kind == nameRow && f.prompt.Value() == "" {
		f.failure = "Type a name first, or press esc to cancel."
		return false
	}
	if _, _, whole := f.splitAction(r); whole {
		return true
	}
	known := r.kind == nameRow && f.knows(f.prompt.Value())
	if took && f.node().Kind == audience.Segment {
		return true
	}
	for i := f.at + 1; i < len(f.rows); i++ {
		next := f.rows[i]
		if next.needed() && !(known && next.input.Part == audience.DataType) {
			f.focusRow(i)
			return false
		}
	}
	return true
}

// typed reports that the line of text is another than the row began with.
func (f *form) typed() bool { return f.typing && f.prompt.Value() != f.start }

// offering reports that there are names to choose from below the row.
func (f *form) offering() bool { return f.typing && f.list.Len() > 0 }

// knows reports whether a name is one of those that the row suggests.
func (f *form) knows(name string) bool {
	return slices.ContainsFunc(f.names, func(it typeahead.Item) bool { return it.Value == name })
}

// marked returns the suggested name that is highlighted in the place of another text.
func (f *form) marked() (string, bool) {
	r, ok := f.list.Highlighted()
	return r.Value, ok && f.typing && !r.Free && r.Value != f.prompt.Value()
}

// takePick fills in the name that is highlighted. It reports whether the row holds another one than
// before.
func (f *form) takePick(r row) bool {
	name, ok := f.marked()
	if r.kind != nameRow && r.kind != oftenRow || !ok {
		return r.kind == nameRow && f.prompt.Value() != f.start
	}
	f.prompt.SetValue(name)
	f.list.Clear()
	f.write(f.before, r, []string{name})
	return true
}

// keepTyped keeps what was typed of a name when its row is left without a choice. Where another name was looked
// for, the old one stays.
func (f *form) keepTyped() {
	r, ok := f.row()
	if _, marked := f.marked(); ok && marked && !f.over && r.kind == nameRow && f.typed() && f.prompt.Value() != "" {
		f.write(f.before, r, []string{f.prompt.Value()})
	}
}

// typeKey takes a key of a line of text.
func (f *form) typeKey(r row, msg tea.KeyMsg) {
	over := f.fresh && !msg.Alt && (msg.Type == tea.KeyRunes || msg.Type == tea.KeyBackspace)
	if over {
		f.prompt.SetValue("")
		f.over = true
	}
	f.fresh = false
	if !f.prompt.Update(msg) && !over {
		return
	}
	text := f.prompt.Value()
	if r.kind == nameRow {
		typed := text != f.start
		if name, _, _ := f.splitAction(r); name != "" { // the event's name, and how often
			f.list.Clear()
			f.takeTyped(r)
			return
		}
		f.list.Show(typeahead.Offer{Items: typeahead.Match(f.names, text), Text: text, Typed: typed && text != "", Free: typed, Note: f.strange()})
	}
	if r.kind == oftenRow {
		f.refused = false
		f.list.Show(typeahead.Offer{Items: typeahead.Items(audience.SuggestFrequencies(text)), Text: text, Typed: f.unread(r) != nil})
	}
	f.takeTyped(r)
}

// unread says why the words of a row cannot be read; nil where they can, or mean nothing by themselves.
func (f *form) unread(r row) error {
	if r.kind != oftenRow || !f.typed() {
		return nil
	}
	_, err := audience.SetFrequency(f.before, f.filter, f.prompt.Value(), f.env())
	return err
}

// splitAction reads a whole sentence that is typed in the place of an event's name.
func (f *form) splitAction(r row) (name, often string, ok bool) {
	if r.kind != nameRow || f.node().Kind != audience.Action {
		return "", "", false
	}
	names := make([]string, len(f.names))
	for i, it := range f.names {
		names[i] = it.Value
	}
	return audience.SplitAction(f.prompt.Value(), names, f.env())
}

// takeTyped writes what is typed, unless that is the beginning of a name which is marked below: half
// a name would be counted and saved.
func (f *form) takeTyped(r row) {
	text := f.prompt.Value()
	name, _, whole := f.splitAction(r)
	if _, marked := f.marked(); text == f.start || marked && text != "" || name != "" && !whole || f.unread(r) != nil {
		f.setRoot(f.before)
	} else {
		f.write(f.before, r, []string{text})
	}
}

func (f *form) toggleKey(r row, msg tea.KeyMsg) {
	was := r.on()
	on := was
	switch msg.String() {
	case " ", "left", "right", "h", "l":
		on = !on
	case "y":
		on = true
	case "n":
		on = false
	default:
		return
	}
	if on == was && r.text != "" {
		return
	}
	f.write(f.root, r, []string{map[bool]string{true: "true", false: "false"}[on]})
	f.before = f.root
}

// choiceKey chooses among options: the next, the one before, or one by its first letter.
func (f *form) choiceKey(r row, msg tea.KeyMsg) {
	options := r.offered()
	if len(options) == 0 {
		return
	}
	at := slices.IndexFunc(options, func(o schema.OptionState) bool { return o.Value == r.text })
	n := len(options)
	switch s := msg.String(); s {
	case "right", " ":
		at = (at + 1) % n
	case "left":
		at = (max(at, 0) + n - 1) % n
	default:
		if len(msg.Runes) != 1 {
			return
		}
		found := -1
		for i := range n {
			j := (at + 1 + i + n) % n
			if strings.HasPrefix(strings.ToLower(options[j].Title()), strings.ToLower(s)) {
				found = j
				break
			}
		}
		if found < 0 {
			return
		}
		at = found
	}
	f.choose(r, options[at].Value)
}

// choose takes an option. The one that was there before brings back all that went with it.
func (f *form) choose(r row, value string) {
	if value == f.start {
		f.setRoot(f.before)
		return
	}
	f.write(f.before, r, []string{value})
}

// write puts what was typed or chosen for a row into a document; nothing takes it out.
func (f *form) write(root doc.Value, r row, texts []string) {
	out, err := f.written(root, r, texts)
	if err != nil {
		f.failure = sentence(err)
		return
	}
	if why := f.locked(f.filter); why != "" {
		f.failure = why
		return
	}
	f.setRoot(out)
}

func (f *form) written(root doc.Value, r row, texts []string) (doc.Value, error) {
	p, filter := r.input.State.Path, f.filter
	text := strings.Join(texts, "")
	switch {
	case r.input.Part == audience.Value && r.kind != fixedRow:
		return audience.SetValues(root, filter, r.values(f.env(), root.Lookup(filter), texts))
	case r.kind == oftenRow:
		return audience.SetFrequency(root, filter, text, f.env())
	case text == "":
		return root.Delete(p), nil
	case r.input.Part == audience.Name:
		if name, often, ok := f.splitAction(r); ok {
			named, err := audience.SetName(root, filter, name, f.cfg.Workspace)
			if err != nil {
				return root, err
			}
			return audience.SetFrequency(named, filter, often, f.env())
		}
		return audience.SetName(root, filter, text, f.cfg.Workspace)
	case r.input.Part == audience.DataType:
		return audience.SetDataType(root, filter, text)
	case r.input.Part == audience.Operator:
		return audience.SetOperator(root, filter, text)
	case r.kind == toggleRow:
		return root.Set(p, doc.NewBool(text == "true"))
	}
	if r.input.State.Node != nil && r.input.State.Node.Kind == schema.Integer {
		if n, ok := doc.NewNumber(strings.TrimSpace(text)); ok {
			return root.Set(p, n)
		}
	}
	return root.Set(p, doc.NewString(text))
}

// setRoot takes over a change of the open filter; the row keeps the keyboard, and its text.
func (f *form) setRoot(root doc.Value) {
	f.root, f.stepped = root, false
	f.refresh()
	f.goTo(f.filter)
	was, _ := f.row()
	f.rows = f.made()
	for i, r := range f.rows {
		if r.input.State.Path.Equal(was.input.State.Path) && r.end == was.end {
			f.at = i
			return
		}
	}
	f.at = max(0, min(f.at, len(f.rows)-1))
}

func (f *form) bindings() []key.Binding {
	k := f.keys
	r, ok := f.row()
	if !ok {
		return []key.Binding{k.Close}
	}
	done := k.Done
	switch {
	case f.offering() && f.list.At() >= 0:
		done = bind("enter", "take it", "enter")
	case !slices.ContainsFunc(f.rows[f.at+1:], row.needed):
		done = bind("enter", "done", "enter")
	}
	out := []key.Binding{done, k.Close}
	switch {
	case f.offering():
		out = append(out, k.Pick)
	case r.kind == choiceRow:
		out = append(out, k.Change)
	case r.kind == toggleRow:
		out = append(out, bind("space", "yes or no", " ", "left", "right", "y", "n"))
	}
	return append(out, k.Next, k.Prev, k.Clear, k.FormEditor)
}

package filters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms/typeahead"
	"bugle/ui/widget"
)

// form is a filter opened in place, with a row for each input.
type form struct {
	*outline
	filter doc.Path
	rows   []row
	cursor int
	option int  // the highlighted option of a choice
	typing bool // the row is a text field

	before    doc.Value // the document when the row was focused, into which the text is written
	prompt    widget.Prompt
	start     string           // the prompt's text at that time
	names     []typeahead.Item // suggestions for the row
	list      typeahead.List   // the suggestions that match the text
	replacing bool             // the text replaces that of the row
	fresh     bool             // the row is unchanged: typing replaces its text
}

// openForm opens the filter under the cursor at its first row.
func (t *Tree) openForm() {
	t.open = &form{outline: t.outline, filter: t.node().Path, prompt: widget.NewPrompt(t.cfg.Theme, "", "")}
	t.open.rows = t.open.buildRows()
	t.open.focusRow(0)
}

// reopen rebuilds the rows of the open filter, and closes it if the filter does not exist any more.
func (t *Tree) reopen() {
	f := t.open
	if !f.filter.Equal(t.node().Path) {
		t.goTo(f.filter)
	}
	if n := t.node(); !f.filter.Equal(n.Path) || n.Kind == audience.Group {
		t.open = nil
		return
	}
	f.rows = f.buildRows()
	f.focusRow(f.cursor)
}

// closeForm closes the open filter. A new one that is still empty is removed.
func (t *Tree) closeForm() {
	if t.open == nil {
		return
	}
	t.open = nil
	if t.draftIsEmpty() {
		t.root, t.cursor = t.draft.before, t.draft.from
		t.refresh()
	}
	t.draft = nil
}

func (f *form) row() (row, bool) {
	if f.cursor < 0 || f.cursor >= len(f.rows) {
		return row{}, false
	}
	return f.rows[f.cursor], true
}

// focusRow focuses a row.
func (f *form) focusRow(i int) {
	f.cursor = max(0, min(i, len(f.rows)-1))
	f.before, f.typing, f.names, f.fresh, f.replacing = f.root, false, nil, false, false
	f.list.Clear()
	r, ok := f.row()
	f.start, f.option = r.text, r.optionIndex()
	if !ok || !r.kind.isText() {
		return
	}
	f.typing = true
	f.prompt = widget.NewPrompt(f.cfg.Theme, "", r.placeholder())
	f.prompt.SetValue(r.text)
	f.prompt.Focus()
	f.start = f.prompt.Value()
	f.fresh = (r.isCount() || r.kind == frequencyRow || r.kind == nameRow) && r.text != "" && f.parseError(r) == nil
	if r.kind == nameRow {
		f.names = f.namesOf(r)
		if r.text == "" { // an existing name is not replaced when the cursor passes it
			f.list.Show(typeahead.Options{Items: f.names, Typed: true})
		}
	}
}

// focusPath focuses the row at p, or the one around it.
func (f *form) focusPath(p doc.Path) {
	best := -1
	for i, r := range f.rows {
		q := r.input.State.Path
		if p.HasPrefix(q) || q.HasPrefix(p) && len(p) > len(f.filter) {
			best = i
			break
		}
	}
	if best < 0 { // the upper end of a range has a path of its own
		best = slices.IndexFunc(f.rows, func(r row) bool { return r.end == 1 })
	}
	if best >= 0 {
		f.focusRow(best)
	}
}

// key handles a key and reports whether the form is done.
func (f *form) key(msg tea.KeyMsg) bool {
	k := f.keys
	r, ok := f.row()
	_, marked := f.highlightedName()
	switch {
	case key.Matches(msg, k.Close):
		return !f.discard(r)
	case !ok:
	case f.hasSuggestions() && f.list.Key(msg.String()):
	case msg.String() == "enter" && r.kind == frequencyRow && !marked && f.parseError(r) != nil:
		f.failure = phrase.Sentence(f.parseError(r).Error())
	case msg.String() == "enter":
		return f.enter(r)
	case key.Matches(msg, k.Next):
		if f.textChanged() {
			f.acceptSuggestion(r)
		}
		f.focusRow(f.cursor + 1)
	case key.Matches(msg, k.Prev):
		f.focusRow(f.cursor - 1)
	case key.Matches(msg, k.Clear):
		f.write(f.before, r, nil)
		f.focusRow(f.cursor)
	case f.typing:
		f.typeKey(r, msg)
	case r.kind == toggleRow:
		f.toggleKey(r, msg)
	case r.kind == choiceRow:
		f.choiceKey(r, msg)
	}
	return false
}

// enter moves to the next required row, and reports whether there is none.
func (f *form) enter(r row) bool {
	took := f.acceptSuggestion(r)
	if value, ok := f.highlightedOption(r); ok {
		f.choose(r, value)
	}
	if r.kind == nameRow && f.prompt.Value() == "" {
		f.failure = "Type a name first, or press esc to cancel."
		return false
	}
	if _, _, whole := f.splitAction(r); whole {
		return true
	}
	known := r.kind == nameRow && f.isSuggested(f.prompt.Value())
	if took && f.node().Kind == audience.Segment {
		return true
	}
	for i := f.cursor + 1; i < len(f.rows); i++ {
		next := f.rows[i]
		if next.needsInput() && !(known && next.input.Part == audience.DataType) {
			f.focusRow(i)
			return false
		}
	}
	return true
}

// textChanged reports whether the text differs from the row's initial text.
func (f *form) textChanged() bool { return f.typing && f.prompt.Value() != f.start }

// hasSuggestions reports whether suggestions are shown below the row.
func (f *form) hasSuggestions() bool { return f.typing && f.list.Len() > 0 }

// isSuggested reports whether a name is one of the row's suggestions.
func (f *form) isSuggested(name string) bool {
	return slices.ContainsFunc(f.names, func(it typeahead.Item) bool { return it.Value == name })
}

// highlightedName returns the highlighted suggestion that would replace the text.
func (f *form) highlightedName() (string, bool) {
	r, ok := f.list.Highlighted()
	return r.Value, ok && f.typing && !r.Free && r.Value != f.prompt.Value()
}

// acceptSuggestion fills in the highlighted name. It reports whether the value changed.
func (f *form) acceptSuggestion(r row) bool {
	name, ok := f.highlightedName()
	if r.kind != nameRow && r.kind != frequencyRow || !ok {
		return r.kind == nameRow && f.prompt.Value() != f.start
	}
	f.prompt.SetValue(name)
	f.list.Clear()
	f.write(f.before, r, []string{name})
	return true
}

// discard discards a text that cannot be read, or that searches for a name in place of another: the row has its old value
// again, and the footer says so. It returns false if there is no such text.
func (f *form) discard(r row) bool {
	text := f.prompt.Value()
	_, _, whole := f.splitAction(r)
	if !f.textChanged() || !(r.kind == nameRow && f.replacing && !whole && !f.isSuggested(text)) && !(r.kind == frequencyRow && f.parseError(r) != nil) {
		return false
	}
	f.setRoot(f.before)
	f.focusRow(f.cursor)
	f.failure = fmt.Sprintf("Discarded “%s”. It is still “%s”.", text, f.start)
	return true
}

// typeKey handles a key in a text field.
func (f *form) typeKey(r row, msg tea.KeyMsg) {
	over := f.fresh && !msg.Alt && (msg.Type == tea.KeyRunes || msg.Type == tea.KeyBackspace)
	if over {
		f.prompt.SetValue("")
		f.replacing = true
	}
	f.fresh = false
	if !f.prompt.Update(msg) && !over {
		return
	}
	text := f.prompt.Value()
	if r.kind == nameRow {
		typed := text != f.start
		if _, _, whole := f.splitAction(r); whole { // the event's name and its frequency
			f.list.Clear()
			f.acceptText(r)
			return
		}
		f.list.Show(typeahead.Options{Items: typeahead.Match(f.names, text), Text: text, Typed: typed && text != "", Free: typed, Note: f.unknownNote()})
	}
	if r.kind == frequencyRow {
		f.list.Show(typeahead.Options{Items: typeahead.Items(audience.SuggestFrequencies(text)), Text: text, Typed: f.parseError(r) != nil})
	}
	f.acceptText(r)
}

// parseError returns why the frequency in the text of a row cannot be parsed; nil if it can, or there is none.
func (f *form) parseError(r row) error {
	often := f.prompt.Value()
	if name, rest, whole := f.splitAction(r); name != "" && !whole {
		often = rest
	} else if r.kind != frequencyRow {
		return nil
	}
	_, err := audience.SetFrequency(f.before, f.filter, often, f.env())
	return err
}

// splitAction parses a whole sentence that is typed instead of an event's name.
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

// acceptText writes the text, whatever it is: nothing typed is lost, however the row is left.
func (f *form) acceptText(r row) {
	if text := f.prompt.Value(); text == f.start {
		f.setRoot(f.before)
	} else {
		f.write(f.before, r, []string{text})
	}
}

func (f *form) toggleKey(r row, msg tea.KeyMsg) {
	was := r.isYes()
	on := was
	switch msg.String() {
	case " ":
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

// highlightedOption returns the option that the arrows lead to, unless it is the current one.
func (f *form) highlightedOption(r row) (string, bool) {
	options := r.availableOptions()
	if r.kind != choiceRow || f.option < 0 || f.option >= len(options) {
		return "", false
	}
	value := options[f.option].Value
	return value, value != r.text
}

// choiceKey handles a key in a choice: arrows highlight an option, space chooses it, or the next one if it is the current
// one, and a letter chooses the next option that begins with it.
func (f *form) choiceKey(r row, msg tea.KeyMsg) {
	options := r.availableOptions()
	if len(options) == 0 {
		return
	}
	at, n := r.optionIndex(), len(options)
	switch s := msg.String(); s {
	case "right":
		f.option = min(f.option+1, n-1)
		return
	case "left":
		f.option = max(f.option-1, 0)
		return
	case " ":
		if _, ok := f.highlightedOption(r); ok {
			at = f.option
		} else {
			at = (at + 1) % n
		}
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

// choose selects an option. Returning to the original one restores everything that depended on it.
func (f *form) choose(r row, value string) {
	if value == f.start {
		f.setRoot(f.before)
	} else {
		f.write(f.before, r, []string{value})
	}
	now, _ := f.row()
	f.option = now.optionIndex()
}

// write writes the texts of a row into a document; no text removes the value.
func (f *form) write(root doc.Value, r row, texts []string) {
	out, err := f.written(root, r, texts)
	if err != nil {
		f.failure = phrase.Sentence(err.Error())
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
	case r.kind == frequencyRow:
		if out, err := audience.SetFrequency(root, filter, text, f.env()); err == nil {
			return out, nil
		}
		return audience.KeepFrequency(root, filter, text)
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

// setRoot adopts a change of the open filter; the row keeps its focus and its text.
func (f *form) setRoot(root doc.Value) {
	f.root, f.wasOperation = root, false
	f.refresh()
	f.goTo(f.filter)
	was, _ := f.row()
	f.rows = f.buildRows()
	for i, r := range f.rows {
		if r.input.State.Path.Equal(was.input.State.Path) && r.end == was.end {
			f.cursor = i
			return
		}
	}
	f.cursor = max(0, min(f.cursor, len(f.rows)-1))
}

func (f *form) bindings() []key.Binding {
	k := f.keys
	r, ok := f.row()
	if !ok {
		return []key.Binding{k.Close}
	}
	done := k.Done
	_, other := f.highlightedOption(r)
	switch {
	case f.hasSuggestions() && f.list.At() >= 0, other:
		done = bind("enter", "take it", "enter")
	case !slices.ContainsFunc(f.rows[f.cursor+1:], row.needsInput):
		done = bind("enter", "done", "enter")
	}
	out := []key.Binding{done, k.Close}
	switch {
	case f.hasSuggestions():
		out = append(out, k.Pick)
	case r.kind == choiceRow:
		out = append(out, k.Change, k.Highlight)
	case r.kind == toggleRow:
		out = append(out, bind("space", "yes or no", " ", "y", "n"))
	}
	return append(out, k.Next, k.Prev, k.Clear, k.FormEditor)
}

package filters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/forms"
	"bugle/forms/typeahead"
	"bugle/ui/widget"
)

// openFilter is a filter that is opened in place: a form of its inputs.
type openFilter struct {
	*forms.Form
	inputs inputs
	indent int
	line   int // the line of the tree that the form begins at

	width, height int // of the form
}

// openForm opens the filter under the cursor at its first input.
func (t *Tree) openForm() {
	p := t.node().Path
	cfg := t.cfg.Config
	in := inputs{cfg: t.cfg, filter: p, seen: t.valuesOfOpen()}
	cfg.Root, cfg.Path, cfg.Inputs, cfg.Focus = t.root, p, in, ""
	t.open = &openFilter{Form: forms.New(cfg), inputs: in}
	t.open.SetProblems(t.problems)
	t.open.SetActive(!t.inactive)
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

// focusPart focuses the input of the value at p, or of the one around it.
func (o *openFilter) focusPart(p doc.Path, root doc.Value) {
	if o.FocusPath(p) {
		return
	}
	for i, part := range o.inputs.parts(root) { // the upper end of a range has a path of its own
		if part.end == 1 || part.State.Path.HasPrefix(p) && len(p) > len(o.inputs.filter) {
			o.FocusInput(i)
		}
	}
}

// reopen shows the open filter in a new document, and closes it if it does not exist there.
func (t *Tree) reopen() {
	p := t.open.inputs.filter
	if !t.goTo(p) || t.node().Kind == audience.Group {
		t.open = nil
		return
	}
	t.open.Reload(t.root)
}

// formKey handles a key in the open filter.
func (t *Tree) formKey(msg tea.KeyMsg) tea.Cmd {
	in, ok := t.open.Input()
	switch {
	case ok && key.Matches(msg, editorKey):
		return t.editJSON()
	case key.Matches(msg, closeKey) && !t.open.Modal():
		t.closeForm()
		return nil
	case ok && msg.String() == "enter" && t.locked(in.Path) == "":
		t.enter(in)
		return nil
	}
	typed := t.open.Text()
	cmd := t.open.Update(msg)
	t.adopt()
	if now := t.open.Text(); ok && key.Matches(msg, closeKey) && in.Kind != forms.InputChoice && now != typed {
		t.failure = fmt.Sprintf("Discarded “%s”. It is still “%s”.", typed, now)
	}
	return cmd
}

// bindings returns the keys of the form with those of the filter: enter goes on, where the form would open a choice.
func (o *openFilter) bindings(form []key.Binding) []key.Binding {
	if o.Modal() {
		return form
	}
	out := []key.Binding{bind("enter", "next", "enter"), bind("esc", "done", "esc")}
	if in, ok := o.Input(); ok && in.Kind == forms.InputChoice {
		out = append(out, bind("space", "choose", " "))
	}
	return append(out, slices.DeleteFunc(form, func(b key.Binding) bool {
		return b.Help().Key == "enter" || b.Help().Key == "space"
	})...)
}

// adopt takes over the document of the open filter.
func (t *Tree) adopt() {
	root, _ := t.open.Edited()
	if root.Same(t.root) {
		return
	}
	t.root, t.wasOperation = root, false
	t.refresh()
	t.goTo(t.open.inputs.filter)
}

// enter accepts what is highlighted, and goes on to the next input that is needed; after the last one the filter is done.
func (t *Tree) enter(in forms.Input) {
	was, changed := t.root, t.open.Accept()
	t.adopt()
	now, _ := t.open.Input()
	words, err := t.open.inputs.Read(was, in, t.open.Text())
	switch {
	case changed && in.Kind == forms.InputList:
		return // for the next value
	case err != nil && (in.Kind == forms.InputWords || in.Kind == forms.InputName):
		return // it stays, with the reason
	case in.Kind == forms.InputName && now.Text == "":
		t.failure = "Type a name first, or press esc to cancel."
		return
	case in.Kind == forms.InputName && words != "", changed && t.node().Kind == audience.Segment:
		t.closeForm()
		return
	}
	known := slices.ContainsFunc(now.Suggest, func(it typeahead.Item) bool { return it.Value == now.Text })
	for i, p := range t.open.inputs.parts(t.root) {
		if i > now.Index && t.open.inputs.needs(p) && !(known && p.Part == audience.DataType) {
			t.open.FocusInput(i)
			return
		}
	}
	t.closeForm()
}

// layForm adds the lines of the open filter.
func (t *Tree) layForm() {
	o := t.open
	o.indent = 2 + 2*t.node().Depth
	if t.cfg.Width < narrowWidth {
		o.indent = 1 + t.node().Depth
	}
	width, height := max(t.cfg.Width-o.indent, 1), max(t.window.Height-1, 1)
	if width != o.width || height != o.height { // which the form would lay out anew
		o.width, o.height = width, height
		o.SetSize(width, height)
	}
	o.line = len(t.lines)
	for l := range strings.SplitSeq(o.View(), "\n") {
		t.lines = append(t.lines, line{text: strings.Repeat(" ", o.indent) + widget.Truncate(l, width), node: t.cursor, option: -1, form: true})
	}
}

// formMouse passes a mouse event on a line of the open filter to its form.
func (t *Tree) formMouse(msg tea.MouseMsg, at int) {
	msg.X, msg.Y = msg.X-t.open.indent, at-t.open.line
	before, _ := t.open.Input()
	wasModal := t.open.Modal()
	t.open.Update(msg)
	t.adopt()
	if now, ok := t.open.Input(); ok && wasModal && before.Kind == forms.InputName && now.Index != before.Index {
		t.enter(before)
	}
}

package filters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/forms"
	"bugle/forms/typeahead"
	"bugle/ui/widget"
)

// openFilter is a filter that is opened in place: a form of its inputs.
type openFilter struct {
	*forms.Form
	inputs *inputs
	indent int
	line   int // the line of the tree that the form begins at

	width, height int // of the form
}

// openForm opens the filter under the cursor at its first input.
func (t *Tree) openForm() {
	p := t.node().Path
	cfg := t.cfg.Config
	in := &inputs{cfg: t.cfg, filter: p, seen: t.valuesOfOpen()}
	cfg.Root, cfg.Path, cfg.Inputs, cfg.Focus = t.root, p, in.of, ""
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
	in := t.open.Input()
	switch {
	case key.Matches(msg, editorKey):
		return t.editJSON()
	case key.Matches(msg, closeKey) && !t.open.Modal():
		t.closeForm()
		return nil
	case msg.String() == "enter" && t.locked(in.Path) == "":
		t.enter(in)
		return nil
	}
	typed := t.open.Text()
	cmd := t.open.Update(msg)
	t.adopt()
	if now := t.open.Text(); key.Matches(msg, closeKey) && in.Shape != forms.ShapeChoice && now != typed {
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
	if o.Input().Shape == forms.ShapeChoice {
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
	now := t.open.Input()
	words, isName := "", in.Shape == forms.ShapeName
	var err error
	if in.Read != nil {
		words, _, err = in.Read(was, t.open.Text())
	}
	switch {
	case changed && in.Shape == forms.ShapeList:
		return // for the next value
	case err != nil && (in.Shape == forms.ShapeWords || isName):
		return // it stays, with the reason
	case isName && now.Text == "":
		t.failure = "Type a name first, or press esc to cancel."
		return
	case isName && words != "", changed && t.node().Kind == audience.Segment:
		t.closeForm()
		return
	}
	known := slices.ContainsFunc(now.Suggest, func(it typeahead.Item) bool { return it.Value == now.Text })
	for i, p := range t.open.inputs.parts(t.root) {
		needed := (p.State.Required || p.Part != audience.Plain) && !(known && p.Part == audience.DataType)
		if i > t.open.Cursor() && needed {
			t.open.FocusLine(i)
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
		t.lines = append(t.lines, line{text: strings.Repeat(" ", o.indent) + widget.Truncate(l, width), node: t.cursor, form: true})
	}
}

// formMouse passes a mouse event on a line of the open filter to its form.
func (t *Tree) formMouse(msg tea.MouseMsg, line int) {
	msg.X, msg.Y = msg.X-t.open.indent, line-t.open.line
	before, at, wasModal := t.open.Input(), t.open.Cursor(), t.open.Modal()
	t.open.Update(msg)
	t.adopt()
	if wasModal && before.Shape == forms.ShapeName && t.open.Cursor() != at {
		t.enter(before)
	}
}

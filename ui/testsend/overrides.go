package testsend

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// override is a value that replaces the recipients' own, for an attribute that the messages use.
type override struct {
	model.Value
	prompt widget.Prompt
}

func (o *override) row() rowID { return rowID{kind: rowOverride, attribute: o.Attribute} }

// offerOverrides lists the attributes that the messages to send use. What was typed for others is kept: another platform or
// locale may use them.
func (f *form) offerOverrides() {
	f.filter = f.draft.Normalize(f.filter)
	f.overrides = nil
	for _, a := range f.draft.Values(f.draft.Matching(f.filter)) {
		o := override{Value: a, prompt: widget.NewPrompt(f.theme, "", "")}
		o.prompt.SetValue(f.typed[a.Attribute])
		f.overrides = append(f.overrides, o)
	}
}

// addOverrides adds the overrides to a test, and returns why one of them is invalid.
func (f *form) addOverrides(t *engine.TestSend) (why string) {
	for i := range f.overrides {
		o := &f.overrides[i]
		if err := o.SetOverride(t, o.prompt.Value()); err != nil {
			why = cmp.Or(why, fmt.Sprintf("The value for %s %s.", o.Name, err))
		}
	}
	return why
}

// typeOverride handles a key in an override. What is typed in one without leaving it is one step of undo.
func (f *form) typeOverride(msg tea.KeyMsg) tea.Cmd {
	for i := range f.overrides {
		if o := &f.overrides[i]; o.row() == f.at && o.prompt.Update(msg) {
			return f.setOverride(o)
		}
	}
	return nil
}

// setOverride takes the text of an override's prompt.
func (f *form) setOverride(o *override) tea.Cmd {
	set := func(in *input) {
		in.typed = maps.Clone(in.typed)
		in.typed[o.Attribute] = o.prompt.Value()
	}
	if f.lastTyped == o.row() {
		set(&f.input)
	} else {
		f.change(o.Name, o.row(), set)
		f.lastTyped = o.row()
	}
	return f.forecast.update(f.request())
}

// ownValue describes the recipients' own values of an attribute.
func (f *form) ownValue(o *override) string {
	own, lack := f.draft.OwnValues(o.Attribute, f.forecast.forecast.DataUsers)
	present := model.Summarize(own)
	fallback := strings.Join(o.Fallbacks, " or ") + " by default"
	switch {
	case present != "" && lack && len(o.Fallbacks) > 0:
		return present + "; " + fallback
	case present != "" && lack:
		return present + "; missing for others"
	case present != "":
		return present
	case len(o.Fallbacks) > 0:
		return fallback
	case f.forecast.current().Certain():
		return "missing"
	case o.Event:
		return "from the event"
	}
	return "the user's own value"
}

// overrideRows returns the rows of the overrides.
func (f *form) overrideRows() []row {
	label := labelWidth
	for i := range f.overrides {
		label = max(label, widget.Width(widget.Clean(f.overrides[i].Name))+2)
	}
	var rows []row
	for i := range f.overrides {
		rows = append(rows, f.overrideRow(&f.overrides[i], label))
	}
	if len(rows) > 0 {
		rows[0].heads = []string{"", "  " + f.theme.Strong.Render("Personalization") + f.theme.Faint.Render("  for this test only")}
	}
	return rows
}

// overrideRow returns the row of an override, beside a column of names.
func (f *form) overrideRow(o *override, label int) row {
	where := "every message"
	if all := len(f.draft.Matching(f.filter)); o.Messages < all {
		where = fmt.Sprintf("%d of %d messages", o.Messages, all)
	}
	description := fmt.Sprintf("{{%s}} in %s", strings.Join(o.Sources, "}}, {{"), where)
	o.prompt.Placeholder = f.ownValue(o)
	r := row{rowID: o.row(), more: []screen.Action{f.leaveAction()}}
	r.enter = screen.Action{Label: "next", Help: "go to the next field", Run: func() tea.Cmd { return f.move(1) }}
	r.draw = func(w int) []string {
		label := min(label, max(w/2-2, 1))
		head := f.theme.Muted.Render(widget.PadRight(widget.Truncate(widget.Clean(o.Name), label-1), label))
		o.prompt.SetSize(max(w-2-label, 1), 1)
		lines := []string{head + o.prompt.View()}
		if f.at == r.rowID {
			lines = f.addNote(lines, 4, w, f.theme.Faint, description)
		}
		if err := o.SetOverride(&engine.TestSend{}, o.prompt.Value()); err != nil {
			lines = f.addNote(lines, 2+label, w, f.theme.Danger, "✗ "+err.Error())
		}
		return lines
	}
	set := func(text string) tea.Cmd {
		o.prompt.SetValue(text)
		f.lastTyped = rowID{}
		return f.setOverride(o)
	}
	r.read = screen.Row{Text: widget.Clean(o.Name), State: widget.Clean(cmp.Or(o.prompt.Value(), o.prompt.Placeholder)), Field: &screen.FormField{
		Value: o.prompt.Value(), Help: []string{description}, Clear: func() tea.Cmd { return set("") },
		Set: func(text string) (string, tea.Cmd, error) {
			if err := o.SetOverride(&engine.TestSend{}, text); err != nil {
				return "", nil, screen.Refused("The value " + err.Error())
			}
			return "", set(text), nil
		},
	}}
	return r
}

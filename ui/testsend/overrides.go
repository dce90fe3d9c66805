package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/assemble"
	model "bugle/engine/testsend"
	"bugle/ui/widget"
)

// overrides are values that replace the recipients' own, for the attributes that the messages use.
type overrides struct {
	*sendContext
	fields []override
	typed  map[assemble.Attribute]string // includes attributes that the messages do not use now
	all    int                           // number of messages to send
}

// override is a value that replaces the recipient's own.
type override struct {
	model.Value
	prompt widget.Prompt
}

// setMessages lists the attributes used by the messages to send. Input for other attributes is kept: another
// platform or locale may use them.
func (v *overrides) setMessages(going []model.Message, f model.Forecast, certain bool) {
	v.typed, v.fields, v.all = v.current(), nil, len(going)
	for _, a := range v.draft.Values(going) {
		o := override{Value: a, prompt: widget.NewPrompt(v.theme, "", "")}
		o.prompt.SetValue(v.typed[a.Attribute])
		v.fields = append(v.fields, o)
	}
	v.compare(f, certain)
}

// current returns all input.
func (v *overrides) current() map[assemble.Attribute]string {
	out := map[assemble.Attribute]string{}
	for a, text := range v.typed {
		out[a] = text
	}
	for _, o := range v.fields {
		out[o.Attribute] = o.prompt.Value()
	}
	return out
}

// restore replaces all input. setMessages must be called after it.
func (v *overrides) restore(typed map[assemble.Attribute]string) { v.typed, v.fields = typed, nil }

// addTo adds the overrides to a test, and returns why one of them is invalid.
func (v *overrides) addTo(t *engine.TestSend) (why string) {
	for _, o := range v.fields {
		if err := o.SetOverride(t, o.prompt.Value()); err != nil && why == "" {
			why = fmt.Sprintf("The value for %s %s.", o.Name, err)
		}
	}
	return why
}

// changed counts the overrides.
func (v *overrides) changed() int {
	n := 0
	for _, o := range v.fields {
		if o.prompt.Value() != "" {
			n++
		}
	}
	return n
}

// maxShownValues is how many different values of recipients are shown for an attribute.
const maxShownValues = 3

// compare shows the recipients' own values as placeholders; certain reports whether the recipients are known.
func (v *overrides) compare(f model.Forecast, certain bool) {
	for i := range v.fields {
		o := &v.fields[i]
		own, lack := v.draft.OwnValues(o.Attribute, f.DataUsers)
		present := strings.Join(own, ", ")
		if len(own) > maxShownValues {
			present = fmt.Sprintf("%s and %d more", strings.Join(own[:maxShownValues], ", "), len(own)-maxShownValues)
		}
		fallback := strings.Join(o.Fallbacks, " or ") + " by default"
		switch {
		case present != "" && lack && len(o.Fallbacks) > 0:
			present += "; " + fallback
		case present != "" && lack:
			present += "; missing for others"
		case present != "":
		case len(o.Fallbacks) > 0:
			present = fallback
		case certain:
			present = "missing"
		case o.Event:
			present = "from the event"
		default:
			present = "the user's own value"
		}
		o.prompt.Placeholder = present
	}
}

// focus focuses one of the prompts; -1 blurs them.
func (v *overrides) focus(at int) {
	for i := range v.fields {
		v.fields[i].prompt.Blur()
		if i == at {
			v.fields[i].prompt.Focus()
		}
	}
}

// Update handles a key in the i-th prompt. It reports whether its value changed.
func (v *overrides) Update(i int, msg tea.KeyMsg) bool { return v.fields[i].prompt.Update(msg) }

// View draws the rows.
func (v *overrides) View(cursor rowID, w int) []row {
	if len(v.fields) == 0 {
		return nil
	}
	rows := []row{textRow(""), textRow("  " + v.theme.Strong.Render("Personalization") + v.theme.Faint.Render(widget.Truncate("  for this test only", max(w-17, 1))))}
	label := labelWidth
	for _, o := range v.fields {
		label = min(max(label, widget.Width(widget.Clean(o.Name))+2), max(w/2-2, 1))
	}
	kind := 0
	if w >= 48 { // a column for the data types
		for _, o := range v.fields {
			kind = max(kind, widget.Width(catalog.DataTypeLabel(o.DataType))+2)
		}
	}
	for i := range v.fields {
		o := &v.fields[i]
		o.prompt.SetSize(max(w-2-label-kind, 1), 1)
		name := v.theme.Muted.Render(widget.PadRight(widget.Truncate(widget.Clean(o.Name), label-1), label))
		if kind > 0 {
			name += v.theme.Faint.Render(widget.PadRight(catalog.DataTypeLabel(o.DataType), kind))
		}
		at := rowID{rowOverride, i}
		r := line(v.theme, cursor, at, "", name+o.prompt.View(), w)
		if cursor == at {
			r = addBelow(r, 4, w, v.theme.Faint, o.description(v.all))
		}
		if err := o.SetOverride(&engine.TestSend{}, o.prompt.Value()); err != nil {
			r = addBelow(r, 2+label, w, v.theme.Danger, "✗ "+err.Error())
		}
		rows = append(rows, r)
	}
	return rows
}

// description names where the content uses the attribute, in one line.
func (o override) description(all int) string {
	where := "every message"
	if o.Messages < all {
		where = fmt.Sprintf("%d of %d messages", o.Messages, all)
	}
	return fmt.Sprintf("{{%s}} in %s", strings.Join(o.Sources, "}}, {{"), where)
}

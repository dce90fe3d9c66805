package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/assemble"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/widget"
)

// values is where values are typed in place of the recipients' own, for the attributes that the messages use.
type values struct {
	*subject
	list  []override
	typed map[assemble.Attribute]string // also of attributes that the messages do not use now
	all   int                           // messages that would go out
}

// override is a value in place of the recipient's own.
type override struct {
	model.Value
	prompt widget.Prompt
}

// set offers the attributes that the messages use that would go out. What was typed stays, also while its attribute is
// not among them: another platform or locale brings it back.
func (v *values) set(going []model.Message, f model.Forecast, certain bool) {
	v.typed, v.list, v.all = v.now(), nil, len(going)
	for _, a := range v.draft.Values(going) {
		o := override{Value: a, prompt: widget.NewPrompt(v.theme, "", "")}
		o.prompt.SetValue(v.typed[a.Attribute])
		v.list = append(v.list, o)
	}
	v.compare(f, certain)
}

// now returns everything that is typed.
func (v *values) now() map[assemble.Attribute]string {
	out := map[assemble.Attribute]string{}
	for a, text := range v.typed {
		out[a] = text
	}
	for _, o := range v.list {
		out[o.Attribute] = o.prompt.Value()
	}
	return out
}

// put replaces everything that is typed. What is offered is set again after it.
func (v *values) put(typed map[assemble.Attribute]string) { v.typed, v.list = typed, nil }

// addTo adds the values to a test, and returns why one of them cannot be used.
func (v *values) addTo(t *engine.TestSend) (why string) {
	for _, o := range v.list {
		if err := o.SetOverride(t, o.prompt.Value()); err != nil && why == "" {
			why = fmt.Sprintf("The value for %s %s.", o.Name, err)
		}
	}
	return why
}

// changed counts the values that are typed.
func (v *values) changed() int {
	n := 0
	for _, o := range v.list {
		if o.prompt.Value() != "" {
			n++
		}
	}
	return n
}

// mostPresent is how many different values of recipients are shown of an attribute.
const mostPresent = 3

// compare shows in each place for a value what the recipients have there; certain reports that it is known who they are.
func (v *values) compare(f model.Forecast, certain bool) {
	for i := range v.list {
		o := &v.list[i]
		own, lack := v.draft.OwnValues(o.Attribute, f.Users)
		present := strings.Join(own, ", ")
		if len(own) > mostPresent {
			present = fmt.Sprintf("%s and %d more", strings.Join(own[:mostPresent], ", "), len(own)-mostPresent)
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

// focus returns one of the prompts the keyboard; -1 takes it away.
func (v *values) focus(at int) {
	for i := range v.list {
		v.list[i].prompt.Blur()
		if i == at {
			v.list[i].prompt.Focus()
		}
	}
}

// Update takes a key that is typed for the i-th value. It reports whether that changed.
func (v *values) Update(i int, msg tea.KeyMsg) bool { return v.list[i].prompt.Update(msg) }

// SetTheme changes the theme.
func (v *values) SetTheme(t themes.Theme) {
	for i := range v.list {
		v.list[i].prompt.SetTheme(t)
	}
}

// View draws the rows.
func (v *values) View(cursor spot, w int) []row {
	if len(v.list) == 0 {
		return nil
	}
	rows := []row{words(""), words("  " + v.theme.Strong.Render("Personalization") + v.theme.Faint.Render(widget.Truncate("  for this test only", max(w-17, 1))))}
	label := labelWidth
	for _, o := range v.list {
		label = min(max(label, widget.Width(widget.Clean(o.Name))+2), max(w/2-2, 1))
	}
	kind := 0
	if w >= 48 { // a column for the data types
		for _, o := range v.list {
			kind = max(kind, widget.Width(catalog.DataTypeLabel(o.DataType))+2)
		}
	}
	for i := range v.list {
		o := &v.list[i]
		o.prompt.SetSize(max(w-2-label-kind, 1), 1)
		name := v.theme.Muted.Render(widget.PadRight(widget.Truncate(widget.Clean(o.Name), label-1), label))
		if kind > 0 {
			name += v.theme.Faint.Render(widget.PadRight(catalog.DataTypeLabel(o.DataType), kind))
		}
		at := spot{onOverride, i}
		r := line(v.theme, cursor, at, "", name+o.prompt.View(), w)
		if cursor == at {
			r = below(r, 4, w, v.theme.Faint, o.about(v.all))
		}
		if err := o.SetOverride(&engine.TestSend{}, o.prompt.Value()); err != nil {
			r = below(r, 2+label, w, v.theme.Danger, "✗ "+err.Error())
		}
		rows = append(rows, r)
	}
	return rows
}

// about returns where the content uses the attribute, in one line.
func (o override) about(all int) string {
	where := "every message"
	if o.Messages < all {
		where = fmt.Sprintf("%d of %d messages", o.Messages, all)
	}
	return fmt.Sprintf("{{%s}} in %s", strings.Join(o.Sources, "}}, {{"), where)
}

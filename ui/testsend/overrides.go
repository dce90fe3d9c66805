package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/material"
	model "bugle/engine/testsend"
	"bugle/ui/widget"
)

// override is a value in place of the recipient's own.
type override struct {
	model.Value
	present string // what the recipients have
	prompt  widget.Prompt
}

// setOverrides offers the attributes that the messages use that would go out. What was typed stays,
// also while its attribute is not among them: another platform or locale brings it back.
func (s *Screen) setOverrides() {
	for _, o := range s.form.overrides {
		s.typedValues[o.Attribute] = o.prompt.Value()
	}
	var out []override
	for _, v := range s.draft.Values(s.going()) {
		o := override{Value: v, prompt: widget.NewPrompt(s.theme, "", "")}
		o.prompt.SetValue(s.typedValues[v.Attribute])
		out = append(out, o)
	}
	s.form.overrides = out
	s.presentValues()
}

// mostPresent is how many different values of recipients are shown of an attribute.
const mostPresent = 3

// presentValues shows in each place for a value what the recipients have there.
func (s *Screen) presentValues() {
	for i := range s.form.overrides {
		o := &s.form.overrides[i]
		var lack bool
		o.present, lack = s.present(o.Attribute)
		fallback := strings.Join(o.Fallbacks, " or ") + " by default"
		switch {
		case o.present != "" && lack && len(o.Fallbacks) > 0:
			o.present += "; " + fallback
		case o.present != "" && lack:
			o.present += "; missing for others"
		case o.present != "":
		case len(o.Fallbacks) > 0:
			o.present = fallback
		case s.told().Certain():
			o.present = "missing"
		case o.Event:
			o.present = "from the event"
		default:
			o.present = "the user's own value"
		}
		o.prompt.Placeholder = o.present
	}
}

// present returns what the recipients have of an attribute, empty where none of them has it; lack says that
// one of them does not.
func (s *Screen) present(a material.Attribute) (text string, lack bool) {
	values, lack := s.draft.Own(a, s.forecast.People)
	if len(values) > mostPresent {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:mostPresent], ", "), len(values)-mostPresent), lack
	}
	return strings.Join(values, ", "), lack
}

// about returns where the content uses the attribute, in one line.
func (o override) about(all int) string {
	where := "every message"
	if o.Messages < all {
		where = fmt.Sprintf("%d of %d messages", o.Messages, all)
	}
	return fmt.Sprintf("{{%s}} in %s", strings.Join(o.Sources, "}}, {{"), where)
}

// wrong returns why the value cannot be used; empty where it can.
func (o override) wrong() string {
	if o.prompt.Value() == "" {
		return ""
	}
	if _, err := engine.OverrideValue(o.DataType, o.prompt.Value()); err != nil {
		return err.Error()
	}
	return ""
}

// recallOverrides begins with the values of an earlier test.
func (s *Screen) recallOverrides(last engine.TestSend) {
	s.typedValues = model.Typed(last)
	s.form.overrides = nil
	s.setOverrides()
}

// changed counts the values that are typed.
func (s *Screen) changed() int {
	n := 0
	for _, o := range s.form.overrides {
		if o.prompt.Value() != "" {
			n++
		}
	}
	return n
}

// clearOverrides takes back every value that was typed.
func (s *Screen) clearOverrides() tea.Cmd {
	s.record(s.chosen(), "cleared the personalization", s.form.at)
	s.recallOverrides(engine.TestSend{})
	s.focus(s.form.at)
	return s.foresee()
}

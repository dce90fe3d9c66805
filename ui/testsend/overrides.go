package testsend

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/material"
	"bugle/ui/widget"
)

// override is a value in place of the recipient's own.
type override struct {
	material.Attribute
	dataType  string // of the workspace; empty where it does not say
	sources   []string
	fallbacks []string // what the default filters give, as written
	messages  int      // that use it
	present   string   // what the recipients have
	prompt    widget.Prompt
}

// setOverrides offers the attributes that the messages use that would go out. What was typed stays,
// also while its attribute is not among them: another platform or locale brings it back.
func (s *Screen) setOverrides() {
	for _, o := range s.form.overrides {
		s.typedValues[o.Attribute] = o.prompt.Value()
	}
	var out []override
	for _, m := range s.going() {
		counted := map[material.Attribute]bool{}
		for _, u := range m.uses {
			i := slices.IndexFunc(out, func(o override) bool { return o.Attribute == u.Attribute })
			if i < 0 {
				i = len(out)
				o := override{Attribute: u.Attribute, dataType: u.DataType(s.workspace), prompt: widget.NewPrompt(s.theme, "", "")}
				o.prompt.SetValue(s.typedValues[u.Attribute])
				out = append(out, o)
			}
			out[i].add(u, !counted[u.Attribute])
			counted[u.Attribute] = true
		}
	}
	s.form.overrides = out
	s.presentValues()
}

func (o *override) add(u material.Use, first bool) {
	if first {
		o.messages++
	}
	if !slices.Contains(o.sources, u.Source) {
		o.sources = append(o.sources, u.Source)
	}
	if u.Fallback != "" && !slices.Contains(o.fallbacks, u.Fallback) {
		o.fallbacks = append(o.fallbacks, u.Fallback)
	}
}

// mostPresent is how many different values of recipients are shown of an attribute.
const mostPresent = 3

// presentValues shows in each place for a value what the recipients have there.
func (s *Screen) presentValues() {
	for i := range s.form.overrides {
		o := &s.form.overrides[i]
		var lack bool
		o.present, lack = s.present(o.Attribute)
		fallback := strings.Join(o.fallbacks, " or ") + " by default"
		switch {
		case o.present != "" && lack && len(o.fallbacks) > 0:
			o.present += "; " + fallback
		case o.present != "" && lack:
			o.present += "; missing for others"
		case o.present != "":
		case len(o.fallbacks) > 0:
			o.present = fallback
		case s.nobodyHas():
			o.present = "missing"
		case o.Event:
			o.present = "from the event"
		default:
			o.present = "the user's own value"
		}
		o.prompt.Placeholder = o.present
	}
}

// nobodyHas reports whether it is known of every recipient who they are: what none of them has is missing.
func (s *Screen) nobodyHas() bool {
	people := s.forecast.people
	return s.forecast.of == s.asked && len(people) > 0 && !slices.ContainsFunc(people, func(p person) bool { return !p.sure })
}

// present returns what the recipients have of an attribute, empty where none of them has it; lack says that
// one of them does not.
func (s *Screen) present(a material.Attribute) (text string, lack bool) {
	var values []string
	for _, p := range s.forecast.people {
		if p.profile == nil {
			lack = lack || p.sure
			continue
		}
		from := p.profile.Attributes
		if a.Event {
			from = engine.Trigger(s.document, *p.profile)
		}
		v, ok := from[a.Name]
		switch {
		case !ok || v == nil:
			lack = true
		case !slices.Contains(values, fmt.Sprint(v)):
			values = append(values, fmt.Sprint(v))
		}
	}
	if len(values) > mostPresent {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:mostPresent], ", "), len(values)-mostPresent), lack
	}
	return strings.Join(values, ", "), lack
}

// about returns where the content uses the attribute, in one line.
func (o override) about(all int) string {
	where := "every message"
	if o.messages < all {
		where = fmt.Sprintf("%d of %d messages", o.messages, all)
	}
	return fmt.Sprintf("{{%s}} in %s", strings.Join(o.sources, "}}, {{"), where)
}

// wrong returns why the value cannot be used; empty where it can.
func (o override) wrong() string {
	if o.prompt.Value() == "" {
		return ""
	}
	if _, err := engine.OverrideValue(o.dataType, o.prompt.Value()); err != nil {
		return err.Error()
	}
	return ""
}

// addTo puts the value into the request; an empty one is the recipient's own.
func (o override) addTo(t *engine.TestSend) {
	if o.prompt.Value() == "" {
		return
	}
	v, err := engine.OverrideValue(o.dataType, o.prompt.Value())
	if err != nil {
		return
	}
	if o.Event {
		t.EventAttributes = append(t.EventAttributes, doc.M(o.Name, v))
		return
	}
	t.UserAttributes = append(t.UserAttributes, doc.M(o.Name, v))
}

// recallOverrides begins with the values of an earlier test.
func (s *Screen) recallOverrides(last engine.TestSend) {
	s.typedValues = map[material.Attribute]string{}
	for event, list := range map[bool][]doc.Member{false: last.UserAttributes, true: last.EventAttributes} {
		for _, m := range list {
			text := m.Value.Literal()
			if m.Value.Kind() == doc.String {
				text = m.Value.Text()
			}
			s.typedValues[material.Attribute{Event: event, Name: m.Name}] = text
		}
	}
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

package testsend

import (
	"fmt"
	"slices"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
)

// Value is an attribute that messages use, which a test can override.
type Value struct {
	assemble.Attribute
	DataType  string // from the workspace; empty if it does not have the attribute
	Sources   []string
	Fallbacks []string // arguments of the default filters, as written
	Messages  int      // number of messages that use it
}

// Values returns the attributes that the messages use, in the order of the text.
func (d Draft) Values(messages []Message) []Value {
	var out []Value
	for _, m := range messages {
		counted := map[assemble.Attribute]bool{}
		for _, u := range m.uses {
			i := slices.IndexFunc(out, func(v Value) bool { return v.Attribute == u.Attribute })
			if i < 0 {
				i = len(out)
				out = append(out, Value{Attribute: u.Attribute, DataType: u.DataType(d.Workspace)})
			}
			out[i].add(u, !counted[u.Attribute])
			counted[u.Attribute] = true
		}
	}
	return out
}

func (v *Value) add(u assemble.AttributeUse, first bool) {
	if first {
		v.Messages++
	}
	if !slices.Contains(v.Sources, u.Source) {
		v.Sources = append(v.Sources, u.Source)
	}
	if u.Fallback != "" && !slices.Contains(v.Fallbacks, u.Fallback) {
		v.Fallbacks = append(v.Fallbacks, u.Fallback)
	}
}

// SetOverride adds a typed value for the attribute to a test. Empty text means the recipient's own value. The
// error describes the format of the data type.
func (v Value) SetOverride(t *engine.TestSend, typed string) error {
	if typed == "" {
		return nil
	}
	return SetOverride(t, v.Attribute, v.DataType, typed)
}

// SetOverride adds the text that the user typed for an attribute to a test, as a value of the data type.
func SetOverride(t *engine.TestSend, a assemble.Attribute, dataType, typed string) error {
	v, err := engine.ParseOverride(dataType, typed)
	if err != nil {
		return err
	}
	if a.Event {
		t.EventAttributes = append(t.EventAttributes, doc.M(a.Name, v))
		return nil
	}
	t.UserAttributes = append(t.UserAttributes, doc.M(a.Name, v))
	return nil
}

// Overrides returns the values of a test that override the recipients' own, as text to edit.
func Overrides(t engine.TestSend) map[assemble.Attribute]string {
	out := map[assemble.Attribute]string{}
	for event, list := range map[bool][]doc.Member{false: t.UserAttributes, true: t.EventAttributes} {
		for _, m := range list {
			out[assemble.Attribute{Event: event, Name: m.Name}] = typed(m.Value)
		}
	}
	return out
}

func typed(v doc.Value) string {
	if v.Kind() == doc.String {
		return v.Text()
	}
	return v.Literal()
}

// OverrideSummary returns the values of a test that override the recipients' own, each as "name = value".
func OverrideSummary(t engine.TestSend) []string {
	var out []string
	for _, m := range slices.Concat(t.UserAttributes, t.EventAttributes) {
		out = append(out, m.Name+" = "+typed(m.Value))
	}
	return out
}

// OwnValues returns the distinct values that users have for an attribute; lack reports whether one of them
// has none.
func (d Draft) OwnValues(a assemble.Attribute, people []ResolvedUser) (values []string, lack bool) {
	for _, p := range people {
		if p.User == nil {
			lack = lack || p.Certain
			continue
		}
		from := p.User.Attributes
		if a.Event {
			from = engine.TriggerAttributes(d.Document, *p.User)
		}
		v, ok := from[a.Name]
		switch {
		case !ok || v == nil:
			lack = true
		case !slices.Contains(values, fmt.Sprint(v)):
			values = append(values, fmt.Sprint(v))
		}
	}
	return values, lack
}

package testsend

import (
	"context"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/personalize"
	"bugle/themes"
	"bugle/ui/widget"
)

// override is a value in place of the recipient's own.
type override struct {
	event    bool // of the event, not of the user
	name     string
	dataType string // of the workspace; empty where it does not say
	prompt   widget.Prompt
}

// The roots of expressions, as [personalize.Expressions] gives them.
const (
	rootUser          = "UserAttribute"
	rootEvent         = "EventAttribute"
	rootBusinessEvent = "BusinessEventAttribute"
	rootBlock         = "ContentBlock"
)

// attribute is one that the content uses.
type attribute struct {
	event bool
	name  string
}

// setOverrides offers the attributes that the content of the draft uses; what was typed stays.
func (s *Screen) setOverrides() {
	old := s.form.overrides
	s.form.overrides = nil
	for _, a := range s.used() {
		i := slices.IndexFunc(old, func(o override) bool { return o.name == a.name && o.event == a.event })
		o := override{event: a.event, name: a.name}
		if i >= 0 {
			o = old[i]
		} else {
			o.prompt = newOverridePrompt(s.theme, a)
		}
		o.dataType = s.dataType(a)
		s.form.overrides = append(s.form.overrides, o)
	}
}

func newOverridePrompt(t themes.Theme, a attribute) widget.Prompt {
	if a.event {
		return widget.NewPrompt(t, "", "from the event")
	}
	return widget.NewPrompt(t, "", "from the profile")
}

// used finds the attributes in the messages of the draft and in the content blocks that they
// include, in the order of the text.
func (s *Screen) used() []attribute {
	blocks := map[string]string{}
	for _, b := range s.workspace.ContentBlocks {
		blocks[b.Name] = b.Source
	}
	u := uses{blocks: blocks, own: map[string]any{}}
	for _, a := range s.workspace.Attributes {
		u.own[a.Name] = a.Name
	}
	for _, k := range engine.TestKeys(s.campaign.Channel, s.document, engine.KeyFilter{}) {
		u.value(s.document.Lookup(k.Content))
	}
	return u.found
}

// uses gathers attributes.
type uses struct {
	blocks map[string]string // not looked into yet
	own    map[string]any    // the workspace's attributes: each name, and as its value again
	found  []attribute
}

func (u *uses) value(v doc.Value) {
	switch v.Kind() {
	case doc.String:
		u.text(v.Text())
	case doc.Object:
		for _, m := range v.Members() {
			u.value(m)
		}
	case doc.Array:
		for _, e := range v.Elems() {
			u.value(e)
		}
	}
}

func (u *uses) text(text string) {
	found, err := personalize.Expressions(text)
	if err != nil {
		return // the send will say so
	}
	for _, e := range found {
		switch e.Root {
		case rootUser, rootEvent, rootBusinessEvent:
			a := attribute{e.Root != rootUser, e.Name}
			if !a.event {
				a.name = u.canonical(a.name)
			}
			if e.Name != "" && !slices.Contains(u.found, a) {
				u.found = append(u.found, a)
			}
		case rootBlock:
			source := u.blocks[e.Name]
			delete(u.blocks, e.Name)
			u.text(source)
		}
	}
}

// canonical gives the workspace's name for an attribute that content may also spell in snake case:
// user.first_name is First Name. Rendering finds it as the send will.
func (u *uses) canonical(name string) string {
	if _, known := u.own[name]; known || strings.ContainsAny(name, `'\{}%#`) {
		return name
	}
	found, err := personalize.Render(context.Background(), "{{ UserAttribute['"+name+"'] }}", personalize.Data{UserAttributes: u.own})
	if err != nil {
		return name
	}
	return found
}

// dataType gives the type that the workspace has for an attribute.
func (s *Screen) dataType(a attribute) string {
	list := s.workspace.Attributes
	if a.event {
		list = nil
		for _, e := range s.workspace.Events {
			list = append(list, e.Attributes...)
		}
	}
	for _, known := range list {
		if known.Name == a.name {
			return known.DataType
		}
	}
	return ""
}

// wrong says why the value cannot be used; empty where it can.
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
	if o.event {
		t.EventAttributes = append(t.EventAttributes, doc.M(o.name, v))
		return
	}
	t.UserAttributes = append(t.UserAttributes, doc.M(o.name, v))
}

// recallOverrides begins with the values of an earlier test.
func (s *Screen) recallOverrides(last engine.TestSend) {
	for i, o := range s.form.overrides {
		from := last.UserAttributes
		if o.event {
			from = last.EventAttributes
		}
		text := ""
		for _, m := range from {
			switch {
			case m.Name != o.name:
			case m.Value.Kind() == doc.String:
				text = m.Value.Text()
			default:
				text = m.Value.Literal()
			}
		}
		s.form.overrides[i].prompt.SetValue(text)
	}
}

package schema

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/doc"
)

// FlagChoice presents the flags of an object of which exactly one must be set as one choice. Its options are
// the flags, its value is the name of the flag that is set, and its Path is that of the first flag.
type FlagChoice struct {
	FieldState
	Flags []doc.Path
}

// FlagChoice returns the mutually exclusive flags of the object as one choice. It returns false if the table
// has no such choice (see [Field].Choice), or the flags' values cannot be shown as one.
func (st ObjectState) FlagChoice() (FlagChoice, bool) {
	title, flags := st.Node.Choice, st.Node.flags()
	if title == "" {
		return FlagChoice{}, false
	}
	field := Field{Title: title, Help: st.Node.Help, Kind: String}
	var c FlagChoice
	for _, s := range st.Fields {
		if !slices.Contains(flags, s.Node.Name) {
			continue
		}
		if c.Node == nil {
			field.Name = s.Node.Name
			node := *s.Node
			node.Field = &field
			c.FieldState = s
			c.Node, c.Value, c.Options = &node, doc.Value{}, nil
		}
		on := s.Value.True()
		if !s.Shown || on && c.Value.Exists() || s.Value.Exists() && s.Value.Kind() != doc.Bool {
			return FlagChoice{}, false
		}
		if on {
			c.Value = doc.NewString(s.Node.Name)
		}
		c.Flags = append(c.Flags, s.Path)
		option := Option{Value: s.Node.Name, Label: s.Node.Label(), Help: strings.TrimSuffix(s.Node.Help, ".")}
		field.Options = append(field.Options, option)
		c.Options = append(c.Options, OptionState{Option: option, Offered: true})
	}
	return c, c.Node != nil
}

// Set returns the document with only the named flag set. Absent flags that are not set stay absent.
func (c FlagChoice) Set(root doc.Value, name string) (doc.Value, error) {
	for _, p := range c.Flags {
		on := p.Last().Name == name
		if !on && !root.Lookup(p).True() {
			continue
		}
		out, err := root.Set(p, doc.NewBool(on))
		if err != nil {
			return root, fmt.Errorf("cannot turn the flag on: %w", err)
		}
		root = out
	}
	return root, nil
}

// On returns the paths of the flags that are set in the document.
func (c FlagChoice) On(root doc.Value) []doc.Path {
	return slices.DeleteFunc(slices.Clone(c.Flags), func(p doc.Path) bool { return !root.Lookup(p).True() })
}

// flags returns the flags of an object of which exactly one must be set.
func (n *Node) flags() []string {
	for _, rule := range n.Rules {
		if one, ok := Unguarded(rule).(OneTrue); ok {
			return one.Fields
		}
	}
	return nil
}

package viewas

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/assemble"
	"bugle/engine/message/resolve"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// listValues asks for which attribute of the messages the user types a value.
func (c *Chooser) listValues() tea.Cmd {
	src, service := c.host.Source(), c.cfg.Service
	return screen.Go(c.cfg.Tasks, taskValues, func(ctx context.Context) ([]assemble.Attribute, error) {
		prepared, err := resolve.Prepare(ctx, service, src.Workspace, src.Channel, src.Document)
		if err != nil {
			return nil, err
		}
		return attributes(prepared), nil
	}, func(all []assemble.Attribute, err error) tea.Cmd {
		switch {
		case err != nil:
			c.note = "Cannot read the messages: " + err.Error()
			return nil
		case len(all) == 0:
			c.note = "The messages use no attributes."
			return nil
		}
		options := make([]widget.Option, len(all))
		for i, a := range all {
			options[i] = widget.Option{Label: c.valueText(src, a)}
		}
		return screen.Send(screen.ChooseMsg{Title: c.host.Title + " › Values", Options: options, Then: func(chosen widget.Answer) tea.Cmd {
			return c.askValue(src, all[chosen.Index])
		}})
	})
}

// valueText names an attribute and its value: the one that was typed, or else the person's own.
func (c *Chooser) valueText(src Source, a assemble.Attribute) string {
	now, u := c.host.Choice()
	name := a.Name
	if a.Event {
		name += " (of the event)"
	}
	value := ""
	if u != nil {
		value = ownValue(src, a, *u)
	}
	if typed := now.Typed(a); typed != "" {
		value = typed + ", typed"
	}
	if value == "" {
		return name
	}
	return name + ": " + value
}

// ownValue returns the user's value of an attribute, or that of the user's newest event of the trigger's kind.
func ownValue(src Source, a assemble.Attribute, u engine.User) string {
	from := u.Attributes
	if a.Event {
		from = engine.TriggerAttributes(src.Document, u)
	}
	switch v := from[a.Name]; {
	case v == nil:
		return "missing"
	case a.Event:
		return fmt.Sprintf("%v, last seen", v)
	default:
		return fmt.Sprint(v)
	}
}

// askValue asks for the value of an attribute, and then for the next one.
func (c *Chooser) askValue(src Source, a assemble.Attribute) tea.Cmd {
	now, _ := c.host.Choice()
	return screen.Send(screen.InputMsg{
		Title: "Value of " + widget.Clean(a.Name), Placeholder: "empty for the person's own", Value: now.Typed(a),
		Validate: func(text string) string {
			if _, err := engine.ParseOverride(a.DataType(src.Workspace), text); err != nil && text != "" {
				return "The value " + err.Error() + "."
			}
			return ""
		},
		Then: func(text string) tea.Cmd {
			now, u := c.host.Choice()
			cmd := c.host.Choose(now.With(a, text), u)
			c.fill()
			return tea.Batch(cmd, c.listValues())
		},
	})
}

// attributes returns the attributes that messages use, in their order.
func attributes(c *resolve.Campaign) []assemble.Attribute {
	scanner := assemble.NewAttributeScanner(c.Workspace)
	seen := map[assemble.Attribute]bool{}
	var out []assemble.Attribute
	for _, key := range c.Written() {
		for _, t := range c.Texts(key) {
			for _, use := range scanner.Scan(t.Source) {
				if !seen[use.Attribute] {
					seen[use.Attribute] = true
					out = append(out, use.Attribute)
				}
			}
		}
	}
	return out
}

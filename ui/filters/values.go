package filters

import (
	"context"
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/ui/screen"
)

const (
	taskValues = "filters.values"
	// maxSampled is how many users are looked at for values, and maxValues how many values of an attribute are suggested.
	maxSampled = 1000
	maxValues  = 200
)

// loadValues reads which texts users have in their attributes, once, to suggest them.
func (t *Tree) loadValues() tea.Cmd {
	users, ok := t.cfg.Service.(engine.UserStore)
	if !ok || t.cfg.Host.Tasks == nil || t.seen != nil {
		return nil
	}
	t.seen = map[string][]string{}
	return screen.Go(t.cfg.Host.Tasks, taskValues, func(ctx context.Context) (map[string][]string, error) {
		sample, err := users.Users(ctx, "", maxSampled)
		return valuesOf(sample), err
	}, func(values map[string][]string, err error) tea.Cmd {
		if err != nil {
			return nil // they are only suggestions
		}
		t.seen = values
		if t.open != nil {
			t.open.inputs.seen = t.valuesOfOpen()
			t.open.Refresh()
			t.rebuild()
		}
		return nil
	})
}

// valuesOfOpen returns the texts of users if the filter under the cursor is about one of their attributes.
func (t *Tree) valuesOfOpen() map[string][]string {
	if t.node().Kind != audience.Attribute {
		return nil
	}
	return t.seen
}

// valuesOf returns the texts that users have in each attribute, in order.
func valuesOf(users []engine.User) map[string][]string {
	seen := map[string]map[string]bool{}
	for _, u := range users {
		for name, v := range u.Attributes {
			text, ok := v.(string)
			if !ok || text == "" || len(seen[name]) >= maxValues {
				continue
			}
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			seen[name][text] = true
		}
	}
	out := make(map[string][]string, len(seen))
	for name, texts := range seen {
		out[name] = slices.Sorted(maps.Keys(texts))
	}
	return out
}

// Package keymap lets the user rebind actions in a file that maps action names to keys.
//
// The name of an action consists of its screen and what it does, "campaigns.archive"; global actions are
// "app.palette" and so on. [All] lists them.
package keymap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v3"

	"bugle/engine/phrase"
)

// App is the part before the dot in the names of global actions.
const App = "app"

// Entry is one action that can be rebound.
type Entry struct {
	// Name is the action's name, "campaigns.archive".
	Name string
	// Description is a clause that describes the action.
	Description string
	// Keys are the default keys, as tea.KeyMsg spells them. For some actions they depend on the focus; these are all
	// of them.
	Keys []string
}

// Screen returns the part of the name before the dot.
func (e Entry) Screen() string {
	screen, _, _ := strings.Cut(e.Name, ".")
	return screen
}

// All lists the actions that can be rebound, the global ones first.
func All() []Entry { return slices.Clone(table) }

// Fixed lists the keys of components such as forms, which cannot be rebound.
func Fixed() []Entry { return slices.Clone(fixed) }

func lookup(name string) (Entry, bool) {
	i := slices.IndexFunc(table, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return table[i], true
}

// ActionName returns the name of an action by its screen and label.
func ActionName(screen, label string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(label) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return screen + "." + b.String()
}

// Map holds the rebound actions. The zero value rebinds none.
type Map struct{ keys map[string][]string }

// Empty reports whether no action is rebound.
func (m Map) Empty() bool { return len(m.keys) == 0 }

// Lookup returns the keys that an action is bound to; false if it has its default keys.
func (m Map) Lookup(name string) ([]string, bool) {
	keys, ok := m.keys[name]
	return keys, ok
}

// Keys returns the keys of an action, rebound or default.
func (m Map) Keys(e Entry) []string {
	if keys, ok := m.keys[e.Name]; ok {
		return keys
	}
	return e.Keys
}

// Problem is an entry of the file that is ignored.
type Problem struct {
	Line int    // from 1; 0 if it is about the whole file
	Name string // of the action, if it is about one
	Text string
}

func (p Problem) String() string {
	switch {
	case p.Line == 0:
		return p.Text
	case p.Name == "":
		return fmt.Sprintf("line %d: %s", p.Line, p.Text)
	}
	return fmt.Sprintf("line %d, %s: %s", p.Line, p.Name, p.Text)
}

// override is one line of the file.
type override struct {
	line int
	name string
	keys []string
}

// Parse parses the file's text, YAML or JSON: action names, each with a key, a list of keys, or an empty list
// for none. Invalid entries are reported and ignored.
func Parse(b []byte) (Map, []Problem) {
	root, err := parseYAML(b)
	if err != nil {
		return Map{}, []Problem{{Text: err.Error()}}
	}
	var wishes []override
	var problems []Problem
	for i := 0; root != nil && i+1 < len(root.Content); i += 2 {
		w, err := parseOverride(root.Content[i], root.Content[i+1])
		if err == nil && slices.ContainsFunc(wishes, func(o override) bool { return o.name == w.name }) {
			err = fmt.Errorf("it is named twice; the first one holds")
		}
		if err != nil {
			problems = append(problems, Problem{w.line, w.name, err.Error()})
			continue
		}
		wishes = append(wishes, w)
	}
	m, clashes := resolveConflicts(wishes)
	problems = append(problems, clashes...)
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return m, problems
}

// parseYAML returns the mapping at the root; nil if the text is empty.
func parseYAML(b []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, fmt.Errorf("the keys cannot be read: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("the keys cannot be read: line %d: write lines such as  campaigns.archive: ctrl+a", root.Line)
	}
	return root, nil
}

// parseOverride parses one line of the file.
func parseOverride(name, value *yaml.Node) (override, error) {
	w := override{line: name.Line, name: name.Value, keys: []string{}}
	if _, ok := lookup(w.name); !ok {
		return w, fmt.Errorf("there is no action of that name%s", suggestion(w.name))
	}
	said := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		said = value.Content
	}
	for _, node := range said {
		if node.Kind != yaml.ScalarNode || node.Tag == "!!null" && node.Value != "~" {
			return w, fmt.Errorf("write a key such as ctrl+a or f5, or a list of them")
		}
		key, err := ParseKey(node.Value)
		if err != nil {
			return w, err
		}
		if !slices.Contains(w.keys, key) {
			w.keys = append(w.keys, key)
		}
	}
	return w, nil
}

// suggestion returns the action that was probably meant.
func suggestion(name string) string {
	var names []string
	for _, e := range table {
		names = append(names, e.Name)
	}
	if meant := phrase.Nearest(name, names); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return ""
}

// resolveConflicts drops the overrides that use a key of another action, the last one first, until there are none.
func resolveConflicts(wishes []override) (Map, []Problem) {
	var problems []Problem
	for {
		m := Map{keys: map[string][]string{}}
		for _, w := range wishes {
			m.keys[w.name] = w.keys
		}
		at := len(wishes) - 1
		for at >= 0 && m.conflict(wishes[at]) == nil {
			at--
		}
		if at < 0 {
			return m, problems
		}
		w := wishes[at]
		problems = append(problems, Problem{w.line, w.name, m.conflict(w).Error()})
		wishes = slices.Delete(wishes, at, at+1)
	}
}

// conflict returns an error about the first key of an override that another action uses in the same place. Default keys do
// not conflict, because those actions are never active together.
func (m Map) conflict(w override) error {
	self, _ := lookup(w.name)
	for _, k := range w.keys {
		if slices.Contains(self.Keys, k) {
			continue
		}
		for _, e := range table {
			together := e.Screen() == self.Screen() || e.Screen() == App || self.Screen() == App
			if e.Name != w.name && together && slices.Contains(m.Keys(e), k) {
				return fmt.Errorf("%s is the key of %s; give that one another key, too, or choose another here", Format(k), e.Name)
			}
		}
	}
	return nil
}

// Names lists the rebound actions in order.
func (m Map) Names() []string { return slices.Sorted(maps.Keys(m.keys)) }

// Use returns the action that a key runs on a screen; false if there is none. On [App], it looks at all screens.
func (m Map) Use(screen, key string) (Entry, bool) {
	for _, e := range table {
		if on := e.Screen(); (on == screen || on == App || screen == App) && slices.Contains(m.Keys(e), key) {
			return e, true
		}
	}
	return Entry{}, false
}

// Screens lists the parts before the dot in the names of actions.
func Screens() []string {
	var out []string
	for _, e := range table {
		if !slices.Contains(out, e.Screen()) {
			out = append(out, e.Screen())
		}
	}
	return out
}

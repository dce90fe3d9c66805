// Package keymap lets a person give actions other keys: a file maps the names of actions to keys, and
// what it says holds for dispatch, status bar, help and palette alike.
//
// An action's name is that of its screen and what it does, "campaigns.archive"; those that work
// everywhere are "app.palette" and so on. [All] lists them.
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

// App is the part before the dot in the names of actions that work everywhere.
const App = "app"

// Entry is one action that can be given other keys.
type Entry struct {
	// Name is the action's name, "campaigns.archive".
	Name string
	// Description says what the action does, in a clause.
	Description string
	// Keys are those that it has as long as nobody says otherwise, as tea.KeyMsg spells them. They depend
	// on where the keyboard is for some actions; these are all of them.
	Keys []string
}

// Screen is the part of the name before the dot.
func (e Entry) Screen() string {
	screen, _, _ := strings.Cut(e.Name, ".")
	return screen
}

// All lists the actions that can be given other keys, those that work everywhere first.
func All() []Entry { return slices.Clone(table) }

func lookup(name string) (Entry, bool) {
	i := slices.IndexFunc(table, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return table[i], true
}

// ActionName makes the name of an action from its screen and its label.
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

// Map says which actions have other keys than their own. The zero value says so of none.
type Map struct{ keys map[string][]string }

// Empty reports whether every action has its own keys.
func (m Map) Empty() bool { return len(m.keys) == 0 }

// Lookup returns the keys of an action; false where it has its own.
func (m Map) Lookup(name string) ([]string, bool) {
	keys, ok := m.keys[name]
	return keys, ok
}

// Keys returns the keys that an action has, its own or others.
func (m Map) Keys(e Entry) []string {
	if keys, ok := m.keys[e.Name]; ok {
		return keys
	}
	return e.Keys
}

// Problem is something in the file that is not followed.
type Problem struct {
	Line int    // from 1; 0 where it is about the file as a whole
	Name string // of the action; empty where it is about none
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

// Parse reads the file's text, YAML or JSON: the names of actions, each with a key, a list of keys, or
// an empty list for none. What cannot be followed is told and left out; the rest holds.
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

// parseYAML returns the mapping at the root; nil where the text is empty.
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

// parseOverride takes one line of the file.
func parseOverride(name, value *yaml.Node) (override, error) {
	w := override{line: name.Line, name: currentName(name.Value), keys: []string{}}
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

// suggestion names the action that was probably meant, by its whole name or by what follows its screen.
func suggestion(name string) string {
	names, labels := make([]string, len(table)), make([]string, len(table))
	for i, e := range table {
		_, label, _ := strings.Cut(e.Name, ".")
		names[i], labels[i] = e.Name, label
	}
	if meant := phrase.Nearest(name, names); meant != "" {
		return "; did you mean " + meant + "?"
	}
	_, label, screen := strings.Cut(name, ".")
	if !screen {
		label = name
	}
	if at := slices.Index(labels, phrase.Nearest(label, labels)); at >= 0 {
		return "; did you mean " + names[at] + "?"
	}
	return ""
}

// resolveConflicts leaves out the wishes that take a key away from another action, until none does.
func resolveConflicts(wishes []override) (Map, []Problem) {
	var problems []Problem
	for {
		m := Map{keys: map[string][]string{}}
		for _, w := range wishes {
			m.keys[w.name] = w.keys
		}
		at := slices.IndexFunc(wishes, func(w override) bool { _, _, clash := m.conflict(w.name, w.keys); return clash })
		if at < 0 {
			return m, problems
		}
		w := wishes[at]
		key, other, _ := m.conflict(w.name, w.keys)
		// Of two lines that want one key the first one has it.
		if later := slices.IndexFunc(wishes, func(o override) bool { return o.name == other.Name }); later > at {
			if _, _, its := m.conflict(other.Name, wishes[later].keys); its {
				at, other = later, Entry{Name: w.name}
				w = wishes[at]
			}
		}
		problems = append(problems, Problem{w.line, w.name, conflictText(key, other)})
		wishes = slices.Delete(slices.Clone(wishes), at, at+1)
	}
}

func conflictText(key string, by Entry) string {
	return fmt.Sprintf("%s is the key of %s; give that one another key, too, or choose another here", Format(key), by.Name)
}

// conflict returns the first of the keys that another action has at the same place. What an action has by
// itself is no clash: those two never meet.
func (m Map) conflict(name string, keys []string) (key string, other Entry, conflict bool) {
	self, _ := lookup(name)
	for _, k := range keys {
		if slices.Contains(self.Keys, k) {
			continue
		}
		for _, e := range table {
			together := e.Screen() == self.Screen() || e.Screen() == App || self.Screen() == App
			if e.Name != name && together && slices.Contains(m.Keys(e), k) {
				return k, e, true
			}
		}
	}
	return "", Entry{}, false
}

// Names lists the actions that have other keys than their own, in order.
func (m Map) Names() []string { return slices.Sorted(maps.Keys(m.keys)) }

package schema

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"bugle/engine/doc"
)

// Words describes a condition, to follow "when": "template type is Custom". obj is the object that contains
// the field with the condition.
func (s *Schema) Words(obj *Node, c Cond) string {
	switch c := c.(type) {
	case nil:
		return "always"
	case Is:
		return s.subject(obj, c.Path) + " is " + orList(s.labels(obj, c.Path, c.Values))
	case On:
		if yes := s.yes(obj, c.Path); yes != "" {
			return s.subject(obj, c.Path) + " is " + yes
		}
		return s.subject(obj, c.Path) + " is on"
	case Has:
		return s.subject(obj, c.Path) + " is set"
	case Holds:
		return s.subject(obj, c.Path) + " include " + orList(s.labels(obj, c.Path, []string{c.Value}))
	case Flag:
		return `the workspace feature "` + strings.ReplaceAll(c.Name, "_", " ") + `" is on`
	case Not:
		return s.negated(obj, c.C)
	case All:
		return s.each(obj, c, " and ")
	case AnyOf:
		return s.each(obj, c, " or ")
	}
	return ""
}

func (s *Schema) negated(obj *Node, c Cond) string {
	switch c := c.(type) {
	case Is:
		return s.subject(obj, c.Path) + " is not " + orList(s.labels(obj, c.Path, c.Values))
	case On:
		if yes := s.yes(obj, c.Path); yes != "" {
			return s.subject(obj, c.Path) + " is not " + yes
		}
		return s.subject(obj, c.Path) + " is off"
	case Has:
		return s.subject(obj, c.Path) + " is not set"
	case Holds:
		return s.subject(obj, c.Path) + " do not include " + orList(s.labels(obj, c.Path, []string{c.Value}))
	case Flag:
		return `the workspace feature "` + strings.ReplaceAll(c.Name, "_", " ") + `" is off`
	case Not:
		return s.Words(obj, c.C)
	}
	return "not (" + s.Words(obj, c) + ")"
}

// when describes a condition to follow "required" or "not allowed": "for Push campaigns", "when template is
// Custom".
func (s *Schema) when(obj *Node, c Cond) string {
	if kind, not := s.kindOfDocument(obj, c); kind != "" {
		if not {
			return "except for " + kind
		}
		return "for " + kind
	}
	return "when " + s.Words(obj, c)
}

// only describes a condition as a restriction: "only for Push campaigns", "only when template is Custom".
func (s *Schema) only(obj *Node, c Cond) string {
	kind, not := s.kindOfDocument(obj, c)
	switch {
	case kind == "":
		return "only when " + s.Words(obj, c)
	case not:
		return "not for " + kind
	}
	return "only for " + kind
}

// kindOfDocument returns the documents that a condition selects, such as "One-time or Periodic campaigns",
// and whether it selects all others instead. It returns "" for other conditions.
func (s *Schema) kindOfDocument(obj *Node, c Cond) (kind string, not bool) {
	if n, ok := c.(Not); ok {
		c, not = n.C, true
	}
	is, ok := c.(Is)
	if !ok || s.root.Plural == "" || !ofDocument(is.Path) {
		return "", false
	}
	return orList(s.labels(obj, is.Path, is.Values)) + " " + s.root.Plural, not
}

// ofDocument reports whether a condition's path is a field of the root, which defines the kind of document.
func ofDocument(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, ".")
}

func (s *Schema) each(obj *Node, cs []Cond, sep string) string {
	parts := make([]string, len(cs))
	for i, c := range cs {
		parts[i] = s.Words(obj, c)
		switch c.(type) {
		case All, AnyOf:
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, sep)
}

// yes returns the label of the boolean at path for true, or "".
func (s *Schema) yes(obj *Node, path string) string {
	if n := s.resolve(obj, path); n != nil {
		return n.Yes
	}
	return ""
}

func (s *Schema) subject(obj *Node, path string) string {
	if n := s.resolve(obj, path); n != nil {
		return strings.ToLower(n.Label())
	}
	return path
}

func (s *Schema) labels(obj *Node, path string, values []string) []string {
	n := s.resolve(obj, path)
	if n != nil && n.Kind == List && n.Element != nil {
		n = n.Element
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v
		if n == nil {
			continue
		}
		for _, o := range n.Options {
			if o.Value == v {
				out[i] = o.Title()
			}
		}
	}
	return out
}

func orList(ss []string) string {
	if len(ss) < 2 {
		return strings.Join(ss, "")
	}
	return strings.Join(ss[:len(ss)-1], ", ") + " or " + ss[len(ss)-1]
}

func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// quoteShort quotes a value of a document, cut to a reasonable length.
func quoteShort(s string) string { return `"` + spelled(clip(s, 40)) + `"` }

// spelled escapes control characters, so that a message can be printed on a terminal. JSON may contain some
// of them unescaped.
func spelled(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// audience is the reader of a message, which uses either wire names or titles.
type audience bool

const (
	wire   audience = false
	people audience = true
)

func (v audience) option(o Option) string {
	if v == people {
		return o.Title()
	}
	return o.Value
}

// unreadDate is the message for text that is not a date.
const unreadDate = `I can't read that date. Try "` + typedDate + `"`

// typedDate is an example of a date as users type it.
const typedDate = "tomorrow 9am"

// example returns the example of n for the audience. Users do not type timestamps.
func (v audience) example(n *Node, example string) string {
	switch {
	case v == wire:
	case n.Kind == Time:
		return typedDate
	case n.Span != nil:
		return n.SpanExample()
	case n.Unit != "":
		return example + " " + n.Unit
	}
	return example
}

func (v audience) member(n *Node) string {
	if v == people {
		return n.Label()
	}
	return n.Name
}

// optionWords returns the options that keep selects (nil: all).
func (n *Node) optionWords(say audience, keep func(i int) bool) []string {
	out := make([]string, 0, len(n.Options))
	for i, o := range n.Options {
		if keep == nil || keep(i) {
			out = append(out, say.option(o))
		}
	}
	return out
}

func (n *Node) optionWord(say audience, value string) string {
	for _, o := range n.Options {
		if o.Value == value {
			return say.option(o)
		}
	}
	return value
}

// forPeople replaces wire names in a message about n by titles, except in quoted text.
func (n *Node) forPeople(message string) string {
	var out strings.Builder
	kept, quoted := 0, false
	for i := 0; i < len(message); {
		size := wordChars.span(message[i:])
		if size == 0 {
			quoted = quoted != (message[i] == '"')
			i++
			continue
		}
		if word := message[i : i+size]; !quoted && isWireName(word) {
			out.WriteString(message[kept:i])
			out.WriteString(n.titleOf(word))
			kept = i + size
		}
		i += size
	}
	if kept == 0 {
		return message
	}
	out.WriteString(message[kept:])
	return out.String()
}

var wordChars = setOf(alphanumeric + "_")

// isWireName reports whether a word can only be a wire name: words joined by underscores, or with capitals
// inside.
func isWireName(word string) bool {
	var lower, upper, digits, joints int
	inside := false // each capital has small letters on both sides
	for i := range len(word) {
		switch c := word[i]; {
		case c == '_':
			if i == 0 || i == len(word)-1 || word[i-1] == '_' {
				return false
			}
			joints++
		case c >= 'a':
			lower++
		case c >= 'A':
			inside = i > 0 && i < len(word)-1 && word[i-1] >= 'a' && word[i+1] >= 'a' && (upper == 0 || inside)
			upper++
		default:
			digits++
		}
	}
	switch {
	case joints > 0:
		return word[0] > '9'
	case digits > 0:
		return false
	case lower == 0:
		return upper >= 3
	}
	return upper > 0 && inside
}

// titleOf returns the title of an option or field near n, nearest first, or the name itself.
func (n *Node) titleOf(name string) string {
	if title, ok := n.titled(name); ok {
		return title
	}
	for at := n; at != nil; at = at.Parent {
		if title, ok := titled(at.Children, name); ok {
			return title
		}
		if at != n || n.Element == nil {
			continue
		}
		if title, ok := n.Element.titled(name); ok {
			return title
		}
		if title, ok := titled(n.Element.Children, name); ok {
			return title
		}
	}
	return name
}

func titled(nodes []*Node, name string) (string, bool) {
	for _, n := range nodes {
		if title, ok := n.titled(name); ok {
			return title, true
		}
	}
	return "", false
}

// titled returns the title of the node or of its option with that name.
func (n *Node) titled(name string) (string, bool) {
	if n.Name == name {
		return strings.ToLower(n.Label()), true
	}
	if word := n.optionWord(people, name); word != name {
		return word, true
	}
	if n.Element != nil {
		if word := n.Element.optionWord(people, name); word != name {
			return word, true
		}
	}
	return "", false
}

// differing returns s if it differs from from, or else "".
func differing(s, from string) string {
	if s == from {
		return ""
	}
	return s
}

// Trail returns the display name of each step of a path: the title of a field, the number of an element
// ("Button 2"), or the name of a map entry.
func (s *Schema) Trail(p doc.Path) []string {
	out := make([]string, len(p))
	n := s.root
	for i, step := range p {
		if n != nil {
			n = n.step(step)
		}
		switch {
		case step.IsIndex && n != nil && n.Title != "":
			out[i] = fmt.Sprintf("%s %d", n.Title, step.Index+1)
		case step.IsIndex:
			out[i] = fmt.Sprintf("Entry %d", step.Index+1)
		case n == nil || n.Name == "":
			out[i] = step.Name
		default:
			out[i] = n.Label()
		}
	}
	return out
}

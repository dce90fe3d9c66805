package schema

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
)

// Words puts a condition into words, to follow "when": "template type is Custom". obj is the
// object that the condition is asked from.
func (s *Schema) Words(obj *Node, c Cond) string {
	switch c := c.(type) {
	case nil:
		return "always"
	case Is:
		return s.subject(obj, c.Path) + " is " + orList(s.labels(obj, c.Path, c.Values))
	case On:
		return s.subject(obj, c.Path) + " is on"
	case Has:
		return s.subject(obj, c.Path) + " is set"
	case Holds:
		return s.subject(obj, c.Path) + " include " + orList(s.labels(obj, c.Path, []string{c.Value}))
	case Flag:
		return "the workspace has " + strings.ReplaceAll(c.Name, "_", " ") + " switched on"
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
		return s.subject(obj, c.Path) + " is off"
	case Has:
		return s.subject(obj, c.Path) + " is not set"
	case Holds:
		return s.subject(obj, c.Path) + " do not include " + orList(s.labels(obj, c.Path, []string{c.Value}))
	case Flag:
		return "the workspace has " + strings.ReplaceAll(c.Name, "_", " ") + " switched off"
	case Not:
		return s.Words(obj, c.C)
	}
	return "not (" + s.Words(obj, c) + ")"
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

func quoteShort(s string) string { return `"` + clip(s, 40) + `"` }

// nearest gives the candidate that s was probably meant to be, or "".
func nearest(s string, candidates []string) string {
	best, at := "", 0
	for _, c := range candidates {
		d := distance(strings.ToLower(s), strings.ToLower(c))
		if limit := max(1, min(len(s), len(c))/3); d <= limit && (best == "" || d < at) {
			best, at = c, d
		}
	}
	return best
}

// distance is the optimal string alignment distance: insertions, deletions, substitutions and
// swaps of neighbours.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	ra, rb := []rune(a), []rune(b)
	var prev2 []int
	prev := make([]int, len(rb)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(ra); i++ {
		cur := make([]int, len(rb)+1)
		cur[0] = i
		for j := 1; j <= len(rb); j++ {
			cost := 1
			if ra[i-1] == rb[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev = prev, cur
	}
	return prev[len(rb)]
}

// voice is whom a message speaks to: it names options and members as the wire or as people do.
type voice bool

const (
	wire   voice = false
	people voice = true
)

func (v voice) option(o Option) string {
	if v == people {
		return o.Title()
	}
	return o.Value
}

func (v voice) member(n *Node) string {
	if v == people {
		return n.Label()
	}
	return n.Name
}

// optionWords gives the options whose index keep takes, all where it is nil.
func (n *Node) optionWords(say voice, keep func(i int) bool) []string {
	out := make([]string, 0, len(n.Options))
	for i, o := range n.Options {
		if keep == nil || keep(i) {
			out = append(out, say.option(o))
		}
	}
	return out
}

func (n *Node) optionWord(say voice, value string) string {
	for _, o := range n.Options {
		if o.Value == value {
			return say.option(o)
		}
	}
	return value
}

// wireWord is what can only be a name on the wire: words joined by underscores, a capital inside, or
// capitals throughout.
var wireWord = regexp.MustCompile(`\b(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z]+)+|[A-Z]{3,})\b`)

// forPeople puts titles in the place of the wire's names in a message about n. What stands in quotes
// is somebody's text, and stays.
func (n *Node) forPeople(message string) string {
	if !wireWord.MatchString(message) {
		return message
	}
	parts := strings.Split(message, `"`)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = wireWord.ReplaceAllStringFunc(parts[i], n.titleOf)
	}
	return strings.Join(parts, `"`)
}

// titleOf gives the title that goes with a name of the wire: of an option or a member near n, the
// nearest first; the name where there is none.
func (n *Node) titleOf(name string) string {
	for at := n; at != nil; at = at.Parent {
		near := at.Children
		if at == n {
			near = append([]*Node{n}, near...)
		}
		if n.Element != nil && at == n {
			near = append(near, n.Element)
			near = append(near, n.Element.Children...)
		}
		for _, c := range near {
			if c.Name == name {
				return strings.ToLower(c.Label())
			}
			if word := c.optionWord(people, name); word != name {
				return word
			}
			if c.Element != nil {
				if word := c.Element.optionWord(people, name); word != name {
					return word
				}
			}
		}
	}
	return name
}

// differing gives s where it is not what it is compared with.
func differing(s, from string) string {
	if s == from {
		return ""
	}
	return s
}

// Trail names each step of a path for people: the title of a field, the number of an entry ("Button
// 2"), the name that somebody gave a member.
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

package schema

import (
	"strings"
	"unicode/utf8"
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

package schema

import (
	"iter"
	"strings"
)

// All returns every field of the table with its path, in the order of the table. Elements of lists are at [], those
// of maps at .*. A field whose fields are those of an object around it is not descended into.
func (s *Schema) All() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) { s.root.walk("", yield) }
}

func (n *Node) walk(at string, yield func(string, *Node) bool) bool {
	if n.Like != "" {
		return true
	}
	for _, child := range n.Children {
		path := strings.TrimPrefix(at+"."+child.Name, ".")
		if !yield(path, child) || !child.walk(path, yield) {
			return false
		}
	}
	if n.Element == nil {
		return true
	}
	path := at + "[]"
	if n.Kind != List {
		path = at + ".*"
	}
	return yield(path, n.Element) && n.Element.walk(path, yield)
}

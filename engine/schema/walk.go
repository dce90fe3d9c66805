package schema

import (
	"iter"
	"strings"
)

// All iterates over the fields of the table with their paths in table order. Elements of lists are at [],
// those of maps at .*. It does not descend into recursive fields.
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

package doc

// node is small because most values are scalars, which have no body unless they are strings with escapes.
type node struct {
	kind Kind
	// raw is a scalar as written; an array or object if it was written compactly, or else "".
	raw  string
	body *body
}

type body struct {
	text    string // String: the decoded text
	members []Member
	names   map[string]int // an index of the members if there are many: see minIndexed
	elems   []Value
}

// minIndexed is the number of members from which an object uses a map to find them. With fewer, a linear
// search is faster.
const minIndexed = 32

// nodeWithBody is a node allocated together with its body.
type nodeWithBody struct {
	node node
	body body
}

// object returns an object of members with distinct names.
func object(ms []Member) *node {
	w := &nodeWithBody{node: node{kind: Object}, body: body{members: ms}}
	w.node.body = &w.body
	w.body.indexNames()
	return &w.node
}

// indexNames builds the index of a large object. It reports whether the names are distinct, as far as it
// looked.
func (b *body) indexNames() bool {
	if len(b.members) <= minIndexed {
		return true
	}
	b.names = make(map[string]int, len(b.members))
	for i := range b.members {
		b.names[b.members[i].Name] = i
	}
	return len(b.names) == len(b.members)
}

func array(vs []Value) *node {
	w := &nodeWithBody{node: node{kind: Array}, body: body{elems: vs}}
	w.node.body = &w.body
	return &w.node
}

func (b *body) index(name string) int {
	if b.names != nil {
		if i, ok := b.names[name]; ok {
			return i
		}
		return -1
	}
	for i := range b.members {
		if b.members[i].Name == name {
			return i
		}
	}
	return -1
}

func (n *node) text() string {
	if n.body != nil {
		return n.body.text
	}
	return n.raw[1 : len(n.raw)-1]
}

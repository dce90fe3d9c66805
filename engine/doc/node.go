package doc

// node is small because most values are scalars: those have no body, but for strings whose text
// is not what stands between their quotes.
type node struct {
	kind Kind
	// raw is a scalar exactly as written; an array or object where it came in compact, or else "".
	raw  string
	body *body
}

type body struct {
	text    string // String: the decoded text
	members []Member
	names   map[string]int // of the members, where they are many: see wide
	elems   []Value
}

// minIndexed is from how many members an object finds them by a map: below, looking is faster.
const minIndexed = 32

// nodeWithBody is a node together with its body, made at once.
type nodeWithBody struct {
	node node
	body body
}

// object makes an object of members with distinct names.
func object(ms []Member) *node {
	w := &nodeWithBody{node: node{kind: Object}, body: body{members: ms}}
	w.node.body = &w.body
	w.body.indexNames()
	return &w.node
}

// indexNames makes the members of a wide object known by name. It reports whether their names differ,
// as far as it looked.
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

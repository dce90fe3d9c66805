package activity

import (
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// body is what one side said. It holds either the bytes that were sent, or what a document of them
// is made from, so that a call that nobody looks at costs no encoding.
type body struct {
	raw  []byte
	doc  func() doc.Value // nil: raw
	size int              // about how many bytes it keeps alive
	gone bool             // there was one, and it has been let go
}

// document returns the body of a document; none for an absent one.
func document(v doc.Value) body {
	if !v.Exists() {
		return body{}
	}
	return body{doc: func() doc.Value { return v }, size: weight(v)}
}

func (b body) dropped() body { return body{gone: b.gone || b.raw != nil || b.doc != nil} }

// value returns the body as a document; absent where it is none, or no JSON.
func (b body) value() doc.Value {
	if b.doc != nil {
		return b.doc()
	}
	v, _ := doc.Parse(b.raw)
	return v
}

// shown returns the body without secrets.
func (b body) shown(r operation.Redactor) []byte {
	if b.doc != nil {
		return r.Document(b.doc()).Encode()
	}
	return r.Body(b.raw)
}

// nodeWeight is about what a value takes beside its text.
const nodeWeight = 160

// weight is about how many bytes a document keeps alive.
func weight(v doc.Value) int {
	w := nodeWeight + len(v.Literal())
	for name, m := range v.Members() {
		w += len(name) + weight(m)
	}
	for _, e := range v.Elems() {
		w += weight(e)
	}
	return w
}

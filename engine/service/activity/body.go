package activity

import (
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// body is a request or response body. It holds the sent bytes, or a function that creates the document, so
// that a call that is never viewed is never encoded.
type body struct {
	raw  []byte
	doc  func() doc.Value // nil: raw
	size int              // approximate bytes that it keeps in memory
	gone bool             // it was dropped
}

// document returns the body of a document, or none if it is absent.
func document(v doc.Value) body {
	if !v.Exists() {
		return body{}
	}
	return body{doc: func() doc.Value { return v }, size: weight(v)}
}

func (b body) dropped() body { return body{gone: b.gone || b.raw != nil || b.doc != nil} }

// value returns the body as a document, or absent if there is none or it is not JSON.
func (b body) value() doc.Value {
	if b.doc != nil {
		return b.doc()
	}
	v, _ := doc.Parse(b.raw)
	return v
}

// shown returns the redacted body.
func (b body) shown(r operation.Redactor) []byte {
	if b.doc != nil {
		return r.Document(b.doc()).Encode()
	}
	return r.Body(b.raw)
}

// nodeWeight is the approximate memory of a value besides its text.
const nodeWeight = 160

// weight returns about how many bytes a document keeps in memory.
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

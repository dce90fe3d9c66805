package schema

import (
	"time"

	"bugle/engine/doc"
)

// InRequest converts a value v at p from a response to the form of a request. Response-only fields and values
// are replaced or removed, and times with a blank get a T, and a UTC offset if they have none. Everything
// else stays.
func (s *Schema) InRequest(p doc.Path, v doc.Value) doc.Value {
	n := s.At(p)
	if n == nil {
		return v
	}
	return n.inRequest(v, nil)
}

func (n *Node) inRequest(v doc.Value, sc *scope) doc.Value {
	switch v.Kind() {
	case doc.Object:
		return n.requestObject(v, sc)
	case doc.Array:
		if n.Kind != List {
			return v
		}
		out := v
		for i, e := range v.Elems() {
			if as := n.Element.inRequest(e, sc); !as.Same(e) {
				out = put(out, doc.Index(i), as)
			}
		}
		return out
	case doc.String:
		if as, ok := n.ResponseValues[v.Text()]; ok {
			return doc.NewString(as)
		}
		if as := timeInRequest(v.Text()); n.Kind == Time && as != v.Text() {
			return doc.NewString(as)
		}
	}
	return v
}

// timeInRequest converts a time of a response, which may have a blank, to the form of a request. Without an
// offset it is in UTC, while a request would use its own time zone.
func timeInRequest(s string) string {
	t := withT(s)
	if t == s {
		return s
	}
	if _, ok := ParseTime(t+"Z", time.UTC); ok {
		return t + "Z"
	}
	return t
}

func (n *Node) requestObject(v doc.Value, sc *scope) doc.Value {
	in, out := &scope{obj: v, up: sc}, v
	for name, m := range v.Members() {
		child := n.Child(name)
		if child == nil {
			continue
		}
		if as := child.inRequest(m, in); !as.Same(m) {
			out = put(out, doc.Name(name), as)
		}
	}
	for i, r := range n.Responses {
		m := out.Get(r.Name)
		if !m.Exists() {
			continue
		}
		out = out.Delete(doc.P(r.Name))
		if r.As == "" || !out.Get(r.As).Empty() || n.prepared.responses[i].ask(&scope{obj: out, up: sc}, &Env{}) != True {
			continue
		}
		if as := n.names[r.As].taking(m); as.Exists() {
			out = put(out, doc.Name(r.As), as)
		}
	}
	return out
}

// taking converts the value of a response-only field to the field that requests have: a time without an
// offset is in UTC. It returns absent if that is impossible.
func (n *Node) taking(v doc.Value) doc.Value {
	if n.Kind == Time {
		t, ok := ReadTime(v.Text(), time.UTC)
		if !ok {
			return doc.Value{}
		}
		return doc.NewString(t.Format(time.RFC3339Nano))
	}
	if !n.Accepts(v) || v.Empty() {
		return doc.Value{}
	}
	return v
}

// put returns v with its member or element at the step set.
func put(v doc.Value, at doc.Step, to doc.Value) doc.Value {
	out, err := v.Set(doc.Path{at}, to)
	if err != nil { // v is an object or array that has the place
		return v
	}
	return out
}

// response returns the response-only field with a name, or nil.
func (n *Node) response(name string) *Response {
	for i := range n.Responses {
		if n.Responses[i].Name == name {
			return &n.Responses[i]
		}
	}
	return nil
}

// Label returns the display name.
func (r *Response) Label() string { return (&Field{Name: r.Name, Title: r.Title}).Label() }

// instead says what to do with the field in a request.
func (r *Response) instead() string {
	if r.As == "" {
		return "remove it"
	}
	return "use " + r.As + " instead"
}

package schema

import (
	"time"

	"bugle/engine/doc"
)

// InRequest returns a value that a service returned as a request has it; v is what stands at p. Fields
// and values that only responses have become those of a request or are left out, and times with a
// blank in them get a T, and the offset of UTC where they have none. All else stays as it is.
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

// timeInRequest returns a time that only responses spell so, with a blank, as a request has it. It is in
// UTC where it has no offset, and a request means its own time zone then.
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

// taking returns the value of a response's field as the field of a request has it: a time without an
// offset is in UTC. It is absent where the field cannot take the value.
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

// put returns v with its member or element at the step replaced or added.
func put(v doc.Value, at doc.Step, to doc.Value) doc.Value {
	out, err := v.Set(doc.Path{at}, to)
	if err != nil { // v is an object or array that has the place
		return v
	}
	return out
}

// response returns the field of that name that only responses have, and nil where there is none.
func (n *Node) response(name string) *Response {
	for i := range n.Responses {
		if n.Responses[i].Name == name {
			return &n.Responses[i]
		}
	}
	return nil
}

// Label returns the title for people.
func (r *Response) Label() string { return (&Field{Name: r.Name, Title: r.Title}).Label() }

// instead says what to do with the field in a request.
func (r *Response) instead() string {
	if r.As == "" {
		return "remove it"
	}
	return "use " + r.As + " instead"
}

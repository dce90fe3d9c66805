package remote

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/operation"
	"bugle/engine/schema"
)

// translator puts documents into the words of a dialect, and back. It walks a document along the
// tables, and changes words that they have at that place: what no table knows is passed by.
//
// A member or value of ours that the service calls otherwise changes places with the service's word,
// should that stand there as well. So the way there and the way back undo each other on every
// document, and nothing is lost.
type translator struct {
	members, values glossary
	// fields has the values of fields that a path names, with those that hold everywhere.
	fields map[*schema.Node]glossary
	// wrapped has the objects that the service spells as a string, and the field that holds it.
	wrapped      map[*schema.Node]string
	headers      glossary // in canonical spelling
	statusMethod string
	root         nodes
}

// nodes is what the tables know of one value: the nodes that describe it in the tables of the
// channels and requests, which agree on their words.
type nodes []*schema.Node

// newTranslator makes a translator of a dialect whose words can be told apart. What does nothing is
// passed over: what the specification has may change while a profile keeps its dialect.
func newTranslator(d Dialect) (*translator, error) {
	t, faults := translate(d)
	faults = slices.DeleteFunc(faults, func(f dialectFault) bool { return f.unused })
	if len(faults) > 0 {
		return nil, fmt.Errorf("dialect, %s: %s", faults[0].path, faults[0].message)
	}
	return t, nil
}

// translate makes a translator, and finds all that is wrong with its dialect.
func translate(d Dialect) (*translator, []dialectFault) {
	t := &translator{statusMethod: d.StatusMethod, fields: map[*schema.Node]glossary{}, wrapped: map[*schema.Node]string{}}
	var faults []dialectFault
	switch d.StatusMethod {
	case "":
		t.statusMethod = http.MethodPost
	case http.MethodPost, http.MethodPatch:
	default:
		faults = append(faults, dialectFault{path: doc.P(dStatusMethod), message: fmt.Sprintf("must be POST or PATCH, not %q", d.StatusMethod)})
	}
	faults = append(faults, t.prepareHeaders(d)...)
	if len(d.Members)+len(d.Values)+len(d.FieldValues)+len(d.Unwrap) == 0 {
		return t, faults
	}
	for _, table := range catalog.All() {
		t.root = append(t.root, table.Root())
	}
	w := survey{t: t, d: d, seen: map[string]bool{}, met: map[string][]string{}}
	return t, append(faults, w.run()...)
}

var headers = []string{"Authorization", "Content-Type", "Accept", "User-Agent", operation.HeaderTenant, operation.HeaderRequestID, operation.HeaderIdempotencyKey, operation.HeaderReplayed}

func (t *translator) prepareHeaders(d Dialect) []dialectFault {
	table := pairs(d.Headers, doc.P(dHeaders))
	var faults []dialectFault
	for i, p := range table {
		if strings.ContainsFunc(p.theirs, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) {
			faults = append(faults, dialectFault{path: p.path, message: fmt.Sprintf("%q is not a valid header name", p.theirs)})
		}
		table[i].ours = http.CanonicalHeaderKey(p.ours)
	}
	known := make([]string, len(headers))
	for i, h := range headers {
		known[i] = http.CanonicalHeaderKey(h)
	}
	var more []dialectFault
	t.headers, more = newGlossary(table)
	return slices.Concat(faults, more, t.headers.clashes(known), unusedPairs(table, known, "header"))
}

func (t *translator) header(name string) string {
	if theirs := t.headers.theirs(http.CanonicalHeaderKey(name)); theirs != http.CanonicalHeaderKey(name) {
		return theirs
	}
	return name
}

// out puts the body of a request into the service's words.
func (t *translator) out(v doc.Value) doc.Value { return t.value(v, t.root, true) }

// in puts the data of an answer into ours: a record, a page of rows, or content with its
// expressions resolved.
func (t *translator) in(v doc.Value) doc.Value {
	if len(t.root) == 0 {
		return v
	}
	if v.Kind() == doc.Array {
		for i, e := range v.Elems() {
			v = replaced(v, doc.Index(i), e, t.row(e, t.root))
		}
		return v
	}
	v = t.within(v, mCampaigns, t.root)
	v = t.within(v, mContent, t.root.member(string(catalog.CampaignContent)))
	for name, like := range answerWords {
		v = t.within(v, name, t.at(like))
	}
	return t.value(v, t.root, false)
}

// answerWords are members of answers whose values are those of a request's: records and rows have no
// table of their own.
var answerWords = map[string]doc.Path{
	"status":          doc.P("campaign_fields", "status", 0),
	"campaign_status": doc.P("campaign_fields", "status", 0),
}

func (t *translator) at(p doc.Path) nodes {
	at := t.root
	for _, s := range p {
		if s.IsIndex {
			at = at.element()
		} else {
			at = at.member(s.Name)
		}
	}
	return at
}

// within translates one member of an answer, each of its elements where it is an array.
func (t *translator) within(v doc.Value, name string, at nodes) doc.Value {
	m := v.Get(name)
	out := m
	if m.Kind() == doc.Array {
		for i, e := range m.Elems() {
			out = replaced(out, doc.Index(i), e, t.row(e, at))
		}
	} else {
		out = t.value(m, at, false)
	}
	return replaced(v, doc.Name(name), m, out)
}

// row translates one campaign of a page.
func (t *translator) row(v doc.Value, at nodes) doc.Value {
	for name, like := range answerWords {
		m := v.Get(name)
		v = replaced(v, doc.Name(name), m, t.value(m, t.at(like), false))
	}
	return t.value(v, at, false)
}

// replaced returns v with after in the place of before; v itself where they are the same.
func replaced(v doc.Value, at doc.Step, before, after doc.Value) doc.Value {
	if after.Same(before) {
		return v
	}
	out, err := v.Set(doc.Path{at}, after)
	if err != nil { // before was there, so that there is nothing in the way
		return v
	}
	return out
}

func (t *translator) value(v doc.Value, at nodes, out bool) doc.Value {
	if len(at) == 0 {
		return v
	}
	if inner := t.inner(at); inner != "" {
		switch held := v.Get(inner); {
		case out && v.Len() == 1 && held.Kind() == doc.String:
			return t.value(held, at.member(inner), out)
		case !out && v.Kind() == doc.String:
			return doc.NewObject(doc.M(inner, t.value(v, at.member(inner), out)))
		}
	}
	switch v.Kind() {
	case doc.Object:
		return t.object(v, at, out)
	case doc.Array:
		elem := at.element()
		list := v
		for i, e := range v.Elems() {
			list = replaced(list, doc.Index(i), e, t.value(e, elem, out))
		}
		return list
	case doc.String:
		if word := swap(t.valuesAt(at), v.Text(), at.option); word != v.Text() {
			return doc.NewString(word)
		}
	}
	return v
}

// inner names the field of the object there that the service sends in its place; empty where it sends
// the object. An object that holds more than that field is sent as it is, and one that the service
// sends is taken: no word of either is lost.
func (t *translator) inner(at nodes) string {
	if len(t.wrapped) == 0 {
		return ""
	}
	for _, n := range at {
		if inner := t.wrapped[n]; inner != "" {
			return inner
		}
	}
	return ""
}

func (t *translator) valuesAt(at nodes) glossary {
	if len(t.fields) > 0 {
		for _, n := range at {
			if g, ok := t.fields[n]; ok {
				return g
			}
		}
	}
	return t.values
}

func (t *translator) object(v doc.Value, at nodes, out bool) doc.Value {
	var renames [][2]string
	obj := v
	for name, m := range v.Members() {
		other := swap(t.members, name, at.named)
		own := name
		if !out {
			own = other
		}
		obj = replaced(obj, doc.Name(name), m, t.value(m, at.member(own), out))
		if other != name {
			renames = append(renames, [2]string{name, other})
		}
	}
	return renamed(obj, renames)
}

// swap returns the service's word for one of ours that the place knows, and ours for the service's.
func swap(g glossary, word string, known func(string) bool) string {
	if known(word) {
		return g.theirs(word)
	}
	if own, ok := g.ours(word); ok && known(own) {
		return own
	}
	return word
}

// renamed returns members other names, all at once: two may change places.
func renamed(v doc.Value, names [][2]string) doc.Value {
	if len(names) == 0 {
		return v
	}
	free := "\x00"
	for name := range v.Members() {
		if len(name) >= len(free) {
			free = "\x00" + strings.Repeat("_", len(name))
		}
	}
	out := v
	for i, n := range names {
		out = rename(out, n[0], free+strconv.Itoa(i))
	}
	for i, n := range names {
		out = rename(out, free+strconv.Itoa(i), n[1])
	}
	return out
}

func rename(v doc.Value, from, to string) doc.Value {
	out, err := v.Rename(doc.P(from), to)
	if err != nil { // swaps are one to one, and the names between are free
		return v
	}
	return out
}

// path puts a path that an answer names into our words.
func (t *translator) path(s string) string {
	if len(t.root) == 0 || s == "" {
		return s
	}
	p, err := doc.ParsePath(s)
	if err != nil {
		return s
	}
	at, out := t.root, make(doc.Path, len(p))
	for i, step := range p {
		if step.IsIndex {
			out[i], at = step, at.element()
			continue
		}
		step.Name = swap(t.members, step.Name, at.named)
		out[i], at = step, at.member(step.Name)
	}
	return out.String()
}

// named reports whether the tables have a member of that name there.
func (p nodes) named(name string) bool {
	return slices.ContainsFunc(p, func(n *schema.Node) bool {
		return slices.ContainsFunc(n.Children, func(c *schema.Node) bool { return c.Name == name })
	})
}

func (p nodes) member(name string) nodes {
	var out nodes
	for _, n := range p {
		if c := n.Child(name); c != nil && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

func (p nodes) element() nodes {
	var out nodes
	for _, n := range p {
		if n.Kind == schema.List && n.Element != nil {
			out = append(out, n.Element)
		}
	}
	return out
}

// option reports whether the tables list the value there.
func (p nodes) option(value string) bool {
	return slices.ContainsFunc(p, func(n *schema.Node) bool {
		return n.Kind == schema.String && slices.ContainsFunc(n.Options, func(o schema.Option) bool { return o.Value == value })
	})
}

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

// translator translates documents into a dialect and back. It follows the tables and changes the words that
// they have at each place; it ignores unknown parts.
//
// If one of our fields or values has another name at the service, and a document also contains the service's
// name, the two are swapped. Therefore translating back and forth restores every document, and nothing is
// lost.
type translator struct {
	members, values glossary
	// fields has the values of fields with paths of their own, combined with the general ones.
	fields map[*schema.Node]glossary
	// wrapped has the objects that the service replaces by a string, and the field that holds it.
	wrapped      map[*schema.Node]string
	headers      glossary // in canonical spelling
	statusMethod string
	root         nodes
}

// nodes are the nodes that describe one value in the tables of all channels and requests, which agree on
// their words.
type nodes []*schema.Node

// newTranslator creates a translator of a valid dialect. It ignores replacements without effect, because the
// specification may change while a remote keeps its dialect.
func newTranslator(d Dialect) (*translator, error) {
	t, faults := translate(d)
	faults = slices.DeleteFunc(faults, func(f dialectFault) bool { return f.unused })
	if len(faults) > 0 {
		return nil, fmt.Errorf("dialect, %s: %s", faults[0].path, faults[0].message)
	}
	return t, nil
}

// translate creates a translator and returns everything that is wrong with its dialect.
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

// out translates the body of a request.
func (t *translator) out(v doc.Value) doc.Value { return t.value(v, t.root, true) }

// in translates the data of a response: a record, a page of rows, or content with its expressions resolved.
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

// answerWords are response fields with values of a request's field, because records and rows have no table of
// their own.
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

// within translates one member of a response, or each of its elements if it is an array.
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

// replaced returns v with after instead of before, or v itself if they are the same.
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

// inner returns the field of an object that the service sends instead of the object, or "". Objects with more
// than that field are sent and received as they are, so that nothing is lost.
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

// swap exchanges a word of ours and the service's word for it, if the place has ours.
func swap(g glossary, word string, known func(string) bool) string {
	if known(word) {
		return g.theirs(word)
	}
	if own, ok := g.ours(word); ok && known(own) {
		return own
	}
	return word
}

// renamed renames members, all at once, so that two can be swapped.
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

// path translates a path in a response.
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

// named reports whether the tables have a field with that name there.
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

// option reports whether the tables have the value there.
func (p nodes) option(value string) bool {
	return slices.ContainsFunc(p, func(n *schema.Node) bool {
		return n.Kind == schema.String && slices.ContainsFunc(n.Options, func(o schema.Option) bool { return o.Value == value })
	})
}

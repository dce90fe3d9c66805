package schema

import (
	"fmt"
	"slices"

	"bugle/engine/doc"
)

// ExportOptions configure the export of a table as JSON Schema.
type ExportOptions struct {
	Stage Stage  // the stage of the schema; zero: Draft
	ID    string // $id; omitted if empty
	Title string // replaces the table's own
	Defs  string // prefix of references to shared tables; "#/$defs/" if empty
}

// JSONSchema returns the table as a JSON Schema (2020-12). Whatever the schema refuses, [Schema.Validate]
// refuses at that stage without a workspace. Rules that it cannot express (named rules, workspace lists,
// flags) are listed as "x-rules" of the field with id and text; see [Exporter.Unexpressed]. Formats that no
// regular expression can decide, such as URLs or February 29, are approximated by a pattern that accepts
// more.
func (s *Schema) JSONSchema(o ExportOptions) doc.Value {
	x := NewExporter(o.Defs)
	ms := []doc.Member{doc.M("$schema", doc.NewString("https://json-schema.org/draft/2020-12/schema"))}
	if o.ID != "" {
		ms = append(ms, doc.M("$id", doc.NewString(o.ID)))
	}
	for name, v := range x.Table(s, o.Stage).Members() {
		ms = append(ms, doc.M(name, v))
	}
	if o.Title != "" {
		ms = append(ms, doc.M("title", doc.NewString(o.Title)))
	}
	if defs := x.Defs(); len(defs) > 0 {
		ms = append(ms, doc.M("$defs", doc.NewObject(defs...)))
	}
	return doc.NewObject(ms...)
}

// Exporter exports several tables that share definitions. A table with an ID becomes a definition with that
// name; if it differs between requests or stages, a number is appended. It is not safe for concurrent use.
type Exporter struct {
	// DefaultKeyword is the keyword for the value of an absent field: "default". Descriptions of requests
	// should use another one, because client generators treat a field with a default as always present.
	DefaultKeyword string

	prefix string
	names  []string // definitions in order of creation
	defs   map[string]doc.Value
	bodies map[string]string // encoded definitions by name, without title and help
	left   []Unexpressed
}

// Unexpressed is a rule, or part of one, that a JSON Schema only contains as text.
type Unexpressed struct {
	Rule string // rule id
	Text string // the rule as a clause
}

// NewExporter returns an exporter whose references start with prefix ("#/$defs/" if empty).
func NewExporter(prefix string) *Exporter {
	if prefix == "" {
		prefix = "#/$defs/"
	}
	return &Exporter{DefaultKeyword: "default", prefix: prefix, defs: map[string]doc.Value{}, bodies: map[string]string{}}
}

// Table returns the schema of a whole table at a stage. Its references point to [Exporter.Defs].
func (x *Exporter) Table(s *Schema, at Stage) doc.Value {
	if at == 0 {
		at = Draft
	}
	w := &walk{x: x, s: s, stage: at, loop: -1, liked: map[*Node]bool{}}
	for _, n := range s.nodes {
		if n.Like != "" {
			w.liked[n.likeTable()] = true
		}
	}
	return w.value(s.root)
}

// Define adds a definition and returns a reference to it. If another body has the name, a number is appended.
func (x *Exporter) Define(name string, body doc.Value) doc.Value {
	return x.ref(x.define(name, body))
}

// Defs returns the definitions so far, sorted by name.
func (x *Exporter) Defs() []doc.Member {
	names := slices.Sorted(slices.Values(x.names))
	out := make([]doc.Member, len(names))
	for i, name := range names {
		out[i] = doc.M(name, x.defs[name])
	}
	return out
}

// Unexpressed returns the rules that the schemas so far only contain as text, each once.
func (x *Exporter) Unexpressed() []Unexpressed { return slices.Clone(x.left) }

func (x *Exporter) leave(u Unexpressed) {
	if !slices.Contains(x.left, u) {
		x.left = append(x.left, u)
	}
}

func (x *Exporter) ref(name string) doc.Value {
	return doc.NewObject(doc.M("$ref", doc.NewString(x.prefix+name)))
}

func (x *Exporter) define(id string, body doc.Value) string {
	said := string(body.Delete(doc.P("title")).Delete(doc.P("description")).Encode())
	name := id
	for i := 2; ; i++ {
		old, taken := x.bodies[name]
		if taken && old == said {
			return name
		}
		if !taken {
			break
		}
		name = fmt.Sprintf("%s-%d", id, i)
	}
	x.names = append(x.names, name)
	x.bodies[name], x.defs[name] = said, body
	return name
}

// likeTable returns the enclosing table that n is like.
func (n *Node) likeTable() *Node {
	for a := n.Parent; a != nil; a = a.Parent {
		if a.RuleID == n.Like && a.Like == "" {
			return a
		}
	}
	return nil
}

// A reference from within a table to itself is written before the table has its name.
const unnamed = "self:"

func (x *Exporter) toSelf(n *Node) doc.Value {
	return doc.NewObject(doc.M("$ref", doc.NewString(unnamed+n.RuleID)))
}

// named returns v with its self-references replaced by references to the definition.
func (x *Exporter) named(v doc.Value, id, name string) doc.Value {
	switch v.Kind() {
	case doc.Array:
		var elems []doc.Value
		for _, e := range v.Elems() {
			elems = append(elems, x.named(e, id, name))
		}
		return doc.NewArray(elems...)
	case doc.Object:
		var ms []doc.Member
		for key, m := range v.Members() {
			if key == "$ref" && m.Text() == unnamed+id {
				m = doc.NewString(x.prefix + name)
			}
			ms = append(ms, doc.M(key, x.named(m, id, name)))
		}
		return doc.NewObject(ms...)
	}
	return v
}

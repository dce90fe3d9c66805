// Package schematest derives test cases from the tables of a schema: documents that each rule must refuse, and
// documents that it must let pass.
package schematest

import (
	"slices"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Case is a document that a rule must, or must not, report.
type Case struct {
	Rule   string // rule id
	Doc    doc.Value
	Refuse bool // the rule reports it: an error or, for "unused" and "extra_member", a notice
	// Path leads to the value that was changed, or that the rule looks at.
	Path doc.Path
}

// Cases derives documents from base, a document that s accepts in env, by changing one place
// at a time: for every rule of every value in base, and of every member that base could have
// there, documents that the rule must let pass and documents that it must report. A condition
// is made true or false by writing the values that it compares.
//
// The tables alone decide what is expected; Cases never asks the validator. What it cannot
// build it leaves out: [schema.Named] rules, conditions that contradict each other, flags and
// stages other than env's, names that no guess matches. Those cases are written by hand.
func Cases(s *schema.Schema, base doc.Value, env schema.Env) []Case {
	g := newGenerator(s, base, env)
	g.value(s.Root(), place{})
	return g.out
}

type generator struct {
	schema  *schema.Schema
	env     *schema.Env
	base    doc.Value
	out     []Case
	missing []MissingCase
}

func newGenerator(s *schema.Schema, base doc.Value, env schema.Env) generator {
	if env.Stage == 0 {
		env.Stage = schema.Draft
	}
	if env.Lists == nil {
		env.Lists = func(string) ([]string, bool) { return nil, false }
	}
	return generator{schema: s, env: &env, base: base}
}

// place is where a value is: its path, and those of the objects around it, outermost first.
type place struct {
	path doc.Path
	objs []doc.Path
}

func (p place) member(name string) place {
	return place{path: p.path.Child(name), objs: append(slices.Clone(p.objs), p.path)}
}

// ask returns how a condition at the place comes out in root.
func (p place) ask(root doc.Value, c schema.Cond, env *schema.Env) schema.Truth {
	return schema.Eval(c, root, p.objs, env)
}

// named reports whether the table of n has a field of that name.
func named(n *schema.Node, name string) bool {
	return slices.ContainsFunc(n.Children, func(c *schema.Node) bool { return c.Name == name })
}

func wireValues(n *schema.Node) []string {
	out := make([]string, len(n.Options))
	for i, o := range n.Options {
		out[i] = o.Value
	}
	return out
}

func (g *generator) add(n *schema.Node, key string, root doc.Value, p place, refuse bool) {
	if g.reached(root, p.path, key != "applies") {
		g.out = append(g.out, Case{Rule: n.RuleID + "#" + key, Doc: root, Refuse: refuse, Path: p.path})
	}
}

// try adds the case in which nv stands at p in root.
func (g *generator) try(n *schema.Node, key string, root doc.Value, p place, nv doc.Value, refuse bool) {
	if changed, err := root.Set(p.path, nv); err == nil && nv.Exists() {
		g.add(n, key, changed, p, refuse)
	}
}

// reached reports whether the validator comes as far as p in root: nothing on the way is of a
// wrong kind or, where the end counts p itself included, does not apply.
func (g *generator) reached(root doc.Value, p doc.Path, end bool) bool {
	n, v, objs := g.schema.Root(), root, []doc.Path(nil)
	for i, step := range p {
		if !v.Exists() || !n.Accepts(v) {
			return false
		}
		if n.Kind == schema.Object || n.Kind == schema.Map {
			objs = append(objs, p[:i])
		}
		known := !step.IsIndex && named(n, step.Name)
		next := g.schema.At(p[:i+1])
		if next == nil {
			return true // an unknown member: its object is reached
		}
		v = v.Lookup(doc.Path{step})
		if known && (end || i < len(p)-1) && schema.Eval(next.Applies, root, objs, g.env) == schema.False {
			return false
		}
		n = next
	}
	return true
}

// value derives the cases of the value at p, which is in base.
func (g *generator) value(n *schema.Node, p place) {
	v := g.base.Lookup(p.path)
	g.kinds(n, p)
	g.options(n, p)
	switch n.Kind {
	case schema.Object, schema.Map:
		g.object(n, v, p)
	case schema.List:
		for i := range v.Elems() {
			g.value(n.Element, place{path: p.path.Elem(i), objs: p.objs})
		}
	}
	for _, r := range n.Rules {
		g.rule(n, r, g.base, p)
	}
}

func (g *generator) object(n *schema.Node, v doc.Value, p place) {
	known := true
	for name := range v.Members() {
		known = known && n.Child(name) != nil
	}
	if n.Kind == schema.Object && n.Element == nil && n.Like == "" {
		key := "unknown"
		if n.Open {
			key = "extra_member"
		}
		if known {
			g.add(n, key, g.base, p, false)
		}
		g.try(n, key, g.base, p.member("no_such_member"), doc.NewInt(1), true)
	}
	for _, child := range n.Children {
		at := p.member(child.Name)
		g.member(child, at)
		if v.Get(child.Name).Exists() {
			g.value(child, at)
		}
	}
	for name := range v.Members() {
		if !named(n, name) && n.Element != nil {
			g.value(n.Element, p.member(name))
		}
	}
}

// member derives the cases of a member that base may have or lack: applies, unused, required.
func (g *generator) member(n *schema.Node, p place) {
	v := g.base.Lookup(p.path)
	if !v.Exists() {
		v = g.sample(n)
	}
	with, err := g.base.Set(p.path, v)
	if err != nil {
		return
	}
	g.condition(n, "applies", n.Applies, with, p)
	g.condition(n, "unused", n.Used, with, p)
	for i, r := range n.Required {
		if r.At.Covers(g.env.Stage) {
			g.required(n, i, with, p)
		}
	}
}

func (g *generator) condition(n *schema.Node, key string, c schema.Cond, with doc.Value, p place) {
	if c == nil {
		return
	}
	for _, root := range g.make(c, schema.True, with, p) {
		g.add(n, key, root, p, false)
	}
	for _, root := range g.make(c, schema.False, with, p) {
		if root.Lookup(p.path).Exists() {
			g.add(n, key, root, p, true)
		}
	}
}

func (g *generator) required(n *schema.Node, i int, with doc.Value, p place) {
	for _, root := range g.make(schema.All{n.Required[i].When, n.Applies, n.Used}, schema.True, with, p) {
		g.add(n, schema.RequiredKey(i), root, p, false)
		g.lacking(n, i, root, p)
		first := true // an earlier requirement that holds is the one that is reported
		for _, r := range n.Required[:i] {
			first = first && !(r.At.Covers(g.env.Stage) && p.ask(root, r.When, g.env) == schema.True)
		}
		if !first {
			continue
		}
		// An object that the deletion leaves empty may be reported as missing itself.
		if gone := root.Delete(p.path); !gone.Lookup(p.path.Parent()).Empty() {
			g.add(n, schema.RequiredKey(i), gone, p, true)
		}
		g.try(n, schema.RequiredKey(i), root, p, nothing(n), true)
	}
}

// nothing returns the empty value of the node's kind, which counts as missing; absent for the
// kinds that have none.
func nothing(n *schema.Node) doc.Value {
	switch n.Kind {
	case schema.String, schema.Time:
		return doc.NewString("")
	case schema.Object, schema.Map:
		return doc.NewObject()
	case schema.List:
		return doc.NewArray()
	}
	return doc.Value{}
}

// kinds derives the cases of the value's own JSON type.
func (g *generator) kinds(n *schema.Node, p place) {
	if n.Kind == schema.Any {
		return
	}
	g.add(n, "type", g.base, p, false)
	half, _ := doc.NewNumber("0.5")
	// None is empty: an empty value of a required member is reported as missing.
	for _, wrong := range []doc.Value{
		doc.NullValue(), doc.NewBool(true), doc.NewString("5"), half, doc.NewArray(half), doc.NewObject(doc.M("x", half)),
	} {
		if !n.Accepts(wrong) {
			g.try(n, "type", g.base, p, wrong, true)
		}
	}
}

// options derives the cases of an enumeration, of each of its options too.
func (g *generator) options(n *schema.Node, p place) {
	if len(n.Options) == 0 {
		return
	}
	for _, o := range n.Options {
		v := o.Literal(n.Kind)
		with, err := g.base.Set(p.path, v)
		if err != nil {
			continue
		}
		for _, root := range g.make(o.When, schema.True, with, p) {
			if root.Lookup(p.path).Same(v) {
				g.add(n, "enum", root, p, false)
			}
		}
		if o.When == nil {
			continue
		}
		for _, root := range g.make(o.When, schema.False, with, p) {
			if root.Lookup(p.path).Same(v) {
				g.add(n, "enum", root, p, true)
			}
		}
	}
	wrong := doc.NewInt(987654)
	if n.Kind == schema.String {
		wrong = doc.NewString("NO_SUCH_OPTION")
	}
	g.try(n, "enum", g.base, p, wrong, true)
}

// make returns documents like root in which the condition, asked at p, comes out as want: one
// for each way to get there.
func (g *generator) make(c schema.Cond, want schema.Truth, root doc.Value, p place) []doc.Value {
	if p.ask(root, c, g.env) == want {
		if _, isAny := c.(schema.AnyOf); !isAny || want == schema.False {
			return []doc.Value{root}
		}
	}
	var out []doc.Value
	for _, r := range g.ways(c, want, root, p) {
		if p.ask(r, c, g.env) == want {
			out = append(out, r)
		}
	}
	return out
}

func (g *generator) ways(c schema.Cond, want schema.Truth, root doc.Value, p place) []doc.Value {
	switch c := c.(type) {
	case schema.Is:
		return g.is(c, want, root, p)
	case schema.On:
		return g.write(root, p.target(c.Path), doc.NewBool(want == schema.True))
	case schema.Has:
		to := p.target(c.Path)
		if want == schema.False {
			return []doc.Value{root.Delete(to)}
		}
		if n := g.schema.At(to); n != nil {
			return g.write(root, to, g.sample(n))
		}
	case schema.Holds:
		to, kept := p.target(c.Path), []string(nil)
		for _, e := range root.Lookup(to).Strings() {
			if e != c.Value {
				kept = append(kept, e)
			}
		}
		if want == schema.True {
			kept = append(kept, c.Value)
		}
		return g.write(root, to, doc.NewStrings(kept...))
	case schema.Not:
		return g.make(c.C, -want, root, p)
	case schema.All:
		return g.group(c, want, schema.True, root, p)
	case schema.AnyOf:
		return g.group(c, want, schema.False, root, p)
	}
	return nil
}

// group makes conditions that belong together come out as want: all of them where want is
// the outcome that needs all, otherwise each of them once.
func (g *generator) group(cs []schema.Cond, want, needsAll schema.Truth, root doc.Value, p place) []doc.Value {
	if want != needsAll {
		var out []doc.Value
		for _, c := range cs {
			if c != nil {
				out = append(out, g.make(c, want, root, p)...)
			}
		}
		return out
	}
	roots := []doc.Value{root}
	for _, c := range cs {
		var next []doc.Value
		for _, r := range roots {
			next = append(next, g.make(c, want, r, p)...)
		}
		roots = next
	}
	return roots
}

func (g *generator) is(c schema.Is, want schema.Truth, root doc.Value, p place) []doc.Value {
	to := p.target(c.Path)
	values := c.Values
	if want == schema.False {
		values = []string{"something else"}
		if n := g.schema.At(to); n != nil && len(n.Options) > 0 {
			values = slices.DeleteFunc(wireValues(n), func(v string) bool { return slices.Contains(c.Values, v) })
		}
	}
	var out []doc.Value
	for _, v := range values {
		out = append(out, g.write(root, to, doc.NewString(v))...)
	}
	if want == schema.False && len(out) == 0 {
		out = append(out, root.Delete(to))
	}
	return out
}

func (g *generator) write(root doc.Value, to doc.Path, v doc.Value) []doc.Value {
	changed, err := root.Set(to, v)
	if err != nil {
		return nil
	}
	return []doc.Value{changed}
}

// target returns the path in the document that a condition's path means at the place.
func (p place) target(path string) doc.Path {
	fromRoot, up, names := schema.SplitPath(path)
	var at doc.Path
	if i := len(p.objs) - 1 - up; !fromRoot && i >= 0 {
		at = p.objs[i]
	}
	for _, name := range names {
		at = at.Child(name)
	}
	return at
}

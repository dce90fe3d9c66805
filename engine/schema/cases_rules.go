package schema

import (
	"fmt"
	"math"
	"strings"

	"bugle/engine/doc"
)

// rule derives the cases of one rule of the value at p in root.
func (g *generator) rule(n *Node, r Rule, root doc.Value, p place) {
	v := root.Lookup(p.path)
	switch r := r.(type) {
	case Guard:
		if !r.At.covers(g.env.stage()) {
			return
		}
		for _, made := range g.make(r.When, True, root, p) {
			if made.Lookup(p.path).Exists() {
				g.rule(n, r.Rule, made, p)
			}
		}
	case Forbidden:
		for _, made := range g.make(r.When, False, root, p) {
			g.add(n, r.key(), made, p, false)
		}
		for _, made := range g.make(r.When, True, root, p) {
			if made.Lookup(p.path).Exists() {
				g.add(n, r.key(), made, p, true)
			}
		}
	case Range:
		g.bounds(n, r, root, p)
	case Length:
		g.lengths(n, r, root, p)
	case Items:
		g.counts(n, r, root, p)
	case Unique:
		g.add(n, r.key(), root, p, false)
		if v.Len() > 0 {
			g.try(n, r.key(), root, place{path: p.path.Elem(v.Len()), objs: p.objs}, v.At(0), true)
		}
	case Pattern, Format, Configured, Expressions:
		g.texts(n, r, root, p)
	case Excludes:
		g.excluded(n, r, root, p)
	case Keys, Extra:
		g.names(n, r, root, p)
	case OneTrue, NotBoth, OneOf:
		g.groups(n, r, root, p)
	}
}

func (g *generator) bounds(n *Node, r Range, root doc.Value, p place) {
	at := func(f float64, refuse bool) {
		if v, ok := doc.NewNumber(fmt.Sprintf("%.0f", f)); ok && !math.IsInf(f, 0) && f == math.Trunc(f) {
			g.try(n, r.key(), root, p, v, refuse)
		}
	}
	at(r.Min, false)
	at(r.Min-1, true)
	at(r.Max, false)
	at(r.Max+1, true)
}

func (g *generator) lengths(n *Node, r Length, root doc.Value, p place) {
	at := func(l int, refuse bool) { g.try(n, r.key(), root, p, doc.NewString(strings.Repeat("ä", l)), refuse) }
	at(r.Min, false)
	if r.Min > 0 {
		at(r.Min-1, true)
	}
	if r.Max > 0 {
		at(r.Max, false)
		at(r.Max+1, true)
	}
}

func (g *generator) counts(n *Node, r Items, root doc.Value, p place) {
	if n.Kind != List {
		return
	}
	one := root.Lookup(p.path).At(0)
	if !one.Exists() {
		one = g.sample(n.Element)
	}
	at := func(l int, refuse bool) {
		elems := make([]doc.Value, l)
		for i := range elems {
			elems[i] = one
		}
		g.try(n, r.key(), root, p, doc.NewArray(elems...), refuse)
	}
	at(r.Min, false)
	if r.Min > 0 {
		at(r.Min-1, true)
	}
	if r.Max > 0 {
		at(r.Max, false)
		at(r.Max+1, true)
	}
}

// sampleTexts are texts of the forms that tables choose between by a condition.
var sampleTexts = map[Form]string{Email: "ann@example.com", E164: "+14155550123"}

// texts derives the cases of the rules that read one string: what the rule lets pass is the
// value that is there or an expression, what it refuses the first bad guess.
func (g *generator) texts(n *Node, r Rule, root doc.Value, p place) {
	if n.Kind != String && n.Kind != Time {
		return
	}
	f, form := r.(Format)
	if form && f.Plain && !f.As.Matches(root.Lookup(p.path).Text()) {
		// Another rule may want another form of the value that is there.
		g.try(n, r.key(), root, p, doc.NewString(sampleTexts[f.As]), false)
	} else {
		g.add(n, r.key(), root, p, false)
	}
	if form && n.Template {
		g.try(n, r.key(), root, p, doc.NewString("{{ user.name }}"), false)
	}
	if c, ok := r.(Configured); ok {
		names, _ := g.env.list(c.List)
		for _, name := range names {
			g.try(n, r.key(), root, p, doc.NewString(name), false)
		}
	}
	for _, bad := range []string{"nothing like it, surely", "-", "{{ user. }}", "{{"} {
		if g.bad(r, bad) && n.fits(doc.NewString(bad)) {
			g.try(n, r.key(), root, p, doc.NewString(bad), true)
			return
		}
	}
}

// bad reports whether the rule, by its own data, refuses the text.
func (g *generator) bad(r Rule, s string) bool {
	switch r := r.(type) {
	case Pattern:
		return !r.Re.MatchString(s)
	case Format:
		return (r.Plain || !HasExpression(s)) && !r.As.Matches(s)
	case Configured:
		_, known := g.env.list(r.List)
		return known // no workspace has such a name
	case Expressions:
		return g.env.Expression != nil && HasExpression(s) && g.env.Expression(s) != nil
	}
	return false
}

func (g *generator) excluded(n *Node, r Excludes, root doc.Value, p place) {
	g.add(n, r.key(), root, p, false)
	for _, v := range r.Values {
		if n.Kind == List {
			end := place{path: p.path.Elem(root.Lookup(p.path).Len()), objs: p.objs}
			g.try(n, r.key(), root, end, doc.NewString(v), true)
			continue
		}
		g.try(n, r.key(), root, p, doc.NewString(v), true)
	}
}

func (g *generator) names(n *Node, r Rule, root doc.Value, p place) {
	if n.Element == nil {
		return
	}
	g.add(n, r.key(), root, p, false)
	if k, ok := r.(Keys); ok {
		if bad := "Not A Good Name"; !k.Re.MatchString(bad) {
			g.try(n, r.key(), root, p.member(bad), g.sample(n.Element), true)
		}
	}
	x, ok := r.(Extra)
	if !ok {
		return
	}
	for name := range root.Lookup(p.path).Members() {
		if n.names[name] == nil {
			root = root.Delete(p.path.Child(name))
		}
	}
	for i := range x.Max + 1 {
		changed, err := root.Set(p.path.Child(g.goodName(n, i+1)), g.sample(n.Element))
		if err != nil {
			return
		}
		root = changed
		if i+1 >= x.Max {
			g.add(n, r.key(), root, p, i+1 > x.Max)
		}
	}
}

// goodName gives a name, other for each i, that the rules of n allow for a further member.
func (g *generator) goodName(n *Node, i int) string {
	for _, form := range []string{"variation_%d", "utm_extra_%d", "extra_%d"} {
		name := fmt.Sprintf(form, i)
		good := true
		for _, r := range n.Rules {
			if k, ok := r.(Keys); ok {
				good = good && k.Re.MatchString(name)
			}
		}
		if good {
			return name
		}
	}
	return fmt.Sprintf("extra%d", i)
}

// groups derives the cases of the rules about several members of the object at p.
func (g *generator) groups(n *Node, r Rule, root doc.Value, p place) {
	switch r := r.(type) {
	case OneTrue:
		// The others are false, not absent: an empty object is no object to some tables.
		for _, name := range r.Fields {
			root, _ = root.Set(p.path.Child(name), doc.NewBool(false))
		}
		g.add(n, r.key(), root, p, true)
		for i, name := range r.Fields {
			one, _ := root.Set(p.path.Child(name), doc.NewBool(true))
			g.add(n, r.key(), one, p, false)
			two, _ := one.Set(p.path.Child(r.Fields[(i+1)%len(r.Fields)]), doc.NewBool(true))
			g.add(n, r.key(), two, p, true)
		}
	case NotBoth:
		for i := range r.Fields {
			g.add(n, r.key(), g.only(n, r.Fields, r.Fields[i:i+1], root, p), p, false)
		}
		g.add(n, r.key(), g.only(n, r.Fields, r.Fields[:2], root, p), p, true)
	case OneOf:
		for i := range r.Fields {
			g.add(n, r.key(), g.only(n, r.Fields, r.Fields[i:i+1], root, p), p, false)
		}
		g.add(n, r.key(), g.only(n, r.Fields, nil, root, p), p, true)
	}
}

// only gives root with, of the members all of the object at p, just those of keep.
func (g *generator) only(n *Node, all, keep []string, root doc.Value, p place) doc.Value {
	old := root.Lookup(p.path)
	for _, name := range all {
		root = root.Delete(p.path.Child(name))
	}
	for _, name := range keep {
		v := old.Get(name)
		if v.Empty() {
			v = g.sample(n.names[name])
		}
		if changed, err := root.Set(p.path.Child(name), v); err == nil {
			root = changed
		}
	}
	return root
}

// sample gives a value for n that its own rules accept, as far as they are data.
func (g *generator) sample(n *Node) doc.Value {
	if len(n.Options) > 0 {
		return n.Options[0].literal(n.Kind)
	}
	switch n.Kind {
	case String:
		return doc.NewString(n.sampleText())
	case Integer, Number:
		for _, r := range n.Rules {
			if b, ok := r.(Range); ok && !math.IsInf(b.Min, 0) {
				return doc.NewInt(int64(math.Ceil(b.Min)))
			}
		}
		return doc.NewInt(1)
	case Bool:
		return doc.NewBool(true)
	case Time:
		return doc.NewString("2026-12-01T09:00:00Z")
	case List:
		return doc.NewArray(g.sample(n.Element))
	case Map:
		return doc.NewObject(doc.M(g.goodName(n, 1), g.sample(n.Element)))
	case Object:
		return g.sampleObject(n)
	}
	return doc.NewString("anything")
}

// sampleObject has the members that the table always requires, or the first one.
func (g *generator) sampleObject(n *Node) doc.Value {
	var ms []doc.Member
	for _, c := range n.Children {
		for _, r := range c.Required {
			if r.When == nil && c.Like == "" {
				ms = append(ms, doc.M(c.Name, g.sample(c)))
			}
		}
	}
	for _, c := range n.Children {
		if len(ms) == 0 && c.Like == "" && c.Applies == nil {
			ms = append(ms, doc.M(c.Name, g.sample(c)))
		}
	}
	return doc.NewObject(ms...)
}

func (n *Node) sampleText() string {
	for _, r := range n.Rules {
		if f, ok := r.(Format); ok && !f.As.Matches(n.Example) {
			return map[Form]string{
				URI: "https://example.com", Email: "ann@example.com", E164: "+14155550123", Color: "#112233",
				ObjectID: "65f1c0ffee0ddba11ca11ab1", UUID: "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09", Zone: "Europe/Berlin",
				Clock: "09:30", Digits: "5", Decimal: "1.5", DateTime: "2026-12-01T09:00:00Z",
			}[f.As]
		}
	}
	if n.Example != "" {
		return n.Example
	}
	return "text"
}

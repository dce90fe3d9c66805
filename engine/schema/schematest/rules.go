package schematest

import (
	"fmt"
	"math"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// rule derives the cases of one rule of the value at p in root.
func (g *generator) rule(n *schema.Node, r schema.Rule, root doc.Value, p place) {
	v := root.Lookup(p.path)
	switch r := r.(type) {
	case schema.Guard:
		if !r.At.Covers(g.env.Stage) {
			return
		}
		for _, made := range g.make(r.When, schema.True, root, p) {
			if made.Lookup(p.path).Exists() {
				g.rule(n, r.Rule, made, p)
			}
		}
	case schema.Forbidden:
		for _, made := range g.make(r.When, schema.False, root, p) {
			g.add(n, r.Key(), made, p, false)
		}
		for _, made := range g.make(r.When, schema.True, root, p) {
			if made.Lookup(p.path).Exists() {
				g.add(n, r.Key(), made, p, true)
			}
		}
	case schema.Range:
		g.bounds(n, r, root, p)
	case schema.Length:
		g.lengths(n, r, root, p)
	case schema.Items:
		g.counts(n, r, root, p)
	case schema.Unique:
		g.add(n, r.Key(), root, p, false)
		if v.Len() > 0 {
			g.try(n, r.Key(), root, place{path: p.path.Elem(v.Len()), objs: p.objs}, v.At(0), true)
		}
	case schema.Pattern, schema.Format, schema.Configured, schema.Expressions:
		g.texts(n, r, root, p)
	case schema.Excludes:
		g.excluded(n, r, root, p)
	case schema.Keys, schema.Extra:
		g.names(n, r, root, p)
	case schema.OneTrue, schema.NotBoth, schema.OneOf:
		g.groups(n, r, root, p)
	}
}

func (g *generator) bounds(n *schema.Node, r schema.Range, root doc.Value, p place) {
	at := func(f float64, refuse bool) {
		if v, ok := doc.NewNumber(fmt.Sprintf("%.0f", f)); ok && !math.IsInf(f, 0) && f == math.Trunc(f) {
			g.try(n, r.Key(), root, p, v, refuse)
		}
	}
	at(r.Min, false)
	at(r.Min-1, true)
	at(r.Max, false)
	at(r.Max+1, true)
}

func (g *generator) lengths(n *schema.Node, r schema.Length, root doc.Value, p place) {
	at := func(l int, refuse bool) { g.try(n, r.Key(), root, p, doc.NewString(strings.Repeat("ä", l)), refuse) }
	at(r.Min, false)
	if r.Min > 0 {
		at(r.Min-1, true)
	}
	if r.Max > 0 {
		at(r.Max, false)
		at(r.Max+1, true)
	}
}

func (g *generator) counts(n *schema.Node, r schema.Items, root doc.Value, p place) {
	if n.Kind != schema.List {
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
		g.try(n, r.Key(), root, p, doc.NewArray(elems...), refuse)
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
var sampleTexts = map[schema.Form]string{schema.Email: "ann@example.com", schema.E164: "+14155550123"}

// texts derives the cases of the rules that read one string: what the rule lets pass is the
// value that is there or an expression, what it refuses the first bad guess.
func (g *generator) texts(n *schema.Node, r schema.Rule, root doc.Value, p place) {
	if n.Kind != schema.String && n.Kind != schema.Time {
		return
	}
	f, form := r.(schema.Format)
	if form && f.Plain && !f.As.Matches(root.Lookup(p.path).Text()) {
		// Another rule may want another form of the value that is there.
		g.try(n, r.Key(), root, p, doc.NewString(sampleTexts[f.As]), false)
	} else {
		g.add(n, r.Key(), root, p, false)
	}
	if form && n.Template {
		g.try(n, r.Key(), root, p, doc.NewString("{{ user.name }}"), false)
	}
	if c, ok := r.(schema.Configured); ok {
		names, _ := g.env.Lists(c.List)
		for _, name := range names {
			g.try(n, r.Key(), root, p, doc.NewString(name), false)
		}
	}
	for _, bad := range []string{"nothing like it, surely", "-", "{{ user. }}", "{{"} {
		if g.bad(r, bad) && n.Accepts(doc.NewString(bad)) {
			g.try(n, r.Key(), root, p, doc.NewString(bad), true)
			return
		}
	}
}

// bad reports whether the rule, by its own data, refuses the text.
func (g *generator) bad(r schema.Rule, s string) bool {
	switch r := r.(type) {
	case schema.Pattern:
		return !r.Re.MatchString(s)
	case schema.Format:
		return (r.Plain || !schema.HasExpression(s)) && !r.As.Matches(s)
	case schema.Configured:
		_, known := g.env.Lists(r.List)
		return known // no workspace has such a name
	case schema.Expressions:
		return g.env.Expression != nil && schema.HasExpression(s) && g.env.Expression(s) != nil
	}
	return false
}

func (g *generator) excluded(n *schema.Node, r schema.Excludes, root doc.Value, p place) {
	g.add(n, r.Key(), root, p, false)
	for _, v := range r.Values {
		if n.Kind == schema.List {
			end := place{path: p.path.Elem(root.Lookup(p.path).Len()), objs: p.objs}
			g.try(n, r.Key(), root, end, doc.NewString(v), true)
			continue
		}
		g.try(n, r.Key(), root, p, doc.NewString(v), true)
	}
}

func (g *generator) names(n *schema.Node, r schema.Rule, root doc.Value, p place) {
	if n.Element == nil {
		return
	}
	g.add(n, r.Key(), root, p, false)
	if k, ok := r.(schema.Keys); ok {
		if bad := "Not A Good Name"; !k.Re.MatchString(bad) {
			g.try(n, r.Key(), root, p.member(bad), g.sample(n.Element), true)
		}
	}
	x, ok := r.(schema.Extra)
	if !ok {
		return
	}
	for name := range root.Lookup(p.path).Members() {
		if !named(n, name) {
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
			g.add(n, r.Key(), root, p, i+1 > x.Max)
		}
	}
}

// goodName returns a name, other for each i, that the rules of n allow for a further member.
func (g *generator) goodName(n *schema.Node, i int) string {
	for _, form := range []string{"variation_%d", "utm_extra_%d", "extra_%d"} {
		name := fmt.Sprintf(form, i)
		good := true
		for _, r := range n.Rules {
			if k, ok := r.(schema.Keys); ok {
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
func (g *generator) groups(n *schema.Node, r schema.Rule, root doc.Value, p place) {
	switch r := r.(type) {
	case schema.OneTrue:
		// The others are false, not absent: an empty object is no object to some tables.
		for _, name := range r.Fields {
			root, _ = root.Set(p.path.Child(name), doc.NewBool(false))
		}
		g.add(n, r.Key(), root, p, true)
		for i, name := range r.Fields {
			one, _ := root.Set(p.path.Child(name), doc.NewBool(true))
			g.add(n, r.Key(), one, p, false)
			two, _ := one.Set(p.path.Child(r.Fields[(i+1)%len(r.Fields)]), doc.NewBool(true))
			g.add(n, r.Key(), two, p, true)
		}
	case schema.NotBoth:
		for i := range r.Fields {
			g.add(n, r.Key(), g.only(n, r.Fields, r.Fields[i:i+1], root, p), p, false)
		}
		g.add(n, r.Key(), g.only(n, r.Fields, r.Fields[:2], root, p), p, true)
	case schema.OneOf:
		for i := range r.Fields {
			g.add(n, r.Key(), g.only(n, r.Fields, r.Fields[i:i+1], root, p), p, false)
		}
		g.add(n, r.Key(), g.only(n, r.Fields, nil, root, p), p, true)
	}
}

// only returns root with, of the members all of the object at p, just those of keep.
func (g *generator) only(n *schema.Node, all, keep []string, root doc.Value, p place) doc.Value {
	old := root.Lookup(p.path)
	for _, name := range all {
		root = root.Delete(p.path.Child(name))
	}
	for _, name := range keep {
		v := old.Get(name)
		if v.Empty() {
			v = g.sample(n.Child(name))
		}
		if changed, err := root.Set(p.path.Child(name), v); err == nil {
			root = changed
		}
	}
	return root
}

// sample returns a value for n that its own rules accept, as far as they are data.
func (g *generator) sample(n *schema.Node) doc.Value {
	if len(n.Options) > 0 {
		return n.Options[0].Literal(n.Kind)
	}
	switch n.Kind {
	case schema.String:
		return doc.NewString(sampleText(n))
	case schema.Integer, schema.Number:
		for _, r := range n.Rules {
			if b, ok := r.(schema.Range); ok && !math.IsInf(b.Min, 0) {
				return doc.NewInt(int64(math.Ceil(b.Min)))
			}
		}
		return doc.NewInt(1)
	case schema.Bool:
		return doc.NewBool(true)
	case schema.Time:
		return doc.NewString("2026-12-01T09:00:00Z")
	case schema.List:
		return doc.NewArray(g.sample(n.Element))
	case schema.Map:
		return doc.NewObject(doc.M(g.goodName(n, 1), g.sample(n.Element)))
	case schema.Object:
		return g.sampleObject(n)
	}
	return doc.NewString("anything")
}

// sampleObject has the members that the table always requires, or the first one.
func (g *generator) sampleObject(n *schema.Node) doc.Value {
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

func sampleText(n *schema.Node) string {
	for _, r := range n.Rules {
		if f, ok := r.(schema.Format); ok && !f.As.Matches(n.Example) {
			return map[schema.Form]string{
				schema.URI: "https://example.com", schema.Email: "ann@example.com", schema.E164: "+14155550123", schema.Color: "#112233",
				schema.ObjectID: "65f1c0ffee0ddba11ca11ab1", schema.UUID: "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09", schema.Zone: "Europe/Berlin",
				schema.Clock: "09:30", schema.Digits: "5", schema.Decimal: "1.5", schema.DateTime: "2026-12-01T09:00:00Z",
			}[f.As]
		}
	}
	if n.Example != "" {
		return n.Example
	}
	return "text"
}

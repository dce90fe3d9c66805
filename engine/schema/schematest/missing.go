package schematest

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Lack is what a [MissingCase] takes away.
type Lack string

// The lacks of a required field.
const (
	NoField     Lack = "the field is absent"
	EmptyObject Lack = "the object around it is empty"
	NoObject    Lack = "an object around it is absent"
)

// MissingCase is a document that lacks a required field. Where Refuse is set, the validator must
// report the field, or an object around it, as missing; otherwise it must not report the field.
type MissingCase struct {
	Case
	Lack Lack
}

// MissingCases derives from base, a document that s accepts in env, the documents that lack a
// required field: alone, with all that is beside it, and with each of the objects around it. A
// requirement that asks only about what is around an absent object holds all the same. As in
// [Cases], the tables alone decide what is expected.
func MissingCases(s *schema.Schema, base doc.Value, env schema.Env) []MissingCase {
	g := newGenerator(s, base, env)
	g.value(s.Root(), place{})
	return g.missing
}

// lacking derives the missing cases of requirement i of n, which holds at p in root.
func (g *generator) lacking(n *schema.Node, i int, root doc.Value, p place) {
	lack := func(lack Lack, root doc.Value, refuse bool) {
		g.missing = append(g.missing, MissingCase{Case{n.RuleID + "#" + schema.RequiredKey(i), root, refuse, p.path}, lack})
	}
	lack(NoField, root.Delete(p.path), true)
	if len(p.objs) < 2 {
		return // the object is the document
	}
	if empty, err := root.Set(p.objs[len(p.objs)-1], doc.NewObject()); err == nil {
		lack(EmptyObject, empty, g.demanded(n, empty, p, 0))
	}
	for level := 1; level < len(p.objs); level++ {
		at := p.objs[len(p.objs)-level]
		if at[len(at)-1].IsIndex {
			return // without the element there is nothing that could lack the field
		}
		if component := len(at) == 1; component && g.env.Stage != schema.Publish {
			return // a component that is not sent yet
		}
		gone := root.Delete(at)
		lack(NoObject, gone, g.demanded(n, gone, p, level))
	}
}

// demanded reports whether a requirement of n holds at p in root, where that many objects around n are
// absent: such a requirement asks about what is around them.
func (g *generator) demanded(n *schema.Node, root doc.Value, p place, absent int) bool {
	return slices.ContainsFunc(n.Required, func(r schema.Required) bool {
		c := schema.All{r.When, n.Applies, n.Used}
		return r.At.Covers(g.env.Stage) && (absent == 0 || around(c, absent)) && p.ask(root, c, g.env) == schema.True
	})
}

// around reports whether c asks about something, and only about what is at least that many objects up.
func around(c schema.Cond, levels int) bool {
	asks, outside := false, true
	schema.Paths(c, func(path string, _ []string) {
		root, up, _ := schema.SplitPath(path)
		asks = true
		outside = outside && (root || up >= levels)
	})
	return asks && outside
}

// Met reports whether the problems are what the case expects.
func (c MissingCase) Met(found []schema.Problem) bool {
	return c.Refuse == slices.ContainsFunc(found, func(p schema.Problem) bool {
		_, key, _ := strings.Cut(p.Rule, "#")
		return strings.HasPrefix(key, schema.RequiredKey(0)) && c.Path.HasPrefix(p.Path) && (c.Refuse || len(p.Path) == len(c.Path))
	})
}

package catalog

import (
	"slices"
	"strings"

	"bugle/engine/schema"
)

// narrowed returns the table of a component for a request that only contains the root fields roots.
// Conditions on other root fields are Unknown there and cause no problems, so parts that depend on them are
// left out.
func narrowed(f schema.Field, roots ...string) schema.Field {
	var certain, used bool
	f.Applies, certain = sufficient(f.Applies, roots, false)
	f.Used, used = sufficient(f.Used, roots, false)
	if !certain || !used {
		f.Required = nil
	}
	f.Required = keep(f.Required, func(r schema.Required) (schema.Required, bool) {
		return r, seen(r.When, roots)
	})
	f.Options = keep(f.Options, func(o schema.Option) (schema.Option, bool) {
		o.When, _ = sufficient(o.When, roots, false)
		return o, true
	})
	f.Rules = keep(f.Rules, func(r schema.Rule) (schema.Rule, bool) {
		switch r := r.(type) {
		case schema.Guard:
			if fb, ok := r.Rule.(schema.Forbidden); ok && !seen(fb.When, roots) {
				return nil, false
			}
			c, ok := sufficient(r.When, roots, true)
			r.When = c
			return r, ok || c != nil
		case schema.Forbidden:
			return r, seen(r.When, roots)
		}
		return r, true
	})
	f.Fields = keep(f.Fields, func(m schema.Field) (schema.Field, bool) { return narrowed(m, roots...), true })
	if f.Elem != nil {
		elem := narrowed(*f.Elem, roots...)
		f.Elem = &elem
	}
	return f
}

func keep[T any](in []T, f func(T) (T, bool)) []T {
	var out []T
	for _, e := range in {
		if e, ok := f(e); ok {
			out = append(out, e)
		}
	}
	return out
}

// sufficient returns the part of c that can be decided without the missing root fields: if holds is set, a
// condition that implies c, and otherwise one that c implies. The second result reports whether that is all
// of c. A nil part with false decides nothing.
func sufficient(c schema.Cond, roots []string, holds bool) (schema.Cond, bool) {
	if c == nil || seen(c, roots) {
		return c, true
	}
	var parts []schema.Cond
	switch c := c.(type) {
	case schema.All:
		if holds {
			return nil, false
		}
		parts = c
	case schema.AnyOf:
		if !holds {
			return nil, false
		}
		parts = c
	}
	parts = keep(parts, func(p schema.Cond) (schema.Cond, bool) {
		p, _ = sufficient(p, roots, holds)
		return p, p != nil
	})
	switch {
	case len(parts) == 0:
		return nil, false
	case holds:
		return schema.AnyOf(parts), false
	}
	return schema.All(parts), false
}

// seen reports whether c only reads root fields in roots.
func seen(c schema.Cond, roots []string) bool {
	path := ""
	switch c := c.(type) {
	case schema.Is:
		path = c.Path
	case schema.On:
		path = c.Path
	case schema.Has:
		path = c.Path
	case schema.Holds:
		path = c.Path
	case schema.Not:
		return seen(c.C, roots)
	case schema.All:
		return !slices.ContainsFunc(c, func(p schema.Cond) bool { return !seen(p, roots) })
	case schema.AnyOf:
		return !slices.ContainsFunc(c, func(p schema.Cond) bool { return !seen(p, roots) })
	}
	if !strings.HasPrefix(path, "/") {
		return true
	}
	name, _, _ := strings.Cut(path[1:], ".")
	return slices.Contains(roots, name)
}

package template

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Expression is one use of a name in a template.
type Expression struct {
	// Root is UserAttribute, EventAttribute, BusinessEventAttribute, ContentBlock, ContentApi or ProductSet
	// (also for the short forms user and event), or "" for an undefined name.
	Root string
	// Name is what is looked up in Root: an attribute, a block. It is "" if it is computed, as in
	// UserAttribute[x]. If Root is "", it is the undefined name.
	Name         string
	Source       string // as written, including the filters behind it
	Span                // of Source
	Line, Column int    // of Source, from 1, in characters
	// Filters are the names of the filters that its value passes through, the first one first.
	Filters []string
	Default string // the first argument of its filter default, as written; "" without
	// Optional means that the text can do without the value: it has a default, stands in a condition, or where
	// a condition ensures that it is there.
	Optional bool
	Written  bool // the value is written into the text, perhaps with what filters and operators make of it
}

// Expressions lists what src uses of a user, an event and the workspace, in text order. It leaves out names
// that the template defines. It lists content blocks but does not follow them.
func Expressions(src string) ([]Expression, error) {
	w, err := walkUses(src)
	if err != nil {
		return nil, err
	}
	return w.found, nil
}

// Written is [Expressions] with those more whose values src writes by a name that it sets, as in {% set x = user.y %}{{ x }}.
// They have the Source and the filters of what the name was set to, and the Span of where it is written.
func Written(src string) ([]Expression, error) {
	w, err := walkUses(src)
	if err != nil {
		return nil, err
	}
	out := append(w.found, w.byName...)
	slices.SortStableFunc(out, func(a, b Expression) int { return a.Start - b.Start })
	return out, nil
}

func walkUses(src string) (*useWalker, error) {
	w := &useWalker{src: src}
	if !HasTag(src) {
		return w, nil
	}
	t, err := Parse(src)
	if err != nil {
		return nil, err
	}
	w.within(func() { w.nodes(t.body) })
	slices.SortStableFunc(w.found, func(a, b Expression) int { return a.Start - b.Start })
	line, column, last := 1, 1, 0
	for i := range w.found {
		at := &w.found[i]
		between := src[last:at.Start]
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			line += strings.Count(between, "\n")
			column, between = 1, between[i+1:]
		}
		column += utf8.RuneCountInString(between)
		at.Line, at.Column, last = line, column, at.Start
	}
	return w, nil
}

// useWalker finds the uses of names with Jinja's scopes.
type useWalker struct {
	src    string
	found  []Expression
	byName []Expression // what is written by a name that the template sets
	scope  *scope
	known  []string // the values that conditions ensure, as key returns them
	around []string // the filters of the blocks around a statement, the innermost first
	later  []func() // the macros of the statements around
}

// flow is where the value of an expression goes.
type flow struct {
	need    need
	written bool
	filters []string      // that it passes through
	into    *[]Expression // collects what a name is set to; nil: it is written into the text
}

// need says what becomes of an expression without a value.
type need byte

const (
	required need = iota
	absent        // a missing value is fine, as in a condition
	anything      // so is a failure: a default replaces it
)

// inner returns the flow of an operand whose missing value makes the whole missing.
func (f flow) inner(written bool) flow {
	if f.need == absent {
		f.need = required
	}
	f.written = f.written && written
	return f
}

// soft returns the flow of an operand that may be missing.
func (f flow) soft() flow { return flow{need: max(f.need, absent)} }

// within visits a part of a template that has a scope of its own, with names that are set there.
func (w *useWalker) within(visit func(), names ...Expr) {
	outer := w.scope
	w.scope = &scope{parent: outer}
	for _, name := range names {
		w.define(name)
	}
	visit()
	w.scope = outer
}

// define adds the names that a statement assigns to.
func (w *useWalker) define(target Expr) {
	switch target := target.(type) {
	case *Name:
		w.scope.set(target.Name, true)
	case *Array:
		for _, item := range target.Items {
			w.define(item)
		}
	case *Member:
		w.expr(target.X, flow{need: absent})
	}
}

// carry keeps the expressions whose values a name is set to.
func (w *useWalker) carry(target Expr, value []Expression) {
	if name, ok := target.(*Name); ok && len(value) > 0 {
		w.scope.set(name.Name, value)
	}
}

// written adds the expressions whose values are written, or set to another name, by a name at a place.
func (w *useWalker) written(name string, at Span, f flow) {
	value, _ := w.scope.find(name)
	carried, _ := value.([]Expression)
	for _, e := range carried {
		e.Filters = append(slices.Clone(e.Filters), f.filters...)
		if f.into != nil {
			*f.into = append(*f.into, e)
			continue
		}
		e.Span, e.Written = at, true
		w.byName = append(w.byName, e)
	}
}

func (w *useWalker) nodes(list []Node) {
	outer := w.later
	w.later = nil
	for _, n := range list {
		w.node(n)
	}
	for _, macro := range w.later {
		macro()
	}
	w.later = outer
}

func (w *useWalker) node(n Node) {
	switch n := n.(type) {
	case *Output:
		w.expr(n.X, flow{written: !n.Silent, filters: w.around})
	case *If:
		known := w.known
		for _, b := range n.Branches {
			w.expr(b.Cond, flow{need: absent})
			w.when(b.Cond, true, func() { w.nodes(b.Body) })
			w.known = append(slices.Clone(w.known), w.ensured(b.Cond, false)...)
		}
		w.known = known
	case *For:
		need := required
		if n.Else != nil {
			need = absent
		}
		var items []Expression
		w.expr(n.X, flow{need: need, written: true, into: &items})
		w.within(func() {
			w.carry(n.Target, items)
			w.expr(n.Cond, flow{need: absent})
			w.when(n.Cond, true, func() { w.nodes(n.Body) })
		}, &Name{Name: "loop"}, n.Target)
		w.within(func() { w.nodes(n.Else) })
	case *Set:
		var value []Expression
		w.expr(n.X, flow{written: true, into: &value})
		w.define(n.Target)
		w.carry(n.Target, value)
	case *With:
		values := make([][]Expression, len(n.Vars))
		for i, v := range n.Vars {
			w.expr(v.Value, flow{written: true, into: &values[i]})
		}
		w.expr(n.Autoescape, flow{need: absent})
		outer := w.around
		if on, ok := n.Autoescape.(*Literal); ok && on.Value == true {
			w.around = append([]string{"e"}, outer...)
		}
		w.within(func() {
			for i, v := range n.Vars {
				w.define(v.Key)
				w.carry(v.Key, values[i])
			}
			w.nodes(n.Body)
		})
		w.around = outer
	}
}

// when calls visit for what is evaluated if the condition, which may be nil, is true or false.
func (w *useWalker) when(cond Expr, truth bool, visit func()) {
	known := w.known
	w.known = append(slices.Clone(known), w.ensured(cond, truth)...)
	visit()
	w.known = known
}

func (w *useWalker) exprs(f flow, list ...Expr) {
	for _, x := range list {
		w.expr(x, f)
	}
}

// expr visits an expression, which may be nil.
func (w *useWalker) expr(x Expr, f flow) {
	inner := f.inner(false)
	switch x := x.(type) {
	case *Name, *Member, *Slice, *Call:
		w.chain(x, f)
	case *Filter:
		if x.Func.Kind == FilterKind {
			w.chain(x, f)
			break
		}
		w.expr(x.X, f.soft())
		w.exprs(inner, values(x.Args)...)
	case *Unary:
		if x.Op == "not" {
			inner = f.soft()
		}
		w.expr(x.X, inner)
	case *Binary:
		if x.Op != "or" && x.Op != "and" {
			w.exprs(f.inner(x.Op == "~" || x.Op == "+"), x.X, x.Y)
			break
		}
		left := f
		if x.Op == "or" {
			left.need = max(left.need, absent)
		}
		w.expr(x.X, left)
		w.when(x.X, x.Op == "and", func() { w.expr(x.Y, f) })
	case *Compare:
		for i, operand := range x.Operands {
			if op := x.Ops[max(i-1, 0)]; op == "==" || op == "!=" {
				w.expr(operand, f.soft())
			} else {
				w.expr(operand, inner)
			}
		}
	case *Cond:
		w.expr(x.If, f.soft())
		w.when(x.If, true, func() { w.expr(x.Then, f) })
		w.when(x.If, false, func() { w.expr(x.Else, f) })
	case *Array:
		w.exprs(inner, x.Items...)
	case *Map:
		for _, pair := range x.Pairs {
			w.exprs(inner, pair.Key, pair.Value)
		}
	case *Captured:
		outer := w.around
		w.around = f.filters
		w.within(func() { w.nodes(x.Body) })
		w.around = outer
	case *Macro: // it sees what is set until it is called
		names := []Expr{&Name{Name: "caller"}}
		for _, p := range x.Params {
			names = append(names, &Name{Name: p.Name})
		}
		w.later = append(w.later, func() {
			w.exprs(flow{}, values(x.Params)...)
			w.within(func() { w.nodes(x.Body) }, names...)
		})
	}
}

func values(args []Arg) (list []Expr) {
	for _, a := range args {
		list = append(list, a.X)
	}
	return list
}

// chain visits a name with what is looked up in it, and with the filters behind it.
func (w *useWalker) chain(whole Expr, f flow) {
	x, fallback := whole, Expr(nil)
	for at, ok := x.(*Filter); ok && at.Func.Kind == FilterKind; at, ok = x.(*Filter) {
		w.exprs(f.inner(slices.Contains([]string{"default", "format", "replace", "join"}, at.Func.Name)), values(at.Args)...)
		if at.Func.Name == "default" {
			f.need = anything
			if len(at.Args) > 0 && fallback == nil {
				fallback = at.Args[0].X
			}
		} else {
			f = f.inner(true)
		}
		f.filters = append([]string{at.Name}, f.filters...)
		x = at.X
	}
	p := w.path(x)
	w.exprs(flow{need: f.inner(false).need}, p.inner...)
	name, ok := p.base.(*Name)
	switch {
	case !ok && p.base != x: // something is looked up in it
		f = f.inner(false)
		fallthrough
	case !ok:
		w.expr(p.base, f)
		return
	}
	_, isRoot := roots[name.Name]
	if p.names[0] == "" && f.written {
		w.written(name.Name, whole.Place(), f)
	}
	if p.names[0] == "" || !isRoot && lookUp(GlobalKind, "", name.Name) != nil {
		return
	}
	if p.fallback != nil {
		fallback = p.fallback
	}
	at := whole.Place()
	e := Expression{Name: name.Name, Source: w.src[at.Start:at.End], Span: at, Filters: f.filters, Written: f.written}
	if isRoot {
		e.Root, e.Name = p.names[0], ""
		if len(p.names) > 1 {
			e.Name = p.names[1]
		}
	}
	if fallback != nil {
		e.Default, f.need = w.src[fallback.Place().Start:fallback.Place().End], anything
	}
	e.Optional = f.need != required || slices.ContainsFunc(w.known, func(k string) bool { return strings.HasPrefix(k, key(p.names)) })
	if f.into != nil {
		if e.Written = false; f.written {
			*f.into = append(*f.into, e)
		}
	}
	w.found = append(w.found, e)
}

// path is what a chain of names, calls and brackets leads to.
type path struct {
	base     Expr     // what it starts with
	names    []string // from its root to the last; "" for what is computed, or set by the template
	inner    []Expr   // in its brackets
	fallback Expr     // the second argument of its get
}

func (w *useWalker) path(x Expr) (p path) {
	switch at := x.(type) {
	case *Name:
		name := at.Name
		if _, set := w.scope.find(name); set {
			name = ""
		} else if r, ok := roots[name]; ok {
			name = string(r)
		}
		return path{base: x, names: []string{name}}
	case *Member:
		p = w.path(at.X)
		p.names, p.inner = append(p.names, literal(at.Key)), append(p.inner, at.Key)
	case *Slice:
		p = w.path(at.X)
		p.names, p.inner = append(p.names, ""), append(p.inner, at.From, at.To, at.Step)
	case *Call:
		p = w.path(at.X)
		p.inner = append(p.inner, values(at.Args)...)
		switch n := len(p.names); {
		case n < 2 || p.names[0] == string(apiRoot):
		case n > 2: // a method
			p.names = p.names[:n-1]
		case p.names[1] != "get" || len(at.Args) == 0:
			p.names[1] = ""
		default:
			p.names[1] = literal(at.Args[0].X)
			if len(at.Args) > 1 {
				p.fallback = at.Args[1].X
			}
		}
	default:
		return path{base: x, names: []string{""}}
	}
	return p
}

// literal returns a text in quotes, or "" for other expressions.
func literal(x Expr) string {
	if l, ok := x.(*Literal); ok {
		s, _ := l.Value.(string)
		return s
	}
	return ""
}

// key joins the names of a path so that the key of its start is the start of its key.
func key(path []string) string {
	if slices.Contains(path, "") {
		return "\x00"
	}
	return strings.Join(path, "\x01") + "\x01"
}

// ensured returns the keys of the values that are there if x is true or false.
func (w *useWalker) ensured(x Expr, truth bool) []string {
	switch x := x.(type) {
	case *Name, *Member:
		if names := w.path(x).names; truth && len(names) > 1 && !slices.Contains(names, "") {
			return []string{key(names)}
		}
	case *Filter:
		if x.Func.Kind == TestKind && truth != slices.Contains([]string{"undefined", "none", "ne", "!="}, x.Name) {
			return w.ensured(x.X, true)
		}
	case *Unary:
		if x.Op == "not" {
			return w.ensured(x.X, !truth)
		}
	case *Binary:
		if x.Op == "and" && truth || x.Op == "or" && !truth {
			return append(w.ensured(x.X, truth), w.ensured(x.Y, truth)...)
		}
	case *Compare:
		if lit, ok := x.Operands[1].(*Literal); ok && truth && x.Ops[0] == "==" && lit.Value != nil {
			return w.ensured(x.Operands[0], true)
		}
	}
	return nil
}

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
	if !HasTag(src) {
		return nil, nil
	}
	t, err := Parse(src)
	if err != nil {
		return nil, err
	}
	w := &useWalker{src: src}
	w.nodes(t.body, &scope{})
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
	return w.found, nil
}

// useWalker finds the uses of names with Jinja's scopes.
type useWalker struct {
	src    string
	found  []Expression
	known  []string // the values that conditions ensure, as path returns them
	around []string // the filters of the blocks around a statement, the innermost first
}

// flow is where the value of an expression goes.
type flow struct {
	need    need
	written bool
	filters []string // that it passes through
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

func (w *useWalker) nodes(list []Node, s *scope) {
	var macros []func()
	for _, n := range list {
		switch n := n.(type) {
		case *Output:
			w.expr(n.X, s, flow{written: true, filters: w.around})
		case *If:
			w.branches(n, s)
		case *For:
			need := required
			if n.HasElse {
				need = absent
			}
			w.expr(n.X, s, flow{need: need})
			inner := &scope{parent: s}
			inner.set("loop", true)
			inner.define(n.Target)
			w.expr(n.Cond, inner, flow{need: absent})
			w.when(inner, n.Cond, true, func() { w.nodes(n.Body, inner) })
			w.nodes(n.Else, &scope{parent: s})
		case *Set:
			if n.Block {
				w.within(n.X, s, n.Body)
			} else {
				w.expr(n.X, s, flow{})
			}
			if attr, ok := n.Target.(*Attr); ok {
				w.expr(attr.X, s, flow{need: absent})
			}
			s.define(n.Target)
		case *With:
			inner := &scope{parent: s}
			for _, v := range n.Vars {
				w.expr(v.X, s, flow{})
			}
			for _, v := range n.Vars {
				inner.define(v.Target)
			}
			w.nodes(n.Body, inner)
		case *Macro:
			s.set(n.Name, true)
			// It sees what is set until it is called.
			macros = append(macros, func() { w.macro(n.Params, n.Body, s) })
		case *CallBlock:
			w.expr(n.Call, s, flow{written: true, filters: w.around})
			w.macro(n.Params, n.Body, s)
		case *FilterBlock:
			w.within(n.X, s, n.Body)
		case *Autoescape:
			w.expr(n.X, s, flow{need: absent})
			outer := w.around
			if on, ok := n.X.(*Literal); ok && on.Value == true {
				w.around = append([]string{"e"}, outer...)
			}
			w.nodes(n.Body, &scope{parent: s})
			w.around = outer
		case *Do:
			w.expr(n.X, s, flow{})
		}
	}
	for _, body := range macros {
		body()
	}
}

func (w *useWalker) branches(n *If, s *scope) {
	known := w.known
	for _, b := range n.Branches {
		w.expr(b.Cond, s, flow{need: absent})
		w.when(s, b.Cond, true, func() { w.nodes(b.Body, s) })
		w.known = append(slices.Clone(w.known), w.ensured(b.Cond, s, false)...)
	}
	w.nodes(n.Else, s)
	w.known = known
}

// when calls visit for what is evaluated if the condition, which may be nil, is true or false.
func (w *useWalker) when(s *scope, cond Expr, truth bool, visit func()) {
	known := w.known
	if cond != nil {
		w.known = append(slices.Clone(known), w.ensured(cond, s, truth)...)
	}
	visit()
	w.known = known
}

// within visits a block that has filters.
func (w *useWalker) within(filters Expr, s *scope, body []Node) {
	outer := w.around
	var names []string
	for f, ok := filters.(*Filter); ok; f, ok = f.X.(*Filter) {
		names = append([]string{f.Name}, names...)
	}
	w.expr(filters, s, flow{})
	w.around = append(names, outer...)
	w.nodes(body, &scope{parent: s})
	w.around = outer
}

func (w *useWalker) macro(params []Param, body []Node, s *scope) {
	inner := &scope{parent: s}
	for _, name := range []string{"caller", "varargs", "kwargs"} {
		inner.set(name, true)
	}
	for _, p := range params {
		w.expr(p.Default, inner, flow{})
		inner.set(p.Name, true)
	}
	w.nodes(body, inner)
}

// define adds the names that a statement assigns to.
func (s *scope) define(target Expr) {
	switch target := target.(type) {
	case *Name:
		s.set(target.Name, true)
	case *Tuple:
		for _, item := range target.Items {
			s.define(item)
		}
	}
}

func (w *useWalker) exprs(list []Expr, s *scope, f flow) {
	for _, x := range list {
		w.expr(x, s, f)
	}
}

func (w *useWalker) args(list []Arg, s *scope, f flow) {
	for _, a := range list {
		w.expr(a.X, s, f)
	}
}

func (w *useWalker) expr(x Expr, s *scope, f flow) {
	inner := f.inner(false)
	switch x := x.(type) {
	case *Name, *Attr, *Index, *Slice, *Call:
		w.chain(x, x, s, f)
	case *Filter:
		w.filters(x, s, f)
	case *Test:
		w.expr(x.X, s, f.soft())
		w.args(x.Args, s, inner)
	case *Unary:
		if x.Op == "not" {
			inner = f.soft()
		}
		w.expr(x.X, s, inner)
	case *Binary:
		switch x.Op {
		case "or", "and":
			left := f
			if x.Op == "or" {
				left.need = max(left.need, absent)
			}
			w.expr(x.X, s, left)
			w.when(s, x.X, x.Op == "and", func() { w.expr(x.Y, s, f) })
		default:
			inner = f.inner(x.Op == "~" || x.Op == "+")
			w.expr(x.X, s, inner)
			w.expr(x.Y, s, inner)
		}
	case *Compare:
		w.expr(x.X, s, operandFlow(x.Rest[0].Op, f))
		for _, c := range x.Rest {
			w.expr(c.Y, s, operandFlow(c.Op, f))
		}
	case *Cond:
		w.expr(x.If, s, f.soft())
		w.when(s, x.If, true, func() { w.expr(x.Then, s, f) })
		w.when(s, x.If, false, func() { w.expr(x.Else, s, f) })
	case *Array:
		w.exprs(x.Items, s, inner)
	case *Tuple:
		w.exprs(x.Items, s, inner)
	case *Map:
		for _, pair := range x.Pairs {
			w.expr(pair.Key, s, inner)
			w.expr(pair.Value, s, inner)
		}
	}
}

func operandFlow(op string, f flow) flow {
	if op == "==" || op == "!=" {
		return f.soft()
	}
	return f.inner(false)
}

// filters visits a chain of filters and what is filtered.
func (w *useWalker) filters(whole *Filter, s *scope, f flow) {
	var x Expr = whole
	for {
		at, ok := x.(*Filter)
		if !ok {
			break
		}
		w.args(at.Args, s, f.inner(false))
		if at.Name == "default" || at.Name == "d" {
			f.need = anything
		} else {
			f = f.inner(true)
		}
		f.filters = append([]string{at.Name}, f.filters...)
		x = at.X
	}
	switch x.(type) {
	case *Name, *Attr, *Index, *Slice, *Call:
		w.chain(x, whole, s, f)
	default:
		w.expr(x, s, f)
	}
}

// chain visits a name with what is looked up in it. whole has its filters.
func (w *useWalker) chain(x, whole Expr, s *scope, f flow) {
	base, fallback := w.links(x, s, f)
	name, ok := base.(*Name)
	if !ok {
		w.expr(base, s, f.inner(false))
		return
	}
	_, isRoot := roots[name.Name]
	if s.has(name.Name) || !isRoot && lookUp(GlobalKind, "", name.Name) != nil {
		return
	}
	at, path := whole.Place(), pathOf(x, s)
	e := Expression{Name: name.Name, Source: w.src[at.Start:at.End], Span: at, Filters: f.filters, Written: f.written}
	if isRoot {
		e.Root, e.Name = path[0], ""
		if len(path) > 1 {
			e.Name = path[1]
		}
	}
	for at, ok := whole.(*Filter); ok && fallback == nil; at, ok = at.X.(*Filter) {
		if (at.Name == "default" || at.Name == "d") && len(at.Args) > 0 {
			fallback = at.Args[0].X
		}
	}
	if fallback != nil {
		e.Default, f.need = w.src[fallback.Place().Start:fallback.Place().End], anything
	}
	e.Optional = f.need != required || slices.ContainsFunc(w.known, func(k string) bool { return strings.HasPrefix(k, key(path)) })
	w.found = append(w.found, e)
}

// has reports whether a template sets a name.
func (s *scope) has(name string) bool {
	for ; s != nil; s = s.parent {
		if _, ok := s.names[name]; ok {
			return true
		}
	}
	return false
}

// links visits what is in the brackets of a chain. It returns what the chain starts with, and the second argument
// of the get there.
func (w *useWalker) links(x Expr, s *scope, f flow) (base, fallback Expr) {
	inner := f.inner(false)
	inner.filters = nil
	switch at := x.(type) {
	case *Attr:
		return w.links(at.X, s, f)
	case *Index:
		w.expr(at.Key, s, inner)
		return w.links(at.X, s, f)
	case *Slice:
		w.exprs([]Expr{at.From, at.To, at.Step}, s, inner)
		return w.links(at.X, s, f)
	case *Call:
		w.args(at.Args, s, inner)
		base, fallback = w.links(at.Func, s, f)
		if path := pathOf(at.Func, s); len(path) == 2 && path[1] == "get" && len(at.Args) > 1 {
			fallback = at.Args[1].X
		}
		return base, fallback
	}
	return x, nil
}

// pathOf returns the names of a chain, from its root to the last. What is computed, or set by the template, is "".
func pathOf(x Expr, s *scope) []string {
	switch at := x.(type) {
	case *Name:
		switch root, ok := roots[at.Name].(root); {
		case s.has(at.Name):
			return []string{""}
		case ok:
			return []string{string(root)}
		}
		return []string{at.Name}
	case *Attr:
		return append(pathOf(at.X, s), at.Name)
	case *Index:
		name := ""
		if key, ok := at.Key.(*Literal); ok {
			name, _ = key.Value.(string)
		}
		return append(pathOf(at.X, s), name)
	case *Slice:
		return append(pathOf(at.X, s), "")
	case *Call:
		path := pathOf(at.Func, s)
		switch {
		case len(path) < 2 || path[0] == string(apiRoot):
			return path
		case len(path) > 2: // a method
			return path[:len(path)-1]
		}
		name := ""
		if path[1] == "get" && len(at.Args) > 0 {
			if arg, ok := at.Args[0].X.(*Literal); ok {
				name, _ = arg.Value.(string)
			}
		}
		return []string{path[0], name}
	}
	return []string{""}
}

// key joins a path so that the key of its start is the start of its key.
func key(path []string) string {
	if slices.Contains(path, "") {
		return "\x00"
	}
	return strings.Join(path, "\x01") + "\x01"
}

// ensured returns the keys of the values that are there if x is true or false.
func (w *useWalker) ensured(x Expr, s *scope, truth bool) []string {
	switch x := x.(type) {
	case *Name, *Attr, *Index:
		if path := pathOf(x, s); truth && len(path) > 1 && !slices.Contains(path, "") {
			return []string{key(path)}
		}
	case *Test:
		if holds := truth != x.Not; holds != slices.Contains([]string{"undefined", "none", "ne", "!="}, x.Name) {
			return w.ensured(x.X, s, true)
		}
	case *Unary:
		if x.Op == "not" {
			return w.ensured(x.X, s, !truth)
		}
	case *Binary:
		if x.Op == "and" && truth || x.Op == "or" && !truth {
			return append(w.ensured(x.X, s, truth), w.ensured(x.Y, s, truth)...)
		}
	case *Compare:
		if lit, ok := x.Rest[0].Y.(*Literal); ok && truth && x.Rest[0].Op == "==" && lit.Value != nil {
			return w.ensured(x.X, s, true)
		}
	}
	return nil
}

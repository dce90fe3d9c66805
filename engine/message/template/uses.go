package template

import "slices"

// Expression is one use of a name in a template.
type Expression struct {
	// Root is UserAttribute, EventAttribute, BusinessEventAttribute, ContentBlock, ContentApi or ProductSet
	// (also for the short forms user and event), or "" for an undefined name.
	Root string
	// Name is what is looked up in Root: an attribute, a block. It is "" if it is computed, as in
	// UserAttribute[x]. If Root is "", it is the undefined name.
	Name   string
	Source string // as written, including the filters behind it
	Span          // of Source
	// Filters are the names of the filters that its value passes through, the first one first.
	Filters []string
	Default string // the first argument of its filter default, as written; "" without
	// Optional means that the text can do without the value: it has a default, stands in a condition, or where
	// a condition ensures that it is there.
	Optional bool
	Written  bool // the value is written into the text, perhaps with what filters and operators make of it

	named bool // it stands for a name that the template set to it
}

// Expressions lists what src uses of a user, an event and the workspace, in text order. It leaves out names
// that the template defines. It lists content blocks but does not follow them.
func Expressions(src string) ([]Expression, error) {
	list, err := Written(src)
	return slices.DeleteFunc(list, func(e Expression) bool { return e.named }), err
}

// Written is [Expressions] with those more whose values src writes by a name that it sets, as in {% set x = user.y %}{{ x }}.
// They have the Source and the filters of what the name was set to, and the Span of where it is written.
func Written(src string) (list []Expression, err error) {
	if !HasTag(src) {
		return nil, nil
	}
	t, err := Parse(src)
	if err != nil {
		return nil, err
	}
	w := &useWalker{src: src}
	w.within(func() { w.nodes(t.body) })
	slices.SortStableFunc(w.found, func(a, b *Expression) int { return a.Start - b.Start })
	for _, e := range w.found {
		list = append(list, *e)
	}
	return list, nil
}

// useWalker finds the uses of names with Jinja's scopes.
type useWalker struct {
	src     string
	found   []*Expression
	written []*Expression
	scope   *scope     // with the expressions that a name was set to
	known   [][]string // the paths that conditions ensure
	later   []func()   // the macros of the statements around
}

// maxCarried limits the expressions of a name. Each name that is set to others has all of theirs.
const maxCarried = 16

// need says what becomes of an expression without a value.
type need byte

const (
	required need = iota
	absent        // a missing value is fine, as in a condition
	anything      // so is a failure: a default replaces it
)

// inner returns the need of an operand whose missing value makes the whole missing.
func (n need) inner() need {
	if n == absent {
		return required
	}
	return n
}

// soft returns the need of an operand that may be missing.
func (n need) soft() need { return max(n, absent) }

// within visits a part of a template that has a scope of its own, and returns what it writes.
func (w *useWalker) within(visit func()) []*Expression {
	outer, from := w.scope, len(w.written)
	w.scope = &scope{parent: outer}
	visit()
	w.scope = outer
	return slices.Clone(w.written[from:])
}

// define adds the names that a statement assigns to. A single one has the value of some expressions.
func (w *useWalker) define(target Expr, value []*Expression) {
	switch target := target.(type) {
	case *Name:
		value = slices.DeleteFunc(value, func(e *Expression) bool { return e.Written })
		w.scope.set(target.Name, value[:min(len(value), maxCarried)])
	case *Operation:
		for _, item := range target.Operands {
			w.define(item, nil)
		}
	case *Member:
		w.expr(target.X, absent)
	}
}

// write adds to what is written.
func (w *useWalker) write(list []*Expression) {
	for _, e := range list {
		if e.Written { // into the text of a statement
			continue
		}
		if e.Written = true; e.named {
			w.found = append(w.found, e)
		}
		w.written = append(w.written, e)
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
		w.write(w.expr(n.X, required))
	case *If:
		known := w.known
		for _, b := range n.Branches {
			w.expr(b.Cond, absent)
			w.when(b.Cond, true, func() { w.nodes(b.Body) })
			w.known = append(slices.Clone(w.known), w.ensured(b.Cond, false)...)
		}
		w.known = known
	case *For:
		need := required
		if n.Else != nil {
			need = absent
		}
		items := w.expr(n.X, need)
		w.within(func() {
			w.define(&Name{Name: "loop"}, nil)
			w.define(n.Target, items)
			w.expr(n.Cond, absent)
			w.when(n.Cond, true, func() { w.nodes(n.Body) })
		})
		w.within(func() { w.nodes(n.Else) })
	case *Set:
		w.define(n.Target, w.expr(n.X, required))
	case *With:
		values := make([][]*Expression, len(n.Vars))
		for i, v := range n.Vars {
			values[i] = w.expr(v.X, required)
		}
		w.expr(n.Autoescape, absent)
		written := w.within(func() {
			for i, v := range n.Vars {
				w.define(v.Target, values[i])
			}
			w.nodes(n.Body)
		})
		if on, ok := n.Autoescape.(*Literal); ok && on.Value == true {
			filtered(written, "e")
		}
	}
}

// when calls visit for what is evaluated if the condition, which may be nil, is true or false.
func (w *useWalker) when(cond Expr, truth bool, visit func()) {
	known := w.known
	w.known = append(slices.Clone(known), w.ensured(cond, truth)...)
	visit()
	w.known = known
}

// exprs visits expressions and returns what expr returns of all of them.
func (w *useWalker) exprs(n need, list ...Expr) (all []*Expression) {
	for _, x := range list {
		all = append(all, w.expr(x, n)...)
	}
	return all
}

// expr visits an expression, which may be nil. It returns the uses in it whose values are written if its value is.
func (w *useWalker) expr(x Expr, n need) []*Expression {
	switch x := x.(type) {
	case *Name, *Member, *Call:
		return w.use(x, n)
	case *Filter:
		return w.filter(x, n)
	case *Operation:
		return w.operation(x, n)
	case *Compare:
		for i, operand := range x.Operands {
			if op := x.Ops[max(i-1, 0)]; op == "==" || op == "!=" {
				w.expr(operand, n.soft())
			} else {
				w.expr(operand, n.inner())
			}
		}
	case *Captured:
		return w.within(func() { w.nodes(x.Body) })
	case *Macro: // it sees what is set until it is called
		w.later = append(w.later, func() {
			w.exprs(required, values(x.Params)...)
			w.within(func() {
				w.define(&Name{Name: "caller"}, nil)
				for _, p := range x.Params {
					w.define(&Name{Name: p.Name}, nil)
				}
				w.nodes(x.Body)
			})
		})
	}
	return nil
}

func (w *useWalker) operation(x *Operation, n need) (list []*Expression) {
	of := x.Operands
	switch x.Op {
	case "~", "+":
		return w.exprs(n.inner(), of...)
	case "not":
		w.expr(of[0], n.soft())
	case "or", "and":
		left := n
		if x.Op == "or" {
			left = n.soft()
		}
		list = w.expr(of[0], left)
		w.when(of[0], x.Op == "and", func() { list = append(list, w.expr(of[1], n)...) })
	case "if":
		w.expr(of[1], n.soft())
		w.when(of[1], true, func() { list = w.expr(of[0], n) })
		w.when(of[1], false, func() { list = append(list, w.expr(of[2], n)...) })
	default:
		w.exprs(n.inner(), of...)
	}
	return list
}

func values(args []Arg) (list []Expr) {
	for _, a := range args {
		list = append(list, a.X)
	}
	return list
}

// filtered adds a filter that the values of some uses pass through.
func filtered(list []*Expression, filter string) {
	for _, e := range list {
		e.Filters = append(e.Filters, filter)
	}
}

// filter visits a filter or a test.
func (w *useWalker) filter(x *Filter, n need) []*Expression {
	args := w.exprs(n.inner(), values(x.Args)...)
	if x.Func.Kind == TestKind {
		w.expr(x.X, n.soft())
		return nil
	}
	isDefault := x.Func.Name == "default"
	operand := n.inner()
	if isDefault {
		operand = anything
	}
	list := w.expr(x.X, operand)
	filtered(list, x.Name)
	for _, e := range list {
		if e.Span != x.X.Place() { // it is a part of what is filtered
			continue
		}
		if e.Span = x.Span; !e.named {
			e.Source = w.text(x)
		}
		if isDefault && len(x.Args) > 0 && e.Default == "" {
			e.Default = w.text(x.Args[0].X)
		}
	}
	if slices.Contains([]string{"default", "format", "replace", "join"}, x.Func.Name) {
		list = append(list, args...)
	}
	return list
}

func (w *useWalker) text(x Expr) string { return w.src[x.Place().Start:x.Place().End] }

// use visits a name with what is looked up in it.
func (w *useWalker) use(x Expr, n need) (list []*Expression) {
	p := w.path(x)
	w.exprs(n.inner(), p.inner...)
	name, ok := p.base.(*Name)
	if !ok {
		w.expr(p.base, n.inner())
		return nil
	}
	if value, set := w.scope.find(name.Name); set {
		for _, e := range value.([]*Expression) {
			e := *e
			e.Span, e.Filters, e.named = x.Place(), slices.Clone(e.Filters), true
			list = append(list, &e)
		}
		return list
	}
	_, isRoot := roots[name.Name]
	if !isRoot && lookUp(GlobalKind, "", name.Name) != nil {
		return nil
	}
	e := &Expression{Name: name.Name, Source: w.text(x), Span: x.Place()}
	if isRoot {
		e.Root, e.Name = p.names[0], ""
		if len(p.names) > 1 {
			e.Name = p.names[1]
		}
	}
	if p.fallback != nil {
		e.Default, n = w.text(p.fallback), anything
	}
	e.Optional = n != required || slices.ContainsFunc(w.known, func(k []string) bool { return len(k) >= len(p.names) && slices.Equal(k[:len(p.names)], p.names) })
	w.found = append(w.found, e)
	return []*Expression{e}
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

// ensured returns the paths of the values that are there if x is true or false.
func (w *useWalker) ensured(x Expr, truth bool) [][]string {
	switch x := x.(type) {
	case *Name, *Member:
		if names := w.path(x).names; truth && len(names) > 1 && !slices.Contains(names, "") {
			return [][]string{names}
		}
	case *Filter:
		if x.Func.Kind == TestKind && truth != slices.Contains([]string{"undefined", "none", "ne", "!="}, x.Name) {
			return w.ensured(x.X, true)
		}
	case *Operation:
		switch {
		case x.Op == "not":
			return w.ensured(x.Operands[0], !truth)
		case x.Op == "and" && truth || x.Op == "or" && !truth:
			return append(w.ensured(x.Operands[0], truth), w.ensured(x.Operands[1], truth)...)
		}
	case *Compare:
		if lit, ok := x.Operands[1].(*Literal); ok && truth && x.Ops[0] == "==" && lit.Value != nil {
			return w.ensured(x.Operands[0], true)
		}
	}
	return nil
}

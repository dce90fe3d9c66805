package template

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Limits of one render including content blocks. They stop faulty and hostile templates; real messages stay
// far below.
const (
	MaxOutput = 1 << 20 // bytes of the result, and of any value on the way
	MaxItems  = 10_000  // items of a list that is built or iterated
	MaxCalls  = 100     // content API calls

	maxSteps    = 4_000_000 // a step is a node, an item, or some bytes
	bytesOfStep = 16        // that are read or written
	maxDepth    = 100       // of lists, and so of one that contains itself, and of what a template calls
)

var (
	errTooLarge = fmt.Errorf("the result, or a value in this expression, is larger than %d KiB", MaxOutput>>10)
	errTooMany  = fmt.Errorf("a list has more than %d items", MaxItems)
	errTooLong  = errors.New("this template takes too long to compute")
	errPanic    = errors.New("this expression cannot be computed")
	errTooDeep  = fmt.Errorf("lists, macros, loops or content blocks are nested deeper than %d", maxDepth)
)

// evaluator is one render: its data, what is left of its limits, and what it found. Errors end it, see [try].
type evaluator struct {
	state
	ctx        context.Context
	data       Data
	steps      int
	calls      int             // of content APIs
	unresolved []*report       // in text order, some several times
	products   map[string]any  // product sets converted so far
	apis       context.Context // of content APIs; nil before the first call
	cancel     context.CancelFunc
	blocks     map[string]*string // content blocks rendered so far; nil is one that is being rendered
}

// state is where a render is. What fails leaves it as it was before.
type state struct {
	*frame
	tag        Span // what is evaluated
	x          Expr // within it
	depth      int
	scope      *scope
	out        *output
	autoescape bool
}

// frame is the template that is evaluated: that of the message, or of a content block.
type frame struct {
	t     *Template
	block string // the name of the content block, or ""
}

// scope holds the names that a part of a template sets. An if has no scope of its own, as in Jinja.
type scope struct {
	names  map[string]any
	parent *scope
}

func (s *scope) set(name string, v any) {
	if s.names == nil {
		s.names = map[string]any{}
	}
	s.names[name] = v
}

// find returns what the template has set a name to.
func (s *scope) find(name string) (v any, ok bool) {
	for ; s != nil && !ok; s = s.parent {
		v, ok = s.names[name]
	}
	return v, ok
}

// work charges for reading or writing n bytes, and ends the render when its limit is reached or its context is
// done. Whatever takes longer than a few microseconds charges first.
func (e *evaluator) work(n int) {
	before := e.steps
	e.steps += 1 + n/bytesOfStep
	if e.steps > maxSteps {
		try(errTooLong)
	}
	if before>>8 != e.steps>>8 {
		try(e.ctx.Err())
	}
}

// enter begins what may contain itself, and leave ends it.
func (e *evaluator) enter() {
	e.work(0)
	if e.depth++; e.depth > maxDepth {
		try(errTooDeep)
	}
}

func (e *evaluator) leave() { e.depth-- }

// attempt does something and returns why it failed for these data. Other errors go on.
func (e *evaluator) attempt(do func()) *missing {
	before := e.state
	err := caught(do)
	m, ok := err.(*missing)
	if !ok {
		try(err)
		return nil
	}
	m = e.place(m)
	e.state = before
	return m
}

// eval evaluates an expression. The value may be a *missing; what needs a value calls must instead.
func (e *evaluator) eval(x Expr) any {
	e.work(0)
	outer := e.x
	e.x = x
	v := e.compute(x)
	switch of := v.(type) {
	case *missing:
		v = e.place(of)
	case *report:
		of.withdrawn = true
		try(of.missing)
	}
	e.x = outer
	return v
}

// place returns m with the place of what is evaluated, if it has none. The data have it without.
func (e *evaluator) place(m *missing) *missing {
	if m.of != nil {
		return m
	}
	placed := *m
	if placed.of, placed.at = e.frame, e.tag; !m.tag {
		placed.at = e.x.Place()
	}
	return &placed
}

// must is eval where a missing value is an error.
func (e *evaluator) must(x Expr) any { return e.there(e.eval(x)) }

func (e *evaluator) there(v any) any {
	switch v := v.(type) {
	case *missing:
		try(v)
	case root:
		return e.plain(v)
	}
	return v
}

// operand is must, but an if without an else is an empty text, as where it is written.
func (e *evaluator) operand(x Expr) any {
	v := e.eval(x)
	if m, ok := v.(*missing); ok && m.empty {
		return ""
	}
	return e.there(v)
}

func (e *evaluator) compute(x Expr) any {
	switch x := x.(type) {
	case *Literal:
		return x.Value
	case *Name:
		return e.name(x.Name)
	case *Member:
		from := e.eval(x.X)
		return e.lookup(from, e.must(x.Key))
	case *Call:
		return e.call(x)
	case *Filter:
		return e.filter(x)
	case *Operation:
		return e.operation(x)
	case *Compare:
		left := e.eval(x.Operands[0])
		for i, op := range x.Ops {
			right := e.eval(x.Operands[i+1])
			if r, ok := right.(root); ok {
				right = e.plain(r)
			}
			if !compare(e, op, left, right) {
				return false
			}
			left = right
		}
		return true
	case *Captured:
		return e.capture(&scope{parent: e.scope}, func() { e.nodes(x.Body) })
	case *Macro:
		return e.macro(x)
	}
	panic(fmt.Sprintf("%T is not an expression", x))
}

func (e *evaluator) name(name string) any {
	if v, ok := e.scope.find(name); ok {
		return v
	}
	if r, ok := roots[name]; ok {
		return r
	}
	if f := lookUp(GlobalKind, "", name); f != nil {
		return f
	}
	return &missing{reason: "unknown name " + shorten(name), hint: nearest(name, maps.Keys(roots))}
}

// lookup finds the attribute or item of a value.
func (e *evaluator) lookup(from, key any) any {
	m, none := from.(*missing)
	b, sliced := key.(bounds)
	switch at := e.x.Place(); {
	case none && m.of == e.frame && m.at.Start == at.Start && !m.tag:
		longer := *m // the whole of user.address.street is missing, not user.address
		longer.at = at
		return &longer
	case sliced && !none:
		return slice(e, e.there(from), b)
	}
	return member(e, from, key)
}

// values evaluates expressions, which may be nil.
func (e *evaluator) values(list []Expr) []any {
	values := make([]any, len(list))
	for i, x := range list {
		if x != nil {
			values[i] = e.must(x)
		}
	}
	return values
}

func (e *evaluator) operation(x *Operation) any {
	of := x.Operands
	switch x.Op {
	case "not":
		return !truth(e.eval(of[0]))
	case "and", "or":
		if left := e.eval(of[0]); truth(left) == (x.Op == "or") {
			return left
		}
		return e.eval(of[1])
	case "if":
		switch {
		case truth(e.eval(of[1])):
			return e.eval(of[0])
		case of[2] != nil:
			return e.eval(of[2])
		}
		return &missing{reason: "the condition is false, and there is no else", empty: true}
	case "~":
		left := e.operand(of[0])
		return binary(e, x.Op, left, e.operand(of[1]))
	}
	v := e.values(of)
	switch {
	case x.Op == "[:]":
		return bounds(v)
	case x.Op == "[]" || x.Op == "()":
		return &List{Items: v, tuple: x.Op == "()"}
	case x.Op == "{}":
		d := &Dict{}
		for pair := range slices.Chunk(v, 2) {
			d.set(e, pair[0], pair[1])
		}
		return d
	case len(v) == 1:
		return unary(x.Op, v[0])
	}
	return binary(e, x.Op, v[0], v[1])
}

// filter applies a filter or a test. A filter that looks at missing values itself, as default does, also gets what
// failed for these data.
func (e *evaluator) filter(x *Filter) any {
	f := x.Func
	var v any
	switch {
	case f.Kind == FilterKind && f.missing:
		if m := e.attempt(func() { v = e.eval(x.X) }); m != nil && m.fault {
			try(m)
		} else if m != nil {
			v = m
		}
	case f.missing:
		v = e.eval(x.X)
	default:
		v = e.operand(x.X)
	}
	return e.invoke(f, x.Args, v)
}

// invoke calls a function with the arguments as written, behind its operand or receiver.
func (e *evaluator) invoke(f *Function, list []Arg, before ...any) any {
	args, names := e.arguments(list, before...)
	return f.invoke(e, args, names)
}

// arguments evaluates the arguments of a call; those with names are last.
func (e *evaluator) arguments(list []Arg, before ...any) (args []any, names []string) {
	args = slices.Grow(before, len(list))
	for _, a := range list {
		args = append(args, e.eval(a.X))
		if a.Name != "" {
			names = append(names, a.Name)
		}
	}
	return args, names
}

// call calls what is before the parentheses: a method, a content API, a function, a macro or a loop.
func (e *evaluator) call(x *Call) any {
	var f any
	if at, ok := x.X.(*Member); ok && at.Dot {
		on, name := e.eval(at.X), at.Key.(*Literal).Value.(string)
		if m, ok := on.(*missing); ok {
			args, _ := e.arguments(x.Args)
			present(args...) // their errors come first
			return e.lookup(m, name)
		}
		r, isRoot := on.(root)
		of := kindOf(on)
		if isRoot && r != apiRoot {
			if of = "map"; name != "get" {
				on = e.plain(r)
			}
		}
		if method := lookUp(MethodKind, of, name); method != nil {
			return e.invoke(method, x.Args, on)
		}
		f = e.lookup(on, name)
		if _, none := f.(*missing); none && r != apiRoot {
			try(fault(fmt.Sprintf("%s has no method %s", kind(on), shorten(name))))
		}
	} else {
		f = e.eval(x.X)
	}
	switch f := f.(type) {
	case *missing:
		return e.lookup(f, "")
	case *loop:
		return e.invoke(f.again(), x.Args)
	case *Function:
		return e.invoke(f, x.Args)
	}
	try(fault(kind(f) + " cannot be called"))
	return nil
}

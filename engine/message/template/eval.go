package template

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Limits of one render including content blocks. They stop faulty and hostile templates; real messages stay
// far below.
const (
	MaxOutput = 1 << 20 // bytes of the result, and of any value on the way
	MaxItems  = 10_000  // items of a list that is built or iterated
	MaxCalls  = 100     // content API calls

	maxSteps    = 4_000_000 // a step is a node, an item, or some bytes
	bytesOfStep = 16        // that are read or written
)

var (
	errTooLarge  = fmt.Errorf("a value in this expression is larger than %d KiB", MaxOutput>>10)
	errTooLong   = errors.New("this template takes too long to compute")
	errOutput    = fmt.Errorf("the result is longer than %d KiB", MaxOutput>>10)
	errTooNested = fmt.Errorf("macros, loops or content blocks are nested deeper than %d", maxDepth)
)

// evaluator is one render: its data, what is left of its limits, and what it found.
type evaluator struct {
	*frame
	ctx        context.Context
	data       Data
	preview    bool
	steps      int
	calls      int // of content APIs
	depth      int
	scope      *scope
	out        *strings.Builder
	autoescape bool
	captured   any // the value of a Captured
	unresolved []Unresolved
	reported   map[Unresolved]bool // without place and reason
	sets       []failedSet
	products   map[string]any  // product sets converted so far
	apis       context.Context // of content APIs; nil before the first call
	cancel     context.CancelFunc
	blocks     map[string]string // content blocks rendered so far
	open       []string          // content blocks being rendered, outermost first
}

// frame is the template that is evaluated: that of the message, or of a content block.
type frame struct {
	t     *Template
	block string // the name of the content block, or ""
	at    int    // the offset of the statement, for errors that end the render
}

// failedSet is a name whose value could not be computed, and where it stands among the unresolved expressions.
type failedSet struct {
	*missing
	index int
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

// work charges for reading or writing n bytes, and ends the render when its limit is reached or its context is
// done. Whatever takes longer than a few microseconds charges first.
func (e *evaluator) work(n int) error {
	before := e.steps
	e.steps += 1 + n/bytesOfStep
	if e.steps > maxSteps {
		return errTooLong
	}
	if before>>8 != e.steps>>8 {
		return e.ctx.Err()
	}
	return nil
}

// eval evaluates an expression. The value may be a *missing; what needs a value calls must instead.
func (e *evaluator) eval(x Expr) (any, error) {
	if err := e.work(0); err != nil {
		return nil, err
	}
	v, err := e.compute(x)
	if m, ok := v.(*missing); ok {
		if m.cause != nil { // a failed set
			m.used = true
			return nil, m
		}
		v = e.place(m, x.Place())
	} else if m, ok := err.(*missing); ok {
		err = e.place(m, x.Place())
	}
	return v, err
}

// place returns m with its place, if it has none. The data have it without.
func (e *evaluator) place(m *missing, at Span) *missing {
	if m.of != nil {
		return m
	}
	placed := *m
	placed.of, placed.at = e.frame, at
	return &placed
}

// must is eval where a missing value is an error.
func (e *evaluator) must(x Expr) (any, error) {
	v, err := e.eval(x)
	switch v := v.(type) {
	case *missing:
		return nil, v
	case root:
		return e.plain(v)
	}
	return v, err
}

func (e *evaluator) compute(x Expr) (any, error) {
	switch x := x.(type) {
	case *Literal:
		return x.Value, nil
	case *Name:
		return e.name(x.Name), nil
	case *Attr:
		from, err := e.eval(x.X)
		if err != nil {
			return nil, err
		}
		return e.lookup(from, x.Name, x.Span)
	case *Index:
		from, err := e.eval(x.X)
		if err != nil {
			return nil, err
		}
		key, err := e.must(x.Key)
		if err != nil {
			return nil, err
		}
		return e.lookup(from, key, x.Span)
	case *Slice:
		return e.slice(x)
	case *Call:
		return e.call(x)
	case *Filter:
		return e.filter(x)
	case *Test:
		return e.test(x)
	case *Unary:
		if x.Op == "not" {
			v, err := e.eval(x.X)
			return !truth(v), err
		}
		v, err := e.must(x.X)
		if err != nil {
			return nil, err
		}
		return unary(e, x.Op, v)
	case *Binary:
		return e.binary(x)
	case *Compare:
		return e.compare(x)
	case *Cond:
		yes, err := e.eval(x.If)
		switch {
		case err != nil:
			return nil, err
		case truth(yes):
			return e.eval(x.Then)
		case x.Else != nil:
			return e.eval(x.Else)
		}
		return &missing{reason: "the condition is false, and there is no else", empty: true}, nil
	case *Array:
		list, err := e.values(x.Items)
		return &List{Items: list}, err
	case *Tuple:
		list, err := e.values(x.Items)
		return TupleValue(list), err
	case *Map:
		return e.dict(x)
	case *Captured:
		return e.captured, nil
	}
	return nil, fmt.Errorf("%T is not an expression", x)
}

func (e *evaluator) name(name string) any {
	for s := e.scope; s != nil; s = s.parent {
		if v, ok := s.names[name]; ok {
			return v
		}
	}
	if r, ok := roots[name]; ok {
		return r
	}
	if f := lookUp(GlobalKind, "", name); f != nil {
		return f
	}
	return &missing{reason: "unknown name " + shorten(name), hint: func() string {
		return nearest(name, sortedKeys(roots))
	}}
}

// lookup finds the attribute or item of a value. at is the place of the whole.
func (e *evaluator) lookup(from, key any, at Span) (any, error) {
	switch from := from.(type) {
	case *missing:
		if from.of != e.frame || from.at.Start != at.Start || from.tag {
			return from, nil
		}
		longer := *from // the whole of user.address.street is missing, not user.address
		longer.at = at
		return &longer, nil
	case root:
		return e.lookupRoot(from, key)
	}
	return member(e, from, key)
}

func (e *evaluator) values(list []Expr) ([]any, error) {
	if len(list) > MaxItems {
		return nil, fmt.Errorf("a list has more than %d items", MaxItems)
	}
	values := make([]any, len(list))
	for i, x := range list {
		v, err := e.must(x)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

func (e *evaluator) dict(x *Map) (any, error) {
	d := &Dict{}
	for _, pair := range x.Pairs {
		key, err := e.must(pair.Key)
		if err != nil {
			return nil, err
		}
		v, err := e.must(pair.Value)
		if err != nil {
			return nil, err
		}
		if err := d.set(e, key, v); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (e *evaluator) slice(x *Slice) (any, error) {
	from, err := e.must(x.X)
	if err != nil {
		return nil, err
	}
	var bounds [3]any
	for i, b := range []Expr{x.From, x.To, x.Step} {
		if b == nil {
			continue
		}
		if bounds[i], err = e.must(b); err != nil {
			return nil, err
		}
	}
	return slice(e, from, bounds[0], bounds[1], bounds[2])
}

func (e *evaluator) binary(x *Binary) (any, error) {
	if x.Op == "and" || x.Op == "or" {
		left, err := e.eval(x.X)
		if err != nil || truth(left) == (x.Op == "or") {
			return left, err
		}
		return e.eval(x.Y)
	}
	left, err := e.operand(x.X, x.Op == "~")
	if err != nil {
		return nil, err
	}
	right, err := e.operand(x.Y, x.Op == "~")
	if err != nil {
		return nil, err
	}
	return binary(e, x.Op, left, right)
}

// operand is must, but an if without an else may be an empty text, as where it is written.
func (e *evaluator) operand(x Expr, text bool) (any, error) {
	v, err := e.eval(x)
	switch v := v.(type) {
	case *missing:
		if text && v.empty {
			return "", nil
		}
		return nil, v
	case root:
		return e.plain(v)
	}
	return v, err
}

func (e *evaluator) compare(x *Compare) (any, error) {
	left, err := e.eval(x.X)
	if err != nil {
		return nil, err
	}
	for _, c := range x.Rest {
		right, err := e.eval(c.Y)
		if err != nil {
			return nil, err
		}
		if r, ok := right.(root); ok {
			if right, err = e.plain(r); err != nil {
				return nil, err
			}
		}
		holds, err := compare(e, c.Op, left, right)
		if err != nil || !holds {
			return false, err
		}
		left = right
	}
	return true, nil
}

// filter applies a filter. What looks at missing values itself, as default does, also gets what failed for
// these data.
func (e *evaluator) filter(x *Filter) (any, error) {
	f := lookUp(FilterKind, "", x.Name)
	if f == nil {
		return nil, fmt.Errorf("there is no filter %s", shorten(x.Name))
	}
	var v any
	var err error
	if !f.missing {
		v, err = e.operand(x.X, true)
	} else if v, err = e.eval(x.X); err != nil && replaceable(err) {
		v, err = e.failed(x.Span, err), nil
	}
	if err != nil {
		return nil, err
	}
	return e.invoke(f, x.Args, v)
}

func (e *evaluator) test(x *Test) (any, error) {
	f := lookUp(TestKind, "", x.Name)
	if f == nil {
		return nil, fmt.Errorf("there is no test %s", shorten(x.Name))
	}
	v, err := e.eval(x.X)
	if err != nil {
		return nil, err
	}
	if m, ok := v.(*missing); ok && !f.missing {
		return nil, m
	}
	result, err := e.invoke(f, x.Args, v)
	return truth(result) != x.Not, err
}

// invoke calls a function with the arguments as written, behind its operand or receiver.
func (e *evaluator) invoke(f *Function, list []Arg, before ...any) (any, error) {
	args, named, err := e.arguments(list, f.missing, before...)
	if err != nil {
		return nil, err
	}
	return f.invoke(e, args, named)
}

// arguments evaluates the arguments of a call. A missing one is an error unless allowed.
func (e *evaluator) arguments(list []Arg, allowed bool, before ...any) ([]any, *Dict, error) {
	if len(list) == 0 {
		return before, nil, nil
	}
	args, named := make([]any, len(before), len(before)+len(list)), (*Dict)(nil)
	copy(args, before)
	for _, a := range list {
		v, err := e.eval(a.X)
		if err != nil {
			return nil, nil, err
		}
		if m, ok := v.(*missing); ok && (!allowed || a.Spread != "") {
			return nil, nil, m
		}
		switch {
		case a.Spread == "*":
			items, err := iterate(e, v)
			if err != nil {
				return nil, nil, err
			}
			args = append(args, items...)
			continue
		case a.Spread == "" && a.Name == "":
			args = append(args, v)
			continue
		}
		if named == nil {
			named = &Dict{}
		}
		if a.Spread == "" {
			err = named.set(e, a.Name, v)
		} else if d, ok := v.(*Dict); ok {
			for i, key := range d.keys {
				err = cmp.Or(err, named.set(e, key, d.values[i]))
			}
		} else {
			err = fault("** needs a map, not " + kind(v))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return args, named, nil
}

// call calls what is before the parentheses: a method, a content API, a function, a macro or a loop.
func (e *evaluator) call(x *Call) (any, error) {
	var f any
	var err error
	if at, ok := x.Func.(*Attr); ok {
		on, err := e.eval(at.X)
		if err != nil {
			return nil, err
		}
		if m, ok := on.(*missing); ok {
			if _, _, err := e.arguments(x.Args, false); err != nil {
				return nil, err
			}
			return e.lookup(m, at.Name, x.Span)
		}
		r, isRoot := on.(root)
		if isRoot && r != apiRoot {
			if at.Name == "get" {
				return e.getFrom(r, x.Args)
			}
			if on, err = e.plain(r); err != nil {
				return nil, err
			}
		}
		if method := lookUp(MethodKind, kindOf(on), at.Name); method != nil {
			return e.invoke(method, x.Args, on)
		}
		f, err = e.lookup(on, at.Name, x.Span)
		if _, none := f.(*missing); none && err == nil && on != f && r != apiRoot {
			return nil, fault(fmt.Sprintf("%s has no method %s", kind(on), shorten(at.Name)))
		}
	} else {
		f, err = e.eval(x.Func)
	}
	if err != nil {
		return nil, err
	}
	switch f := f.(type) {
	case *missing:
		return e.lookup(f, "", x.Span)
	case *Function:
		return e.invoke(f, x.Args)
	case callable:
		_, isMacro := f.(*macro)
		args, named, err := e.arguments(x.Args, isMacro)
		if err != nil {
			return nil, err
		}
		return f.invoke(e, args, named)
	}
	return nil, fault(kind(f) + " cannot be called")
}

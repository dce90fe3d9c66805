package template

import (
	"context"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
)

// Render fills the expressions of src. If values are missing it returns a *[MissingError] that lists all of
// them; if the template is invalid or exceeds a limit, an *[Error]; and if ctx ends, its error. Text without
// tags is returned unchanged.
func Render(ctx context.Context, src string, data Data) (string, error) {
	out, unresolved, err := render(ctx, src, data, false)
	if err == nil && len(unresolved) > 0 {
		return "", &MissingError{Unresolved: unresolved}
	}
	return out, err
}

// Preview is [Render] for display: an expression that has no value or cannot be computed stays in the text
// and is listed.
func Preview(ctx context.Context, src string, data Data) (string, []Unresolved, error) {
	return render(ctx, src, data, true)
}

// Check is [Parse] for those who only want the error.
func Check(src string) error {
	_, err := Parse(src)
	return err
}

func render(ctx context.Context, src string, data Data, preview bool) (string, []Unresolved, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	if !HasTag(src) {
		return src, nil, nil
	}
	t, err := Parse(src)
	if err != nil {
		return "", nil, err
	}
	e := &evaluator{ctx: ctx, data: data, preview: preview}
	defer e.close()
	out, err := e.execute(t, "")
	var located *Error
	switch {
	case err == nil:
		return out, e.found(), nil
	case ctx.Err() != nil:
		return "", nil, fmt.Errorf("personalizing the message: %w", ctx.Err())
	case errors.As(err, &located):
		return "", nil, located
	}
	return "", nil, &Error{Message: err.Error()}
}

// execute renders a template: the message, or the content block of that name.
func (e *evaluator) execute(t *Template, block string) (out string, err error) {
	outer := *e
	e.frame, e.scope, e.autoescape, e.out = &frame{t: t, block: block}, &scope{}, false, &strings.Builder{}
	e.out.Grow(len(t.src))
	defer func() {
		// A content API may panic, as whatever is not ours.
		if p := recover(); p != nil {
			err = e.errorAt(e.at, "", "this expression cannot be computed")
		}
		if err != nil {
			err = e.located(err)
		}
		e.frame, e.scope, e.autoescape, e.out = outer.frame, outer.scope, outer.autoescape, outer.out
	}()
	if err := e.nodes(t.body); err != nil {
		return "", err
	}
	return e.out.String(), nil
}

func (f *frame) errorAt(at int, hint, format string, args ...any) *Error {
	line, column := place(f.t.src, at)
	return &Error{Line: line, Column: column, Block: f.block, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// located adds the place of the statement to an error that ends the render, unless it has one or is the
// context's.
func (e *evaluator) located(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if ended := e.ctx.Err(); ended != nil {
		return ended
	}
	return e.errorAt(e.at, "", "%s", shorten(err.Error()))
}

func (e *evaluator) write(s string) error {
	if e.out.Len()+len(s) > MaxOutput {
		return errOutput
	}
	if err := e.work(len(s)); err != nil {
		return err
	}
	e.out.WriteString(s)
	return nil
}

func (e *evaluator) nodes(list []Node) error {
	for _, n := range list {
		if text, ok := n.(*Text); ok {
			if err := e.write(text.Value); err != nil {
				return err
			}
			continue
		}
		if err := e.work(0); err != nil {
			return err
		}
		e.at = n.Place().Start
		if err := e.leave(n, e.node(n)); err != nil {
			return err
		}
	}
	return nil
}

// node evaluates a statement. An error of an expression leaves the whole statement unresolved.
func (e *evaluator) node(n Node) error {
	switch n := n.(type) {
	case *Output:
		return e.output(n.X)
	case *If:
		for _, b := range n.Branches {
			yes, err := e.eval(b.Cond)
			if err != nil {
				return e.within(b.Span, err)
			}
			if truth(yes) {
				return e.nodes(b.Body)
			}
		}
		return e.nodes(n.Else)
	case *For:
		v, err := e.eval(n.X)
		if m, ok := v.(*missing); ok {
			if n.HasElse { // as for an empty list
				return e.inScope(&scope{}, n.Else)
			}
			return m
		}
		if err != nil {
			return err
		}
		return e.loop(n, v, e.scope, 1)
	case *Set:
		return e.set(n)
	case *With:
		inner := &scope{}
		for _, v := range n.Vars {
			x, err := e.eval(v.X)
			if err == nil {
				err = e.assign(inner, v.Target, x)
			}
			if err = e.keep(n, inner, v.Target, err); err != nil {
				return err
			}
		}
		return e.inScope(inner, n.Body)
	case *Macro:
		e.scope.set(n.Name, &macro{name: n.Name, params: n.Params, body: n.Body, source: e.t.src[n.Start:n.End], scope: e.scope})
		return nil
	case *CallBlock:
		return e.callBlock(n)
	case *FilterBlock:
		text, err := e.capture(func() error { return e.inScope(&scope{}, n.Body) })
		if err != nil {
			return err
		}
		e.captured = text
		return e.output(n.X)
	case *Autoescape:
		on, err := e.eval(n.X)
		if err != nil {
			return err
		}
		outer := e.autoescape
		e.autoescape = truth(on)
		defer func() { e.autoescape = outer }()
		return e.inScope(&scope{}, n.Body)
	case *Do:
		_, err := e.eval(n.X)
		return err
	}
	return fmt.Errorf("%T is not a statement", n)
}

// output writes the value of an expression.
func (e *evaluator) output(x Expr) error {
	v, err := e.eval(x)
	if err != nil {
		return err
	}
	s, err := e.written(v)
	if err != nil {
		if m, ok := err.(*missing); ok {
			return e.place(m, x.Place())
		}
		return err
	}
	return e.write(s)
}

// written returns a value as it is written into the message.
func (e *evaluator) written(v any) (string, error) {
	switch v := v.(type) {
	case string:
		if e.autoescape {
			return html.EscapeString(v), nil
		}
		return v, nil
	case Safe:
		return string(v), nil
	case *missing:
		if v.empty {
			return "", nil
		}
		return "", v
	case nil:
		return "", &missing{reason: "it has no value"}
	case root:
		return "", &missing{reason: fmt.Sprintf("the name to look up is missing, as in %s['name']", string(v))}
	case contentAPI:
		return "", &missing{reason: v.name + " is called with parentheses"}
	case *macro:
		return "", &missing{reason: v.name + " is called with parentheses"}
	case *Function:
		return "", &missing{reason: v.Name + " is called with parentheses"}
	}
	s, err := str(e, v)
	if err == nil && e.autoescape {
		s = html.EscapeString(s)
	}
	return s, err
}

// within is the error of a tag within a statement: the unresolved expression is that tag, not the first one.
func (e *evaluator) within(tag Span, err error) error {
	if m := e.failed(tag, err); m != nil {
		return m
	}
	return err
}

// failed returns why a tag failed, or nil for an error that ends the render.
func (e *evaluator) failed(tag Span, err error) *missing {
	switch err := err.(type) {
	case *missing:
		return err
	case failure, fault:
		return &missing{at: tag, tag: true, of: e.frame, reason: err.Error(), cause: err}
	}
	return nil
}

// leave records the expression of a statement that has no value. A preview writes the source in its place.
func (e *evaluator) leave(n Node, err error) error {
	if err == nil {
		return nil
	}
	m := e.failed(n.Place(), err)
	if m == nil {
		return err
	}
	if err := e.report(m, len(e.unresolved)); err != nil {
		return err
	}
	if e.preview {
		at := n.Place()
		return e.write(e.t.src[at.Start:at.End])
	}
	return nil
}

// report lists a missing value once.
func (e *evaluator) report(m *missing, index int) error {
	if err := e.work(1024 + m.at.Start); err != nil {
		return err
	}
	expression := m.of.t.src[m.at.Start:m.at.End]
	if m.tag {
		expression = m.of.t.firstTag(m.at)
	}
	u := Unresolved{Expression: shorten(expression), Block: m.of.block}
	if e.reported[u] {
		return nil
	}
	if e.reported == nil {
		e.reported = map[Unresolved]bool{}
	}
	e.reported[u] = true
	u.Line, u.Column = place(m.of.t.src, m.at.Start)
	u.Reason, u.Mistake = shorten(m.reason), !replaceable(m)
	if m.hint != nil {
		if hint := m.hint(); hint != "" {
			u.Reason += ", " + shorten(hint)
		}
	}
	e.unresolved = slices.Insert(e.unresolved, index, u)
	return nil
}

// firstTag returns the first tag of what is at a place, without its braces.
func (t *Template) firstTag(at Span) string {
	for part := range Parts(t.src[at.Start:at.End]) {
		return strings.Trim(part.Source, "{%}-+ \r\n\t")
	}
	return ""
}

// found returns the unresolved expressions, with the names that failed to be set and were never used.
func (e *evaluator) found() []Unresolved {
	for _, set := range slices.Backward(e.sets) {
		if !set.used {
			_ = e.report(set.missing, set.index) // what is over the limit has other problems
		}
	}
	return e.unresolved
}

// set assigns the value of a set. One that fails is unresolved where the name is used, or where it is set if
// it is never used.
func (e *evaluator) set(n *Set) error {
	if n.Block {
		text, err := e.capture(func() error { return e.inScope(&scope{}, n.Body) })
		if err != nil {
			return err
		}
		e.captured = text
	}
	v, err := e.eval(n.X)
	if err == nil {
		err = e.assign(e.scope, n.Target, v)
	}
	return e.keep(n, e.scope, n.Target, err)
}

// keep assigns a failure instead of a value.
func (e *evaluator) keep(n Node, to *scope, target Expr, err error) error {
	if err == nil {
		return nil
	}
	m := e.failed(n.Place(), err)
	if m == nil {
		return err
	}
	if err := e.work(1024); err != nil {
		return err
	}
	kept := *m
	kept.cause, kept.used = err, false
	e.sets = append(e.sets, failedSet{&kept, len(e.unresolved)})
	return e.fill(to, target, &kept)
}

// fill assigns one value to each name of a target.
func (e *evaluator) fill(to *scope, target Expr, v any) error {
	if tuple, ok := target.(*Tuple); ok {
		for _, t := range tuple.Items {
			if err := e.fill(to, t, v); err != nil {
				return err
			}
		}
		return nil
	}
	return e.assign(to, target, v)
}

// assign sets the names of a target.
func (e *evaluator) assign(to *scope, target Expr, v any) error {
	switch target := target.(type) {
	case *Name:
		to.set(target.Name, v)
		return nil
	case *Attr:
		on, err := e.must(target.X)
		if err != nil {
			return err
		}
		return setMember(e, on, target.Name, v)
	case *Tuple:
		if m, ok := v.(*missing); ok {
			return m
		}
		if _, ok := v.(*Dict); ok {
			return fault("a map has no pairs: write .items( ) behind it")
		}
		items, err := iterate(e, v)
		if err != nil {
			return err
		}
		if len(items) != len(target.Items) {
			return fault(fmt.Sprintf("there are %d names for %d values", len(target.Items), len(items)))
		}
		for i, t := range target.Items {
			if err := e.assign(to, t, items[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return fault("a value is set to a name")
}

func (e *evaluator) inScope(inner *scope, body []Node) error {
	outer := e.scope
	if inner.parent == nil {
		inner.parent = outer
	}
	e.scope = inner
	defer func() { e.scope = outer }()
	return e.nodes(body)
}

// capture returns what a function writes: safe text where values are escaped.
func (e *evaluator) capture(write func() error) (any, error) {
	outer := e.out
	e.out = &strings.Builder{}
	defer func() { e.out = outer }()
	if err := write(); err != nil {
		return nil, err
	}
	if e.autoescape {
		return Safe(e.out.String()), nil
	}
	return e.out.String(), nil
}

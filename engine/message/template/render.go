package template

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bugle/engine/doc"
)

// Render fills the expressions of src. If values are missing it returns a *[MissingError] that lists all of
// them; if the template is invalid or exceeds a limit, an *[Error]; and if ctx ends, its error. Text without
// tags is returned unchanged.
func Render(ctx context.Context, src string, data Data) (string, error) {
	out, unresolved, err := Preview(ctx, src, data)
	if len(unresolved) > 0 {
		return "", &MissingError{Unresolved: unresolved}
	}
	return out, err
}

// Preview is [Render] for display: an expression that has no value or cannot be computed stays in the text
// and is listed.
func Preview(ctx context.Context, src string, data Data) (out string, unresolved []Unresolved, err error) {
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
	data.Zone = cmp.Or(data.Zone, time.UTC)
	if data.Now.IsZero() {
		data.Now = time.Now()
	}
	e := &evaluator{ctx: ctx, data: data, cancel: func() {}}
	e.products, e.blocks = map[string]any{}, map[string]*string{}
	defer func() { e.cancel() }()
	if err := caught(func() { out = e.execute(t, "") }); err != nil {
		return "", nil, err
	}
	return out, e.listed(), nil
}

// Check is [Parse] for those who only want the error.
func Check(src string) error {
	_, err := Parse(src)
	return err
}

// execute renders a template: the message, or the content block of that name.
func (e *evaluator) execute(t *Template, block string) string {
	outer := e.state
	e.state = state{frame: &frame{t, block}, depth: outer.depth, scope: &scope{}, out: &output{e: e}}
	e.enter()
	e.out.Grow(len(t.src))
	if err := caught(func() { e.nodes(t.body) }); err != nil {
		try(e.located(err))
	}
	text := e.out.String()
	e.state = outer
	return text
}

// located returns why a render ends: the context's error, or one with the place of the statement.
func (e *evaluator) located(err error) error {
	if ended := e.ctx.Err(); ended != nil {
		return fmt.Errorf("personalizing the message: %w", ended)
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	line, column := doc.LineColumn(e.t.src[:e.tag.Start], e.tag.Start)
	return &Error{Line: line, Column: column, Block: e.block, Message: shorten(err.Error())}
}

// nodes writes a part of a template. An expression without a value leaves its whole statement unresolved, whose
// source is written.
func (e *evaluator) nodes(list []Node) {
	outer := e.tag
	for _, n := range list {
		if text, ok := n.(*Text); ok {
			e.out.add(text.Value)
			continue
		}
		e.work(0)
		e.tag = n.Place()
		if m := e.attempt(func() { e.node(n) }); m != nil {
			e.report(m)
			e.out.add(e.t.src[e.tag.Start:e.tag.End])
		}
	}
	e.tag = outer
}

func (e *evaluator) node(n Node) {
	switch n := n.(type) {
	case *Output:
		v := e.eval(n.X)
		e.x = n.X
		e.out.add(e.written(v))
	case *If:
		for _, b := range n.Branches {
			e.tag = b.Span
			if b.Cond == nil || truth(e.eval(b.Cond)) {
				e.nodes(b.Body)
				break
			}
		}
	case *For:
		v := e.eval(n.X)
		if _, none := v.(*missing); none && n.Else != nil { // as for an empty list
			v = &List{}
		}
		e.within(&scope{parent: e.scope}, func() { e.loop(n, e.there(v), 1) })
	case *Set:
		e.keep(e.scope, n.Target, n.X)
	case *With:
		inner := &scope{parent: e.scope}
		for _, v := range n.Vars {
			e.keep(inner, v.Target, v.X)
		}
		e.within(inner, func() {
			if n.Autoescape != nil {
				e.autoescape = truth(e.eval(n.Autoescape))
			}
			e.nodes(n.Body)
		})
	default:
		panic(fmt.Sprintf("%T is not a statement", n))
	}
}

// written returns a value as it is written into the message.
func (e *evaluator) written(v any) string {
	switch v := v.(type) {
	case *missing:
		if v.empty {
			return ""
		}
	case nil:
		try(&missing{reason: "it has no value"})
	case root:
		try(&missing{reason: fmt.Sprintf("the name to look up is missing, as in %s['name']", string(v))})
	case *Function:
		try(&missing{reason: v.Name + " is called with parentheses"})
	}
	return textOf(e, v, e.autoescape)
}

// report adds a missing value to those that are listed, which takes some work.
func (e *evaluator) report(m *missing) *report {
	e.work(1024 + m.at.Start)
	r := &report{missing: m}
	e.unresolved = append(e.unresolved, r)
	return r
}

// listed returns what is unresolved, each expression once.
func (e *evaluator) listed() (list []Unresolved) {
	known := map[Unresolved]bool{}
	for _, m := range e.unresolved {
		src := m.of.t.src
		expression := src[m.at.Start:m.at.End]
		if m.tag {
			_, end := nextTag(src, m.at.Start)
			expression = strings.Trim(src[m.at.Start:end], "{%}-+ \r\n\t")
		}
		u := Unresolved{Expression: shorten(expression), Block: m.of.block}
		if m.withdrawn || known[u] {
			continue
		}
		known[u] = true
		u.Line, u.Column = doc.LineColumn(src[:m.at.Start], m.at.Start)
		u.Reason, u.Mistake = shorten(m.reason), m.fault
		if m.hint != nil {
			u.Reason += m.hint()
		}
		list = append(list, u)
	}
	return list
}

// keep sets the names of a target. A value that cannot be computed is unresolved where the name is used, or where
// it is set if it is never used.
func (e *evaluator) keep(to *scope, target, x Expr) {
	if m := e.attempt(func() { e.assign(to, target, e.eval(x)) }); m != nil {
		e.assign(to, target, e.report(m))
	}
}

// assign sets the names of a target.
func (e *evaluator) assign(to *scope, target Expr, v any) {
	switch target := target.(type) {
	case *Name:
		to.set(target.Name, v)
	case *Member:
		ns, ok := e.must(target.X).(*namespace)
		if !ok {
			try(fault("only namespace() can be set with a dot"))
		}
		ns.set(e, target.Key.(*Literal).Value, v)
	case *Operation:
		if _, failed := v.(*report); failed {
			for _, t := range target.Operands {
				e.assign(to, t, v)
			}
			return
		}
		items := iterate(e, v)
		if len(items) != len(target.Operands) {
			try(fault(fmt.Sprintf("there are %d names for %d values", len(target.Operands), len(items))))
		}
		for i, t := range target.Operands {
			e.assign(to, t, items[i])
		}
	}
}

// within evaluates a part of a template that has a scope of its own.
func (e *evaluator) within(inner *scope, do func()) {
	outer := e.state
	e.scope = inner
	do()
	e.state = outer
}

// capture returns what a function writes in a scope: safe text where values are escaped.
func (e *evaluator) capture(inner *scope, write func()) any {
	out := &output{e: e}
	e.within(inner, func() {
		e.enter()
		e.out = out
		write()
	})
	return marked(out.String(), e.autoescape)
}

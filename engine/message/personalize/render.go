package personalize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/nodes"
)

var errOutput = fmt.Errorf("the result is longer than %d KiB", MaxOutput>>10)

// run is one render: its data, its remaining limits, and its findings.
type run struct {
	ctx        context.Context
	data       Data
	preview    bool
	steps      int
	turns      int
	calls      int // of content APIs
	unresolved []Unresolved
	blocks     map[string]string // content blocks rendered so far
	open       []string          // content blocks being rendered, outermost first
}

func newRun(ctx context.Context, data Data, preview bool) *run {
	return &run{ctx: ctx, data: data, preview: preview, blocks: map[string]string{}}
}

// spend counts work, and checks the context.
func (r *run) spend(bytes int) error { return r.work(bytes / bytesOfStep) }

// spendOn counts the work of processing complete values.
func (r *run) spendOn(values ...any) error {
	steps := 0
	for _, v := range values {
		steps += stepsFor(v)
	}
	return r.work(steps)
}

func (r *run) work(steps int) error {
	before := r.steps
	r.steps += 1 + steps
	if r.steps > maxSteps {
		return errors.New("this template takes too long to compute")
	}
	if before>>8 != r.steps>>8 {
		return r.ctx.Err()
	}
	return nil
}

func (r *run) execute(t *template) (out string, err error) {
	f := &frame{run: r, template: t, scope: &scope{names: map[string]any{}}, out: &strings.Builder{}}
	// A content API may panic, as whatever is not ours.
	defer func() {
		if p := recover(); p != nil {
			err = f.errorAt(f.at, "", "this expression cannot be computed")
		}
		if err != nil {
			err = f.located(err)
		}
	}()
	if err := f.nodes(t.root.Nodes); err != nil {
		return "", err
	}
	return f.out.String(), nil
}

// frame is the rendering of one template: the message or a content block.
type frame struct {
	*run
	*template
	scope *scope
	out   *strings.Builder
	at    int // offset of the current tag
}

type scope struct {
	names  map[string]any
	parent *scope
}

func (s *scope) lookup(name string) (any, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// located adds the position of the current tag to err, unless it has one or is the context's.
func (f *frame) located(err error) error {
	var own *Error
	if errors.As(err, &own) {
		if own.Block == "" {
			own.Block = f.block
		}
		return own
	}
	if ctxErr := f.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	own = f.errorAt(f.at, "", "%s", shorten(err.Error()))
	own.Block = f.block
	return own
}

func (f *frame) write(s string) error {
	if f.out.Len()+len(s) > MaxOutput {
		return errOutput
	}
	if err := f.spend(len(s)); err != nil {
		return err
	}
	f.out.WriteString(s)
	return nil
}

// writeSource writes a part of the template with its original line ends.
func (f *frame) writeSource(s string) error {
	if f.crlf {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return f.write(s)
}

func (f *frame) nodes(list []nodes.Node) error {
	for _, n := range list {
		var err error
		switch n := n.(type) {
		case *nodes.Data:
			err = f.writeData(n)
		case *nodes.Output:
			err = f.output(n)
		case *nodes.ControlStructureBlock:
			err = f.structure(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) body(w *nodes.Wrapper) error {
	if w == nil {
		return nil
	}
	return f.nodes(w.Nodes)
}

// writeData writes text, trimmed where a neighboring tag has a "-".
func (f *frame) writeData(n *nodes.Data) error {
	const space = " \r\n\t"
	s := n.Data.Val
	if n.Trim.Left {
		s = strings.TrimLeft(s, space)
	}
	if n.Trim.Right {
		s = strings.TrimRight(s, space)
	}
	return f.writeSource(s)
}

func (f *frame) output(n *nodes.Output) error {
	f.at = n.Start.Pos
	v, err := f.choose(n)
	if err != nil {
		return err
	}
	text, err := f.printable(v)
	if err != nil {
		return err
	}
	if hole, ok := text.(*missing); ok {
		if hole.expression == "" {
			hole.expression = f.tagText()
		}
		return f.leave(hole, n.Start.Pos, n.End.Pos+len(n.End.Val))
	}
	return f.write(text.(string))
}

// choose evaluates {{ a if condition else b }}, or most often only a.
func (f *frame) choose(n *nodes.Output) (any, error) {
	if n.Condition == nil {
		return f.eval(n.Expression)
	}
	condition, err := f.eval(n.Condition)
	switch {
	case err != nil || failedValue(condition) != nil:
		return condition, err
	case truth(condition):
		return f.eval(n.Expression)
	case n.Alternative != nil:
		return f.eval(n.Alternative)
	}
	return "", nil
}

// leave records a missing value. A preview writes the source in its place.
func (f *frame) leave(hole *missing, from, to int) error {
	if err := f.work(len(f.unresolved) + hole.pos/bytesOfStep); err != nil {
		return err
	}
	u := Unresolved{Expression: hole.expression, Block: f.block, Reason: hole.reason}
	u.Line, u.Column = f.place(hole.pos)
	same := func(o Unresolved) bool { return o.Expression == u.Expression && o.Block == u.Block }
	if !slices.ContainsFunc(f.unresolved, same) {
		f.unresolved = append(f.unresolved, u)
	}
	if f.preview {
		return f.writeSource(f.text[from:to])
	}
	return nil
}

func (f *frame) structure(n *nodes.ControlStructureBlock) error {
	b, ok := n.ControlStructure.(*block)
	if !ok {
		return fmt.Errorf("%s is not known", n.Name)
	}
	f.at = n.Location.Pos
	if err := f.spend(0); err != nil {
		return err
	}
	switch s := b.ControlStructure.(type) {
	case *ifNode:
		return f.branch(s, n.Location.Pos, b.end)
	case *forNode:
		return f.loop(s, n.Location.Pos, b.end)
	case *setNode:
		return f.set(s)
	case *withNode:
		return f.with(s)
	case *rawNode:
		return f.body(s.body)
	}
	return fmt.Errorf("%s is not known", n.Name)
}

// branch writes the branch whose condition holds. If a condition fails, the whole structure is unresolved.
func (f *frame) branch(s *ifNode, from, to int) error {
	for i, condition := range s.conditions {
		v, err := f.eval(condition)
		if err != nil {
			return err
		}
		if hole := failedValue(v); hole != nil {
			return f.leave(hole, from, to)
		}
		if truth(v) {
			return f.body(s.bodies[i])
		}
	}
	if len(s.bodies) > len(s.conditions) {
		return f.body(s.bodies[len(s.conditions)])
	}
	return nil
}

func (f *frame) set(s *setNode) error {
	if s.body == nil {
		v, err := f.choose(s.expr)
		if err == nil {
			f.scope.names[s.name] = v
		}
		return err
	}
	outer := f.out
	f.out = &strings.Builder{}
	err := f.body(s.body)
	f.scope.names[s.name], f.out = f.out.String(), outer
	return err
}

func (f *frame) with(s *withNode) error {
	inner := &scope{names: map[string]any{}, parent: f.scope}
	for i, name := range s.names {
		v, err := f.eval(s.exprs[i])
		if err != nil {
			return err
		}
		inner.names[name] = v
	}
	return f.inScope(inner, s.body)
}

func (f *frame) inScope(inner *scope, body *nodes.Wrapper) error {
	outer := f.scope
	f.scope = inner
	defer func() { f.scope = outer }()
	return f.body(body)
}

// contentBlock renders a block once, however often it is included.
func (f *frame) contentBlock(name string) (any, error) {
	if text, ok := f.blocks[name]; ok {
		return text, nil
	}
	src, ok := f.data.ContentBlocks[name]
	if !ok {
		return nil, nil
	}
	if i := slices.Index(f.open, name); i >= 0 {
		chain := strings.Join(append(slices.Clone(f.open[i:]), name), " → ")
		return nil, fmt.Errorf("content block %q contains itself: %s", shorten(name), shorten(chain))
	}
	if len(f.open) >= maxNesting {
		return nil, fmt.Errorf("content blocks are nested deeper than %d", maxNesting)
	}
	text := src
	if hasTag(src) {
		t, err := compiled(src)
		if err != nil {
			var own *Error
			if errors.As(err, &own) {
				own.Block = name
			}
			return nil, err
		}
		inner := *t
		inner.block = name
		f.open = append(f.open, name)
		text, err = f.execute(&inner)
		f.open = f.open[:len(f.open)-1]
		if err != nil {
			return nil, err
		}
	}
	f.blocks[name] = text
	return text, nil
}

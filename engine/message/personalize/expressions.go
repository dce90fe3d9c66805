package personalize

import (
	"github.com/nikolalohinski/gonja/v2/nodes"
)

// Expression is one use of a name in a template.
type Expression struct {
	// Root is UserAttribute, EventAttribute, BusinessEventAttribute, ContentBlock, ContentApi or ProductSet
	// (also for the short forms user and event), or "" for an undefined name.
	Root string
	// Name is what is looked up in Root: an attribute, a block. It is "" if it is computed, as in
	// UserAttribute[x]. If Root is "", it is the undefined name.
	Name string
	// Source is the expression as written, including filters.
	Source       string
	Line, Column int  // from 1, in characters
	Filtered     bool // a filter follows
	HasDefault   bool // one of the filters is default
}

// Expressions lists what src uses of a user, an event and the workspace, in text order. It leaves out names
// that the template defines. It lists content blocks but does not follow them.
func Expressions(src string) ([]Expression, error) {
	if !hasTag(src) {
		return nil, nil
	}
	t, err := compile(src)
	if err != nil {
		return nil, err
	}
	own := map[string]bool{"loop": true, "range": true, "none": true}
	walk(t.root, func(n nodes.Node, _ []*nodes.FilterCall) { declared(n, own) })
	var found []Expression
	places := placer{source: t.source}
	walk(t.root, func(n nodes.Node, filters []*nodes.FilterCall) {
		root, name, ok := reference(n)
		if !ok || own[root] {
			return
		}
		pos := leftmost(n)
		e := Expression{Root: rootNames[root], Name: name, Source: t.chain(pos, len(filters) > 0), Filtered: len(filters) > 0}
		if e.Root == "" {
			e.Name = root
		}
		e.Line, e.Column = places.place(pos)
		for _, f := range filters {
			e.HasDefault = e.HasDefault || isDefault(f.Name)
		}
		found = append(found, e)
	})
	return found, nil
}

// reference splits the access chain n into its root and the first name.
func reference(n nodes.Node) (root, name string, ok bool) {
	for {
		var inner nodes.Node
		step := ""
		switch at := n.(type) {
		case *nodes.Name:
			return at.Name.Val, name, true
		case *nodes.GetItem:
			if key, isString := at.Arg.(*nodes.String); isString {
				step = key.Val
			}
			inner = at.Node
		case *nodes.GetAttribute:
			inner, step = at.Node, at.Attribute
		case *nodes.GetSlice:
			inner = at.Node
		case *nodes.Call:
			inner, step = at.Func, name
		default:
			return "", "", false
		}
		n, name = inner, step
	}
}

// leftmost returns the offset at which the source of n starts.
func leftmost(n nodes.Node) int {
	for {
		switch at := n.(type) {
		case *nodes.GetItem:
			n = at.Node
		case *nodes.GetAttribute:
			n = at.Node
		case *nodes.GetSlice:
			n = at.Node
		case *nodes.Call:
			n = at.Func
		case *nodes.FilteredExpression:
			n = at.Expression
		case *nodes.TestExpression:
			n = at.Expression
		case *nodes.BinaryExpression:
			n = at.Left
		default:
			if n == nil || n.Position() == nil {
				return 0
			}
			return n.Position().Pos
		}
	}
}

func declared(n nodes.Node, names map[string]bool) {
	b, ok := n.(*block)
	if !ok {
		return
	}
	switch s := b.ControlStructure.(type) {
	case *forNode:
		names[s.key], names[s.value] = true, true
	case *setNode:
		names[s.name] = true
	case *withNode:
		for _, name := range s.names {
			names[name] = true
		}
	}
}

func asFor(n nodes.Node) (*forNode, bool) {
	if b, ok := n.(*block); ok {
		loop, ok := b.ControlStructure.(*forNode)
		return loop, ok
	}
	return nil, false
}

// walk visits every structure and expression of a tree in text order. Of an access chain it visits only the
// whole, with the filters that follow it; expressions within its brackets are visited separately.
func walk(n nodes.Node, visit func(nodes.Node, []*nodes.FilterCall)) {
	w := walker(visit)
	w.node(n)
}

type walker func(nodes.Node, []*nodes.FilterCall)

func (w walker) node(n nodes.Node) {
	switch n := n.(type) {
	case *nodes.Template:
		w.nodes(n.Nodes)
	case *nodes.Wrapper:
		if n != nil {
			w.nodes(n.Nodes)
		}
	case *nodes.Output:
		w.output(n)
	case *nodes.ControlStructureBlock:
		b, ok := n.ControlStructure.(*block)
		if !ok {
			return
		}
		w(b, nil)
		w.structure(b.ControlStructure)
	}
}

func (w walker) nodes(list []nodes.Node) {
	for _, n := range list {
		w.node(n)
	}
}

func (w walker) output(n *nodes.Output) {
	w.operand(n.Expression)
	w.expression(n.Condition, nil)
	w.expression(n.Alternative, nil)
}

func (w walker) structure(n nodes.ControlStructure) {
	switch n := n.(type) {
	case *ifNode:
		for i, body := range n.bodies {
			if i < len(n.conditions) {
				w.operand(n.conditions[i])
			}
			w.node(body)
		}
	case *forNode:
		w.operand(n.list)
		w.expression(n.condition, nil)
		w.node(n.body)
		w.node(n.empty)
	case *setNode:
		if n.expr != nil {
			w.output(n.expr)
		}
		w.node(n.body)
	case *withNode:
		w.expressions(n.exprs)
		w.node(n.body)
	}
}

func (w walker) expressions(list []nodes.Expression) {
	for _, n := range list {
		w.operand(n)
	}
}

// operand visits a required operand. The parser allows some to be missing; the visitor gets nil then.
func (w walker) operand(n nodes.Node) {
	if n == nil {
		w(nil, nil)
	}
	w.expression(n, nil)
}

func (w walker) arguments(args []nodes.Expression, named map[string]nodes.Expression) {
	w.expressions(args)
	for _, name := range sortedKeys(named) {
		w.expression(named[name], nil)
	}
}

func (w walker) expression(n nodes.Node, filters []*nodes.FilterCall) {
	if n == nil {
		return
	}
	if f, ok := n.(*nodes.FilteredExpression); ok {
		w.expression(f.Expression, append(f.Filters[:len(f.Filters):len(f.Filters)], filters...))
		for _, call := range f.Filters {
			w.arguments(call.Args, call.Kwargs)
		}
		return
	}
	w(n, filters)
	switch n := n.(type) {
	case *nodes.GetItem, *nodes.GetAttribute, *nodes.GetSlice, *nodes.Call:
		w.within(n)
	case *nodes.TestExpression:
		w.operand(n.Expression)
		w.arguments(n.Test.Args, n.Test.Kwargs)
	case *nodes.BinaryExpression:
		w.operand(n.Left)
		w.operand(n.Right)
	case *nodes.UnaryExpression:
		w.operand(n.Term)
	case *nodes.Negation:
		w.operand(n.Term)
	case *nodes.List:
		w.expressions(n.Val)
	case *nodes.Tuple:
		w.expressions(n.Val)
	case *nodes.Dict:
		for _, pair := range n.Pairs {
			w.expression(pair.Key, nil)
			w.expression(pair.Value, nil)
		}
	}
}

// within visits the expressions in the brackets of an access chain.
func (w walker) within(n nodes.Node) {
	switch n := n.(type) {
	case *nodes.GetItem:
		w.within(n.Node)
		w.expression(n.Arg, nil)
	case *nodes.GetAttribute:
		w.within(n.Node)
	case *nodes.GetSlice:
		w.within(n.Node)
		w.expression(n.Start, nil)
		w.expression(n.End, nil)
		w.expression(n.Step, nil)
	case *nodes.Call:
		w.within(n.Func)
		w.arguments(n.Args, n.Kwargs)
	case *nodes.Name:
	default:
		w.expression(n, nil)
	}
}

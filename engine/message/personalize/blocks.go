package personalize

import (
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// The structures of a template. gonja has its own, which bring its evaluation with them.

// ifNode has a body for each condition, and one more for else.
type ifNode struct {
	at         *tokens.Token
	conditions []nodes.Expression
	bodies     []*nodes.Wrapper
}

type forNode struct {
	at         *tokens.Token
	key, value string // {% for key in list %}, {% for key, value in list %}
	list       nodes.Expression
	condition  nodes.Expression // {% for key in list if condition %}; may be nil
	recursive  bool
	body       *nodes.Wrapper
	empty      *nodes.Wrapper // for a list without items; may be nil
}

type setNode struct {
	at   *tokens.Token
	name string
	expr *nodes.Output  // {% set x = expr [if cond else other] %}
	body *nodes.Wrapper // {% set x %}…{% endset %}
}

type withNode struct {
	at    *tokens.Token
	names []string
	exprs []nodes.Expression
	body  *nodes.Wrapper
}

type rawNode struct {
	at   *tokens.Token
	body *nodes.Wrapper
}

func (n *ifNode) Position() *tokens.Token   { return n.at }
func (n *ifNode) String() string            { return "if" }
func (n *forNode) Position() *tokens.Token  { return n.at }
func (n *forNode) String() string           { return "for " + n.key }
func (n *setNode) Position() *tokens.Token  { return n.at }
func (n *setNode) String() string           { return "set " + n.name }
func (n *withNode) Position() *tokens.Token { return n.at }
func (n *withNode) String() string          { return "with" }
func (n *rawNode) Position() *tokens.Token  { return n.at }
func (n *rawNode) String() string           { return "raw" }

func (c *compiler) parseIf(p, args *parser.Parser) (nodes.ControlStructure, error) {
	n := &ifNode{at: args.Current()}
	for {
		if args.End() {
			return nil, expected("a condition", p, args)
		}
		condition, err := args.ParseExpression()
		if err != nil {
			return nil, err
		}
		if err := atEnd(args); err != nil {
			return nil, err
		}
		body, rest, err := p.WrapUntil("elif", "else", "endif")
		if err != nil {
			return nil, err
		}
		n.conditions, n.bodies = append(n.conditions, condition), append(n.bodies, body)
		if body.EndTag == "elif" {
			args = rest
			continue
		}
		if err := atEnd(rest); err != nil || body.EndTag == "endif" {
			return n, err
		}
		body, rest, err = p.WrapUntil("endif")
		if err != nil {
			return nil, err
		}
		n.bodies = append(n.bodies, body)
		return n, atEnd(rest)
	}
}

func (c *compiler) parseFor(p, args *parser.Parser) (nodes.ControlStructure, error) {
	n := &forNode{at: args.Current()}
	name := args.Match(tokens.Name)
	if name == nil {
		return nil, expected("a name", p, args)
	}
	n.key = name.Val
	if args.Match(tokens.Comma) != nil {
		if name = args.Match(tokens.Name); name == nil {
			return nil, expected("a name", p, args)
		}
		n.value = name.Val
	}
	if args.Match(tokens.In) == nil {
		return nil, expected("'in'", p, args)
	}
	var err error
	if n.list, err = args.ParseExpression(); err != nil {
		return nil, err
	}
	if args.MatchName("if") != nil {
		if n.condition, err = args.ParseExpression(); err != nil {
			return nil, err
		}
	}
	n.recursive = args.MatchName("recursive") != nil
	if err := atEnd(args); err != nil {
		return nil, err
	}
	body, rest, err := p.WrapUntil("else", "endfor")
	if err != nil {
		return nil, err
	}
	n.body = body
	if err := atEnd(rest); err != nil || body.EndTag == "endfor" {
		return n, err
	}
	if n.empty, rest, err = p.WrapUntil("endfor"); err != nil {
		return nil, err
	}
	return n, atEnd(rest)
}

// expected returns an error about what is not at the present place of a tag. p is behind the tag.
func expected(what string, p, args *parser.Parser) error {
	at := args.Current()
	if args.End() {
		at = p.Current()
	}
	return args.Error(what+" is expected here", at)
}

// atEnd returns an error if a tag has more than its structure takes.
func atEnd(args *parser.Parser) error {
	if args.End() {
		return nil
	}
	return args.Error("the end of the tag is expected here", args.Current())
}

func (c *compiler) parseSet(p, args *parser.Parser) (nodes.ControlStructure, error) {
	n := &setNode{at: args.Current()}
	name := args.Match(tokens.Name)
	if name == nil {
		return nil, expected("a name", p, args)
	}
	n.name = name.Val
	if args.Match(tokens.Assign) == nil {
		if !args.End() {
			return nil, expected("'='", p, args)
		}
		body, _, err := p.WrapUntil("endset")
		n.body = body
		return n, err
	}
	expr, err := args.ParseExpression()
	if err != nil {
		return nil, err
	}
	n.expr = &nodes.Output{Start: name, Expression: expr}
	if n.expr.Condition, n.expr.Alternative, err = args.ParseCondition(); err != nil {
		return nil, err
	}
	return n, atEnd(args)
}

func (c *compiler) parseWith(p, args *parser.Parser) (nodes.ControlStructure, error) {
	n := &withNode{at: args.Current()}
	for !args.End() {
		name := args.Match(tokens.Name)
		if name == nil || args.Match(tokens.Assign) == nil {
			return nil, args.Error("with takes name=value", args.Current())
		}
		expr, err := args.ParseExpression()
		if err != nil {
			return nil, err
		}
		n.names, n.exprs = append(n.names, name.Val), append(n.exprs, expr)
		if args.Match(tokens.Comma) == nil && !args.End() {
			return nil, expected("a comma", p, args)
		}
	}
	body, _, err := p.WrapUntil("endwith")
	n.body = body
	return n, err
}

func (c *compiler) parseRaw(p, args *parser.Parser) (nodes.ControlStructure, error) {
	if !args.End() {
		return nil, args.Error("raw takes nothing", args.Current())
	}
	n := &rawNode{at: args.Current()}
	body, _, err := p.WrapUntil("endraw")
	n.body = body
	return n, err
}

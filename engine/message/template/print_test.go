package template

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// printer writes a tree as a template that parses to the same tree.
type printer struct{ strings.Builder }

func printed(body []Node) string {
	var p printer
	p.nodes(body)
	return p.String()
}

func (p *printer) write(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.WriteString(part)
		case []Node:
			p.nodes(part)
		case []Expr:
			for i, x := range part {
				p.write(map[bool]string{true: ", "}[i > 0], x)
			}
		case []Arg:
			for i, a := range part {
				p.write(map[bool]string{true: ", "}[i > 0], a.Name, map[bool]string{true: "="}[a.Name != ""], a.X)
			}
		case nil:
		case Expr:
			p.expr(part)
		}
	}
}

func (p *printer) params(list []Arg) {
	p.write("(")
	for i, a := range list {
		p.write(map[bool]string{true: ", "}[i > 0], a.Name)
		if a.X != nil {
			p.write("=", a.X)
		}
	}
	p.write(")")
}

func (p *printer) nodes(list []Node) {
	for _, n := range list {
		switch n := n.(type) {
		case *Text:
			for i, c := range []byte(n.Value) {
				if c == '{' && (i+1 == len(n.Value) || strings.IndexByte("{%#", n.Value[i+1]) >= 0) {
					p.write("{% raw %}{{% endraw %}")
				} else {
					p.WriteByte(c)
				}
			}
		case *Output:
			call, isCall := n.X.(*Call)
			inner := n.X
			for f, ok := inner.(*Filter); ok; f, ok = inner.(*Filter) {
				inner = f.X
			}
			switch text := inner.(type) {
			case *Captured:
				filters := &printer{}
				filters.write(n.X)
				p.write("{% filter ", strings.TrimPrefix(filters.String(), "|"), " %}", text.Body, "{% endfilter %}")
				continue
			}
			if isCall && len(call.Args) > 0 {
				last := len(call.Args) - 1
				if caller, ok := call.Args[last].X.(*Macro); ok {
					bare := *call
					bare.Args = call.Args[:last]
					p.write("{% call ")
					p.params(caller.Params)
					p.write(" ", Expr(&bare), " %}", caller.Body, "{% endcall %}")
					continue
				}
			}
			p.write("{{ ", n.X, " }}")
		case *If:
			for i, b := range n.Branches {
				if b.Cond == nil {
					p.write("{% else %}", b.Body)
					continue
				}
				p.write(map[bool]string{true: "{% if ", false: "{% elif "}[i == 0])
				p.plain(b.Cond)
				p.write(" %}", b.Body)
			}
			p.write("{% endif %}")
		case *For:
			p.write("{% for ", n.Target, " in ")
			p.plain(n.X)
			if n.Cond != nil {
				p.write(" if ", n.Cond)
			}
			p.write(map[bool]string{true: " recursive"}[n.Recursive], " %}", n.Body)
			p.write(map[bool]string{true: "{% else %}"}[n.Else != nil], n.Else, "{% endfor %}")
		case *Set:
			if n.Target == nil {
				p.write("{% do ", n.X, " %}")
				continue
			}
			inner := n.X
			for f, ok := inner.(*Filter); ok; f, ok = inner.(*Filter) {
				inner = f.X
			}
			switch x := inner.(type) {
			case *Captured:
				p.write("{% set ", n.Target, n.X, " %}", x.Body, "{% endset %}")
			case *Macro:
				p.write("{% macro ", x.Name)
				p.params(x.Params)
				p.write(" %}", x.Body, "{% endmacro %}")
			default:
				p.write("{% set ", n.Target, " = ", n.X, " %}")
			}
		case *With:
			if n.Autoescape != nil {
				p.write("{% autoescape ", n.Autoescape, " %}", n.Body, "{% endautoescape %}")
				continue
			}
			p.write("{% with ")
			for i, a := range n.Vars {
				p.write(map[bool]string{true: ", "}[i > 0], a.Target, " = ", a.X)
			}
			p.write(" %}", n.Body, "{% endwith %}")
		default:
			panic(fmt.Sprintf("%T", n))
		}
	}
}

// plain writes an expression where an if without parentheses would be something else.
func (p *printer) plain(x Expr) {
	if c, ok := x.(*Operation); ok && c.Op == "if" {
		p.write("(", c, ")")
		return
	}
	p.expr(x)
}

// operand writes an operand, in parentheses unless it is one that binds tightest.
func (p *printer) operand(x Expr) {
	switch x := x.(type) {
	case *Literal, *Name, *Captured, *Member, *Call:
		p.expr(x)
		return
	case *Operation:
		if strings.ContainsAny(x.Op, "[({") {
			p.expr(x)
			return
		}
	}
	p.write("(", x, ")")
}

func (p *printer) expr(x Expr) {
	switch x := x.(type) {
	case *Literal:
		p.literal(x.Value)
	case *Name:
		p.write(x.Name)
	case *Member:
		p.operand(x.X)
		if x.Dot {
			p.write(".", x.Key.(*Literal).Value)
		} else {
			p.write("[", x.Key, "]")
		}
	case *Call:
		p.operand(x.X)
		p.write("(", x.Args, ")")
	case *Filter:
		f, isFilter := x.X.(*Filter)
		switch {
		case x.Func.Kind == TestKind:
			p.operand(x.X)
			p.write(" is ", x.Name)
		case isFilter && f.Func.Kind == FilterKind:
			p.expr(f)
			p.write("|", x.Name)
		default:
			p.operand(x.X)
			p.write("|", x.Name)
		}
		if len(x.Args) > 0 {
			p.write("(", x.Args, ")")
		}
	case *Operation:
		p.operation(x.Op, x.Operands)
	case *Compare:
		for i, operand := range x.Operands {
			if i > 0 {
				p.write(" ", x.Ops[i-1], " ")
			}
			p.operand(operand)
		}
	case *Captured:
	default:
		panic(fmt.Sprintf("%T", x))
	}
}

func (p *printer) operation(op string, of []Expr) {
	switch {
	case op == "[]":
		p.write("[", of, "]")
	case op == "()":
		p.write("(", of, map[bool]string{true: ","}[len(of) == 1], ")")
	case op == "{}":
		p.write("{")
		for i, x := range of {
			p.write(map[bool]string{true: ", "}[i > 0 && i%2 == 0], x, map[bool]string{true: ": "}[i%2 == 0])
		}
		p.write("}")
	case op == "[:]":
		p.write(of[0], ":", of[1], ":", of[2])
	case len(of) == 1:
		p.write(op, " ")
		p.operand(of[0])
	default:
		p.operand(of[0])
		p.write(" ", op, " ")
		p.operand(of[1])
		if op == "if" && of[2] != nil {
			p.write(" else ")
			p.operand(of[2])
		}
	}
}

func (p *printer) literal(v any) {
	switch v := v.(type) {
	case nil:
		p.write("none")
	case bool:
		p.write(strconv.FormatBool(v))
	case int:
		p.write(strconv.Itoa(v))
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		if math.IsInf(v, 0) {
			panic("an infinite literal")
		}
		p.write(s)
	case string:
		p.write("'")
		for _, c := range []byte(v) {
			switch {
			case c == '\'' || c == '\\':
				p.write("\\")
				p.WriteByte(c)
			default:
				p.WriteByte(c)
			}
		}
		p.write("'")
	}
}

package commands

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"text/template/parse"
)

// The values of a template are texts, lists of texts, texts by name, numbers and truth values, and the [Data] itself.

// dataFields are the fields that a template can use.
var dataFields = map[string]func(Data) any{
	"ID":      func(d Data) any { return d.ID },
	"Name":    func(d Data) any { return d.Name },
	"Channel": func(d Data) any { return d.Channel },
	"Status":  func(d Data) any { return d.Status },
	"IDs":     func(d Data) any { return d.IDs },
	"Field":   func(d Data) any { return d.Field },
	"Value":   func(d Data) any { return d.Value },
	"File":    func(d Data) any { return d.File },
	"Prompt":  func(d Data) any { return d.Prompt },
}

// functions are the functions of [text/template] that commands have a use for.
var functions = map[string]func(args ...any) (any, error){
	"print":  func(args ...any) (any, error) { return fmt.Sprint(args...), nil },
	"printf": format,
	"urlquery": func(args ...any) (any, error) {
		return url.QueryEscape(fmt.Sprint(args...)), nil
	},
	"len":   length,
	"index": element,
	"eq": func(args ...any) (any, error) {
		equal, err := among(args)
		return equal, err
	},
	"ne": func(args ...any) (any, error) {
		equal, err := among(args)
		return !equal, err
	},
	"not": func(args ...any) (any, error) {
		if len(args) != 1 {
			return nil, errors.New("not takes one value")
		}
		return !truth(args[0]), nil
	},
	"and": func(args ...any) (any, error) { return firstWhere(args, false) },
	"or":  func(args ...any) (any, error) { return firstWhere(args, true) },
}

func format(args ...any) (any, error) {
	if len(args) > 0 {
		if text, ok := args[0].(string); ok {
			return fmt.Sprintf(text, args[1:]...), nil
		}
	}
	return nil, errors.New("printf takes a text, and values for it")
}

func length(args ...any) (any, error) {
	if len(args) == 1 {
		switch v := args[0].(type) {
		case string:
			return len(v), nil
		case []string:
			return len(v), nil
		case map[string]string:
			return len(v), nil
		}
	}
	return nil, errors.New("len takes a text or a list")
}

// element returns the element of a list at a position from 0, or a text by its name.
func element(args ...any) (any, error) {
	if len(args) == 2 {
		list, ok := args[0].([]string)
		i, isNumber := args[1].(int)
		switch {
		case !ok || !isNumber:
		case i < 0 || i >= len(list):
			return nil, fmt.Errorf("index: there is no element %d of %d", i, len(list))
		default:
			return list[i], nil
		}
		named, ok := args[0].(map[string]string)
		if name, isText := args[1].(string); ok && isText {
			return lookUp(named, name)
		}
	}
	return nil, errors.New("index takes a list and a number from 0, or .Prompt and a name")
}

// among reports whether the first value is one of the others.
func among(args []any) (bool, error) {
	if len(args) < 2 {
		return false, errors.New("two values are compared")
	}
	for _, v := range args {
		switch v.(type) {
		case string, int, bool:
		default:
			return false, errors.New("only texts and numbers can be compared")
		}
	}
	return slices.Contains(args[1:], args[0]), nil
}

// firstWhere returns the first value that is true, or the first one that is not; otherwise the last one.
func firstWhere(args []any, is bool) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("values are missing")
	}
	for _, v := range args {
		if truth(v) == is {
			return v, nil
		}
	}
	return args[len(args)-1], nil
}

func truth(v any) bool {
	switch v := v.(type) {
	case string:
		return v != ""
	case []string:
		return len(v) > 0
	case map[string]string:
		return len(v) > 0
	case bool:
		return v
	case int:
		return v != 0
	}
	return v != nil
}

// texts returns a value as texts: a list has one for each element.
func texts(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case map[string]string:
		var out []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, v[name])
		}
		return out
	}
	return []string{fmt.Sprint(v)}
}

func lookUp(named map[string]string, name string) (any, error) {
	if v, ok := named[name]; ok {
		return v, nil
	}
	return nil, fmt.Errorf("there is no %s", name)
}

// variable is a variable of a template. Its name begins with a dollar sign.
type variable struct {
	name  string
	value any
}

// evaluation fills a template.
type evaluation struct {
	dot       any
	variables []variable // the innermost last
	write     func(any) (string, error)
	out       strings.Builder
}

func (e *evaluation) node(n parse.Node) error {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, c := range n.Nodes {
			if err := e.node(c); err != nil {
				return err
			}
		}
		return nil
	case *parse.TextNode:
		e.out.Write(n.Text)
		return nil
	case *parse.ActionNode:
		v, err := e.pipe(n.Pipe)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		text, err := e.write(v)
		e.out.WriteString(text)
		return err
	case *parse.IfNode:
		return e.choose(&n.BranchNode, false)
	case *parse.WithNode:
		return e.choose(&n.BranchNode, true)
	case *parse.RangeNode:
		return e.repeat(n)
	}
	return fmt.Errorf("%s cannot be used here", n)
}

// within fills a part of a template, with variables of its own.
func (e *evaluation) within(n parse.Node, dot any, more ...variable) error {
	outer, count := e.dot, len(e.variables)
	e.dot, e.variables = dot, append(e.variables, more...)
	err := e.node(n)
	e.dot, e.variables = outer, e.variables[:count]
	return err
}

// choose fills one of two branches. move reports whether the value becomes the dot of the first one.
func (e *evaluation) choose(b *parse.BranchNode, move bool) error {
	count := len(e.variables)
	v, err := e.pipe(b.Pipe)
	if err != nil {
		return err
	}
	part, dot := parse.Node(b.ElseList), e.dot
	if truth(v) {
		part = b.List
		if move {
			dot = v
		}
	}
	err = e.within(part, dot)
	e.variables = e.variables[:count]
	return err
}

func (e *evaluation) repeat(n *parse.RangeNode) error {
	v, err := e.value(n.Pipe)
	if err != nil {
		return err
	}
	var keys []any
	switch v := v.(type) {
	case []string:
		for i := range v {
			keys = append(keys, i)
		}
	case map[string]string:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			keys = append(keys, name)
		}
	default:
		return fmt.Errorf("range %s needs a list", n.Pipe)
	}
	for i, value := range texts(v) {
		var names []variable
		switch d := n.Pipe.Decl; len(d) {
		case 1:
			names = []variable{{d[0].Ident[0], value}}
		case 2:
			names = []variable{{d[0].Ident[0], keys[i]}, {d[1].Ident[0], value}}
		}
		if err := e.within(n.List, value, names...); err != nil {
			return err
		}
	}
	if len(keys) == 0 {
		return e.within(n.ElseList, e.dot)
	}
	return nil
}

// pipe returns the value of a pipeline, and sets the variable that it declares or assigns.
func (e *evaluation) pipe(p *parse.PipeNode) (any, error) {
	v, err := e.value(p)
	if err != nil || len(p.Decl) == 0 {
		return v, err
	}
	name := p.Decl[0].Ident[0]
	if !p.IsAssign {
		e.variables = append(e.variables, variable{name, v})
		return v, nil
	}
	for i := len(e.variables) - 1; i >= 0; i-- {
		if e.variables[i].name == name {
			e.variables[i].value = v
			break
		}
	}
	return v, nil
}

// value returns the value of a pipeline.
func (e *evaluation) value(p *parse.PipeNode) (v any, err error) {
	for i, c := range p.Cmds {
		var before []any
		if i > 0 {
			before = []any{v}
		}
		if v, err = e.command(c, before); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// command returns the value of one part of a pipeline. before has the value of the part before it, if there is one.
func (e *evaluation) command(c *parse.CommandNode, before []any) (any, error) {
	name, ok := c.Args[0].(*parse.IdentifierNode)
	if !ok {
		if len(c.Args) > 1 || len(before) > 0 {
			return nil, fmt.Errorf("%s is not a function", c.Args[0])
		}
		return e.operand(c.Args[0])
	}
	var args []any
	for _, a := range c.Args[1:] {
		v, err := e.operand(a)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	return functions[name.Ident](append(args, before...)...)
}

func (e *evaluation) operand(n parse.Node) (any, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return e.dot, nil
	case *parse.FieldNode:
		return fields(e.dot, n.Ident)
	case *parse.VariableNode:
		for _, v := range slices.Backward(e.variables) {
			if v.name == n.Ident[0] {
				return fields(v.value, n.Ident[1:])
			}
		}
	case *parse.ChainNode:
		v, err := e.operand(n.Node)
		if err != nil {
			return nil, err
		}
		return fields(v, n.Field)
	case *parse.PipeNode:
		return e.value(n)
	case *parse.IdentifierNode:
		return functions[n.Ident]()
	case *parse.StringNode:
		return n.Text, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.NumberNode:
		if n.IsInt {
			return int(n.Int64), nil
		}
	}
	return nil, fmt.Errorf("%s cannot be used here", n)
}

// fields returns the value at a path of names in a value.
func fields(v any, path []string) (_ any, err error) {
	for _, name := range path {
		switch of := v.(type) {
		case Data:
			field := dataFields[name]
			if field == nil {
				return nil, fmt.Errorf("there is no .%s", name)
			}
			v = field(of)
		case map[string]string:
			if v, err = lookUp(of, name); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("there is no .%s in the value of range or with; write $.%s", name, name)
		}
	}
	return v, nil
}

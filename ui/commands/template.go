package commands

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template/parse"
)

// script is a template over [Data], in a part of the language of [text/template]. That package itself calls methods by
// their names, so that the linker would have to keep every method of the program, which makes it 4 MB larger.
type script struct {
	root  *parse.ListNode // nil if it is empty
	names []string        // the fields of Data that it uses
}

func (s script) empty() bool { return s.root == nil }

// templateError is an error in a template, with its offset in the text.
type templateError struct {
	offset int
	text   string
}

func (e *templateError) Error() string { return e.text }

// parseScript parses the template of a shell command, whose values are passed in the environment.
func parseScript(text string, prompts []Prompt) (script, error) {
	s, err := parseTemplate(text, prompts)
	if err != nil {
		return s, err
	}
	var shell shellText
	if err := shell.list(s.root); err != nil {
		return script{}, err
	}
	return s, nil
}

// parseTemplate parses a template whose values are plain text.
func parseTemplate(text string, prompts []Prompt) (script, error) {
	known := map[string]any{}
	for name, f := range functions {
		known[name] = f
	}
	trees, err := parse.Parse("command", text, "", "", known)
	if err != nil {
		return script{}, &templateError{text: strings.TrimPrefix(err.Error(), "template: command:")}
	}
	if len(trees) > 1 {
		return script{}, &templateError{text: "templates cannot be defined here"}
	}
	s := script{root: trees["command"].Root}
	u := usage{prompts: prompts}
	if u.node(s.root, true); u.err != nil {
		return script{}, u.err
	}
	s.names = u.names
	return s, nil
}

// plain returns the text of a template with the values in it.
func (s script) plain(d Data) (string, error) {
	return s.fill(d, func(value any) (string, error) { return strings.Join(texts(value), " "), nil })
}

// maxVariable is the size of the longest value in the environment; the system's limit is 128 KB.
const maxVariable = 120_000

// shell returns the text for the shell, and the values as variables of the environment.
func (s script) shell(d Data) (text string, env []string, err error) {
	text, err = s.fill(d, func(value any) (string, error) {
		var words []string
		for _, v := range texts(value) {
			switch {
			case len(v) > maxVariable:
				return "", fmt.Errorf("a value is too long for a command line; use {{.File}}")
			case strings.ContainsRune(v, 0):
				return "", fmt.Errorf("a value has a null character, which a command line cannot contain; use {{.File}}")
			}
			name := fmt.Sprintf("BUGLE_VALUE_%d", len(env)+1)
			env = append(env, name+"="+v)
			words = append(words, `"$`+name+`"`)
		}
		return strings.Join(words, " "), nil
	})
	return text, env, err
}

// fill returns the text of a template, with values as write spells them.
func (s script) fill(d Data, write func(any) (string, error)) (string, error) {
	e := evaluation{dot: d, variables: []variable{{"$", d}}, write: write}
	if !s.empty() {
		if err := e.node(s.root); err != nil {
			return "", err
		}
	}
	return e.out.String(), nil
}

// usage collects the fields of [Data] that a template uses.
type usage struct {
	prompts []Prompt
	names   []string
	err     error
}

// node reads a node; top reports whether the dot is the data.
func (u *usage) node(n parse.Node, top bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, c := range n.Nodes {
			u.node(c, top)
		}
	case *parse.ActionNode:
		u.node(n.Pipe, top)
	case *parse.IfNode:
		u.branch(&n.BranchNode, top, top)
	case *parse.RangeNode:
		u.branch(&n.BranchNode, top, false)
	case *parse.WithNode:
		u.branch(&n.BranchNode, top, false)
	case *parse.PipeNode:
		if n == nil {
			return
		}
		for _, c := range n.Cmds {
			for _, a := range c.Args {
				u.node(a, top)
			}
		}
	case *parse.ChainNode:
		u.node(n.Node, top)
	case *parse.TemplateNode, *parse.BreakNode, *parse.ContinueNode:
		u.fail(n.Position(), "%s cannot be used here", n)
	case *parse.DotNode:
		if top {
			u.fail(n.Position(), "{{.}} has a value only in range and with")
		}
	case *parse.FieldNode:
		if top {
			u.field(n.Ident, n.Position())
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			u.field(n.Ident[1:], n.Position())
		}
	}
}

func (u *usage) branch(b *parse.BranchNode, top, inside bool) {
	u.node(b.Pipe, top)
	u.node(b.List, inside)
	u.node(b.ElseList, top)
}

func (u *usage) fail(at parse.Pos, format string, args ...any) {
	if u.err == nil {
		u.err = &templateError{int(at), fmt.Sprintf(format, args...)}
	}
}

func (u *usage) field(path []string, at parse.Pos) {
	if dataFields[path[0]] == nil {
		u.fail(at, "there is no {{.%s}}; use %s", path[0], "{{."+strings.Join(slices.Sorted(maps.Keys(dataFields)), "}}, {{.")+"}}")
		return
	}
	if path[0] == "Prompt" && len(path) > 1 && !slices.ContainsFunc(u.prompts, func(p Prompt) bool { return p.Name == path[1] }) {
		u.fail(at, "{{.Prompt.%s}} has no prompt of that name", path[1])
	}
	if !slices.Contains(u.names, path[0]) {
		u.names = append(u.names, path[0])
	}
}

// shellText follows the text of a template as the shell reads it. It refuses values where the shell would not take them
// as a word. It need not be exact, because
// the values are not part of the text.
type shellText struct {
	quotes  []rune // the open quotes, and ( for a command substitution in one
	comment bool
	escaped bool
	last    rune // the last character; 0 at the beginning
}

func (s *shellText) list(l *parse.ListNode) error {
	if l == nil {
		return nil
	}
	for _, n := range l.Nodes {
		if err := s.node(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *shellText) node(n parse.Node) error {
	switch n := n.(type) {
	case *parse.TextNode:
		for _, r := range string(n.Text) {
			s.read(r)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) > 0 {
			return nil
		}
		if why := s.refusal(); why != "" {
			return &templateError{int(n.Position()), n.String() + " is " + why}
		}
		s.last, s.escaped = 'x', false
	case *parse.IfNode:
		return s.branch(&n.BranchNode)
	case *parse.RangeNode:
		return s.branch(&n.BranchNode)
	case *parse.WithNode:
		return s.branch(&n.BranchNode)
	}
	return nil
}

func (s *shellText) branch(b *parse.BranchNode) error {
	other := *s
	other.quotes = slices.Clone(s.quotes)
	if err := other.list(b.ElseList); err != nil {
		return err
	}
	return s.list(b.List)
}

// refusal returns why no value can be here.
func (s *shellText) refusal() string {
	switch {
	case s.comment:
		return "in a comment of the shell"
	case s.open() == '\'' || s.open() == '"':
		return "in quotes; remove them, because values are quoted already"
	case s.open() == '`':
		return "in backquotes; use $(…) instead"
	case s.escaped || s.last == '$':
		return fmt.Sprintf("after %c, which would change how it is read", s.last)
	}
	return ""
}

// open returns the innermost open quote; 0 if there is none.
func (s *shellText) open() rune {
	if len(s.quotes) == 0 {
		return 0
	}
	return s.quotes[len(s.quotes)-1]
}

func (s *shellText) read(r rune) {
	before, escaped := s.last, s.escaped
	s.last, s.escaped = r, false
	open := s.open()
	switch {
	case s.comment:
		s.comment = r != '\n'
	case escaped:
		s.last = 'x'
	case r == '\\' && open != '\'':
		s.escaped = true
	case open == '\'' && r != '\'':
	case r == open && open != '(', r == ')' && open == '(':
		s.quotes = s.quotes[:len(s.quotes)-1]
	case r == '(' && (before == '$' || open == '('):
		s.quotes = append(s.quotes, '(')
	case r == '"' || r == '`' || r == '\'' && open != '"':
		s.quotes = append(s.quotes, r)
	case r == '#' && open != '"' && strings.ContainsRune("\x00 \t\n;&|()", before):
		s.comment = true
	}
}

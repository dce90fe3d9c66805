package commands

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// script is a template over [Data].
type script struct {
	tmpl  *template.Template // nil if it is empty
	names []string           // the fields of Data that it uses
}

func (s script) empty() bool { return s.tmpl == nil }

// templateError is an error in a template, with its offset in the text.
type templateError struct {
	offset int
	text   string
}

func (e *templateError) Error() string { return e.text }

// dataFields are the fields that a template can use.
var dataFields = []string{"ID", "Name", "Channel", "Status", "IDs", "Field", "Value", "File", "Prompt"}

// passName is the function through which every value of a shell template goes. Users have no reason to call it.
const passName = "_pass"

// parseScript parses the template of a shell command, whose values are passed in the environment.
func parseScript(text string, prompts []Prompt) (script, error) {
	s, err := parseTemplate(text, prompts)
	if err != nil {
		return s, err
	}
	for _, t := range s.tmpl.Templates() {
		var shell shellText
		if err := shell.list(t.Root); err != nil {
			return script{}, err
		}
	}
	return s, nil
}

// parseTemplate parses a template whose values are plain text.
func parseTemplate(text string, prompts []Prompt) (script, error) {
	t, err := template.New("command").Option("missingkey=error").Funcs(template.FuncMap{passName: fmt.Sprint}).Parse(text)
	if err != nil {
		return script{}, &templateError{text: strings.TrimPrefix(err.Error(), "template: command:")}
	}
	s := script{tmpl: t}
	for _, of := range t.Templates() {
		u := usage{prompts: prompts, names: s.names}
		if u.node(of.Root, true); u.err != nil {
			return script{}, u.err
		}
		s.names = u.names
	}
	return s, nil
}

// plain returns the text of a template with the values in it.
func (s script) plain(d Data) (string, error) {
	if s.empty() {
		return "", nil
	}
	var b strings.Builder
	err := s.tmpl.Execute(&b, d)
	return b.String(), err
}

// maxVariable is the size of the longest value in the environment; the system's limit is 128 KB.
const maxVariable = 120_000

// shell returns the text for the shell, and the values as variables of the environment.
func (s script) shell(d Data) (text string, env []string, err error) {
	t, err := s.tmpl.Clone()
	if err != nil {
		return "", nil, err
	}
	pass := func(value any) (string, error) {
		values := []string{}
		switch v := value.(type) {
		case string:
			values = append(values, v)
		case []string:
			values = v
		default:
			values = append(values, fmt.Sprint(v))
		}
		words := make([]string, len(values))
		for i, v := range values {
			switch {
			case len(v) > maxVariable:
				return "", fmt.Errorf("a value is too long for a command line; use {{.File}}")
			case strings.ContainsRune(v, 0):
				return "", fmt.Errorf("a value has a null character, which a command line cannot contain; use {{.File}}")
			}
			name := fmt.Sprintf("BUGLE_VALUE_%d", len(env)+1)
			env = append(env, name+"="+v)
			words[i] = `"$` + name + `"`
		}
		return strings.Join(words, " "), nil
	}
	var b strings.Builder
	if err := t.Funcs(template.FuncMap{passName: pass}).Execute(&b, d); err != nil {
		return "", nil, runError(err)
	}
	return b.String(), env, nil
}

// runError returns the cause of an error of a template, without its position.
func runError(err error) error {
	for {
		next, ok := err.(interface{ Unwrap() error })
		if !ok || next.Unwrap() == nil {
			return err
		}
		err = next.Unwrap()
	}
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
	case *parse.TemplateNode:
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

func (u *usage) field(path []string, at parse.Pos) {
	fail := func(format string, args ...any) {
		if u.err == nil {
			u.err = &templateError{int(at), fmt.Sprintf(format, args...)}
		}
	}
	if !slices.Contains(dataFields, path[0]) {
		fail("there is no {{.%s}}; use %s", path[0], "{{."+strings.Join(dataFields, "}}, {{.")+"}}")
		return
	}
	if path[0] == "Prompt" && len(path) > 1 && !slices.ContainsFunc(u.prompts, func(p Prompt) bool { return p.Name == path[1] }) {
		fail("{{.Prompt.%s}} has no prompt of that name", path[1])
	}
	if !slices.Contains(u.names, path[0]) {
		u.names = append(u.names, path[0])
	}
}

// shellText follows the text of a template as the shell reads it, and sends the values in it through the function
// that passes them. It refuses values where the shell would not take them as a word. It need not be exact, because
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
		pass := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{parse.NewIdentifier(passName).SetPos(n.Pos)}}
		n.Pipe.Cmds = append(n.Pipe.Cmds, pass)
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

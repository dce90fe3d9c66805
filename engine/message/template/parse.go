package template

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MaxSource limits the bytes of one template.
const MaxSource = 256 << 10

// Template is a parsed template. It does not change.
type Template struct {
	src  string
	body []Node
}

// templates keeps the newest templates parsed, because a send fills the same few texts for many users. When it is
// full it is cleared, which is cheaper than tracking usage.
var templates = struct {
	sync.Mutex
	known map[string]*Template
	held  int // bytes of their sources, which take a few times as much
}{known: map[string]*Template{}}

const maxCached = 1 << 20

// Parse reads a template and checks it as far as that is possible without data: syntax, and the names and
// arguments of functions. The error is an *[Error].
func Parse(src string) (*Template, error) {
	if len(src) > MaxSource {
		return nil, &Error{Message: fmt.Sprintf("the text is %d KiB long, at most %d KiB are allowed", len(src)>>10, MaxSource>>10)}
	}
	templates.Lock()
	t := templates.known[src]
	templates.Unlock()
	if t != nil {
		return t, nil
	}
	p := &parser{src: src}
	t, err := p.parse()
	if err == nil {
		templates.Lock()
		defer templates.Unlock()
		if templates.held += len(src); templates.held > maxCached {
			clear(templates.known)
			templates.held = len(src)
		}
		templates.known[src] = t
	}
	return t, err
}

// parser follows the parser of Jinja 3.1. Its methods end with an *[Error] as [must] does.
type parser struct {
	src      string
	parts    []Part
	next     int             // of parts
	toks     []token         // of the tag that is read
	at       int             // in toks
	open     []token         // the names of the statements that are not ended yet
	brackets int             // that are open
	set      map[string]bool // the names that the template sets
	calls    []*Call         // of names
}

func (p *parser) parse() (t *Template, err error) {
	err = caught(func() {
		p.parts = slices.Collect(Parts(p.src))
		p.set = map[string]bool{"loop": true, "caller": true}
		body, _ := p.body()
		for _, c := range p.calls {
			if name := c.X.(*Name); !p.set[name.Name] {
				p.check(GlobalKind, name.Name, name.Start, c.Args)
			}
		}
		t = &Template{p.src, body}
	})
	return t, err
}

// body reads until one of the statements ends and returns its name. What comes after the name is not read.
func (p *parser) body(ends ...string) (list []Node, end string) {
	list = []Node{}
	for p.next < len(p.parts) {
		part := p.parts[p.next]
		p.next++
		switch part.Kind {
		case TextPart, RawPart:
			list = p.text(list, part)
		case OutputPart:
			p.lex(part)
			x := p.tuple(p.cond)
			p.end()
			list = append(list, &Output{Span: part.Span, X: x})
		case StatementPart:
			p.lex(part)
			name := p.tok()
			if name.kind != nameToken {
				p.fail(name.Start, "write if, for or set", "the name of a statement is missing")
			}
			p.at++
			if slices.Contains(ends, name.text) {
				return list, name.text
			}
			list = append(list, p.statement(name, part))
		}
	}
	if len(p.open) > 0 {
		last := p.open[len(p.open)-1]
		p.fail(last.Start, "", "this block is never closed: %s is missing", ends[len(ends)-1])
	}
	return list, ""
}

// text appends a text without the white space that the tags beside it remove.
func (p *parser) text(list []Node, part Part) []Node {
	if at := tagStart(p.src, part.Start); at < part.End && part.Kind == TextPart {
		closing := closings[strings.IndexByte(openings, p.src[at+1])]
		longer := ""
		if strings.Index(p.src[at+2:], closing) > longestTag-4 {
			longer = fmt.Sprintf(", or longer than %d KiB", longestTag>>10)
		}
		p.fail(at, "close it with "+closing, "this %s is not closed%s", p.src[at:at+2], longer)
	}
	s := part.Source
	if p.next > 1 {
		if tag := p.parts[p.next-2].Source; len(tag) > 5 && tag[len(tag)-3] == '-' {
			s = strings.TrimLeftFunc(s, isSpace)
		}
	}
	if p.next < len(p.parts) && p.parts[p.next].Source[2] == '-' {
		s = strings.TrimRightFunc(s, isSpace)
	}
	return append(list, &Text{part.Span, s})
}

// statement reads a statement, behind whose name it is.
func (p *parser) statement(name token, tag Part) (n Node) {
	if len(p.open) == maxNesting {
		p.fail(name.Start, "", "blocks are nested deeper than %d", maxNesting)
	}
	p.open = append(p.open, name)
	switch name.text {
	case "if":
		n = p.ifStatement(tag.Span)
	case "for":
		n = p.forStatement()
	case "set":
		n = p.setStatement(tag.Span)
	case "call":
		n = p.callStatement(tag.Span)
	case "with":
		n = p.withStatement()
	case "raw":
		n = &Text{}
		if body := p.closed("endraw"); len(body) > 0 {
			n = body[0]
		}
	case "macro":
		name, ok := p.target(p.primary()).(*Name)
		if !ok {
			p.unexpected("a name")
		}
		n = &Set{Target: name, X: p.macro(tag.Span, name.Name, p.params(), "endmacro")}
	case "filter":
		text := &Captured{Span: tag.Span}
		n = &Output{X: p.filters(p.filter(text, tag.Start), tag.Start)}
		text.Body = p.closed("endfilter")
	case "autoescape":
		n = &With{Autoescape: p.cond(), Body: p.closed("endautoescape")}
	case "do":
		n = &Set{X: p.tuple(p.cond)}
	default:
		hint := "use if, for, set, with, raw, macro, call, filter, autoescape or do"
		ends := strings.HasPrefix(name.text, "end") || strings.HasPrefix(name.text, "el")
		if outer := len(p.open) - 2; ends && outer >= 0 {
			hint = "the open block ends with {% end" + p.open[outer].text + " %}"
		} else if ends {
			hint = "there is no open block to close"
		}
		p.fail(name.Start, cmp.Or(hints["{% "+name.text], hint), "{%% %s %%} is not allowed here", shorten(name.text))
	}
	p.end()
	p.open = p.open[:len(p.open)-1]
	n.setPlace(Span{tag.Start, p.parts[p.next-1].End})
	return n
}

// since returns the span from start to the last token that was read.
func (p *parser) since(start int) Span { return Span{start, p.toks[p.at-1].End} }

// block reads the rest of a tag, and the body up to one of the ends.
func (p *parser) block(ends ...string) ([]Node, string) {
	p.take(":") // as in Python
	p.end()
	return p.body(ends...)
}

// closed reads the rest of a tag, and the body up to the tag that ends it.
func (p *parser) closed(end string) []Node {
	body, _ := p.block(end)
	return body
}

func (p *parser) ifStatement(tag Span) Node {
	n := &If{}
	for end := "elif"; end != "endif"; tag = p.parts[p.next-1].Span {
		b := Branch{Span: tag}
		if end == "elif" {
			b.Cond = p.tuple(p.or)
			b.Body, end = p.block("elif", "else", "endif")
		} else if p.is("if") {
			p.fail(p.tok().Start, "write elif", "else takes no condition")
		} else {
			b.Body, end = p.block("endif")
		}
		n.Branches = append(n.Branches, b)
	}
	return n
}

func (p *parser) forStatement() Node {
	n := &For{Target: p.target(p.tuple(p.primary))}
	p.expect("in")
	n.X = p.tuple(p.or, "recursive")
	if p.take("if") {
		n.Cond = p.cond()
	}
	n.Recursive = p.take("recursive")
	var end string
	if n.Body, end = p.block("else", "endfor"); end == "else" {
		n.Else = p.closed("endfor")
	}
	return n
}

func (p *parser) setStatement(tag Span) Node {
	n := &Set{Target: p.target(p.tuple(p.unary))}
	if p.take("=") {
		n.X = p.tuple(p.cond)
		return n
	}
	text := &Captured{Span: tag}
	n.X = p.filters(text, tag.Start)
	text.Body = p.closed("endset")
	return n
}

func (p *parser) callStatement(tag Span) Node {
	var params []Arg
	if p.is("(") {
		params = p.params()
	}
	at := p.tok().Start
	call, ok := p.cond().(*Call)
	if !ok {
		p.fail(at, "write {% call name() %}", "call takes the call of a macro")
	}
	call.Args = append(call.Args, Arg{Name: "caller", X: p.macro(tag, "caller", params, "endcall")})
	return &Output{X: call}
}

func (p *parser) withStatement() Node {
	n := &With{}
	for p.tok().kind != endToken && !p.is(":") {
		if len(n.Vars) > 0 {
			p.expect(",")
		}
		target := p.target(p.tuple(p.primary))
		p.expect("=")
		n.Vars = append(n.Vars, &Set{Target: target, X: p.cond()})
	}
	n.Body = p.closed("endwith")
	return n
}

// macro reads the body of a macro.
func (p *parser) macro(tag Span, name string, params []Arg, end string) *Macro {
	m := &Macro{tag, name, params, p.closed(end)}
	m.End = p.parts[p.next-1].End
	return m
}

// params reads the parameters of a macro, which are written as arguments: a, b=1.
func (p *parser) params() []Arg {
	list := p.args()
	for i, a := range list {
		name, isName := a.X.(*Name)
		if a.Name == "" && !isName {
			p.fail(a.X.Place().Start, "write names, and name=value for one with a default", "this is not a parameter")
		}
		if a.Name == "" {
			list[i] = Arg{Name: name.Name}
		}
		p.set[list[i].Name] = true
	}
	return list
}

// target returns what a statement assigns to: a name, a tuple of names, or an attribute of a name.
func (p *parser) target(x Expr) Expr {
	switch x := x.(type) {
	case *Name:
		p.set[x.Name] = true
		return x
	case *Member:
		if _, ok := x.X.(*Name); ok && x.Dot {
			return x
		}
	case *Operation:
		if x.Op == "()" {
			for _, item := range x.Operands {
				p.target(item)
			}
			return x
		}
	}
	at := x.Place()
	p.fail(at.Start, "use another name", "%q is not a name", shorten(p.src[at.Start:at.End]))
	return nil
}

// ident reads any name.
func (p *parser) ident() token {
	if p.tok().kind != nameToken {
		p.unexpected("a name")
	}
	p.at++
	return p.toks[p.at-1]
}

// The expressions, from those that bind loosest.

// tuple reads an expression, or several with commas, which are a tuple.
func (p *parser) tuple(item func() Expr, ends ...string) Expr {
	start := p.tok().Start
	x := item()
	if !p.is(",") {
		return x
	}
	items := []Expr{x}
	for p.take(",") && p.tok().kind != endToken && !p.is(")") && !p.is(ends...) {
		items = append(items, item())
	}
	return &Operation{p.since(start), "()", items}
}

// cond reads an expression: Then if If else Else.
func (p *parser) cond() Expr {
	start := p.tok().Start
	x := p.or()
	for p.take("if") {
		condition, otherwise := p.or(), Expr(nil)
		if p.take("else") {
			otherwise = p.cond()
		}
		x = &Operation{p.since(start), "if", []Expr{x, condition, otherwise}}
	}
	return x
}

func (p *parser) or() Expr { return p.binary(0) }

// levels are the operators of two operands, from those that bind loosest. Those of a level are read from left to
// right; not binds like its level, and comparisons are chains.
var levels = [...][]string{
	{"or"}, {"and"}, {"not"}, {"==", "!=", "<", "<=", ">", ">=", "in", "not"}, {"+", "-"}, {"~"}, {"*", "/", "//", "%"}, {"**"},
}

const notLevel, compareLevel = 2, 3

func (p *parser) binary(level int) Expr {
	start := p.tok().Start
	if level == len(levels) {
		return p.filtered()
	}
	if level == notLevel {
		if !p.take("not") {
			return p.binary(level + 1)
		}
		x := p.binary(level)
		return &Operation{p.since(start), "not", []Expr{x}}
	}
	x := p.binary(level + 1)
	var ops []string // of a comparison
	var more []Expr
	for p.is(levels[level]...) {
		op := p.tok().text
		if op == "not" {
			if p.toks[p.at+1].text != "in" {
				break
			}
			op = "not in"
			p.at++
		}
		p.at++
		y := p.binary(level + 1)
		if level == compareLevel {
			ops, more = append(ops, op), append(more, y)
		} else {
			x = &Operation{p.since(start), op, []Expr{x, y}}
		}
	}
	if ops != nil {
		return &Compare{p.since(start), ops, append([]Expr{x}, more...)}
	}
	return x
}

// filtered reads an operand with the filters and tests that follow it.
func (p *parser) filtered() Expr {
	start := p.tok().Start
	x := p.unary()
	for {
		switch {
		case p.is("|"):
			x = p.filters(x, start)
		case p.take("is"):
			x = p.test(x, start)
		case p.is("("):
			x = p.call(x, start)
		default:
			return x
		}
	}
}

func (p *parser) unary() Expr {
	t := p.tok()
	if p.take("-") || p.take("+") {
		x := p.unary()
		return p.postfix(&Operation{p.since(t.Start), t.text, []Expr{x}}, t.Start)
	}
	return p.postfix(p.primary(), t.Start)
}

func (p *parser) postfix(x Expr, start int) Expr {
	for {
		switch {
		case p.is("("):
			x = p.call(x, start)
		case p.take("["):
			x = p.subscript(x, start)
		case p.take("."):
			if p.tok().kind == numberToken {
				key := p.primary()
				x = &Member{p.since(start), x, key, false}
			} else {
				key := p.ident()
				x = &Member{p.since(start), x, &Literal{key.Span, key.text}, true}
			}
		default:
			return x
		}
	}
}

// subscript reads what is between brackets.
func (p *parser) subscript(x Expr, start int) Expr {
	at, n, bounds := p.tok().Start, 0, make([]Expr, 3)
	for ; n < 3 && (n == 0 || p.take(":")); n++ {
		if !p.is(":", "]") {
			bounds[n] = p.cond()
		}
	}
	key := bounds[0]
	switch step, ok := bounds[2].(*Literal); {
	case ok && step.Value == 0:
		p.fail(step.Start, "", "the step of a slice cannot be 0")
	case n > 1:
		key = &Operation{p.since(at), "[:]", bounds}
	case key == nil:
		p.unexpected("a name or a number")
	}
	p.expect("]")
	return &Member{p.since(start), x, key, false}
}

func (p *parser) call(f Expr, start int) Expr {
	args := p.args()
	c := &Call{p.since(start), f, args}
	switch f := f.(type) {
	case *Name:
		p.calls = append(p.calls, c)
	case *Member:
		if from, ok := f.X.(*Name); f.Dot && (!ok || from.Name != string(apiRoot)) {
			p.check(MethodKind, f.Key.(*Literal).Value.(string), f.Key.Place().Start, args)
		}
	}
	return c
}

// named are the filters that take the name of a filter or test, and which of their arguments it is.
var named = map[string]struct {
	kind Kind
	at   int
}{"map": {FilterKind, 0}, "select": {TestKind, 0}, "reject": {TestKind, 0}, "selectattr": {TestKind, 1}, "rejectattr": {TestKind, 1}}

// check looks a name and its arguments up in the tables of functions.
func (p *parser) check(kind Kind, name string, at int, args []Arg) {
	var names []string
	for _, a := range args {
		if a.Name != "" {
			names = append(names, a.Name)
		}
	}
	if err := checkCall(kind, name, len(args)-len(names), names); err != nil {
		p.fail(at, "", "%s", err)
	}
	if n, ok := named[name]; ok && kind == FilterKind && n.at < len(args) {
		if inner, ok := args[n.at].X.(*Literal); ok && args[n.at].Name == "" {
			if name, ok := inner.Value.(string); ok {
				p.check(n.kind, name, inner.Start, args[n.at+1:])
			}
		}
	}
}

// list reads items with commas up to the bracket that ends them.
func (p *parser) list(end string, item func()) {
	for more := true; more && !p.is(end); more = p.take(",") {
		item()
	}
	p.expect(end)
}

// args reads arguments in parentheses.
func (p *parser) args() (list []Arg) {
	p.expect("(")
	named := false
	p.list(")", func() {
		at, a := p.tok(), Arg{}
		if at.kind == nameToken && p.toks[p.at+1].text == "=" {
			a.Name, named = at.text, true
			p.at += 2
		} else if named {
			p.fail(at.Start, "write arguments with a name last", "this argument cannot be in this place")
		}
		a.X = p.cond()
		list = append(list, a)
	})
	return list
}

func (p *parser) filters(x Expr, start int) Expr {
	for p.take("|") {
		x = p.filter(x, start)
	}
	return x
}

// filter reads the name of a filter and its arguments.
func (p *parser) filter(x Expr, start int) Expr {
	name, args := p.ident(), []Arg(nil)
	if p.is("(") {
		args = p.args()
	}
	if p.is(".", "[") {
		p.fail(p.tok().Start, "put what is filtered in parentheses: (x|"+shorten(name.text)+").name", "a filter has no attributes")
	}
	p.check(FilterKind, name.text, name.Start, args)
	return &Filter{p.since(start), x, lookUp(FilterKind, "", name.text), name.text, args}
}

// test reads a test, behind its is.
func (p *parser) test(x Expr, start int) Expr {
	not := p.take("not")
	name, args := p.ident(), []Arg(nil)
	switch next := p.tok(); {
	case p.is("("):
		args = p.args()
	case p.is("is"):
		p.fail(next.Start, "join tests with and", "a test cannot follow a test")
	case p.is("[", "{") || next.kind != endToken && next.kind != operatorToken && !p.is("else", "or", "and"):
		args = []Arg{{X: p.postfix(p.primary(), next.Start)}}
	}
	p.check(TestKind, name.text, name.Start, args)
	x = &Filter{p.since(start), x, lookUp(TestKind, "", name.text), name.text, args}
	if not {
		x = &Operation{p.since(start), "not", []Expr{x}}
	}
	return x
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

// keywords cannot stand for a value.
var keywords = map[string]bool{"and": true, "or": true, "not": true, "in": true, "is": true, "if": true, "else": true, "elif": true}

func (p *parser) primary() Expr {
	t := p.tok()
	switch value, constant := constants[t.text]; {
	case p.take("("):
		if p.take(")") {
			return &Operation{Span: p.since(t.Start), Op: "()"}
		}
		x := p.tuple(p.cond)
		p.expect(")")
		return x
	case p.take("["):
		var items []Expr
		p.list("]", func() { items = append(items, p.cond()) })
		return &Operation{p.since(t.Start), "[]", items}
	case p.take("{"):
		var pairs []Expr
		p.list("}", func() {
			key := p.cond()
			p.expect(":")
			pairs = append(pairs, key, p.cond())
		})
		return &Operation{p.since(t.Start), "{}", pairs}
	case t.kind == stringToken:
		text := ""
		for ; p.tok().kind == stringToken; p.at++ {
			text += p.tok().value.(string)
		}
		return &Literal{p.since(t.Start), text}
	case constant:
		p.at++
		return &Literal{t.Span, value}
	case t.kind == numberToken:
		p.at++
		return &Literal{t.Span, t.value}
	case t.kind == nameToken && !keywords[t.text]:
		p.at++
		return &Name{t.Span, t.text}
	}
	p.unexpected("a value")
	return nil
}

func (p *parser) tok() token { return p.toks[p.at] }

// is reports whether the next token is one of these names or operators.
func (p *parser) is(texts ...string) bool {
	return p.tok().kind != endToken && slices.Contains(texts, p.tok().text)
}

// take reads the next token if it is this name or operator.
func (p *parser) take(text string) bool {
	switch {
	case !p.is(text):
		return false
	case strings.Contains("([{", text):
		if p.brackets++; p.brackets > maxNesting {
			p.fail(p.tok().Start, "", "brackets are nested deeper than %d", maxNesting)
		}
	case strings.Contains(")]}", text):
		p.brackets--
	}
	p.at++
	return true
}

func (p *parser) expect(text string) {
	if !p.take(text) {
		p.unexpected(strconv.Quote(text))
	}
}

// end reads the end of a tag.
func (p *parser) end() {
	if p.tok().kind != endToken {
		p.unexpected("")
	}
}

const contentHint = "write shared content as {{ ContentBlock['name'] }}"

// hints say what to write in place of characters, of what other languages have, and of their statements.
var hints = map[string]string{
	"&": "join conditions with and; type a character that an editor has written as HTML, such as &quot; for a quote", "&&": "write and", "||": "write or", "!": "write not",
	"$": "write the name without $ and more braces", "?": "write {{ a if condition else b }}", "}": "write an expression in two braces",
	"=": "compare with ==", "<>": "compare with !=", "eq": "compare with ==", "ne": "compare with !=", "gt": "compare with >", "lt": "compare with <",
	"AND": "write and", "OR": "write or", "NOT": "write not", "IF": "write if", "ELSE": "write else", "IN": "write in",
	"contains": "write 'part' in text", "then": "delete then",

	"{% include": contentHint, "{% extends": contentHint, "{% import": contentHint, "{% from": contentHint, "{% block": contentHint, "{% print": "write {{ … }}",
	"{% elseif": "write elif", "{% elsif": "write elif", "{% assign": "write {% set name = value %}", "{% capture": "write {% set name %}…{% endset %}",
	"{% unless": "write {% if not … %}", "{% case": "write {% if … == … %}…{% elif … == … %}", "{% comment": "write {# … #}",
}

// unexpected reports that want is missing, or that something is in the wrong place.
func (p *parser) unexpected(want string) {
	t, before := p.tok(), token{}
	if p.at > 0 {
		before = p.toks[p.at-1]
	}
	hint := cmp.Or(hints[before.text+t.text], hints[t.text])
	switch {
	case t.kind == endToken && want == "a value" && p.at == 0:
		p.fail(t.Start, "", "there is nothing between the braces")
	case t.kind == endToken && strings.ContainsAny(want, ")]}"):
		tag := p.parts[p.next-1].Source
		p.fail(t.Start, "", "%s is missing before %q", want, tag[len(tag)-2:])
	case p.brackets == 0 && t.text != "" && strings.Contains(")]}", t.text):
		p.fail(t.Start, "", "%q does not close anything here", t.text)
	case t.kind == endToken:
		p.fail(t.Start, "", "this expression is not finished: %s is missing", want)
	case t.text == ":" && before.kind == nameToken:
		hint = "write arguments in parentheses, as in |default('a')"
	case hint != "":
	case (want == "" || want == "a value" || want == `"]"`) && t.kind == nameToken && before.kind == nameToken && !keywords[t.text] && !keywords[before.text]:
		hint = "write a name with a space as UserAttribute['First Name']"
	case want != "" && want != "a value":
		hint = want + " is missing before it"
	}
	p.fail(t.Start, hint, "%q is not expected here", shorten(t.text))
}

func shorten(s string) string {
	const most = 120
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

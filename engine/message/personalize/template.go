package personalize

import (
	"errors"
	"fmt"
	"math/big"
	"sort"
	"strings"

	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/loaders"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// template is a checked template: all structures, filters and tests exist.
type template struct {
	*source
	block  string // name of the content block, or "" for the message itself
	tokens []*tokens.Token
	root   *nodes.Template
	large  map[*tokens.Token]*big.Int // whole numbers that do not fit an int
}

// block is a structure with the offset of its arguments and the offset after its end tag: a preview shows the
// whole structure if it cannot be evaluated.
type block struct {
	nodes.ControlStructure
	at, end int
}

func compile(src string) (t *template, err error) {
	s, err := scan(src)
	if err != nil {
		return nil, err
	}
	c := &compiler{source: s}
	// gonja's parser runs off the end of some unfinished expressions.
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, s.errorAt(c.last, "", "this expression is not finished, or its parts are in the wrong order")
		}
	}()
	return c.compile()
}

type compiler struct {
	*source
	depth int
	last  int // offset of the current tag, for errors without a position
}

func (c *compiler) compile() (*template, error) {
	cfg := config.New()
	cfg.KeepTrailingNewline = true
	t := &template{source: c.source, large: map[*tokens.Token]*big.Int{}}
	for stream := tokens.LexAll(c.clean, cfg); ; stream.Next() {
		tok := stream.Current()
		if tok.Type == tokens.Error {
			return nil, c.errorAt(tok.Pos, "", "this cannot be read: %s", shorten(tok.Val))
		}
		t.tokens = append(t.tokens, tok)
		if err := t.enlarge(tok); err != nil {
			return nil, err
		}
		if tok.Type == tokens.EOF {
			break
		}
	}
	loader, err := loaders.NewMemoryLoader(map[string]string{})
	if err != nil {
		return nil, fmt.Errorf("template loader: %w", err)
	}
	p := parser.NewParser("message", tokens.NewStream(t.tokens), cfg, loader, c.structures())
	if t.root, err = p.Parse(); err != nil {
		return nil, c.syntaxError(err)
	}
	return t, c.check(t)
}

// enlarge makes the parser, which parses numbers as ints, treat a larger one as a fraction; t.large has its
// real value.
func (t *template) enlarge(tok *tokens.Token) error {
	if tok.Type != tokens.Integer {
		return nil
	}
	i, ok := new(big.Int).SetString(strings.ReplaceAll(tok.Val, "_", ""), 0)
	if !ok || i.IsInt64() {
		return nil
	}
	if i.BitLen() > maxBits {
		return t.errorAt(tok.Pos, "", "a number has more than %d digits", MaxDigits)
	}
	tok.Type, tok.Val = tokens.Float, "0.0"
	t.large[tok] = i
	return nil
}

// structures are the parsers of structures, by their names.
type structures map[string]parser.ControlStructureParser

// Get returns the parser of a structure.
func (s structures) Get(name string) (parser.ControlStructureParser, bool) {
	parse, ok := s[name]
	return parse, ok
}

// structures returns the supported structures. include, extends and import would read files, and macros and
// recursive loops might not end.
func (c *compiler) structures() structures {
	set := structures{"if": c.parseIf, "for": c.parseFor, "set": c.parseSet, "with": c.parseWith, "raw": c.parseRaw}
	for name, parse := range set {
		set[name] = func(p, args *parser.Parser) (nodes.ControlStructure, error) {
			at := args.Current().Pos
			c.last = at
			if c.depth++; c.depth > maxNesting {
				return nil, c.errorAt(c.last, "", "blocks are nested deeper than %d", maxNesting)
			}
			defer func() { c.depth-- }()
			node, err := parse(p, args)
			if err != nil {
				c.last = at
				return nil, c.syntaxError(err)
			}
			return &block{ControlStructure: node, at: at, end: p.Current().Pos}, nil
		}
	}
	return set
}

// syntaxError converts gonja's error: it adds the position in the original source and replaces the parser's
// wording.
func (c *compiler) syntaxError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	pos, message, raw := c.last, err.Error(), ""
	var syntax *parser.SyntaxError
	if errors.As(err, &syntax) {
		message, raw = syntax.Message, syntax.Raw
		if syntax.Line > 0 {
			pos = c.offset(syntax.Line, syntax.Column)
		} else {
			pos = len(c.clean)
		}
	}
	if name, ok := strings.CutPrefix(message, "ControlStructure '"); ok {
		name, _, _ = strings.Cut(name, "'")
		return c.errorAt(pos, structureHint(name), "{%% %s %%} is not allowed here", shorten(name))
	}
	if what, ok := strings.CutPrefix(message, "Unexpected EOF, expected tag "); ok && what != "" {
		tags := strings.Fields(strings.TrimSuffix(what, ".")) // elif or else or endif
		return c.errorAt(c.last, "", "this block is never closed: %s is missing", tags[len(tags)-1])
	}
	hint := ""
	if strings.Contains(message, "' expected here") && raw != "" {
		message = fmt.Sprintf("%q is not expected here", shorten(raw))
		hint = "write a name with a space as UserAttribute['First Name']"
	}
	return c.errorAt(pos, hint, "%s", shorten(message))
}

func structureHint(name string) string {
	switch name {
	case "include", "extends", "import", "from", "block", "macro", "call":
		return "write shared content as {{ContentBlock['name']}}"
	case "else", "elif", "endif", "endfor", "endset", "endwith", "endraw":
		return "there is no open block to close"
	}
	return "use if, for, set, with or raw"
}

// check walks the whole tree, because gonja only finds unknown filters while rendering, and their line may
// depend on a rare condition.
func (c *compiler) check(t *template) error {
	var found *Error
	c.last = 0
	walk(t.root, func(n nodes.Node, filters []*nodes.FilterCall) {
		if n == nil && found == nil {
			found = c.errorAt(c.last, "", "an expression here is not finished")
		}
		if b, ok := n.(*block); ok {
			c.last = b.at
		}
		for _, f := range filters {
			if found == nil && !knownFilter(f.Name) {
				found = c.errorAt(f.Token.Pos, nearest(f.Name, FilterNames()), "there is no filter %q", shorten(f.Name))
			}
		}
		if test, ok := n.(*nodes.TestExpression); ok && found == nil && !knownTest(test.Test.Name) {
			found = c.errorAt(test.Test.Token.Pos, nearest(test.Test.Name, sortedKeys(tests)), "there is no test %q", shorten(test.Test.Name))
		}
		if loop, ok := asFor(n); ok && found == nil && loop.recursive {
			found = c.errorAt(c.last, "", "recursive loops are not available")
		}
	})
	if found != nil {
		return found
	}
	return nil
}

// chain returns the source of the access chain at pos: a name with its dots and brackets, and its filters if
// filters is set.
func (t *template) chain(pos int, filters bool) string {
	i := sort.Search(len(t.tokens), func(i int) bool { return t.tokens[i].Pos >= pos })
	if i >= len(t.tokens) {
		return ""
	}
	end, depth := pos, 0
	for ; i < len(t.tokens); i++ {
		tok := t.tokens[i]
		switch tok.Type {
		case tokens.LeftBracket, tokens.LeftParenthesis, tokens.LeftBrace:
			depth++
		case tokens.RightBracket, tokens.RightParenthesis, tokens.RightBrace:
			depth--
		case tokens.Dot:
		case tokens.Name, tokens.Integer:
			if prev := t.tokens[max(i-1, 0)].Type; depth == 0 && end > pos && prev != tokens.Dot && prev != tokens.Pipe {
				return t.text[pos:end]
			}
		case tokens.Pipe:
			if depth == 0 && !filters {
				return t.text[pos:end]
			}
		case tokens.String:
			if depth == 0 && end > pos {
				return t.text[pos:end]
			}
		default:
			if depth == 0 {
				return t.text[pos:end]
			}
		}
		if depth < 0 {
			break
		}
		switch {
		case tok.Type == tokens.String:
			end = tok.Pos + max(stringEnd(t.text[tok.Pos:]), 0)
		case t.large[tok] != nil:
			rest := t.text[tok.Pos:]
			end = tok.Pos + len(rest) - len(strings.TrimLeft(rest, "0123456789_xXoOabcdefABCDEF"))
		default:
			end = tok.Pos + len(tok.Val)
		}
	}
	return t.text[pos:end]
}

// tagText returns the source of the current tag without its braces.
func (f *frame) tagText() string {
	i := sort.Search(len(f.tokens), func(i int) bool { return f.tokens[i].Pos >= f.at })
	from := f.at
	for ; i < len(f.tokens); i++ {
		switch tok := f.tokens[i]; tok.Type {
		case tokens.VariableBegin, tokens.BlockBegin:
			from = tok.Pos + 2
		case tokens.VariableEnd, tokens.BlockEnd, tokens.EOF:
			return shorten(strings.Trim(f.text[from:min(tok.Pos, len(f.text))], "- \r\n\t"))
		}
	}
	return ""
}

func shorten(s string) string {
	const most = 120
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

package template

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bugle/engine/doc"
)

type tokenKind byte

const (
	endToken tokenKind = iota // the end of a tag
	nameToken
	stringToken
	numberToken
	operatorToken
)

// token is a token of a tag.
type token struct {
	Span
	kind  tokenKind
	text  string // as written; "" at the end of the tag
	value any    // of a string or a number
}

// maxNesting limits blocks within blocks and brackets within brackets.
const maxNesting = 32

// tokens are those of Jinja: a name, a text in quotes, a number with or without a fraction, or an operator.
var tokens = regexp.MustCompile(`(?s)^(?:([_\pL][_\pL\pN\pM]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(` +
	`(?i:(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)|0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*)` +
	`)|\*\*|//|[=!<>]=|[-+/*%~\[\](){}<>=.:|,])`)

// lex reads the tokens of a tag, an end token last.
func (p *parser) lex(tag Part) {
	src := tag.Source[:len(tag.Source)-2]
	if len(src) > 2 && (src[len(src)-1] == '-' || src[len(src)-1] == '+' && tag.Kind == StatementPart) {
		src = src[:len(src)-1]
	}
	at := 2
	if len(src) > 2 && (src[2] == '-' || src[2] == '+') {
		at++
	}
	p.toks, p.at = nil, 0
	for {
		rest := strings.TrimLeftFunc(src[at:], isSpace)
		at = len(src) - len(rest)
		place := tag.Start + at
		if rest == "" {
			p.toks = append(p.toks, token{Span: Span{place, place}})
			return
		}
		m := tokens.FindStringSubmatch(rest)
		if m == nil {
			p.badCharacter(place, rest)
		}
		tok := token{kind: operatorToken, text: m[0]}
		switch {
		case m[1] != "":
			tok.kind = nameToken
		case m[2] != "":
			tok.kind, tok.value = stringToken, p.unescape(rest[1:len(m[2])-1], place+1)
		case m[3] != "":
			if src[at-1] == '.' { // x.0.1 is an item of an item
				tok.text, _, _ = strings.Cut(m[3], ".")
			}
			tok.kind, tok.value = numberToken, p.number(tok.text, place)
		}
		at += len(tok.text)
		tok.Span = Span{place, tag.Start + at}
		p.toks = append(p.toks, tok)
	}
}

// isSpace reports whether c is white space as Python has it.
func isSpace(c rune) bool { return unicode.IsSpace(c) || 0x1c <= c && c <= 0x1f }

func (p *parser) badCharacter(place int, rest string) {
	c, _ := utf8.DecodeRuneInString(rest)
	if c == '\'' || c == '"' {
		p.fail(place, "close it with "+string(c), "this quoted text is not closed")
	}
	if strings.ContainsRune("\u200b\u200c\u200d\u2060\ufeff", c) {
		p.fail(place, "delete it", "this expression contains an invisible character (U+%04X)", c)
	}
	hint := cmp.Or(hints[firstRunes(rest, 2)], hints[string(c)])
	if strings.ContainsRune("‘’‚‛“”„‟«»´`", c) {
		hint = `curly quotes do not work here: use ' or "`
	}
	p.fail(place, hint, "the character %q is not allowed in an expression", c)
}

// number returns the number that a token is.
func (p *parser) number(text string, place int) any {
	digits := strings.ReplaceAll(text, "_", "")
	if n, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return int(n)
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || !strings.ContainsAny(digits, ".eE") {
		p.fail(place, "write it in quotes, as a text", "this number is too large")
	}
	return f
}

var escape = regexp.MustCompile(`(?s)\\(?:\r?\n|[0-7]{3}|x[^'"]{0,2}|u[^'"]{0,4}|U[^'"]{0,8}|.)`)

// unescape returns the text that Python makes of what stands between quotes. Its escapes are those of Go, but a
// number is always that of a character, a line can be continued, and what is no escape stays as it is.
func (p *parser) unescape(s string, place int) string {
	return escape.ReplaceAllStringFunc(s, func(at string) string {
		c, _, rest, err := strconv.UnquoteChar(at, 0)
		switch {
		case at[1] == '\'' || at[1] == '"':
			return at[1:]
		case at[1] == '\n' || at[1] == '\r':
			return ""
		case err == nil:
			return string(c) + rest
		case strings.IndexByte("xuUN", at[1]) >= 0:
			p.fail(place+strings.Index(s, at), "type the character itself", `\%c and what follows it stand for no character`, at[1])
		}
		return at
	})
}

// fail ends the parse with an [Error].
func (p *parser) fail(at int, hint, format string, args ...any) {
	line, column := doc.LineColumn(p.src[:at], at)
	try(&Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...), Hint: hint})
}

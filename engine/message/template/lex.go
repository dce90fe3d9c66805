package template

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// The numbers of Jinja.
var (
	floatToken = regexp.MustCompile(`^(?i:(\d+_)*\d+((\.(\d+_)*\d+)?e[+-]?(\d+_)*\d+|\.(\d+_)*\d+))`)
	intToken   = regexp.MustCompile(`^(?i:0b(_?[01])+|0o(_?[0-7])+|0x(_?[\da-f])+|[1-9](_?\d)*|0(_?0)*)`)
)

var operators = strings.Fields("** // == != >= <= + - / * % ~ [ ] ( ) { } > < = . : | ,")

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
	for at < len(src) {
		rest := src[at:]
		c, width := utf8.DecodeRuneInString(rest)
		if isSpace(c) {
			at += width
			continue
		}
		place := tag.Start + at
		tok := token{kind: operatorToken}
		switch {
		case c == '\'' || c == '"':
			if width = quotedLen(rest); width == 0 {
				p.fail(place, "close it with "+string(c), "this quoted text is not closed")
			}
			tok.kind, tok.value = stringToken, p.unescape(rest[1:width-1], place+1)
		case '0' <= c && c <= '9':
			width, tok.value = p.number(rest, src[at-1] == '.', place)
			tok.kind = numberToken
		case c == '_' || unicode.IsLetter(c):
			if width = strings.IndexFunc(rest, func(c rune) bool { return c != '_' && !unicode.In(c, unicode.L, unicode.N, unicode.M) }); width < 0 {
				width = len(rest)
			}
			tok.kind = nameToken
		default:
			op := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(rest, op) })
			if op < 0 {
				p.badCharacter(place, c, rest)
			}
			width = len(operators[op])
		}
		tok.Span, tok.text = Span{place, place + width}, rest[:width]
		p.toks = append(p.toks, tok)
		at += width
	}
	end := tag.Start + len(src)
	p.toks = append(p.toks, token{Span: Span{end, end}})
	p.tokens += len(p.toks)
}

// isSpace reports whether c is white space as Python has it.
func isSpace(c rune) bool { return unicode.IsSpace(c) || 0x1c <= c && c <= 0x1f }

func (p *parser) badCharacter(place int, c rune, rest string) {
	if strings.ContainsRune("\u200b\u200c\u200d\u2060\ufeff", c) {
		p.fail(place, "delete it", "this expression contains an invisible character (U+%04X)", c)
	}
	hint := cmp.Or(hints[firstRunes(rest, 2)], hints[string(c)])
	if strings.ContainsRune("‘’‚‛“”„‟«»´`", c) {
		hint = `curly quotes do not work here: use ' or "`
	}
	p.fail(place, hint, "the character %q is not allowed in an expression", c)
}

// number reads the number at the start of s. After a dot it is whole: x.0.1 is an item of an item.
func (p *parser) number(s string, afterDot bool, place int) (width int, value any) {
	text := floatToken.FindString(s)
	if text != "" && !afterDot {
		f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err != nil {
			p.fail(place, "", "this number is too large")
		}
		return len(text), f
	}
	text = intToken.FindString(s)
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
	if err != nil {
		p.fail(place, "write it in quotes, as a text", "this number is too large")
	}
	return len(text), int(n)
}

// unescape returns the text that Python makes of what stands between quotes. Its escapes are those of Go, but a
// number is always that of a character, a line can be continued, and what is no escape stays as it is.
func (p *parser) unescape(s string, place int) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for at := place; s != ""; {
		before, _, escaped := strings.Cut(s, `\`)
		b.WriteString(before)
		if s, at = s[len(before):], at+len(before); !escaped {
			break
		}
		c, _, rest, err := strconv.UnquoteChar(s, 0)
		switch {
		case s[1] == '\'' || s[1] == '"':
			b.WriteByte(s[1])
			rest = s[2:]
		case s[1] == '\n' || s[1] == '\r':
			rest = strings.TrimPrefix(strings.TrimPrefix(s[1:], "\r"), "\n")
		case err == nil:
			b.WriteRune(c)
		case strings.IndexByte("xuUN", s[1]) >= 0:
			p.fail(at, "type the character itself", `\%c and what follows it stand for no character`, s[1])
		default:
			b.WriteString(s[:2])
			rest = s[2:]
		}
		s, at = rest, at+len(s)-len(rest)
	}
	return b.String()
}

// place returns the line and the column of an offset, both from 1, in characters.
func place(src string, at int) (line, column int) {
	before := src[:min(max(at, 0), len(src))]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// fail ends the parse with an [Error].
func (p *parser) fail(at int, hint, format string, args ...any) {
	line, column := place(p.src, at)
	try(&Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...), Hint: hint})
}

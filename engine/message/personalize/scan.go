package personalize

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var endRaw = regexp.MustCompile(`\{%[-+]?\s*endraw`)

// source is a template's text with tags that are safe for gonja's lexer.
type source struct {
	text  string // as written, but with "\n" line ends, like in the lexer
	clean string // text with spaces instead of line breaks between tokens; same length
	crlf  bool   // written with "\r\n" throughout
}

// place converts a byte offset to line and column, both from 1, in characters.
func (s *source) place(pos int) (line, column int) {
	before := s.text[:min(max(pos, 0), len(s.text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// placer converts increasing offsets to positions without starting from the beginning each time.
type placer struct {
	*source
	pos, line, column int
}

func (p *placer) place(pos int) (line, column int) {
	if p.line == 0 || pos < p.pos || pos > len(p.text) {
		p.line, p.column = p.source.place(pos)
	} else {
		between := p.text[p.pos:pos]
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			p.line += strings.Count(between, "\n")
			p.column, between = 1, between[i+1:]
		}
		p.column += utf8.RuneCountInString(between)
	}
	p.pos = pos
	return p.line, p.column
}

// offset returns the byte offset of gonja's line and column in the clean text.
func (s *source) offset(line, column int) int {
	pos := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(s.clean[pos:], '\n')
		if i < 0 {
			break
		}
		pos += i + 1
	}
	return min(pos+max(column-1, 0), len(s.clean))
}

func (s *source) errorAt(pos int, hint, format string, args ...any) *Error {
	line, column := s.place(pos)
	return &Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// scan checks the tags before gonja's lexer. The lexer joins unknown characters with the next name and treats
// a line break as part of a word, and the parser's recursion is as deep as the source. All three are handled
// here, where clear error messages are possible.
func scan(src string) (*source, error) {
	if len(src) > MaxSource {
		return nil, &Error{Message: fmt.Sprintf("the text is %d KiB long, at most %d KiB are allowed", len(src)>>10, MaxSource>>10)}
	}
	s := &source{crlf: strings.Contains(src, "\r\n") && strings.Count(src, "\n") == strings.Count(src, "\r\n")}
	s.text = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	clean := []byte(s.text)
	for pos := 0; ; {
		i := strings.IndexByte(s.text[pos:], '{')
		if i < 0 || pos+i+1 >= len(s.text) {
			break
		}
		pos += i
		var err error
		switch s.text[pos+1] {
		case '#':
			end := strings.Index(s.text[pos+2:], "#}")
			if end < 0 {
				return nil, s.errorAt(pos, "close it with #}", "this comment is not closed")
			}
			pos += 2 + end + 2
		case '{':
			pos, err = s.scanTag(clean, pos, "}}")
		case '%':
			start := pos
			if pos, err = s.scanTag(clean, pos, "%}"); err == nil && tagName(s.text[start:pos]) == "raw" {
				end := endRaw.FindStringIndex(s.text[pos:])
				if end == nil {
					return nil, s.errorAt(start, "close it with {% endraw %}", "this raw block is not closed")
				}
				pos += end[0]
			}
		default:
			pos++
		}
		if err != nil {
			return nil, err
		}
	}
	s.clean = string(clean)
	return s, nil
}

// scanTag checks the tag at pos and returns the offset after it.
func (s *source) scanTag(clean []byte, pos int, closing string) (int, error) {
	start, open := pos, []byte(nil)
	for pos += 2; pos < len(s.text); {
		rest := s.text[pos:]
		if pos-start > maxTag {
			return 0, s.errorAt(start, "", "this expression is longer than %d KiB", maxTag>>10)
		}
		inDict := len(open) > 0 && open[len(open)-1] == '}'
		if strings.HasPrefix(rest, closing) && !(inDict && rest[0] == '}') {
			if len(open) > 0 {
				return 0, s.errorAt(pos, "", "a %q is missing before %q", open[len(open)-1], closing)
			}
			return pos + len(closing), nil
		}
		c, width := utf8.DecodeRuneInString(rest)
		switch {
		case c == '\n':
			clean[pos] = ' '
		case c == '\'' || c == '"':
			end := stringEnd(rest)
			if end < 0 {
				return 0, s.errorAt(pos, "close it with "+string(c), "this quoted text is not closed")
			}
			width = end
		case c == '(' || c == '[' || c == '{':
			open = append(open, map[rune]byte{'(': ')', '[': ']', '{': '}'}[c])
			if len(open) > maxNesting {
				return 0, s.errorAt(pos, "", "brackets are nested deeper than %d", maxNesting)
			}
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 || open[len(open)-1] != byte(c) {
				return 0, s.errorAt(pos, "", "%q does not close anything here", c)
			}
			open = open[:len(open)-1]
		case strings.ContainsRune("‘’‚‛“”„‟«»´`", c):
			return 0, s.errorAt(pos, "curly quotes do not work here: use ' or \"", "the character %q is not allowed in an expression", c)
		case c != utf8.RuneError && (c == ' ' || c == '\t' || unicode.IsLetter(c) || unicode.IsDigit(c)), strings.ContainsRune("_,|+-~:.%/<>*=", c):
		case c == '!' && strings.HasPrefix(rest, "!="):
			width = 2
		case c == '\u00a0' || c == '\u202f' || c == '\u200b' || c == '\ufeff':
			return 0, s.errorAt(pos, "delete it and type a plain space", "this expression contains an invisible character (U+%04X)", c)
		default:
			return 0, s.errorAt(pos, "", "the character %q is not allowed in an expression", c)
		}
		pos += width
	}
	return 0, s.errorAt(start, "close it with "+closing, "this %s is not closed", s.text[start:start+2])
}

// stringEnd returns the length of the quoted text at the start of s, including quotes, or -1. It follows the
// lexer's rules.
func stringEnd(s string) int {
	for i := 1; i < len(s) && i <= maxTag; i++ {
		if s[i] == s[0] && s[i-1] != '\\' {
			return i + 1
		}
	}
	return -1
}

// tagName returns the first word of a tag: "for" in "{%- for x in y %}".
func tagName(tag string) string {
	name := strings.TrimLeft(strings.TrimLeft(tag, "{%-+"), " \t\n")
	if i := strings.IndexFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }); i >= 0 {
		name = name[:i]
	}
	return name
}

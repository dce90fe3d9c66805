package template

import (
	"iter"
	"regexp"
	"strings"
)

// PartKind is what a [Part] of a template is.
type PartKind byte

// The kinds of parts.
const (
	TextPart      PartKind = iota
	OutputPart             // {{ … }}
	StatementPart          // {% … %}, among them those that open and close raw
	CommentPart            // {# … #}
	RawPart                // the text between {% raw %} and {% endraw %}
)

// Part is a piece of a template's source. A tag has its braces.
type Part struct {
	Span
	Kind   PartKind
	Source string
}

// longestTag limits the bytes of a tag.
const longestTag = 8 << 10

var (
	rawTag = regexp.MustCompile(`^\{%[-+]?\s*raw\s*[-+]?%\}$`)
	endRaw = regexp.MustCompile(`\{%[-+]?\s*endraw\s*[-+]?%\}`)
)

// The characters after the first brace of each kind of tag, and what ends it.
const openings = "{%#"

var closings = [...]string{"}}", "%}", "#}"}

// HasTag reports whether src has the start of a tag. A template without one is text.
func HasTag(src string) bool { return tagStart(src, 0) < len(src) }

// tagStart returns the offset of the next start of a tag, or the length of src.
func tagStart(src string, from int) int {
	for ; from+1 < len(src); from++ {
		i := strings.IndexByte(src[from:len(src)-1], '{')
		if i < 0 {
			break
		}
		if from += i; strings.IndexByte(openings, src[from+1]) >= 0 {
			return from
		}
	}
	return len(src)
}

// Parts cuts src into its tags and the text between them. It also works where src is not a valid template: a
// tag that does not end is text, and so is everything behind a raw that does not.
func Parts(src string) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		from, more := 0, true
		part := func(to int, kind PartKind) {
			if more = more && (to == from || yield(Part{Span{from, to}, kind, src[from:to]})); more {
				from = to
			}
		}
		for more && from < len(src) {
			start, end := nextTag(src, from)
			if part(start, TextPart); start == len(src) || !more {
				return
			}
			part(end, PartKind(1+strings.IndexByte(openings, src[start+1])))
			if rawTag.MatchString(src[start:end]) {
				to := len(src)
				if at := endRaw.FindStringIndex(src[end:]); at != nil {
					to = end + at[0]
				}
				part(to, RawPart)
			}
		}
	}
}

// nextTag returns the next tag; the length of the source twice if there is none.
func nextTag(src string, from int) (start, end int) {
	for start = tagStart(src, from); start < len(src); start = tagStart(src, from) {
		var ok bool
		if from, ok = tagEnd(src, start); ok {
			return start, from
		}
	}
	return start, start
}

// tagEnd returns the offset after the tag at start. If it does not end, it returns where the next tag can be.
// Quotes and braces may contain the closing braces, unless there are no others.
func tagEnd(src string, start int) (end int, ok bool) {
	kind := strings.IndexByte(openings, src[start+1])
	closing := closings[kind]
	src = src[:min(len(src), start+longestTag)]
	first := strings.Index(src[start+2:], closing)
	if first < 0 {
		return start + 1, false
	}
	if first += start + 2; kind == 2 {
		return first + 2, true
	}
	open := 0
	for i := start + 2; i+1 < len(src) && open >= 0; i++ {
		switch c := src[i]; {
		case open == 0 && src[i:i+2] == closing:
			return i + 2, true
		case c == '{':
			open++
		case c == '}':
			open--
		case c == '\'' || c == '"':
			if n := quotedLen(src[i:]); n > 0 {
				i += n - 1
			} else {
				i = len(src)
			}
		}
	}
	if again := strings.LastIndex(src[start+2:first], src[start:start+2]); again >= 0 {
		return start + 2 + again, false
	}
	return first + 2, true
}

// quotedLen returns the length of the quoted text at the start of s, quotes included, or 0 if it is not closed.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 0
}

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
// tag that does not end is text.
func Parts(src string) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		s := scanner{src: src}
		for from := 0; from < len(src); {
			start, end := s.tag(from)
			if start > from && !yield(Part{Span{from, start}, TextPart, src[from:start]}) || start == len(src) {
				return
			}
			kind := PartKind(1 + strings.IndexByte(openings, src[start+1]))
			if !yield(Part{Span{start, end}, kind, src[start:end]}) {
				return
			}
			from = end
			if rawTag.MatchString(src[start:end]) {
				end = s.endOfRaw(from)
				if end > from && !yield(Part{Span{from, end}, RawPart, src[from:end]}) {
					return
				}
				from = end
			}
		}
	}
}

// scanner finds the tags of a source in linear time.
type scanner struct {
	src      string
	ends     [3]int // where the next end of each kind of tag is, at or after what was asked for last
	unclosed bool   // there is no endraw any more
}

// tag returns the next tag; the length of the source twice if there is none.
func (s *scanner) tag(from int) (start, end int) {
	for start = tagStart(s.src, from); start < len(s.src); start = tagStart(s.src, from) {
		var ok bool
		if from, ok = s.tagEnd(start); ok {
			return start, from
		}
	}
	return start, start
}

// tagEnd returns the offset after the tag at start. If it does not end, it returns where the next tag can be.
// Quotes and braces may contain the closing braces, unless there are no others.
func (s *scanner) tagEnd(start int) (end int, ok bool) {
	kind := strings.IndexByte(openings, s.src[start+1])
	src := s.src[:min(len(s.src), start+longestTag)]
	first := s.next(kind, start+2)
	switch {
	case first+2 > len(src):
		return start + 1, false
	case kind == 2:
		return first + 2, true
	}
	open := 0
	for i := start + 2; i+1 < len(src) && open >= 0; i++ {
		switch c := src[i]; {
		case open == 0 && src[i:i+2] == closings[kind]:
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

// next returns the offset of the next end of a kind of tag, or the length of the source.
func (s *scanner) next(kind, from int) int {
	if at := &s.ends[kind]; *at < from {
		*at = len(s.src)
		if i := strings.Index(s.src[min(from, len(s.src)):], closings[kind]); i >= 0 {
			*at = from + i
		}
	}
	return s.ends[kind]
}

// endOfRaw returns where the text of raw ends, or from if it does not.
func (s *scanner) endOfRaw(from int) int {
	if !s.unclosed {
		if at := endRaw.FindStringIndex(s.src[from:]); at != nil {
			return from + at[0]
		}
		s.unclosed = true
	}
	return from
}

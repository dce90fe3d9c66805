package render

import (
	"slices"
	"strings"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/template"
)

// Fill returns a text filled for one user, and the expressions without a value, which stay in the text. The
// path is that of the text: from the root of the document in [ViewsAt], [FirstViews] and [Views], and from
// the content in [Push] and [Email].
type Fill func(at doc.Path, text string) (filled string, unresolved []string)

// FillFromPreview returns a Fill with the texts of a service's preview of a document's whole campaign content
// (CONTRACT.md, Preview), for [ViewsAt], [FirstViews] and [Views]. Texts that are not in the preview stay
// unchanged.
func FillFromPreview(p engine.Preview) Fill {
	missing := make(map[string][]string, len(p.Unresolved))
	for _, u := range p.Unresolved {
		missing[u.Field] = append(missing[u.Field], u.Expression)
	}
	root := doc.NewObject(doc.M(contentMember, p.Content))
	return func(at doc.Path, text string) (string, []string) {
		v := root.Lookup(at)
		if v.Kind() != doc.String {
			return text, nil
		}
		return v.Text(), missing[at.String()]
	}
}

// piece is a part of a text before its markup is read.
type piece struct {
	text string
	kind Kind
}

// pieces splits a text at its expressions, statements and comments.
func pieces(src string) []piece {
	var out []piece
	for p := range template.Parts(src) {
		kind := Expression
		if p.Kind == template.TextPart || p.Kind == template.RawPart {
			kind = Plain
		}
		out = append(out, piece{p.Source, kind})
	}
	return out
}

// fill returns the pieces of a text for one user. The plain text around expressions tells what each
// became; where blocks such as {% if %} moved it, all that is between the first and the last plain
// text counts as their value.
func fill(src []piece, filled string, unresolved []string) []piece {
	if !slices.ContainsFunc(src, func(p piece) bool { return p.kind == Expression }) {
		return src
	}
	if out, ok := match(src, filled); ok {
		return mark(out, unresolved)
	}
	head, tail := "", ""
	if first := src[0]; first.kind == Plain && strings.HasPrefix(filled, first.text) {
		head = first.text
	}
	if last := src[len(src)-1]; last.kind == Plain && strings.HasSuffix(filled[len(head):], last.text) {
		tail = last.text
	}
	var out []piece
	if head != "" {
		out = append(out, piece{head, Plain})
	}
	// What could not be filled stands in the text as an expression still.
	for _, p := range pieces(filled[len(head) : len(filled)-len(tail)]) {
		if p.kind == Plain {
			p.kind = Value
		} else {
			p.kind = Unresolved
		}
		out = append(out, p)
	}
	if tail != "" {
		out = append(out, piece{tail, Plain})
	}
	return out
}

// match finds the plain pieces in the filled text, in their order.
func match(src []piece, filled string) ([]piece, bool) {
	var out []piece
	open := "" // the expressions since the last plain piece, as they stand
	value := func(text string) {
		switch {
		case text == "":
		case text == open:
			out = append(out, piece{text, Unresolved})
		default:
			out = append(out, piece{text, Value})
		}
		open = ""
	}
	for i, p := range src {
		if p.kind == Expression {
			if strings.HasPrefix(p.text, "{%") {
				return nil, false
			}
			open += p.text
			continue
		}
		at := strings.Index(filled, p.text)
		if i == len(src)-1 {
			at = strings.LastIndex(filled, p.text)
			if !strings.HasSuffix(filled, p.text) {
				return nil, false
			}
		}
		if at < 0 || open == "" && at > 0 {
			return nil, false
		}
		value(filled[:at])
		out = append(out, p)
		filled = filled[at+len(p.text):]
	}
	if open == "" && filled != "" {
		return nil, false
	}
	value(filled)
	return out, true
}

// mark finds unresolved expressions inside values, where two stand side by side.
func mark(list []piece, unresolved []string) []piece {
	if len(unresolved) == 0 {
		return list
	}
	var out []piece
	for _, p := range list {
		if p.kind != Value {
			out = append(out, p)
			continue
		}
		for _, q := range pieces(p.text) {
			switch {
			case q.kind == Plain:
				q.kind = Value
			case slices.ContainsFunc(unresolved, func(e string) bool { return strings.Contains(q.text, e) }):
				q.kind = Unresolved
			default:
				q.kind = Value
			}
			out = append(out, q)
		}
	}
	return out
}

// The placeholders for expressions while markup is parsed: private-use characters, which texts do not contain.
const (
	valueStart = '\U000F0000'
	valueEnd   = '\U000F0001'
	atomFirst  = '\U000F0010'
	atomLast   = '\U000FFFFD'
)

// placeholders are the expressions that placeholders in a text stand for.
type placeholders struct {
	atoms []piece
	kind  Kind // of the text that comes next: a value may go on behind a tag
}

// encode returns a text in which expressions are replaced by placeholders that contain no markup, while the markup in
// plain text and in values counts.
func encode(list []piece) (string, *placeholders) {
	m := &placeholders{}
	var b strings.Builder
	for _, p := range list {
		switch {
		case p.kind == Plain:
			writeWithoutPlaceholders(&b, p.text)
		case p.kind == Value:
			b.WriteRune(valueStart)
			writeWithoutPlaceholders(&b, p.text)
			b.WriteRune(valueEnd)
		case atomFirst+rune(len(m.atoms)) > atomLast:
			writeWithoutPlaceholders(&b, p.text)
		default:
			b.WriteRune(atomFirst + rune(len(m.atoms)))
			m.atoms = append(m.atoms, p)
		}
	}
	return b.String(), m
}

func isPlaceholder(r rune) bool { return r >= valueStart && r <= atomLast }

func writeWithoutPlaceholders(b *strings.Builder, s string) {
	if strings.ContainsFunc(s, isPlaceholder) {
		s = strings.Map(func(r rune) rune {
			if isPlaceholder(r) {
				return utf8.RuneError
			}
			return r
		}, s)
	}
	b.WriteString(s)
}

// each splits a text into pieces of one kind. It continues with the kind at the end of the previous text.
func (m *placeholders) each(s string, yield func(text string, kind Kind)) {
	from := 0
	for i, r := range s {
		if !isPlaceholder(r) {
			continue
		}
		if i > from {
			yield(s[from:i], m.kind)
		}
		from = i + utf8.RuneLen(r)
		switch n := int(r - atomFirst); {
		case r == valueStart:
			m.kind = Value
		case r == valueEnd:
			m.kind = Plain
		case n >= 0 && n < len(m.atoms):
			yield(m.atoms[n].text, m.atoms[n].kind)
		}
	}
	if from < len(s) {
		yield(s[from:], m.kind)
	}
}

// source returns a text with its placeholders replaced by the expressions.
func (m *placeholders) source(s string) string {
	if !strings.ContainsFunc(s, isPlaceholder) {
		return s
	}
	var b strings.Builder
	apart := placeholders{atoms: m.atoms}
	apart.each(s, func(text string, _ Kind) { b.WriteString(text) })
	return b.String()
}

// text returns a text without markup.
func (m *placeholders) text(s string) Text {
	w := writer{verbatim: true}
	w.write(s, Span{}, &placeholders{atoms: m.atoms})
	w.seal()
	return w.sealed
}

// textOf returns pieces as a text without markup.
func textOf(list []piece) Text {
	var out Text
	for _, p := range list {
		out = append(out, Span{Text: p.text, Kind: p.kind})
	}
	return out
}

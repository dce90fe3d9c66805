package forms

import (
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// scalarText formats a value for a one-line field: the text of a string, any other literal as written, "" for
// null.
func scalarText(v doc.Value) string {
	switch v.Kind() {
	case doc.String:
		return v.Text()
	case doc.Number, doc.Bool:
		return v.Literal()
	}
	return ""
}

// scalarValue parses the text of a field of that kind. An invalid number is kept as a string, so that nothing
// is lost and the validator reports it.
func scalarValue(kind schema.Kind, text string) doc.Value {
	if kind == schema.Integer || kind == schema.Number {
		if v, ok := doc.NewNumber(strings.TrimSpace(text)); ok {
			return v
		}
	}
	return doc.NewString(text)
}

// anyText formats any value on one line so that anyValue parses the same value.
func anyText(v doc.Value) string {
	if v.Kind() == doc.String {
		if t := v.Text(); t != "" && strings.TrimSpace(t) == t {
			if _, err := doc.Parse([]byte(t)); err != nil {
				return t
			}
		}
	}
	return string(v.Encode())
}

// anyValue parses a text as JSON, or as a plain string if it is not JSON.
func anyValue(text string) doc.Value {
	if v, err := doc.Parse([]byte(strings.TrimSpace(text))); err == nil {
		return v
	}
	return doc.NewString(text)
}

// zero returns the initial value of a new field or element of that kind.
func zero(n *schema.Node) doc.Value {
	switch n.Kind {
	case schema.Object, schema.Map:
		return doc.NewObject()
	case schema.List:
		return doc.NewArray()
	case schema.Integer, schema.Number:
		return doc.NewInt(0)
	case schema.Bool:
		return doc.NewBool(false)
	}
	return doc.NewString("")
}

// commaText formats scalars as one line: one, "two, three", four.
func commaText(list doc.Value) string {
	texts := make([]string, 0, list.Len())
	for _, e := range list.Elems() {
		texts = append(texts, scalarText(e))
	}
	return JoinList(texts)
}

// JoinList formats texts as one line, which [SplitList] splits into the same texts.
func JoinList(texts []string) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = commaToken(t)
	}
	return strings.Join(parts, ", ")
}

func commaToken(s string) string {
	if s == "" || strings.ContainsAny(s, `,"`) || strings.TrimSpace(s) != s {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// SplitList splits a line at its commas. A quoted token may contain commas, and doubled quotes; an unclosed
// quote extends to the end.
func SplitList(s string) []string {
	var out []string
	for rest := s; ; {
		rest = strings.TrimSpace(rest)
		var token string
		quoted := strings.HasPrefix(rest, `"`)
		if quoted {
			token, rest = quotedToken(rest[1:])
		}
		bare, tail, more := strings.Cut(rest, ",")
		token += strings.TrimSpace(bare)
		if token != "" || quoted {
			out = append(out, token)
		}
		if !more {
			return out
		}
		rest = tail
	}
}

func quotedToken(s string) (token, rest string) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return b.String() + s, ""
		}
		b.WriteString(s[:i])
		if s = s[i+1:]; !strings.HasPrefix(s, `"`) {
			return b.String(), s
		}
		b.WriteByte('"')
		s = s[1:]
	}
}

// commaValue returns the list of the tokens in s. Elements of the old list that are still present keep their
// spelling and kind.
func commaValue(elem *schema.Node, s string, old doc.Value) doc.Value {
	tokens := SplitList(s)
	if len(tokens) == 0 {
		return doc.Value{}
	}
	known := make(map[string][]doc.Value, old.Len())
	for _, e := range old.Elems() {
		known[scalarText(e)] = append(known[scalarText(e)], e)
	}
	out := make([]doc.Value, len(tokens))
	for i, t := range tokens {
		if same := known[t]; len(same) > 0 {
			out[i], known[t] = same[0], same[1:]
			continue
		}
		out[i] = scalarValue(elem.Kind, t)
	}
	return doc.NewArray(out...)
}

// commaEditable reports whether one line can represent a list exactly.
func commaEditable(elem *schema.Node, list doc.Value) bool {
	switch elem.Kind {
	case schema.String, schema.Integer, schema.Number, schema.Time:
	default:
		return false
	}
	size := 0
	for _, e := range list.Elems() {
		if k := e.Kind(); k != doc.String && k != doc.Number {
			return false
		}
		size += len(e.Literal()) + 2
	}
	return size <= maxText
}

// placeholder returns the placeholder of a field without a value.
func placeholder(n *schema.Node) string {
	switch {
	case n.Default != "":
		return "default " + defaultValue(n)
	case n.Kind == schema.Time:
		return "e.g. tomorrow 9am, 25 dec 18:00, +2h"
	case n.Example != "":
		return "e.g. " + n.Example
	}
	return ""
}

// defaultValue returns the display text of a field's default.
func defaultValue(n *schema.Node) string {
	word := strings.Trim(n.Default, `"`)
	switch {
	case n.Kind == schema.Bool && word == "true":
		word, _ = boolLabels(n)
	case n.Kind == schema.Bool && word == "false":
		_, word = boolLabels(n)
	}
	for _, o := range n.Options {
		if o.Value == word {
			word = o.Title()
		}
	}
	return word
}

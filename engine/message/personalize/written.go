package personalize

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text returns v as Jinja prints it. Numbers from the data keep their spelling.
func text(v any) string {
	switch v := value(v).(type) {
	case nil, *missing:
		return ""
	case string:
		return v
	default:
		return repr(v)
	}
}

// repr returns v as Python prints it within a list: texts in quotes, None for missing values.
func repr(v any) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v any) {
	switch v := value(v).(type) {
	case nil, *missing:
		b.WriteString("None")
	case bool:
		if v {
			b.WriteString("True")
		} else {
			b.WriteString("False")
		}
	case string:
		writeQuoted(b, v)
	case int:
		b.WriteString(strconv.Itoa(v))
	case *big.Int:
		b.WriteString(v.String())
	case float64:
		b.WriteString(reprFloat(v))
	case numeral:
		b.WriteString(v.String())
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, key := range sortedKeys(v) {
			if i > 0 {
				b.WriteString(", ")
			}
			writeQuoted(b, key)
			b.WriteString(": ")
			write(b, v[key])
		}
		b.WriteByte('}')
	}
}

func writeQuoted(b *strings.Builder, s string) {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b.WriteByte(quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(code(r))
		}
	}
	b.WriteByte(quote)
}

// code returns a character as a Python escape sequence.
func code(r rune) string {
	switch {
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

func asciiOnly(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(code(r))
		}
	}
	return b.String()
}

// inScript escapes JSON for scripts and attributes, like Jinja.
var inScript = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`)

func toJSON(_ *frame, v any, a arguments) (any, error) {
	step, isText := a["indent"].(string)
	if !isText {
		n, err := a.integer("indent", -1)
		switch {
		case err != nil:
			return nil, failure("the argument indent must be a whole number or a text")
		case n > 16:
			return nil, failure("the argument indent must be at most 16")
		}
		step = strings.Repeat(" ", max(n, 0))
	}
	if len(step) > 16 {
		return nil, failure("the argument indent must be at most 16 characters")
	}
	j := jsonText{step: step, lines: a.given("indent")}
	if err := j.write(v, 0); err != nil {
		return nil, err
	}
	return inScript.Replace(j.String()), nil
}

// jsonText writes JSON like Python: with a space after : and, on one line, after commas, and with non-ASCII
// characters escaped.
type jsonText struct {
	strings.Builder
	step  string
	lines bool
}

func (j *jsonText) write(v any, depth int) error {
	if j.Len()+depth*len(j.step) > MaxOutput {
		return errTooLarge
	}
	switch v := v.(type) {
	case nil:
		j.WriteString("null")
	case bool:
		j.WriteString(strconv.FormatBool(v))
	case string:
		j.quote(v)
	case []any:
		return j.list('[', ']', len(v), depth, func(i int) error { return j.write(v[i], depth+1) })
	case map[string]any:
		keys := sortedKeys(v)
		return j.list('{', '}', len(v), depth, func(i int) error {
			j.quote(keys[i])
			j.WriteString(": ")
			return j.write(v[keys[i]], depth+1)
		})
	case int, *big.Int, float64:
		j.WriteString(text(v))
	default:
		return failf("%s has no JSON", kind(v))
	}
	return nil
}

func (j *jsonText) list(begin, end byte, n, depth int, item func(int) error) error {
	j.WriteByte(begin)
	for i := range n {
		switch {
		case i > 0 && j.lines:
			j.WriteString(",")
		case i > 0:
			j.WriteString(", ")
		}
		j.line(depth + 1)
		if err := item(i); err != nil {
			return err
		}
	}
	if n > 0 {
		j.line(depth)
	}
	j.WriteByte(end)
	return nil
}

func (j *jsonText) line(depth int) {
	if !j.lines {
		return
	}
	j.WriteByte('\n')
	j.WriteString(strings.Repeat(j.step, depth))
}

func (j *jsonText) quote(s string) {
	quoted, _ := json.Marshal(strings.ToValidUTF8(s, string(utf8.RuneError))) // a text has JSON always
	for _, r := range string(quoted) {
		switch {
		case r < utf8.RuneSelf:
			j.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(j, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(j, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
}

package template_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"bugle/engine/message/template"
)

// odd is data of every kind, with numbers that no float holds.
func odd() template.Data {
	return template.Data{UserAttributes: map[string]any{
		"id": json.Number("9007199254740993"), "long": json.Number("123456789012345678901234567890"), "price": json.Number("19.90"),
		"exact": json.Number("0.12345678901234567890"), "vast": json.Number("1e400"), "endless": json.Number(strings.Repeat("9", 5000)),
		"u64": uint64(math.MaxUint64), "i64": int64(math.MaxInt64), "small": int8(-7), "nan": math.NaN(), "inf": math.Inf(1), "whole": float64(36),
		"text": "12", "word": "abc", "holed": []any{"a", nil, "c"}, "numbers": []any{1, json.Number("9007199254740993"), "2"}, "mixed": []any{1, "a"},
		"rows": []any{map[string]any{"n": 2, "t": "b"}, map[string]any{"n": 1, "t": "a"}, map[string]any{"t": "c"}}, "map": map[string]any{"b": 1, "a": nil},
		"ptr": new(int), "chan": make(chan int), "struct": struct{ A int }{1}, "yes": true,
	}}
}

// A failure that is not shown to anybody is a hole all the same: a condition that cannot be computed
// says nothing of which text the reader should get.
func TestFailedExpressionsAreUnresolved(t *testing.T) {
	for _, tt := range []struct{ src, expression string }{
		{"{{ '%s and %s'|format('a') }}", "'%s and %s'|format('a')"},
		{"a {{- ('x'|abs)|string -}} b", "('x'|abs)|string"},
		{"{% if 'x'|abs > 1 %}a{% else %}b{% endif %}", "if 'x'|abs > 1"},
		{"{% if false %}a{% elif 1/0 %}b{% endif %}", "elif 1/0"},
		{"{% for x in 5 %}a{% else %}b{% endfor %}", "for x in 5"},
		{"{% for x in [1] if x / 0 %}a{% else %}b{% endfor %}", "for x in [1] if x / 0"},
		{"{% set x = 1 / 0 %}{{ x }}", "set x = 1 / 0"},
		{"{% with x = 1 / 0 %}{{ x }}{% endwith %}", "with x = 1 / 0"},
		{"{{ContentApi.echo('x'|abs)}}", "ContentApi.echo('x'|abs)"},
		{"{{ 'a' if user.word|abs else 'b' }}", "'a' if user.word|abs else 'b'"},
	} {
		_, err := template.Render(t.Context(), tt.src, odd())
		var hole *template.MissingError
		if !errors.As(err, &hole) || len(hole.Unresolved) != 1 || hole.Unresolved[0].Expression != tt.expression || !strings.Contains(err.Error(), "{{"+tt.expression+"}}") {
			t.Errorf("%s: error %v, want a hole named %s", tt.src, err, tt.expression)
		}
		_, unresolved, err := template.Preview(t.Context(), tt.src, odd())
		if err != nil || len(unresolved) != 1 || unresolved[0].Expression != tt.expression {
			t.Errorf("%s: a preview lists %+v, %v", tt.src, unresolved, err)
		}
	}
	out, unresolved, err := template.Preview(t.Context(), "Hi {{ user.word }}, {{ '%d'|format('x') }} {% if 1/0 %}a{% endif %}!", odd())
	if want := "Hi abc, {{ '%d'|format('x') }} {% if 1/0 %}a{% endif %}!"; err != nil || out != want || len(unresolved) != 2 {
		t.Errorf("preview %q, %+v, %v", out, unresolved, err)
	}
}

// Nothing of Go is seen in a message, whatever is done to whatever.
func TestErrorsHaveNoGoTypes(t *testing.T) {
	values := []string{
		"-1", "2.5", "9223372036854775808", "true", "none", "'abc'", "'%s %d %v'", "[]", "[1, 'a', none, [2.5]]", "{}", "{'a': {'b': none}}",
		"user.rows", "user.holed", "user.vast", "user", "ProductSet", "'\u0000\U000e0041'",
	}
	calls := []string{"", "()", "(1)", "('a')", "('a', 'b')", "([])", "(attribute='n')", "('upper')", "('gt', 1)"}
	var src strings.Builder
	add := func(part string) {
		if template.Check(part) == nil { // else it is refused as it stands
			src.WriteString(part + "\n")
		}
	}
	check := func() {
		t.Helper()
		out, unresolved, err := template.Preview(t.Context(), src.String(), odd())
		if err != nil && !strings.Contains(err.Error(), "is larger than") {
			t.Errorf("%.200s: %v", src.String(), err)
		}
		said := out
		for _, u := range unresolved {
			said += "\n" + u.Reason
		}
		for _, leak := range []string{"%!", "<nil>", "map[a:", "map[b:", "[]interface", "interface {}", "0xc0", "runtime error", "exec.", "template.", "*big", "strconv", "cannot be computed\n"} {
			if at := strings.Index(said, leak); at >= 0 {
				t.Errorf("%q in what %s gives: %.300s", leak, src.String(), said)
			}
		}
		src.Reset()
	}
	for _, v := range values {
		for _, name := range filterNames() {
			for _, call := range calls {
				add("{{ [(" + v + ")|" + name + call + "]|string|default('') }}")
			}
			check()
		}
		for _, f := range template.Functions() {
			name := f.Name
			if f.Kind != template.TestKind || strings.ContainsAny(name, "=<>") {
				continue
			}
			for _, arg := range []string{"", "(1)", "('a')", "([])"} {
				add("{{ (" + v + ") is " + name + arg + " }}")
			}
		}
		check()
		for _, w := range values {
			for _, op := range []string{"+", "-", "/", "//", "%", "~", "==", "<", "in", "and", "or", "*"} {
				add("{{ ((" + v + ") " + op + " (" + w + "))|default('') }}")
			}
			check()
		}
		for _, part := range []string{"{{ -(" + v + ") }}", "{{ (" + v + ")[0] }}", "{{ (" + v + ")[1:] }}", "{{ (" + v + ").a }}", "{{ (" + v + ")() }}", "{{ (" + v + ").upper() }}", "{% for a in " + v + " %}{{ a }}{% endfor %}", "{{ " + v + " }}"} {
			add(part)
		}
		check()
	}
}

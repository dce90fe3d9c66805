package template_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"bugle/engine/message/template"
)

func TestHostile(t *testing.T) {
	deep := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	tests := []struct{ name, src, message string }{
		{"repeat", `{{ "x" * 50000000 }}`, "larger than"},
		{"repeat by name", `{% set n = 50000000 %}{{ n * "x" }}`, "larger than"},
		{"doubling text", "{% set x = 'xxxxxxxxxx' %}" + strings.Repeat("{% set x = x ~ x %}", 40), "larger than"},
		{"doubling list", "{% set x = ['a'] %}" + strings.Repeat("{% set x = [x, x] %}", 40) + "{{ x }}", "larger than"},
		{"doubling map", "{% set x = 'a' %}" + strings.Repeat("{% set x = {'a': x, 'b': x} %}", 40) + "{{ x|tojson }}", "larger than"},
		{"many large values", "{% set s = 'x' * 1000000 %}{% for i in range(10000) %}{% set t = s ~ i %}{% endfor %}", "takes too long"},
		{"batch", "{{ [1]|batch(50000000, 'x') }}", "more than 10000 items"},
		{"join", "{% set s = 'x' * 100000 %}{{ range(1000)|join(s) }}", "larger than"},
		{"replace", "{% set s = 'x' * 100000 %}{{ s|replace('x', s) }}", "larger than"},
		{"replace within map", "{% set s = 'x' * 100000 %}{{ [s]|map('replace', 'x', s)|list }}", "larger than"},
		{"format width", "{{ '%99999999d'|format(1) }}", "a format"},
		{"format argument width", "{{ '%*d'|format(99999999, 1) }}", "a format"},
		{"text to list", "{{ ('a' * 1000000)|list|length }}", "items"},
		{"range", "{% for i in range(1000000000) %}{% endfor %}", "more than 10000 items"},
		{"backward range", "{% for i in range(0, -1000000000, -1) %}{% endfor %}", "more than 10000 items"},
		{"loops", "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}", "takes too long"},
		{"output", "{% set s = 'x' * 1000000 %}{{ s }}{{ s }}", "the result, or a value in this expression, is larger"},
		{"captured output", "{% set s = 'x' * 1000000 %}{% set t %}{{ s }}{{ s }}{% endset %}", "the result, or a value in this expression, is larger"},
		{"source", strings.Repeat("x", template.MaxSource) + "{{ 1 }}", "at most 256 KiB"},
		{"brackets", "{{ " + deep("(", "1", ")", 100_000) + " }}", "longer than 8 KiB"},
		{"blocks", deep("{% if true %}", "x", "{% endif %}", 10_000), "nested deeper"},
		{"set blocks", deep("{% set x %}", "x", "{% endset %}", 10_000), "nested deeper"},
		{"long chain", "{{ 1" + strings.Repeat("+1", 100_000) + " }}", "longer than 8 KiB"},
		{"division", "{{ 1 / 0 }}", "division by zero"},
		{"modulo", "{{ 1 % 0 }}", "division by zero"},
		{"power", "{{ 10.0 ** 400 }}", "not a number"},
		{"type mix-up", "{{ [1] - 'a' }}", "cannot compute with"},
		{"filter of the wrong kind", "{{ 5|batch(1) }}", "filter batch"},
		{"panic in a filter", "{{ ('x' * 9000)|truncate(8500, true, '', -8400) }}{{ 'abc'|truncate(-1, true, '', -2) }}", ""},
		{"own block", "{{ContentBlock['self']}}", `content block "self" contains itself`},
		{"blocks in a circle", "{{ContentBlock['ping']}}", `contains itself`},
		{"broken block", "{{ContentBlock['broken']}}", "content block broken: line 1"},
		{"for over a number", "{% for x in 5 %}{% endfor %}", "a number has no items"},
		{"private filter", "{{ 'x'|attr('y') }}", "no filter"},
		{"global of the engine", "{{ lipsum(n=1000000) }}", ""},
		{"method", "{{ 'x'.replace('', 'x' * 900000) }}", "larger than"},
		{"Go internals", "{{ user.city.__class__.x }}", ""},
		{"a method of a Go value", "{{ user.score.Float64() }}", "there is no method"},
		{"a member of a Go value", "{{ user.score.String }}", "it has no String"},
		{"a method of a list", "{{ ProductSet.shoes.Len() }}", "there is no method"},
		{"a method of what is looked into", "{{ user.Render() }}", "there is no method"},
		{"the context of the engine", "{{ context.data }}{{ self }}{{ gonja }}", "unknown name context"},
		{"a file by a filter", "{{ '/etc/passwd'|file }}", "there is no filter"},
		{"import of names", "{% from '/etc/passwd' import x %}", "{% from %} is not allowed here"},
		{"a macro that calls itself", "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "nested deeper"},
		{"a loop that calls itself", "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "nested deeper"},
		{"repeat of a list", "{{ [1] * 1000000000 }}", "more than 10000 items"},
		{"truncate below nothing", "{{ 'abc'|truncate(-9223372036854775807) }}{{ 1/0 }}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := template.Render(t.Context(), tt.src, data())
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), tt.message) || len(err.Error()) > 300 {
				t.Errorf("error %v, want %q", err, tt.message)
			}
			if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 300 {
				t.Errorf("%d MiB allocated", grown)
			}
		})
	}
}

func TestManyBlocks(t *testing.T) {
	d := template.Data{ContentBlocks: map[string]string{"b0": "x"}}
	for i := 1; i < 30; i++ {
		d.ContentBlocks[fmt.Sprint("b", i)] = strings.Repeat(fmt.Sprintf("{{ContentBlock.b%d}}", i-1), 2)
	}
	_, err := template.Render(t.Context(), "{{ContentBlock.b29}}", d)
	if err == nil || !strings.Contains(err.Error(), "the result, or a value in this expression, is larger") {
		t.Errorf("2^29 letters from 30 blocks: %v", err)
	}
	if got, err := template.Render(t.Context(), "{{ContentBlock.b10}}", d); err != nil || len(got) != 1024 {
		t.Errorf("2^10 letters from 11 blocks: %d, %v", len(got), err)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := template.Data{ContentAPIs: map[string]func(context.Context, ...any) (any, error){
		"stop": func(context.Context, ...any) (any, error) { cancel(); return "x", nil },
	}}
	src := "{{ ContentApi.stop() }}"
	if _, err := template.Render(ctx, src, d); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled while rendering: %v", err)
	}
	if _, _, err := template.Preview(ctx, "text", d); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %v", err)
	}
	panics := template.Data{ContentAPIs: map[string]func(context.Context, ...any) (any, error){
		"p": func(context.Context, ...any) (any, error) { panic("boom") },
	}}
	var e *template.Error
	if _, err := template.Render(t.Context(), "a {{ ContentApi.p() }}", panics); !errors.As(err, &e) || e.Column != 3 {
		t.Errorf("panic in a content API: %v", err)
	}
}

func FuzzRender(f *testing.F) {
	for _, src := range []string{
		"{{UserAttribute['First Name']|default('x')}}", "{% for p in ProductSet.shoes %}{{ loop.index }}{% else %}{% endfor %}",
		"{% if a is defined and not b in c %}{% elif x %}{% endif %}", "{% set x %}{% endset %}{% with a=1 %}{% endwith %}",
		"{%- raw -%}{{{% endraw %}{# c -#}", "{{ {'a': [1, (2,)]}['a'][0:1] ~ -1 ** 2 // 3 }}", "{{ContentBlock['outer']}}\r\n",
		"{{ f(in in }}", "{{ x|f(a=1, in }}", "{{ a.1.b(c)[d|e] if f else g }}",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		parsed := template.Check(src)
		out, missing, err := template.Preview(t.Context(), src, data())
		if parsed != nil && err == nil {
			t.Fatalf("Parse refuses (%v) what Preview shows", parsed)
		}
		var located *template.Error
		if err != nil && !errors.As(err, &located) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		if _, listed := template.Expressions(src); (listed == nil) != (parsed == nil) {
			t.Fatalf("Expressions: %v, Parse: %v", listed, parsed)
		}
		rendered, err := template.Render(t.Context(), src, data())
		if err == nil && (rendered != out || len(missing) > 0) && !strings.Contains(src, "random") {
			t.Fatalf("Render %q, Preview %q %v", rendered, out, missing)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	src := strings.Repeat("<p>Hello {{ user.first_name|default('friend') }}, {% if user.vip %}welcome to {{ user.city }}{% endif %}.</p>\n", 20)
	d := data()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := template.Render(b.Context(), src, d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlainText(b *testing.B) {
	src := strings.Repeat("<p>Hello friend.</p>\n", 200)
	for b.Loop() {
		_, _ = template.Render(b.Context(), src, template.Data{})
	}
}

package template

import (
	"slices"
	"strings"
	"testing"
)

// uses writes what a template uses: ? is optional, ! is written, | are the filters.
func uses(t *testing.T, src string) string {
	t.Helper()
	list, err := Expressions(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	var out []string
	for _, e := range list {
		s := e.Root + "." + e.Name
		if e.Optional {
			s += "?"
		}
		if e.Written {
			s += "!"
		}
		for _, f := range e.Filters {
			s += "|" + f
		}
		if e.Default != "" {
			s += "=" + e.Default
		}
		out = append(out, strings.ReplaceAll(strings.ReplaceAll(s, "UserAttribute.", "u."), "EventAttribute.", "e."))
	}
	return strings.Join(out, " ")
}

func TestUses(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		// Scopes.
		{"{% for user in event.list %}{{ user.x }}{% endfor %}{{ user.y }}", "e.list u.y!"},
		{"{% for a in user.l if a.x %}{{ a }}{{ loop.index }}{% else %}{{ a }}{% endfor %}{{ loop }}", "u.l? .a! .loop!"},
		{"{{ n }}{% set n = user.x %}{{ n }}", ".n! u.x"},
		{"{% if user.a %}{% set n = 1 %}{% endif %}{{ n }}", "u.a?"},
		{"{% for a in [1] %}{% set n = a %}{% endfor %}{{ n }}", ".n!"},
		{"{% with a = user.x, b = a %}{{ a }}{% endwith %}{{ b }}", "u.x .a .b!"},
		{"{% macro m(a, b=user.d) %}{{ a }}{{ b }}{{ later }}{{ user.x }}{% endmacro %}{% set later = 1 %}{{ m(user.y) }}{{ a }}", "u.d u.x! u.y .a!"},
		{"{% set a, (b, c) = user.l %}{{ a }}{{ b }}{{ c }}{{ d }}", "u.l .d!"},
		{"{% macro m(a) %}{% endmacro %}{% call(x) m(user.a) %}{{ x }}{{ y }}{% endcall %}", "u.a .y!"},
		{"{% set ns = namespace(n=0) %}{% set ns.n = ns.n + user.x %}{{ ns.n }}{{ range(3) }}", "u.x"},
		{"{% for user in user.friends %}{{ UserAttribute['x'] }}{% endfor %}", "u.friends u.x!"},
		// Precedence, defaults.
		{"{% if 'x' in user.a|default('xyz') %}{% endif %}", "u.a?|default='xyz'"},
		{"{{ (user.a ~ event.b)|upper|d }}", "u.a?!|upper|d e.b?!|upper|d"},
		{"{{ user.a|upper|default(user.b) }}", "u.a?!|upper|default=user.b u.b!"},
		{"{{ user.a or 'x' }}{{ user.a or user.b }}{{ user.a and user.b }}", "u.a?! u.a?! u.b! u.a! u.b!"},
		{"{{ UserAttribute.get('Orders', 0) > 5 }}{{ user.get('a') }}{{ user.items() }}", "u.Orders?=0 u.a! u.!"},
		{"{{ user.a[user.b].get(user.d) }}{{ user[event.k] }}", "u.a! u.b u.d u.! e.k"},
		{"{{ ContentApi.w(user.city, 1).a }}{{ ContentBlock['f'] }}{{ ProductSet.s[0].t }}", "ContentApi.w! u.city ContentBlock.f! ProductSet.s!"},
		{"{{ 'a' if user.x == 1 else user.y + 1 }}{{ -user.z }}", "u.x? u.y! u.z"},
		{"{{ user.x > 3 }}{{ user.x is none }}{{ not user.x }}{{ [user.x] }}", "u.x u.x? u.x? u.x"},
		{"{% if user.vip and ContentBlock[event.key] is defined %}{{ ContentApi.w(user.city, 1).a }}{% endif %}", "u.vip? ContentBlock.? e.key ContentApi.w! u.city"},
		// Branches.
		{"{% if user.x is defined %}{{ user.x }}{{ user.y }}{% else %}{{ user.x }}{% endif %}{{ user.x }}", "u.x? u.x?! u.y! u.x! u.x!"},
		{"{% if not user.x %}{{ user.x }}{% elif user.y %}{{ user.x }}{{ user.y.upper() }}{% endif %}", "u.x? u.x! u.y? u.x?! u.y?!"},
		{"{% if user.x is none or user.x is undefined %}a{% else %}{{ UserAttribute['x'] }}{% endif %}", "u.x? u.x? u.x?!"},
		{"{{ user.x if user.x and event.y else user.x }}{{ user.a and user.a.b }}", "u.x?! u.x? e.y? u.x! u.a! u.a!"},
		{"{% if user.a.b %}{{ user.a }}{{ user.a.c }}{% endif %}", "u.a? u.a?! u.a!"},
		{"{% for user in [1] %}{% if user.x %}{{ UserAttribute.x }}{% endif %}{% endfor %}", "u.x!"},
		// What is written.
		{"{% filter e|trim %}{{ user.x|upper }}{% endfilter %}{{ user.y }}", "u.x!|upper|e|trim u.y!"},
		{"{% autoescape true %}{{ user.x }}{% endautoescape %}{% set t|e %}{{ user.y }}{% endset %}", "u.x!|e u.y!|e"},
	} {
		if got := uses(t, tt.src); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestPlacesOfUses(t *testing.T) {
	src := "{{UserAttribute['First Name']|default('x')}}\n{% set n = event.product %}ä{{ (n ~ user.c)|upper }}{% macro m() %}{{ frist_name }}{% endmacro %}{{user.a}}"
	list, err := Expressions(src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Source)
		if src[e.Start:e.End] != e.Source {
			t.Errorf("%q is not at %v", e.Source, e.Span)
		}
	}
	want := []string{"UserAttribute['First Name']|default('x')", "event.product", "user.c", "frist_name", "user.a"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

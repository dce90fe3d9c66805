package template_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"bugle/engine/doc"
	"bugle/engine/message/template"
)

// What templates mean in Jinja 3.1, where other readings of them sent the wrong text.
func TestMeaning(t *testing.T) {
	user := map[string]any{
		"tier": "Silver", "Age": 40, "n": 3, "l": []any{1}, "Points": 12850, "Orders": 19, "Name": "d'angelo o'neil", "html": "<b>", "x": true, "y": false,
		"holes": []any{"a", nil}, "weight": json.Number("1.50"), "items": []any{map[string]any{"p": 50}, map[string]any{"p": 5.5}}, "When": "2026-03-05T14:30:00Z", "price": 1234.5,
		"ps": []any{map[string]any{"c": "a", "n": 1}, map[string]any{"c": "a", "n": 2}, map[string]any{"c": "b", "n": 3}},
	}
	const rows = "{% set m = {'b': 1, 'a': 2} %}{% set tree = [{'n': 'a', 'c': [{'n': 'b', 'c': []}]}, {'n': 'd', 'c': []}] %}"
	for _, tt := range []struct{ src, want string }{
		// Precedence.
		{"{% if 'gold' in user.tier|lower %}G{% else %}n{% endif %}", "n"},
		{"{{ 'G' if 'gold' in user.tier|lower else 'n' }}", "n"},
		{"{% set g = 'gold' in user.tier|lower %}{% if g %}G{% else %}n{% endif %}", "n"},
		{"{% if user.x and 'gold' in user.tier|lower %}G{% else %}n{% endif %}", "n"},
		{"{% if 'x' in user.missing|default('xyz') %}A{% else %}B{% endif %}", "A"},
		{"{% if 18 <= user.age <= 30 %}y{% else %}o{% endif %}", "o"},
		{"{{ 1 + user.n is odd }} {{ 1 <= user.l is defined }}", "2 True"},
		{"{{ not not 1 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ -1|abs }} {{ 1 < 2 == 2 }}", "True 64 4 1 True"},
		// Methods and what default replaces.
		{"{% set t = [] %}{% for i in user.items %}{% set _ = t.append(i.p) %}{% endfor %}{{ t|sum }}", "55.5"},
		{"{{ '{:,}'.format(user.Points)|default('0') }}", "12,850"},
		{"{% if UserAttribute.get('Orders', 0) > 5 %}VIP{% else %}std{% endif %}", "VIP"},
		{"{{ user.get('nope', 7) }} {{ user.get('orders') }} {{ 'Orders' in user }}", "7 19 True"},
		{"{{ user.Name.title() }} {{ user.Name|title }}", "D'Angelo O'Neil D'angelo O'neil"},
		{"{{ (1/0)|default('n/a') }} {{ [1][5]|default('none') }}", "n/a none"},
		{"{{ user.get('nope') is none }} {{ user.get('nope') == none }} {{ user.get('nope')|default('d') }} {{ {}.get('a')|upper|default('d') }} {{ user.get('nope') or 'd' }}", "True True d d d"},
		{"{{ '40' == 40 }} {{ 40 != '40' }}", "False True"},
		// Loops.
		{"{% for p in user.ps %}{% if loop.previtem is undefined or loop.previtem.c != p.c %}[{{p.c}}]{% endif %}{{p.n}}{% endfor %}", "[a]12[b]3"},
		{"{% for p in user.ps %}{{ loop.cycle('odd', 'even') }}{% if loop.changed(p.c) %}!{% endif %}{{ loop.depth }}{{ loop.depth0 }}{{ loop.nextitem.n if loop.nextitem is defined }} {% endfor %}", "odd!102 even103 odd!10 "},
		{"{% for i in 'abc' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}", "1032TrueFalse3 2121FalseFalse3 3210FalseTrue3 "},
		{"{% for k, v in {'S': 'Small', 'M': 'Medium', 'L': 'Large'}.items() %}{{ v }} {% endfor %}", "Small Medium Large "},
		{rows + "{% for t in tree recursive %}{{ loop.depth }}{{ t.n }}{% if t.c %}({{ loop(t.c) }}){% endif %}{% endfor %}", "1a(2b)1d"},
		{"{% for i in [1, 2, 3, 4] if i is even %}{{ i }}{{ loop.length }}{% else %}none{% endfor %}{% for i in [1] if i > 1 %}{% else %}none{% endfor %}", "2242none"},
		{"{% for a, (b, c), d in [(1, (2, 3), 4)] %}{{ a }}{{ b }}{{ c }}{{ d }}{% endfor %}", "1234"},
		// Scopes.
		{"{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = 5 %}{{ x }}{% endfor %}{{ x }}", "15151"},
		{"{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}{% with x = 3, y = x %}{{ x }}{{ y }}{% set x = 4 %}{{ x }}{% endwith %}{{ x }}", "23242"},
		{"{% set x = 1 %}{% set y %}{% set x = 2 %}{{ x }}{% endset %}{{ x }}{{ y }}{% filter upper %}{% set x = 'a' %}{{ x }}{% endfilter %}{{ x }}", "12A1"},
		{"{% macro f() %}{{ x }}{% set x = 3 %}{{ x }}{% endmacro %}{% set x = 1 %}{{ f() }}{% set x = 2 %}{{ f() }}{{ x }}", "13232"},
		{"{% for i in [1, 2] %}{% if i == 2 %}{{ seen|default('new') }}{% endif %}{% set seen = 'old' %}{% endfor %}", "new"},
		{"{% set ns = namespace(n=0, t='') %}{% for i in [1, 2, 3] %}{% set ns.n = ns.n + i %}{% if i == 2 %}{% set ns.t = 'two' %}{% endif %}{% endfor %}{{ ns.n }}{{ ns.t }}", "6two"},
		{"{% for x in [1] %}{% for y in [2] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}", "11"},
		// Safe text.
		{"{{ user.html|e|e }} {{ user.html|safe|e }}", "&lt;b&gt; <b>"},
		{"{% autoescape true %}{{ user.html }}{{ user.html|safe }}{{ '<i>' }}{% set s %}<u>{{ user.html }}</u>{% endset %}{{ s }}{% endautoescape %}{{ user.html }}", "&lt;b&gt;<b>&lt;i&gt;<u>&lt;b&gt;</u><b>"},
		// Tuples, maps, none, Unicode, escapes.
		{rows + "{{ (1,2) }} {{ m|dictsort }} {{ m|items|list }} {{ m }} {{ (1,) }}", "(1, 2) [('a', 2), ('b', 1)] [('b', 1), ('a', 2)] {'b': 1, 'a': 2} (1,)"},
		{"{% set x = 'a' if false %}{{ x|default('d') }}[{{ 'a' if false }}{{ 'b' ~ ('a' if false) }}]", "d[b]"},
		{"{{ none is undefined }} {{ nope is not none }} {{ nope == none }} {{ nope is sequence }} {{ none is none }}", "False True False True True"},
		{"{{ 'ΟΔΟΣ'|title }} {{ 'ßa'|title }} {{ '１２'|int }} a\u00a0{{- 1 -}}\u00a0b", "Οδος SSa 12 a1b"},
		{`{{ 'a\` + "\n" + `b' }} {{ 'a\tb\x41\u00e9' }} {{ "a" "b" }}`, "ab a\tbAé ab"},
		// Numbers and formats.
		{"{{ '{:,.2f}'.format(user.price) }} {{ '%.2f' % user.price }} {{ '%.2f'|format(user.price) }} {{ '{:,}'.format(1234567) }}", "1,234.50 1234.50 1234.50 1,234,567"},
		{"{{ 6 / 3 }} {{ 7 // 2 }} {{ '3' * 2 }} {{ 9007199254740993 + 1 }}", "2 3 33 9007199254740994"},
		// Inline if anywhere.
		{"{{ ('a' if user.x else 'b') ~ ('c' if user.y else 'd' if user.x else 'e') }} {{ [1 if user.x else 2, 3]|first }} {{ 'x'|default('y' if user.x else 'z') }}", "ad 1 x"},
		// Methods.
		{"{{ 'a b'.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'abc'.find('c') }} {{ 'abc'.index('b') }} {{ 'aab'.count('a') }} {{ '12'.isdigit() }} {{ ', '.join(['a', 'b']) }} {{ ' a '.lstrip() }}|{{ ' a '.rstrip() }}|",
			"['a', 'b'] ['a', 'b,c'] 2 1 2 True a, b a | a|"},
		{rows + "{{ m.values()|list }} {{ m.get('b') }} {{ m.get('z', 0) }} {{ m.keys()|list }}", "[1, 2] 1 0 ['b', 'a']"},
		// Unpacking.
		{"{% set y, m, d = '2026-03-05'.split('-') %}{{ d }}.{{ m }}.{{ y }} {% set a, b = 1, 2 %}{{ a }}{{ b }} {% for a, b, c in [(1, 2, 3)] %}{{ c }}{% endfor %}", "05.03.2026 12 3"},
		{"{% for c, ps in user.ps|groupby('c') %}{{ c }}:{{ ps|map(attribute='n')|join(',') }} {% endfor %}{% for g in user.ps|groupby('c') %}{{ g.grouper }}{{ g.list|length }}{% endfor %}", "a:1,2 b:3 a2b1"},
		// Macros, call, filter, set with a filter.
		{"{% macro b(text, url='#', n=text|length) %}<a href='{{ url }}'>{{ text }}{{ n }}</a>{% endmacro %}{{ b('Go') }}{{ b('Go', url='/x') }}{{ b(text='A', n=9) }}", "<a href='#'>Go2</a><a href='/x'>Go2</a><a href='#'>A9</a>"},
		{"{% macro box(t) %}[{{ t }}:{{ caller('x') }}]{% endmacro %}{% call(v) box('T') %}in {{ v }}{% endcall %}", "[T:in x]"},
		{"{% macro f(n) %}{{ n }}{% if n > 1 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}", "321"},
		{"{% filter upper %}a{{ user.tier }}{% endfilter %} {% set x|upper|trim %} ab {% endset %}{{ x }} {% set z %}{{ 1 }}{% endset %}{{ z ~ 1 }}", "ASILVER AB 11"},
		{"{{ [1, 2, 3][::-1] }} {{ 'abc'[::2] }} {{ [1, 2, 3][-2:] }}", "[3, 2, 1] ac [2, 3]"},
		// Rarer ones.
		{"[{{ nope|default }}] {{ 1 is sameas 1 }} {{ {'a': 1,}['a'] }} {{ {'x': [[1, 2]]}.x.0.1 }} {{ dict(a=1).a }}", "[] True 1 2 1"},
		{"{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }} {% set j = joiner(', ') %}{% for i in 'ab' %}{{ j() }}{{ i }}{% endfor %}", "abab a, b"},
		{"{{ 'see https://x.example now'|urlize }}", `see <a href="https://x.example" rel="noopener">https://x.example</a> now`},
		{"<p{{ {'class': 'a', 'id': none, 'title': '<'}|xmlattr }}>", `<p class="a" title="&lt;">`},
		{"{% do [1] %}{% set l = [] %}{% do l.append(1) %}{{ l }}", "[1]"},
		// Dates.
		{"{{ now().strftime('%d.%m.%Y %H:%M') }} {{ (now() + timedelta(days=3)).strftime('%A') }} {{ (now() - user.When|date).days }}", "06.03.2026 11:00 Monday 0"},
		{"{{ user.When|date < now() }} {{ (user.When|date).year }}", "True 2026"},
		{"{{ ('1 May 2026 GMT'|date('%d %B %Y %Z')).day }} {{ (20260501|string|date('%Y%m%d')).day }} {{ 20261341|date < now() }}", "1 1 True"},
		{"{{ 20260501|date|default('d') }} {{ (date('1600-01-01') - date('2000-01-01'))|default('d') }} {{ (timedelta(days=99000) + timedelta(days=99000))|default('d') }} {{ (timedelta(days=-99000) - timedelta(days=99000))|default('d') }} {{ (timedelta(days=99) * 9999)|default('d') }}", "d d d d d"},
		// Order of JSON.
		{"{{ ContentApi.menu()|list }}{% for k, v in ContentApi.menu().items() %}{{ k }}{{ v }}{% endfor %}", "['z', 'a']z1.50a2"},
		{"{{ ContentApi.json([user.holes, {user.weight: 1, 2: user.holes}]) }}", `[["a",null],{"1.50":1,"2":["a",null]}]`},
	} {
		d := data()
		d.UserAttributes = user
		d.Now = time.Date(2026, 3, 6, 10, 0, 0, 0, time.UTC)
		d.Zone = time.FixedZone("", 3600)
		menu, err := doc.Parse([]byte(`{"z": 1.50, "a": 2}`))
		if err != nil {
			t.Fatal(err)
		}
		d.ContentAPIs["menu"] = func(ctx context.Context, args ...any) (any, error) { return menu, nil }
		d.ContentAPIs["json"] = func(ctx context.Context, args ...any) (any, error) {
			text, err := json.Marshal(args[0])
			return string(text), err
		}
		got, err := template.Render(t.Context(), tt.src, d)
		if err != nil || got != tt.want {
			t.Errorf("%s\ngot  %q, %v\nwant %q", tt.src, got, err, tt.want)
		}
	}
}

// What Jinja refuses is refused, when it is written or when it meets its values, and a default does not hide it.
func TestRefused(t *testing.T) {
	for _, src := range []string{
		"{{ 010 }}", "{{ 5|length|default(0) }}", "{% set true = 42 %}", "{{ 'a'.nope()|default('x') }}", "{{ nope() }}", "{{ 'a'|upper(1, 2)|default('x') }}",
		"{{ 'a'|nope }}", "{{ 1 is nope }}", "{{ [1][::0] }}", "{{ range() }}", "{% include 'a' %}", "{% extends 'a' %}", "{% import 'a' as b %}", "{% block a %}{% endblock %}",
		"{{ nope > 5 }}", "{% if nope > 5 %}a{% else %}b{% endif %}", "{% if '40' > 5 %}a{% else %}b{% endif %}", "{{ ('40' > 5)|default('x') }}", "{{ ('a' + 1)|default('x') }}", "{{ now()|date('%d.%m.%Y')|default('x') }}",
		"{{ user.get('Missing')|upper }}", "{{ 'Hi ' ~ user.get('Missing') }}", "{{ user.get('Missing')|int }}", "{{ {}.get('a')|e }}", "{{ user.address.get('x')|urlencode }}",
		"{{ ([{'p': 1}, {'p': 2}]|sort(attribute='q'))[0].p }}", "{{ [{'p': 1}]|groupby('q')|length }}", "{{ [{'p': 1}]|unique(attribute='q')|length }}", "{{ {'a': user.nope}|dictsort }}", "{{ user.holed|unique|length }}", "{{ user.holedmap|dictsort(by='value')|length }}",
		"{{ ('1 May 2026 EDT'|date('%d %B %Y %Z')).day }}", "{{ ('1 May 2026 CEST'|date('%d %B %Y %Z'))|default('d') }}", "{{ 20260501|date }}",
		"{{ 5.upper() }}", "{{ user.city.append(1)|default('x') }}", "{% set _ = user.city.append(1) %}", "{% set x = 1 / 0 %}", "{% set x = 1 / 0 %}{{ x }}", "{% with x = 1 / 0 %}{% endwith %}",
		"{% set x = 'a'.nope %}{{ x }}", "{% if 'gold' in nope|lower %}a{% else %}b{% endif %}", "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% set a, b = [1] %}", "{% for k, v in user.address %}{% endfor %}",
		"{{ loop(1) }}", "{% for x in [1] %}{{ loop([2]) }}{% endfor %}", "{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}", "{% macro f(a) %}{% endmacro %}{{ f(b=2) }}", "{% macro f(a) %}{{ a }}{% endmacro %}{{ f() }}",
		"{% macro f(a) %}{% endmacro %}{% call f(1) %}{% endcall %}", "{% set city.x = 1 %}", "{% set x = 1 %}{% set x.y = 1 %}", "{{ user }}", "{{ range }}", "{% macro f() %}{% endmacro %}{{ f }}", "{{ none }}",
	} {
		d := data()
		d.UserAttributes["holed"], d.UserAttributes["holedmap"] = []any{nil}, map[string]any{"a": nil}
		out, err := template.Render(t.Context(), src, d)
		if err == nil {
			t.Errorf("%s: rendered as %q", src, out)
			continue
		}
		var missing *template.MissingError
		var located *template.Error
		if !errors.As(err, &missing) && !errors.As(err, &located) {
			t.Errorf("%s: %T %v", src, err, err)
		}
	}
}

// What is wrong with a template whatever its data are is found when it is parsed.
func TestFoundWhenParsed(t *testing.T) {
	for _, src := range []string{
		"{{ 'a'|upper(1) }}", "{{ 'a'|nope }}", "{{ 1 is nope }}", "{{ 1 is divisibleby }}", "{{ x.zfill(3) }}", "{{ x|filesizeformat }}", "{{ x|tojson(indent=2) }}", "{{ x|int(0, 16) }}", "{{ x.nope() }}", "{{ nope() }}", "{{ range() }}", "{{ x[::0] }}", "{{ 'a'|truncate(size=3) }}", "{{ user.a.startswith() }}",
	} {
		var e *template.Error
		if err := template.Check(src); !errors.As(err, &e) || e.Line != 1 || e.Column < 4 {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// A name whose value cannot be computed is unresolved where it is used, and where it is set only if nothing uses it.
func TestFailedSets(t *testing.T) {
	for _, tt := range []struct{ src, preview, expression, reason string }{
		{"{% set x = 1 / 0 %}a", "a", "set x = 1 / 0", "division by zero"},
		{"{% set x = 1 / 0 %}{{ x }}", "{{ x }}", "set x = 1 / 0", "division by zero"},
		{"{% set x = 1 / 0 %}{{ x|default('d') }}", "d", "", ""},
		{"{% set x = user.nope %}a", "a", "", ""},
		{"{% set x = user.nope %}{{ x }}", "{{ x }}", "user.nope", "the user has no attribute nope"},
		{"{% set x = user.nope > 3 %}{% if x %}a{% endif %}b", "{% if x %}a{% endif %}b", "user.nope", "the user has no attribute nope"},
		{"{% set a, b = 1 / 0, 2 %}{{ b|default('d') }}", "d", "", ""},
		{"{% set _ = user.city.append(1) %}a", "a", "set _ = user.city.append(1)", "a text has no method append"},
		{"{% set x = user.city.append(1) %}{{ x|default('d') }}", "{{ x|default('d') }}", "set x = user.city.append(1)", "a text has no method append"},
		{"{% with x = 1 / 0 %}{{ x }}{% endwith %}", "{{ x }}", "with x = 1 / 0", "division by zero"},
	} {
		preview, unresolved, err := template.Preview(t.Context(), tt.src, data())
		got := template.Unresolved{}
		if len(unresolved) == 1 {
			got = unresolved[0]
		}
		if err != nil || len(unresolved) > 1 || preview != tt.preview || got.Expression != tt.expression || got.Reason != tt.reason {
			t.Errorf("%s: %q, %+v, %v", tt.src, preview, unresolved, err)
		}
	}
}

// Loops within loops over lists that are allowed, and what they write, are within the limits.
func TestLimitsAgree(t *testing.T) {
	d := data()
	long := make([]any, 300)
	for i := range long {
		long[i] = map[string]any{"n": i}
	}
	d.UserAttributes["long"] = long
	for _, src := range []string{
		"{% for a in user.long %}{% for b in user.long %}{% if a.n == b.n %}{{ a.n * 2 }} {% endif %}{% endfor %}{% endfor %}",
		"{% for i in range(9999) %}{{ i }}{% if i is even %},{% endif %}{% endfor %}",
		"{% set ns = namespace(n=0) %}{% for a in range(300) %}{% for b in range(300) %}{% set ns.n = ns.n + a * b %}{% endfor %}{% endfor %}{{ ns.n }}",
	} {
		out, err := template.Render(t.Context(), src, d)
		if err != nil || strings.TrimSpace(out) == "" {
			t.Errorf("%s: %v", src, err)
		}
	}
}

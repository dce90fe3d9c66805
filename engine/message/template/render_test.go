package template_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"bugle/engine/message/template"
)

func data() template.Data {
	return template.Data{
		UserAttributes: map[string]any{
			"First Name": "Ada", "city": "Oslo", "Age": float64(36), "Score": json.Number("1.50"), "vip": true,
			"tags": []any{"red", "green"}, "Empty": "", "Null": nil, "Big Spender (EUR)": 7, "html": "<b>&</b>",
			"address": map[string]any{"zip": "0150"}, "amount": "12",
		},
		EventAttributes:         map[string]any{"product": "Kettle", "Price Paid": 19.5},
		BusinessEventAttributes: map[string]any{"season": "spring"},
		ContentBlocks: map[string]string{
			"footer": "Bye {{ user.first_name }}", "plain": "no tags\n", "outer": "[{{ContentBlock['footer']}}]",
			"self": "{{ContentBlock['self']}}", "ping": "{{ContentBlock['pong']}}", "pong": "{{ContentBlock.ping}}",
			"broken": "{% if %}", "holed": "x {{ user.nothing }} y",
		},
		ProductSets: map[string][]map[string]any{"shoes": {{"title": "Boot", "price": 80}, {"title": "Clog", "price": 20}}, "none": {}},
		ContentAPIs: map[string]func(context.Context, ...any) (any, error){
			"weather": func(_ context.Context, args ...any) (any, error) {
				return map[string]any{"today": "rain in " + args[0].(string)}, nil
			},
			"down": func(context.Context, ...any) (any, error) { return nil, errors.New("connection refused") },
		},
	}
}

func TestRender(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"no tags", "Hi { there } %} \r\n\t", "Hi { there } %} \r\n\t"},
		{"by name", "{{UserAttribute['First Name']}}", "Ada"},
		{"double quotes", `{{UserAttribute["First Name"]}}`, "Ada"},
		{"by snake case", "{{user.first_name}} {{ user.big_spender_eur }}", "Ada 7"},
		{"by its own name", "{{ user.city }}", "Oslo"},
		{"event", "{{EventAttribute['product']}} {{ event.price_paid }}", "Kettle 19.5"},
		{"business event", "{{BusinessEventAttribute['season']}}", "spring"},
		{"whole number", "{{user.age}}", "36"},
		{"number keeps its spelling", "{{user.score}} {{ user.score * 2 }}", "1.50 3"},
		{"boolean", "{{user.vip}}", "True"},
		{"nested value", "{{user.address.zip}}", "0150"},
		{"empty text is a value", "[{{user.empty}}]", "[]"},
		{"default for missing", "{{user.nickname|default('friend')}}", "friend"},
		{"default for null", "{{user.null|d('x')}}", "x"},
		{"default after other filters", "{{user.nickname|upper|default('friend')}}", "friend"},
		{"default for empty", "{{user.empty|default('x', true)}}", "x"},
		{"default not needed", "{{user.city|default('x')}}", "Oslo"},
		{"deep default", "{{ContentApi.down(1).a.b|default('n/a')}}", "n/a"},
		{"or", "{{user.nickname or 'friend'}}", "friend"},
		{"missing in if", "{% if UserAttribute['x'] %}a{% else %}b{% endif %}", "b"},
		{"missing compared", "{% if user.x == 'y' or user.x %}a{% elif user.x != 'y' %}b{% endif %}", "b"},
		{"missing and not", "{% if not user.x %}a{% endif %}", "a"},
		{"defined", "{{ 'a' if user.x is defined else 'b' }}{{ 'c' if user.city is defined }}", "bc"},
		{"missing set, then default", "{% set n = user.x %}{{ n|default('y') }}", "y"},
		{"set in if is seen after", "{% set n = 'a' %}{% if true %}{% set n = 'b' %}{% endif %}{{ n }}", "b"},
		{"set block", "{% set n %}<{{user.city}}>{% endset %}{{n}}{{n}}", "<Oslo><Oslo>"},
		{"with", "{% with a='x', b=user.city %}{{a}}{{b}}{% endwith %}", "xOslo"},
		{"raw", "{% raw %}{{ user.x }} ‘{% if %}{% endraw %}", "{{ user.x }} ‘{% if %}"},
		{"empty raw", "a{% raw %}{% endraw %}b", "ab"},
		{"comment", "a{# {{ nothing }} #}b", "ab"},
		{"content block", "{{ContentBlock['outer']}}{{ContentBlock.plain}}", "[Bye Ada]no tags\n"},
		{"product set", "{{ProductSet.shoes[0].title}} {{ProductSet.shoes[-1].title}} {{ProductSet['shoes']|length}}", "Boot Clog 2"},
		{"content API", "{{ContentApi.weather(user.city).today}}", "rain in Oslo"},
		{"loop", "{% for p in ProductSet.shoes if p.price > 10 %}{{loop.index}}/{{loop.length}} {{p.title}}{% if not loop.last %}, {% endif %}{% endfor %}", "1/2 Boot, 2/2 Clog"},
		{"loop over pairs", "{% for k, v in user.address.items() %}{{k}}={{v}}{% endfor %}{% for k in user.address %}{{k}}{% endfor %}", "zip=0150zip"},
		{"loop else", "{% for p in ProductSet.none %}x{% else %}none{% endfor %}{% for p in user.x %}x{% else %}none{% endfor %}", "nonenone"},
		{"range", "{% for i in range(1, 4) %}{{i}}{% endfor %}", "123"},
		{"filters", "{{ user.city|upper|lower|title }} {{ user.tags|join(', ') }} {{ 'a-b'|replace('-', '+') }} {{ user.age|string|length }}", "Oslo red, green a+b 2"},
		{"more filters", "{{ 3.14159|round(2) }} {{ [3,1,2]|sort|first }} {{ [1,2,3]|sum }} {{ ' x '|trim }} {{ 'a b c'|truncate(3, true, '') if false else 'q' }} {{ 'ø å'|urlencode }}", "3.14 1 6 x q %C3%B8%20%C3%A5"},
		{"map by attribute", "{{ ProductSet.shoes|map(attribute='title')|join('/') }} {{ {'b':1,'a':2}|dictsort|first|first }}", "Boot/Clog a"},
		{"methods", "{{ user.first_name.upper() }} {{ user.address.get('x', 'y') }} {{ 'a,b'.split(',')[1] }}", "ADA y b"},
		{"operators", "{{ 7 // 2 }} {{ 7 % 4 }} {{ 1 / 4 }} {{ 2 ** 10 }} {{ 'a' ~ 1 }} {{ 'ab' * 2 }} {{ user.amount|int * 2 }} {{ -3 + 1 }} {{ 9 / 3 }}", "3 3 0.25 1024 a1 abab 24 -2 3"},
		{"tests", "{{ 'y' if 'red' in user.tags else 'n' }}{{ 'y' if 4 is even else 'n' }}{{ 'y' if 9 is divisibleby 3 }}{{ 'y' if 'z' not in 'abc' }}", "yyyy"},
		{"slices", "{{ 'hello'[1:3] }}{{ user.tags[:1][0] }}", "elred"},
		{"html is not escaped", "{{ user.html }}{{ user.html|escape }}", "<b>&</b>&lt;b&gt;&amp;&lt;/b&gt;"},
		{"trailing newline stays", "{{user.city}}\n", "Oslo\n"},
		{"two trailing newlines stay", "{{user.city}}\n\n", "Oslo\n\n"},
		{"CRLF stays", "a\r\n{{user.city}}\r\n", "a\r\nOslo\r\n"},
		{"trim", "a  {{- user.city -}}  b {%- if true -%} c {%- endif -%} d", "aOslobcd"},
		{"line breaks in tags", "{% if\nuser.city\n and\ntrue %}{{\n user.city\n|upper\n}}{% endif %}", "OSLO"},
		{"line break in quotes", "{{ 'a\nb' }}", "a\nb"},
		{"unicode", "{{ 'Grüße, 世界' }} ‘{{user.city}}’", "Grüße, 世界 ‘Oslo’"},
		{"braces in a dict", "{{ {'a': {'b': 1}}['a']['b'] }}", "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := template.Check(tt.src); err != nil {
				t.Fatalf("Parse: %v", err)
			}
			got, err := template.Render(t.Context(), tt.src, data())
			if err != nil {
				t.Fatalf("Render: %v", err)
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			preview, unresolved, err := template.Preview(t.Context(), tt.src, data())
			if err != nil || preview != tt.want || len(unresolved) > 0 {
				t.Errorf("Preview differs from Render: %q, %v, %v", preview, unresolved, err)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	tests := []struct{ name, src, preview, expression, reason string }{
		{"user", "Hi {{ UserAttribute['Nick Name'] }}!", "Hi {{ UserAttribute['Nick Name'] }}!", "UserAttribute['Nick Name']", "the user has no attribute Nick Name"},
		{"null", "{{user.null}}", "{{user.null}}", "user.null", "the user has no attribute null"},
		{"filtered", "{{user.x|upper}}", "{{user.x|upper}}", "user.x", "the user has no attribute x"},
		{"within text", "{{ 'a' ~ event.x ~ 'b' }}", "{{ 'a' ~ event.x ~ 'b' }}", "event.x", "the event has no attribute x"},
		{"deep", "{{ user.address.street.no }}", "{{ user.address.street.no }}", "user.address.street.no", "it has no street"},
		{"index", "{{ProductSet.shoes[7].title}}", "{{ProductSet.shoes[7].title}}", "ProductSet.shoes[7].title", "the list has a length of 2"},
		{"block", "{{ContentBlock['x']}}", "{{ContentBlock['x']}}", "ContentBlock['x']", "there is no content block x"},
		{"within a block", "<{{ContentBlock['holed']}}>", "<x {{ user.nothing }} y>", "user.nothing", "the user has no attribute nothing"},
		{"failing API", "{{ContentApi.down('a').b}}", "{{ContentApi.down('a').b}}", "ContentApi.down('a').b", "content API down: connection refused"},
		{"unknown API", "{{ContentApi.x(1)}}", "{{ContentApi.x(1)}}", "ContentApi.x(1)", "there is no content API x"},
		{"API not called", "{{ContentApi.weather}}", "{{ContentApi.weather}}", "ContentApi.weather", "weather is called with parentheses"},
		{"unknown name", "{{usr.x}}", "{{usr.x}}", "usr.x", "unknown name usr, did you mean user?"},
		{"root alone", "{{ UserAttribute }}", "{{ UserAttribute }}", "UserAttribute", "the name to look up is missing, as in UserAttribute['name']"},
		{"loop", "a{% for t in user.x %}{{t}}{% endfor %}\nb", "a{% for t in user.x %}{{t}}{% endfor %}\nb", "user.x", "the user has no attribute x"},
		{"CRLF", "{{user.x\r\n}}\r\n", "{{user.x\r\n}}\r\n", "user.x", "the user has no attribute x"},
		{"dash", "a {{- user.x -}} b", "a{{- user.x -}}b", "user.x", "the user has no attribute x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := template.Render(t.Context(), tt.src, data())
			var missing *template.MissingError
			if !errors.As(err, &missing) || out != "" {
				t.Fatalf("Render = %q, %v; want a *MissingError", out, err)
			}
			if got := missing.Unresolved[0]; got.Expression != tt.expression || got.Reason != tt.reason {
				t.Errorf("unresolved %q because %q\nwant %q because %q", got.Expression, got.Reason, tt.expression, tt.reason)
			}
			preview, unresolved, err := template.Preview(t.Context(), tt.src, data())
			if err != nil || preview != tt.preview || len(unresolved) != 1 {
				t.Errorf("Preview = %q, %v, %v; want %q", preview, unresolved, err, tt.preview)
			}
		})
	}
}

func TestSeveralMissing(t *testing.T) {
	src := "Dear {{user.a}},\n  {{ user.first_name }} {{user.b|upper}} {{user.a}} {{ContentBlock['holed']}}"
	preview, unresolved, err := template.Preview(t.Context(), src, data())
	if err != nil {
		t.Fatal(err)
	}
	if want := "Dear {{user.a}},\n  Ada {{user.b|upper}} {{user.a}} x {{ user.nothing }} y"; preview != want {
		t.Errorf("preview %q", preview)
	}
	want := []template.Unresolved{
		{Expression: "user.a", Line: 1, Column: 8, Reason: "the user has no attribute a"},
		{Expression: "user.b", Line: 2, Column: 27, Reason: "the user has no attribute b"},
		{Expression: "user.nothing", Line: 1, Column: 6, Block: "holed", Reason: "the user has no attribute nothing"},
	}
	if len(unresolved) != len(want) {
		t.Fatalf("unresolved %v", unresolved)
	}
	for i := range want {
		if unresolved[i] != want[i] {
			t.Errorf("unresolved[%d] = %+v, want %+v", i, unresolved[i], want[i])
		}
	}
	_, err = template.Render(t.Context(), src, data())
	if want := "no value for {{user.a}}: the user has no attribute a; {{user.b}}: the user has no attribute b; {{user.nothing}} in content block holed: the user has no attribute nothing (set a value, or add |default('…'))"; err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	_, err = template.Render(t.Context(), "{{ ('40' > 5)|default('x') }}", data())
	if err == nil || !strings.HasSuffix(err.Error(), " (correct the expression)") {
		t.Errorf("a mistake that a default does not replace: %v", err)
	}
}

func TestNoData(t *testing.T) {
	_, unresolved, err := template.Preview(t.Context(), "{{user.a}}{{event.b}}{{ContentBlock.c}}{{ContentApi.d()}}{{ProductSet.e}}", template.Data{})
	if err != nil || len(unresolved) != 5 {
		t.Errorf("unresolved %v, %v", unresolved, err)
	}
}

func TestErrorKeepsSourceOut(t *testing.T) {
	secret := strings.Repeat("secret ", 50)
	for _, src := range []string{secret + "{{ a b }}", secret + "{{ 1/0 }}", "{{ '" + secret + "'|nofilter }}", "{% " + strings.ReplaceAll(secret, " ", "x") + " %}"} {
		_, err := template.Render(t.Context(), src, data())
		if err == nil || len(err.Error()) > 250 {
			t.Errorf("error of %d characters: %v", len(err.Error()), err)
		}
	}
}

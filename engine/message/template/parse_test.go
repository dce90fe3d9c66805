package template

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// bare removes the places from a tree, and joins texts beside each other, so that trees can be compared.
func bare(body []Node) []Node {
	clear := func(v reflect.Value) {}
	clear = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if !v.IsNil() && v.Type() != reflect.TypeFor[*Function]() {
				clear(v.Elem())
			}
		case reflect.Slice:
			if list, ok := v.Interface().([]Node); ok && list != nil {
				v.Set(reflect.ValueOf(joined(list)))
			}
			for i := range v.Len() {
				clear(v.Index(i))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[Span]() {
				if v.CanSet() {
					v.SetZero()
				}
				return
			}
			for i := range v.NumField() {
				clear(v.Field(i))
			}
		}
	}
	clear(reflect.ValueOf(&body))
	return body
}

func joined(list []Node) []Node {
	out := []Node{}
	for _, n := range list {
		if text, ok := n.(*Text); ok {
			if text.Value == "" {
				continue
			}
			if len(out) > 0 {
				if before, ok := out[len(out)-1].(*Text); ok {
					out[len(out)-1] = &Text{Value: before.Value + text.Value}
					continue
				}
			}
		}
		out = append(out, n)
	}
	return out
}

func parsed(t testing.TB, src string) []Node {
	t.Helper()
	tree, err := (&parser{src: src}).parse()
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return tree.body
}

// What binds tighter stands in parentheses in the second column.
func TestPrecedence(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"'a' in b|lower", "'a' in (b|lower)"},
		{"1 + n is odd", "1 + (n is odd)"},
		{"1 <= l is defined", "1 <= (l is defined)"},
		{"1 < a <= b not in c", "1 < a <= b not in c"},
		{"-1|abs", "(- 1)|abs"},
		{"- x.y[0](1)", "- x.y[0](1)"},
		{"2 ** 3 ** 2", "(2 ** 3) ** 2"},
		{"-2 ** 2", "(- 2) ** 2"},
		{"a ~ b + c ~ d", "(a ~ b) + (c ~ d)"},
		{"a ~ b * c", "a ~ (b * c)"},
		{"a + b - c", "(a + b) - c"},
		{"a // b % c / d", "((a // b) % c) / d"},
		{"not a == b", "not (a == b)"},
		{"not not a or b and c", "(not (not a)) or (b and c)"},
		{"a if b else c if d else e", "a if b else (c if d else e)"},
		{"a if b", "a if b"},
		{"x is divisibleby 3 and y", "(x is divisibleby(3)) and y"},
		{"x is not in [1]", "not (x is in([1]))"},
		{"x is sameas y.z[0]|upper", "(x is sameas(y.z[0]))|upper"},
		{"x|upper|truncate(1, end=2)(3)", "(x|upper|truncate(1, end=2))(3)"},
		{"1, 2", "(1, 2)"}, {"(1,)", "(1,)"}, {"()", "()"}, {"1,", "(1,)"},
		{"x.0.1", "x[0][1]"},
		{"x[::2]", "x[::2]"}, {"x[1:]", "x[1::]"}, {"x[:-1]", "x[:- 1:]"},
		{"{'a': 1, 'b': {},}", "{'a': 1, 'b': {}}"}, {"[1, 2,]", "[1, 2]"},
		{`'a' "b" 'c'`, "'abc'"}, {"1_000", "1000"}, {"0x_ff", "255"}, {"0b11", "3"}, {"0o17", "15"}, {"1e3", "1000.0"}, {"1_0.5", "10.5"},
		{`'a\n\t\x41\u00e9\101\d\'"'`, "'a\n\tAéA\\\\d\\'\"'"}, {"'a\\\nb'", "'ab'"},
		{"dict(k=2, m=1,)", "dict(k=2, m=1)"},
		{"x\u00a0+\ny", "x + y"}, {"None is none", "none is none"},
		{"a.if", "a.if"},
	} {
		if got := printed(parsed(t, "{{ "+tt.src+" }}")); got != "{{ "+tt.want+" }}" {
			t.Errorf("%s\ngot  %s\nwant {{ %s }}", tt.src, got, tt.want)
		}
	}
}

func TestWhiteSpaceAroundTags(t *testing.T) {
	for src, want := range map[string]string{
		"a {{- 1 -}} b": "a{{ 1 }}b", "a\u00a0{{- 1 }} b": "a{{ 1 }} b", "a {%+ if x +%} b {%- endif %}\n": "a {% if x %} b{% endif %}\n",
		"a {#- x -#} b": "ab", "a{# {{ #} b": "a b", "{{-}} }}": "", "x {% raw -%} {{ {%- endraw -%} y": "x {% raw %}{{% endraw %}{y",
		"{%- raw %} a {% endraw -%} \n b": " a b", "a\r\n{{ 1 }}\r\n": "a\r\n{{ 1 }}\r\n", "{{-1}}": "{{ 1 }}", "{{+1}}": "{{ 1 }}",
		"{% raw %}{% endraw %}": "", "{ { %} }} #}": "{ { %} }} #}", "{": "{% raw %}{{% endraw %}",
	} {
		tree, err := Parse(src)
		got := ""
		if err == nil {
			got = printed(joined(tree.body))
		}
		if got != want {
			t.Errorf("%q\ngot  %q, %v\nwant %q", src, got, err, want)
		}
	}
}

func TestStatements(t *testing.T) {
	for _, src := range []string{
		"{% if a, b %}x{% elif c: %}y{% else %}z{% endif %}", "{% for a, (b, c) in d.items() if a recursive %}x{% else %}{% endfor %}",
		"{% for x in 1, 2, 3 %}{% endfor %}", "{% set a, b = 1, 2 %}", "{% set ns.x = ns.x + 1 %}", "{% set x | upper | truncate(2) %}a{% endset %}",
		"{% with %}a{% endwith %}", "{% with a = 1, b = a %}a{% endwith %}", "{% macro f(a, b=1) %}{{ a }}{% endmacro %}", "{% macro f() %}{% endmacro %}{% call f(1) %}a{% endcall %}",
		"{% set f = 1 %}{% call(x, y=2) f(1) %}{{ x }}{% endcall %}", "{% filter upper|trim('x') %}a{% endfilter %}", "{% autoescape true %}{{ x }}{% endautoescape %}",
		"{% do x.append(1) %}", "{% for x in l if x if y else z %}{% endfor %}", "{% if (a if b) %}{% endif %}{% for x in (a if b) %}{% endfor %}", "{% set x = 1 if a %}", "{% set x = a, %}",
	} {
		tree := parsed(t, src)
		text := printed(tree)
		if again := parsed(t, text); !reflect.DeepEqual(bare(tree), bare(again)) {
			t.Errorf("%s is printed as %s, which is another tree", src, text)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"{{ user.x", "line 1, column 1: this {{ is not closed (close it with }})"},
		{"a\n {{ user.x }\n{{ y }}", "line 2, column 2: this {{ is not closed (close it with }})"},
		{"{{ }}", "line 1, column 4: there is nothing between the braces"},
		{"{{ a + }}", "line 1, column 8: this expression is not finished: a value is missing"},
		{"{{ 'a }}", "line 1, column 4: this quoted text is not closed (close it with ')"},
		{"{{ (a }}", `line 1, column 7: ")" is missing before "}}"`},
		{"{{ {'a': 1 }}", `line 1, column 12: "}" is missing before "}}"`},
		{"{{ a) }}", `line 1, column 5: ")" does not close anything here`},
		{"{{ user.First Name }}", `line 1, column 15: "Name" is not expected here (write a name with a space as UserAttribute['First Name'])`},
		{"{{ UserAttribute[First Name] }}", `line 1, column 24: "Name" is not expected here (write a name with a space as UserAttribute['First Name'])`},
		{"{{{ user.x }}}", `line 1, column 12: "}" is not expected here (write an expression in two braces)`},
		{"{% if a = 1 %}{% endif %}", `line 1, column 9: "=" is not expected here (compare with ==)`},
		{"{% if a && b %}{% endif %}", "line 1, column 9: the character '&' is not allowed in an expression (write and)"},
		{"{% if a || b %}{% endif %}", `line 1, column 10: "|" is not expected here (write or)`},
		{"{% if !a %}{% endif %}", "line 1, column 7: the character '!' is not allowed in an expression (write not)"},
		{"{% if a %}{% elseif b %}{% endif %}", "line 1, column 14: {% elseif %} is not allowed here (write elif)"},
		{"{% if a %}{% else if b %}{% endif %}", "line 1, column 19: else takes no condition (write elif)"},
		{"{% if a %}{% end %}", "line 1, column 14: {% end %} is not allowed here (the open block ends with {% endif %})"},
		{"{% for x in y %}{% if a %}{% endfor %}", "line 1, column 30: {% endfor %} is not allowed here (the open block ends with {% endif %})"},
		{"{% endif %}", "line 1, column 4: {% endif %} is not allowed here (there is no open block to close)"},
		{"{% if a %}x", "line 1, column 4: this block is never closed: endif is missing"},
		{"{{ ${user.x} }}", "line 1, column 4: the character '$' is not allowed in an expression (write the name without $ and more braces)"},
		{"{{ user.x | default: 'a' }}", `line 1, column 20: ":" is not expected here (write arguments in parentheses, as in |default('a'))`},
		{"{{ user.x|default(&quot;a&quot;) }}", "line 1, column 19: the character '&' is not allowed in an expression (join conditions with and; type a character that an editor has written as HTML, such as &quot; for a quote)"},
		{"{{ ‘a’ }}", `line 1, column 4: the character '‘' is not allowed in an expression (curly quotes do not work here: use ' or ")`},
		{"{{ a\u200b }}", "line 1, column 5: this expression contains an invisible character (U+200B) (delete it)"},
		{"{% include 'x' %}", "line 1, column 4: {% include %} is not allowed here (write shared content as {{ ContentBlock['name'] }})"},
		{"{% set true = 1 %}", `line 1, column 8: "true" is not a name (use another name)`},
		{"{% set x.y.z = 1 %}", `line 1, column 8: "x.y.z" is not a name (use another name)`},
		{"{{ 010 }}", `line 1, column 5: "10" is not expected here`},
		{"{{ x|first.name }}", "line 1, column 11: a filter has no attributes (put what is filtered in parentheses: (x|first).name)"},
		{"{{ x is odd is even }}", "line 1, column 13: a test cannot follow a test (join tests with and)"},
		{"{% raw %}{{ x }}", "line 1, column 4: this block is never closed: endraw is missing"},
		{"a {# b", "line 1, column 3: this {# is not closed (close it with #})"},
		{"{{ a AND b }}", `line 1, column 6: "AND" is not expected here (write and)`},
		{"{{ f(a=1, 2) }}", "line 1, column 11: this argument cannot be in this place (write arguments with a name last)"},
		{`{{ '\ud83d' }}`, `line 1, column 5: \u and what follows it stand for no character (type the character itself)`},
		{"{{ 99999999999999999999 }}", "line 1, column 4: this number is too large (write it in quotes, as a text)"},
		{"{{ 1e999 }}", "line 1, column 4: this number is too large (write it in quotes, as a text)"},
		{"{{ x[1:2:3:4] }}", `line 1, column 11: ":" is not expected here ("]" is missing before it)`},
		{"{{ x[] }}", `line 1, column 6: "]" is not expected here (a name or a number is missing before it)`},
		{"{{ user.x & 1 }}", "line 1, column 11: the character '&' is not allowed in an expression (join conditions with and; type a character that an editor has written as HTML, such as &quot; for a quote)"},
		{"{% for x of y %}{% endfor %}", `line 1, column 10: "of" is not expected here ("in" is missing before it)`},
		{"{% for %}", "line 1, column 8: this expression is not finished: a value is missing"},
		{"{% if %}{% endif %}", "line 1, column 7: this expression is not finished: a value is missing"},
		{"{% if user.x %}{% for a in b %}{% endfor %}", "line 1, column 4: this block is never closed: endif is missing"},
		// Names and arguments.
		{"a\n{% if false %}{{ user.x|uper }}{% endif %}", "line 2, column 25: there is no filter uper, did you mean upper?"},
		{"{{ 'a'|default('b'|lowr) }}", "line 1, column 20: there is no filter lowr, did you mean lower?"},
		{"{% if user.x is define %}{% endif %}", "line 1, column 17: there is no test define, did you mean defined?"},
		{"{{ user.x\n | default('a')\n }}\n{{ user.y | nope }}", "line 4, column 13: there is no filter nope"},
		{"{{ user.x.uper() }}", "line 1, column 11: there is no method uper, did you mean upper?"},
		{"{{ rnge(3) }}", "line 1, column 4: there is no function rnge, did you mean range?"},
		{"{{ f() }}{% macro f() %}{% endmacro %}{% set g = f %}{{ g() }}{{ h() }}", "line 1, column 66: there is no function h"},
		{"{{ 5|round(1, 'floor', 3) }}", "line 1, column 6: filter round takes at most 2 arguments"},
		{"{{ [1]|map('uper') }}", "line 1, column 12: there is no filter uper, did you mean upper?"},
		{"{{ [1]|selectattr('a', 'defned') }}", "line 1, column 24: there is no test defned, did you mean defined?"},
		{"{{ 'abc'[::0] }}", "line 1, column 12: the step of a slice cannot be 0"},
		{"{{ 5|round(1) }}{{ x is nope(1) }}", "line 1, column 25: there is no test nope, did you mean none?"},
		{"{{ a b }}" + strings.Repeat(" ", MaxSource), "the text is 256 KiB long, at most 256 KiB are allowed"},
		{strings.Repeat("{% if a %}", 40), "line 1, column 324: blocks are nested deeper than 32"},
		{"{{ " + strings.Repeat("(", 40), "line 1, column 1: this {{ is not closed (close it with }})"},
		{"{{ " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + " }}", "line 1, column 36: brackets are nested deeper than 32"},
		{"{{ '" + strings.Repeat("a", 9000) + "' }}", "line 1, column 1: this {{ is not closed, or longer than 8 KiB (close it with }})"},
	} {
		_, err := Parse(tt.src)
		var located *Error
		if !errors.As(err, &located) || err.Error() != tt.want {
			t.Errorf("%.80s\ngot  %v\nwant %v", tt.src, err, tt.want)
		}
	}
}

// Long expressions do not overflow the stack.
func TestLongExpressions(t *testing.T) {
	for _, e := range []string{
		"u" + strings.Repeat(".a", 4000), strings.Repeat("not ", 2000) + "u", strings.Repeat("-", 8000) + "1", "1" + strings.Repeat("+1", 4000),
		"u" + strings.Repeat(" if u else u", 600), "range(1)" + strings.Repeat("()", 4000), "u" + strings.Repeat("|upper", 1300),
	} {
		printed(parsed(t, "{{ "+e+" }}"))
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range []string{"{% for a, b in c.items() if a is not defined recursive %}{{ (a|truncate(1, end=2))[::-1] ~ 'x\\n' }}{% else %}{% endfor %}", "{%- raw -%} {{ {%- endraw -%}", "{# #}{{ {'a': (1,)} }}", "{{ '", "{% set x | upper %}{{ 1.5e3 if a else -0x1F }}{% endset %}", "{% macro f(a, b=1) %}{% endmacro %}{% call(x) range(*y, **z) %}{% endcall %}", "{% if a %}{% elif b <= c not in d %}{% else %}{% endif %}"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		whole := ""
		for part := range Parts(src) {
			if part.Source != src[part.Start:part.End] || part.Source == "" {
				t.Fatalf("part %+v", part)
			}
			whole += part.Source
		}
		if whole != src {
			t.Fatalf("the parts of %q are %q together", src, whole)
		}
		tree, err := (&parser{src: src}).parse()
		if err == errPanic {
			t.Fatalf("%q: the parser panics", src)
		}
		if err != nil {
			return
		}
		text := printed(tree.body)
		again, err := (&parser{src: text}).parse()
		if err != nil {
			t.Fatalf("%q is printed as %q: %v", src, text, err)
		}
		if !reflect.DeepEqual(bare(tree.body), bare(again.body)) {
			t.Errorf("%q is printed as %q, which is another tree", src, text)
		}
	})
}

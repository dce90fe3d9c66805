package template

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// tests are the tests of Jinja 3.1. What is missing passes none, but for those that start with missing, which look
// at it themselves, and those for numbers, which need one.
func tests() []entry {
	comparison := func(op string) call {
		return func(e *evaluator, a []any) any { return compare(e, op, a[0], a[1]) }
	}
	is := func(kinds ...string) call {
		return func(_ *evaluator, a []any) any { return slices.Contains(kinds, kindOf(a[0])) }
	}
	constant := func(b bool) call {
		return func(_ *evaluator, a []any) any { return a[0] == b }
	}
	return []entry{
		{"missing", "defined", "There is a value.", "{{ user.nickname is defined }}", "False", func(_ *evaluator, a []any) any { _, none := a[0].(*missing); return !none }},
		{"missing", "undefined", "There is no value.", "{{ user.nickname is undefined }}", "True", is("missing value")},
		{"missing", "none", "The value is none.", "{{ none is none }}", "True", func(_ *evaluator, a []any) any { return isNone(a[0]) }},
		{"", "boolean", "The value is true or false.", "{{ true is boolean }}", "True", is("boolean")},
		{"", "true", "The value is true.", "{{ true is true }}", "True", constant(true)},
		{"", "false", "The value is false.", "{{ 0 is false }}", "False", constant(false)},
		{"", "number", "The value is a number, not a text with one.", "{{ '5' is number }}", "False", is("number", "boolean")},
		{"", "integer", "The value is a whole number.", "{{ 5 is integer }}", "True", func(_ *evaluator, a []any) any { _, ok := numeric(a[0]).(int); return ok && kindOf(a[0]) == "number" }},
		{"", "float", "The value is a number with a fraction.", "{{ 2.5 is float }}", "True", func(_ *evaluator, a []any) any { _, ok := numeric(a[0]).(float64); return ok }},
		{"", "string", "The value is a text.", "{{ 'a' is string }}", "True", is("text")},
		{"", "mapping", "The value is a map.", "{{ {'a': 1} is mapping }}", "True", is("map")},
		{"missing", "sequence", "The value has items or characters.", "{{ [1] is sequence }}", "True", is("text", "list", "tuple", "map", "missing value")},
		{"missing", "iterable", "A loop can go through the value.", "{{ 'abc' is iterable }}", "True", is("text", "list", "tuple", "map", "missing value")},
		{"", "callable", "The value can be called.", "{{ range is callable }}", "True", is("function")},
		{"number", "even", "The number is even.", "{{ 4 is even }}", "True", divides(2, 0)},
		{"number", "odd", "The number is odd.", "{{ 4 is odd }}", "False", divides(2, 1)},
		{"number", "divisibleby(num: number)", "The number can be divided by another one.", "{{ 9 is divisibleby 3 }}", "True", func(e *evaluator, a []any) any { return divides(a[1], 0)(e, a) }},
		{"missing", "in(seq)", "The value is an item, a key or a part of another one.", "{{ 'a' is in ['a', 'b'] }}", "True", comparison("in")},
		{"missing", "sameas(other)", "The value is the same object.", "{{ true is sameas true }}", "True", sameAs},
		{"missing", "==|eq|equalto(other)", "The values are equal.", "{{ [1, 2, 1]|select('==', 1)|list }}", "[1, 1]", comparison("==")},
		{"missing", "!=|ne(other)", "The values differ.", "{{ 1 is ne 2 }}", "True", comparison("!=")},
		{"missing", "<|lt|lessthan(other)", "The value is less.", "{{ [1, 2]|select('lt', 2)|list }}", "[1]", comparison("<")},
		{"missing", "<=|le(other)", "The value is less or equal.", "{{ 2 is le 2 }}", "True", comparison("<=")},
		{"missing", ">|gt|greaterthan(other)", "The value is greater.", "{{ 3 is gt 2 }}", "True", comparison(">")},
		{"missing", ">=|ge(other)", "The value is greater or equal.", "{{ 2 is ge 3 }}", "False", comparison(">=")},
	}
}

func divides(by any, rest int) call {
	return func(_ *evaluator, a []any) any {
		return compareNumbers(arithmetic("%", a[0], by), rest) == 0
	}
}

func sameAs(_ *evaluator, a []any) any {
	return kindOf(a[0]) == kindOf(a[1]) && kindOf(a[0]) != "tuple" && a[0] == a[1]
}

// globals are the functions that every template has.
func globals() []entry {
	return []entry{
		{"", "range(start: int, stop: int=none, step: int=1)", "The numbers from 0 or start to the one before stop.", "{{ range(1, 4)|join(' ') }}", "1 2 3", rangeOf},
		{"", "namespace(**named)", "An object for values that a loop changes.", "{% set ns = namespace(sum=0) %}{% for p in [5, 7] %}{% set ns.sum = ns.sum + p %}{% endfor %}{{ ns.sum }}", "12", func(_ *evaluator, a []any) any { return &namespace{a[0].(*Dict)} }},
		{"", "dict(**named)", "A map.", "{{ dict(a=1, b=2) }}", "{'a': 1, 'b': 2}", func(_ *evaluator, a []any) any { return a[0] }},
		{"", "cycler(item, *items)", "An object whose next() returns one item after the other.", "{% set c = cycler('odd', 'even') %}{{ c.next() }} {{ c.next() }} {{ c.next() }}", "odd even odd", func(_ *evaluator, a []any) any { return &cycler{items: append(a[:1], a[1].(*List).Items...)} }},
		{"", "joiner(sep=', ')", "A function that returns nothing the first time, and then a text.", "{% set comma = joiner(', ') %}{% for x in ['a', 'b'] %}{{ comma() }}{{ x }}{% endfor %}", "a, b", joiner},
		{"", "now(zone: text=none)", "The current time, in the time zone of the campaign or in a named one.", "{{ now('Europe/Berlin').year > 2000 }}", "True", func(e *evaluator, a []any) any { return inZone(e, e.data.Now, a[0]) }},
		{"", "date(value, format: text=none)", "A text such as 2026-05-01, or seconds since 1970, as a date; format says how the text is written.", "{{ (date('2026-05-03') - date('2026-05-01')).days }}", "2", dateOf},
		{"", "timedelta(days: number=0, seconds: number=0, minutes: number=0, hours: number=0, weeks: number=0)", "A length of time, to add to dates or to compare.", "{{ (date('2026-05-01') + timedelta(days=7)).strftime('%d.%m.') }}", "08.05.", timedelta},
	}
}

func rangeOf(e *evaluator, a []any) any {
	from, step := a[0].(int), a[2].(int)
	to, ok := a[1].(int)
	if !ok {
		from, to = 0, from
	}
	if step == 0 {
		try(fault("function range cannot go in steps of 0"))
	}
	var out []any
	for i := from; len(out) <= MaxItems && (step > 0 && i < to || step < 0 && i > to); i += step {
		out = append(out, i)
		if i > math.MaxInt-max(step, 0) || i < math.MinInt-min(step, 0) {
			break
		}
	}
	return listOf(e, out)
}

// namespace is a map that {% set ns.name = … %} changes.
type namespace struct{ *Dict }

// cycler returns its items one after the other.
type cycler struct {
	items []any
	index int
}

func (c *cycler) current() any { return c.items[c.index%len(c.items)] }

// joiner returns a function that returns nothing the first time, and then a text.
func joiner(_ *evaluator, a []any) any {
	used := false
	return &Function{Kind: GlobalKind, Name: "joiner", call: func(*evaluator, []any) any {
		if !used {
			used = true
			return ""
		}
		return a[0]
	}}
}

// methods are the methods of Python's texts, lists, maps and dates, and those of Jinja's loop and cycler.
func methods() []entry {
	return []entry{
		{"text", "capitalize()", "The first letter as a capital, the others small.", "{{ 'aNN'.capitalize() }}", "Ann", onText(capitalized)},
		{"text", "count(sub: text)", "How often a text is in it.", "{{ 'banana'.count('an') }}", "2", onTexts(strings.Count)},
		{"text", "endswith(suffix: text)", "Whether it ends with a text.", "{{ 'a.png'.endswith('.png') }}", "True", onTexts(strings.HasSuffix)},
		{"text", "find(sub: text)", "The place of a text, from 0, or -1.", "{{ 'abc'.find('c') }}", "2", onTexts(placeIn)},
		{"text", "format(*args, **named)", "Values in the places of a text.", "{{ '{:,.2f} {}'.format(1234.5, 'EUR') }}", "1,234.50 EUR", formatMethod},
		{"text", "index(sub: text)", "As find, but it fails if there is none.", "{{ 'abc'.index('b') }}", "1", onTexts(func(s, sub string) int {
			if !strings.Contains(s, sub) {
				try(failure("the text does not have " + shorten(sub)))
			}
			return placeIn(s, sub)
		})},
		{"text", "isdigit()", "Whether it has digits only.", "{{ '12'.isdigit() }}", "True", onText(func(s string) bool { return s != "" && strings.TrimFunc(s, unicode.IsDigit) == "" })},
		{"text", "join(items: list)", "The items with the text between them.", "{{ ', '.join(['a', 'b']) }}", "a, b", joinMethod},
		{"text", "lower()", "Small letters.", "{{ 'GOLD'.lower() }}", "gold", onText(lower)},
		{"text", "lstrip(chars: text=none)", "The text without spaces, or the given characters, at its start.", "{{ '007'.lstrip('0') }}", "7", strip(strings.TrimLeft)},
		{"text", "removeprefix(prefix: text)", "The text without another one at its start.", "{{ 'www.x.com'.removeprefix('www.') }}", "x.com", onTexts(strings.TrimPrefix)},
		{"text", "removesuffix(suffix: text)", "The text without another one at its end.", "{{ 'a.png'.removesuffix('.png') }}", "a", onTexts(strings.TrimSuffix)},
		{"text", "replace(old: text, new: text, count: int=-1)", "The text with another text in the place of one.", "{{ 'a-b'.replace('-', '+') }}", "a+b", replace},
		{"text", "rstrip(chars: text=none)", "The text without spaces, or the given characters, at its end.", "{{ 'a//'.rstrip('/') }}", "a", strip(strings.TrimRight)},
		{"text", "split(sep: text=none, maxsplit: int=-1)", "The parts between a separator, or spaces.", "{{ 'Ann Lee'.split()[0] }} {{ 'a,b'.split(',') }}", "Ann ['a', 'b']", split},
		{"text", "startswith(prefix: text)", "Whether it starts with a text.", "{{ '+49 30'.startswith('+49') }}", "True", onTexts(strings.HasPrefix)},
		{"text", "strip(chars: text=none)", "The text without spaces, or the given characters, at both ends.", "{{ ' a '.strip() }}", "a", strip(strings.Trim)},
		{"text", "title()", "A capital at the start of each word.", `{{ "d'angelo".title() }}`, "D'Angelo", titleWords},
		{"text", "upper()", "Capital letters.", "{{ 'sale'.upper() }}", "SALE", onText(upper)},

		{"list", "append(item)", "Adds an item at the end.", "{% set l = [1] %}{% do l.append(2) %}{{ l }}", "[1, 2]", extend},
		{"list", "extend(items: list)", "Adds items at the end.", "{% set l = [1] %}{% do l.extend([2, 3]) %}{{ l }}", "[1, 2, 3]", func(e *evaluator, a []any) any { return extend(e, append(a[:1], a[1].([]any)...)) }},

		{"map", "get(key, default=none)", "The entry of a key, or another value.", "{{ {'a': 1}.get('b', 0) }}", "0", func(e *evaluator, a []any) any { return got(member(e, a[0], a[1]), a[2]) }},
		{"map", "items()", "The pairs of keys and values.", "{% for k, v in {'S': 'Small'}.items() %}{{ k }}: {{ v }}{% endfor %}", "S: Small", pairsOf},
		{"map", "keys()", "The keys.", "{{ {'a': 1}.keys()|list }}", "['a']", func(e *evaluator, a []any) any { return listOf(e, slices.Clone(a[0].(*Dict).keys)) }},
		{"map", "update(values: map)", "Adds or changes entries.", "{% set m = {'a': 1} %}{% do m.update({'b': 2}) %}{{ m }}", "{'a': 1, 'b': 2}", func(e *evaluator, a []any) any {
			more := a[1].(*Dict)
			for i, key := range more.keys {
				a[0].(*Dict).set(e, key, more.values[i])
			}
			return nil
		}},
		{"map", "values()", "The values.", "{{ {'a': 1}.values()|sum }}", "1", func(e *evaluator, a []any) any { return listOf(e, slices.Clone(a[0].(*Dict).values)) }},

		{"date", "astimezone(zone: text=none)", "The same time in the time zone of the campaign or in a named one.", "{{ date('2026-05-01T10:00Z').astimezone('Europe/Berlin').hour }}", "12", func(e *evaluator, a []any) any { return inZone(e, a[0].(time.Time), a[1]) }},
		{"date", "date()", "The day, from midnight.", "{{ date('2026-05-01 10:30').date().hour }}", "0", func(_ *evaluator, a []any) any {
			t := a[0].(time.Time)
			return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
		}},
		{"date", "isoformat()", "The date as in 2026-05-01T10:30:00+00:00.", "{{ date('2026-05-01').isoformat()[:10] }}", "2026-05-01", func(_ *evaluator, a []any) any { return a[0].(time.Time).Format("2006-01-02T15:04:05-07:00") }},
		{"date", "isoweekday()", "The day of the week: Monday is 1, Sunday 7.", "{{ date('2026-05-01').isoweekday() }}", "5", func(_ *evaluator, a []any) any { return cmp.Or(int(a[0].(time.Time).Weekday()), 7) }},
		{"date", "strftime(format: text)", "The date as %d %B %Y says; %-d is the day without a zero.", "{{ date('2026-05-01').strftime('%A, %d %B %Y, %H:%M') }}", "Friday, 01 May 2026, 00:00", formatDate},
		{"date", "timestamp()", "The seconds since 1970.", "{{ date(1700000000).timestamp() }}", "1700000000", func(_ *evaluator, a []any) any { return float64(a[0].(time.Time).UnixMicro()) / 1e6 }},
		{"date", "weekday()", "The day of the week: Monday is 0, Sunday 6.", "{{ date('2026-05-01').weekday() }}", "4", func(_ *evaluator, a []any) any { return int(a[0].(time.Time).Weekday()+6) % 7 }},
		{"timedelta", "total_seconds()", "The length in seconds.", "{{ timedelta(hours=2).total_seconds() }}", "7200", func(_ *evaluator, a []any) any { return a[0].(time.Duration).Seconds() }},

		{"cycler", "next()", "The current item; the next one becomes the current one.", "{{ cycler('a', 'b').next() }}", "a", func(_ *evaluator, a []any) any {
			c := a[0].(*cycler)
			item := c.current()
			c.index++
			return item
		}},
		{"cycler", "reset()", "Starts again at the first item.", "{% set c = cycler('a', 'b') %}{% do c.next() %}{% do c.reset() %}{{ c.current }}", "a", func(_ *evaluator, a []any) any { a[0].(*cycler).index = 0; return nil }},
		{"loop", "cycle(arg, *args)", "One of the arguments after the other.", "{% for x in [1, 2, 3] %}{{ loop.cycle('odd', 'even') }} {% endfor %}", "odd even odd ", func(_ *evaluator, a []any) any {
			args := append(a[1:2], a[2].(*List).Items...)
			return args[a[0].(*loop).index%len(args)]
		}},
		{"loop", "changed(*args)", "Whether the arguments differ from those of the last turn.", "{% for x in ['a', 'a', 'b'] %}{% if loop.changed(x) %}{{ x }}{% endif %}{% endfor %}", "ab", func(e *evaluator, a []any) any {
			l := a[0].(*loop)
			same := l.changed != nil && equal(e, l.changed, a[1])
			l.changed = a[1].(*List)
			return !same
		}},
	}
}

// onTexts is a method of a text that takes another one.
func onTexts[T any](f func(s, other string) T) call {
	return func(e *evaluator, a []any) any {
		e.work(len(a[0].(string)) + len(a[1].(string)))
		return f(a[0].(string), a[1].(string))
	}
}

// spaces are the characters that strip takes unless it is told others.
const spaces = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

func strip(trim func(s, chars string) string) call {
	return func(e *evaluator, a []any) any {
		chars, ok := a[1].(string)
		if !ok {
			chars = spaces
		}
		e.work(8 * len(a[0].(string)) * (1 + len(chars)/64))
		return trim(a[0].(string), chars)
	}
}

// placeIn returns the number of characters before a text, or -1.
func placeIn(s, sub string) int {
	before, _, found := strings.Cut(s, sub)
	if !found {
		return -1
	}
	return utf8.RuneCountInString(before)
}

func split(e *evaluator, a []any) any {
	s, most := a[0].(string), a[2].(int)
	if most < 0 || most > MaxItems {
		most = MaxItems
	}
	sep, ok := a[1].(string)
	parts := strings.Fields(s)
	switch {
	case ok && sep == "":
		try(fault("a text is split at a text that is not empty"))
	case ok:
		parts = strings.SplitN(s, sep, most+1)
	case len(parts) > most+1 && most < MaxItems:
		try(fault("a text is split at spaces without a number of parts"))
	}
	out := make([]any, len(parts))
	for i, part := range parts {
		out[i] = part
	}
	return listOf(e, out)
}

func joinMethod(e *evaluator, a []any) any {
	for _, item := range a[1].([]any) {
		present(item)
		if _, ok := isText(item); !ok {
			try(fault("method join takes texts, not " + kind(item) + "; the filter join takes any values"))
		}
	}
	return join(e, a[0], a[1].([]any), false)
}

// extend adds the arguments to a list.
func extend(e *evaluator, a []any) any {
	l := a[0].(*List)
	if len(l.Items)+len(a) > MaxItems+1 {
		try(errTooMany)
	}
	l.Items = append(l.Items, a[1:]...)
	return nil
}

// got is what get returns: a value, or a default if it is missing. What stays missing is none, too, as in Python.
func got(v, otherwise any) any {
	m, none := v.(*missing)
	switch {
	case !none:
		return v
	case otherwise != nil:
		return otherwise
	}
	return &missing{reason: m.reason, hint: m.hint, none: true}
}

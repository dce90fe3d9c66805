package template

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// tests are the tests of Jinja 3.1. What is missing passes none, but for those that start with missing, which look
// at it themselves, and those for numbers, which need one.
func tests() []entry {
	comparison := func(op string) func(*evaluator, []any) (any, error) {
		return func(e *evaluator, a []any) (any, error) { return compare(e, op, a[0], a[1]) }
	}
	is := func(kinds ...string) func(*evaluator, []any) (any, error) {
		return func(_ *evaluator, a []any) (any, error) { return slices.Contains(kinds, kindOf(a[0])), nil }
	}
	constant := func(b bool) func(*evaluator, []any) (any, error) {
		return func(_ *evaluator, a []any) (any, error) { return a[0] == b, nil }
	}
	named := func(kind Kind) func(*evaluator, []any) (any, error) {
		return func(_ *evaluator, a []any) (any, error) {
			s, _ := isText(a[0])
			return lookUp(kind, "", s) != nil, nil
		}
	}
	letters := func(are, not func(rune) bool) func(*evaluator, []any) (any, error) {
		return func(e *evaluator, a []any) (any, error) {
			s, err := str(e, a[0])
			return allAre(s, are, not), err
		}
	}
	return []entry{
		{"missing", "defined()", "There is a value.", "{{ user.nickname is defined }}", "False", func(_ *evaluator, a []any) (any, error) { _, none := a[0].(*missing); return !none, nil }},
		{"missing", "undefined()", "There is no value.", "{{ user.nickname is undefined }}", "True", func(_ *evaluator, a []any) (any, error) { _, none := a[0].(*missing); return none, nil }},
		{"", "none()", "The value is none.", "{{ none is none }}", "True", is("none")},
		{"", "boolean()", "The value is true or false.", "{{ true is boolean }}", "True", is("boolean")},
		{"", "true()", "The value is true.", "{{ true is true }}", "True", constant(true)},
		{"", "false()", "The value is false.", "{{ 0 is false }}", "False", constant(false)},
		{"", "number()", "The value is a number, not a text with one.", "{{ '5' is number }}", "False", is("number", "boolean")},
		{"", "integer()", "The value is a whole number.", "{{ 5 is integer }}", "True", func(_ *evaluator, a []any) (any, error) {
			_, ok := numeric(a[0]).(int)
			return ok && kindOf(a[0]) == "number", nil
		}},
		{"", "float()", "The value is a number with a fraction.", "{{ 2.5 is float }}", "True", func(_ *evaluator, a []any) (any, error) { _, ok := numeric(a[0]).(float64); return ok, nil }},
		{"", "string()", "The value is a text.", "{{ 'a' is string }}", "True", is("text")},
		{"", "mapping()", "The value is a map.", "{{ {'a': 1} is mapping }}", "True", is("map")},
		{"missing", "sequence()", "The value has items or characters.", "{{ [1] is sequence }}", "True", is("text", "list", "tuple", "map", "missing value")},
		{"missing", "iterable()", "A loop can go through the value.", "{{ 'abc' is iterable }}", "True", is("text", "list", "tuple", "map", "missing value")},
		{"", "callable()", "The value can be called.", "{{ range is callable }}", "True", is("function")},
		{"", "escaped()", "The value is safe text.", "{{ '<b>'|e is escaped }}", "True", func(_ *evaluator, a []any) (any, error) { _, ok := a[0].(Safe); return ok, nil }},
		{"", "lower()", "The letters are small.", "{{ 'ann' is lower }}", "True", letters(unicode.IsLower, unicode.IsUpper)},
		{"", "upper()", "The letters are capitals.", "{{ 'ann' is upper }}", "False", letters(unicode.IsUpper, unicode.IsLower)},
		{"number", "even()", "The number is even.", "{{ 4 is even }}", "True", divides(2, 0)},
		{"number", "odd()", "The number is odd.", "{{ 4 is odd }}", "False", divides(2, 1)},
		{"number", "divisibleby(num: number)", "The number can be divided by another one.", "{{ 9 is divisibleby 3 }}", "True", func(e *evaluator, a []any) (any, error) { return divides(a[1], 0)(e, a) }},
		{"missing", "in(seq)", "The value is an item, a key or a part of another one.", "{{ 'a' is in ['a', 'b'] }}", "True", comparison("in")},
		{"missing", "sameas(other)", "The value is the same object.", "{{ true is sameas true }}", "True", sameAs},
		{"", "filter()", "There is a filter of this name.", "{{ 'upper' is filter }}", "True", named(FilterKind)},
		{"", "test()", "There is a test of this name.", "{{ 'odd' is test }}", "True", named(TestKind)},
		{"missing", "==|eq(other)", "The values are equal.", "{{ [1, 2, 1]|select('==', 1)|list }}", "[1, 1]", comparison("==")},
		{"missing", "!=|ne(other)", "The values differ.", "{{ 1 is ne 2 }}", "True", comparison("!=")},
		{"missing", "<|lt(other)", "The value is less.", "{{ [1, 2]|select('lt', 2)|list }}", "[1]", comparison("<")},
		{"missing", "<=|le(other)", "The value is less or equal.", "{{ 2 is le 2 }}", "True", comparison("<=")},
		{"missing", ">|gt(other)", "The value is greater.", "{{ 3 is gt 2 }}", "True", comparison(">")},
		{"missing", ">=|ge(other)", "The value is greater or equal.", "{{ 2 is ge 3 }}", "False", comparison(">=")},
		{"missing", "equalto(other)", "As eq.", "{{ 1 is equalto 1 }}", "True", comparison("==")},
		{"missing", "lessthan(other)", "As lt.", "{{ 1 is lessthan 2 }}", "True", comparison("<")},
		{"missing", "greaterthan(other)", "As gt.", "{{ 1 is greaterthan 2 }}", "False", comparison(">")},
	}
}

func divides(by any, rest int) func(*evaluator, []any) (any, error) {
	return func(e *evaluator, a []any) (any, error) {
		left, err := arithmetic("%", a[0], by)
		return err == nil && compareNumbers(left, rest) == 0, err
	}
}

func sameAs(_ *evaluator, a []any) (any, error) {
	if kindOf(a[0]) != kindOf(a[1]) || kindOf(a[0]) == "tuple" {
		return false, nil
	}
	return a[0] == a[1], nil
}

// globals are the functions that every template has.
func globals() []entry {
	return []entry{
		{"", "range(start: int, stop: int = none, step: int = 1)", "The numbers from 0 or start to the one before stop.", "{{ range(1, 4)|join(' ') }}", "1 2 3", rangeOf},
		{"", "namespace(values = none, **named)", "An object for values that a loop changes.", "{% set ns = namespace(sum=0) %}{% for p in [5, 7] %}{% set ns.sum = ns.sum + p %}{% endfor %}{{ ns.sum }}", "12", func(e *evaluator, a []any) (any, error) {
			d, err := dictOf(e, a)
			return &namespace{d}, err
		}},
		{"", "dict(values = none, **named)", "A map.", "{{ dict(a=1, b=2) }}", "{'a': 1, 'b': 2}", func(e *evaluator, a []any) (any, error) { return dictOf(e, a) }},
		{"", "cycler(*items)", "An object whose next() returns one item after the other.", "{% set c = cycler('odd', 'even') %}{{ c.next() }} {{ c.next() }} {{ c.next() }}", "odd even odd", func(_ *evaluator, a []any) (any, error) {
			if len(a[0].(TupleValue)) == 0 {
				return nil, fault("function cycler needs an item")
			}
			return &cycler{items: a[0].(TupleValue)}, nil
		}},
		{"", "joiner(sep = ', ')", "A function that returns nothing the first time, and then a text.", "{% set comma = joiner(', ') %}{% for x in ['a', 'b'] %}{{ comma() }}{{ x }}{% endfor %}", "a, b", func(_ *evaluator, a []any) (any, error) { return &joiner{sep: a[0]}, nil }},
		{"", "now(zone: text = none)", "The current time, in the time zone of the campaign or in a named one.", "{{ now('Europe/Berlin').year > 2000 }}", "True", func(e *evaluator, a []any) (any, error) { return inZone(e, e.now(), a[0]) }},
		{"", "date(value, format: text = none)", "A text such as 2026-05-01, or seconds since 1970, as a date; format says how the text is written.", "{{ (date('2026-05-03') - date('2026-05-01')).days }}", "2", dateOf},
		{"", "timedelta(days: number = 0, seconds: number = 0, microseconds: number = 0, milliseconds: number = 0, minutes: number = 0, hours: number = 0, weeks: number = 0)", "A length of time, to add to dates or to compare.", "{{ (date('2026-05-01') + timedelta(days=7)).strftime('%d.%m.') }}", "08.05.", timedelta},
	}
}

func rangeOf(e *evaluator, a []any) (any, error) {
	from, step := a[0].(int), a[2].(int)
	to, ok := a[1].(int)
	if !ok {
		from, to = 0, from
	}
	if step == 0 {
		return nil, fault("function range cannot go in steps of 0")
	}
	var out []any
	for i := from; step > 0 && i < to || step < 0 && i > to; {
		if len(out) == MaxItems {
			return nil, errTooMany
		}
		out = append(out, i)
		next := i + step
		if (next > i) != (step > 0) { // beyond the largest int
			break
		}
		i = next
	}
	return listOf(e, out)
}

// dictOf makes a map of maps and lists of pairs.
func dictOf(e *evaluator, a []any) (*Dict, error) {
	made := &Dict{}
	for _, from := range a {
		pairs, ok := sequence(from)
		if d, isMap := from.(*Dict); isMap {
			pairs = d.pairs()
		} else if !ok && from != nil {
			return nil, fault("a map is made of a map or of a list of pairs, not of " + kind(from))
		}
		for _, item := range pairs {
			pair, ok := sequence(item)
			if !ok || len(pair) != 2 {
				return nil, fault("a map is made of pairs of a key and a value")
			}
			try(made.set(e, pair[0], pair[1]))
		}
	}
	return made, nil
}

func (d *Dict) update(e *evaluator, from *Dict) error {
	for i, key := range from.keys {
		try(d.set(e, key, from.values[i]))
	}
	return nil
}

// namespace is a map that {% set ns.name = … %} changes.
type namespace struct{ *Dict }

func (*namespace) kind() string { return "namespace" }

func (n *namespace) member(name string) (any, bool) {
	if i, ok := n.at[name]; ok {
		return n.values[i], true
	}
	return nil, false
}

type cycler struct {
	items []any
	index int
}

func (*cycler) kind() string { return "cycler" }

func (c *cycler) member(name string) (any, bool) {
	return c.items[c.index%len(c.items)], name == "current"
}

type joiner struct {
	sep  any
	used bool
}

func (j *joiner) invoke(_ *evaluator, args []any, named *Dict) (any, error) {
	if len(args) > 0 || named != nil {
		return nil, fault("a joiner takes no arguments")
	}
	if !j.used {
		j.used = true
		return "", nil
	}
	return j.sep, nil
}

// methods are the methods of Python's texts, lists, maps and dates, and those of Jinja's loop and cycler.
func methods() []entry {
	all := func(is func(rune) bool) func(*evaluator, []any) (any, error) {
		return func(_ *evaluator, a []any) (any, error) {
			s := a[0].(string)
			return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !is(r) }), nil
		}
	}
	letterOrDigit := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	affix := func(has func(s, affix string) bool) func(*evaluator, []any) (any, error) {
		return func(_ *evaluator, a []any) (any, error) {
			options, ok := a[1].(TupleValue)
			if !ok {
				options = TupleValue{a[1]}
			}
			for _, option := range options {
				s, ok := isText(option)
				if !ok {
					return nil, fault("a text starts or ends with a text, not with " + kind(option))
				}
				if has(a[0].(string), s) {
					return true, nil
				}
			}
			return false, nil
		}
	}
	return []entry{
		{"text", "capitalize()", "The first letter as a capital, the others small.", "{{ 'aNN'.capitalize() }}", "Ann", onText(capitalized)},
		{"text", "casefold()", "Small letters, for comparisons.", "{{ 'Straße'.casefold() }}", "strasse", onText(fold)},
		{"text", "center(width: int, fillchar: text = ' ')", "The text in the middle of a width.", "{{ 'ab'.center(6, '*') }}", "**ab**", pad('^')},
		{"text", "count(sub: text)", "How often a text is in it.", "{{ 'banana'.count('an') }}", "2", func(_ *evaluator, a []any) (any, error) { return strings.Count(a[0].(string), a[1].(string)), nil }},
		{"text", "endswith(suffix)", "Whether it ends with a text.", "{{ 'a.png'.endswith('.png') }}", "True", affix(strings.HasSuffix)},
		{"text", "find(sub: text)", "The place of a text, from 0, or -1.", "{{ 'abc'.find('c') }}", "2", func(_ *evaluator, a []any) (any, error) { return placeOf(a, strings.Index), nil }},
		{"text", "format(*args, **named)", "Values in the places of a text.", "{{ '{:,.2f} {}'.format(1234.5, 'EUR') }}", "1,234.50 EUR", formatMethod},
		{"text", "index(sub: text)", "As find, but it fails if there is none.", "{{ 'abc'.index('b') }}", "1", func(_ *evaluator, a []any) (any, error) {
			if at := placeOf(a, strings.Index); at >= 0 {
				return at, nil
			}
			return nil, failure("the text does not have " + shorten(a[1].(string)))
		}},
		{"text", "isalnum()", "Whether it has letters and digits only.", "{{ 'a1'.isalnum() }}", "True", all(letterOrDigit)},
		{"text", "isalpha()", "Whether it has letters only.", "{{ 'a1'.isalpha() }}", "False", all(unicode.IsLetter)},
		{"text", "isdecimal()", "Whether it has the digits 0 to 9 only.", "{{ '12'.isdecimal() }}", "True", all(unicode.IsDigit)},
		{"text", "isdigit()", "Whether it has digits only.", "{{ '12'.isdigit() }}", "True", all(func(r rune) bool {
			return unicode.IsDigit(r) || unicode.In(r, unicode.No) && strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", r)
		})},
		{"text", "islower()", "Whether its letters are small.", "{{ 'ann'.islower() }}", "True", func(_ *evaluator, a []any) (any, error) {
			return allAre(a[0].(string), unicode.IsLower, unicode.IsUpper), nil
		}},
		{"text", "isnumeric()", "Whether it has numerals only.", "{{ '½'.isnumeric() }}", "True", all(unicode.IsNumber)},
		{"text", "isspace()", "Whether it has spaces only.", "{{ ' '.isspace() }}", "True", all(unicode.IsSpace)},
		{"text", "isupper()", "Whether its letters are capitals.", "{{ 'ANN'.isupper() }}", "True", func(_ *evaluator, a []any) (any, error) {
			return allAre(a[0].(string), unicode.IsUpper, unicode.IsLower), nil
		}},
		{"text", "join(items: list)", "The items with the text between them.", "{{ ', '.join(['a', 'b']) }}", "a, b", joinMethod},
		{"text", "ljust(width: int, fillchar: text = ' ')", "The text at the left of a width.", "{{ 'ab'.ljust(4, '.') }}", "ab..", pad('<')},
		{"text", "lower()", "Small letters.", "{{ 'GOLD'.lower() }}", "gold", onText(lower)},
		{"text", "lstrip(chars: text = none)", "The text without spaces, or the given characters, at its start.", "{{ '007'.lstrip('0') }}", "7", strip(strings.TrimLeftFunc)},
		{"text", "partition(sep: text)", "What is before a text, the text, and what is behind it.", "{{ 'a@b.c'.partition('@')[2] }}", "b.c", partition(strings.Index)},
		{"text", "removeprefix(prefix: text)", "The text without another one at its start.", "{{ 'www.x.com'.removeprefix('www.') }}", "x.com", func(_ *evaluator, a []any) (any, error) {
			return strings.TrimPrefix(a[0].(string), a[1].(string)), nil
		}},
		{"text", "removesuffix(suffix: text)", "The text without another one at its end.", "{{ 'a.png'.removesuffix('.png') }}", "a", func(_ *evaluator, a []any) (any, error) {
			return strings.TrimSuffix(a[0].(string), a[1].(string)), nil
		}},
		{"text", "replace(old: text, new: text, count: int = -1)", "The text with another text in the place of one.", "{{ 'a-b'.replace('-', '+') }}", "a+b", replace},
		{"text", "rfind(sub: text)", "The last place of a text, from 0, or -1.", "{{ 'abab'.rfind('a') }}", "2", func(_ *evaluator, a []any) (any, error) { return placeOf(a, strings.LastIndex), nil }},
		{"text", "rjust(width: int, fillchar: text = ' ')", "The text at the right of a width.", "{{ 'ab'.rjust(4, '.') }}", "..ab", pad('>')},
		{"text", "rpartition(sep: text)", "As partition, from the end.", "{{ 'a.b.c'.rpartition('.')[2] }}", "c", partition(strings.LastIndex)},
		{"text", "rsplit(sep: text = none, maxsplit: int = -1)", "The parts between a separator, or spaces, from the end.", "{{ 'a.b.c'.rsplit('.', 1) }}", "['a.b', 'c']", split(true)},
		{"text", "rstrip(chars: text = none)", "The text without spaces, or the given characters, at its end.", "{{ 'a//'.rstrip('/') }}", "a", strip(strings.TrimRightFunc)},
		{"text", "split(sep: text = none, maxsplit: int = -1)", "The parts between a separator, or spaces.", "{{ 'Ann Lee'.split()[0] }} {{ 'a,b'.split(',') }}", "Ann ['a', 'b']", split(false)},
		{"text", "splitlines()", "The lines.", "{{ 'a\\nb'.splitlines() }}", "['a', 'b']", func(e *evaluator, a []any) (any, error) {
			var lines []string
			for i, line := range eachLine(a[0].(string)) {
				if i == MaxItems {
					return nil, errTooMany
				}
				lines = append(lines, line)
			}
			return texts(e, lines)
		}},
		{"text", "startswith(prefix)", "Whether it starts with a text.", "{{ '+49 30'.startswith('+49') }}", "True", affix(strings.HasPrefix)},
		{"text", "strip(chars: text = none)", "The text without spaces, or the given characters, at both ends.", "{{ ' a '.strip() }}", "a", strip(strings.TrimFunc)},
		{"text", "swapcase()", "Capitals as small letters, and the other way around.", "{{ 'aB'.swapcase() }}", "Ab", onText(swapCase)},
		{"text", "title()", "A capital at the start of each word.", `{{ "d'angelo".title() }}`, "D'Angelo", titleWords},
		{"text", "upper()", "Capital letters.", "{{ 'sale'.upper() }}", "SALE", onText(upper)},
		{"text", "zfill(width: int)", "Zeros in front up to a width.", "{{ '7'.zfill(3) }}", "007", func(e *evaluator, a []any) (any, error) {
			s := a[0].(string)
			sign := ""
			if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
				sign, s = s[:1], s[1:]
			}
			padded := must(pad('>')(e, []any{s, a[1].(int) - len(sign), "0"}))
			return sign + padded.(string), nil
		}},

		{"list", "append(item)", "Adds an item at the end.", "{% set l = [1] %}{% do l.append(2) %}{{ l }}", "[1, 2]", func(e *evaluator, a []any) (any, error) {
			return change(e, a[0], func(l []any) []any { return append(l, a[1]) })
		}},
		{"list", "clear()", "Removes all items.", "{% set l = [1] %}{% do l.clear() %}{{ l }}", "[]", func(e *evaluator, a []any) (any, error) {
			return change(e, a[0], func([]any) []any { return nil })
		}},
		{"list", "copy()", "Another list with the same items.", "{{ [1].copy() }}", "[1]", func(e *evaluator, a []any) (any, error) { return listOf(e, slices.Clone(a[0].(*List).Items)) }},
		{"list", "count(item)", "How often an item is in the list.", "{{ [1, 2, 1].count(1) }}", "2", func(e *evaluator, a []any) (any, error) {
			n := 0
			for _, item := range a[0].(*List).Items {
				same := must(equal(e, item, a[1]))
				if same {
					n++
				}
			}
			return n, nil
		}},
		{"list", "extend(items: list)", "Adds items at the end.", "{% set l = [1] %}{% do l.extend([2, 3]) %}{{ l }}", "[1, 2, 3]", func(e *evaluator, a []any) (any, error) {
			return change(e, a[0], func(l []any) []any { return append(l, a[1].([]any)...) })
		}},
		{"list", "index(item)", "The place of an item, from 0.", "{{ ['a', 'b'].index('b') }}", "1", func(e *evaluator, a []any) (any, error) { return indexOf(e, a[0].(*List), a[1]) }},
		{"list", "insert(index: int, item)", "Adds an item at a place.", "{% set l = [2] %}{% do l.insert(0, 1) %}{{ l }}", "[1, 2]", func(e *evaluator, a []any) (any, error) {
			return change(e, a[0], func(l []any) []any {
				at := a[1].(int)
				if at < 0 {
					at += len(l)
				}
				return slices.Insert(l, min(max(at, 0), len(l)), a[2])
			})
		}},
		{"list", "pop(index: int = -1)", "Removes an item, and returns it.", "{{ [1, 2].pop() }}", "2", func(e *evaluator, a []any) (any, error) {
			l := a[0].(*List)
			at, ok := within(a[1].(int), len(l.Items))
			if !ok {
				return nil, failure("the list has no such item to remove")
			}
			item := l.Items[at]
			l.Items = slices.Delete(l.Items, at, at+1)
			return item, e.roomFor(len(l.Items) - at)
		}},
		{"list", "remove(item)", "Removes an item.", "{% set l = [1, 2] %}{% do l.remove(1) %}{{ l }}", "[2]", func(e *evaluator, a []any) (any, error) {
			at := must(indexOf(e, a[0].(*List), a[1]))
			return change(e, a[0], func(l []any) []any { return slices.Delete(l, at, at+1) })
		}},
		{"list", "reverse()", "Turns the list around.", "{% set l = [1, 2] %}{% do l.reverse() %}{{ l }}", "[2, 1]", func(e *evaluator, a []any) (any, error) {
			return change(e, a[0], func(l []any) []any { slices.Reverse(l); return l })
		}},
		{"list", "sort(reverse: bool = false)", "Puts the items in order.", "{% set l = [2, 1] %}{% do l.sort() %}{{ l }}", "[1, 2]", func(e *evaluator, a []any) (any, error) {
			l := a[0].(*List)
			l.Items = arrange(e, l.Items, l.Items, a[1].(bool))
			return nil, nil
		}},

		{"map", "copy()", "Another map with the same entries.", "{{ {'a': 1}.copy() }}", "{'a': 1}", func(e *evaluator, a []any) (any, error) { return dictOf(e, a) }},
		{"map", "get(key, default = none)", "The entry of a key, or another value.", "{{ {'a': 1}.get('b', 0) }}", "0", func(e *evaluator, a []any) (any, error) { return entryOf(e, a, false) }},
		{"map", "items()", "The pairs of keys and values.", "{% for k, v in {'S': 'Small'}.items() %}{{ k }}: {{ v }}{% endfor %}", "S: Small", func(e *evaluator, a []any) (any, error) { return listOf(e, a[0].(*Dict).pairs()) }},
		{"map", "keys()", "The keys.", "{{ {'a': 1}.keys()|list }}", "['a']", func(e *evaluator, a []any) (any, error) { return listOf(e, slices.Clone(a[0].(*Dict).keys)) }},
		{"map", "pop(key, *default)", "Removes an entry, and returns it.", "{{ {'a': 1}.pop('a') }}", "1", func(e *evaluator, a []any) (any, error) {
			d, otherwise := a[0].(*Dict), a[2].(TupleValue)
			i, err := d.find(e, a[1])
			switch {
			case err != nil:
				return nil, err
			case i >= 0:
				v := d.values[i]
				return v, d.remove(e, i)
			case len(otherwise) == 0:
				return nil, failure("the map has no such key to remove")
			}
			return otherwise[0], nil
		}},
		{"map", "setdefault(key, default = none)", "The entry of a key, which becomes another value if there is none.", "{{ {}.setdefault('a', 1) }}", "1", func(e *evaluator, a []any) (any, error) { return entryOf(e, a, true) }},
		{"map", "update(values = none, **named)", "Adds or changes entries.", "{% set m = {'a': 1} %}{% do m.update({'b': 2}) %}{{ m }}", "{'a': 1, 'b': 2}", func(e *evaluator, a []any) (any, error) {
			more := must(dictOf(e, a[1:]))
			return nil, a[0].(*Dict).update(e, more)
		}},
		{"map", "values()", "The values.", "{{ {'a': 1}.values()|sum }}", "1", func(e *evaluator, a []any) (any, error) { return listOf(e, slices.Clone(a[0].(*Dict).values)) }},

		{"date", "astimezone(zone: text = none)", "The same time in the time zone of the campaign or in a named one.", "{{ date('2026-05-01T10:00Z').astimezone('Europe/Berlin').hour }}", "12", func(e *evaluator, a []any) (any, error) { return inZone(e, a[0].(time.Time), a[1]) }},
		{"date", "date()", "The day, from midnight.", "{{ date('2026-05-01 10:30').date().hour }}", "0", func(_ *evaluator, a []any) (any, error) {
			t := a[0].(time.Time)
			return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()), nil
		}},
		{"date", "isoformat()", "The date as in 2026-05-01T10:30:00+00:00.", "{{ date('2026-05-01').isoformat()[:10] }}", "2026-05-01", func(_ *evaluator, a []any) (any, error) {
			return a[0].(time.Time).Format("2006-01-02T15:04:05-07:00"), nil
		}},
		{"date", "isoweekday()", "The day of the week: Monday is 1, Sunday 7.", "{{ date('2026-05-01').isoweekday() }}", "5", func(_ *evaluator, a []any) (any, error) { return int(a[0].(time.Time).Weekday()+6)%7 + 1, nil }},
		{"date", "replace(year: int = none, month: int = none, day: int = none, hour: int = none, minute: int = none, second: int = none)", "The date with another year, month, day, hour, minute or second.", "{{ date('2026-05-17').replace(day=1).day }}", "1", replaceDate},
		{"date", "strftime(format: text)", "The date as %d %B %Y says; %-d is the day without a zero.", "{{ date('2026-05-01').strftime('%A, %d %B %Y, %H:%M') }}", "Friday, 01 May 2026, 00:00", formatDate},
		{"date", "timestamp()", "The seconds since 1970.", "{{ date(1700000000).timestamp() }}", "1700000000", func(_ *evaluator, a []any) (any, error) { return float64(a[0].(time.Time).UnixMicro()) / 1e6, nil }},
		{"date", "weekday()", "The day of the week: Monday is 0, Sunday 6.", "{{ date('2026-05-01').weekday() }}", "4", func(_ *evaluator, a []any) (any, error) { return int(a[0].(time.Time).Weekday()+6) % 7, nil }},
		{"timedelta", "total_seconds()", "The length in seconds.", "{{ timedelta(hours=2).total_seconds() }}", "7200", func(_ *evaluator, a []any) (any, error) { return a[0].(time.Duration).Seconds(), nil }},

		{"cycler", "next()", "The current item; the next one becomes the current one.", "{{ cycler('a', 'b').next() }}", "a", func(_ *evaluator, a []any) (any, error) {
			c := a[0].(*cycler)
			c.index++
			return c.items[(c.index-1)%len(c.items)], nil
		}},
		{"cycler", "reset()", "Starts again at the first item.", "{% set c = cycler('a', 'b') %}{% do c.next() %}{% do c.reset() %}{{ c.current }}", "a", func(_ *evaluator, a []any) (any, error) {
			a[0].(*cycler).index = 0
			return nil, nil
		}},
		{"loop", "cycle(*args)", "One of the arguments after the other.", "{% for x in [1, 2, 3] %}{{ loop.cycle('odd', 'even') }} {% endfor %}", "odd even odd ", func(_ *evaluator, a []any) (any, error) {
			args := a[1].(TupleValue)
			if len(args) == 0 {
				return nil, fault("method cycle needs an argument")
			}
			return args[a[0].(*loop).index%len(args)], nil
		}},
		{"loop", "changed(*args)", "Whether the arguments differ from those of the last turn.", "{% for x in ['a', 'a', 'b'] %}{% if loop.changed(x) %}{{ x }}{% endif %}{% endfor %}", "ab", func(e *evaluator, a []any) (any, error) {
			l := a[0].(*loop)
			same, err := equal(e, TupleValue(l.changed), a[1])
			same = same && l.changed != nil
			l.changed = append([]any{}, a[1].(TupleValue)...)
			return !same, err
		}},
	}
}

// pad is a method that fills a text up to a width: at both ends (^), behind (<) or in front (>).
func pad(align byte) func(*evaluator, []any) (any, error) {
	return func(e *evaluator, a []any) (any, error) {
		s, width, fill := a[0].(string), a[1].(int), " "
		if len(a) > 2 {
			fill = a[2].(string)
		}
		if utf8.RuneCountInString(fill) != 1 {
			return nil, fault("a text is filled up with one character")
		}
		n := width - utf8.RuneCountInString(s)
		if n <= 0 {
			return s, nil
		}
		if n > MaxOutput {
			return nil, errTooLarge
		}
		try(e.room(n*len(fill) + len(s)))
		left := 0
		switch align {
		case '>':
			left = n
		case '^':
			left = n/2 + n&width&1
		}
		return strings.Repeat(fill, left) + s + strings.Repeat(fill, n-left), nil
	}
}

func strip(trim func(string, func(rune) bool) string) func(*evaluator, []any) (any, error) {
	return func(e *evaluator, a []any) (any, error) {
		chars, ok := a[1].(string)
		if !ok {
			return trim(a[0].(string), unicode.IsSpace), nil
		}
		set := map[rune]bool{}
		for _, r := range chars {
			set[r] = true
		}
		return trim(a[0].(string), func(r rune) bool { return set[r] }), e.work(8 * (len(a[0].(string)) + len(chars)))
	}
}

// placeOf returns the number of characters before a text, or -1.
func placeOf(a []any, index func(s, sub string) int) int {
	s := a[0].(string)
	at := index(s, a[1].(string))
	if at < 0 {
		return at
	}
	return utf8.RuneCountInString(s[:at])
}

func partition(index func(s, sub string) int) func(*evaluator, []any) (any, error) {
	return func(_ *evaluator, a []any) (any, error) {
		s, sep := a[0].(string), a[1].(string)
		at := index(s, sep)
		switch {
		case sep == "":
			return nil, fault("a text cannot be parted at an empty text")
		case at >= 0:
			return TupleValue{s[:at], sep, s[at+len(sep):]}, nil
		case index("aa", "a") == 0:
			return TupleValue{s, "", ""}, nil
		}
		return TupleValue{"", "", s}, nil
	}
}

func texts(e *evaluator, parts []string) (any, error) {
	out := make([]any, len(parts))
	for i, part := range parts {
		out[i] = part
	}
	return listOf(e, out)
}

// split is the method split, or rsplit if it starts at the end.
func split(fromEnd bool) func(*evaluator, []any) (any, error) {
	return func(e *evaluator, a []any) (any, error) {
		s, most := a[0].(string), a[2].(int)
		if most < 0 {
			most = MaxItems
		}
		sep, ok := a[1].(string)
		if ok && sep == "" {
			return nil, fault("a text is split at a text that is not empty")
		}
		trim, index := strings.TrimLeftFunc, strings.IndexFunc
		if fromEnd {
			trim, index = strings.TrimRightFunc, strings.LastIndexFunc
		}
		var parts []string
		for {
			if !ok {
				if s = trim(s, unicode.IsSpace); s == "" {
					break
				}
			}
			at, size := -1, len(sep)
			switch {
			case !ok:
				if at = index(s, unicode.IsSpace); at >= 0 {
					_, size = utf8.DecodeRuneInString(s[at:])
				}
			case fromEnd:
				at = strings.LastIndex(s, sep)
			default:
				at = strings.Index(s, sep)
			}
			if at < 0 || len(parts) >= most {
				if !ok && fromEnd {
					s = strings.TrimRightFunc(s, unicode.IsSpace)
				}
				parts = append(parts, s)
				break
			}
			if before, after := s[:at], s[at+size:]; fromEnd {
				parts, s = append(parts, after), before
			} else {
				parts, s = append(parts, before), after
			}
			if len(parts) > MaxItems {
				return nil, errTooMany
			}
		}
		if fromEnd {
			slices.Reverse(parts)
		}
		if len(parts) > MaxItems {
			return nil, errTooMany
		}
		return texts(e, parts)
	}
}

func joinMethod(e *evaluator, a []any) (any, error) {
	for _, item := range a[1].([]any) {
		if m, ok := item.(*missing); ok {
			return nil, m
		}
		if _, ok := isText(item); !ok {
			return nil, fault("method join takes texts, not " + kind(item) + "; the filter join takes any values")
		}
	}
	return join(e, a[0].(string), a[1].([]any), false)
}

// change changes the items of a list. It charges for the new length.
func change(e *evaluator, list any, how func([]any) []any) (any, error) {
	l := list.(*List)
	l.Items = how(l.Items)
	if len(l.Items) > MaxItems {
		return nil, errTooMany
	}
	return nil, e.work(1)
}

func indexOf(e *evaluator, l *List, item any) (int, error) {
	for i, other := range l.Items {
		if same, err := equal(e, other, item); err != nil {
			return 0, err
		} else if same {
			return i, nil
		}
	}
	return 0, failure("the list does not have this item")
}

// entryOf returns the entry of a key or a default, which it sets if it should.
func entryOf(e *evaluator, a []any, set bool) (any, error) {
	d := a[0].(*Dict)
	i := must(d.find(e, a[1]))
	if i >= 0 {
		return d.values[i], nil
	}
	if set {
		try(d.set(e, a[1], a[2]))
	}
	return a[2], nil
}

// setMember is {% set v.name = item %}.
func setMember(e *evaluator, v any, name string, item any) error {
	if n, ok := v.(*namespace); ok {
		return n.set(e, name, item)
	}
	return fault("only namespace() can be set with a dot, not " + kind(v))
}

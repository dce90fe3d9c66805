package template_test

import "regexp"

// failed stands for the result of a template that fails.
const failed = "\x00"

// differences are what templates of the corpus deliberately come to that have another result in Jinja.
var differences = []struct {
	why  string
	ours map[string]string // by template
}{
	{"a message with a hole is not sent", map[string]string{
		"{{ nope }}":                                              failed,
		"Hi {{ user.nick }}":                                      failed,
		"{{ nope|upper }}":                                        failed,
		"{% for x in nope %}{{ x }}{% endfor %}":                  failed,
		"{{ [user.title, user.name, 'x']|select|first }}":         failed,
		"{% if user.plan in ['a', 'b'] %}A{% else %}B{% endif %}": failed,
	}},
	{"what is looked up in a missing value is missing, too, and default replaces it", map[string]string{
		"{{ user.a.b.c|default('deep') }} {{ user['x y']|default('d') }} {{ nope|default }}| {{ nope|default(none) is none }} {{ nope|default(default_value='k') }} {{ ''|default('e', boolean=true) }} {{ 0|default(5) }}": "deep d | True k e 0",
		"{{ event.cart[7].name|default('nothing') }} {{ event.cart[0].color|default('any') }} {{ event.cart[0].color.code|default('any') }}":                                                                                "nothing any any",
		"{{ ProductSet.shoes[0].title|default('our shoes') }}":                                                                           "our shoes",
		"{% for i in event.cart %}{{ loop.previtem.name|default('-') }}<{{ i.name }}>{{ loop.nextitem.name|default('-') }} {% endfor %}": "-<Kettle>Mug Kettle<Mug>Lamp Mug<Lamp>- ",
	}},
	{"default replaces what cannot be computed without a value", map[string]string{
		"{{ '{:,}'.format(user.Points)|default('0') }}":                                                        "0",
		"{{ (user.points / user.visits)|default(0) }}":                                                         "0",
		"{% set total = event.price * event.count %}{{ total|default('?') }}":                                  "?",
		"{{ user.x|upper|default('friend') }} {{ (user.x ~ '!')|default('none') }} {{ (1 / 0)|default('∞') }}": "friend none ∞",
	}},
	{"nobody wants to read None", map[string]string{
		"{{ user.null|default('nothing') }} {{ user.null is defined }}": "nothing False",
		"{{ user.address.get('x')|default('d') }}":                      "d",
		"{{ user.address.get('x') }}":                                   failed,
	}},
	{"a whole number is written without a fraction", map[string]string{
		"{{ event.price|round }} {{ event.price|round(1) }} {{ user.spend|round(2) }} {{ user.spend|round(1, 'floor') }} {{ user.spend|round(1, 'ceil') }} {{ event.price|round|int }}": "50 49.9 48.05 48 48.1 50",
		"{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 1234|round(-2) }}":                                                                                                     "2 4 2.67 1200",
		"{{ 6/3 }} {{ 7/2 }} {{ 7//2 }} {{ -7//2 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }}":                                            "2 3.5 3 -4 2 3 1024 0.5 4 64",
		"{{ 1 + 2 * 3 - 4 / 2 }} {{ (1 + 2) * 3 }} {{ 10 - 2 - 3 }} {{ 100 / 10 / 2 }} {{ 1 ~ 2 * 3 }} {{ 2 * 3 ~ 4 }}":                                                                 "5 9 5 5 16 64",
		"{{ 1_000_000 }} {{ 0x10 }} {{ 0b11 }} {{ 0o17 }} {{ 1e3 }} {{ 1.5e-3 }} {{ 1E5 }}":                                                                                             "1000000 16 3 15 1000 0.0015 100000",
		"{{ 9007199254740993 }} {{ 1e22 }} {{ 1e15 }} {{ 1e16 }} {{ 123456789.123 }} {{ 0.0001 }} {{ 0.00001 }}":                                                                        "9007199254740993 1e+22 1000000000000000 1e+16 123456789.123 0.0001 1e-05",
		"{{ '%s' % 5.0 }} {{ 5.0 ~ '' }} {{ [5.0, 2] }} {{ 5.0|string }}":                                                                                                               "5 5 [5, 2] 5",
		"{{ 1.10 }} {{ 100.0 }} {{ 1e2 }} {{ 3.14159|round(2) }} {{ 10 / 4 }} {{ 1 / 3 }}":                                                                                              "1.1 100 100 3.14 2.5 0.3333333333333333",
		"{{ '１２'|int }} {{ '٣'|int }} {{ ' 1_000 '|int }} {{ '1e3'|float }} {{ '1e3'|int }}":                                                                                            "12 3 1000 1000 1000",
	}},
	{"x.items is the entry of that name, and a method only if it is called", map[string]string{
		"{{ event.items|length }}": "2",
	}},
	{"line ends stay as they are", map[string]string{
		"line\r\n{{ user.name }}\r\n": "line\r\nann\r\n",
	}},
	{"whole numbers have 64 bits, and there is no number that is none", map[string]string{
		"{{ 12345678901234567890 }}": failed,
		"{{ 2 ** 70 }}":              failed,
		"{{ 'nan'|float }}":          "0",
	}},
	{"what nobody needs in a message", map[string]string{
		"{{ {'a': 1}|pprint }}":                            failed,
		"{{ user.address|attr('city') }}":                  failed,
		"{{ m }}{% macro m() %}{% endmacro %}{{ m.name }}": failed,
	}},
}

// randomDifferences are the deliberate differences in random templates: what we say and what Jinja says. One that has a
// template only applies to templates that match it.
var randomDifferences = []struct {
	why                    string
	template, ours, jinjas *regexp.Regexp
}{
	{why: "templates have limits", ours: regexp.MustCompile(`larger than 1024 KiB|more than 10000 items`)},
	{why: "Jinja looks for the filter list.index only when it gets there", ours: regexp.MustCompile(`a filter has no attributes`)},
	{why: "Jinja makes lists of no items and a first one of all", ours: regexp.MustCompile(`filter batch needs a linecount of at least 1`)},
	{why: "Jinja takes whatever is false for an empty list", ours: regexp.MustCompile(`filter (map|select|reject|selectattr|rejectattr) takes a list, not`)},
	{why: "Python takes none for no argument in places", ours: regexp.MustCompile(`takes a whole number as \w+, not none`)},
	{why: "and a number with a fraction where it does not get to use it", ours: regexp.MustCompile(`takes a whole number as \w+, not a number`)},
	{why: "default replaces a set that failed, too", template: regexp.MustCompile(`(?s)set v\d+ = .*\bv\d+\)*\|d(efault)?\(`), jinjas: regexp.MustCompile(`UndefinedError|ZeroDivisionError`)},
	{why: "wrong numbers of arguments are found where Jinja does not get, too", ours: regexp.MustCompile(`^line \d+, column \d+: \w+ \S+ (takes at most|takes no|needs)`)},
	{why: "and none for one that is wrong in others", jinjas: regexp.MustCompile(`'NoneType' object is not iterable`)},
	{why: "and an empty text for an empty list", ours: regexp.MustCompile(`a map is made of a map or of a list of pairs, not of`)},
	{why: "Jinja writes no attributes with a number for a name", jinjas: regexp.MustCompile(`expected string or bytes-like object`)},
	{why: "urlencode encodes no maps and lists", ours: regexp.MustCompile(`filter urlencode takes a text`)},
	{why: "no map has tuples as keys", ours: regexp.MustCompile(`a tuple cannot be a key`)},
	{why: "only numbers, texts and dates have an order", ours: regexp.MustCompile(`a (list|tuple) and a (list|tuple) cannot be compared`)},
	{why: "Python cannot look up lists", jinjas: regexp.MustCompile(`unhashable`)},
	{why: "only the join of Python's safe texts takes what is no text", ours: regexp.MustCompile(`method join takes texts`)},
	{why: "tuples have no methods, and lists no count, which nobody uses", ours: regexp.MustCompile(`a (tuple|list) has no method`)},
	{why: "a list is not sorted or grouped by what its items do not have", ours: regexp.MustCompile(`(sort|unique|groupby)\(.*: (it has no|the item)`)},
	{why: "a whole number is one, also as a float", jinjas: regexp.MustCompile(`cannot be interpreted as an integer`)},
	{why: "filters return lists, and not something that can be read once", ours: regexp.MustCompile(`a list cannot be a key`), jinjas: regexp.MustCompile(`generator|object at 0x`)},
}

// deliberate reports whether the comparison of a template is one of [randomDifferences].
func deliberate(src string, c comparison) bool {
	for _, d := range randomDifferences {
		if d.template != nil && !d.template.MatchString(src) {
			continue
		}
		if d.ours != nil && d.ours.MatchString(c.ours.Error) || d.jinjas != nil && d.jinjas.MatchString(c.jinjas.String()) {
			return true
		}
	}
	return false
}

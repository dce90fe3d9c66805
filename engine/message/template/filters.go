package template

import (
	"html"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// filters are the filters of Jinja 3.1 that messages can need, and those for dates. What a filter takes is its
// first column: a text (str; plain if it forgets that the text was safe), a number, a list, a map, anything that
// is not missing, or even that.
func filters() []entry {
	return []entry{
		{"missing", "default|d(default_value='', boolean: bool=false)", "The value, or another one if it is missing; with true also if it is empty, 0 or false.", "Hi {{ user.nickname|default('friend') }}", "Hi friend", orDefault},

		{"str", "capitalize", "The first letter as a capital, the others small.", "{{ 'nEW shoes'|capitalize }}", "New shoes", onText(capitalized)},
		{"", "escape|e", "Text for HTML, unless it is safe already.", "{{ 'Tom & <b>'|e }}", "Tom &amp; &lt;b&gt;", func(e *evaluator, a []any) any { return Safe(textOf(e, a[0], true)) }},
		{"str", "format(*args, **named)", "Values in the places of a text: %s any, %d whole, %.2f with two decimals.", "{{ '%.2f EUR'|format(9.5) }}", "9.50 EUR", formatFilter},
		{"str", "lower", "Small letters.", "{{ 'GOLD'|lower }}", "gold", onText(lower)},
		{"", "replace(old, new, count: int=-1)", "The text with another text in the place of one.", "{{ 'a-b-c'|replace('-', '+') }}", "a+b+c", replaceFilter},
		{"str", "safe", "The text, marked as HTML that e does not escape again.", "{{ '<b>'|safe|e }}", "<b>", onText(func(s string) Safe { return Safe(s) })},
		{"str", "string", "The value as text.", "{{ 5|string ~ 6 }}", "56", onText(func(s string) string { return s })},
		{"plain", "striptags", "The text without HTML tags.", "{{ '<b>Big</b> sale'|striptags }}", "Big sale", onText(withoutTags)},
		{"plain", "title", "A capital at the start of each word.", "{{ 'anna-lena'|title }}", "Anna-Lena", titled},
		{"str", "trim(chars: text=none)", "The text without spaces, or the given characters, at both ends.", "{{ '  Ann '|trim }}", "Ann", strip(strings.Trim)},
		{"str", "truncate(length: int=255, killwords: bool=false, end: text='...', leeway: int=5)", "The text cut to a length, at a word unless killwords.", "{{ 'Waterproof walking boots'|truncate(15) }}", "Waterproof...", truncate},
		{"str", "upper", "Capital letters.", "{{ 'sale'|upper }}", "SALE", onText(upper)},
		{"", "urlencode", "Text for a link.", "https://x.example/?q={{ 'red shoes'|urlencode }}", "https://x.example/?q=red%20shoes", urlEncode},
		{"", "urlize", "Web and email addresses as links, the rest escaped.", "{{ 'see www.example.com'|urlize }}", `see <a href="https://www.example.com" rel="noopener">www.example.com</a>`, urlize},
		{"map", "xmlattr", "A map as HTML attributes.", "<a{{ {'href': '/x'}|xmlattr }}>", `<a href="/x">`, xmlAttributes},

		{"number", "abs", "The number without its sign.", "{{ -5|abs }}", "5", absolute},
		{"", "float(default=0.0)", "The value as a number with a fraction.", "{{ '2.5'|float * 2 }}", "5", toFloat},
		{"", "int(default=0)", "The value as a whole number.", "{{ '12'|int + 1 }}", "13", toInt},
		{"number", "round(precision: int=0, method: text='common')", "The number with so many decimals; method is common, ceil or floor.", "{{ 9.987|round(2) }}", "9.99", roundFilter},

		{"list", "batch(linecount: count, fill_with=none)", "Lists of so many items each.", "{{ [1, 2, 3]|batch(2) }}", "[[1, 2], [3]]", batch},
		{"map", "dictsort(case_sensitive: bool=false, by: text='key', reverse: bool=false)", "The pairs of a map in the order of its keys or its values.", "{{ {'b': 1, 'a': 2}|dictsort }}", "[('a', 2), ('b', 1)]", dictSort},
		{"", "first", "The first item or character.", "{{ 'Ann'|first }}", "A", pick(func(int) int { return 0 })},
		{"list", "groupby(attribute, default=none, case_sensitive: bool=false)", "Pairs of a value, and the list of the items that have it as an attribute.", "{% for g in [{'c': 'a'}, {'c': 'a'}]|groupby('c') %}{{ g.grouper }}: {{ g.list|length }}{% endfor %}", "a: 2", groupBy},
		{"map", "items", "The pairs of a map.", "{% for k, v in {'S': 1}|items %}{{ k }}={{ v }}{% endfor %}", "S=1", pairsOf},
		{"list", "join(d='', attribute=none)", "The items as one text with something between them.", "{{ ['a', 'b']|join(', ') }}", "a, b", joinFilter},
		{"", "last", "The last item or character.", "{{ [1, 2, 3]|last }}", "3", pick(func(n int) int { return n - 1 })},
		{"", "length|count", "The number of items or characters.", "{{ [1, 2]|length }}", "2", func(e *evaluator, a []any) any { return length(e, a[0]) }},
		{"list", "list", "The items as a list; the letters of a text.", "{{ 'abc'|list }}", "['a', 'b', 'c']", func(e *evaluator, a []any) any { return listOf(e, slices.Clone(a[0].([]any))) }},
		{"list", "map(*args, **named)", "Each item's attribute, or what a filter makes of it.", "{{ ['a', 'b']|map('upper')|join }} {{ [{'n': 1}]|map(attribute='n')|list }}", "AB [1]", mapFilter},
		{"list", "max(case_sensitive: bool=false, attribute=none)", "The largest item.", "{{ [3, 7, 5]|max }}", "7", extreme(true)},
		{"list", "min(case_sensitive: bool=false, attribute=none)", "The smallest item.", "{{ [{'p': 9}, {'p': 4}]|min(attribute='p') }}", "{'p': 4}", extreme(false)},
		{"", "random", "Any of the items.", "{{ ['a', 'a']|random }}", "a", pick(func(n int) int { return rand.IntN(max(n, 1)) })},
		{"list", "reject(*args)", "The items for which a test does not hold.", "{{ [1, 2, 3]|reject('odd')|list }}", "[2]", selecting(false, false)},
		{"list", "rejectattr(attribute, *args)", "The items whose attribute does not pass a test, or is not set.", "{{ [{'n': 1}, {'n': 2}]|rejectattr('n', 'odd')|list }}", "[{'n': 2}]", selecting(true, false)},
		{"", "reverse", "The items or characters from the end.", "{{ 'abc'|reverse }}", "cba", reverse},
		{"list", "select(*args)", "The items for which a test holds.", "{{ [1, 2, 3]|select('>', 1)|list }}", "[2, 3]", selecting(false, true)},
		{"list", "selectattr(attribute, *args)", "The items whose attribute passes a test, or is set.", "{{ [{'n': 1}, {'n': 2}]|selectattr('n', 'odd')|list }}", "[{'n': 1}]", selecting(true, true)},
		{"list", "sort(reverse: bool=false, case_sensitive: bool=false, attribute=none)", "The items in order, or in the order of an attribute.", "{{ [3, 1, 2]|sort }}", "[1, 2, 3]", sortFilter},
		{"list", "sum(attribute=none, start=0)", "The items added up.", "{{ [{'p': 50}, {'p': 5.5}]|sum(attribute='p') }}", "55.5", sum},
		{"", "tojson", "The value as JSON for scripts.", "{{ {'a': [1, true]}|tojson }}", `{"a": [1, true]}`, func(e *evaluator, a []any) any { return Safe(asJSON(e, a[0])) }},
		{"list", "unique(case_sensitive: bool=false, attribute=none)", "The items without repeats.", "{{ ['b', 'B', 'a']|unique|list }}", "['b', 'a']", unique},

		{"", "date(format: text=none)", "A text such as 2026-05-01, or seconds since 1970, as a date; format says how the text is written.", "{{ ('01.05.2026'|date('%d.%m.%Y')).month }}", "5", dateOf},
		{"", "strftime(format: text)", "A date, or a text with one, as %d %B %Y says.", "{{ '2026-05-01'|strftime('%-d %B %Y') }}", "1 May 2026", formatDate},
	}
}

func listOf(e *evaluator, items []any) any {
	e.roomFor(len(items))
	return &List{Items: items}
}

func pairsOf(e *evaluator, a []any) any { return listOf(e, a[0].(*Dict).pairs()) }

// onText is a filter or a method of one text.
func onText[T any](change func(string) T) call {
	return func(e *evaluator, a []any) any {
		e.work(8 * len(a[0].(string)))
		return change(a[0].(string))
	}
}

func orDefault(_ *evaluator, a []any) any {
	if _, ok := a[0].(*missing); ok || a[0] == nil || a[2].(bool) && !truth(a[0]) {
		return a[1]
	}
	return a[0]
}

// textOf returns v as text, which is escaped if it should be and is not safe.
func textOf(e *evaluator, v any, escape bool) string {
	s := str(e, v)
	if escape && !anySafe(v) {
		s = html.EscapeString(s)
	}
	e.room(len(s))
	return s
}

func anySafe(values ...any) bool {
	return slices.ContainsFunc(values, func(v any) bool { _, safe := v.(Safe); return safe })
}

func marked(s string, safe bool) any {
	if safe {
		return Safe(s)
	}
	return s
}

// replaceFilter knows safe text only where values are escaped, as Jinja.
func replaceFilter(e *evaluator, a []any) any {
	safe := e.autoescape && anySafe(a[:3]...)
	s := replace(e, []any{textOf(e, a[0], safe), textOf(e, a[1], safe), textOf(e, a[2], safe), a[3]})
	return marked(s.(string), safe)
}

// replace is the method.
func replace(e *evaluator, a []any) any {
	s, before, after, count := a[0].(string), a[1].(string), a[2].(string), a[3].(int)
	times := strings.Count(s, before)
	if count >= 0 {
		times = min(times, count)
	}
	if len(after) > 0 && times > MaxOutput/len(after) {
		try(errTooLarge)
	}
	e.room(len(s) + times*len(after))
	return strings.Replace(s, before, after, count)
}

func truncate(e *evaluator, a []any) any {
	s, most, killwords, end, leeway := a[0].(string), a[1].(int), a[2].(bool), a[3].(string), a[4].(int)
	kept := most - utf8.RuneCountInString(end)
	if kept < 0 || leeway < 0 {
		try(fault("filter truncate needs a length that its end fits in, and a leeway of at least 0"))
	}
	if utf8.RuneCountInString(s)-leeway <= most {
		return s
	}
	cut := firstRunes(s, kept)
	if i := strings.LastIndexByte(cut, ' '); !killwords && i >= 0 {
		cut = cut[:i]
	}
	return cut + end
}

// urlEncode encodes a text for a link.
func urlEncode(e *evaluator, a []any) any {
	if !slices.Contains([]string{"text", "number", "boolean"}, kindOf(a[0])) {
		try(fault("filter urlencode takes a text, not " + kind(a[0])))
	}
	s := strings.ReplaceAll(url.QueryEscape(textOf(e, a[0], false)), "+", "%20")
	return strings.ReplaceAll(s, "%2F", "/")
}

// address is a web or email address in HTML.
var address = regexp.MustCompile(`(?i)\b(?:(?:https?://|www\.)(?:[^\s<>&"]|&amp;)*[\pL\pN/=_#%~-]|[\w.+-]+@\w[\w.-]*\.\w+|(?:[\w-]+\.)+(?:com|net|org|info|edu|gov)\b)`)

// urlize makes links of the addresses in a text.
func urlize(e *evaluator, a []any) any {
	s := textOf(e, a[0], true)
	e.work(64 * len(s))
	s = address.ReplaceAllStringFunc(s, func(at string) string {
		switch {
		case strings.Contains(at, "://"):
			return `<a href="` + at + `" rel="noopener">` + at + `</a>`
		case strings.Contains(at, "@"):
			return `<a href="mailto:` + at + `">` + at + `</a>`
		}
		return `<a href="https://` + at + `" rel="noopener">` + at + `</a>`
	})
	return marked(s, e.autoescape)
}

func xmlAttributes(e *evaluator, a []any) any {
	o := output{e: e}
	for i, key := range a[0].(*Dict).keys {
		v := a[0].(*Dict).values[i]
		if _, ok := v.(*missing); ok || v == nil {
			continue
		}
		name := textOf(e, key, false)
		if strings.ContainsAny(name, " \t\n\f\r/>=") {
			try(fault("filter xmlattr: " + shorten(name) + " cannot be the name of an attribute"))
		}
		o.add(" " + html.EscapeString(name) + `="` + textOf(e, v, true) + `"`)
	}
	return marked(o.String(), e.autoescape)
}

func absolute(_ *evaluator, a []any) any {
	if float(a[0]) < 0 {
		return arithmetic("*", a[0], -1)
	}
	return a[0]
}

func roundFilter(_ *evaluator, a []any) any {
	decimals, method := max(min(a[1].(int), 300), -300), a[2].(string)
	scale := math.Pow(10, float64(decimals))
	x := float(a[0])
	_, isInt := a[0].(int)
	switch {
	case !slices.Contains([]string{"common", "ceil", "floor"}, method):
		try(fault("filter round takes 'common', 'ceil' or 'floor' as method"))
	case isInt && decimals >= 0:
		return a[0]
	case method == "ceil":
		x = math.Ceil(x*scale) / scale
	case method == "floor":
		x = math.Floor(x*scale) / scale
	case decimals < 0:
		x = math.RoundToEven(x*scale) / scale
	default:
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64) // it is a number always
	}
	return finite(x)
}

func toFloat(_ *evaluator, a []any) any {
	if n := numberIn(a[0]); n != nil {
		return float(n)
	}
	return a[1]
}

func toInt(_ *evaluator, a []any) any {
	switch n := numberIn(a[0]).(type) {
	case int:
		return n
	case float64:
		if math.Abs(n) >= 1<<63 {
			try(errOverflow)
		}
		return int(n)
	}
	return a[1]
}

// numberIn returns a number, or the one that a text is, or nil.
func numberIn(v any) any {
	if s, ok := isText(v); ok {
		return parseNumber(s)
	}
	return numeric(v)
}

// parseNumber returns the number in a text, in the digits of any script, or nil.
func parseNumber(s string) any {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '_':
			return -1
		case r < utf8.RuneSelf || !unicode.IsDigit(r):
			return r
		}
		zero := r // digits stand in rows of ten
		for unicode.IsDigit(zero - 1) {
			zero--
		}
		return '0' + (r-zero)%10
	}, strings.TrimSpace(s))
	if i, err := strconv.Atoi(s); err == nil {
		return i
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && strings.Trim(s, "0123456789+-.eE") == "" {
		return x
	}
	return nil
}

// pick is a filter for an item or a character.
func pick(at func(n int) int) call {
	return func(e *evaluator, a []any) any {
		v := a[0]
		if d, ok := v.(*Dict); ok {
			v = &List{Items: d.keys}
		}
		return item(e, v, at(length(e, v)))
	}
}

func reverse(e *evaluator, a []any) any {
	if _, ok := isText(a[0]); !ok {
		a[0] = &List{Items: iterate(e, a[0])}
	}
	return slice(e, a[0], bounds{nil, nil, -1})
}

// getter returns a function for the attribute of an item: a path such as address.city or 0, and the item itself
// for none. One that is missing is the fallback, if that is not nil.
func getter(e *evaluator, path, fallback any) func(item any) any {
	var steps []any
	if s, ok := isText(path); ok {
		for step := range strings.SplitSeq(s, ".") {
			if i, err := strconv.Atoi(step); err == nil && i >= 0 {
				steps = append(steps, i)
			} else {
				steps = append(steps, step)
			}
		}
	} else if path != nil {
		steps = []any{path}
	}
	return func(item any) any {
		for _, step := range steps {
			item = member(e, item, step)
		}
		if _, ok := item.(*missing); ok && fallback != nil {
			return fallback
		}
		return item
	}
}

// keyed is an item with the value by which it is compared.
type keyed struct{ key, item any }

func withKeys(e *evaluator, items []any, get func(item any) any, caseSensitive bool) []keyed {
	out := make([]keyed, len(items))
	for i, item := range items {
		out[i] = keyed{folded(e, get(item), caseSensitive), item}
	}
	return out
}

// folded returns a value to compare, a text in small letters unless it is compared as it is.
func folded(e *evaluator, v any, caseSensitive bool) any {
	present(v)
	if s, ok := isText(v); ok && !caseSensitive {
		e.work(8 * len(s))
		return lower(s)
	}
	return v
}

// arrange sorts items by their keys. Equal ones keep their order.
func arrange(e *evaluator, items []keyed, reverse bool) []any {
	slices.SortStableFunc(items, func(a, b keyed) int {
		if reverse {
			a, b = b, a
		}
		return order(e, a.key, b.key)
	})
	out := make([]any, len(items))
	for i, k := range items {
		out[i] = k.item
	}
	return out
}

func sortFilter(e *evaluator, a []any) any {
	return &List{Items: arrange(e, withKeys(e, a[0].([]any), getter(e, a[3], nil), a[2].(bool)), a[1].(bool))}
}

func dictSort(e *evaluator, a []any) any {
	at := slices.Index([]string{"key", "value"}, a[2].(string))
	if at < 0 {
		try(fault("filter dictsort takes 'key' or 'value' as by"))
	}
	return &List{Items: arrange(e, withKeys(e, a[0].(*Dict).pairs(), getter(e, at, nil), a[1].(bool)), a[3].(bool))}
}

func groupBy(e *evaluator, a []any) any {
	get, groups, list := getter(e, a[1], a[2]), []any{}, &List{}
	items := withKeys(e, a[0].([]any), get, a[3].(bool))
	arrange(e, items, false)
	for i, k := range items {
		if i == 0 || !equal(e, items[i-1].key, k.key) {
			list = &List{}
			groups = append(groups, &List{Items: []any{get(k.item), list}, tuple: true, names: []string{"grouper", "list"}})
		}
		list.Items = append(list.Items, k.item)
	}
	return &List{Items: groups}
}

// extreme is max or min.
func extreme(largest bool) call {
	return func(e *evaluator, a []any) any {
		items := arrange(e, withKeys(e, a[0].([]any), getter(e, a[2], nil), a[1].(bool)), largest)
		return item(e, &List{Items: items}, 0)
	}
}

func unique(e *evaluator, a []any) any {
	seen, out := &Dict{}, []any{}
	for _, k := range withKeys(e, a[0].([]any), getter(e, a[2], nil), a[1].(bool)) {
		seen.set(e, k.key, nil)
		if len(seen.keys) > len(out) {
			out = append(out, k.item)
		}
	}
	return &List{Items: out}
}

func joinFilter(e *evaluator, a []any) any {
	get, items := getter(e, a[2], nil), slices.Clone(a[0].([]any))
	for i, item := range items {
		items[i] = get(item)
	}
	return join(e, a[1], items, e.autoescape && anySafe(append(items, a[1])...))
}

// join writes items with a seam between them. If safe is set, it escapes what is not, and the result is safe.
func join(e *evaluator, seam any, items []any, safe bool) any {
	o := output{e: e}
	between := textOf(e, seam, safe)
	for i, item := range items {
		if i > 0 {
			o.add(between)
		}
		o.add(textOf(e, item, safe))
	}
	return marked(o.String(), safe)
}

func sum(e *evaluator, a []any) any {
	get, total := getter(e, a[1], nil), a[2]
	for _, item := range a[0].([]any) {
		n := get(item)
		present(n)
		total = binary(e, "+", total, n)
	}
	return total
}

func batch(e *evaluator, a []any) any {
	n, out := a[1].(int), []any{}
	for row := range slices.Chunk(a[0].([]any), n) {
		row = slices.Clone(row)
		if a[2] != nil && len(row) < n {
			e.roomFor(n)
			row = append(row, slices.Repeat(a[2:3], n-len(row))...)
		}
		out = append(out, &List{Items: row})
	}
	return &List{Items: out}
}

func mapFilter(e *evaluator, a []any) any {
	args, named, out := a[1].(*List).Items, a[2].(*Dict), slices.Clone(a[0].([]any))
	path, with := named.get("attribute")
	fallback, _ := named.get("default")
	change := getter(e, path, fallback)
	switch {
	case len(args) > 0:
		var names []string
		for _, name := range named.keys {
			names = append(names, name.(string))
		}
		change = func(item any) any {
			return e.apply(FilterKind, args[0], slices.Concat([]any{item}, args[1:], named.values), names...)
		}
	case !with || len(named.keys) > 2:
		try(fault("filter map takes the name of a filter, or attribute='…' and perhaps default='…'"))
	}
	for i, item := range out {
		out[i] = change(item)
	}
	return &List{Items: out}
}

// selecting returns the filter that keeps the items, or those with an attribute, that pass a test or are true; or
// those that do not.
func selecting(attribute, keep bool) call {
	return func(e *evaluator, a []any) any {
		args, get, out := a[len(a)-1].(*List).Items, getter(e, nil, nil), []any{}
		if attribute {
			get = getter(e, a[1], nil)
		}
		for _, item := range a[0].([]any) {
			v := get(item)
			if len(args) > 0 {
				v = e.apply(TestKind, args[0], append([]any{v}, args[1:]...))
			}
			if truth(v) == keep {
				out = append(out, item)
			}
		}
		return &List{Items: out}
	}
}

func asJSON(e *evaluator, v any) string {
	o := output{e: e, json: true}
	o.repr(v)
	return o.String()
}

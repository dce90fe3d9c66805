package template

import (
	"fmt"
	"html"
	"iter"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// filters are the filters of Jinja 3.1 that messages can need, and those for dates. What a filter takes is its
// first column: a text (str; plain if it forgets that the text was safe), a number, a list, a map, anything that
// is not missing, or even that.
func filters() []entry {
	return []entry{
		{"missing", "default|d(default_value = '', boolean: bool = false)", "The value, or another one if it is missing; with true also if it is empty, 0 or false.", "Hi {{ user.nickname|default('friend') }}", "Hi friend", orDefault},

		{"str", "capitalize()", "The first letter as a capital, the others small.", "{{ 'nEW shoes'|capitalize }}", "New shoes", onText(capitalized)},
		{"str", "center(width: int = 80)", "Spaces on both sides up to a width.", "[{{ 'ab'|center(6) }}]", "[  ab  ]", pad('^')},
		{"", "escape|e()", "Text for HTML, unless it is safe already.", "{{ 'Tom & <b>'|e }}", "Tom &amp; &lt;b&gt;", escape},
		{"str", "forceescape()", "Text for HTML, even if it is safe already.", "{{ '<b>'|safe|forceescape }}", "&lt;b&gt;", func(_ *evaluator, a []any) (any, error) { return Safe(html.EscapeString(a[0].(string))), nil }},
		{"str", "format(*args, **named)", "Values in the places of a text: %s any, %d whole, %.2f with two decimals.", "{{ '%.2f EUR'|format(9.5) }}", "9.50 EUR", func(e *evaluator, a []any) (any, error) {
			return percents(e, a[0].(string), a[1].(TupleValue), a[2].(*Dict))
		}},
		{"str", "indent(width = 4, first: bool = false, blank: bool = false)", "Each line but the first behind spaces.", "{{ 'a\\nb'|indent(2) }}", "a\n  b", indent},
		{"str", "lower()", "Small letters.", "{{ 'GOLD'|lower }}", "gold", onText(lower)},
		{"", "replace(old, new, count: int = -1)", "The text with another text in the place of one.", "{{ 'a-b-c'|replace('-', '+') }}", "a+b+c", replaceFilter},
		{"str", "safe()", "The text, marked as HTML that e does not escape again.", "{{ '<b>'|safe|e }}", "<b>", func(_ *evaluator, a []any) (any, error) { return Safe(a[0].(string)), nil }},
		{"str", "string()", "The value as text.", "{{ 5|string ~ 6 }}", "56", onText(func(s string) string { return s })},
		{"plain", "striptags()", "The text without HTML tags.", "{{ '<b>Big</b> sale'|striptags }}", "Big sale", onText(withoutTags)},
		{"plain", "title()", "A capital at the start of each word.", "{{ 'anna-lena'|title }}", "Anna-Lena", titled},
		{"str", "trim(chars: text = none)", "The text without spaces, or the given characters, at both ends.", "{{ '  Ann '|trim }}", "Ann", strip(strings.TrimFunc)},
		{"str", "truncate(length: int = 255, killwords: bool = false, end: text = '...', leeway: int = 5)", "The text cut to a length, at a word unless killwords.", "{{ 'Waterproof walking boots'|truncate(15) }}", "Waterproof...", truncate},
		{"str", "upper()", "Capital letters.", "{{ 'sale'|upper }}", "SALE", onText(upper)},
		{"", "urlencode()", "Text for a link; a map as the query of a link.", "{{ {'q': 'red shoes'}|urlencode }}", "q=red+shoes", urlEncode},
		{"", "urlize(trim_url_limit: int = none, nofollow: bool = false, target: text = none, rel: text = none)", "Web and email addresses as links, the rest escaped.", "{{ 'see www.example.com'|urlize }}", `see <a href="https://www.example.com" rel="noopener">www.example.com</a>`, urlize},
		{"str", "wordcount()", "The number of words.", "{{ 'one two'|wordcount }}", "2", wordCount},
		{"plain", "wordwrap(width: int = 79, break_long_words: bool = true, wrapstring: text = '\\n')", "Lines of at most a width.", "{{ 'one two three'|wordwrap(7) }}", "one two\nthree", wordWrap},
		{"map", "xmlattr(autospace: bool = true)", "A map as HTML attributes.", "<a{{ {'href': '/x'}|xmlattr }}>", `<a href="/x">`, xmlAttributes},

		{"number", "abs()", "The number without its sign.", "{{ -5|abs }}", "5", absolute},
		{"number", "filesizeformat(binary: bool = false)", "A number of bytes in readable units.", "{{ 1500000|filesizeformat }}", "1.5 MB", fileSize},
		{"", "float(default = 0)", "The value as a number with a fraction.", "{{ '2.5'|float * 2 }}", "5", toFloat},
		{"", "int(default = 0, base: int = 10)", "The value as a whole number.", "{{ '12'|int + 1 }}", "13", toInt},
		{"number", "round(precision: int = 0, method: text = 'common')", "The number with so many decimals; method is common, ceil or floor.", "{{ 9.987|round(2) }}", "9.99", roundFilter},

		{"list", "batch(linecount: int, fill_with = none)", "Lists of so many items each.", "{{ [1, 2, 3]|batch(2) }}", "[[1, 2], [3]]", batch},
		{"map", "dictsort(case_sensitive: bool = false, by: text = 'key', reverse: bool = false)", "The pairs of a map in the order of its keys or its values.", "{{ {'b': 1, 'a': 2}|dictsort }}", "[('a', 2), ('b', 1)]", dictSort},
		{"", "first()", "The first item or character.", "{{ 'Ann'|first }}", "A", func(e *evaluator, a []any) (any, error) { return pick(e, a[0], func(int) int { return 0 }) }},
		{"list", "groupby(attribute, default = none, case_sensitive: bool = false)", "Pairs of a value, and the list of the items that have it as an attribute.", "{% for g in [{'c': 'a'}, {'c': 'a'}]|groupby('c') %}{{ g.grouper }}: {{ g.list|length }}{% endfor %}", "a: 2", groupBy},
		{"map", "items()", "The pairs of a map.", "{% for k, v in {'S': 1}|items %}{{ k }}={{ v }}{% endfor %}", "S=1", func(e *evaluator, a []any) (any, error) { return listOf(e, a[0].(*Dict).pairs()) }},
		{"list", "join(d = '', attribute = none)", "The items as one text with something between them.", "{{ ['a', 'b']|join(', ') }}", "a, b", joinFilter},
		{"", "last()", "The last item or character.", "{{ [1, 2, 3]|last }}", "3", func(e *evaluator, a []any) (any, error) { return pick(e, a[0], func(n int) int { return n - 1 }) }},
		{"", "length|count()", "The number of items or characters.", "{{ [1, 2]|length }}", "2", func(e *evaluator, a []any) (any, error) { return length(e, a[0]) }},
		{"list", "list()", "The items as a list; the letters of a text.", "{{ 'abc'|list }}", "['a', 'b', 'c']", func(e *evaluator, a []any) (any, error) { return listOf(e, slices.Clone(a[0].([]any))) }},
		{"list", "map(*args, **named)", "Each item's attribute, or what a filter makes of it.", "{{ ['a', 'b']|map('upper')|join }} {{ [{'n': 1}]|map(attribute='n')|list }}", "AB [1]", mapFilter},
		{"list", "max(case_sensitive: bool = false, attribute = none)", "The largest item.", "{{ [3, 7, 5]|max }}", "7", extreme(1)},
		{"list", "min(case_sensitive: bool = false, attribute = none)", "The smallest item.", "{{ [{'p': 9}, {'p': 4}]|min(attribute='p') }}", "{'p': 4}", extreme(-1)},
		{"", "random()", "Any of the items.", "{{ ['a', 'a']|random }}", "a", func(e *evaluator, a []any) (any, error) { return pick(e, a[0], rand.IntN) }},
		{"list", "reject(*args)", "The items for which a test does not hold.", "{{ [1, 2, 3]|reject('odd')|list }}", "[2]", selecting(false, false)},
		{"list", "rejectattr(*args)", "The items whose attribute does not pass a test, or is not set.", "{{ [{'n': 1}, {'n': 2}]|rejectattr('n', 'odd')|list }}", "[{'n': 2}]", selecting(true, false)},
		{"", "reverse()", "The items or characters from the end.", "{{ 'abc'|reverse }}", "cba", reverse},
		{"list", "select(*args)", "The items for which a test holds.", "{{ [1, 2, 3]|select('>', 1)|list }}", "[2, 3]", selecting(false, true)},
		{"list", "selectattr(*args)", "The items whose attribute passes a test, or is set.", "{{ [{'n': 1}, {'n': 2}]|selectattr('n', 'odd')|list }}", "[{'n': 1}]", selecting(true, true)},
		{"list", "slice(slices: int, fill_with = none)", "So many lists with the items.", "{{ [1, 2, 3]|slice(2)|list }}", "[[1, 2], [3]]", sliceFilter},
		{"list", "sort(reverse: bool = false, case_sensitive: bool = false, attribute = none)", "The items in order, or in the order of an attribute.", "{{ [3, 1, 2]|sort }}", "[1, 2, 3]", sortFilter},
		{"list", "sum(attribute = none, start = 0)", "The items added up.", "{{ [{'p': 50}, {'p': 5.5}]|sum(attribute='p') }}", "55.5", sum},
		{"", "tojson(indent: int = none)", "The value as JSON for scripts.", "{{ {'a': [1, true]}|tojson }}", `{"a": [1, true]}`, toJSON},
		{"list", "unique(case_sensitive: bool = false, attribute = none)", "The items without repeats.", "{{ ['b', 'B', 'a']|unique|list }}", "['b', 'a']", unique},

		{"", "date(format: text = none)", "A text such as 2026-05-01, or seconds since 1970, as a date; format says how the text is written.", "{{ ('01.05.2026'|date('%d.%m.%Y')).month }}", "5", dateOf},
		{"", "strftime(format: text)", "A date, or a text with one, as %d %B %Y says.", "{{ '2026-05-01'|strftime('%-d %B %Y') }}", "1 May 2026", formatDate},
	}
}

// output is a text that is being made, within the limits.
type output struct {
	e *evaluator
	strings.Builder
}

func (o *output) add(s string) {
	if o.Len()+len(s) > MaxOutput {
		try(errTooLarge)
	}
	try(o.e.work(len(s)))
	o.WriteString(s)
}

// hex writes a character for JSON in ASCII.
func (o *output) hex(r rune) {
	const digits = "0123456789abcdef"
	o.Write([]byte{'\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

func listOf(e *evaluator, items []any) (any, error) { return &List{items}, e.roomFor(len(items)) }

func onText(change func(string) string) func(*evaluator, []any) (any, error) {
	return func(e *evaluator, a []any) (any, error) {
		s := a[0].(string)
		return change(s), e.work(8 * len(s))
	}
}

func orDefault(_ *evaluator, a []any) (any, error) {
	if _, ok := a[0].(*missing); ok || a[0] == nil || a[2].(bool) && !truth(a[0]) {
		return a[1], nil
	}
	return a[0], nil
}

func escape(e *evaluator, a []any) (any, error) {
	if s, ok := a[0].(Safe); ok {
		return s, nil
	}
	s := must(str(e, a[0]))
	s = html.EscapeString(s)
	return Safe(s), e.room(len(s))
}

func indent(e *evaluator, a []any) (any, error) {
	by, ok := isText(a[1])
	if !ok {
		n, ok := whole(a[1])
		if !ok {
			return nil, fault("filter indent takes a whole number or a text as width, not " + kind(a[1]))
		}
		try(e.room(max(n, 0)))
		by = strings.Repeat(" ", max(n, 0))
	}
	o := output{e: e}
	for i, line := range eachLine(a[0].(string) + "\n") {
		if i > 0 {
			o.WriteByte('\n')
		}
		if i > 0 && (line != "" || a[3].(bool)) || i == 0 && a[2].(bool) {
			o.add(by)
		}
		o.add(line)
	}
	return o.String(), nil
}

// eachLine returns the lines of s as Python does: there is none after a line break at the end.
func eachLine(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := 0; s != ""; i++ {
			line, size := s, 0
			if at := strings.IndexFunc(s, endsLine); at >= 0 {
				line = s[:at]
				_, size = utf8.DecodeRuneInString(s[at:])
				if strings.HasPrefix(s[at:], "\r\n") {
					size = 2
				}
			}
			if !yield(i, line) {
				return
			}
			s = s[len(line)+size:]
		}
	}
}

func endsLine(r rune) bool {
	return r >= '\n' && r <= '\r' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

// replaceFilter knows safe text only where values are escaped, as Jinja.
func replaceFilter(e *evaluator, a []any) (any, error) {
	safe := false
	for _, v := range a[:3] {
		_, is := v.(Safe)
		safe = safe || is && e.autoescape
	}
	texts := []any{0: nil, 3: a[3]}
	for i, v := range a[:3] {
		s := must(str(e, v))
		if _, done := v.(Safe); safe && !done {
			s = html.EscapeString(s)
		}
		texts[i] = s
	}
	v, err := replace(e, texts)
	if s, ok := v.(string); ok && safe && err == nil {
		return Safe(s), nil
	}
	return v, err
}

// replace is also the method.
func replace(e *evaluator, a []any) (any, error) {
	s, before, after := a[0].(string), a[1].(string), a[2].(string)
	count := a[3].(int)
	times := strings.Count(s, before)
	if count >= 0 {
		times = min(times, count)
	}
	if len(after) > 0 && times > MaxOutput/len(after) {
		return nil, errTooLarge
	}
	try(e.room(max(len(s)+times*(len(after)-len(before)), 0)))
	return strings.Replace(s, before, after, count), e.work(len(s))
}

func truncate(e *evaluator, a []any) (any, error) {
	s, most, killwords, end, leeway := a[0].(string), a[1].(int), a[2].(bool), a[3].(string), a[4].(int)
	kept := most - utf8.RuneCountInString(end)
	if kept < 0 || leeway < 0 {
		return nil, fault("filter truncate needs a length that its end fits in, and a leeway of at least 0")
	}
	if utf8.RuneCountInString(s)-leeway <= most {
		return s, nil
	}
	cut := firstRunes(s, kept)
	if i := strings.LastIndexByte(cut, ' '); !killwords && i >= 0 {
		cut = cut[:i]
	}
	return cut + end, nil
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// wordCount counts runs of letters, digits and _.
func wordCount(e *evaluator, a []any) (any, error) {
	count, inside := 0, false
	for _, r := range a[0].(string) {
		word := unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_'
		if word && !inside {
			count++
		}
		inside = word
	}
	return count, e.work(4 * len(a[0].(string)))
}

// wordWrap breaks lines at spaces, which it drops there, and within words that are longer than a line.
func wordWrap(e *evaluator, a []any) (any, error) {
	s, width, long, seam := a[0].(string), a[1].(int), a[2].(bool), a[3].(string)
	if width < 1 {
		return nil, fault("filter wordwrap needs a width of at least 1")
	}
	try(e.work(8 * len(s)))
	o := output{e: e}
	for i, line := range eachLine(s) {
		if i > 0 {
			o.WriteString(seam)
		}
		used, space, spaces, begun := 0, "", 0, false // of the line that is written, and what stands before the next word
		for line != "" {
			if word := strings.TrimLeftFunc(line, isBlank); len(word) < len(line) {
				if space = line[:len(line)-len(word)]; begun && used == 0 {
					space = ""
				}
				spaces, line = utf8.RuneCountInString(space), word
				continue
			}
			end := strings.IndexFunc(line, isBlank)
			if end < 0 {
				end = len(line)
			}
			word := line[:end]
			line = line[end:]
			for size := utf8.RuneCountInString(word); ; {
				if used+spaces+size <= width || size > width && !long && used+spaces == 0 {
					o.add(space + word)
					used, begun = used+spaces+size, true
					break
				}
				if size > width && long && used+spaces <= width {
					part := firstRunes(word, width-used-spaces)
					o.add(space + part)
					word, size, used, begun = word[len(part):], size-(width-used-spaces), width, true
				}
				if used > 0 {
					o.add(seam)
				}
				used, space, spaces = 0, "", 0
			}
			space, spaces = "", 0
		}
	}
	return o.String(), nil
}

func isBlank(r rune) bool { return strings.ContainsRune("\t\n\v\f\r ", r) }

// urlEncode encodes a text for a path, and pairs for a query.
func urlEncode(e *evaluator, a []any) (any, error) {
	var pairs []any
	if d, ok := a[0].(*Dict); ok {
		pairs = d.pairs()
	} else if pairs, ok = sequence(a[0]); !ok {
		s := must(str(e, a[0]))
		try(e.room(len(s)))
		return strings.ReplaceAll(percentEncoded(s), "%2F", "/"), e.work(4 * len(s))
	}
	o := output{e: e}
	for i, item := range pairs {
		pair, ok := sequence(item)
		if !ok || len(pair) != 2 {
			return nil, fault("filter urlencode takes a map, or a list of pairs of a name and a value")
		}
		for j, part := range pair {
			s := must(str(e, part))
			if seam := []string{"&", "="}[j]; i+j > 0 {
				o.WriteString(seam)
			}
			o.add(strings.ReplaceAll(percentEncoded(s), "%20", "+"))
		}
	}
	return o.String(), nil
}

func percentEncoded(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

var (
	webAddress  = regexp.MustCompile(`(?i)^(?:(?:https?://|www\.)(?:[\w%-]+\.)*(?:[a-z]{2,63}|xn--[\w%]{2,59})|(?:[\w%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)|https?://(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\]))(?::\d{1,5})?(?:[/?#]\S*)?$`)
	mailAddress = regexp.MustCompile(`^\S+@\w[\w.-]*\.\w+$`)
	opening     = regexp.MustCompile(`^(?:[(<]|&lt;)+`)
	closing     = regexp.MustCompile(`(?:[)>.,\n]|&gt;)+$`)
)

func urlize(e *evaluator, a []any) (any, error) {
	s, attributes := string(must(escape(e, a)).(Safe)), ""
	try(e.work(64 * len(s)))
	rel := "noopener"
	if a[2].(bool) {
		rel = "nofollow noopener"
	}
	if given, ok := a[4].(string); ok {
		words := append(strings.Fields(given), strings.Fields(rel)...)
		slices.Sort(words)
		rel = strings.Join(slices.Compact(words), " ")
	}
	attributes = ` rel="` + html.EscapeString(rel) + `"`
	if target, ok := a[3].(string); ok {
		attributes += ` target="` + html.EscapeString(target) + `"`
	}
	o := output{e: e}
	for s != "" {
		if word := strings.TrimLeftFunc(s, unicode.IsSpace); len(word) < len(s) {
			o.WriteString(s[:len(s)-len(word)])
			s = word
			continue
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		word := s[:end]
		s = s[end:]
		head := opening.FindString(word)
		middle, tail := word[len(head):], ""
		if len(middle) > 2048 { // no address is
			middle, tail = "", middle
		} else if at := closing.FindStringIndex(middle); at != nil {
			middle, tail = middle[:at[0]], middle[at[0]:]
		}
		for _, pair := range [][2]string{{"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}} {
			open := strings.Count(middle, pair[0])
			for n := min(open, strings.Count(tail, pair[1])); n > 0 && open > strings.Count(middle, pair[1]); n-- {
				at := strings.Index(tail, pair[1]) + len(pair[1])
				middle, tail = middle+tail[:at], tail[at:]
			}
		}
		shown := middle
		if limit, ok := a[1].(int); ok && utf8.RuneCountInString(middle) > limit {
			shown = firstRunes(middle, max(limit, 0)) + "..."
		}
		address, isMail := strings.CutPrefix(middle, "mailto:")
		switch {
		case webAddress.MatchString(middle):
			if !strings.HasPrefix(middle, "https://") && !strings.HasPrefix(middle, "http://") {
				middle = "https://" + middle
			}
			middle = `<a href="` + middle + `"` + attributes + `>` + shown + `</a>`
		case isMail && mailAddress.MatchString(address),
			!strings.HasPrefix(middle, "www.") && !strings.Contains(middle, ":") && mailAddress.MatchString(middle):
			middle = `<a href="mailto:` + address + `">` + address + `</a>`
		}
		o.add(head + middle + tail)
	}
	if e.autoescape {
		return Safe(o.String()), nil
	}
	return o.String(), nil
}

func xmlAttributes(e *evaluator, a []any) (any, error) {
	o := output{e: e}
	for i, key := range a[0].(*Dict).keys {
		v := a[0].(*Dict).values[i]
		if _, ok := v.(*missing); ok || v == nil {
			continue
		}
		name := must(str(e, key))
		if strings.ContainsAny(name, " \t\n\f\r/>=") {
			return nil, fault("filter xmlattr: " + shorten(name) + " cannot be the name of an attribute")
		}
		text := must(escape(e, []any{v}))
		if o.Len() > 0 || a[1].(bool) {
			o.WriteByte(' ')
		}
		o.add(html.EscapeString(name) + `="` + string(text.(Safe)) + `"`)
	}
	if e.autoescape {
		return Safe(o.String()), nil
	}
	return o.String(), nil
}

func withoutTags(s string) string {
	for _, tag := range [][2]string{{"<!--", "-->"}, {"<", ">"}} {
		var b strings.Builder
		for {
			before, rest, found := strings.Cut(s, tag[0])
			_, after, ends := strings.Cut(rest, tag[1])
			if !found || !ends {
				break
			}
			b.WriteString(before)
			s = after
		}
		s = b.String() + s
	}
	return html.UnescapeString(strings.Join(strings.Fields(s), " "))
}

func absolute(_ *evaluator, a []any) (any, error) {
	if float(a[0]) < 0 {
		return arithmetic("*", a[0], -1)
	}
	return a[0], nil
}

func roundFilter(_ *evaluator, a []any) (any, error) {
	decimals, method := max(min(a[1].(int), 340), -308), a[2].(string)
	scale := math.Pow(10, float64(decimals))
	x := float(a[0])
	_, isInt := a[0].(int)
	switch {
	case !slices.Contains([]string{"common", "ceil", "floor"}, method):
		return nil, fault("filter round takes 'common', 'ceil' or 'floor' as method")
	case isInt && decimals >= 0:
		return a[0], nil
	case method == "ceil":
		x = math.Ceil(x*scale) / scale
	case method == "floor":
		x = math.Floor(x*scale) / scale
	case decimals < 0:
		x = math.RoundToEven(x/math.Pow(10, -float64(decimals))) * math.Pow(10, -float64(decimals))
	default:
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64) // it is a number always
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, failure("the result is not a number")
	}
	return x, nil
}

func toFloat(_ *evaluator, a []any) (any, error) {
	if n := numeric(a[0]); n != nil {
		return float(n), nil
	}
	s, _ := isText(a[0])
	if x, ok := parseFloat(s); ok {
		return x, nil
	}
	return a[1], nil
}

func toInt(_ *evaluator, a []any) (any, error) {
	x := numeric(a[0])
	if s, ok := isText(a[0]); ok {
		digits, base := strings.ToLower(westernDigits(s)), a[2].(int)
		if prefix, ok := map[int]string{16: "0x", 8: "0o", 2: "0b"}[base]; ok {
			digits = strings.TrimPrefix(digits, prefix)
		}
		if i, err := strconv.ParseInt(digits, base, strconv.IntSize); err == nil {
			return int(i), nil
		}
		if f, ok := parseFloat(s); ok {
			x = f
		}
	}
	switch x := x.(type) {
	case int:
		return x, nil
	case float64:
		if math.Abs(x) >= 1<<63 {
			return nil, errOverflow
		}
		return int(x), nil
	}
	return a[1], nil
}

// westernDigits returns a numeral without spaces around it and _ between its digits, and with the digits 0 to 9
// for those of other scripts, or "".
func westernDigits(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.IsDigit(r) {
			return r
		}
		zero := r // digits stand in rows of ten
		for unicode.IsDigit(zero - 1) {
			zero--
		}
		return '0' + (r-zero)%10
	}, strings.TrimSpace(s))
	for i, r := range s {
		if r == '_' && (i == 0 || i == len(s)-1 || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return ""
		}
	}
	return strings.ReplaceAll(s, "_", "")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseFloat returns the number in a text.
func parseFloat(s string) (float64, bool) {
	s = westernDigits(s)
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && strings.Trim(s, "0123456789+-.eE") == ""
}

func fileSize(_ *evaluator, a []any) (any, error) {
	bytes, base, units := float(a[0]), 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if a[1].(bool) {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case bytes == 1:
		return "1 Byte", nil
	case bytes < base:
		return fmt.Sprintf("%.0f Bytes", math.Trunc(bytes)+0), nil
	}
	i := 0
	for limit := base * base; bytes >= limit && i < len(units)-1; i++ {
		limit *= base
	}
	return fmt.Sprintf("%.1f %s", bytes/math.Pow(base, float64(i+1)), units[i]), nil
}

// pick returns an item or a character.
func pick(e *evaluator, v any, at func(n int) int) (any, error) {
	if d, ok := v.(*Dict); ok {
		v = TupleValue(d.keys)
	}
	n := must(length(e, v))
	if n == 0 {
		return &missing{reason: "the " + kindOf(v) + " is empty"}, nil
	}
	return member(e, v, at(n))
}

func reverse(e *evaluator, a []any) (any, error) {
	if _, ok := isText(a[0]); ok {
		return slice(e, a[0], nil, nil, -1)
	}
	items, err := iterate(e, a[0])
	items = slices.Clone(items)
	slices.Reverse(items)
	return &List{items}, err
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
			item = must(member(e, item, step))
		}
		if _, ok := item.(*missing); ok && fallback != nil {
			return fallback
		}
		return item
	}
}

// keys returns the values by which items are compared.
func keys(e *evaluator, items []any, path, fallback any, caseSensitive bool) []any {
	get, out := getter(e, path, fallback), make([]any, len(items))
	for i, item := range items {
		out[i] = get(item)
		if s, ok := isText(out[i]); ok && !caseSensitive {
			try(e.work(8 * len(s)))
			out[i] = lower(s)
		}
	}
	return out
}

// arrange sorts items by their keys. Equal ones keep their order.
func arrange(e *evaluator, items, keys []any, reverse bool) []any {
	at := make([]int, len(items))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int {
		if reverse {
			i, j = j, i
		}
		return must(order(e, keys[i], keys[j]))
	})
	out := make([]any, len(items))
	for i, from := range at {
		out[i] = items[from]
	}
	return out
}

func sortFilter(e *evaluator, a []any) (any, error) {
	items, path := a[0].([]any), a[3]
	paths := []any{path}
	if s, ok := isText(path); ok {
		paths = nil
		for p := range strings.SplitSeq(s, ",") {
			paths = append(paths, p)
		}
	}
	for _, path := range slices.Backward(paths) {
		k := keys(e, items, path, nil, a[2].(bool))
		items = arrange(e, items, k, a[1].(bool))
	}
	return &List{items}, nil
}

func dictSort(e *evaluator, a []any) (any, error) {
	at := slices.Index([]string{"key", "value"}, a[2].(string))
	if at < 0 {
		return nil, fault("filter dictsort takes 'key' or 'value' as by")
	}
	pairs := a[0].(*Dict).pairs()
	k := keys(e, pairs, at, nil, a[1].(bool))
	return &List{arrange(e, pairs, k, a[3].(bool))}, nil
}

func groupBy(e *evaluator, a []any) (any, error) {
	k := keys(e, a[0].([]any), a[1], a[2], a[3].(bool))
	items := arrange(e, a[0].([]any), k, false)
	k = keys(e, items, a[1], a[2], a[3].(bool))
	get, groups := getter(e, a[1], a[2]), []any{}
	for from := 0; from < len(items); {
		to := from + 1
		for ; to < len(items); to++ {
			if !must(equal(e, k[from], k[to])) {
				break
			}
		}
		grouper := get(items[from])
		groups = append(groups, group{grouper, &List{slices.Clone(items[from:to])}})
		from = to
	}
	return &List{groups}, nil
}

// extreme is max for a sign of 1, and min for -1.
func extreme(sign int) func(*evaluator, []any) (any, error) {
	return func(e *evaluator, a []any) (any, error) {
		items := a[0].([]any)
		k := keys(e, items, a[2], nil, a[1].(bool))
		if len(items) == 0 {
			return &missing{reason: "the list is empty"}, nil
		}
		best := 0
		for i := range items {
			c := must(order(e, k[i], k[best]))
			if c*sign > 0 {
				best = i
			}
		}
		return items[best], nil
	}
}

func unique(e *evaluator, a []any) (any, error) {
	items := a[0].([]any)
	k := keys(e, items, a[2], nil, a[1].(bool))
	seen, out := &Dict{}, []any{}
	for i, item := range items {
		before := len(seen.keys)
		try(seen.set(e, k[i], nil))
		if len(seen.keys) > before {
			out = append(out, item)
		}
	}
	return &List{out}, nil
}

func joinFilter(e *evaluator, a []any) (any, error) {
	seam := must(str(e, a[1]))
	get, items := getter(e, a[2], nil), make([]any, len(a[0].([]any)))
	_, safe := a[1].(Safe)
	for i, item := range a[0].([]any) {
		items[i] = get(item)
		_, isSafe := items[i].(Safe)
		safe = safe || isSafe
	}
	if safe = safe && e.autoescape; safe {
		seam = escaped(a[1])
	}
	return join(e, seam, items, safe)
}

// join is also the method. If safe is set, it escapes the items, and the result is safe.
func join(e *evaluator, seam string, items []any, safe bool) (any, error) {
	o := output{e: e}
	for i, item := range items {
		if i > 0 {
			o.add(seam)
		}
		s, err := str(e, item)
		if _, isSafe := item.(Safe); safe && !isSafe {
			s = html.EscapeString(s)
		}
		if err != nil {
			return nil, err
		}
		o.add(s)
	}
	if safe {
		return Safe(o.String()), nil
	}
	return o.String(), nil
}

func sum(e *evaluator, a []any) (any, error) {
	get, total := getter(e, a[1], nil), a[2]
	for _, item := range a[0].([]any) {
		n := get(item)
		if m, ok := n.(*missing); ok {
			return nil, m
		}
		total = must(binary(e, "+", total, n))
	}
	return total, nil
}

func batch(e *evaluator, a []any) (any, error) {
	n, out := a[1].(int), []any{}
	if n < 1 {
		return nil, fault("filter batch needs a linecount of at least 1")
	}
	for row := range slices.Chunk(a[0].([]any), n) {
		size := len(row)
		if a[2] != nil {
			size = n
		}
		try(e.roomFor(size))
		row = slices.Clone(row)
		for len(row) < size {
			row = append(row, a[2])
		}
		out = append(out, &List{row})
	}
	return &List{out}, nil
}

func sliceFilter(e *evaluator, a []any) (any, error) {
	items, n := a[0].([]any), a[1].(int)
	if n < 1 {
		return nil, fault("filter slice needs at least 1 slice")
	}
	try(e.roomFor(n))
	out := make([]any, n)
	each, more, from := len(items)/n, len(items)%n, 0
	for i := range out {
		to := from + each
		if i < more {
			to++
		}
		row := slices.Clone(items[from:to])
		if a[2] != nil && i >= more {
			row = append(row, a[2])
		}
		out[i], from = &List{row}, to
	}
	return &List{out}, nil
}

func mapFilter(e *evaluator, a []any) (any, error) {
	items, args, named := a[0].([]any), a[1].(TupleValue), a[2].(*Dict)
	out := make([]any, len(items))
	var change func(any) any
	if len(args) > 0 {
		change = func(item any) any {
			return must(e.apply(FilterKind, args[0], append([]any{item}, args[1:]...), named))
		}
	} else {
		path, fallback := any(nil), any(nil)
		for i, key := range named.keys {
			switch key {
			case "attribute":
				path = named.values[i]
			case "default":
				fallback = named.values[i]
			default:
				path = nil
			}
		}
		if path == nil {
			return nil, fault("filter map takes the name of a filter, or attribute='…' and perhaps default='…'")
		}
		change = getter(e, path, fallback)
	}
	for i, item := range items {
		out[i] = change(item)
	}
	return &List{out}, nil
}

// selecting returns the filter that keeps the items, or those with an attribute, that pass a test or are true; or
// those that do not.
func selecting(attribute, keep bool) func(*evaluator, []any) (any, error) {
	return func(e *evaluator, a []any) (any, error) {
		args, get, out := a[1].(TupleValue), getter(e, nil, nil), []any{}
		if attribute {
			if len(args) == 0 {
				return nil, fault("selectattr and rejectattr take the name of an attribute")
			}
			get, args = getter(e, args[0], nil), args[1:]
		}
		for _, item := range a[0].([]any) {
			v := get(item)
			if len(args) > 0 {
				v = must(e.apply(TestKind, args[0], append([]any{v}, args[1:]...), nil))
			}
			if truth(v) == keep {
				out = append(out, item)
			}
		}
		return &List{out}, nil
	}
}

func toJSON(e *evaluator, a []any) (any, error) {
	options := []jsontext.Options{json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.AllowInvalidUTF8(true), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)}
	if n, ok := a[1].(int); ok {
		if n < 0 || n > 16 {
			return nil, fault("filter tojson takes an indent of 0 to 16")
		}
		options = append(options, jsontext.SpaceAfterComma(false), jsontext.WithIndent(strings.Repeat(" ", n)))
	}
	size := 0
	raw, err := json.Marshal(jsonValue(e, a[0], &size, 0), options...)
	if err != nil {
		return nil, fault("the value has no JSON")
	}
	o := output{e: e}
	for _, r := range string(raw) {
		switch {
		case r < 0x7f && r != '\'':
			o.WriteByte(byte(r))
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			o.hex(high)
			o.hex(low)
		default:
			o.hex(r)
		}
	}
	return Safe(o.String()), e.room(o.Len())
}

// jsonValue returns v for package json. size is what was seen of it so far.
func jsonValue(e *evaluator, v any, size *int, depth int) any {
	if *size += 8; depth > maxDepth {
		try(errTooDeep)
	}
	try(e.room(*size / MaxOutput))
	items, ok := sequence(v)
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = jsonValue(e, item, size, depth+1)
	}
	if ok {
		return list
	}
	switch v := v.(type) {
	case *missing:
		return nil
	case int, float64, number:
		return jsontext.Value(must(str(e, v)))
	case string, Safe:
		s, _ := isText(v)
		if *size += len(s); *size > MaxOutput {
			try(errTooLarge)
		}
		try(e.work(len(s)))
		return s
	case *Dict:
		m := map[string]any{}
		for i, key := range v.keys {
			m[must(str(e, key))] = jsonValue(e, v.values[i], size, depth+1)
		}
		return m
	case nil, bool:
		return v
	}
	try(fault(kind(v) + " has no JSON"))
	return nil
}

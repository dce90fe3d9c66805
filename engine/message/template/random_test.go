package template_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

var (
	seed      = flag.Uint64("seed", 1, "of the random templates")
	first     = flag.Int("first", 0, "number of the first random template")
	templates = flag.Int("templates", 1000, "how many random templates to compare with Jinja")
)

// randomContext is what random templates refer to.
const randomContext = `{
	"UserAttribute": {"name": "ann", "city": "São Paulo", "html": "<b a='x'>Q&amp;A</b>", "text": "  The quick  brown\nfox, it's a-b.\n", "num": "42", "empty": "",
		"age": 40, "n": 3, "zero": 0, "neg": -7, "price": 49.90, "rate": 4.0, "big": 1234567.891, "vip": true, "off": false,
		"tags": ["red", "Green", "blue", "red"], "nums": [3, 1, 2.5, 1], "none": null, "map": {"b": "x", "a": "y", "C": "z"}},
	"EventAttribute": {"rows": [{"name": "Kettle", "price": 49.9, "qty": 2, "cat": "Kitchen"}, {"name": "mug", "price": 5.5, "qty": 0, "cat": "kitchen", "sale": true},
		{"name": "Lamp", "price": 1050, "qty": 1, "cat": "Light"}]}}`

// grammar has the forms of each kind of expression, and of body: a part in <> is of another kind, and <body, text x>
// is a body in which x is a text. After "-> text", <name> is one. The first is where a shrinking template ends; the
// ones without parts are what is written where it is deep enough.
var grammar = map[string][]string{
	"text": {"'a'", "user.name", "user.city", "user.html", "user.text", "user.num", "user.empty", `"it's"`, "'B c'", "'a,b,,c'", "'%s-%s'", "'x' 'y'",
		"<text> ~ <any>", "<text> ~ <text> ~ <num>", "<text> + <text>", "<text> * user.n", "<text>[<int>]", "<text>[<int>:]", "<text>[:<int>]", "<text>[<int>:<int>:<step>]",
		"<text>|upper", "<text>|lower", "<text>|title", "<text>|capitalize", "<text>|trim", "<text>|trim(<text>)", "<text>|e", "<text>|escape|e", "<text>|safe", "<text>|safe|e",
		"<text>|replace(<text>, <text>)", "<text>|replace(<text>, <text>, 1)", "<text>|truncate(<int>)", "<text>|truncate(8, <bool>, '…', <int>)",
		"<text>|striptags", "<any>|string", "<any>|urlencode", "<any>|default(<text>)", "<any>|d(<text>, <bool>)", "<text>|reverse", "<texts>|first", "<texts>|last",
		"<any>|tojson", "<texts>|join", "<texts>|join(<text>)", "<nums>|join('+')", "<rows>|join(',', attribute='name')", "<texts>|max", "<texts>|min", "<text>|urlize",
		"<map>|xmlattr", "'%s: %s'|format(<any>, <num>)", "'%5.1f|%4d|%03d|%s' % (<num>, <int>, <int>, <any>)", "'%.2f' % <num>", "'%s' % <text>", "'{:,}'.format(<num>)", "'{:,.2f}'.format(<num>)", "'{:8}|{:09d}|{:7,}'.format(<num>, <int>, <int>)",
		"'{} {}'.format(<any>, <any>)", "'{1}{0}{x}'.format(<text>, <num>, x=<text>)", "'{:.1%}'.format(<num>)", "'{:08.1f}'.format(<num>)", "'{:d}'.format(<int>)",
		"<text>.upper()", "<text>.lower()", "<text>.title()", "<text>.capitalize()", "<text>.strip()", "<text>.strip(<text>)", "<text>.lstrip()", "<text>.rstrip('b.')", "<text>.replace(<text>, <text>)", "<text>.replace(<text>, '', 1)",
		"<text>.join(<texts>)", "<text>.removeprefix('a')", "<text>.removesuffix('b')",
		"<text> if <bool> else <text>", "<text> if <bool>", "<text> or <text>", "<text> and <text>", "<rows>[0].name", "(<rows>|first).name", "<map>.a", "<map>['b']", "<map>.get('a')", "<map>.get(<text>, <text>)"},
	"int": {"1", "0", "2", "3", "-1", "user.age", "user.n", "user.zero", "user.neg", "10", "0x1F", "1_000",
		"<int> + <int>", "<int> - <int>", "<int> * <int>", "<int> // <int>", "<int> % <int>", "<int> % 9 ** 2", "-<int>", "+<int>", "<any>|int", "<text>|int(<int>)", "<num>|int", "<text>|length", "<texts>|length", "<map>|count", "<rows>|length", "<int>|abs",
		"<text>.find(<text>)", "<text>.count(<text>)", "<text>.index('a')", "<rows>|sum(attribute='qty')", "<int> if <bool> else <int>", "<bool> + <int>", "<rows>[1].qty"},
	"step": {"2", "-1", "-2", "1", "3"},
	"num": {"2.5", "user.price", "user.rate", "user.big", "1e3", "0.1", "100.0",
		"<int>", "<int> / <int>", "<num> + <num>", "<num> - <num>", "<num> * <num>", "<num> / <num>", "<num> // <num>", "<num> % <num>", "user.price ** 2", "<num>|round", "<num>|round(<int>)", "<num>|round(1, 'floor')", "<num>|round(1, 'ceil')", "<any>|float", "<text>|float(<num>)",
		"<num>|abs", "-<num>", "<nums>|sum", "<nums>|sum(start=<num>)", "<nums>|max", "<nums>|min", "<nums>|first", "<nums>[<int>]", "<rows>|sum(attribute='price')", "<rows>|map(attribute='price')|sum", "<num>|default(<num>)", "<num> if <bool> else <num>", "(<rows>|last).price"},
	"bool": {"true", "false", "user.vip", "user.off", "True",
		"<num> < <num>", "<num> <= <num>", "<num> > <num>", "<num> >= <num>", "<any> == <any>", "<any> != <any>", "<num> < <num> < <num>", "<int> <= <int> != <int>", "<text> < <text>", "<text> == <text> == <text>", "<text> in <text>", "<text> not in <text>", "<text> in <texts>", "<any> not in <texts>", "<num> in <nums>", "<text> in <map>",
		"not <any>", "not <bool>", "<bool> and <bool>", "<bool> or <bool>", "<any> and <bool>", "<any> or <bool>", "<any> is defined", "<any> is not defined", "<any> is undefined", "<any> is none", "<any> is string", "<any> is number", "<any> is integer", "<any> is float",
		"<any> is boolean", "<any> is true", "<any> is false", "<any> is mapping", "<any> is sequence", "<any> is iterable", "<any> is callable", "<int> is odd", "<int> is even", "<int> is divisibleby(<int>)", "<int> is divisibleby 3",
		"<any> is eq <any>", "<any> is ne(<any>)", "<num> is lt <num>", "<num> is ge(<num>)", "<any> is in <texts>", "<bool> is sameas true", "<any> is sameas none", "<text>.startswith(<text>)", "<text>.endswith('n')", "<text>.isdigit()",
		"<bool> if <bool> else <bool>", "<texts> == <texts>", "<nums>|sort == <nums>"},
	"texts": {"user.tags", "['a', 'b']", "('c', 'D')", "[]", "['x',]",
		"[<text>, <text>]", "[<text>, <num>, <any>]", "(<text>, <any>)", "<texts> + <texts>", "<texts> * 2", "<texts>[<int>:]", "<texts>[:<int>]", "<texts>[<int>:<int>:<step>]", "<text>|list", "<texts>|list", "<texts>|sort", "<texts>|sort(<bool>)", "<texts>|sort(case_sensitive=<bool>)", "<texts>|unique|list", "<texts>|unique(true)|list",
		"<texts>|reverse|list", "<texts>|map('upper')|list", "<texts>|map('replace', 'e', <text>)|list", "<texts>|map('default', <text>)|list", "<texts>|select|list", "<texts>|reject('in', <texts>)|list", "<texts>|select('eq', <text>)|list", "<text>.split()", "<text>.split(<text>)", "<text>.split(',', 1)",
		"<rows>|map(attribute='name')|list", "<rows>|map(attribute='sale', default=<text>)|list", "<rows>|map(attribute='cat')|unique|list", "<rows>|groupby('cat')|map(attribute=0)|list", "<map>.values()|list", "<map>|list", "<map>.keys()|list", "<map>|items|list", "<map>|dictsort", "<map>|dictsort(<bool>, 'value')", "<map>|dictsort(reverse=true)",
		"<texts>|batch(2)|list", "<texts>|batch(<int>, <text>)|list", "<texts> if <bool> else <texts>", "<texts> or <texts>", "<texts>|map('length')|list"},
	"nums": {"user.nums", "[1, 2]", "[3, 1.5]", "(1, 2)",
		"range(<int> % 5)|list", "range(1, <int> % 9)|list", "range(<int>, <int>, <step>)[:5]|list", "[<num>, <num>]", "<nums> + <nums>", "<nums>|sort", "<nums>|sort(true)", "<nums>|unique|list", "<nums>|reverse|list", "<nums>|map('round')|list", "<nums>|map('int')|list", "<nums>|select('gt', <num>)|list", "<nums>|reject('odd')|list", "<nums>[<int>:<int>]", "<rows>|map(attribute='price')|list", "<nums>|map('abs')|list"},
	"rows": {"event.rows", "[{'name': 'Pen', 'price': 1, 'qty': 5, 'cat': 'Desk'}]",
		"[{'name': <text>, 'price': <num>, 'qty': <int>, 'cat': <text>}]", "<rows> + <rows>", "<rows>|sort(attribute='price')", "<rows>|sort(true, attribute='name')", "<rows>|selectattr('qty')|list", "<rows>|rejectattr('sale', 'defined')|list", "<rows>|selectattr('price', 'gt', <num>)|list", "<rows>|selectattr('cat', 'eq', <text>)|list", "<rows>|reverse|list", "<rows>[:<int>]", "<rows>|unique(attribute='cat')|list",
		"(<rows>|groupby('cat')|first)[1]", "(<rows>|groupby('qty')|last).list", "<rows>|reject('none')|list"},
	"map": {"user.map", "{'a': 1}", "{}", "event.rows[0]",
		"{'a': <any>, 'b': <text>}", "{<text>: <num>, 'k': <any>,}", "dict(a=<any>, c=<text>)", "dict(<map>, z=<any>)", "<rows>|first", "<rows>|max(attribute='price')", "<rows>|min(attribute='qty')", "<map> if <bool> else <map>", "<map>|default({})"},
	"any": {"none", "user.name", "user.age", "user.price", "user.vip", "user.tags", "user.html", "user.empty", "<text>", "<text>", "<text>", "<int>", "<num>", "<num>", "<bool>", "<bool>", "<texts>", "<nums>", "<rows>", "<map>", "(<any>, <any>)", "[<any>]|first", "(<any>, <any>)[<int> % 2]", "(<any>)", "[<any>, <any>]|last", "<any> or <any>", "<any> and <any>"},
	"body": {"a", " b ", "\n  ", "<br>", "b{# note #}", "{% raw %} {{ x }} {% endraw %}",
		"{{ <any> }}", "{{ <any> }}", "{{ <text> }}", "{{ <num> }}", "{{ <bool> }}", "{{ <texts> }}", "{{ <nums> }}", "{{ <map> }}", "{{ <any> }}", "{{ <any> }}", "<body><body>", "<body> <body>", "<body>\n<body>",
		"{% if <bool> %}<body>{% endif %}", "{% if <any> %}<body>{% else %}<body>{% endif %}", "{% if <bool> %}<body>{% elif <bool> %}<body>{% else %}<body>{% endif %}",
		"{% for x in <texts> %}<body, any x, int loop.index, bool loop.last, any loop.previtem, any loop.nextitem, int loop.revindex0, text loop.cycle('o','e'), bool loop.changed(x)>{% endfor %}",
		"{% for x in <nums> if <bool, num x> %}<body, num x, int loop.length, bool loop.first>{% else %}<body>{% endfor %}",
		"{% for r in <rows> %}<body, text r.name, num r.price, int r.qty, any r.sale, map r, int loop.index0>{% endfor %}", "{% for r in <rows> if r.qty %}<body, text r.name>{% else %}<body>{% endfor %}",
		"{% for k, v in <map>.items() %}<body, text k, any v>{% endfor %}", "{% for k, v in <map>|dictsort %}<body, text k, any v>{% endfor %}", "{% for g, l in <rows>|groupby('cat') %}<body, text g, rows l>{% endfor %}", "{% for a, b in [(<text>, <num>), (<text>, <num>)] %}<body, text a, num b>{% endfor %}",
		"{% for l in (<texts>)|batch(2) %}<body, texts l>{% endfor %}", "{% for c in <text> %}<body, text c>{% endfor %}", "{% for i in range(<int> % 5) %}<body, int i>{% endfor %}", "{% for x in [1, [2, [3]], <int>] recursive %}<body, any x, int loop.depth>{{ loop(x) if x is sequence }}{% endfor %}",
		"{% set <name> = <text> %} -> text", "{% set <name> = <num> %} -> num", "{% set <name> = <any> %} -> any", "{% set <name> = <texts> %} -> texts", "{% set <name> %}<body>{% endset %} -> text", "{% set <name>|upper|trim %}<body>{% endset %} -> text", "{% set <name> = <text> if <bool> %} -> text",
		"{% set <name>, w = <text>, <num> %}{{ w }} -> text", "{% set <name> = <int> %}{% for i in [1, 2] %}{% set z = i %}<body, int z>{% endfor %} -> int",
		"{% set ns = namespace(n=<num>) %}{% for x in <nums> %}{% set ns.n = ns.n + x %}<body, num ns.n>{% endfor %}{{ ns.n }}", "{% set bag = [<any>] %}{% for x in <texts> %}{% set _ = bag.append(x) %}{% endfor %}{{ bag }}",
		"{% do <any> %}", "{% with s = <text> %}<body, text s>{% endwith %}", "{% with t = <num>, u = <any> %}<body, num t, any u>{% endwith %}", "{% filter upper %}<body>{% endfilter %}", "{% filter replace('a', <text>)|trim %}<body>{% endfilter %}",
		"{% autoescape <bool> %}<body>{% endautoescape %}", "{% autoescape true %}<body>{{ user.html }}{{ <text> }}{% endautoescape %}",
		"{% macro m(p, q=<text>) %}<body, any p, text q>{% endmacro %}{{ m(<any>) }}{{ m(<text>, q=<text>) }}", "{% macro m(p) %}[{{ caller() }}]{{ p }}{% endmacro %}{% call m(<any>) %}<body>{% endcall %}", "{% macro m(l) %}{% for i in l %}{{ caller(i) }}{% endfor %}{% endmacro %}{% call(i) m(<texts>) %}<body, any i>{% endcall %}",
		"{% set c = cycler(<text>, <any>) %}{{ c.next() }}{{ c.next() }}{{ c.current }}", "{% set j = joiner(<text>) %}{{ j() }}{{ j() }}"},
}

// missing are expressions without a value.
var missing = []string{"nope", "user.nope", "user.none", "user.nope.x", "event.rows[9].name", "user.tags[7]", "user.map.q", "1 / user.zero"}

// writer writes a random template. It records the choices that it makes, or repeats those that it is given: without
// some of them, the template is a shorter one.
type writer struct {
	random  *rand.Rand
	choices []int
	made    int
	names   map[string][]string // what is in scope, by kind
	named   int
}

func (w *writer) choose(n int) int {
	if w.random != nil {
		w.choices = append(w.choices, w.random.IntN(n))
	}
	w.made++
	if w.made > len(w.choices) {
		return 0
	}
	return w.choices[w.made-1] % n
}

func randomTemplate(n int) *writer { return &writer{random: rand.New(rand.NewPCG(*seed, uint64(n)))} }

// template returns the template that the choices lead to.
func (w *writer) template() string {
	w.names, w.named = map[string][]string{}, 0
	var b strings.Builder
	for range 1 + w.choose(3) {
		b.WriteString(w.write("body", 2))
	}
	return b.String()
}

// write writes something of a kind.
func (w *writer) write(kind string, depth int) string {
	forms := grammar[kind]
	if kind != "body" {
		chance := w.choose(200)
		switch known := w.names[kind]; {
		case chance > 197:
			return missing[w.choose(len(missing))]
		case chance == 197 && depth > 0:
			return w.write("any", depth-1)
		case chance > 140 && len(known) > 0:
			return known[w.choose(len(known))]
		}
	}
	if depth <= 0 {
		forms = slices.DeleteFunc(slices.Clone(forms), func(form string) bool { return strings.Contains(form, "<") && form != "<br>" })
	}
	return w.fill(forms[w.choose(len(forms))], kind, depth-1)
}

var part = regexp.MustCompile(`<(name|body|text|step|int|num|bool|texts|nums|rows|map|any)((?:, [^<>]+)*)>|\{[{%]|[%}]\}`)

// fill replaces the parts of a form.
func (w *writer) fill(form, of string, depth int) string {
	form, kind, names := strings.Cut(form, " -> ")
	if names {
		w.named++
	}
	name := fmt.Sprint("v", w.named)
	text := part.ReplaceAllStringFunc(form, func(s string) string {
		m := part.FindStringSubmatch(s)
		switch {
		case m[1] == "name":
			return name
		case m[1] == "":
			if sign := w.choose(30); sign > 26 && s[0] == '{' {
				return s + "-+-"[sign-27:][:1]
			} else if sign > 27 {
				return "-" + s
			}
			return s
		}
		scope := w.names
		if m[1] == "body" || m[2] != "" {
			w.names = map[string][]string{}
			for kind, names := range scope {
				w.names[kind] = slices.Clone(names)
			}
			for _, declared := range strings.Split(m[2], ", ")[1:] {
				kind, name, _ := strings.Cut(declared, " ")
				w.names[kind] = append(w.names[kind], name)
			}
		}
		below := depth
		if of == "body" && m[1] != "body" {
			below = 1 + w.choose(3)
		}
		text := w.write(m[1], below)
		w.names = scope
		if m[1] != "body" && strings.ContainsAny(text, " -|") && w.choose(3) > 0 {
			return "(" + text + ")"
		}
		return text
	})
	if names {
		w.names[kind] = append(w.names[kind], name)
	}
	return text
}

// shrink returns a short template for which fails still holds.
func (w *writer) shrink(fails func(src string) bool) string {
	tries := 0
	try := func(choices []int) bool {
		tries++
		shorter := &writer{choices: choices}
		if tries > 500 || !fails(shorter.template()) {
			return false
		}
		w.choices = choices
		return true
	}
	for size := len(w.choices); size > 0; size /= 2 {
		for at := 0; at < len(w.choices); {
			end := min(at+size, len(w.choices))
			if try(slices.Delete(slices.Clone(w.choices), at, end)) {
				continue
			}
			zeros := slices.Clone(w.choices)
			clear(zeros[at:end])
			try(zeros)
			at = end
		}
	}
	return (&writer{choices: w.choices}).template()
}

// comparison is what a template comes to here and in Jinja.
type comparison struct{ ours, jinjas answer }

func compare(t *testing.T, j *jinja, src string) (c comparison, same bool) {
	c.ours = render(t, src, randomContext)
	if deliberate(src, c) { // before Jinja tries what is over our limits
		return c, true
	}
	c.jinjas = j.render(t, src, randomContext)
	return c, c.ours.same(c.jinjas) || deliberate(src, c)
}

// TestRandomTemplates compares templates of the grammar with Jinja.
func TestRandomTemplates(t *testing.T) {
	var rendered, different atomic.Int64
	t.Run("", func(t *testing.T) {
		for i := range runtime.GOMAXPROCS(0) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				j := startJinja(t, "decided")
				for n := *first + i; n < *first+*templates && different.Load() < 20; n += runtime.GOMAXPROCS(0) {
					w := randomTemplate(n)
					c, same := compare(t, j, w.template())
					if c.ours.Result != nil {
						rendered.Add(1)
					}
					if same {
						continue
					}
					different.Add(1)
					short := w.shrink(func(src string) bool {
						_, same := compare(t, j, src)
						return !same
					})
					c, _ = compare(t, j, short)
					t.Errorf("-seed %d -first %d -templates 1\n%s\nours   %s\nJinja's %s", *seed, n, short, c.ours, c.jinjas)
				}
			})
		}
	})
	t.Logf("seed %d: %d of %d templates rendered, %d differ", *seed, rendered.Load(), *templates, different.Load())
}

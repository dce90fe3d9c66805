package schema

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bugle/engine/doc"
)

// kind returns the keywords of the value's own type: type, enumeration, default, examples.
func (w *walk) kind(n *Node) doc.Value {
	var ms []doc.Member
	switch n.Kind {
	case String:
		ms = append(ms, text("type", "string"))
	case Time:
		ms = append(ms, text("type", "string"), text("pattern", n.timePattern()), text("x-format", string(DateTime)))
	case Integer:
		ms = append(ms, text("type", "integer"), text("format", "int64"))
		ms = append(ms, n.bounds()...)
	case Number:
		ms = append(ms, text("type", "number"))
	case Bool:
		ms = append(ms, text("type", "boolean"))
	case Object, Map:
		ms = append(ms, text("type", "object"))
	case List:
		ms = append(ms, text("type", "array"))
	}
	if len(n.Options) > 0 {
		ms = append(ms, w.options(n)...)
	}
	if v, err := doc.Parse([]byte(n.Default)); err == nil {
		ms = append(ms, doc.M(w.x.DefaultKeyword, v))
	}
	return doc.NewObject(ms...)
}

func (n *Node) timePattern() string {
	if n.Template {
		return expression + "|" + dateTimePattern
	}
	return dateTimePattern
}

// bounds returns the bounds of a 64-bit integer, unless a rule has narrower ones.
func (n *Node) bounds() []doc.Member {
	low, high := true, true
	for _, r := range n.Rules {
		if b, ok := r.(Range); ok {
			low, high = low && math.IsInf(b.Min, -1), high && math.IsInf(b.Max, 1)
		}
	}
	var ms []doc.Member
	if low && len(n.Options) == 0 {
		ms = append(ms, doc.M("minimum", doc.NewInt(math.MinInt64)))
	}
	if high && len(n.Options) == 0 {
		ms = append(ms, doc.M("maximum", doc.NewInt(math.MaxInt64)))
	}
	return ms
}

// options returns the enumeration, and adds the conditions of its options to the objects around.
func (w *walk) options(n *Node) []doc.Member {
	var values []doc.Value
	var said []doc.Member
	var notes notes
	limited := map[string][]doc.Value{} // by the condition in words: the options that have it
	for _, o := range n.Options {
		if excluded(n, o.Value) {
			continue
		}
		v := o.Literal(n.Kind)
		values = append(values, v)
		if d := o.said(); d != "" {
			said = append(said, doc.M(o.Value, doc.NewString(d)))
		}
		if o.When != nil {
			when := w.s.Words(n.Parent, o.When)
			limited[when] = append(limited[when], v)
		}
	}
	for _, o := range n.Options {
		when := w.s.Words(n.Parent, o.When)
		if o.When == nil || limited[when] == nil {
			continue
		}
		refused := not(doc.NewObject(doc.M("enum", doc.NewArray(limited[when]...))))
		delete(limited, when)
		f, exact := w.formula(o.When, False)
		w.put(f, func(obj *tree) { w.down(obj).leaf(refused) })
		if !exact {
			notes.add(w.x, n.RuleID+"#enum", o.Value+" only when "+when)
		}
	}
	ms := []doc.Member{doc.M("enum", doc.NewArray(values...))}
	if len(said) > 0 {
		ms = append(ms, doc.M("x-enumDescriptions", doc.NewObject(said...)))
	}
	return append(ms, notes.member())
}

// excluded reports whether a rule of n always refuses the option.
func excluded(n *Node, value string) bool {
	for _, r := range n.Rules {
		if ex, ok := r.(Excludes); ok && slices.Contains(ex.Values, value) && dropped(n, r, nil) {
			return true
		}
	}
	return false
}

func (o Option) said() string {
	switch {
	case o.Label == o.Value || o.Label == "":
		return o.Help
	case o.Help == "":
		return o.Label
	}
	return o.Label + ": " + o.Help
}

// extras returns the annotations, which refuse nothing.
func (w *walk) extras(n *Node) doc.Value {
	var ms []doc.Member
	if v := n.example(); v.Exists() {
		ms = append(ms, doc.M("examples", doc.NewArray(v)))
	}
	if n.Template {
		ms = append(ms, doc.M("x-expressions", doc.NewBool(true)))
	}
	if n.Section != "" && (n.Parent == nil || n.ID != "" && n.Kind == Object || n.Parent.Section != n.Section) {
		ms = append(ms, text("x-source", n.Section))
	}
	return doc.NewObject(ms...)
}

// example returns the example as a value of the kind, or absent.
func (n *Node) example() doc.Value {
	var v doc.Value
	switch n.Kind {
	case String, Time, Any:
		v = doc.NewString(n.Example)
	case Integer, Number, Bool:
		v, _ = doc.Parse([]byte(n.Example))
	}
	if n.Example == "" || !n.Accepts(v) || len(n.Options) > 0 && !n.hasOption(n.Example) {
		return doc.Value{}
	}
	return v
}

// leaf returns the schema of a rule of n, or absent if it has none. exact is false if the rule refuses more
// than the schema, other than details of a format.
func (w *walk) leaf(n *Node, r Rule) (v doc.Value, exact bool) {
	var ms []doc.Member
	switch r := r.(type) {
	case Forbidden:
		return doc.NewBool(false), true
	case Range:
		if !math.IsInf(r.Min, -1) {
			ms = append(ms, doc.M("minimum", decimalOf(r.Min)))
		}
		if !math.IsInf(r.Max, 1) {
			ms = append(ms, doc.M("maximum", decimalOf(r.Max)))
		}
	case Length:
		ms = limits("Length", r.Min, r.Max)
	case Items:
		what := "Items"
		if n.Kind != List {
			what = "Properties"
		}
		ms = limits(what, r.Min, r.Max)
	case Unique:
		if n.Element.Kind != String && n.Element.Kind != Time {
			return doc.Value{}, false // our 1 and 1.0 are two values, a schema's are one
		}
		ms = append(ms, doc.M("uniqueItems", doc.NewBool(true)))
	case Pattern:
		if !portable(r.Re) {
			return doc.Value{}, false
		}
		ms = append(ms, text("pattern", r.Re.String()))
	case Format:
		return r.schema(), true
	case Excludes:
		none := not(oneOf(r.Values))
		if n.Kind == List {
			none = doc.NewObject(doc.M("items", none))
		}
		return none, true
	case Keys:
		return n.keysSchema(r)
	case Extra:
		return n.extraSchema(r)
	case OneTrue:
		return combined("oneOf", r.Fields, oneValue(doc.NewBool(true))), true
	case OneOf:
		return combined("anyOf", r.Fields, nonEmpty), true
	case NotBoth:
		return atMostOne(r.Fields), true
	case Named:
		return r.Schema, false
	default: // Configured, Expressions
		return doc.Value{}, false
	}
	return doc.NewObject(ms...), true
}

func decimalOf(f float64) doc.Value {
	v, _ := doc.NewNumber(strconv.FormatFloat(f, 'f', -1, 64))
	return v
}

func limits(what string, lo, hi int) []doc.Member {
	var ms []doc.Member
	if lo > 0 {
		ms = append(ms, doc.M("min"+what, doc.NewInt(int64(lo))))
	}
	if hi > 0 {
		ms = append(ms, doc.M("max"+what, doc.NewInt(int64(hi))))
	}
	return ms
}

// combined applies a keyword such as allOf to test for each of the fields.
func combined(keyword string, names []string, test doc.Value) doc.Value {
	alternatives := make([]doc.Value, len(names))
	for i, name := range names {
		alternatives[i] = chain([]string{name}, test)
	}
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return doc.NewObject(doc.M(keyword, doc.NewArray(alternatives...)))
}

func atMostOne(names []string) doc.Value {
	var pairs []doc.Value
	for i, a := range names {
		for _, b := range names[i+1:] {
			pairs = append(pairs, together([]doc.Value{chain([]string{a}, nonEmpty), chain([]string{b}, nonEmpty)}))
		}
	}
	if len(pairs) == 1 {
		return not(pairs[0])
	}
	return not(doc.NewObject(doc.M("anyOf", doc.NewArray(pairs...))))
}

// keysSchema returns the keywords that check the names of further members.
func (n *Node) keysSchema(r Keys) (doc.Value, bool) {
	if !portable(r.Re) {
		return doc.Value{}, false
	}
	names := doc.NewObject(text("pattern", r.Re.String()))
	var others []string
	for _, c := range n.Children {
		if !r.Re.MatchString(c.Name) {
			others = append(others, c.Name)
		}
	}
	if len(others) > 0 {
		names = doc.NewObject(doc.M("anyOf", doc.NewArray(doc.NewObject(doc.M("enum", doc.NewStrings(others...))), names)))
	}
	return doc.NewObject(doc.M("propertyNames", names)), true
}

// maxOptional limits the fields of a table whose combinations are enumerated.
const maxOptional = 4

// extraSchema limits the members that are not in the table. JSON Schema counts all members together, so there
// is one limit for each combination of absent table fields.
func (n *Node) extraSchema(r Extra) (doc.Value, bool) {
	var optional []string
	for _, c := range n.Children {
		always := slices.ContainsFunc(c.Required, func(q Required) bool { return q.When == nil && (q.At == 0 || q.At == Always) })
		if !always || c.Applies != nil || c.Used != nil {
			optional = append(optional, c.Name)
		}
	}
	bound := func(missing int) doc.Value {
		return doc.NewObject(doc.M("maxProperties", doc.NewInt(int64(len(n.Children)-missing+r.Max))))
	}
	if len(optional) > maxOptional {
		return bound(0), false
	}
	all := []doc.Value{bound(0)}
	for set := 1; set < 1<<len(optional); set++ {
		var missing []string
		for i, name := range optional {
			if set&(1<<i) != 0 {
				missing = append(missing, name)
			}
		}
		some := combined("anyOf", missing, doc.NewBool(true))
		all = append(all, doc.NewObject(doc.M("if", not(some)), doc.M("then", bound(len(missing)))))
	}
	return together(all), true
}

// portable reports whether the pattern means the same in RE2 and ECMA-262, which JSON Schema recommends.
func portable(re *regexp.Regexp) bool {
	s := strings.ReplaceAll(re.String(), "(?:", "(")
	return !strings.Contains(s, "(?") && !strings.Contains(s, "[[:") && !unportable.MatchString(s)
}

var unportable = regexp.MustCompile(`\\[AzQEpPCas]`)

package template

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"bugle/engine/doc"
)

// The values of an evaluation are nil (none), bool, int, float64, number, string, [Safe], *[List], *[Dict],
// time.Time, time.Duration, *[Function], *loop, *cycler and *namespace, and *missing.

// Safe is a text that is HTML already: the filters e, safe and tojson return it, and escaping leaves it as it is.
type Safe string

// List is a list, which append changes in place, or a tuple, which does not change and is printed in parentheses.
type List struct {
	Items []any
	tuple bool
	names []string // that the items of a tuple of groupby have, too
}

func tuple(items ...any) *List { return &List{Items: items, tuple: true} }

// number is a number of the data. It is printed as it was written there.
type number struct {
	spelling string
	value    any // int or float64
}

// Dict is a map that keeps its order.
type Dict struct {
	keys, values []any
	at           map[any]int // by what hash returns
}

// hash returns v as a key of a Go map. As in Python, 1, 1.0 and true are the same key.
func hash(v any) any {
	if i, ok := whole(v); ok {
		return i
	}
	present(v)
	switch v := basic(v).(type) {
	case nil, float64, string:
		return v
	}
	try(fault(kind(v) + " cannot be a key"))
	return nil
}

// get returns what is under a key, and whether there is such a key.
func (d *Dict) get(key any) (any, bool) {
	if i, ok := d.at[hash(key)]; ok {
		return d.values[i], true
	}
	return nil, false
}

func (d *Dict) set(e *evaluator, key, value any) {
	hash := hash(key)
	if i, ok := d.at[hash]; ok {
		d.values[i] = value
		return
	}
	if e.roomFor(1); len(d.keys) >= MaxItems {
		try(errTooMany)
	}
	if d.at == nil {
		d.at = map[any]int{}
	}
	d.at[hash] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
}

func (d *Dict) pairs() []any {
	out := make([]any, len(d.keys))
	for i, key := range d.keys {
		out[i] = tuple(key, d.values[i])
	}
	return out
}

// convert converts a value of [Data]. Null, and values of a kind that templates do not have, are missing.
func convert(e *evaluator, v any) any {
	e.work(1)
	switch v := v.(type) {
	case bool, int, string, time.Time:
		return v
	case map[string]any:
		d := &Dict{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			d.set(e, key, convert(e, v[key]))
		}
		return d
	case doc.Value:
		switch v.Kind() {
		case doc.Bool:
			return v.True()
		case doc.Number:
			return spelled(v.Literal())
		case doc.String:
			return v.Text()
		case doc.Array:
			list := &List{}
			for _, item := range v.Elems() {
				list.Items = append(list.Items, convert(e, item))
			}
			return list
		case doc.Object:
			d := &Dict{}
			for key, item := range v.Members() {
				d.set(e, key, convert(e, item))
			}
			return d
		}
	case json.Number:
		return spelled(v.String())
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
		list := &List{Items: make([]any, r.Len())}
		for i := range list.Items {
			list.Items[i] = convert(e, r.Index(i).Interface())
		}
		return list
	}
	return &missing{reason: "it has no value"}
}

// spelled returns a number as it is written in data. One that computing would round stays a text.
func spelled(s string) any {
	if i, err := strconv.Atoi(s); err == nil {
		return number{s, i}
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s, ".eE") {
		return number{s, x}
	}
	return s
}

// numeric returns a number as an int or a float64, and nil for anything else. True is 1, as in Python.
func numeric(v any) any {
	switch v := basic(v).(type) {
	case int, float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return nil
}

// float returns what numeric returned as a float.
func float(v any) float64 {
	if i, ok := v.(int); ok {
		return float64(i)
	}
	return v.(float64)
}

// whole returns v as an int for an index, a width or a count.
func whole(v any) (int, bool) {
	switch v := numeric(v).(type) {
	case int:
		return v, true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int(v), true
		}
	}
	return 0, false
}

// basic returns a number without its spelling, and a safe text as a text.
func basic(v any) any {
	switch v := v.(type) {
	case number:
		return v.value
	case Safe:
		return string(v)
	}
	return v
}

func isText(v any) (string, bool) {
	s, ok := basic(v).(string)
	return s, ok
}

// kindOf returns the name of v's type for messages, and for what its methods belong to.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case *missing:
		return "missing value"
	case bool:
		return "boolean"
	case int, float64, number:
		return "number"
	case string, Safe:
		return "text"
	case *List:
		if v.tuple {
			return "tuple"
		}
		return "list"
	case *Dict:
		return "map"
	case time.Time:
		return "date"
	case time.Duration:
		return "timedelta"
	case *Function:
		return "function"
	}
	name := fmt.Sprintf("%T", v) // loop, cycler, namespace or root
	return name[strings.LastIndexByte(name, '.')+1:]
}

// kind is kindOf with an article.
func kind(v any) string {
	if v == nil {
		return "none"
	}
	return "a " + kindOf(v)
}

// truth returns the truth value as in Jinja: missing, empty and zero values are false.
func truth(v any) bool {
	switch v := basic(v).(type) {
	case nil, *missing:
		return false
	case string:
		return v != ""
	case *List:
		return len(v.Items) > 0
	case *Dict:
		return len(v.keys) > 0
	case time.Duration:
		return v != 0
	}
	n := numeric(v)
	return n == nil || float(n) != 0
}

// isNone reports whether v is none, or a missing value that equals it.
func isNone(v any) bool {
	m, ok := v.(*missing)
	return v == nil || ok && m.none
}

// equal compares two values. A missing one equals only another one, or none if it is what get returned.
func equal(e *evaluator, a, b any) bool {
	e.enter()
	defer e.leave()
	if x, y := numeric(a), numeric(b); x != nil || y != nil {
		return x != nil && y != nil && compareNumbers(x, y) == 0
	}
	if isNone(a) && isNone(b) {
		return true
	}
	switch a := basic(a).(type) {
	case *missing:
		_, ok := b.(*missing)
		return ok
	case string:
		t, ok := isText(b)
		e.work(min(len(a), len(t)))
		return ok && a == t
	case time.Time:
		t, ok := b.(time.Time)
		return ok && a.Equal(t)
	case *Dict:
		d, ok := b.(*Dict)
		if !ok || len(a.keys) != len(d.keys) {
			return false
		}
		for hash, i := range a.at {
			if j, ok := d.at[hash]; !ok || !equal(e, a.values[i], d.values[j]) {
				return false
			}
		}
		return true
	case *List:
		l, ok := b.(*List)
		return ok && a.tuple == l.tuple && slices.EqualFunc(a.Items, l.Items, func(a, b any) bool { return equal(e, a, b) })
	}
	return a == b
}

func compareNumbers(a, b any) int {
	i, ok := a.(int)
	if j, both := b.(int); ok && both {
		return cmp.Compare(i, j)
	}
	return cmp.Compare(float(a), float(b))
}

// order compares two numbers, texts, dates or lengths of time.
func order(e *evaluator, a, b any) int {
	present(a, b)
	x, y := numeric(a), numeric(b)
	if x != nil && y != nil {
		return compareNumbers(x, y)
	}
	switch kindOf(a) + " " + kindOf(b) {
	case "text text":
		s, t := basic(a).(string), basic(b).(string)
		e.work(min(len(s), len(t)))
		return strings.Compare(s, t)
	case "date date":
		return a.(time.Time).Compare(b.(time.Time))
	case "timedelta timedelta":
		return cmp.Compare(a.(time.Duration), b.(time.Duration))
	}
	try(mismatch("", a, b))
	return 0
}

// output is a text that is being made, within the limits: that of a template, or of a value.
type output struct {
	e    *evaluator
	json bool // how repr writes values
	strings.Builder
}

func (o *output) add(s string) {
	if o.Len()+len(s) > MaxOutput {
		try(errTooLarge)
	}
	o.e.work(len(s))
	o.WriteString(s)
}

// str returns v as Jinja prints it.
func str(e *evaluator, v any) string {
	if s, ok := isText(v); ok {
		return s
	}
	o := output{e: e}
	o.repr(v)
	return o.String()
}

// repr writes v as Python prints it within a list, with texts in quotes, or as JSON.
func (o *output) repr(v any) {
	o.e.enter()
	defer o.e.leave()
	switch v := v.(type) {
	case nil:
		o.either("None", "null")
	case *missing:
		if !o.json {
			try(v)
		}
		o.add("null")
	case bool:
		s := strconv.FormatBool(v)
		o.either(upper(s[:1])+s[1:], s)
	case int:
		o.add(strconv.Itoa(v))
	case float64:
		o.add(reprFloat(v))
	case number:
		o.add(v.spelling)
	case string, Safe:
		s, _ := isText(v)
		o.e.room(len(s))
		o.e.work(8 * len(s))
		if o.json {
			o.add(quoteJSON(s))
		} else {
			o.add(quote(s))
		}
	case *List:
		ends := "[]"
		if v.tuple && !o.json {
			ends = "()"
		}
		o.add(ends[:1])
		for i, item := range v.Items {
			if i > 0 {
				o.add(", ")
			}
			o.repr(item)
		}
		if ends == "()" && len(v.Items) == 1 {
			o.add(",")
		}
		o.add(ends[1:])
	case *Dict:
		pairs := v.pairs()
		if o.json {
			for _, pair := range pairs {
				items := pair.(*List).Items
				items[0] = str(o.e, items[0])
			}
			pairs = arrange(o.e, withKeys(o.e, pairs, getter(o.e, 0, nil), true), false)
		}
		o.add("{")
		for i, pair := range pairs {
			if i > 0 {
				o.add(", ")
			}
			o.repr(pair.(*List).Items[0])
			o.add(": ")
			o.repr(pair.(*List).Items[1])
		}
		o.add("}")
	case time.Time:
		o.either(v.Format("2006-01-02 15:04:05-07:00"), strconv.Quote(v.Format(time.RFC3339)))
	case time.Duration:
		try(fault("a timedelta cannot be written; .days and .total_seconds() can"))
	default:
		try(fault(kind(v) + " cannot be written"))
	}
}

func (o *output) either(python, json string) {
	if o.json {
		python = json
	}
	o.add(python)
}

// reprFloat returns x as Python prints it, except that a whole number has no fraction: 3 instead of 3.0.
func reprFloat(x float64) string {
	if size := math.Abs(x); size >= 1e16 || size < 1e-4 && x != 0 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x+0, 'f', -1, 64)
}

var pythonQuotes = strings.NewReplacer(`\\`, `\\`, `\"`, `"`, "'", `\'`)

// quote returns a text in quotes as Python does.
func quote(s string) string {
	s = strconv.Quote(s)
	if strings.Contains(s, "'") && !strings.Contains(s, `\"`) {
		return s
	}
	return "'" + pythonQuotes.Replace(s[1:len(s)-1]) + "'"
}

// quoteJSON returns a text as JSON in ASCII that can stand in HTML.
func quoteJSON(s string) string {
	raw, _ := json.Marshal(s) // a text always has JSON
	var b strings.Builder
	for _, r := range string(raw) {
		if r < utf8.RuneSelf && r != '\'' {
			b.WriteByte(byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// room charges for a text of n bytes that is about to be made.
func (e *evaluator) room(n int) {
	if n > MaxOutput {
		try(errTooLarge)
	}
	e.work(n)
}

// roomFor charges for a list of n items that is about to be made.
func (e *evaluator) roomFor(n int) {
	if n > MaxItems {
		try(errTooMany)
	}
	e.work(16 * n)
}

// length returns the number of characters or items of v.
func length(e *evaluator, v any) int {
	present(v)
	switch v := basic(v).(type) {
	case string:
		e.work(len(v))
		return utf8.RuneCountInString(v)
	case *Dict:
		return len(v.keys)
	case *List:
		return len(v.Items)
	}
	try(fault(kind(v) + " has no items"))
	return 0
}

// iterate returns what a loop over v goes through: the items of a list, the keys of a map, or the characters of a
// text. The caller must not change it.
func iterate(e *evaluator, v any) (items []any) {
	e.roomFor(length(e, v))
	switch v := v.(type) {
	case *List:
		return v.Items
	case *Dict:
		return v.keys
	}
	s, _ := isText(v)
	for _, r := range s {
		items = append(items, string(r))
	}
	return items
}

// member returns the attribute or the item of v that key names, or a *missing.
func member(e *evaluator, v, key any) any {
	present(key)
	name, _ := isText(key)
	at, indexed := numeric(key).(int)
	switch v := v.(type) {
	case *missing:
		return v
	case nil:
		return convert(e, nil)
	case root:
		return e.lookupRoot(v, key)
	case *Dict:
		if item, ok := v.get(key); ok {
			return item
		}
	case *namespace:
		return member(e, v.Dict, key)
	case string, Safe:
		if indexed {
			return item(e, v, at)
		}
	case *List:
		if i := slices.Index(v.names, name); i >= 0 {
			return v.Items[i]
		}
		if !indexed {
			return &missing{reason: "it is a list: a number is expected in the brackets"}
		}
		return item(e, v, at)
	default:
		if get, ok := members[kindOf(v)+"."+name]; ok {
			return get(v)
		}
	}
	return &missing{reason: "it has no " + shorten(str(e, key))}
}

// members are what dates and the objects of templates have under a name.
var members = map[string]func(v any) any{
	"date.year":   func(v any) any { return v.(time.Time).Year() },
	"date.month":  func(v any) any { return int(v.(time.Time).Month()) },
	"date.day":    func(v any) any { return v.(time.Time).Day() },
	"date.hour":   func(v any) any { return v.(time.Time).Hour() },
	"date.minute": func(v any) any { return v.(time.Time).Minute() },
	"date.second": func(v any) any { return v.(time.Time).Second() },

	"timedelta.days":    func(v any) any { return days(v.(time.Duration)) },
	"timedelta.seconds": func(v any) any { d := v.(time.Duration); return int((d - time.Duration(days(d))*day) / time.Second) },

	"loop.index":     func(v any) any { return v.(*loop).index + 1 },
	"loop.index0":    func(v any) any { return v.(*loop).index },
	"loop.revindex":  func(v any) any { return v.(*loop).left() + 1 },
	"loop.revindex0": func(v any) any { return v.(*loop).left() },
	"loop.first":     func(v any) any { return v.(*loop).index == 0 },
	"loop.last":      func(v any) any { return v.(*loop).left() == 0 },
	"loop.length":    func(v any) any { return len(v.(*loop).items) },
	"loop.depth":     func(v any) any { return v.(*loop).depth },
	"loop.depth0":    func(v any) any { return v.(*loop).depth - 1 },
	"loop.previtem":  func(v any) any { return v.(*loop).item(-1) },
	"loop.nextitem":  func(v any) any { return v.(*loop).item(1) },

	"cycler.current": func(v any) any { return v.(*cycler).current() },
}

// item returns an item of a list or a character of a text, from the end if it is below 0.
func item(e *evaluator, v any, at int) any {
	n := length(e, v)
	if at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return &missing{reason: fmt.Sprintf("the %s has a length of %d", kindOf(v), n)}
	}
	if list, ok := v.(*List); ok {
		return list.Items[at]
	}
	return slice(e, v, bounds{at, at + 1, nil})
}

// bounds are from, to and step in v[from:to:step]; each of them may be nil.
type bounds []any

// slice returns the part of v within bounds.
func slice(e *evaluator, v any, b bounds) any {
	s, text := isText(v)
	list, isList := v.(*List)
	switch {
	case text:
		e.work(8 * len(s))
		return marked(string(cut([]rune(s), b)), anySafe(v))
	case isList:
		items := cut(list.Items, b)
		e.roomFor(len(items))
		return &List{Items: items, tuple: list.tuple}
	}
	try(fault("only texts and lists can be sliced, not " + kind(v)))
	return nil
}

// cut returns the items within bounds.
func cut[T any](items []T, b bounds) (out []T) {
	n, by := len(items), 1
	if b[2] != nil {
		by, _ = numeric(b[2]).(int)
	}
	low, high := 0, n // the bounds of start and end
	first, last := low, high
	if by < 0 {
		low, high = -1, n-1
		first, last = high, low
	} else if by == 0 {
		try(fault("the step of a slice is a whole number other than 0"))
	}
	bound := func(v any, otherwise int) int {
		i, ok := numeric(v).(int)
		switch {
		case v == nil:
			return otherwise
		case !ok:
			try(fault("a slice takes whole numbers, not " + kind(v)))
		case i < 0:
			i += n
		}
		return min(max(i, low), high)
	}
	by = min(max(by, -n-1), n+1)
	for i, end := bound(b[0], first), bound(b[1], last); i != end && i < end == (by > 0); i += by {
		out = append(out, items[i])
	}
	return out
}

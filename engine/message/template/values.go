package template

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// The values of an evaluation are nil (none), bool, int, float64, number, string, [Safe], *[List], [TupleValue],
// group, *[Dict], time.Time, time.Duration, callable and object values, and *missing.

// maxDepth limits lists within lists, and so ends the printing of a list that contains itself.
const maxDepth = 100

var (
	errTooMany = fmt.Errorf("a list has more than %d items", MaxItems)
	errTooDeep = fmt.Errorf("lists are nested deeper than %d", maxDepth)
)

// Safe is a text that is HTML already: the filters e, safe and tojson return it, and escaping leaves it as it is.
type Safe string

// List is a list that append changes in place.
type List struct{ Items []any }

// TupleValue is a list that does not change. It is printed in parentheses.
type TupleValue []any

// group is an item of groupby: the tuple of its members grouper and list.
type group TupleValue

// number is a number of the data. It is printed as it was written there.
type number struct {
	spelling string
	value    any // int or float64
}

// callable is a value that can be called, such as a macro. named may be nil.
type callable interface {
	invoke(e *evaluator, args []any, named *Dict) (any, error)
}

// object is a value with members of its own, such as loop.
type object interface {
	kind() string // what its methods belong to: loop
	member(name string) (any, bool)
}

// Dict is a map that keeps its order.
type Dict struct {
	keys, values []any
	at           map[any]int // by what hash returns
}

// hash returns v as a key of a Go map. As in Python, 1, 1.0 and true are the same key.
func hash(e *evaluator, v any) any {
	if i, ok := whole(v); ok {
		return i
	}
	present(v)
	switch v := v.(type) {
	case nil, float64, string, time.Duration:
		return v
	case number:
		return v.value
	case Safe:
		return string(v)
	case time.Time:
		return v.UnixNano()
	case TupleValue, group:
		type written string
		return written(must(str(e, v)))
	}
	try(fault(kind(v) + " cannot be a key"))
	return nil
}

// find returns the place of a key, or -1.
func (d *Dict) find(e *evaluator, key any) (at int, err error) {
	defer rescue(&err)
	if i, ok := d.at[hash(e, key)]; ok {
		return i, nil
	}
	return -1, nil
}

func (d *Dict) set(e *evaluator, key, value any) (err error) {
	defer rescue(&err)
	hash := hash(e, key)
	if i, ok := d.at[hash]; ok {
		d.values[i] = value
		return nil
	}
	try(e.roomFor(1))
	if len(d.keys) >= MaxItems {
		return errTooMany
	}
	if d.at == nil {
		d.at = map[any]int{}
	}
	d.at[hash] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
	return nil
}

func (d *Dict) remove(e *evaluator, i int) error {
	for hash, at := range d.at {
		switch {
		case at == i:
			delete(d.at, hash)
		case at > i:
			d.at[hash] = at - 1
		}
	}
	d.keys, d.values = slices.Delete(d.keys, i, i+1), slices.Delete(d.values, i, i+1)
	return e.work(64 * len(d.keys))
}

func (d *Dict) pairs() []any {
	out := make([]any, len(d.keys))
	for i, key := range d.keys {
		out[i] = TupleValue{key, d.values[i]}
	}
	return out
}

// fromData converts a value of [Data]. Null, and values of a kind that templates do not have, are missing.
func fromData(e *evaluator, v any) (converted any, err error) {
	defer rescue(&err)
	return convert(e, v), nil
}

func convert(e *evaluator, v any) any {
	try(e.work(1))
	none := &missing{reason: "it has no value"}
	switch v := v.(type) {
	case nil:
		return none
	case bool, int, string, *missing, *List, TupleValue, *Dict, time.Time, time.Duration, callable:
		return v
	case []any:
		return converted(e, len(v), slices.All(v))
	case map[string]any:
		d := &Dict{at: make(map[any]int, len(v))}
		for i, key := range sortedKeys(v) {
			d.at[key] = i
			d.keys, d.values = append(d.keys, key), append(d.values, convert(e, v[key]))
		}
		return d
	case doc.Value:
		return fromJSON(e, v)
	case interface {
		String() string
		Float64() (float64, error)
	}:
		return spelled(v.String())
	case fmt.Stringer:
		return v.String()
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return int(r.Int())
	case r.CanUint():
		return spelled(strconv.FormatUint(r.Uint(), 10))
	case r.CanFloat() && !math.IsNaN(r.Float()) && !math.IsInf(r.Float(), 0):
		return r.Float()
	case r.Kind() == reflect.Bool:
		return r.Bool()
	case r.Kind() == reflect.String:
		return r.String()
	case r.Kind() == reflect.Slice:
		list := make([]any, r.Len())
		for i := range list {
			list[i] = convert(e, r.Index(i).Interface())
		}
		return &List{list}
	}
	return none
}

// converted returns a list of the data.
func converted[T any](e *evaluator, n int, items iter.Seq2[int, T]) *List {
	list := make([]any, n)
	for i, item := range items {
		list[i] = convert(e, item)
	}
	return &List{list}
}

// fromJSON converts a value of JSON, whose objects keep their order.
func fromJSON(e *evaluator, v doc.Value) any {
	switch v.Kind() {
	case doc.Bool:
		return v.True()
	case doc.Number:
		return spelled(v.Literal())
	case doc.String:
		return v.Text()
	case doc.Array:
		return converted(e, v.Len(), v.Elems())
	case doc.Object:
		d := &Dict{at: make(map[any]int, v.Len())}
		for key, item := range v.Members() {
			d.at[key] = len(d.keys)
			d.keys, d.values = append(d.keys, key), append(d.values, convert(e, item))
		}
		return d
	}
	return convert(e, nil)
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
	switch v := v.(type) {
	case int, float64:
		return v
	case number:
		return v.value
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

func isText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case Safe:
		return string(v), true
	}
	return "", false
}

// sequence returns the items of a list or a tuple.
func sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case *List:
		return v.Items, true
	case TupleValue:
		return v, true
	case group:
		return v, true
	}
	return nil, false
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
		return "list"
	case TupleValue, group:
		return "tuple"
	case *Dict:
		return "map"
	case time.Time:
		return "date"
	case time.Duration:
		return "timedelta"
	case object:
		return v.kind()
	case callable:
		return "function"
	}
	return "value of this kind"
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
	if n := numeric(v); n != nil {
		return float(n) != 0
	}
	if s, ok := isText(v); ok {
		return s != ""
	}
	switch v := v.(type) {
	case nil, *missing:
		return false
	case *Dict:
		return len(v.keys) > 0
	case time.Duration:
		return v != 0
	}
	items, ok := sequence(v)
	return !ok || len(items) > 0
}

// isNone reports whether v is none, or a missing value that equals it.
func isNone(v any) bool {
	m, ok := v.(*missing)
	return v == nil || ok && m.none
}

// equal compares two values. A missing one equals only another one, or none if it is what get returned.
func equal(e *evaluator, a, b any) bool { return equalWithin(e, a, b, 0) }

func equalWithin(e *evaluator, a, b any, depth int) bool {
	if depth > maxDepth {
		try(errTooDeep)
	}
	try(e.work(1))
	if x, y := numeric(a), numeric(b); x != nil || y != nil {
		return x != nil && y != nil && compareNumbers(x, y) == 0
	}
	if isNone(a) && isNone(b) {
		return true
	}
	switch a := a.(type) {
	case *missing:
		_, ok := b.(*missing)
		return ok
	case string, Safe:
		s, _ := isText(a)
		t, ok := isText(b)
		try(e.work(min(len(s), len(t))))
		return ok && s == t
	case time.Time:
		t, ok := b.(time.Time)
		return ok && a.Equal(t)
	case *Dict:
		d, ok := b.(*Dict)
		if !ok || len(a.keys) != len(d.keys) {
			return false
		}
		for hash, i := range a.at {
			if j, ok := d.at[hash]; !ok || !equalWithin(e, a.values[i], d.values[j], depth+1) {
				return false
			}
		}
		return true
	case *List, TupleValue, group:
		items, _ := sequence(a)
		others, _ := sequence(b)
		if kindOf(a) != kindOf(b) || len(items) != len(others) {
			return false
		}
		for i, item := range items {
			if !equalWithin(e, item, others[i], depth+1) {
				return false
			}
		}
		return true
	}
	return a == b
}

func compareNumbers(a, b any) int {
	i, ok := a.(int)
	if j, both := b.(int); ok && both {
		return cmp.Compare(i, j)
	}
	return big.NewFloat(float(a)).Cmp(big.NewFloat(float(b)))
}

// order compares two numbers, texts, dates, or lists of them.
func order(e *evaluator, a, b any) int { return orderWithin(e, a, b, 0) }

func orderWithin(e *evaluator, a, b any, depth int) int {
	if depth > maxDepth {
		try(errTooDeep)
	}
	try(e.work(1))
	present(a, b)
	x, y := numeric(a), numeric(b)
	if x != nil && y != nil {
		return compareNumbers(x, y)
	}
	hint := ""
	switch kinds := kindOf(a) + " " + kindOf(b); kinds {
	case "text text":
		s, _ := isText(a)
		t, _ := isText(b)
		try(e.work(min(len(s), len(t))))
		return strings.Compare(s, t)
	case "date date":
		return a.(time.Time).Compare(b.(time.Time))
	case "timedelta timedelta":
		return cmp.Compare(a.(time.Duration), b.(time.Duration))
	case "list list", "tuple tuple":
		items, _ := sequence(a)
		others, _ := sequence(b)
		for i := range min(len(items), len(others)) {
			if !equalWithin(e, items[i], others[i], depth+1) {
				return orderWithin(e, items[i], others[i], depth+1)
			}
		}
		return cmp.Compare(len(items), len(others))
	case "text number", "number text":
		hint = "; |int or |float makes a number of a text"
	case "text date", "date text":
		hint = "; |date makes a date of a text"
	}
	try(fault(kind(a) + " and " + kind(b) + " cannot be compared" + hint))
	return 0
}

// output is a text that is being made, within the limits.
type output struct {
	e    *evaluator
	json bool // how repr writes values
	strings.Builder
}

func (o *output) add(s string) {
	if o.Len()+len(s) > MaxOutput {
		try(errTooLarge)
	}
	try(o.e.work(len(s)))
	o.WriteString(s)
}

// str returns v as Jinja prints it.
func str(e *evaluator, v any) (text string, err error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case Safe:
		return string(v), nil
	case number:
		return v.spelling, nil
	case int:
		return strconv.Itoa(v), nil
	}
	defer rescue(&err)
	o := output{e: e}
	o.repr(v, 0)
	return o.String(), nil
}

// repr writes v as Python prints it within a list, with texts in quotes, or as JSON.
func (o *output) repr(v any, depth int) {
	if depth > maxDepth {
		try(errTooDeep)
	}
	items, _ := sequence(v)
	switch v := v.(type) {
	case nil:
		o.add(map[bool]string{false: "None", true: "null"}[o.json])
	case *missing:
		if !o.json {
			try(v)
		}
		o.add("null")
	case bool:
		s := strconv.FormatBool(v)
		if !o.json {
			s = capitalized(s)
		}
		o.add(s)
	case int:
		o.add(strconv.Itoa(v))
	case float64:
		o.add(reprFloat(v))
	case number:
		o.add(v.spelling)
	case string, Safe:
		s, _ := isText(v)
		try(o.e.room(len(s)))
		try(o.e.work(8 * len(s)))
		if o.json {
			o.add(quoteJSON(s))
		} else {
			o.add(quote(s))
		}
	case *List:
		o.all("[", items, "]", depth)
	case TupleValue, group:
		switch {
		case o.json:
			o.all("[", items, "]", depth)
		case len(items) == 1:
			o.all("(", items, ",)", depth)
		default:
			o.all("(", items, ")", depth)
		}
	case *Dict:
		pairs := v.pairs()
		if o.json {
			slices.SortStableFunc(pairs, func(a, b any) int {
				return strings.Compare(must(str(o.e, a.(TupleValue)[0])), must(str(o.e, b.(TupleValue)[0])))
			})
		}
		o.add("{")
		for i, pair := range pairs {
			if i > 0 {
				o.add(", ")
			}
			key := pair.(TupleValue)[0]
			if o.json {
				key = must(str(o.e, key))
			}
			o.repr(key, depth+1)
			o.add(": ")
			o.repr(pair.(TupleValue)[1], depth+1)
		}
		o.add("}")
	case time.Time:
		if o.json {
			try(fault("a date has no JSON; .isoformat() makes a text of it"))
		}
		o.add(v.Format("2006-01-02 15:04:05-07:00"))
	case time.Duration:
		try(fault("a timedelta cannot be written; .days and .total_seconds() can"))
	default:
		try(fault(kind(v) + " cannot be written"))
	}
}

func (o *output) all(begin string, items []any, end string, depth int) {
	o.add(begin)
	for i, item := range items {
		if i > 0 {
			o.add(", ")
		}
		o.repr(item, depth+1)
	}
	o.add(end)
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
func (e *evaluator) room(n int) error {
	if n > MaxOutput {
		return errTooLarge
	}
	return e.work(n)
}

// roomFor charges for a list of n items that is about to be made.
func (e *evaluator) roomFor(n int) error {
	if n > MaxItems {
		return errTooMany
	}
	return e.work(16 * n)
}

// length returns the number of characters or items of v.
func length(e *evaluator, v any) int {
	present(v)
	items, ok := sequence(v)
	switch v := v.(type) {
	case string, Safe:
		s, _ := isText(v)
		try(e.work(len(s)))
		return utf8.RuneCountInString(s)
	case *Dict:
		return len(v.keys)
	}
	if !ok {
		try(fault(kind(v) + " has no length"))
	}
	return len(items)
}

// iterate returns what a loop over v goes through: the items of a list, the keys of a map, or the characters of a
// text. The caller must not change it.
func iterate(e *evaluator, v any) ([]any, error) {
	items, ok := sequence(v)
	switch v := v.(type) {
	case string, Safe:
		s, _ := isText(v)
		if err := e.roomFor(utf8.RuneCountInString(s)); err != nil {
			return nil, err
		}
		for _, r := range s {
			items = append(items, string(r))
		}
		return items, nil
	case *Dict:
		items, ok = v.keys, true
	case *missing:
		return nil, v
	}
	if !ok {
		return nil, fault("a list is expected, not " + kind(v))
	}
	return items, e.roomFor(len(items))
}

// member returns the attribute or the item of v that key names, or a *missing.
func member(e *evaluator, v, key any) (result any, err error) {
	defer rescue(&err)
	present(key)
	name, named := isText(key)
	at, indexed := numeric(key).(int)
	switch v := v.(type) {
	case *missing:
		return v, nil
	case *Dict:
		if i := must(v.find(e, key)); i >= 0 {
			return v.values[i], nil
		}
	case string, Safe:
		if indexed {
			s, _ := isText(v)
			try(e.work(4 * len(s)))
			runes := []rune(s)
			if i, ok := within(at, len(runes)); ok {
				return marked(string(runes[i]), anySafe(v)), nil
			}
			return &missing{reason: "the text has only " + phrase.Count(len(runes), "character")}, nil
		}
	case *List, TupleValue, group:
		items, _ := sequence(v)
		if _, ok := v.(group); ok && (name == "grouper" || name == "list") {
			return items[slices.Index([]string{"grouper", "list"}, name)], nil
		}
		if !indexed {
			return &missing{reason: "it is a list: a number is expected in the brackets"}, nil
		}
		if i, ok := within(at, len(items)); ok {
			return items[i], nil
		}
		return &missing{reason: "the list has only " + phrase.Count(len(items), "item")}, nil
	case time.Time, time.Duration:
		if get, ok := dateMembers[kindOf(v)+"."+name]; ok {
			return get(v), nil
		}
	case object:
		if item, ok := v.member(name); ok && named {
			return item, nil
		}
	case nil:
		return &missing{reason: "it has no value"}, nil
	}
	return &missing{reason: "it has no " + shorten(must(str(e, key)))}, nil
}

// within returns the index of a list of n items, which may count from its end, and whether there is such an item.
func within(i, n int) (int, bool) {
	if i < 0 {
		i += n
	}
	return i, i >= 0 && i < n
}

// slice returns v[from:to:step]; each of them may be nil.
func slice(e *evaluator, v, from, to, step any) (result any, err error) {
	defer rescue(&err)
	s, text := isText(v)
	items, list := sequence(v)
	if !text && !list {
		return nil, fault("only texts and lists can be sliced, not " + kind(v))
	}
	n, by := length(e, v), 1
	low, high := 0, n // the bounds of start and end
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
	if step != nil {
		by, _ = numeric(step).(int)
	}
	start, end := bound(from, low), bound(to, high)
	switch {
	case by == 0:
		return nil, fault("the step of a slice is a whole number other than 0")
	case by < 0:
		low, high = -1, n-1
		start, end = bound(from, high), bound(to, low)
	}
	at := progression(start, end, by, n)
	if text {
		try(e.work(8 * len(s)))
		return marked(string(choose([]rune(s), at)), anySafe(v)), nil
	}
	return listLike(e, v, len(at), func() []any { return choose(items, at) }), nil
}

func choose[T any](items []T, at []int) []T {
	out := make([]T, len(at))
	for i, from := range at {
		out[i] = items[from]
	}
	return out
}

// progression returns the numbers from one to the one before another, in steps, and at most some.
func progression(from, to, by, most int) (out []int) {
	for i := from; len(out) < most && (by > 0 && i < to || by < 0 && i > to); i += by {
		out = append(out, i)
		if i > math.MaxInt-max(by, 0) || i < math.MinInt-min(by, 0) {
			break
		}
	}
	return out
}

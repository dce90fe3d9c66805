package personalize

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// rootNames are the names a template starts from, short forms included.
var rootNames = map[string]string{
	"UserAttribute":          "UserAttribute",
	"user":                   "UserAttribute",
	"EventAttribute":         "EventAttribute",
	"event":                  "EventAttribute",
	"BusinessEventAttribute": "BusinessEventAttribute",
	"ContentBlock":           "ContentBlock",
	"ContentApi":             "ContentApi",
	"ProductSet":             "ProductSet",
}

// numeral is a number that keeps the spelling it came with: json.Number and
// its likes.
type numeral interface {
	String() string
	Float64() (float64, error)
}

// missing is the value of an expression that has none.
type missing struct {
	expression string
	pos        int
	reason     string
	whole      bool // expression is all of the access chain: what is looked up in it is no other hole
	failed     bool // the expression has been computed and has no result: a condition on it is a hole too
}

// wholeChainMissing returns v where it is missing and names its whole chain already, which may be long.
func wholeChainMissing(v any) *missing {
	if hole, ok := v.(*missing); ok && hole.whole {
		return hole
	}
	return nil
}

// root is one of rootNames while it is looked into.
type root string

// callable is a content API before its parentheses.
type callable struct {
	name string
	call func(ctx context.Context, args ...any) (any, error)
}

// attribute finds name in a profile's or event's values: as it is, or the one
// whose snake case it is; of several such the first by name.
func (r *run) attribute(values map[string]any, name string) (any, error) {
	if v, ok := values[name]; ok {
		return v, nil
	}
	if err := r.work(len(values)); err != nil {
		return nil, err
	}
	first, found := "", false
	for full := range values {
		if isSnakeOf(name, full) && (!found || full < first) {
			first, found = full, true
		}
	}
	return values[first], nil
}

// snake writes an attribute's name the way a template does: "First Name",
// "firstName" and "first-name" are all first_name.
func snake(name string) string {
	var b strings.Builder
	snaked(name, func(c rune) bool { b.WriteRune(c); return true })
	return b.String()
}

// isSnakeOf reports whether short is full in snake case.
func isSnakeOf(short, full string) bool {
	same := snaked(full, func(c rune) bool {
		have, width := utf8.DecodeRuneInString(short)
		short = short[width:]
		return have == c && width > 0
	})
	return same && short == ""
}

// snaked yields the characters of a name in snake case, until yield returns false.
func snaked(name string, yield func(rune) bool) bool {
	begun, gap, lower := false, false, false
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			gap = true
			continue
		}
		if begun && (gap || lower && unicode.IsUpper(c)) && !yield('_') {
			return false
		}
		begun, gap, lower = true, false, unicode.IsLower(c) || unicode.IsDigit(c)
		if !yield(unicode.ToLower(c)) {
			return false
		}
	}
	return true
}

// value brings what callers put into Data to the kinds that evaluation knows:
// nil, bool, int, *big.Int, float64, numeral, string, []any, map[string]any.
func value(v any) any {
	switch v := v.(type) {
	case nil, bool, int, *big.Int, string, []any, map[string]any, *missing, root, callable:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case numeral:
		return v
	case time.Time:
		return v.Format(time.RFC3339)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case []map[string]any:
		list := make([]any, len(v))
		for i, m := range v {
			list[i] = m
		}
		return list
	case fmt.Stringer:
		return v.String()
	}
	switch v := reflect.ValueOf(v); v.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		return int(v.Int())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		return wholeValue(new(big.Int).SetUint64(v.Uint()))
	case reflect.Float32, reflect.Float64:
		return value(v.Float())
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	}
	return nil // of no kind that a template has
}

// plain is v with numerals turned into numbers, all the way down: what
// operators, filters and tests work on.
func plain(v any) any {
	switch v := value(v).(type) {
	case numeral:
		a, ok := spelled(v.String())
		if !ok {
			return v.String()
		}
		return a.value()
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, item := range v {
			m[key] = plain(item)
		}
		return m
	default:
		return v
	}
}

// truth is Jinja's: what is missing, empty or zero is false.
func truth(v any) bool {
	switch v := value(v).(type) {
	case nil, *missing:
		return false
	case numeral:
		a, ok := spelled(v.String())
		return !ok || a.sign() != 0
	case bool:
		return v
	case int:
		return v != 0
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// size is about the bytes v takes when written out, shared parts counted each
// time; it stops counting soon after MaxOutput.
func size(v any) int {
	total := 0
	measure(v, &total)
	return total
}

func measure(v any, total *int) {
	*total += 16
	if *total > MaxOutput {
		return
	}
	switch v := v.(type) {
	case string:
		*total += len(v) - 16
	case *big.Int:
		*total += v.BitLen() / 3
	case numeral:
		*total += len(v.String())
	case []any:
		for _, item := range v {
			if measure(item, total); *total > MaxOutput {
				return
			}
		}
	case map[string]any:
		for key, item := range v {
			*total += len(key)
			if measure(item, total); *total > MaxOutput {
				return
			}
		}
	}
}

// stepsFor is the work of looking at all of v, in steps.
func stepsFor(v any) int {
	steps := 0
	countSteps(v, &steps)
	return steps
}

func countSteps(v any, steps *int) {
	if *steps++; *steps > maxSteps {
		return
	}
	switch v := v.(type) {
	case string:
		*steps += len(v) / filteredOfStep
	case *big.Int:
		*steps += v.BitLen() / filteredOfStep
	case numeral:
		*steps += len(v.String()) / 2
	case []any:
		for _, item := range v {
			countSteps(item, steps)
		}
	case map[string]any:
		for key, item := range v {
			*steps += len(key) / filteredOfStep
			countSteps(item, steps)
		}
	case []map[string]any:
		for _, item := range v {
			countSteps(item, steps)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

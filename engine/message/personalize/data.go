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

// rootNames are the names at the start of expressions, including short forms.
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

// numeral is a number that keeps its spelling: json.Number and similar types.
type numeral interface {
	String() string
	Float64() (float64, error)
}

// missing is the value of an expression that has none.
type missing struct {
	expression string
	pos        int
	reason     string
	whole      bool // expression is the whole access chain: lookups in it are not separate missing values
	failed     bool // the expression failed: a condition on it is unresolved too
}

// wholeChainMissing returns v if it is a missing value for its whole, possibly long, chain.
func wholeChainMissing(v any) *missing {
	if hole, ok := v.(*missing); ok && hole.whole {
		return hole
	}
	return nil
}

// root is one of rootNames during a lookup.
type root string

// callable is a content API before its parentheses.
type callable struct {
	name string
	call func(ctx context.Context, args ...any) (any, error)
}

// attribute finds name in the values of a user or event: exactly, or by its snake case; the first by name if
// there are several.
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

// snake converts an attribute's name to snake case as templates write it: "First Name", "firstName" and
// "first-name" become first_name.
func snake(name string) string {
	var b strings.Builder
	snaked(name, func(c rune) bool { b.WriteRune(c); return true })
	return b.String()
}

// isSnakeOf reports whether short is the snake case of full.
func isSnakeOf(short, full string) bool {
	same := snaked(full, func(c rune) bool {
		have, width := utf8.DecodeRuneInString(short)
		short = short[width:]
		return have == c && width > 0
	})
	return same && short == ""
}

// snaked yields the characters of a name in snake case until yield returns false.
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

// value converts values in [Data] to the types of the evaluation: nil, bool, int, *big.Int, float64, numeral,
// string, []any, map[string]any.
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

// plain returns v with all numerals converted to numbers, for operators, filters and tests.
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

// truth returns the truth value as in Jinja: missing, empty and zero values are false.
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

// size returns about how many bytes v takes when written, counting shared parts each time. It stops soon
// after MaxOutput.
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

// stepsFor returns the work of processing all of v, in steps.
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

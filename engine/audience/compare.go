package audience

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bugle/engine/doc"
)

// comparison is an operator with its value.
type comparison interface {
	takes(v any) bool    // a single value that is neither null nor a list
	at(t time.Time) bool // a time
	whole() bool         // accepts every list, whatever its elements
}

// anyValue accepts everything.
type anyValue struct{}

func (anyValue) takes(any) bool    { return true }
func (anyValue) at(time.Time) bool { return true }
func (anyValue) whole() bool       { return true }

// plain is embedded by comparisons of single values that are not times.
type plain struct{}

func (plain) at(time.Time) bool { return false }
func (plain) whole() bool       { return false }

type truth struct {
	plain
	want bool
}

func (c truth) takes(v any) bool {
	b, ok := asBool(v)
	return ok && b == c.want
}

// span is a range of numbers. open excludes its ends.
type span struct {
	plain
	low, high float64
	open      bool
}

func (c span) takes(v any) bool {
	f, ok := asNumber(v)
	if c.open {
		return ok && f > c.low && f < c.high
	}
	return ok && f >= c.low && f <= c.high
}

// numbers are sorted.
type numbers struct {
	plain
	wanted []float64
}

func (c numbers) takes(v any) bool {
	f, ok := asNumber(v)
	if !ok {
		return false
	}
	_, found := slices.BinarySearch(c.wanted, f)
	return found
}

// texts matches texts that equal, contain, start or end with one of several. If fold is set, case is folded.
type texts struct {
	plain
	how    textMatch
	set    map[string]struct{} // for same
	pieces [][]byte            // for the others
	fold   bool
}

type textMatch uint8

const (
	same textMatch = iota
	contains
	startsWith
	endsWith
)

var textMatches = map[string]textMatch{
	"is": same, "in": same, "contains": contains, "containsInTheFollowing": contains,
	"startWithInTheFollowing": startsWith, "endsWithInTheFollowing": endsWith,
}

func newTexts(how textMatch, values []string, caseSensitive bool) *texts {
	c := &texts{how: how, fold: !caseSensitive, set: make(map[string]struct{}, len(values))}
	for _, v := range values {
		b := []byte(v)
		if c.fold {
			b = appendFolded(nil, v)
		}
		c.set[string(b)] = struct{}{}
		if len(b) > 0 { // every text contains the empty one: nobody who leaves a gap in a list means that
			c.pieces = append(c.pieces, b)
		}
	}
	return c
}

func (c *texts) takes(v any) bool {
	var room [128]byte // most texts fit, and nothing is allocated
	text, ok := appendText(room[:0], v, c.fold)
	if !ok {
		return false
	}
	if c.how == same {
		_, found := c.set[string(text)]
		return found
	}
	for _, piece := range c.pieces {
		switch {
		case c.how == contains && bytes.Contains(text, piece),
			c.how == startsWith && bytes.HasPrefix(text, piece),
			c.how == endsWith && bytes.HasSuffix(text, piece):
			return true
		}
	}
	return false
}

// appendText appends the text of a value, or returns false if it has none.
func appendText(b []byte, v any, folded bool) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		if folded {
			return appendFolded(b, v), true
		}
		return append(b, v...), true
	case json.Number:
		if folded {
			return appendFolded(b, string(v)), true
		}
		return append(b, v...), true
	case bool:
		b = strconv.AppendBool(b, v)
	case float64:
		b = strconv.AppendFloat(b, v, 'f', -1, 64)
	case int:
		b = strconv.AppendInt(b, int64(v), 10)
	case int64:
		b = strconv.AppendInt(b, v, 10)
	default:
		return b, false
	}
	if folded {
		b = bytes.ToUpper(b)
	}
	return b, true
}

// appendFolded appends s with case folded, so that texts that only differ in case are equal.
func appendFolded(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return appendFoldedRunes(b, s[i:])
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

func appendFoldedRunes(b []byte, s string) []byte {
	for _, r := range s {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		b = utf8.AppendRune(b, least)
	}
	return b
}

func asBool(v any) (value, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		return strings.EqualFold(v, "true"), strings.EqualFold(v, "true") || strings.EqualFold(v, "false")
	}
	return false, false
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		return parseNumber(string(v))
	case float64:
		return v, !math.IsNaN(v)
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case string:
		return parseNumber(strings.TrimSpace(v))
	}
	return 0, false
}

// parseNumber parses a decimal number, without the other spellings of strconv.
func parseNumber(s string) (float64, bool) {
	digits := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits = true
		case c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E':
			return 0, false
		}
	}
	if !digits {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// newComparison returns the comparison of an attribute filter, or false if its value is invalid.
func newComparison(filter, value, second doc.Value, days calendar) (comparison, bool) {
	dataType, operator := filter.Get(mDataType).Text(), filter.Get(mOperator).Text()
	operands, ok := operandsOf(value, second)
	switch {
	case operator == opExists:
		return anyValue{}, true
	case !ok:
		return nil, false
	}
	switch dataType {
	case "bool":
		want, ok := asBool(operands[0])
		return truth{want: want}, ok && len(operands) == 1
	case "double":
		return newNumeric(operator, operands)
	case "datetime":
		return days.window(operator, operands)
	}
	how, ok := textMatches[operator]
	return newTexts(how, textsOf(operands), filter.Get(mCaseSensitive).True()), ok
}

func newNumeric(operator string, operands []any) (comparison, bool) {
	var wanted []float64
	for _, o := range operands {
		f, ok := asNumber(o)
		if !ok {
			return nil, false
		}
		wanted = append(wanted, f)
	}
	slices.Sort(wanted)
	first := wanted[0]
	switch {
	case operator == "in":
		return numbers{wanted: wanted}, true
	case operator == opBetween && len(wanted) == 2:
		return span{low: first, high: wanted[1]}, true
	case operator == "lessThan" && len(wanted) == 1:
		return span{low: math.Inf(-1), high: first, open: true}, true
	case operator == "greaterThan" && len(wanted) == 1:
		return span{low: first, high: math.Inf(1), open: true}, true
	}
	return nil, false
}

// operandsOf returns the values that a filter compares with, including list elements and value1, or false if
// one is not a scalar. An absent value is one nil.
func operandsOf(values ...doc.Value) ([]any, bool) {
	var out []any
	for i, v := range values {
		switch v.Kind() {
		case doc.String:
			out = append(out, v.Text())
		case doc.Number:
			out = append(out, json.Number(v.Literal()))
		case doc.Bool:
			out = append(out, v.True())
		case doc.Array:
			for _, e := range v.Elems() {
				one, ok := operandsOf(e)
				if !ok || e.Kind() == doc.Array {
					return nil, false
				}
				out = append(out, one...)
			}
		case doc.Absent:
			if i == 0 {
				out = append(out, nil)
			}
		default:
			return nil, false
		}
	}
	return out, len(out) > 0
}

func textsOf(operands []any) []string {
	var out []string
	for _, o := range operands {
		if b, ok := appendText(nil, o, false); ok {
			out = append(out, string(b))
		}
	}
	return out
}

package template

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"time"
)

var errOverflow = failure("a whole number is too large to compute with")

// unary computes -v and +v.
func unary(_ *evaluator, op string, v any) (any, error) {
	if d, ok := v.(time.Duration); ok && op == "-" {
		return -d, nil
	}
	n := numeric(v)
	if n == nil {
		return nil, fault(op + " needs a number, not " + kind(v))
	}
	if op == "+" {
		return n, nil
	}
	return arithmetic("*", n, -1)
}

// binary computes + - * / // % ** and ~ of two values that are not missing.
func binary(e *evaluator, op string, a, b any) (any, error) {
	if op == "~" {
		return concat(e, a, b)
	}
	x, y := numeric(a), numeric(b)
	if x != nil && y != nil {
		return arithmetic(op, x, y)
	}
	s, text := isText(a)
	t, bothTexts := isText(b)
	items, list := sequence(a)
	others, bothLists := sequence(b)
	from, date := a.(time.Time)
	by, span := b.(time.Duration)
	switch {
	case op == "%" && text:
		return percent(e, a, b)
	case op == "+" && text && bothTexts:
		if err := e.room(len(s) + len(t)); err != nil {
			return nil, err
		}
		_, safe := a.(Safe)
		_, safeToo := b.(Safe)
		if safe || safeToo {
			return Safe(escaped(a) + escaped(b)), nil
		}
		return s + t, nil
	case op == "+" && list && bothLists && kindOf(a) == kindOf(b):
		return build(e, a, len(items)+len(others), func() []any { return slices.Concat(items, others) })
	case op == "*" && (text || list || bothTexts || bothLists):
		if text || list {
			return repeat(e, a, b)
		}
		return repeat(e, b, a)
	case date && span && op == "+":
		return shift(from, by), nil
	case date && span && op == "-":
		return shift(from, -by), nil
	}
	if until, ok := b.(time.Time); ok {
		if before, ok := a.(time.Duration); ok && op == "+" {
			return shift(until, before), nil
		}
		if date && op == "-" {
			return between(until, from), nil
		}
	}
	if length, ok := a.(time.Duration); ok {
		switch {
		case span && op == "+":
			return length + by, nil
		case span && op == "-":
			return length - by, nil
		case y != nil && op == "*":
			return time.Duration(float64(length) * float(y)), nil
		}
	}
	hint := ""
	switch {
	case date || kindOf(b) == "date":
		hint = "; |date makes a date of a text, and timedelta(days=1) is added to one"
	case op == "+" && (text || bothTexts):
		hint = "; ~ joins them as texts, |int makes a number of a text"
	case text || bothTexts:
		hint = "; |int makes a number of a text, and |date a date"
	}
	return nil, fault(fmt.Sprintf("%s cannot compute with %s and %s%s", op, kind(a), kind(b), hint))
}

// concat joins two values as texts.
func concat(e *evaluator, a, b any) (any, error) {
	s, err := str(e, a)
	if err != nil {
		return nil, err
	}
	t, err := str(e, b)
	if err != nil {
		return nil, err
	}
	if err := e.room(len(s) + len(t)); err != nil {
		return nil, err
	}
	_, safe := a.(Safe)
	_, safeToo := b.(Safe)
	if e.autoescape && (safe || safeToo) {
		if !safe {
			s = html.EscapeString(s)
		}
		if !safeToo {
			t = html.EscapeString(t)
		}
		return Safe(s + t), nil
	}
	return s + t, nil
}

// escaped returns a text for HTML.
func escaped(v any) string {
	if s, ok := v.(Safe); ok {
		return string(s)
	}
	s, _ := isText(v)
	return html.EscapeString(s)
}

func repeat(e *evaluator, v, times any) (any, error) {
	n, ok := numeric(times).(int)
	if !ok {
		return nil, fault("* cannot compute with " + kind(v) + " and " + kind(times))
	}
	n = max(n, 0)
	if s, ok := isText(v); ok {
		if n > MaxOutput && s != "" {
			return nil, errTooLarge
		}
		if err := e.room(len(s) * min(n, MaxOutput)); err != nil {
			return nil, err
		}
		return like(v, strings.Repeat(s, n)), nil
	}
	items, _ := sequence(v)
	if n > MaxItems && len(items) > 0 {
		return nil, errTooMany
	}
	return build(e, v, len(items)*min(n, MaxItems), func() []any { return slices.Repeat(items, n) })
}

// build makes a list or a tuple of n items, as v is one.
func build(e *evaluator, v any, n int, items func() []any) (any, error) {
	if err := e.roomFor(n); err != nil {
		return nil, err
	}
	if _, ok := v.(*List); ok {
		return &List{items()}, nil
	}
	return TupleValue(items()), nil
}

// compare holds for == != < <= > >= in and "not in". Only == and != may meet a missing value.
func compare(e *evaluator, op string, a, b any) (bool, error) {
	switch op {
	case "==", "!=":
		same, err := equal(e, a, b)
		return same == (op == "=="), err
	case "in", "not in":
		found, err := contains(e, b, a)
		return found == (op == "in"), err
	}
	c, err := order(e, a, b)
	switch op {
	case "<":
		return c < 0, err
	case "<=":
		return c <= 0, err
	case ">":
		return c > 0, err
	}
	return c >= 0, err
}

// contains reports whether where contains what: an item of a list, a key of a map, or a part of a text.
func contains(e *evaluator, where, what any) (bool, error) {
	if m, ok := what.(*missing); ok {
		return false, m
	}
	if s, ok := isText(where); ok {
		part, ok := isText(what)
		if !ok {
			return false, fault("only a text can be in a text, not " + kind(what))
		}
		return strings.Contains(s, part), e.work(len(s) + len(part))
	}
	if items, ok := sequence(where); ok {
		for _, item := range items {
			if same, err := equal(e, item, what); same || err != nil {
				return same, err
			}
		}
		return false, nil
	}
	switch where := where.(type) {
	case *Dict:
		i, err := where.find(e, what)
		return i >= 0, err
	case *missing:
		return false, where
	}
	return false, fault("nothing can be in " + kind(where))
}

// arithmetic computes like Python, except that a division without a remainder returns a whole number, so that it
// stays exact. The operands are ints or floats.
func arithmetic(op string, a, b any) (any, error) {
	if float(b) == 0 && strings.ContainsAny(op, "/%") {
		return nil, failure("division by zero")
	}
	i, ok := a.(int)
	j, both := b.(int)
	if ok && both && (op != "**" || j >= 0) {
		return wholeArithmetic(op, i, j)
	}
	x, y := float(a), float(b)
	switch op {
	case "+":
		x += y
	case "-":
		x -= y
	case "*":
		x *= y
	case "/":
		x /= y
	case "**":
		if x == 0 && y < 0 {
			return nil, failure("division by zero")
		}
		x = math.Pow(x, y)
	default:
		rest := math.Mod(x, y)
		if rest != 0 && (rest < 0) != (y < 0) {
			rest += y
		}
		if op == "%" {
			x = rest
		} else {
			x = math.Round((x - rest) / y)
		}
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, failure("the result is not a number")
	}
	return x, nil
}

func wholeArithmetic(op string, i, j int) (any, error) {
	switch op {
	case "+":
		if sum := i + j; (sum > i) == (j > 0) {
			return sum, nil
		}
	case "-":
		if difference := i - j; (difference < i) == (j > 0) {
			return difference, nil
		}
	case "*":
		if i == 0 || j == 0 {
			return 0, nil
		}
		if product := i * j; product/j == i && product != math.MinInt {
			return product, nil
		}
	case "/":
		if i%j == 0 {
			return i / j, nil
		}
		return float64(i) / float64(j), nil
	case "//", "%":
		quotient, rest := i/j, i%j
		if rest != 0 && (rest < 0) != (j < 0) { // Python rounds down, Go towards zero
			quotient, rest = quotient-1, rest+j
		}
		if op == "%" {
			return rest, nil
		}
		return quotient, nil
	case "**":
		result := any(1)
		if i == 0 || i == 1 || i == -1 {
			j = min(j, 2-j%2)
		}
		for ; j > 0; j-- {
			var err error
			if result, err = wholeArithmetic("*", result.(int), i); err != nil {
				return nil, err
			}
		}
		return result, nil
	}
	return nil, errOverflow
}

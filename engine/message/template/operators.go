package template

import (
	"math"
	"slices"
	"strings"
	"time"
)

var errOverflow = failure("a whole number is too large to compute with")

// unary computes -v and +v.
func unary(_ *evaluator, op string, v any) (result any, err error) {
	defer rescue(&err)
	if d, ok := v.(time.Duration); ok && op == "-" {
		return -d, nil
	}
	n := numeric(v)
	switch {
	case n == nil:
		return nil, fault(op + " needs a number, not " + kind(v))
	case op == "+":
		return n, nil
	}
	return arithmetic("*", n, -1), nil
}

// binary computes + - * / // % ** and ~ of two values that are not missing.
func binary(e *evaluator, op string, a, b any) (result any, err error) {
	defer rescue(&err)
	x, y := numeric(a), numeric(b)
	if x != nil && y != nil && op != "~" {
		return arithmetic(op, x, y), nil
	}
	_, text := isText(a)
	_, bothTexts := isText(b)
	items, list := sequence(a)
	others, _ := sequence(b)
	switch {
	case op == "~":
		return join(e, "", []any{a, b}, e.autoescape && anySafe(a, b)), nil
	case op == "%" && text:
		return percent(e, a, b), nil
	case op == "+" && text && bothTexts:
		return join(e, "", []any{a, b}, anySafe(a, b)), nil
	case op == "+" && list && kindOf(a) == kindOf(b):
		return listLike(e, a, len(items)+len(others), func() []any { return slices.Concat(items, others) }), nil
	case op == "*" && (text || list):
		return repeat(e, a, b), nil
	case op == "*" && x != nil:
		return repeat(e, b, a), nil
	}
	if v := computeTime(op, a, b); v != nil {
		return v, nil
	}
	hint := ""
	switch {
	case kindOf(a) == "date" || kindOf(b) == "date":
		hint = "; |date makes a date of a text, and timedelta(days=1) is added to one"
	case op == "+" && (text || bothTexts):
		hint = "; ~ joins them as texts, |int makes a number of a text"
	case text || bothTexts:
		hint = "; |int makes a number of a text, and |date a date"
	}
	return nil, cannot(op, a, b, hint)
}

func cannot(op string, a, b any, hint string) error {
	return fault(op + " cannot compute with " + kind(a) + " and " + kind(b) + hint)
}

// repeat returns a text or a list as often as a number says.
func repeat(e *evaluator, v, times any) any {
	n, ok := numeric(times).(int)
	s, text := isText(v)
	items, list := sequence(v)
	if !ok || !text && !list {
		try(cannot("*", v, times, ""))
	}
	n = min(max(n, 0), MaxOutput+1) // more is too much of anything
	if text {
		try(e.room(len(s) * n))
		return marked(strings.Repeat(s, n), anySafe(v))
	}
	return listLike(e, v, len(items)*n, func() []any { return slices.Repeat(items, n) })
}

// listLike makes a list or a tuple of n items, as v is one.
func listLike(e *evaluator, v any, n int, items func() []any) any {
	try(e.roomFor(n))
	if _, ok := v.(*List); ok {
		return &List{items()}
	}
	return TupleValue(items())
}

// compare holds for == != < <= > >= in and "not in". Only == and != may meet a missing value.
func compare(e *evaluator, op string, a, b any) (holds bool, err error) {
	defer rescue(&err)
	switch op {
	case "==", "!=":
		return equal(e, a, b) == (op == "=="), nil
	case "in", "not in":
		return contains(e, b, a) == (op == "in"), nil
	}
	c := order(e, a, b)
	return c < 0 && op[0] == '<' || c > 0 && op[0] == '>' || c == 0 && len(op) == 2, nil
}

// contains reports whether where contains what: an item of a list, a key of a map, or a part of a text.
func contains(e *evaluator, where, what any) bool {
	present(what, where)
	if s, ok := isText(where); ok {
		part, ok := isText(what)
		if !ok {
			try(fault("only a text can be in a text, not " + kind(what)))
		}
		try(e.work(len(s) + len(part)))
		return strings.Contains(s, part)
	}
	if d, ok := where.(*Dict); ok {
		return must(d.find(e, what)) >= 0
	}
	items, ok := sequence(where)
	if !ok {
		try(fault("nothing can be in " + kind(where)))
	}
	return slices.ContainsFunc(items, func(item any) bool { return equal(e, item, what) })
}

// arithmetic computes like Python, except that a division without a remainder returns a whole number, so that it
// stays exact. The operands are ints or floats.
func arithmetic(op string, a, b any) any {
	x, y := float(a), float(b)
	if y == 0 && strings.ContainsAny(op, "/%") || x == 0 && y < 0 && op == "**" {
		try(failure("division by zero"))
	}
	result := compute(op, x, y, math.Mod, math.Pow)
	i, ok := a.(int)
	j, both := b.(int)
	switch {
	case !ok || !both || op == "/" && i%j != 0 || op == "**" && j < 0:
		if op == "//" {
			result = math.Round(result)
		}
		return finite(result)
	case max(math.Abs(result), math.Abs(x)+math.Abs(y)) >= 1<<63:
		try(errOverflow)
	}
	return compute(op, i, j, func(i, j int) int { return i % j }, power)
}

// compute takes the remainder with the sign of the divisor, as in Python.
func compute[T int | float64](op string, x, y T, mod, pow func(x, y T) T) T {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "**":
		return pow(x, y)
	}
	rest := mod(x, y)
	if rest != 0 && (rest < 0) != (y < 0) {
		rest += y
	}
	if op == "%" {
		return rest
	}
	return (x - rest) / y
}

// power multiplies i with itself. Of more than 64 times, only -1, 0 and 1 do not overflow.
func power(i, j int) int {
	result := 1
	for range min(j, 64+j%2) {
		result *= i
	}
	return result
}

func finite(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		try(failure("the result is not a number"))
	}
	return x
}

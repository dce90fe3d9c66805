package template

import (
	"math"
	"slices"
	"strings"
	"time"
)

var errOverflow = failure("a whole number is too large to compute with")

// unary computes -v and +v.
func unary(op string, v any) any {
	n := numeric(v)
	d, isSpan := v.(time.Duration)
	switch {
	case isSpan && op == "-":
		return -d
	case n == nil:
		try(fault(op + " needs a number, not " + kind(v)))
	case op == "+":
		return n
	}
	return arithmetic("*", n, -1)
}

// binary computes + - * / // % ** and ~ of two values that are not missing.
func binary(e *evaluator, op string, a, b any) any {
	x, y := numeric(a), numeric(b)
	switch {
	case op == "~":
		return join(e, "", []any{a, b}, e.autoescape && anySafe(a, b))
	case x != nil && y != nil:
		return arithmetic(op, x, y)
	}
	switch kindOf(a) + " " + op + " " + kindOf(b) {
	case "text + text":
		return join(e, "", []any{a, b}, anySafe(a, b))
	case "list + list", "tuple + tuple":
		list, other := a.(*List), b.(*List)
		e.roomFor(len(list.Items) + len(other.Items))
		return &List{Items: slices.Concat(list.Items, other.Items), tuple: list.tuple}
	case "date + timedelta":
		return shift(a.(time.Time), b.(time.Duration))
	case "timedelta + date":
		return shift(b.(time.Time), a.(time.Duration))
	case "date - timedelta":
		return shift(a.(time.Time), -b.(time.Duration))
	case "date - date":
		return between(b.(time.Time), a.(time.Time))
	case "timedelta + timedelta":
		return span(a.(time.Duration).Seconds() + b.(time.Duration).Seconds())
	case "timedelta - timedelta":
		return span(a.(time.Duration).Seconds() - b.(time.Duration).Seconds())
	case "timedelta * number":
		return span(a.(time.Duration).Seconds() * float(y))
	}
	_, text := isText(a)
	switch {
	case op == "%" && text:
		return percent(e, a, b)
	case op == "*" && x != nil:
		return repeat(e, b, a)
	case op == "*":
		return repeat(e, a, b)
	}
	try(mismatch(op, a, b))
	return nil
}

// mismatch is the fault of two values that an operator cannot compute with, or that have no order if op is "".
func mismatch(op string, a, b any) error {
	hint, kinds := "", kindOf(a)+" "+kindOf(b)
	switch {
	case strings.Contains(kinds, "date"):
		hint = "; |date makes a date of a text, and timedelta(days=1) is added to one"
	case strings.Contains(kinds, "text") && op == "+":
		hint = "; ~ joins them as texts, |int makes a number of a text"
	case strings.Contains(kinds, "text"):
		hint = "; |int or |float makes a number of a text, and |date a date"
	}
	if op == "" {
		return fault(kind(a) + " and " + kind(b) + " cannot be compared" + hint)
	}
	return fault(op + " cannot compute with " + kind(a) + " and " + kind(b) + hint)
}

// repeat returns a text or a list as often as a number says.
func repeat(e *evaluator, v, times any) any {
	n, ok := numeric(times).(int)
	n = min(max(n, 0), MaxOutput+1) // more is too much of anything
	s, text := isText(v)
	list, isList := v.(*List)
	switch {
	case ok && text:
		e.room(len(s) * n)
		return marked(strings.Repeat(s, n), anySafe(v))
	case ok && isList:
		e.roomFor(len(list.Items) * n)
		return &List{Items: slices.Repeat(list.Items, n), tuple: list.tuple}
	}
	try(mismatch("*", v, times))
	return nil
}

// compare holds for == != < <= > >= in and "not in". Only == and != may meet a missing value.
func compare(e *evaluator, op string, a, b any) bool {
	switch op {
	case "==", "!=":
		return equal(e, a, b) == (op == "==")
	case "in", "not in":
		return contains(e, b, a) == (op == "in")
	}
	c := order(e, a, b)
	return c < 0 && op[0] == '<' || c > 0 && op[0] == '>' || c == 0 && len(op) == 2
}

// contains reports whether where contains what: an item of a list, a key of a map, or a part of a text.
func contains(e *evaluator, where, what any) bool {
	present(what, where)
	switch where := where.(type) {
	case string, Safe:
		s, _ := isText(where)
		part, ok := isText(what)
		if !ok {
			try(fault("only a text can be in a text, not " + kind(what)))
		}
		e.work(len(s) + len(part))
		return strings.Contains(s, part)
	case *Dict:
		_, ok := where.get(what)
		return ok
	case *List:
		return slices.ContainsFunc(where.Items, func(item any) bool { return equal(e, item, what) })
	}
	try(fault("nothing can be in " + kind(where)))
	return false
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

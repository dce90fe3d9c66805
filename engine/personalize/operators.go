package personalize

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

var (
	errTooLarge = fmt.Errorf("a value in this expression is larger than %d KiB", MaxOutput>>10)
	errZero     = errors.New("division by zero")
)

func (f *frame) binary(n *nodes.BinaryExpression) (any, error) {
	left, err := f.eval(n.Left)
	if err != nil {
		return nil, err
	}
	// and, or give one of their operands, and skip the second where they can:
	// {{ user.nickname or user.first_name }}.
	switch n.Operator.Token.Type {
	case tokens.And:
		if !truth(left) {
			return left, nil
		}
		return f.eval(n.Right)
	case tokens.Or:
		if truth(left) {
			return left, nil
		}
		return f.eval(n.Right)
	}
	right, err := f.eval(n.Right)
	if err != nil {
		return nil, err
	}
	if err := f.spendOn(left, right); err != nil {
		return nil, err
	}
	if v, ok := compare(n.Operator.Token.Type, left, right); ok {
		return v, nil
	}
	for _, v := range []any{left, right} {
		if hole, ok := v.(*missing); ok {
			return hole, nil
		}
	}
	v, err := f.combine(n.Operator.Token, left, right)
	if err != nil {
		return nil, err
	}
	return f.bounded(v)
}

// compare serves the operators that answer yes or no. What is missing equals
// only what is missing too, and is neither more nor less than anything.
func compare(op tokens.Type, left, right any) (result, ok bool) {
	left, right = plain(left), plain(right)
	switch op {
	case tokens.Equals:
		return equal(left, right), true
	case tokens.Ne:
		return !equal(left, right), true
	case tokens.LowerThan, tokens.LowerThanOrEqual, tokens.GreaterThan, tokens.GreaterThanOrEqual:
	default:
		return false, false
	}
	if absent(left) || absent(right) {
		return false, true
	}
	var order int
	a, aNumber := number(left)
	b, bNumber := number(right)
	if aNumber && bNumber {
		switch {
		case a < b:
			order = -1
		case a > b:
			order = 1
		}
	} else {
		order = strings.Compare(text(left), text(right))
	}
	switch op {
	case tokens.LowerThan:
		return order < 0, true
	case tokens.LowerThanOrEqual:
		return order <= 0, true
	case tokens.GreaterThan:
		return order > 0, true
	}
	return order >= 0, true
}

func absent(v any) bool {
	_, hole := v.(*missing)
	return hole || v == nil
}

// equal compares plain values.
func equal(a, b any) bool {
	if absent(a) || absent(b) {
		return absent(a) && absent(b)
	}
	switch a := a.(type) {
	case int, float64:
		switch b.(type) {
		case int, float64:
			x, _ := number(a)
			y, _ := number(b)
			return x == y
		}
		return false
	case []any:
		other, ok := b.([]any)
		return ok && slices.EqualFunc(a, other, func(x, y any) bool { return equal(x, y) })
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok || len(a) != len(other) {
			return false
		}
		for key, item := range a {
			if twin, ok := other[key]; !ok || !equal(item, twin) {
				return false
			}
		}
		return true
	case string:
		other, ok := b.(string)
		return ok && a == other
	case bool:
		other, ok := b.(bool)
		return ok && a == other
	}
	return false
}

// number reads v as one. Texts count when they spell one, since attributes
// often come as text.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case string:
		x, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	return 0, false
}

func (f *frame) combine(op *tokens.Token, left, right any) (any, error) {
	if op.Type == tokens.Tilde {
		return join(text(left), text(right))
	}
	left, right = plain(left), plain(right)
	switch op.Type {
	case tokens.Addition:
		if a, ok := left.([]any); ok {
			if b, ok := right.([]any); ok {
				return slices.Concat(a, b), nil
			}
		}
		_, leftText := left.(string)
		_, rightText := right.(string)
		if leftText || rightText {
			return join(text(left), text(right))
		}
	case tokens.Multiply:
		if s, ok := left.(string); ok {
			if n, ok := right.(int); ok {
				return repeat(s, n)
			}
		}
		if s, ok := right.(string); ok {
			if n, ok := left.(int); ok {
				return repeat(s, n)
			}
		}
	}
	return arithmetic(op, left, right)
}

func join(a, b string) (any, error) {
	if len(a)+len(b) > MaxOutput {
		return nil, errTooLarge
	}
	return a + b, nil
}

func repeat(s string, n int) (any, error) {
	if n > MaxOutput || n > 0 && len(s) > MaxOutput/n {
		return nil, errTooLarge
	}
	return strings.Repeat(s, max(n, 0)), nil
}

func arithmetic(op *tokens.Token, left, right any) (any, error) {
	a, aOK := number(left)
	b, bOK := number(right)
	if !aOK || !bOK {
		return nil, fmt.Errorf("%s cannot be computed with a value that is no number", strings.TrimSpace(op.Val))
	}
	i, leftWhole := left.(int)
	j, rightWhole := right.(int)
	whole := leftWhole && rightWhole
	var x float64
	switch op.Type {
	case tokens.Addition:
		x = a + b
		i += j
	case tokens.Subtraction:
		x = a - b
		i -= j
	case tokens.Multiply:
		x = a * b
		i *= j
	case tokens.Power:
		x = math.Pow(a, b)
		whole = false
	case tokens.Division, tokens.FloorDivision, tokens.Modulo:
		if b == 0 {
			return nil, errZero
		}
		whole = false
		switch op.Type {
		case tokens.Division:
			x = a / b
		case tokens.FloorDivision:
			x = math.Floor(a / b)
		default:
			x = a - b*math.Floor(a/b)
		}
	default:
		return nil, fmt.Errorf("the operator %s is not known", shorten(op.Val))
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, errors.New("the result is not a number")
	}
	// Beyond 2^53 the whole numbers wrap around or the floats lose digits.
	if whole && math.Abs(x) < 1<<53 {
		return i, nil
	}
	return value(x), nil
}

func (f *frame) unary(n *nodes.UnaryExpression) (any, error) {
	v, err := f.eval(n.Term)
	if err != nil || !n.Negative {
		return v, err
	}
	switch v := plain(v).(type) {
	case *missing:
		return v, nil
	case int:
		return -v, nil
	case float64:
		return -v, nil
	}
	return nil, errors.New("- stands before a value that is no number")
}

func (f *frame) test(n *nodes.TestExpression) (any, error) {
	v, err := f.eval(n.Expression)
	if err != nil {
		return nil, err
	}
	args, hole, err := f.all(n.Test.Args)
	if err != nil {
		return nil, err
	}
	if err := f.spendOn(append(args, v)...); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(n.Test.Name)
	switch name {
	case "defined":
		return !absent(v), nil
	case "undefined", "none":
		return absent(v), nil
	case "ne", "!=":
		return len(args) == 1 && !equal(plain(v), plain(args[0])), nil
	case "eq", "equalto", "==":
		return len(args) == 1 && equal(plain(v), plain(args[0])), nil
	}
	if absent(v) || hole != nil {
		return false, nil
	}
	if name == "in" {
		if len(args) != 1 {
			return nil, errors.New("a list or a text is expected after in")
		}
		return contains(plain(args[0]), plain(v)), nil
	}
	params := &exec.VarArgs{KwArgs: map[string]*exec.Value{}}
	for _, arg := range args {
		params.Args = append(params.Args, exec.AsValue(plain(arg)))
	}
	result := gonja.ExecuteTestByName(name, exec.AsValue(plain(v)), params)
	if result.IsError() {
		return nil, errors.New(result.Error())
	}
	return result.Bool(), nil
}

func contains(where, what any) bool {
	switch where := where.(type) {
	case string:
		return strings.Contains(where, text(what))
	case []any:
		return slices.ContainsFunc(where, func(item any) bool { return equal(item, what) })
	case map[string]any:
		_, ok := where[text(what)]
		return ok
	}
	return false
}

// printable is v as the text that a message shows, or *missing.
func (f *frame) printable(v any) (any, error) {
	switch v := value(v).(type) {
	case *missing:
		return v, nil
	case nil:
		return &missing{pos: f.at, reason: "it has no value"}, nil
	case root:
		return &missing{pos: f.at, reason: "the name to look up is missing, as in " + string(v) + "['name']"}, nil
	case callable:
		return &missing{pos: f.at, reason: v.name + " is called with parentheses"}, nil
	case []any, map[string]any:
		if size(v) > MaxOutput {
			return nil, errTooLarge
		}
		if err := f.work(writtenOut * effort(v)); err != nil {
			return nil, err
		}
		return text(v), nil
	default:
		return text(v), nil
	}
}

// writtenOut is how many steps it takes to write an item of a list.
const writtenOut = 8

// text is v as Jinja prints it; numbers that came in keep their spelling.
func text(v any) string {
	switch v := value(v).(type) {
	case nil, *missing:
		return ""
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case numeral:
		return v.String()
	default:
		return exec.AsValue(plain(v)).String()
	}
}

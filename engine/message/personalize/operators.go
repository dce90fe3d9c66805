package personalize

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

var errTooLarge = fmt.Errorf("a value in this expression is larger than %d KiB", MaxOutput>>10)

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
		if truth(left) || failedValue(left) != nil {
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
	for _, v := range []any{left, right} {
		if hole := failedValue(v); hole != nil {
			return hole, nil
		}
	}
	if _, ok := orders[n.Operator.Token.Type]; ok {
		return compare(n.Operator.Token.Type, plain(left), plain(right))
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

// orders maps comparison operators to the orders for which they are true.
var orders = map[tokens.Type][]int{
	tokens.Equals: {0}, tokens.Ne: {-1, 1}, tokens.LowerThan: {-1}, tokens.LowerThanOrEqual: {-1, 0},
	tokens.GreaterThan: {1}, tokens.GreaterThanOrEqual: {0, 1},
}

// compare implements the comparison operators. A missing value equals only another missing value, and is
// neither less nor greater than anything.
func compare(op tokens.Type, left, right any) (bool, error) {
	switch {
	case op == tokens.Equals || op == tokens.Ne:
		return equal(left, right) == (op == tokens.Equals), nil
	case absent(left) || absent(right):
		return false, nil
	}
	c, err := order(left, right)
	return slices.Contains(orders[op], max(-1, min(c, 1))), err
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
	if i, ok := a.(int); ok {
		if j, ok := b.(int); ok {
			return i == j
		}
	}
	if isNumber(a) && isNumber(b) {
		x, _ := number(a)
		y, _ := number(b)
		return x.cmp(y) == 0
	}
	switch a := a.(type) {
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
	}
	return false
}

func (f *frame) combine(op *tokens.Token, left, right any) (any, error) {
	if left == nil || right == nil { // such as an item of a list
		return nil, failf("%s cannot be computed with a value that is missing", strings.TrimSpace(op.Val))
	}
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
		a, leftText := left.(string)
		b, rightText := right.(string)
		switch {
		case leftText && rightText:
			return join(a, b)
		case leftText || rightText:
			return nil, failf("+ cannot join %s and %s: write ~ to join them as texts", kind(left), kind(right))
		}
	case tokens.Multiply:
		for _, pair := range [][2]any{{left, right}, {right, left}} {
			if s, ok := pair[0].(string); ok {
				if n, ok := integer(pair[1]); ok {
					return repeat(s, n)
				}
			}
		}
	}
	if v, ok := small(op.Type, left, right); ok {
		return v, nil
	}
	a, aOK := number(left)
	b, bOK := number(right)
	switch {
	case !aOK || !bOK:
		return nil, failf("%s needs numbers on both sides", strings.TrimSpace(op.Val))
	case !slices.Contains(computing, op.Type):
		return nil, fmt.Errorf("unknown operator %s", shorten(op.Val))
	}
	return arithmetic(op.Type, a, b)
}

var computing = []tokens.Type{
	tokens.Addition, tokens.Subtraction, tokens.Multiply, tokens.Power, tokens.Division, tokens.FloorDivision, tokens.Modulo,
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

func (f *frame) unary(n *nodes.UnaryExpression) (any, error) {
	v, err := f.eval(n.Term)
	if err != nil {
		return v, err
	}
	if hole, ok := v.(*missing); ok {
		return hole, nil
	}
	a, ok := number(plain(v))
	switch {
	case !ok:
		return nil, failf("%s is followed by a value that is not a number", n.Operator.Val)
	case !n.Negative:
		return a.value(), nil
	case a.whole != nil:
		return wholeValue(new(big.Int).Neg(a.whole)), nil
	}
	return -a.float, nil
}

// printable returns v as text for the message, or *missing.
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
		if err := f.work(writeSteps * stepsFor(v)); err != nil {
			return nil, err
		}
		return text(v), nil
	default:
		return text(v), nil
	}
}

// writeSteps is the number of steps for writing an item of a list.
const writeSteps = 8

package personalize

import (
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/tokens"

	"bugle/engine/phrase"
)

// tests are the tests of Jinja with the number of their arguments.
var tests = map[string]int{
	"boolean": 0, "defined": 0, "divisibleby": 1, "even": 0, "false": 0, "float": 0, "in": 1, "integer": 0, "iterable": 0,
	"lower": 0, "mapping": 0, "none": 0, "number": 0, "odd": 0, "sequence": 0, "string": 0, "true": 0, "undefined": 0, "upper": 0,
	"==": 1, "eq": 1, "equalto": 1, "!=": 1, "ne": 1, "<": 1, "lt": 1, "lessthan": 1, "<=": 1, "le": 1, ">": 1, "gt": 1, "greaterthan": 1, ">=": 1, "ge": 1,
}

// comparisons maps the comparison tests to operators.
var comparisons = map[string]tokens.Type{
	"==": tokens.Equals, "eq": tokens.Equals, "equalto": tokens.Equals, "!=": tokens.Ne, "ne": tokens.Ne,
	"<": tokens.LowerThan, "lt": tokens.LowerThan, "lessthan": tokens.LowerThan, "<=": tokens.LowerThanOrEqual, "le": tokens.LowerThanOrEqual,
	">": tokens.GreaterThan, "gt": tokens.GreaterThan, "greaterthan": tokens.GreaterThan, ">=": tokens.GreaterThanOrEqual, "ge": tokens.GreaterThanOrEqual,
}

func knownTest(name string) bool {
	_, ok := tests[strings.TrimSpace(name)]
	return ok
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
	name := strings.TrimSpace(n.Test.Name)
	if name != "defined" && name != "undefined" {
		for _, v := range append(args, v) {
			if failedValue(v) != nil {
				return v, nil
			}
		}
	}
	if hole != nil && name == "in" {
		return false, nil
	}
	if len(n.Test.Kwargs) > 0 {
		return nil, failf("the test %s takes its argument without a name", name)
	}
	if err := f.spendOn(append(args, v)...); err != nil {
		return nil, err
	}
	return f.is(name, v, args)
}

// is reports whether a test holds for v. A missing value is undefined and none, and equals only missing
// values.
func (f *frame) is(name string, v any, args []any) (bool, error) {
	takes, ok := tests[name]
	switch {
	case !ok:
		return false, failf("there is no test %q", shorten(name))
	case takes != len(args):
		return false, failf("the test %s takes %s", name, phrase.Count(takes, "argument"))
	}
	v = plain(v)
	switch name {
	case "defined":
		return !absent(v), nil
	case "undefined", "none":
		return absent(v), nil
	}
	if op, ok := comparisons[name]; ok {
		return compare(op, v, plain(args[0]))
	}
	if absent(v) {
		return false, nil
	}
	switch name {
	case "boolean":
		_, ok := v.(bool)
		return ok, nil
	case "true":
		return v == true, nil
	case "false":
		return v == false, nil
	case "number":
		return isNumber(v), nil
	case "integer":
		switch v.(type) {
		case int, *big.Int:
			return true, nil
		}
		return false, nil
	case "float":
		_, ok := v.(float64)
		return ok, nil
	case "string":
		_, ok := v.(string)
		return ok, nil
	case "mapping":
		_, ok := v.(map[string]any)
		return ok, nil
	case "iterable", "sequence":
		switch v.(type) {
		case string, []any, map[string]any:
			return true, nil
		}
		return false, nil
	case "lower":
		return cased(text(v), unicode.IsLower, unicode.IsUpper), nil
	case "upper":
		return cased(text(v), unicode.IsUpper, unicode.IsLower), nil
	case "even":
		return divides(name, v, 2, 0)
	case "odd":
		return divides(name, v, 2, 1)
	case "divisibleby":
		return divides(name, v, plain(args[0]), 0)
	}
	return contains(plain(args[0]), v)
}

// cased reports whether s has letters for which are is true, and none for which not is.
func cased(s string, are, not func(rune) bool) bool {
	return strings.ContainsFunc(s, are) && !strings.ContainsFunc(s, func(r rune) bool { return not(r) || unicode.IsTitle(r) })
}

// divides reports whether the remainder of v divided by n is rest.
func divides(name string, v, n any, rest int64) (bool, error) {
	a, aOK := number(v)
	b, bOK := number(n)
	if !aOK || !bOK {
		return false, failf("the test %s takes numbers, not %s", name, kind(map[bool]any{true: n, false: v}[aOK]))
	}
	left, err := arithmetic(tokens.Modulo, a, b)
	if err != nil {
		return false, err
	}
	x, _ := number(left)
	return x.cmp(amount{whole: big.NewInt(rest)}) == 0, nil
}

// contains reports whether where contains what: an item of a list, a key of a map, or a part of a text.
func contains(where, what any) (bool, error) {
	switch where := where.(type) {
	case string:
		part, ok := what.(string)
		if !ok {
			return false, failf("only a text can be searched for in a text, not %s", kind(what))
		}
		return strings.Contains(where, part), nil
	case []any:
		return slices.ContainsFunc(where, func(item any) bool { return equal(item, what) }), nil
	case map[string]any:
		_, ok := where[text(what)]
		return ok, nil
	case nil, *missing:
		return false, nil
	}
	return false, failf("%s cannot be searched", kind(where))
}

// failedValue returns v if it is the missing value of a failed expression.
func failedValue(v any) *missing {
	if hole, ok := v.(*missing); ok && hole.failed {
		return hole
	}
	return nil
}

// TestNames returns the names of all tests, sorted.
func TestNames() []string { return sortedKeys(tests) }

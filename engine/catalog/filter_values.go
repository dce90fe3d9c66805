package catalog

import (
	"cmp"
	"slices"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// What a filter compares with is not typed by the contract. The rules here refuse what no reading of its
// operators allows, and take every spelling that one does: a number may stand in quotes, a list of one
// value may be that value, and between takes a list of two or value and value1.

var valueFits = schema.Named{
	ID: "fits", Text: "the value must fit the data type and the operator",
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Empty() && p.Value.Kind() != doc.Null {
			return nil // reported by the required rule
		}
		want, ok := fitting(p)
		if !ok {
			return nil
		}
		if want.ok(p.Value, p.Object.Get("value1")) {
			return nil
		}
		operator := p.Object.Get("operator").Text()
		return []schema.Finding{{
			Message:     "must be " + want.words + ", because the operator is " + operator,
			FormMessage: "must be " + cmp.Or(want.form, want.words) + ", because the comparison is \"" + operatorLabels[operator].label + "\"",
		}}
	},
}

var secondValueFits = schema.Named{
	ID: "fits", Text: "the second value must fit the data type",
	Check: func(p schema.Place) []schema.Finding {
		scalar := scalars[p.Object.Get("data_type").Text()]
		if scalar.ok == nil || p.Object.Get("operator").Text() != "between" || free(p) || scalar.ok(p.Value) {
			return nil
		}
		return []schema.Finding{{Message: "must be " + scalar.words}}
	},
}

// Operand is the kind of value that an operator takes.
type Operand uint8

// The operands.
const (
	NoOperand  Operand = iota // no value
	OneValue                  // one value of the data type
	SomeValues                // one or more values of the data type
	TwoValues                 // the two ends of a range
	Days                      // a whole number of days
)

// OperandOf returns the operand of a data type's operator, or false if either is unknown.
func OperandOf(dataType, operator string) (Operand, bool) {
	if !slices.Contains(Operators(dataType), operator) {
		return NoOperand, false
	}
	switch operator {
	case "exists", "today":
		return NoOperand, true
	case "between":
		return TwoValues, true
	case "inTheLast", "inTheNext":
		return Days, true
	case "in", "is", "contains", "containsInTheFollowing", "startWithInTheFollowing", "endsWithInTheFollowing":
		if dataType != "bool" {
			return SomeValues, true
		}
	}
	return OneValue, true
}

// FilterValue returns a description of the values that an attribute filter accepts, to follow "must be", and
// whether its value is one. An expression is accepted by every operator.
func FilterValue(filter doc.Value) (words string, ok bool) {
	p := schema.Place{Value: filter.Get("value"), Object: filter}
	want, stated := fitting(p)
	if !stated {
		return "", true
	}
	if !want.ok(p.Value, filter.Get("value1")) {
		return want.words, false
	}
	p.Value = filter.Get("value1")
	if p.Value.Exists() && len(secondValueFits.Check(p)) > 0 {
		return want.words, false
	}
	return want.words, true
}

// ExpressionValue reports whether the value in an attribute filter is a personalization expression, whose
// result only the send knows (CONTRACT.md, Audience).
func ExpressionValue(filter, value doc.Value) bool {
	return free(schema.Place{Object: filter, Value: value})
}

type fit struct {
	words, form string // form is for a form; empty if that are the same words
	ok          func(value, second doc.Value) bool
}

// fitting returns the values that the filter of p accepts, or false if its data type and operator do not
// determine that.
func fitting(p schema.Place) (fit, bool) {
	dataType, op := p.Object.Get("data_type").Text(), p.Object.Get("operator").Text()
	scalar := scalars[dataType]
	operand, known := OperandOf(dataType, op)
	if !known || free(p) {
		return fit{}, false
	}
	switch operand {
	case OneValue:
		return fit{words: scalar.words, ok: func(v, _ doc.Value) bool { return scalar.ok(v) }}, true
	case SomeValues:
		return fit{words: scalar.words + ", or a list of them", ok: func(v, _ doc.Value) bool {
			if v.Kind() == doc.Array {
				return each(v, scalar.ok)
			}
			return scalar.ok(v)
		}}, true
	case TwoValues:
		return fit{
			words: "two values, in a list or with the second one in value1; each must be " + scalar.words,
			form:  "two values, each of which is " + scalar.words,
			ok: func(v, second doc.Value) bool {
				if v.Kind() == doc.Array {
					return v.Len() == 2 && each(v, scalar.ok)
				}
				return scalar.ok(v) && second.Exists()
			},
		}, true
	case Days:
		return fit{words: "a whole number of days", ok: func(v, _ doc.Value) bool { return isCount(v) }}, true
	}
	return fit{}, false
}

// free reports whether only the send knows the value.
func free(p schema.Place) bool {
	return p.Object.Get("is_dynamic_value").True() && p.Value.Kind() == doc.String ||
		schema.HasExpression(p.Value.Text())
}

func each(list doc.Value, ok func(doc.Value) bool) bool {
	for _, e := range list.Elems() {
		if !ok(e) {
			return false
		}
	}
	return true
}

// scalars describe a single value of each data type.
var scalars = map[string]struct {
	words string
	ok    func(doc.Value) bool
}{
	"bool": {"true or false", func(v doc.Value) bool {
		return v.Kind() == doc.Bool || v.Text() == "true" || v.Text() == "false"
	}},
	"double": {"a number", func(v doc.Value) bool {
		return v.Kind() == doc.Number || schema.Decimal.Matches(v.Text())
	}},
	"string":   {"text", func(v doc.Value) bool { return v.Kind() == doc.String }},
	"datetime": {"a date, such as 2026-12-01, or a date and time", func(v doc.Value) bool { return isDate(v.Text()) }},
}

func isCount(v doc.Value) bool {
	if n, ok := v.Int(); ok {
		return n >= 0
	}
	return schema.Digits.Matches(v.Text())
}

// isDate accepts an ISO 8601 date, or date and time.
func isDate(s string) bool {
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return true
	}
	return schema.DateTime.Matches(s)
}

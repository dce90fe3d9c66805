package catalog

import (
	"slices"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// What a filter compares with is not typed by spec.md. The rules here refuse what no reading of its
// operators allows, and take every spelling that one does: a number may stand in quotes, a list of one
// value may be that value, and between takes a list of two or value and value1.

var valueFits = schema.Named{
	ID: "fits", Says: "the value suits the data type and the operator",
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Empty() && p.Value.Kind() != doc.Null {
			return nil // required says so
		}
		want, ok := fitting(p)
		if !ok {
			return nil
		}
		if want.ok(p.Value, p.Object.Get("value1")) {
			return nil
		}
		return []schema.Finding{{Message: "must be " + want.words + ", because the operator is " + p.Object.Get("operator").Text()}}
	},
}

var secondFits = schema.Named{
	ID: "fits", Says: "the second value has the data type",
	Check: func(p schema.Place) []schema.Finding {
		scalar := scalars[p.Object.Get("data_type").Text()]
		if scalar.ok == nil || p.Object.Get("operator").Text() != "between" || free(p) || scalar.ok(p.Value) {
			return nil
		}
		return []schema.Finding{{Message: "must be " + scalar.words}}
	},
}

type fit struct {
	words string
	ok    func(value, second doc.Value) bool
}

// fitting gives what suits the filter that p is in; false where its data type and operator do not say.
func fitting(p schema.Place) (fit, bool) {
	dataType, op := p.Object.Get("data_type").Text(), p.Object.Get("operator").Text()
	scalar := scalars[dataType]
	if scalar.ok == nil || !slices.Contains(Operators(dataType), op) || free(p) {
		return fit{}, false
	}
	switch op {
	case "exists", "today":
		return fit{}, false
	case "between":
		return fit{
			"two values, as a list of two or with the second as value1; each is " + scalar.words,
			func(v, second doc.Value) bool {
				if v.Kind() == doc.Array {
					return v.Len() == 2 && each(v, scalar.ok)
				}
				return scalar.ok(v) && second.Exists()
			},
		}, true
	case "inTheLast", "inTheNext":
		return fit{"a whole number of days", func(v, _ doc.Value) bool { return isCount(v) }}, true
	case "lessThan", "greaterThan", "on", "before", "after":
		return fit{scalar.words, func(v, _ doc.Value) bool { return scalar.ok(v) }}, true
	}
	if dataType == "bool" {
		return fit{scalar.words, func(v, _ doc.Value) bool { return scalar.ok(v) }}, true
	}
	return fit{scalar.words + ", or a list of such", func(v, _ doc.Value) bool {
		if v.Kind() == doc.Array {
			return each(v, scalar.ok)
		}
		return scalar.ok(v)
	}}, true
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

// scalars say what one value of a data type looks like.
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
	"string":   {"a text", func(v doc.Value) bool { return v.Kind() == doc.String }},
	"datetime": {"a date, such as 2026-12-01, or a date and time", func(v doc.Value) bool { return isDate(v.Text()) }},
}

func isCount(v doc.Value) bool {
	if n, ok := v.Int(); ok {
		return n >= 0
	}
	return schema.Digits.Matches(v.Text())
}

// isDate takes an ISO 8601 date, or date and time.
func isDate(s string) bool {
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return true
	}
	return schema.DateTime.Matches(s)
}

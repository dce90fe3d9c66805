package personalize

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
)

// filterNames are gonja's filters that a message can want. Not among them are
// those that reach into Go values (attr), print for debugging (pprint), or
// write markup of their own (urlize, xmlattr).
var filterNames = []string{
	"abs", "batch", "capitalize", "center", "count", "d", "default", "dictsort", "e", "escape", "filesizeformat",
	"first", "float", "forceescape", "format", "indent", "int", "items", "join", "last", "length", "list", "lower",
	"map", "max", "min", "random", "reject", "rejectattr", "replace", "reverse", "round", "safe", "select",
	"selectattr", "slice", "sort", "string", "striptags", "sum", "title", "tojson", "trim", "truncate", "unique",
	"upper", "urlencode", "wordcount", "wordwrap",
}

// FilterNames gives the filters that templates can use, sorted.
func FilterNames() []string { return slices.Clone(filterNames) }

var testNames = []string{
	"!=", "<", "<=", "==", ">", ">=", "boolean", "defined", "divisibleby", "eq", "equalto", "even", "false", "float",
	"ge", "greaterthan", "gt", "in", "integer", "iterable", "le", "lessthan", "lower", "lt", "mapping", "ne", "none",
	"number", "odd", "sequence", "string", "true", "undefined", "upper",
}

var (
	filterSet = guardedFilters()
	// gonja runs filters and tests; it never sees the data as a whole. It is
	// shared by all renders: nothing writes to it.
	gonja = &exec.Evaluator{
		Config: config.New(),
		Environment: &exec.Environment{
			Filters: filterSet,
			Tests:   builtins.Tests,
			Context: exec.EmptyContext(),
		},
	}
)

func knownTest(name string) bool { return slices.Contains(testNames, strings.TrimSpace(name)) }

func isDefault(name string) bool { return name == "default" || name == "d" }

// guardedFilters wraps every filter, so that also those called by other
// filters, as in map('replace', …), stay within the limits.
func guardedFilters() *exec.FilterSet {
	set := map[string]exec.FilterFunction{}
	for _, name := range filterNames {
		filter, ok := builtins.Filters.Get(name)
		if !ok {
			continue
		}
		set[name] = func(e *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
			if err := affordable(name, in, params); err != nil {
				return exec.AsValue(err)
			}
			return filter(e, in, params)
		}
	}
	return exec.NewFilterSet(set)
}

// affordable refuses a call whose result would be too large, before it is made.
func affordable(name string, in *exec.Value, params *exec.VarArgs) error {
	args := slices.Clone(params.Args)
	for _, key := range sortedKeys(params.KwArgs) {
		args = append(args, params.KwArgs[key])
	}
	grows, ok := growth[name]
	if !ok {
		grows = func(string, []*exec.Value) int { return 0 }
	}
	total := size(in.Interface())
	for _, arg := range args {
		total += size(arg.Interface())
	}
	if total > MaxOutput {
		return errTooLarge
	}
	s := ""
	if in.IsString() {
		s = in.String()
		if len(s) > MaxItems && slices.Contains(perItem, name) {
			return errors.New("the text is too long for it")
		}
	} else if in.IsList() {
		s = strings.Repeat("\n", min(in.Len(), MaxItems)) // stands for the seams between items
	}
	switch extra := grows(s, args); {
	case extra < 0:
		return errors.New("its arguments are not available here")
	case extra > MaxOutput-total:
		return errTooLarge
	}
	return nil
}

// perItem are the filters that take a text apart into its characters.
var perItem = []string{"batch", "dictsort", "join", "list", "map", "max", "min", "reject", "rejectattr", "reverse", "select", "selectattr", "slice", "sort", "sum", "unique"}

// growth says by how many bytes the result can outgrow the input; negative
// refuses the call. Filters not listed grow by a small factor at most.
var growth = map[string]func(in string, args []*exec.Value) int{
	"batch":    func(_ string, args []*exec.Value) int { return padding(args) },
	"slice":    func(_ string, args []*exec.Value) int { return padding(args) },
	"center":   func(_ string, args []*exec.Value) int { return largest(args) },
	"indent":   func(in string, args []*exec.Value) int { return times(strings.Count(in, "\n")+1, longest(args)) },
	"join":     func(in string, args []*exec.Value) int { return times(len(in), longest(args)) },
	"replace":  replacement,
	"format":   formatting,
	"wordwrap": func(_ string, args []*exec.Value) int { return 1000 - max(largest(args), 0) },
	"tojson":   func(_ string, args []*exec.Value) int { return 8 - largest(args) },
	"round":    func(_ string, args []*exec.Value) int { return 100 - largest(args) },
}

func times(a, b int) int {
	if a > 0 && b > MaxOutput/a {
		return MaxOutput + 1
	}
	return a * b
}

func largest(args []*exec.Value) int {
	n := 0
	for _, arg := range args {
		if arg.IsInteger() {
			n = max(n, arg.Integer())
		}
	}
	return n
}

func longest(args []*exec.Value) int {
	n := largest(args)
	for _, arg := range args {
		if arg.IsString() {
			n = max(n, len(arg.String()))
		}
	}
	return n
}

func padding(args []*exec.Value) int {
	n := largest(args)
	if n < 1 {
		return -1
	}
	return times(n, 32+longest(args[1:]))
}

func replacement(in string, args []*exec.Value) int {
	if len(args) < 2 || !args[0].IsString() || !args[1].IsString() {
		return times(len(in)+1, longest(args)) // named, in whatever order
	}
	return times(strings.Count(in, args[0].String()), len(args[1].String()))
}

// wideVerb are Go's formatting verbs that can print more than they are given.
var wideVerb = regexp.MustCompile(`%[^a-zA-Z%]*([0-9]{4}|[*\[])`)

func formatting(in string, _ []*exec.Value) int {
	if wideVerb.MatchString(in) {
		return -1
	}
	return 1000 * strings.Count(in, "%")
}

func (f *frame) filtered(n *nodes.FilteredExpression) (any, error) {
	v, err := f.eval(n.Expression)
	for _, call := range n.Filters {
		if err != nil {
			return nil, err
		}
		v, err = f.filter(call, v)
	}
	return v, err
}

// filter applies one. default is the only one that sees what is missing.
func (f *frame) filter(call *nodes.FilterCall, v any) (any, error) {
	if hole, ok := v.(*missing); ok && !isDefault(call.Name) {
		return hole, nil
	}
	args, hole, err := f.all(call.Args)
	if err != nil {
		return nil, err
	}
	named, namedHole, err := f.named(call.Kwargs)
	if err != nil {
		return nil, err
	}
	if isDefault(call.Name) {
		return orDefault(v, args, named)
	}
	if hole == nil {
		hole = namedHole
	}
	if hole != nil {
		return hole, nil
	}
	if call.Name == "items" {
		pairs, err := items(v, true)
		if err != nil {
			return nil, err
		}
		return f.bounded(pairs)
	}
	return f.apply(call.Name, v, args, named)
}

func (f *frame) apply(name string, v any, args []any, named map[string]any) (any, error) {
	if err := f.afford(name, v, args, named); err != nil {
		return nil, err
	}
	params := &exec.VarArgs{KwArgs: map[string]*exec.Value{}}
	for _, arg := range args {
		params.Args = append(params.Args, exec.AsValue(plain(arg)))
	}
	for key, arg := range named {
		params.KwArgs[key] = exec.AsValue(plain(arg))
	}
	result := gonja.ExecuteFilterByName(name, exec.AsValue(plain(v)), params)
	if result.IsError() {
		return nil, filterError(name, errors.New(result.Error()))
	}
	made, err := simple(result)
	if err != nil {
		return nil, filterError(name, err)
	}
	return f.bounded(made)
}

// dearFilters call another filter or a test for each item.
var dearFilters = []string{"map", "reject", "rejectattr", "select", "selectattr"}

// afford counts the work of a filter.
func (f *frame) afford(name string, v any, args []any, named map[string]any) error {
	if err := f.spendOn(args...); err != nil {
		return err
	}
	for _, arg := range named {
		if err := f.spendOn(arg); err != nil {
			return err
		}
	}
	steps := effort(v)
	if slices.Contains(dearFilters, name) {
		steps *= 32
	}
	return f.work(steps)
}

var invalidCall = regexp.MustCompile(`invalid call to filter '\w+': `)

func filterError(name string, err error) error {
	// gonja calls every error an invalid call: its type for those is an
	// interface that all errors satisfy.
	message := invalidCall.ReplaceAllString(err.Error(), "")
	return fmt.Errorf("filter %s: %s", name, shorten(message))
}

// simple is a filter's result in the kinds that evaluation knows.
// Filters that call others leave their errors among the items.
func simple(v *exec.Value) (any, error) {
	if pairs, ok := v.Interface().([]*exec.Pair); ok {
		list := make([]any, len(pairs))
		for i, p := range pairs {
			list[i] = []any{p.Key.ToGoSimpleType(false), p.Value.ToGoSimpleType(false)}
		}
		return list, nil
	}
	made := v.ToGoSimpleType(false)
	if err, ok := made.(error); ok {
		return nil, err
	}
	if list, ok := made.([]any); ok {
		for _, item := range list {
			if err, ok := item.(error); ok {
				return nil, err
			}
		}
	}
	return value(made), nil
}

// orDefault is the filter default(value, boolean=false).
func orDefault(v any, args []any, named map[string]any) (any, error) {
	fallback, given := any(""), false
	if len(args) > 0 {
		fallback, given = args[0], true
	} else if x, ok := named["default_value"]; ok {
		fallback, given = x, true
	}
	if !given {
		return nil, errors.New("default needs the text to use instead, as in default('friend')")
	}
	also := named["boolean"]
	if len(args) > 1 {
		also = args[1]
	}
	if absent(v) || truth(also) && !truth(v) {
		return fallback, nil
	}
	return v, nil
}

// method serves the methods of Python's str and dict that templates copied
// from elsewhere use most, with the filters of the same name.
func (f *frame) method(v any, name string, args []any) (any, error) {
	if err := f.spendOn(append(args, v)...); err != nil {
		return nil, err
	}
	switch v := plain(v).(type) {
	case string:
		switch name {
		case "upper", "lower", "title", "capitalize", "replace", "center":
			return f.apply(name, v, args, nil)
		case "strip":
			return f.apply("trim", v, args, nil)
		case "startswith", "endswith", "split":
			if len(args) != 1 {
				return nil, fmt.Errorf("%s takes one text", name)
			}
			return f.stringMethod(name, v, text(args[0]))
		}
	case map[string]any:
		switch {
		case name == "items" && len(args) == 0:
			return items(v, true)
		case name == "keys" && len(args) == 0:
			return items(v, false)
		case name == "get" && len(args) > 0 && len(args) < 3:
			if item := v[text(args[0])]; item != nil || len(args) == 1 {
				return item, nil
			}
			return args[1], nil
		}
	}
	return nil, fmt.Errorf("%s( ) is not available on this value", shorten(name))
}

func (f *frame) stringMethod(name, s, arg string) (any, error) {
	switch name {
	case "startswith":
		return strings.HasPrefix(s, arg), nil
	case "endswith":
		return strings.HasSuffix(s, arg), nil
	}
	if arg == "" || strings.Count(s, arg) >= MaxItems {
		return nil, fmt.Errorf("split gives more than %d parts", MaxItems)
	}
	parts := strings.Split(s, arg)
	return f.bounded(value(parts))
}

// nearest suggests what was probably meant, or nothing.
func nearest(name string, known []string) string {
	best, distance := "", 3
	for _, candidate := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(candidate)); d < distance && d < len(candidate) {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// meant is nearest for the names that a workspace gives, of which there may be many short ones.
func (f *frame) meant(name string, known []string) (string, error) {
	if err := f.work(4 * len(known)); err != nil || len(name) < 3 || len(name) > 100 {
		return "", err
	}
	close := slices.DeleteFunc(known, func(k string) bool { return edits(strings.ToLower(name), strings.ToLower(k)) > len(name)/3 })
	if hint := nearest(name, close); hint != "" {
		return ", " + shorten(hint), nil
	}
	return "", nil
}

// edits is the Levenshtein distance, 99 when the lengths alone are far apart.
func edits(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 99
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, cost)
		}
	}
	return row[len(b)]
}

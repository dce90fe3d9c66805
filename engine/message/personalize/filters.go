package personalize

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/nodes"

	"bugle/engine/phrase"
)

// failure is why an expression has no value, such as an argument of the wrong type or a division by zero.
// Other errors end the render.
type failure string

func (e failure) Error() string { return string(e) }

func failf(format string, args ...any) error { return failure(fmt.Sprintf(format, args...)) }

// filter is a filter of Jinja. Its input is never missing, and its results equal Jinja's.
type filter struct {
	// params are the parameter names in order. The first need of them are required.
	params []string
	need   int
	run    func(f *frame, v any, a arguments) (any, error)
}

// arguments are the arguments of one call by name, without those that are not given.
type arguments map[string]any

// filters are the filters of Jinja that messages can need. It leaves out those that access Go values (attr),
// print for debugging (pprint), or generate markup (urlize, xmlattr).
var filters map[string]filter

// open are the filters with variable arguments: another filter or a test, and its arguments.
var open map[string]func(f *frame, v any, args []any, named map[string]any) (any, error)

func init() { // some of them call others
	filters = map[string]filter{
		"abs":            {run: absolute},
		"batch":          {params: []string{"linecount", "fill_with"}, need: 1, run: batch},
		"capitalize":     {run: onText(capitalized)},
		"center":         {params: []string{"width"}, run: center},
		"default":        {params: []string{"default_value", "boolean"}, run: defaultWithin},
		"dictsort":       {params: []string{"case_sensitive", "by", "reverse"}, run: dictSort},
		"escape":         {run: onText(escaped)},
		"filesizeformat": {params: []string{"binary"}, run: fileSize},
		"first":          {run: first},
		"float":          {params: []string{"default"}, run: toFloat},
		"indent":         {params: []string{"width", "first", "blank"}, run: indent},
		"int":            {params: []string{"default", "base"}, run: toInt},
		"items":          {run: pairs},
		"join":           {params: []string{"d", "attribute"}, run: joined},
		"last":           {run: last},
		"length":         {run: length},
		"list":           {run: list},
		"lower":          {run: onText(lower)},
		"max":            {params: []string{"case_sensitive", "attribute"}, run: extreme(1)},
		"min":            {params: []string{"case_sensitive", "attribute"}, run: extreme(-1)},
		"random":         {run: random},
		"replace":        {params: []string{"old", "new", "count"}, need: 2, run: replace},
		"reverse":        {run: reverse},
		"round":          {params: []string{"precision", "method"}, run: round},
		"slice":          {params: []string{"slices", "fill_with"}, need: 1, run: slice},
		"sort":           {params: []string{"reverse", "case_sensitive", "attribute"}, run: sorted},
		"string":         {run: onText(func(s string) string { return s })},
		"striptags":      {run: onText(withoutTags)},
		"sum":            {params: []string{"attribute", "start"}, run: sum},
		"title":          {run: onText(titled)},
		"tojson":         {params: []string{"indent"}, run: toJSON},
		"trim":           {params: []string{"chars"}, run: trim},
		"truncate":       {params: []string{"length", "killwords", "end", "leeway"}, run: truncate},
		"unique":         {params: []string{"case_sensitive", "attribute"}, run: unique},
		"upper":          {run: onText(upper)},
		"urlencode":      {run: urlEncode},
		"wordcount":      {run: wordCount},
		"wordwrap":       {params: []string{"width", "break_long_words", "wrapstring", "break_on_hyphens"}, run: wordWrap},
	}
	for name, same := range map[string]string{"count": "length", "d": "default", "e": "escape", "forceescape": "escape", "safe": "string"} {
		filters[name] = filters[same]
	}
	open = map[string]func(f *frame, v any, args []any, named map[string]any) (any, error){
		"format":     format,
		"map":        mapped,
		"reject":     selecting("reject", false),
		"rejectattr": selecting("rejectattr", false),
		"select":     selecting("select", true),
		"selectattr": selecting("selectattr", true),
	}
}

// FilterNames returns the names of all filters, sorted.
func FilterNames() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range filters {
			if !yield(name) {
				return
			}
		}
		for name := range open {
			if !yield(name) {
				return
			}
		}
	})
}

func knownFilter(name string) bool {
	_, some := filters[name]
	_, any := open[name]
	return some || any
}

func isDefault(name string) bool { return name == "default" || name == "d" }

func (f *frame) filtered(n *nodes.FilteredExpression) (any, error) {
	v, err := f.eval(n.Expression)
	for _, call := range n.Filters {
		if err != nil {
			return nil, err
		}
		v, err = f.attempt(f.filter(call, v))
	}
	return v, err
}

// attempt converts a failure to a missing value. err is nil or ends the render.
func (f *frame) attempt(v any, err error) (any, error) {
	if err == nil {
		return v, nil
	}
	var why failure
	if errors.As(err, &why) {
		return &missing{expression: f.tagText(), pos: f.at, reason: shorten(string(why)), whole: true, failed: true}, nil
	}
	return nil, err
}

// filter applies a filter. Only default receives missing values.
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
		if len(args) == 1 && len(named) == 0 && !absent(v) { // as it mostly is
			return v, nil
		}
		a, err := bind(call.Name, filters["default"], args, named)
		if err != nil {
			return nil, err
		}
		return orDefault(v, a)
	}
	if hole == nil {
		hole = namedHole
	}
	if hole != nil {
		return hole, nil
	}
	return f.apply(call.Name, v, args, named)
}

// apply runs a filter on values that are not missing.
func (f *frame) apply(name string, v any, args []any, named map[string]any) (any, error) {
	if err := f.charge(name, v, args, named); err != nil {
		return nil, err
	}
	made, err := f.applyPlain(name, v, args, named)
	if err == nil && made != nil {
		return f.bounded(made)
	}
	var why failure
	switch {
	case errors.As(err, &why) && !strings.HasPrefix(string(why), "filter "):
		return nil, failf("filter %s: %s", name, string(why))
	case err != nil:
		return nil, err
	}
	return nil, failf("filter %s: it has no value", name)
}

func (f *frame) applyPlain(name string, v any, args []any, named map[string]any) (any, error) {
	v = plain(v)
	for i := range args {
		args[i] = plain(args[i])
	}
	for key := range named {
		named[key] = plain(named[key])
	}
	if run, ok := open[name]; ok {
		return run(f, v, args, named)
	}
	filter, ok := filters[name]
	if !ok {
		return nil, failf("there is no filter %q", shorten(name))
	}
	a, err := bind(name, filter, args, named)
	if err != nil {
		return nil, err
	}
	return filter.run(f, v, a)
}

// bind assigns arguments to the names of their parameters.
func bind(name string, filter filter, args []any, named map[string]any) (arguments, error) {
	if len(args) > len(filter.params) {
		return nil, failf("filter %s: it takes at most %s", name, phrase.Count(len(filter.params), "argument"))
	}
	out := make(arguments, len(args)+len(named))
	for i, arg := range args {
		out[filter.params[i]] = arg
	}
	for _, key := range sortedKeys(named) {
		if !slices.Contains(filter.params, key) {
			return nil, failf("filter %s: it takes no argument %s", name, shorten(key))
		}
		if _, twice := out[key]; twice {
			return nil, failf("filter %s: the argument %s is set twice", name, key)
		}
		out[key] = named[key]
	}
	for _, param := range filter.params[:filter.need] {
		if _, ok := out[param]; !ok {
			return nil, failf("filter %s: the argument %s is missing", name, param)
		}
	}
	return out, nil
}

// given reports whether an argument is present and not none.
func (a arguments) given(name string) bool { return a[name] != nil }

func (a arguments) truth(name string) bool { return truth(a[name]) }

func (a arguments) integer(name string, otherwise int) (int, error) {
	v, ok := a[name]
	if !ok || v == nil {
		return otherwise, nil
	}
	n, ok := integer(v)
	if !ok {
		return 0, failf("the argument %s must be a whole number", name)
	}
	return n, nil
}

func (a arguments) text(name, otherwise string) (string, error) {
	v, ok := a[name]
	if !ok || v == nil {
		return otherwise, nil
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", failf("the argument %s must be a text", name)
}

// costlyFilters call another filter or a test for each item.
var costlyFilters = []string{"map", "reject", "rejectattr", "select", "selectattr"}

// charge counts the work of a filter.
func (f *frame) charge(name string, v any, args []any, named map[string]any) error {
	if err := f.spendOn(args...); err != nil {
		return err
	}
	total := size(v)
	for _, arg := range args {
		total += size(arg)
	}
	for _, arg := range named {
		total += size(arg)
		if err := f.spendOn(arg); err != nil {
			return err
		}
	}
	if total > MaxOutput {
		return errTooLarge
	}
	steps := stepsFor(v)
	if slices.Contains(costlyFilters, name) {
		steps *= 32
	}
	return f.work(steps)
}

// orDefault implements the filter default(value, boolean=false).
func orDefault(v any, a arguments) (any, error) {
	fallback, given := a["default_value"]
	if !given {
		return nil, failure("default needs the text to use instead, as in default('friend')")
	}
	if absent(v) || a.truth("boolean") && !truth(v) {
		return fallback, nil
	}
	return v, nil
}

// defaultWithin is the filter default when another filter calls it.
func defaultWithin(_ *frame, v any, a arguments) (any, error) { return orDefault(v, a) }

// method implements the most common methods of Python's str and dict with the filters of the same name.
func (f *frame) method(v any, name string, args []any) (any, error) {
	if err := f.spendOn(append(slices.Clone(args), v)...); err != nil {
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
			arg, ok := "", false
			if len(args) == 1 {
				arg, ok = args[0].(string)
			}
			if !ok {
				return nil, failf("%s takes one text", name)
			}
			return f.stringMethod(name, v, arg)
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
	return nil, failf("%s( ) is not available on this value", shorten(name))
}

func (f *frame) stringMethod(name, s, arg string) (any, error) {
	switch name {
	case "startswith":
		return strings.HasPrefix(s, arg), nil
	case "endswith":
		return strings.HasSuffix(s, arg), nil
	}
	if arg == "" {
		return nil, failure("split needs a separator that is not empty")
	}
	if strings.Count(s, arg) >= MaxItems {
		return nil, fmt.Errorf("split returns more than %d parts", MaxItems)
	}
	parts := strings.Split(s, arg)
	return f.bounded(value(parts))
}

// nearest suggests the name that was probably meant, or returns "".
func nearest(name string, known []string) string {
	if near := phrase.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return ""
}

// suggestion is nearest for the workspace's names, of which there may be many short ones.
func (f *frame) suggestion(name string, known []string) (string, error) {
	if err := f.work(4 * len(known)); err != nil || len(name) < 3 || len(name) > 100 {
		return "", err
	}
	if hint := nearest(name, known); hint != "" {
		return ", " + shorten(hint), nil
	}
	return "", nil
}

package template

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bugle/engine/phrase"
)

// Kind says how a [Function] is written.
type Kind string

// The kinds of functions.
const (
	FilterKind Kind = "filter"   // x|name(args)
	TestKind   Kind = "test"     // x is name(args)
	MethodKind Kind = "method"   // x.name(args)
	GlobalKind Kind = "function" // name(args)
)

// Function is what a template can call. The tables of functions are what the parser checks names and
// arguments against, what the evaluation calls, and what the help is made from.
type Function struct {
	Kind      Kind
	Name      string
	Also      string // another name of it
	On        string // what a method belongs to: text, list, map, date, timedelta, cycler or loop
	Signature string // as in help: truncate(length=255)
	Params    []Parameter
	Rest      bool // takes more arguments without a name
	Named     bool // takes more arguments with a name

	Summary string // one sentence for help
	Example string // a whole template, as {{ 'ann'|title }}
	Result  string // what Example comes to, or "" if that depends on the day

	call  call
	takes string // what the operand is converted to, as Parameter.Type; str and plain are its text
	// missing says that the function looks at missing values itself, as default and defined do.
	missing bool
}

// Parameter is a parameter of a [Function].
type Parameter struct {
	Name     string
	Type     string // text, int, count (at least 1), number, bool, list or map; "" is any
	Required bool
	Default  any // the value without an argument
}

// call is what a function does. It gets the operand of a filter or test, or the receiver of a method, if there is
// one, then a value for each parameter, then a TupleValue if the signature has *args, and a *Dict if it has
// **named. What these are is what the signature says. It ends with an error by try.
type call func(e *evaluator, a []any) any

// entry is a line of the tables of functions.
type entry struct {
	on, signature, summary, example, result string
	call                                    call
}

var (
	functions []*Function
	byName    map[[3]string]*Function
	prepare   = sync.Once{}
)

// Functions returns everything that templates can call, in the order of help.
func Functions() []*Function {
	prepare.Do(func() {
		byName = map[[3]string]*Function{}
		for _, table := range []struct {
			kind    Kind
			entries []entry
		}{{FilterKind, filters()}, {TestKind, tests()}, {GlobalKind, globals()}, {MethodKind, methods()}} {
			for _, line := range table.entries {
				f := line.function(table.kind)
				functions = append(functions, f)
				for _, name := range strings.Fields(f.Name + " " + f.Also) {
					byName[[3]string{string(f.Kind), f.On, name}] = f
				}
			}
		}
	})
	return functions
}

// lookUp returns a function or nil. on is what a method belongs to, and "" for the others.
func lookUp(kind Kind, on, name string) *Function {
	Functions()
	return byName[[3]string{string(kind), on, name}]
}

var parameter = regexp.MustCompile(`(\**)(\w+)(?:: (\w+))?(?: = ('[^']*'|[^,]+))?`)

// function reads a line such as truncate(length: int = 255, *args, **named); the name may be two: length|count.
func (line entry) function(kind Kind) *Function {
	names, params, _ := strings.Cut(strings.TrimSuffix(line.signature, ")"), "(")
	f := &Function{Kind: kind, Signature: signature(kind, line.signature), Summary: line.summary, Example: line.example, Result: line.result, call: line.call, takes: line.on}
	f.Name, f.Also, _ = strings.Cut(names, "|")
	f.missing = line.on == "missing" || kind == TestKind && line.on == ""
	if kind == MethodKind {
		f.On = line.on
		if f.On != "text" {
			f.takes = ""
		}
	}
	for _, m := range parameter.FindAllStringSubmatch(params, -1) {
		switch m[1] {
		case "*":
			f.Rest = true
		case "**":
			f.Named = true
		default:
			f.Params = append(f.Params, Parameter{Name: m[2], Type: m[3], Required: m[4] == "", Default: constant(m[4])})
		}
	}
	return f
}

func constant(s string) any {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if text, ok := strings.CutPrefix(s, "'"); ok {
		return strings.ReplaceAll(strings.TrimSuffix(text, "'"), `\n`, "\n")
	}
	return map[string]any{"true": true, "false": false}[s]
}

// check reports arguments that the function does not take: args is the number of those without a name, besides
// the operand.
func (f *Function) check(args int, names []string) error {
	if len(names) == 0 && args <= len(f.Params) && (args == len(f.Params) || !f.Params[args].Required) {
		return nil
	}
	about := string(f.Kind) + " " + f.Name + " "
	switch {
	case args <= len(f.Params) || f.Rest:
	case len(f.Params) == 0:
		return fault(about + "takes no arguments")
	default:
		return fault(about + "takes at most " + phrase.Count(len(f.Params), "argument"))
	}
	var known []string
	for i, p := range f.Params {
		known = append(known, p.Name)
		given := slices.Contains(names, p.Name)
		switch {
		case given && i < args:
			return fault(about + "has the argument " + p.Name + " twice")
		case p.Required && !given && i >= args:
			return fault(about + "needs the argument " + p.Name)
		}
	}
	for _, name := range names {
		if !f.Named && !slices.Contains(known, name) {
			return unknown(about+"has no argument", name, known)
		}
	}
	return nil
}

// unknown is the error about a name that is not among those that are known.
func unknown(reason, name string, known []string) error {
	return fault(reason + " " + shorten(name) + nearest(name, slices.Values(known))())
}

// checkCall is check for a name as the parser finds it. A method may belong to any kind of value.
func checkCall(kind Kind, name string, args int, names []string) (err error) {
	var known []string
	for _, f := range Functions() {
		switch {
		case f.Kind != kind:
		case f.Name != name && f.Also != name:
			known = append(known, f.Name)
		default:
			if err = f.check(args, names); err == nil {
				return nil
			}
		}
	}
	if err == nil {
		err = unknown(fmt.Sprintf("there is no %s", kind), name, known)
	}
	return err
}

// invoke calls the function: with its operand or receiver first, if it has one. named may be nil.
func (f *Function) invoke(e *evaluator, args []any, named *Dict) (v any, err error) {
	defer rescue(&err)
	first := 1
	if f.Kind == GlobalKind {
		first = 0
	}
	a := must(f.bind(e, args, named, first))
	safe := false
	if first == 1 {
		if _, ok := a[0].(*missing); ok && f.Kind == TestKind && f.takes == "" {
			return false, nil
		}
		safe = anySafe(a[0]) && (f.takes == "str" || f.On == "text")
		a[0] = f.convert(e, a[0], f.takes, "")
		if text, ok := isText(a[0]); ok {
			try(e.work(len(text)))
		}
	}
	for i, p := range f.Params {
		v := &a[first+i]
		if *v == nil && !p.Required && p.Default == nil {
			continue
		}
		*v = f.convert(e, *v, p.Type, p.Name)
		if safe && slices.Contains([]string{"old", "new", "chars", "end", "items"}, p.Name) {
			*v = escapedTexts(*v)
		}
	}
	for i := first + len(f.Params); safe && i < len(a); i++ {
		a[i] = escapedTexts(a[i])
	}
	v = f.call(e, a)
	if s, ok := v.(string); ok {
		try(e.room(len(s)))
		v = marked(s, safe)
	}
	return v, nil
}

// escapedTexts returns the texts among what is put into a safe text as safe ones.
func escapedTexts(v any) any {
	switch v := v.(type) {
	case string:
		return html.EscapeString(v)
	case *Dict:
		return &Dict{v.keys, escapedTexts(v.values).([]any), v.at}
	case TupleValue:
		return TupleValue(escapedTexts([]any(v)).([]any))
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = item
			if s, ok := item.(string); ok {
				out[i] = Safe(html.EscapeString(s))
			}
		}
		return out
	}
	return v
}

// bind puts the arguments in the order of the parameters, behind the operand if there is a first.
func (f *Function) bind(e *evaluator, args []any, named *Dict, first int) (a []any, err error) {
	defer rescue(&err)
	var names []string
	if named == nil {
		named = &Dict{}
	}
	for _, key := range named.keys {
		s, _ := isText(key)
		names = append(names, s)
	}
	try(f.check(len(args)-first, names))
	if !f.missing {
		present(named.values...)
		if f.Kind == TestKind { // which tells what is missing itself
			present(args[1:]...)
		} else {
			present(args...)
		}
	}
	n := first + len(f.Params)
	a = make([]any, n, n+2)
	given := copy(a, args)
	for i, p := range f.Params[max(given-first, 0):] {
		a[max(given, first)+i] = p.Default
	}
	var rest *Dict // of the names, which check let pass
	if f.Named {
		rest = &Dict{}
	}
	for i, name := range names {
		if at := slices.IndexFunc(f.Params, func(p Parameter) bool { return p.Name == name }); at >= 0 {
			a[first+at] = named.values[i]
		} else {
			try(rest.set(e, name, named.values[i]))
		}
	}
	if f.Rest {
		a = append(a, TupleValue(args[given:]))
	}
	if f.Named {
		a = append(a, rest)
	}
	return a, nil
}

// convert returns v as a function takes it: as a parameter, or as its operand.
func (f *Function) convert(e *evaluator, v any, to, name string) any {
	var converted any
	ok := true
	switch to {
	case "str", "plain":
		return textOf(e, v, false)
	case "text":
		converted, ok = isText(v)
	case "int", "count":
		i, isWhole := whole(v)
		if isWhole && i < 1 && to == "count" {
			try(fault(fmt.Sprintf("%s %s needs a %s of at least 1", f.Kind, f.Name, name)))
		}
		converted, ok, to = i, isWhole, "whole number"
	case "number":
		converted = numeric(v)
		ok = converted != nil
	case "bool":
		converted = truth(v)
	case "list":
		items, err := iterate(e, v)
		if _, other := err.(fault); !other {
			try(err)
		}
		converted, ok = items, err == nil
	case "map":
		converted, ok = v.(*Dict)
	default:
		return v
	}
	if !ok {
		present(v)
		if name != "" {
			name = " as " + name
		}
		try(fault(fmt.Sprintf("%s %s takes a %s%s, not %s", f.Kind, f.Name, to, name, kind(v))))
	}
	return converted
}

// apply calls a filter or a test by its name, as map and select do.
func (e *evaluator) apply(kind Kind, name any, args []any, named *Dict) any {
	s, _ := isText(name)
	f := lookUp(kind, "", s)
	if f == nil {
		try(fault(fmt.Sprintf("there is no %s %s", kind, shorten(s))))
	}
	try(e.work(1))
	return must(f.invoke(e, args, named))
}

// aborted is how functions of the tables and operators end with an error from within: see must.
type aborted struct{ error }

// must returns v, or ends the function or the operator that is computed with err.
func must[T any](v T, err error) T {
	try(err)
	return v
}

func try(err error) {
	if err != nil {
		panic(aborted{err})
	}
}

// present ends the function or the operator that is computed with a value that is missing.
func present(values ...any) {
	for _, v := range values {
		if m, ok := v.(*missing); ok {
			try(m)
		}
	}
}

// rescue sets err to what must ended with.
func rescue(err *error) {
	switch p := recover().(type) {
	case nil:
	case aborted:
		*err = p.error
	default:
		panic(p)
	}
}

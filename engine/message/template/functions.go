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

	call  func(e *evaluator, a []any) (any, error)
	takes string // what the operand is converted to, as Parameter.Type; str and plain are its text
	// missing says that the function looks at missing values itself, as default and defined do.
	missing bool
}

// Parameter is a parameter of a [Function].
type Parameter struct {
	Name     string
	Type     string // text, int, number, bool, list or map; "" is any
	Required bool
	Default  any // the value without an argument
}

// entry is a line of the tables of functions. call gets the operand of a filter or test, or the receiver of a
// method, if there is one, then a value for each parameter, then a TupleValue if the signature has *args, and a
// *Dict if it has **named. What these are is what the signature says.
type entry struct {
	on, signature, summary, example, result string
	call                                    func(e *evaluator, a []any) (any, error)
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
	if args > len(f.Params) && !f.Rest {
		if len(f.Params) == 0 {
			return fault(fmt.Sprintf("%s %s takes no arguments", f.Kind, f.Name))
		}
		return fault(fmt.Sprintf("%s %s takes at most %s", f.Kind, f.Name, phrase.Count(len(f.Params), "argument")))
	}
	var known []string
	for i, p := range f.Params {
		known = append(known, p.Name)
		given := slices.Contains(names, p.Name)
		switch {
		case given && i < args:
			return fault(fmt.Sprintf("%s %s has the argument %s twice", f.Kind, f.Name, p.Name))
		case p.Required && !given && i >= args:
			return fault(fmt.Sprintf("%s %s needs the argument %s", f.Kind, f.Name, p.Name))
		}
	}
	for _, name := range names {
		if !f.Named && !slices.Contains(known, name) {
			reason := fmt.Sprintf("%s %s has no argument %s", f.Kind, f.Name, shorten(name))
			if near := phrase.Nearest(name, known); near != "" {
				reason += ", did you mean " + near + "?"
			}
			return fault(reason)
		}
	}
	return nil
}

// checkCall is check for a name as the parser finds it. A method may belong to any kind of value.
func checkCall(kind Kind, name string, args int, names []string) error {
	var err error
	var known []string
	found := false
	for _, f := range Functions() {
		if f.Kind != kind {
			continue
		}
		if f.Name == name || f.Also == name {
			if err = f.check(args, names); err == nil {
				return nil
			}
			found = true
		}
		known = append(known, f.Name)
	}
	if found {
		return err
	}
	reason := fmt.Sprintf("there is no %s %s", kind, shorten(name))
	if near := phrase.Nearest(name, known); near != "" {
		reason += ", did you mean " + near + "?"
	}
	return fault(reason)
}

// invoke calls the function: with its operand or receiver first, if it has one. named may be nil.
func (f *Function) invoke(e *evaluator, args []any, named *Dict) (v any, err error) {
	defer rescue(&err)
	first := 1
	if f.Kind == GlobalKind {
		first = 0
	}
	a, err := f.bind(e, args, named, first)
	if err != nil {
		return nil, err
	}
	safe := false
	if first == 1 {
		if _, ok := a[0].(*missing); ok && f.Kind == TestKind && f.takes == "" {
			return false, nil
		}
		if _, safe = a[0].(Safe); f.takes != "str" && f.On != "text" {
			safe = false
		}
		if a[0], err = f.convert(e, a[0], f.takes, ""); err != nil {
			return nil, err
		}
		if text, ok := isText(a[0]); ok {
			if err := e.work(len(text)); err != nil {
				return nil, err
			}
		}
	}
	for i, p := range f.Params {
		v := &a[first+i]
		if *v == nil && !p.Required && p.Default == nil {
			continue
		}
		if *v, err = f.convert(e, *v, p.Type, p.Name); err != nil {
			return nil, err
		}
		if safe && (p.Name == "new" || p.Type == "list") {
			*v = escapedTexts(*v)
		}
	}
	for i := first + len(f.Params); safe && i < len(a); i++ {
		a[i] = escapedTexts(a[i])
	}
	v, err = f.call(e, a)
	if s, ok := v.(string); ok && err == nil {
		if err = e.room(len(s)); safe {
			v = Safe(s)
		}
	}
	return v, err
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
		v = slices.Clone(v)
		for i, item := range v {
			if s, ok := item.(string); ok {
				v[i] = Safe(html.EscapeString(s))
			}
		}
		return v
	}
	return v
}

// bind puts the arguments in the order of the parameters, behind the operand if there is a first.
func (f *Function) bind(e *evaluator, args []any, named *Dict, first int) ([]any, error) {
	n := first + len(f.Params)
	var names []string
	if named != nil {
		for _, key := range named.keys {
			s, _ := isText(key)
			names = append(names, s)
		}
	}
	if err := f.check(len(args)-first, names); err != nil {
		return nil, err
	}
	a := make([]any, n, n+2)
	given := copy(a, args)
	rest := &Dict{}
	for i, p := range f.Params {
		if first+i >= given {
			a[first+i] = p.Default
		}
	}
	for i, name := range names {
		if at := slices.IndexFunc(f.Params, func(p Parameter) bool { return p.Name == name }); at >= 0 {
			a[first+at] = named.values[i]
		} else if err := rest.set(e, name, named.values[i]); err != nil {
			return nil, err
		}
	}
	if f.Rest {
		a = append(a, TupleValue(args[given:]))
	}
	if f.Named {
		a = append(a, rest)
	}
	for _, v := range append(args, rest.values...) {
		if m, ok := v.(*missing); ok && !f.missing && !(f.Kind == TestKind && v == args[0]) {
			return nil, m
		}
	}
	return a, nil
}

// convert returns v as a function takes it: as a parameter, or as its operand if that has no name.
func (f *Function) convert(e *evaluator, v any, to, name string) (any, error) {
	switch to {
	case "str", "plain":
		s, err := str(e, v)
		if err != nil {
			return nil, err
		}
		return s, e.work(len(s))
	case "text":
		if s, ok := isText(v); ok {
			return s, e.work(len(s))
		}
	case "int":
		if i, ok := whole(v); ok {
			return i, nil
		}
		to = "whole number"
	case "number":
		if n := numeric(v); n != nil {
			return n, nil
		}
	case "bool":
		return truth(v), nil
	case "list":
		items, err := iterate(e, v)
		if _, other := err.(fault); !other {
			return items, err
		}
	case "map":
		if d, ok := v.(*Dict); ok {
			return d, nil
		}
	default:
		return v, nil
	}
	if m, ok := v.(*missing); ok {
		return nil, m
	}
	if name != "" {
		name = " as " + name
	}
	return nil, fault(fmt.Sprintf("%s %s takes a %s%s, not %s", f.Kind, f.Name, to, name, kind(v)))
}

// call applies a filter or a test by its name, as map and select do.
func (e *evaluator) apply(kind Kind, name any, args []any, named *Dict) (any, error) {
	s, _ := isText(name)
	f := lookUp(kind, "", s)
	if f == nil {
		return nil, fault(fmt.Sprintf("there is no %s %s", kind, shorten(s)))
	}
	if err := e.work(1); err != nil {
		return nil, err
	}
	return f.invoke(e, args, named)
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

package template

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
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
	On        string      // what a method belongs to: text, list, map, date, timedelta, cycler or loop
	Signature string      // as in help: truncate(length=255)
	Params    []Parameter // the operand or the receiver is the first
	Rest      bool        // takes more arguments without a name
	Named     bool        // takes more arguments with a name

	Summary string // one sentence for help
	Example string // a whole template, as {{ 'ann'|title }}
	Result  string // what Example comes to, or "" if that depends on the day

	names []string // all of its names
	call  call
	// missing says that the function looks at missing values itself, as default and defined do.
	missing bool
}

// Parameter is a parameter of a [Function].
type Parameter struct {
	Name     string // "" for an operand or a receiver
	Type     string // text, str or plain (as text), int, count (at least 1), number, bool, list or map; "" is any
	Required bool
	Default  any // the value without an argument
}

// call is what a function does. It gets a value for each parameter, then a tuple if the signature has *args, and a
// *Dict if it has **named. What these are is what the signature says. It ends with an error by try.
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
				for _, name := range f.names {
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

var (
	parameter     = regexp.MustCompile(`(\**)(\w+)(?:: (\w+))?(?:=('[^']*'|[^,]+))?`)
	parameterType = regexp.MustCompile(`: \w+`)
)

// function reads a line such as truncate(length: int=255, *args, **named); the name may be two: length|count.
func (line entry) function(kind Kind) *Function {
	names, params, _ := strings.Cut(strings.TrimSuffix(line.signature, ")"), "(")
	f := &Function{Kind: kind, Signature: parameterType.ReplaceAllString(line.signature, ""), Summary: line.summary, Example: line.example, Result: line.result, call: line.call}
	f.names = strings.Split(names, "|")
	f.Name = f.names[0]
	f.missing = line.on == "missing" || kind == TestKind && line.on == ""
	if kind != GlobalKind {
		f.Params = []Parameter{{Type: line.on, Required: true}}
	}
	if kind == MethodKind {
		f.On = line.on
	}
	if kind == MethodKind && f.On != "text" {
		f.Params[0].Type = ""
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
	if n := parseNumber(s); n != nil {
		return n
	}
	if text, ok := strings.CutPrefix(s, "'"); ok {
		return strings.ReplaceAll(strings.TrimSuffix(text, "'"), `\n`, "\n")
	}
	return map[string]any{"true": true, "false": false}[s]
}

// check reports arguments that the function does not take: args is the number of those without a name.
func (f *Function) check(args int, names []string) error {
	if len(names) == 0 && args <= len(f.Params) && (args == len(f.Params) || !f.Params[args].Required) {
		return nil
	}
	about := string(f.Kind) + " " + f.Name + " "
	var known []string
	for i, p := range f.Params {
		if p.Name != "" {
			known = append(known, p.Name)
		}
		given := slices.Contains(names, p.Name)
		switch {
		case given && i < args:
			return fault(about + "has the argument " + p.Name + " twice")
		case p.Required && !given && i >= args:
			return fault(about + "needs the argument " + p.Name)
		}
	}
	switch {
	case args <= len(f.Params) || f.Rest:
	case len(known) == 0:
		return fault(about + "takes no arguments")
	default:
		return fault(about + "takes at most " + phrase.Count(len(known), "argument"))
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

// checkCall is check for a name as the parser finds it, without its operand. A method may belong to any kind of value.
func checkCall(kind Kind, name string, args int, names []string) (err error) {
	var known []string
	if kind != GlobalKind {
		args++
	}
	for _, f := range Functions() {
		switch {
		case f.Kind != kind:
		case !slices.Contains(f.names, name):
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

// invoke calls the function with its arguments. The last ones have names.
func (f *Function) invoke(e *evaluator, args []any, names []string) any {
	a := f.bind(e, args, names)
	safe := len(f.Params) > 0 && anySafe(a[0]) && (f.Params[0].Type == "str" || f.On == "text")
	for i, p := range f.Params {
		v := &a[i]
		if _, ok := (*v).(*missing); ok && f.Kind == TestKind && p.Name+p.Type == "" {
			return false
		}
		if *v == nil && !p.Required && p.Default == nil {
			continue
		}
		*v = f.convert(e, *v, p.Type, p.Name)
		if text, ok := isText(*v); ok {
			e.work(len(text))
		}
		if safe && slices.Contains([]string{"old", "new", "chars", "end", "items"}, p.Name) {
			*v = escapedTexts(*v)
		}
	}
	for i := len(f.Params); safe && i < len(a); i++ {
		a[i] = escapedTexts(a[i])
	}
	v := f.call(e, a)
	if s, ok := v.(string); ok {
		e.room(len(s))
		if safe {
			return Safe(s)
		}
	}
	return v
}

// escapedTexts returns the texts among what is put into a safe text as safe ones.
func escapedTexts(v any) any {
	switch v := v.(type) {
	case string:
		return html.EscapeString(v)
	case *Dict:
		return &Dict{v.keys, escapedTexts(v.values).([]any), v.at}
	case *List:
		return &List{Items: escapedTexts(v.Items).([]any), tuple: v.tuple}
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

// bind puts the arguments in the order of the parameters.
func (f *Function) bind(e *evaluator, args []any, names []string) []any {
	args, named := args[:len(args)-len(names)], args[len(args)-len(names):]
	try(f.check(len(args), names))
	if !f.missing {
		present(args...)
		present(named...)
	}
	n := len(f.Params)
	a := make([]any, n, n+2)
	given := copy(a, args)
	for i := given; i < n; i++ {
		a[i] = f.Params[i].Default
	}
	var more *Dict
	if f.Named {
		more = &Dict{}
	}
	for i, name := range names {
		if at := slices.IndexFunc(f.Params, func(p Parameter) bool { return p.Name == name }); at >= 0 {
			a[at] = named[i]
		} else {
			more.set(e, name, named[i])
		}
	}
	if f.Rest {
		a = append(a, tuple(args[given:]...))
	}
	if f.Named {
		a = append(a, more)
	}
	return a
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
		if ok = slices.Contains([]string{"text", "list", "tuple", "map"}, kindOf(v)); ok {
			converted = iterate(e, v)
		}
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
func (e *evaluator) apply(kind Kind, name any, args []any, names ...string) any {
	s, _ := isText(name)
	f := lookUp(kind, "", s)
	if f == nil {
		try(fault(fmt.Sprintf("there is no %s %s", kind, shorten(s))))
	}
	e.work(1)
	return f.invoke(e, args, names)
}

// aborted is how a parse or a render ends with an error from within: see try.
type aborted struct{ error }

// try goes on if err is nil, and ends what is parsed or computed otherwise.
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

// caught does something and returns what try ended it with. A content API may panic, as whatever is not ours.
func caught(do func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			ended, _ := p.(aborted)
			err = cmp.Or(ended.error, errPanic)
		}
	}()
	do()
	return nil
}

package template

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bugle/engine/phrase"
)

// maxTime limits how long the content APIs of one render may take. The limit of steps stops computations long
// before.
const maxTime = 30 * time.Second

// Data holds what the expressions of one message can refer to. All fields may be nil.
//
// Values are nil, bool, int, float64, json.Number, which keeps its spelling, string, time.Time, lists, maps and JSON
// with its order as [doc.Value]. Nil, values of other types, NaN and infinities count as missing; an empty string is
// a value.
type Data struct {
	UserAttributes          map[string]any
	EventAttributes         map[string]any
	BusinessEventAttributes map[string]any

	// ContentBlocks holds the source of each block. A block is a separate template with the same data, but
	// without the variables of its caller. A block that includes itself, directly or indirectly, is refused.
	ContentBlocks map[string]string

	ProductSets map[string][]map[string]any

	// ContentAPIs are called with the positional arguments of the expression. An error makes the expression
	// unresolved, with the error as the reason.
	ContentAPIs map[string]func(ctx context.Context, args ...any) (any, error)

	// Now is the time of now(), the current time if zero; Zone is its time zone, UTC if nil.
	Now  time.Time
	Zone *time.Location
}

// root is one of the names that every template has.
type root string

const (
	userRoot          root = "UserAttribute"
	eventRoot         root = "EventAttribute"
	businessEventRoot root = "BusinessEventAttribute"
	blockRoot         root = "ContentBlock"
	apiRoot           root = "ContentApi"
	productRoot       root = "ProductSet"
)

// roots are the names at the start of expressions, including short forms.
var roots = map[string]root{
	"UserAttribute": userRoot, "user": userRoot,
	"EventAttribute": eventRoot, "event": eventRoot,
	"BusinessEventAttribute": businessEventRoot,
	"ContentBlock":           blockRoot, "ContentApi": apiRoot, "ProductSet": productRoot,
}

// attributes returns the values of a root that is about a user or an event, and what to say of a missing one.
func (e *evaluator) attributes(r root) (values map[string]any, missing string) {
	switch r {
	case userRoot:
		return e.data.UserAttributes, "the user has no attribute "
	case eventRoot:
		return e.data.EventAttributes, "the event has no attribute "
	}
	return e.data.BusinessEventAttributes, "the business event has no attribute "
}

// lookupRoot finds what a root has under a name.
func (e *evaluator) lookupRoot(r root, key any) any {
	name, ok := key.(string)
	if !ok {
		try(failure("a name in quotes is expected after " + string(r)))
	}
	var reason string
	var known iter.Seq[string]
	switch r {
	case blockRoot:
		if src, ok := e.data.ContentBlocks[name]; ok {
			return e.contentBlock(name, src)
		}
		reason, known = "there is no content block ", maps.Keys(e.data.ContentBlocks)
	case productRoot:
		set, ok := e.data.ProductSets[name]
		if ok && e.products[name] == nil {
			e.products[name] = convert(e, set)
		}
		if ok {
			return e.products[name]
		}
		reason, known = "there is no product set ", maps.Keys(e.data.ProductSets)
	case apiRoot:
		if call := e.data.ContentAPIs[name]; call != nil {
			return contentAPI(name, call)
		}
		reason, known = "there is no content API ", maps.Keys(e.data.ContentAPIs)
	default:
		var values map[string]any
		values, reason = e.attributes(r)
		if v := e.attribute(values, name); v != nil {
			return convert(e, v)
		}
		known = func(yield func(string) bool) {
			for full, v := range values {
				if v != nil && !(yield(full) && yield(string(slices.Collect(snaked(full))))) {
					return
				}
			}
		}
	}
	return &missing{reason: reason + shorten(name), hint: nearest(name, known)}
}

// attribute finds name in the values of a user or event: exactly, or by its snake case; the first by name if
// there are several.
func (e *evaluator) attribute(values map[string]any, name string) any {
	if v, ok := values[name]; ok || len(values) == 0 {
		return v
	}
	e.work(bytesOfStep * len(values))
	first := ""
	for full := range values {
		if isSnakeOf(name, full) && (first == "" || full < first) {
			first = full
		}
	}
	return values[first]
}

// plain returns the map that a root is where it is used as a whole.
func (e *evaluator) plain(r root) any {
	if r == blockRoot || r == apiRoot || r == productRoot {
		try(fault(string(r) + " is not a map: write a name behind it"))
	}
	values, _ := e.attributes(r)
	return convert(e, values)
}

// contentAPI returns a content API as a function.
func contentAPI(name string, ask func(ctx context.Context, args ...any) (any, error)) *Function {
	return &Function{Kind: "content API", Name: name, Rest: true, call: func(e *evaluator, a []any) any {
		if e.calls++; e.calls > MaxCalls {
			try(fmt.Errorf("this text calls content APIs more than %d times", MaxCalls))
		}
		if e.apis == nil {
			e.apis, e.cancel = context.WithTimeout(e.ctx, maxTime)
		}
		v, err := ask(e.apis, asArguments(e, a[0])...)
		switch {
		case e.ctx.Err() != nil:
			try(e.ctx.Err())
		case e.apis.Err() != nil:
			try(&Error{Message: fmt.Sprintf("personalizing this text takes longer than %s", maxTime), Hint: "check if its content APIs respond"})
		case err != nil:
			return &missing{reason: fmt.Sprintf("content API %s: %s", name, shorten(err.Error()))}
		case v == nil:
			return &missing{reason: fmt.Sprintf("content API %s returned nothing", name)}
		}
		return convert(e, v)
	}}
}

// asArguments returns values as content APIs get them: as they are read from JSON, with numbers as they are written.
func asArguments(e *evaluator, values any) (args []any) {
	decoder := json.NewDecoder(strings.NewReader(asJSON(e, values)))
	decoder.UseNumber()
	if err := decoder.Decode(&args); err != nil {
		try(fault("these arguments have no JSON: " + err.Error()))
	}
	return args
}

// contentBlock renders a block once, however often it is included.
func (e *evaluator) contentBlock(name, src string) any {
	text, begun := e.blocks[name]
	switch {
	case begun && text == nil:
		try(fmt.Errorf("content block %q contains itself", shorten(name)))
	case !begun:
		e.blocks[name] = nil
		text = &src
		if HasTag(src) {
			t, err := Parse(src)
			if located, ok := errors.AsType[*Error](err); ok {
				located.Block = name
			}
			try(err)
			text = new(e.execute(t, name))
		}
		e.blocks[name] = text
	}
	return marked(*text, e.autoescape) // a block is HTML
}

// isSnakeOf reports whether short is the snake case of full.
func isSnakeOf(short, full string) bool {
	for c := range snaked(full) {
		have, width := utf8.DecodeRuneInString(short)
		if have != c || width == 0 {
			return false
		}
		short = short[width:]
	}
	return short == ""
}

// snaked returns the characters of an attribute's name in snake case, as templates write it: first_name for
// "First Name", "firstName" and "first-name".
func snaked(name string) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		begun, gap, lower := false, false, false
		for _, c := range name {
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				gap = true
				continue
			}
			if begun && (gap || lower && unicode.IsUpper(c)) && !yield('_') || !yield(unicode.ToLower(c)) {
				return
			}
			begun, gap, lower = true, false, unicode.IsLower(c) || unicode.IsDigit(c)
		}
	}
}

// nearest returns what suggests the name that was probably meant.
func nearest(name string, known iter.Seq[string]) func() string {
	return func() string {
		if len(name) >= 3 && len(name) <= 100 {
			if near := phrase.Nearest(name, slices.Sorted(known)); near != "" {
				return ", did you mean " + shorten(near) + "?"
			}
		}
		return ""
	}
}

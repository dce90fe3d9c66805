package audience

import (
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
)

// part is a compiled group or filter. e is the event whose attributes are tested, or nil for the user's.
type part interface {
	match(p *engine.User, e *engine.Event) bool
	explain(p *engine.User, e *engine.Event) engine.AudienceResult
}

// described is the path and the text of a part in an explanation.
type described struct {
	path doc.Path
	text string
}

// top is a complete audience.
type top struct {
	described
	everybody bool // is_all_user_campaign
	optOut    bool // include users who opted out; always true unless the filters are a segmentation
	included  []part
	excluded  part // nil: no one
}

func (t *top) match(p *engine.User, _ *engine.Event) bool {
	if p.OptedOut && !t.optOut {
		return false
	}
	if !t.everybody {
		if len(t.included) == 0 {
			return false
		}
		for _, in := range t.included {
			if !in.match(p, nil) {
				return false
			}
		}
	}
	return t.excluded == nil || !t.excluded.match(p, nil)
}

// group is a filter group with at least one filter.
type group struct {
	described
	any   bool
	parts []part
}

func (g *group) match(p *engine.User, e *engine.Event) bool {
	for _, part := range g.parts {
		if part.match(p, e) == g.any {
			return g.any
		}
	}
	return !g.any
}

// attribute is a filter on an attribute of a user or of an event.
type attribute struct {
	described
	name   string
	steps  []string // path of a name with dots
	negate bool
	test   comparison
}

func (f *attribute) match(p *engine.User, e *engine.Event) bool {
	return f.holds(p, e) != f.negate
}

func (f *attribute) holds(p *engine.User, e *engine.Event) bool {
	if e == nil {
		return f.among(p.Attributes)
	}
	if v, ok := e.Attributes[f.name]; ok {
		return anyOf(v, f.test)
	}
	if f.name == engine.AttrEventTime {
		return f.test.at(e.At)
	}
	return f.among(e.Attributes)
}

func (f *attribute) among(attributes map[string]any) bool {
	if v, ok := attributes[f.name]; ok {
		return anyOf(v, f.test)
	}
	return f.steps != nil && into(attributes, f.steps, func(v any) bool { return anyOf(v, f.test) })
}

// value returns the attribute's value for display.
func (f *attribute) value(p *engine.User, e *engine.Event) any {
	attributes := p.Attributes
	if e != nil {
		attributes = e.Attributes
	}
	v, ok := attributes[f.name]
	if !ok && e != nil && f.name == engine.AttrEventTime {
		return e.At
	}
	if !ok && f.steps != nil {
		into(attributes, f.steps, func(found any) bool { v = found; return true })
	}
	return v
}

// anyOf reports whether the test accepts a value, or one of its elements if it is a list.
func anyOf(v any, test comparison) bool {
	switch v := v.(type) {
	case nil:
		return false
	case []any:
		if test.whole() {
			return true
		}
		for _, e := range v {
			if anyOf(e, test) {
				return true
			}
		}
		return false
	}
	return test.takes(v)
}

// into reports whether ok accepts a value reached through steps, through objects and elements of lists.
func into(v any, steps []string, ok func(any) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		if len(steps) == 0 {
			return ok(v)
		}
		return into(v[steps[0]], steps[1:], ok)
	case []any:
		if len(steps) == 0 {
			return ok(v)
		}
		for _, e := range v {
			if into(e, steps, ok) {
				return true
			}
		}
		return false
	}
	return v != nil && len(steps) == 0 && ok(v)
}

func dotted(name string) []string {
	if !strings.Contains(name, ".") {
		return nil
	}
	return strings.Split(name, ".")
}

// dynamic is an attribute filter whose value is an expression.
type dynamic struct {
	attribute // its test is made anew for each profile
	resolve   func(*engine.User) (comparison, bool)
}

func (f *dynamic) match(p *engine.User, e *engine.Event) bool {
	test, ok := f.resolve(p)
	if !ok {
		return false
	}
	resolved := f.attribute
	resolved.test = test
	return resolved.match(p, e)
}

// action is a filter on how often a user did something.
type action struct {
	described
	event     string
	condition *group // on the event's attributes; nil: none
	compare   counting
	times     int
	negate    bool // executed is false
}

// counting is how a count is compared.
type counting uint8

const (
	atLeast counting = iota
	atMost
	exactly
)

func (f *action) match(p *engine.User, _ *engine.Event) bool {
	// Above one more than the number, counting on changes nothing.
	return f.holds(f.count(p, f.times+1)) != f.negate
}

func (f *action) holds(n int) bool {
	switch f.compare {
	case atMost:
		return n <= f.times
	case exactly:
		return n == f.times
	}
	return n >= f.times
}

// count returns the number of matching events, but at most enough. It starts with the newest, because
// conditions are mostly about recent events.
func (f *action) count(p *engine.User, enough int) int {
	n := 0
	for i := len(p.Events) - 1; i >= 0 && n < enough; i-- {
		e := &p.Events[i]
		if e.Name == f.event && (f.condition == nil || f.condition.match(p, e)) {
			n++
		}
	}
	return n
}

// membership is a filter on a segment with a list, filters, or both.
type membership struct {
	described
	name    string
	members map[string]struct{}
	filters part // nil: only a list
}

func (f *membership) match(p *engine.User, _ *engine.Event) bool {
	if _, ok := f.members[p.ID]; ok {
		return true
	}
	return f.filters != nil && f.filters.match(p, nil)
}

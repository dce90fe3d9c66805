package audience

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

const section = "CONTRACT.md, Audience"

// cycle is the rule that no segment is made of itself.
const (
	// cycle is the rule that a segment must not contain itself.
	cycle     = "cycle"
	ruleCycle = "audience#" + cycle
)

type segmentKey struct{ id, name string }

// compiler compiles filters and collects problems.
type compiler struct {
	env      Env
	days     calendar
	words    describer
	problems []schema.Problem
	segments map[segmentKey]*membership // compiled so far
	within   []segmentKey               // being compiled, outermost first
}

func newCompiler(env Env) *compiler {
	zone := env.zone()
	return &compiler{
		env: env, days: calendar{now: env.now().In(zone), zone: zone}, words: newDescriber(env),
		segments: map[segmentKey]*membership{},
	}
}

func (c *compiler) problem(at doc.Path, rule, format string, args ...any) {
	c.problems = append(c.problems, schema.Problem{
		Path: at, Rule: "audience#" + rule, Message: fmt.Sprintf(format, args...), Section: section,
	})
}

func (c *compiler) top(filters doc.Value) *top {
	t := &top{described: described{text: c.words.sentence(filters, shapeOf(filters))}, optOut: true}
	shape := shapeOf(filters)
	if shape == groupShape {
		t.included = c.groups(nil, filters)
		return t
	}
	t.included = append(c.groups(doc.P(mIncluded), filters.Get(mIncluded)), c.groups(doc.P(mSecondary), filters.Get(mSecondary))...)
	if shape == segmentationShape {
		t.everybody, t.optOut = filters.Get(mEverybody).True(), filters.Get(mOptOut).True()
		if out := c.group(doc.P(mExcluded), filters.Get(mExcluded), false); out != nil {
			t.excluded = out
		}
	}
	return t
}

// groups returns the group at a path, or none if it is empty.
func (c *compiler) groups(at doc.Path, v doc.Value) []part {
	if g := c.group(at, v, false); g != nil {
		return []part{g}
	}
	return nil
}

// group returns nil for a group without filters.
func (c *compiler) group(at doc.Path, v doc.Value, ofEvent bool) *group {
	filters := v.Get(mFilters)
	join := v.Get(mJoin).Text()
	switch {
	case v.Empty():
		return nil
	case v.Kind() != doc.Object:
		c.problem(at, "type", "must be a filter group")
		return nil
	case !filters.Empty() && filters.Kind() != doc.Array:
		c.problem(at.Child(mFilters), "type", "must be a list of filters")
		return nil
	case join != "" && join != joinAnd && join != joinOr:
		c.problem(at.Child(mJoin), "join", "must be and or or, not %q", join)
	}
	g := &group{described: described{at, c.words.groupLine(v)}, any: join == joinOr}
	for i, f := range filters.Elems() {
		if p := c.filter(at.Child(mFilters).Elem(i), f, ofEvent); p != nil {
			g.parts = append(g.parts, p)
		}
	}
	if len(g.parts) == 0 {
		return nil
	}
	return g
}

func (c *compiler) filter(at doc.Path, v doc.Value, ofEvent bool) part {
	switch kindOf(v, ofEvent) {
	case Attribute, EventAttribute:
		return c.attribute(at, v)
	case Action:
		return c.action(at, v)
	case Segment:
		return c.segment(at, v)
	case Group:
		if g := c.group(at, v, ofEvent); g != nil {
			return g
		}
		return nil
	}
	if v.Get(mType).Text() == "" {
		c.problem(at.Child(mType), "unfinished", "choose what to filter on")
		return nil
	}
	c.problem(at.Child(mType), "filter_type", "unknown filter type %q", v.Get(mType).Text())
	return nil
}

func (c *compiler) attribute(at doc.Path, v doc.Value) part {
	name, dataType, operator := v.Get(mName).Text(), v.Get(mDataType).Text(), v.Get(mOperator).Text()
	operand, known := catalog.OperandOf(dataType, operator)
	switch {
	case name == "":
		c.problem(at.Child(mName), "unfinished", "choose an attribute")
		return nil
	case dataType == "":
		c.problem(at.Child(mDataType), "unfinished", "choose the type of %s", name)
		return nil
	case catalog.Operators(dataType) == nil:
		c.problem(at.Child(mDataType), "data_type", "unknown data type %q", dataType)
		return nil
	case operator == "":
		c.problem(at.Child(mOperator), "unfinished", "choose how to compare %s", name)
		return nil
	case !known:
		c.problem(at.Child(mOperator), "operator", "the data type %s has no operator %q", dataType, operator)
		return nil
	case operand != catalog.NoOperand && v.Get(mValue).Empty():
		c.problem(at.Child(mValue), "unfinished", "enter a value to compare %s with", name)
		return nil
	}
	f := attribute{described: described{at, c.words.line(v)}, name: name, steps: dotted(name), negate: v.Get(mNegate).True()}
	if operand != catalog.NoOperand && hasExpression(v) {
		return c.dynamic(f, v)
	}
	if words, ok := catalog.FilterValue(v); !ok {
		c.problem(at.Child(mValue), "fits", "must be %s", words)
		return nil
	}
	test, ok := newComparison(v, v.Get(mValue), second(v), c.days)
	if !ok {
		c.problem(at.Child(mValue), "fits", "can't be compared with %s", name)
		return nil
	}
	f.test = test
	return &f
}

// second returns value1 if it is used.
func second(filter doc.Value) doc.Value {
	if filter.Get(mOperator).Text() == opBetween && filter.Get(mValue).Kind() != doc.Array {
		return filter.Get(mSecond)
	}
	return doc.Value{}
}

func (c *compiler) dynamic(f attribute, v doc.Value) part {
	if c.env.Resolve == nil {
		c.problem(f.path.Child(mValue), "dynamic", "this personalization can't be filled in here")
		return nil
	}
	resolve, days := c.env.Resolve, c.days
	return &dynamic{f, func(p *engine.User) (comparison, bool) {
		value, ok1 := resolved(v, v.Get(mValue), p, resolve)
		other, ok2 := resolved(v, second(v), p, resolve)
		if !ok1 || !ok2 {
			return nil, false
		}
		return newComparison(v, value, other, days)
	}}
}

// resolved returns a value with its expressions resolved, including those in a list.
func resolved(filter, v doc.Value, p *engine.User, resolve func(*engine.User, string) (string, bool)) (doc.Value, bool) {
	if v.Kind() == doc.Array {
		var out []doc.Value
		for _, e := range v.Elems() {
			one, ok := resolved(filter, e, p, resolve)
			if !ok {
				return doc.Value{}, false
			}
			out = append(out, one)
		}
		return doc.NewArray(out...), true
	}
	if !catalog.ExpressionValue(filter, v) {
		return v, true
	}
	text, ok := resolve(p, v.Text())
	return doc.NewString(text), ok
}

func hasExpression(filter doc.Value) bool {
	for _, v := range []doc.Value{filter.Get(mValue), second(filter)} {
		if catalog.ExpressionValue(filter, v) {
			return true
		}
		for _, e := range v.Elems() {
			if catalog.ExpressionValue(filter, e) {
				return true
			}
		}
	}
	return false
}

func (c *compiler) action(at doc.Path, v doc.Value) part {
	executed := v.Get(mExecuted)
	f := &action{
		described: described{at, c.words.line(v)}, event: v.Get(mEvent).Text(), times: 1,
		negate: executed.Kind() == doc.Bool && !executed.True(),
	}
	if f.event == "" {
		c.problem(at.Child(mEvent), "unfinished", "choose an event")
	}
	if execution := v.Get(mExecution); !execution.Empty() {
		countings := map[string]counting{"atleast": atLeast, "atmost": atMost, "exactly": exactly}
		how, ok := countings[execution.Get(mCounting).Text()]
		if !ok {
			c.problem(at.Join(doc.P(mExecution, mCounting)...), "unfinished", "choose at least, at most or exactly")
		}
		n, ok := execution.Get(mTimes).Int()
		if !ok || n < 0 {
			c.problem(at.Join(doc.P(mExecution, mTimes)...), "unfinished", "enter how many times: a whole number, 0 or more")
		}
		f.compare, f.times = how, int(min(n, 1<<31))
	}
	if f.negate && f.times == 0 { // both say that the event has not happened
		f.compare, f.times = atLeast, 1
	}
	f.condition = c.group(at.Child(mConditions), v.Get(mConditions), true)
	return f
}

func (c *compiler) segment(at doc.Path, v doc.Value) part {
	id, name := v.Get(mID).Text(), v.Get(mName).Text()
	i := slices.IndexFunc(c.env.Workspace.Segments, func(s engine.Segment) bool { return id != "" && s.ID == id })
	if i < 0 && id == "" {
		i = slices.IndexFunc(c.env.Workspace.Segments, func(s engine.Segment) bool { return s.Name == name })
	}
	switch {
	case id == "" && name == "":
		c.problem(at.Child(mName), "unfinished", "choose a segment")
		return nil
	case i < 0 && id != "":
		c.problem(at.Child(mID), "segment", "there is no segment with the ID %q in this workspace", id)
		return nil
	case i < 0:
		c.problem(at.Child(mName), "segment", "there is no segment named %q in this workspace", name)
		return nil
	}
	made := c.members(at, c.env.Workspace.Segments[i])
	if made == nil {
		return nil
	}
	f := *made
	f.described = described{at, c.words.line(v)}
	return &f
}

// members compiles a segment of the workspace, or returns nil.
func (c *compiler) members(at doc.Path, s engine.Segment) *membership {
	key := segmentKey{s.ID, s.Name}
	if made := c.segments[key]; made != nil {
		return made
	}
	if i := slices.Index(c.within, key); i >= 0 {
		var way []string
		for _, outer := range c.within[i:] {
			way = append(way, outer.name)
		}
		c.problem(at, cycle, "the segment %q refers to itself: %s", s.Name, strings.Join(append(way, s.Name), ", then "))
		return nil
	}
	f := &membership{name: s.Name, members: make(map[string]struct{}, len(s.Members))}
	for _, id := range s.Members {
		f.members[id] = struct{}{}
	}
	if group := s.Group(); group.Exists() {
		inner := &compiler{env: c.env, days: c.days, words: c.words, segments: c.segments, within: append(slices.Clone(c.within), key)}
		f.filters = inner.top(group)
		for _, p := range inner.problems {
			if p.Rule != ruleCycle {
				p.FormMessage = fmt.Sprintf("the segment %q can't be used: %s", s.Name, p.Text())
				p.Message = fmt.Sprintf("the segment %q can't be used: %s: %s", s.Name, p.Path, p.Message)
			}
			p.Path = at
			c.problems = append(c.problems, p)
		}
		if len(inner.problems) > 0 {
			return nil
		}
	}
	c.segments[key] = f
	return f
}

package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// Validate checks a document against the tables without changing it. It reports all problems in table order,
// up to [MaxProblems] errors; the last problem then has the rule [RuleMore]. Notices above the limit are left
// out.
func (s *Schema) Validate(root doc.Value, env Env) []Problem { return s.ValidateAt(root, nil, env) }

// ValidateAt checks only the value at p, evaluating conditions on the whole root. It reports what
// [Schema.Validate] reports below p.
func (s *Schema) ValidateAt(root doc.Value, p doc.Path, env Env) []Problem {
	c := checkers.Get().(*checker)
	c.env, c.schema, c.root, c.below = &env, s, root, p
	c.value(s.root, root, &scope{root: root})
	var found []Problem
	if len(c.problems) > 0 {
		found = slices.Clone(c.problems)
	}
	c.reset()
	checkers.Put(c)
	return found
}

// checker checks a document. It only formats paths and messages for problems, and reuses its buffers, so that
// checking a valid document allocates almost nothing.
type checker struct {
	env      *Env
	schema   *Schema
	root     doc.Value
	below    doc.Path // where problems are reported
	problems []Problem
	tallies  [Notice + 1]tally // by severity
	full     bool              // too many errors: the check stops
	listed   list              // the unique list being checked
	probe    bool              // only check if there is an error, and set full

	path    []doc.Step
	scopes  []scope // of the open objects
	members stack   // fields of the open objects in table order
	around  []doc.Value
}

var checkers = sync.Pool{New: func() any { return new(checker) }}

// reset drops references to the document.
func (c *checker) reset() {
	clear(c.path[:cap(c.path)])
	clear(c.scopes[:cap(c.scopes)])
	clear(c.members[:cap(c.members)])
	clear(c.around[:cap(c.around)])
	clear(c.problems)
	*c = checker{problems: c.problems[:0], path: c.path[:0], scopes: c.scopes[:0], members: c.members[:0], around: c.around[:0]}
}

// add adds a problem and returns it for completion, or nil if it is not listed.
func (c *checker) add(n *Node, key string, sev Severity, section, message, human string, below []doc.Step) *Problem {
	if c.probe {
		c.full = c.full || sev == Error
		return nil
	}
	if c.full || sev == Notice && c.tallies[sev].full() {
		return nil
	}
	if section == "" {
		section = n.Section
	}
	if sev == Error && serviceRules[key] && c.received(doc.Path(c.path).Join(below...)) {
		sev = Notice
	}
	p := Problem{
		Path: doc.Path(c.path).Join(below...), Rule: n.RuleID + "#" + key, Severity: sev, Message: message, Section: section,
		FormMessage: differing(n.forPeople(human), message),
	}
	if !p.Path.HasPrefix(c.below) {
		return nil
	}
	if c.tallies[sev].full() {
		c.full = true
		p = Problem{Path: c.below, Rule: RuleMore, Message: fmt.Sprintf("has more problems than the %d listed here; fix these, then check again", c.tallies[sev].count), Section: c.schema.root.Section}
	}
	c.tallies[sev].add(p)
	c.problems = append(c.problems, p)
	return &c.problems[len(c.problems)-1]
}

// serviceRules are the rules that a value from a service may break, because the service knows more names,
// values and formats than the tables. Missing and contradictory values are errors in any case.
var serviceRules = map[string]bool{
	"unknown": true, "applies": true, "enum": true, "type": true,
	Pattern{}.Key(): true, string(URI): true, string(Email): true, string(Zone): true, string(Color): true,
}

// received reports whether the value at p is unchanged since the service returned it.
func (c *checker) received(p doc.Path) bool {
	was, is := c.env.Record.Lookup(p), c.root.Lookup(p)
	return was.Exists() && (was.Same(is) || identical(was, is))
}

func (c *checker) report(n *Node, key string, sev Severity, section, message string, below ...doc.Step) {
	c.add(n, key, sev, section, message, message, below)
}

// reportBoth reports a problem whose message names options or fields, for both audiences.
func (c *checker) reportBoth(n *Node, key, section string, say func(audience) string, below ...doc.Step) {
	if c.probe {
		c.full = true
		return
	}
	c.add(n, key, Error, section, say(wire), say(people), below)
}

func (c *checker) push(s doc.Step) { c.path = append(c.path, s) }
func (c *checker) pop()            { c.path = c.path[:len(c.path)-1] }

// value checks v, which exists. sc is the object around it.
func (c *checker) value(n *Node, v doc.Value, sc *scope) {
	if !n.Accepts(v) {
		if _, ok := ReadTime(v.Text(), time.UTC); ok && n.Kind == Time && c.received(c.path) {
			return
		}
		c.reportBoth(n, "type", "", func(say audience) string { return c.mustBe(say, n, v, sc) })
		return
	}
	switch n.Kind {
	case Object, Map:
		c.scopes = append(c.scopes, scope{obj: v, up: sc, root: c.root})
		c.object(n, v, &c.scopes[len(c.scopes)-1])
		c.scopes = c.scopes[:len(c.scopes)-1]
	case List:
		before := c.listed
		if c.listed = (list{}); n.prepared.unique {
			c.listed = list{n.Element, v}
		}
		for i, e := range v.Elems() {
			if c.full {
				break
			}
			c.push(doc.Index(i))
			c.value(n.Element, e, sc)
			c.pop()
		}
		c.listed = before
	default:
		if len(n.Options) > 0 {
			c.option(n, v, sc)
		}
	}
	for i := range n.prepared.checks {
		if k := &n.prepared.checks[i]; !c.full && k.holds(sc, c.env) {
			c.rule(n, k, v, sc)
		}
	}
}

func (c *checker) object(n *Node, v doc.Value, inside *scope) {
	base, at, more := c.members.push(len(n.Children)), -1, false
	for name, m := range v.Members() {
		if i := n.place(name, at); i >= 0 {
			c.members[base+i], at = m, i
		} else {
			more = true
		}
	}
	for i, child := range n.Children {
		if c.full {
			break
		}
		c.member(child, c.members[base+i], inside)
	}
	c.members = c.members[:base]
	if more {
		c.further(n, v, inside)
	}
}

// further checks the members that are not in the table.
func (c *checker) further(n *Node, v doc.Value, inside *scope) {
	for name, m := range v.Members() {
		if n.names[name] != nil {
			continue
		}
		if c.full {
			return
		}
		c.push(doc.Name(name))
		response := n.response(name)
		switch {
		case response != nil && c.received(c.path):
		case response != nil:
			c.report(n, "unknown", Error, "", "only responses have this field; "+response.instead())
		case n.Element != nil:
			c.value(n.Element, m, inside)
		case n.Open:
			c.report(n, "extra_member", Notice, "", "unknown field; kept unchanged")
		default:
			c.reportBoth(n, "unknown", "", func(say audience) string { return c.unknown(say, n, name, v, inside) })
		}
		c.pop()
	}
}

// member checks one field of an object, which may be absent.
func (c *checker) member(n *Node, v doc.Value, in *scope) {
	if !v.Exists() {
		if n.prepared.stages.Covers(c.env.stage()) && n.prepared.stages != 0 && n.prepared.applies.ask(in, c.env) == True && n.prepared.used.ask(in, c.env) == True {
			c.checkRequired(n, in, doc.Name(n.Name))
		}
		return
	}
	c.push(doc.Name(n.Name))
	c.present(n, v, in)
	c.pop()
}

func (c *checker) present(n *Node, v doc.Value, in *scope) {
	applies := n.prepared.applies.ask(in, c.env)
	if applies == False {
		c.report(n, "applies", Error, "", c.misplaced(n, in)+"; remove it")
		return
	}
	used := n.prepared.used.ask(in, c.env)
	if used == False {
		c.report(n, "unused", Notice, "", c.ignored(n, in))
	}
	if v.Empty() && v.Kind() != doc.Null && applies == True && used == True && c.checkRequired(n, in) {
		return
	}
	c.value(n, v, in)
}

// checkRequired reports a missing required field, and returns whether it did.
func (c *checker) checkRequired(n *Node, in *scope, below ...doc.Step) bool {
	for i, r := range n.Required {
		if r.At.Covers(c.env.stage()) && n.prepared.required[i].ask(in, c.env) == True {
			c.reportBoth(n, RequiredKey(i), r.Ref, func(v audience) string { return c.missing(v, n, r, in) }, below...)
			return true
		}
	}
	return false
}

// missing returns the message that the field n is required, and how to fill it in. For users the instruction
// is enough unless another field makes it required.
func (c *checker) missing(say audience, n *Node, r Required, in *scope) string {
	msg := "required"
	if kind, _ := c.schema.kindOfDocument(n.Parent, r.When); r.When != nil && (kind == "" || say == wire) {
		msg += " " + c.schema.when(n.Parent, r.When)
	}
	how := func(what string) string {
		if say == people && msg == "required" {
			return what
		}
		return msg + "; " + what
	}
	if options := n.optionWords(say, c.offered(n, in)); len(options) > 0 && len(n.Options) <= 6 {
		return how("choose " + orList(options))
	}
	if e := n.Element; n.Kind == List && len(e.Options) > 0 && len(e.Options) <= 6 {
		return how("choose one or more of " + strings.Join(e.optionWords(say, c.offered(e, in)), ", "))
	}
	switch {
	case n.Kind == Bool && say == people:
		return how("turn it on or off")
	case n.Noun != "":
		return how("add " + n.Noun)
	}
	if example := c.example(n, in); example != "" {
		return msg + ", for example " + say.example(n, example)
	}
	if names := c.configured(n, in); len(names) > 0 {
		return how("choose " + orList(names[:min(8, len(names))]))
	}
	return msg
}

func (c *checker) option(n *Node, v doc.Value, sc *scope) {
	got := v.Text()
	if v.Kind() == doc.Number {
		got = v.Literal()
	}
	for i := range n.Options {
		o := &n.Options[i]
		if !o.same(got, v) {
			continue
		}
		if n.prepared.offered[i].ask(sc, c.env) == False {
			c.reportBoth(n, "enum", "", func(say audience) string { return c.elsewhere(say, n, o, got, sc) })
		}
		return
	}
	if _, ok := n.ResponseValues[got]; ok && c.received(c.path) {
		return
	}
	c.reportBoth(n, "enum", "", func(say audience) string {
		offered := c.offered(n, sc)
		near := phrase.Nearest(got, n.optionWords(wire, offered))
		msg := "unknown value " + quoteShort(got)
		if near != "" {
			return msg + "; did you mean " + n.optionWord(say, near) + "? Allowed: " + strings.Join(n.optionWords(say, offered), ", ")
		}
		return msg + "; choose " + orList(n.optionWords(say, offered))
	})
}

func (c *checker) elsewhere(say audience, n *Node, o *Option, got string, sc *scope) string {
	named := quoteShort(got)
	if say == people {
		named = o.Title()
	}
	msg := named + " is available " + c.schema.only(n.Parent, o.When)
	if misfit := c.misfit(n, o.When, sc); misfit != "" {
		msg = named + " is not available for " + misfit
	}
	if options := n.optionWords(say, c.offered(n, sc)); len(options) > 0 {
		msg += "; choose " + orList(options)
	}
	return msg
}

// misplaced returns why the field n is not allowed in the object of in.
func (c *checker) misplaced(n *Node, in *scope) string {
	misfit := c.misfit(n, n.Applies, in)
	if misfit == "" {
		return "allowed " + c.schema.only(n.Parent, n.Applies)
	}
	if n.Noun == "" {
		return misfit + " don't use this field"
	}
	return misfit + " don't use " + n.Noun
}

// ignored returns why the field n of the object of in is not used.
func (c *checker) ignored(n *Node, in *scope) string {
	if misfit := c.misfit(n, n.Used, in); misfit != "" {
		return "saved, but ignored: " + misfit + " don't use this field"
	}
	used := n.Used
	if any, ok := used.(AnyOf); ok { // taking away what decides is no advice
		used = AnyOf(slices.DeleteFunc(slices.Clone(any), func(c Cond) bool { not, ok := c.(Not); return ok && isHas(not.C) }))
	}
	return "saved, but ignored unless " + c.schema.Words(n.Parent, used)
}

func isHas(c Cond) bool { _, ok := c.(Has); return ok }

// misfit returns the kind of document that the condition of n excludes, such as "One-time campaigns", or "".
func (c *checker) misfit(n *Node, cond Cond, in *scope) string {
	if c.schema.root.Plural == "" {
		return ""
	}
	switch cc := cond.(type) {
	case Not:
		cond = cc.C
	case All:
		for _, part := range cc {
			if in.eval(part, c.env) == False {
				return c.misfit(n, part, in)
			}
		}
	}
	is, ok := cond.(Is)
	if !ok || !ofDocument(is.Path) {
		return ""
	}
	ref := parseRef(is.Path)
	v, _ := in.lookup(&ref)
	return clip(c.schema.labels(n.Parent, is.Path, []string{v.Text()})[0], 40) + " " + c.schema.root.Plural
}

func (o *Option) same(got string, v doc.Value) bool {
	if got == o.Value {
		return true
	}
	if v.Kind() != doc.Number {
		return false
	}
	f, ok := v.Float()
	want, err := strconv.ParseFloat(o.Value, 64)
	return ok && err == nil && f == want
}

// Accepts reports whether a value has the node's kind.
func (n *Node) Accepts(v doc.Value) bool {
	switch n.Kind {
	case Any:
		return true
	case String:
		return v.Kind() == doc.String
	case Integer:
		_, ok := v.Int()
		return ok
	case Number:
		return v.Kind() == doc.Number
	case Bool:
		return v.Kind() == doc.Bool
	case Time:
		return v.Kind() == doc.String && (HasExpression(v.Text()) && n.Template || DateTime.Matches(v.Text()))
	case Object, Map:
		return v.Kind() == doc.Object
	case List:
		return v.Kind() == doc.Array
	}
	return false
}

func (c *checker) mustBe(say audience, n *Node, v doc.Value, sc *scope) string {
	if n.Kind == Time && say == people {
		return unreadDate
	}
	got := v.Kind().String()
	if v.Literal() != "" && v.Kind() != doc.Null {
		got = spelled(clip(v.Literal(), 40))
	} else if v.Kind() == doc.Object || v.Kind() == doc.Array {
		got = "an " + got
	}
	wanted := n.Kind.wanted()
	switch {
	case n.Kind == String && say == people:
		wanted = "text"
	case n.Kind == Time && !c.probe:
		wanted = c.wantedTime(n, sc)
	}
	return "must be " + wanted + ", not " + got
}

// wanted describes a value of the kind for the user.
func (k Kind) wanted() string {
	switch k {
	case Integer:
		return "a whole number"
	case Bool:
		return "true or false"
	case Time:
		return DateTime.Requirement()
	case Object, Map, List:
		return "an " + k.String()
	}
	return "a " + k.String()
}

package schema

import (
	"slices"
	"strconv"
	"strings"

	"bugle/engine/doc"
)

// Validate checks a document against the tables. It reports every problem, in the order of
// the tables, and never changes the document.
func (s *Schema) Validate(root doc.Value, env Env) []Problem {
	c := checker{env: &env, schema: s, root: root}
	c.value(s.root, root, &scope{root: root})
	return c.problems
}

// ValidateAt checks the value at p alone, with the conditions that the whole root gives it:
// what [Schema.Validate] reports below p.
func (s *Schema) ValidateAt(root doc.Value, p doc.Path, env Env) []Problem {
	var out []Problem
	for _, pr := range s.Validate(root, env) {
		if pr.Path.HasPrefix(p) {
			out = append(out, pr)
		}
	}
	return out
}

type checker struct {
	env      *Env
	schema   *Schema
	root     doc.Value
	path     []doc.Step
	problems []Problem
}

func (c *checker) report(n *Node, key string, sev Severity, section, message string, below ...doc.Step) {
	if section == "" {
		section = n.Section
	}
	c.problems = append(c.problems, Problem{
		Path: doc.Path(c.path).Join(below...), Rule: n.RuleID + "#" + key, Severity: sev, Message: message, Section: section,
		Human: differing(n.forPeople(message), message),
	})
}

// tell reports a problem whose message names options or members: it is said in both voices.
func (c *checker) tell(n *Node, key, section string, say func(voice) string) {
	c.report(n, key, Error, section, say(wire))
	p := &c.problems[len(c.problems)-1]
	p.Human = differing(n.forPeople(say(people)), p.Message)
}

func (c *checker) push(s doc.Step) { c.path = append(c.path, s) }
func (c *checker) pop()            { c.path = c.path[:len(c.path)-1] }

// value checks v, which exists, as n says. sc is the object around it.
func (c *checker) value(n *Node, v doc.Value, sc *scope) {
	if !n.fits(v) {
		c.report(n, "type", Error, "", n.mustBe(v))
		return
	}
	switch n.Kind {
	case Object, Map:
		c.object(n, v, &scope{obj: v, up: sc, root: c.root})
	case List:
		for i, e := range v.Elems() {
			c.push(doc.Index(i))
			c.value(n.Element, e, sc)
			c.pop()
		}
	default:
		if len(n.Options) > 0 {
			c.option(n, v, sc)
		}
	}
	for _, r := range n.Rules {
		c.rule(n, r, v, sc, "")
	}
}

func (c *checker) object(n *Node, v doc.Value, inside *scope) {
	for _, child := range n.Children {
		m := v.Get(child.Name)
		c.push(doc.Name(child.Name))
		c.member(child, m, inside)
		c.pop()
	}
	for name, m := range v.Members() {
		if n.names[name] != nil {
			continue
		}
		c.push(doc.Name(name))
		switch {
		case n.Element != nil:
			c.value(n.Element, m, inside)
		case n.Open:
			c.report(n, "extra_member", Notice, "", "is not in the specification; it is kept as it is")
		default:
			c.tell(n, "unknown", "", func(v voice) string { return n.unknown(v, name) })
		}
		c.pop()
	}
}

// member checks one field of an object, be it there or not.
func (c *checker) member(n *Node, v doc.Value, in *scope) {
	applies := in.eval(n.Applies, c.env)
	if v.Exists() && applies == False {
		c.report(n, "applies", Error, "", "applies only when "+c.schema.Words(n.Parent, n.Applies)+"; remove it")
		return
	}
	used := in.eval(n.Used, c.env)
	if v.Exists() && used == False {
		c.report(n, "unused", Notice, "", "is kept but not used: it counts only when "+c.schema.Words(n.Parent, n.Used))
	}
	if v.Empty() && v.Kind() != doc.Null && applies == True && used == True {
		for i, r := range n.Required {
			if r.At.covers(c.env.stage()) && in.eval(r.When, c.env) == True {
				c.tell(n, requiredKey(i), r.Ref, func(v voice) string { return c.missing(v, n, r) })
				return
			}
		}
	}
	if v.Exists() {
		c.value(n, v, in)
	}
}

func (c *checker) missing(say voice, n *Node, r Required) string {
	msg := "is required"
	if r.When != nil {
		msg += " when " + c.schema.Words(n.Parent, r.When)
	}
	switch {
	case len(n.Options) > 0 && len(n.Options) <= 6:
		msg += "; choose " + orList(n.optionWords(say, nil))
	case n.Example != "":
		msg += ", such as " + n.Example
	}
	return msg
}

func (c *checker) option(n *Node, v doc.Value, sc *scope) {
	got := v.Text()
	if v.Kind() == doc.Number {
		got = v.Literal()
	}
	for _, o := range n.Options {
		if !o.same(got, v) {
			continue
		}
		if sc.eval(o.When, c.env) == False {
			c.tell(n, "enum", "", func(say voice) string {
				named := quoteShort(got)
				if say == people {
					named = o.Title()
				}
				return named + " is offered only when " + c.schema.Words(n.Parent, o.When) + "; here choose " + orList(n.optionWords(say, sc.offered(n, c.env)))
			})
		}
		return
	}
	c.tell(n, "enum", "", func(say voice) string {
		msg := quoteShort(got) + " is no option"
		offered := sc.offered(n, c.env)
		if near := nearest(got, n.optionWords(wire, offered)); near != "" {
			msg += "; did you mean " + n.optionWord(say, near) + "? Allowed: "
		} else {
			msg += "; allowed: "
		}
		return msg + strings.Join(n.optionWords(say, offered), ", ")
	})
}

func (o Option) same(got string, v doc.Value) bool {
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

func (sc *scope) offered(n *Node, env *Env) func(Option) bool {
	return func(o Option) bool { return sc.eval(o.When, env) != False }
}

func (n *Node) fits(v doc.Value) bool {
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

func (n *Node) mustBe(v doc.Value) string {
	want := map[Kind]string{
		String: "a string", Integer: "a whole number", Number: "a number", Bool: "true or false",
		Time: DateTime.Words(), Object: "an object", Map: "an object", List: "an array",
	}[n.Kind]
	got := v.Kind().String()
	if v.Literal() != "" && v.Kind() != doc.Null {
		got = clip(v.Literal(), 40)
	} else if v.Kind() == doc.Object || v.Kind() == doc.Array {
		got = "an " + got
	}
	return "must be " + want + ", not " + got
}

func (n *Node) unknown(say voice, name string) string {
	var known, shown []string
	for _, ch := range n.Children {
		known = append(known, ch.Name)
		shown = append(shown, say.member(ch))
	}
	msg := "is not a member that the specification knows here"
	if near := nearest(name, known); near != "" {
		return msg + "; did you mean " + say.member(n.names[near]) + "?"
	}
	if len(known) > 0 && len(known) <= 12 {
		slices.Sort(shown)
		msg += "; it knows " + strings.Join(shown, ", ")
	}
	return msg
}

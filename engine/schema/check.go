package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// rule checks v, which has the right kind, with a rule that applies.
func (c *checker) rule(n *Node, k *check, v doc.Value, sc *scope) {
	switch r := k.rule.(type) {
	case Forbidden:
		if k.forbids.ask(sc, c.env) == True {
			c.breach(n, k, "not allowed "+c.schema.when(n.Parent, r.When)+"; remove it")
		}
	case Range:
		if f, ok := v.Float(); ok && (f < r.Min || f > r.Max) {
			c.breach(n, k, "must be "+r.words()+", not "+clip(v.Literal(), 30))
		}
	case Named:
		c.named(n, k, r, v, sc)
	case Excludes:
		c.excluded(n, k, r, v)
	case Length, Pattern, Format, Configured, Expressions:
		if v.Kind() == doc.String {
			if msg := c.text(n, r, v.Text(), sc); msg != "" {
				c.breach(n, k, msg)
			}
		}
	case Items:
		if l := v.Len(); l < r.Min || r.Max > 0 && l > r.Max {
			c.breach(n, k, fmt.Sprintf("must have %s, not %d", count(r.Min, r.Max, "item"), l))
		}
	case Unique:
		c.unique(n, k, v)
	case Keys, Extra:
		c.names(n, k, v)
	case OneTrue, NotBoth, OneOf:
		if msg := group(wire, n, r, v); msg != "" {
			if p := c.add(n, k.rule.Key(), Error, k.section, msg, msg, nil); p != nil && p.Rule != RuleMore {
				p.FormMessage = differing(group(people, n, r, v), msg)
			}
		}
	}
}

// breach reports a rule's violation.
func (c *checker) breach(n *Node, k *check, message string, below ...doc.Step) {
	c.add(n, k.rule.Key(), Error, k.section, message, message, below)
}

func (c *checker) named(n *Node, k *check, r Named, v doc.Value, sc *scope) {
	c.around = c.around[:0]
	for up := sc.up; up != nil; up = up.up {
		c.around = append(c.around, up.obj)
	}
	for _, f := range r.Check(Place{Value: v, Object: sc.obj, Around: c.around, Root: c.root, Env: c.env}) {
		human := f.FormMessage
		if human == "" {
			human = n.forPeople(f.Message)
		}
		if p := c.add(n, k.rule.Key(), Error, k.section, f.Message, f.Message, f.Path); p != nil && p.Rule != RuleMore {
			p.FormMessage = differing(human, f.Message)
		}
	}
}

func (c *checker) excluded(n *Node, k *check, r Excludes, v doc.Value) {
	if s := v.Text(); v.Kind() == doc.String && slices.Contains(r.Values, s) {
		c.breach(n, k, "must not be "+quoteShort(s)+": "+r.Text)
	}
	for i, e := range v.Elems() {
		if c.full {
			return
		}
		if e.Kind() == doc.String && slices.Contains(r.Values, e.Text()) {
			c.breach(n, k, quoteShort(e.Text())+" must not be listed: "+r.Text, doc.Index(i))
		}
	}
}

// text returns what is wrong with a string, or "".
func (c *checker) text(n *Node, r Rule, s string, sc *scope) string {
	switch r := r.(type) {
	case Length:
		if l := utf8.RuneCountInString(s); l < r.Min || r.Max > 0 && l > r.Max {
			return fmt.Sprintf("must have %s characters, not %d", between(r.Min, r.Max), l)
		}
	case Pattern:
		if !r.Re.MatchString(s) {
			return "must be " + r.Text + ", not " + quoteShort(s)
		}
	case Format:
		if s != "" && (r.Plain || !HasExpression(s)) && !r.As.Matches(s) {
			return "must be " + r.As.Requirement() + ", not " + quoteShort(s)
		}
	case Configured:
		names, known := c.env.list(r.List)
		if s == "" || !known || slices.Contains(names, s) {
			return ""
		}
		what := strings.ReplaceAll(r.List, "_", " ")
		if len(names) == 0 {
			return "the workspace has no " + what + " yet; add one first"
		}
		msg := quoteShort(s) + " is not one of the workspace's " + what
		if c.probe {
			return msg
		}
		names = c.configured(n, sc)
		if near := phrase.Nearest(s, names); near != "" {
			return msg + "; did you mean " + near + "?"
		}
		if len(names) == 0 {
			return msg
		}
		return msg + ": " + strings.Join(names[:min(8, len(names))], ", ")
	case Expressions:
		if c.env.Expression == nil || !strings.Contains(s, "{") {
			return ""
		}
		if err := c.env.Expression(s); err != nil {
			return "has a personalization error: " + err.Error()
		}
	}
	return ""
}

func (c *checker) unique(n *Node, k *check, v doc.Value) {
	const few = 16 // are compared each with each
	var seen map[string]bool
	if v.Len() > few {
		seen = make(map[string]bool, v.Len())
	}
	for i, e := range v.Elems() {
		if c.full {
			return
		}
		twice := false
		if seen != nil {
			twice = seen[identity(e)]
			seen[identity(e)] = true
		}
		for j := 0; seen == nil && j < i && !twice; j++ {
			twice = identical(v.At(j), e)
		}
		if twice {
			c.breach(n, k, clip(string(e.Encode()), 40)+" is listed twice", doc.Index(i))
		}
	}
}

// identity returns a key that is equal for equal elements of a unique list.
func identity(e doc.Value) string {
	if e.Kind() == doc.String {
		return "s" + e.Text()
	}
	return string(e.Encode())
}

func identical(a, b doc.Value) bool {
	if a.Kind() == doc.String && b.Kind() == doc.String {
		return a.Text() == b.Text()
	}
	return a.Kind() == b.Kind() && identity(a) == identity(b)
}

func (c *checker) names(n *Node, k *check, v doc.Value) {
	extra := 0
	for name := range v.Members() {
		if n.names[name] != nil {
			continue
		}
		extra++
		if r, ok := k.rule.(Keys); ok && !r.Re.MatchString(name) {
			c.breach(n, k, "the name "+quoteShort(name)+" must be "+r.Text, doc.Name(name))
		}
	}
	if x, ok := k.rule.(Extra); ok && extra > x.Max {
		c.breach(n, k, fmt.Sprintf("has %d fields of its own; at most %d are allowed", extra, x.Max))
	}
}

// group returns the message for a rule about several fields.
func group(say audience, n *Node, r Rule, v doc.Value) string {
	switch r := r.(type) {
	case OneTrue:
		on := 0
		for _, f := range r.Fields {
			if v.Get(f).True() {
				on++
			}
		}
		if on != 1 {
			if say == people {
				return fmt.Sprintf("turn on exactly one of %s; %d are on", n.both(say, r.Fields, orList), on)
			}
			return fmt.Sprintf("exactly one of %s must be true; %d are", n.both(say, r.Fields, commaList), on)
		}
	case NotBoth:
		var there []string
		for _, f := range r.Fields {
			if !v.Get(f).Empty() {
				there = append(there, f)
			}
		}
		if len(there) > 1 {
			return "use " + n.both(say, there, orList) + ", not both"
		}
	case OneOf:
		for _, f := range r.Fields {
			if !v.Get(f).Empty() {
				return ""
			}
		}
		return "add " + n.both(say, r.Fields, orList)
	}
	return ""
}

// both lists fields by their titles and, for the API, by their wire names.
func (n *Node) both(say audience, names []string, list func([]string) string) string {
	titles := make([]string, len(names))
	for i, name := range names {
		titles[i] = name
		if c := n.names[name]; c != nil {
			titles[i] = c.Label()
		}
	}
	if say == people {
		return list(titles)
	}
	return list(titles) + " (" + strings.Join(names, ", ") + ")"
}

func commaList(ss []string) string { return strings.Join(ss, ", ") }

func (r Range) words() string {
	lo, hi := number(r.Min), number(r.Max)
	switch {
	case math.IsInf(r.Max, 1):
		return "at least " + lo
	case math.IsInf(r.Min, -1):
		return "at most " + hi
	}
	return "between " + lo + " and " + hi
}

func number(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if len(s) < 5 || strings.Contains(s, ".") {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func between(lo, hi int) string {
	switch {
	case hi == 0:
		return "at least " + strconv.Itoa(lo)
	case lo == 0:
		return "at most " + strconv.Itoa(hi)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

func count(lo, hi int, noun string) string {
	s := between(lo, hi) + " " + noun
	if hi != 1 && (hi != 0 || lo != 1) {
		s += "s"
	}
	return s
}

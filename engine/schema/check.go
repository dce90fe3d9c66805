package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
)

// rule checks v, which fits its kind, by one rule. section is a guard's, or empty.
func (c *checker) rule(n *Node, r Rule, v doc.Value, sc *scope, section string) {
	fail := func(msg string, below ...doc.Step) { c.report(n, r.key(), Error, section, msg, below...) }
	switch r := r.(type) {
	case Guard:
		if r.At.covers(c.env.stage()) && sc.eval(r.When, c.env) == True {
			c.rule(n, r.Rule, v, sc, r.Ref)
		}
	case Forbidden:
		if sc.eval(r.When, c.env) == True {
			fail("must be absent when " + c.schema.Words(n.Parent, r.When) + "; remove it")
		}
	case Range:
		if f, ok := v.Float(); ok && (f < r.Min || f > r.Max) {
			fail("must be " + r.words() + ", not " + clip(v.Literal(), 30))
		}
	case Named:
		place := Place{Value: v, Object: sc.obj, Root: c.root, Env: c.env}
		for up := sc.up; up != nil; up = up.up {
			place.Around = append(place.Around, up.obj)
		}
		for _, f := range r.Check(place) {
			fail(f.Message, f.Path...)
		}
	case Length, Pattern, Format, Configured, Expressions, Excludes:
		if v.Kind() == doc.String {
			if msg := c.text(r, v.Text()); msg != "" {
				fail(msg)
			}
		}
		if ex, ok := r.(Excludes); ok {
			for i, e := range v.Elems() {
				if e.Kind() == doc.String && slices.Contains(ex.Values, e.Text()) {
					fail(quoteShort(e.Text())+" must not be listed: "+ex.Says, doc.Index(i))
				}
			}
		}
	case Items, Unique:
		c.items(r, v, fail)
	case Keys, Extra:
		c.names(n, r, v, fail)
	case OneTrue, NotBoth, OneOf:
		if msg := group(wire, n, r, v); msg != "" {
			fail(msg)
			c.problems[len(c.problems)-1].Human = differing(group(people, n, r, v), msg)
		}
	}
}

// text gives what is wrong with a string, or "".
func (c *checker) text(r Rule, s string) string {
	switch r := r.(type) {
	case Length:
		if l := utf8.RuneCountInString(s); l < r.Min || r.Max > 0 && l > r.Max {
			return fmt.Sprintf("must have %s characters, not %d", between(r.Min, r.Max), l)
		}
	case Pattern:
		if !r.Re.MatchString(s) {
			return "must be " + r.Says + ", not " + quoteShort(s)
		}
	case Format:
		if s != "" && (r.Plain || !HasExpression(s)) && !r.As.Matches(s) {
			return "must be " + r.As.Words() + ", not " + quoteShort(s)
		}
	case Configured:
		names, known := c.env.list(r.List)
		if s == "" || !known || slices.Contains(names, s) {
			return ""
		}
		what := strings.ReplaceAll(r.List, "_", " ")
		if len(names) == 0 {
			return "the workspace has no " + what + " yet; configure one first"
		}
		msg := quoteShort(s) + " is not among the workspace's " + what
		if near := nearest(s, names); near != "" {
			return msg + "; did you mean " + near + "?"
		}
		return msg + ": " + strings.Join(names[:min(8, len(names))], ", ")
	case Expressions:
		if c.env.Expression == nil || !strings.Contains(s, "{") {
			return ""
		}
		if err := c.env.Expression(s); err != nil {
			return "has an expression that does not parse: " + err.Error()
		}
	case Excludes:
		if slices.Contains(r.Values, s) {
			return "must not be " + quoteShort(s) + ": " + r.Says
		}
	}
	return ""
}

func (c *checker) items(r Rule, v doc.Value, fail func(string, ...doc.Step)) {
	switch r := r.(type) {
	case Items:
		if l := v.Len(); l < r.Min || r.Max > 0 && l > r.Max {
			fail(fmt.Sprintf("must have %s, not %d", count(r.Min, r.Max, "item"), l))
		}
	case Unique:
		seen := make(map[string]bool, v.Len())
		for i, e := range v.Elems() {
			key := string(e.Encode())
			if e.Kind() == doc.String {
				key = "s" + e.Text()
			}
			if seen[key] {
				fail(clip(string(e.Encode()), 40)+" is listed twice", doc.Index(i))
			}
			seen[key] = true
		}
	}
}

func (c *checker) names(n *Node, r Rule, v doc.Value, fail func(string, ...doc.Step)) {
	extra := 0
	for name := range v.Members() {
		if n.names[name] != nil {
			continue
		}
		extra++
		if k, ok := r.(Keys); ok && !k.Re.MatchString(name) {
			fail("the name "+quoteShort(name)+" must be "+k.Says, doc.Name(name))
		}
	}
	if x, ok := r.(Extra); ok && extra > x.Max {
		fail(fmt.Sprintf("has %d members of its own, and %d are allowed", extra, x.Max))
	}
}

// group gives what is wrong with a set of members, named as people and as the wire know them.
func group(say voice, n *Node, r Rule, v doc.Value) string {
	switch r := r.(type) {
	case OneTrue:
		on := 0
		for _, f := range r.Fields {
			if v.Get(f).True() {
				on++
			}
		}
		if on != 1 {
			return fmt.Sprintf("exactly one of %s must be true, and %d are", n.both(say, r.Fields, commaList), on)
		}
	case NotBoth:
		var there []string
		for _, f := range r.Fields {
			if !v.Get(f).Empty() {
				there = append(there, f)
			}
		}
		if len(there) > 1 {
			return n.both(say, there, andList) + " exclude each other; keep one"
		}
	case OneOf:
		for _, f := range r.Fields {
			if !v.Get(f).Empty() {
				return ""
			}
		}
		return "needs " + n.both(say, r.Fields, orList)
	}
	return ""
}

// both gives members by their titles, and for the wire then by their names there.
func (n *Node) both(say voice, names []string, list func([]string) string) string {
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
func andList(ss []string) string   { return strings.Join(ss, " and ") }

func (r Range) words() string {
	lo, hi := number(r.Min), number(r.Max)
	switch {
	case math.IsInf(r.Max, 1):
		return "at least " + lo
	case math.IsInf(r.Min, -1):
		return "at most " + hi
	}
	return "from " + lo + " to " + hi
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

package schema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bugle/engine/doc"
)

// SpanParts returns the paths of the fields of the time span whose amount n is at p, the amount first.
func (n *Node) SpanParts(p doc.Path) []doc.Path {
	object, sp := p.Parent(), n.Span
	out := []doc.Path{p, object.Child(sp.Unit)}
	if sp.Side != "" {
		out = append(out, object.Child(sp.Side))
	}
	if sp.Date != "" {
		first, _, _ := strings.Cut(sp.Date, ".")
		out = append(out, object.Child(first))
	}
	return out
}

// InSpan reports whether n is a part of a time span other than its amount.
func (n *Node) InSpan() bool {
	if n.Parent == nil {
		return false
	}
	return slices.ContainsFunc(n.Parent.Children, func(c *Node) bool {
		if c.Span == nil || c == n {
			return false
		}
		return slices.ContainsFunc(c.SpanParts(doc.P(c.Name)), func(p doc.Path) bool { return p.Equal(doc.P(n.Name)) })
	})
}

// SpanText describes the time span whose amount is n in the object obj: "2 hours after the event". It returns
// "" if there is none, and false if its parts cannot be expressed as text.
func (n *Node) SpanText(obj doc.Value) (string, bool) {
	amount := obj.Get(n.Name)
	unit, ok1 := n.Parent.partWord(obj, n.Span.Unit)
	side, ok2 := n.Parent.partWord(obj, n.Span.Side)
	date, ok3 := n.spanDate(obj)
	if !ok1 || !ok2 || !ok3 {
		return "", false
	}
	var number string
	switch amount.Kind() {
	case doc.Absent:
		if unit == "" && side == "" && date == "" {
			return "", true
		}
		number = "…"
	case doc.Number:
		number = amount.Literal()
	case doc.String:
		if number = amount.Text(); !spanAmount.MatchString(number) {
			return number, true // not a number yet
		}
	default:
		return "", false
	}
	words := []string{number}
	if unit != "" {
		words = append(words, counted(number, unit))
	}
	if side != "" {
		words = append(words, side)
		if date != "" {
			words = append(words, date)
		} else if side == n.Parent.optionLower(n.Span.Side, n.Span.Default) {
			words = append(words, n.Span.Event)
		}
	} else if date != "" {
		return "", false
	}
	return strings.Join(words, " "), true
}

// counted returns a unit in the singular or plural for an amount: "1 hour", "2 hours".
func counted(amount, unit string) string {
	if amount == "1" {
		return strings.TrimSuffix(unit, "s")
	}
	return unit
}

var spanAmount = regexp.MustCompile(`^[0-9]{1,9}(\.0+)?$`)

// partWord returns the value of a field as the label of an option, or false if it has another value.
func (n *Node) partWord(obj doc.Value, name string) (string, bool) {
	if name == "" {
		return "", true
	}
	v := obj.Get(name)
	if !v.Exists() {
		return "", true
	}
	word := n.optionLower(name, v.Text())
	return word, word != ""
}

func (n *Node) optionLower(name, value string) string {
	if c := n.Child(name); c != nil {
		for _, o := range c.Options {
			if o.Value == value {
				return strings.ToLower(o.Title())
			}
		}
	}
	return ""
}

// spanDate returns the name of the date that a span refers to, or false if the object contains more than
// that.
func (n *Node) spanDate(obj doc.Value) (string, bool) {
	if n.Span.Date == "" {
		return "", true
	}
	first, rest, _ := strings.Cut(n.Span.Date, ".")
	in := obj.Get(first)
	switch {
	case !in.Exists() || in.Kind() == doc.Object && in.Len() == 0:
		return "", true
	case in.Kind() != doc.Object || in.Len() != 1 || in.Get(rest).Kind() != doc.String:
		return "", false
	}
	return in.Get(rest).Text(), true
}

// span is a parsed time span with wire values.
type span struct{ amount, unit, side, date string }

// SetSpan sets the time span that a user typed, such as "2h" or "1 day before departure_time", in root. n is
// the node of its amount and p the amount's path. dates are the names of dates that it may refer to. If the
// text cannot be parsed, it returns root unchanged and an error that says what to type.
func (n *Node) SetSpan(root doc.Value, p doc.Path, text string, dates []string) (doc.Value, error) {
	obj := root.Lookup(p.Parent())
	had, _ := n.spanDate(obj)
	sp, err := n.readSpan(text, append(slices.Clone(dates), had))
	if err != nil {
		return root, err
	}
	out, parts := root, n.SpanParts(p)
	set := func(p doc.Path, v doc.Value) {
		if err == nil && !doc.Equal(out.Lookup(p), v) {
			out, err = out.Set(p, v)
		}
	}
	amount := doc.NewString(sp.amount)
	if n.Kind == Integer || n.Kind == Number {
		amount, _ = doc.NewNumber(sp.amount)
	}
	set(parts[0], amount)
	set(parts[1], doc.NewString(sp.unit))
	if n.Span.Side != "" {
		set(parts[2], doc.NewString(sp.side))
	}
	if n.Span.Date != "" {
		at := parts[len(parts)-1]
		_, rest, _ := strings.Cut(n.Span.Date, ".")
		switch {
		case sp.date != "":
			set(at.Child(rest), doc.NewString(sp.date))
		case out.Lookup(at).Exists():
			out = out.Delete(at)
		}
	}
	if err != nil {
		return root, err
	}
	return out, nil
}

var spanWords = regexp.MustCompile(`(?i)^\s*([0-9]{1,9})\s*([a-z]*)\s*(.*?)\s*$`)

// readSpan parses a time span.
func (n *Node) readSpan(text string, dates []string) (span, error) {
	m := spanWords.FindStringSubmatch(text)
	if m == nil {
		return span{}, fmt.Errorf("start with a number, such as “%s”", n.SpanExample())
	}
	out := span{amount: m[1]}
	out.unit = n.unitOf(m[2])
	if out.unit == "" {
		return span{}, fmt.Errorf("add the unit: %s", orList(n.unitWords()))
	}
	if n.Span.Side == "" {
		if m[3] != "" {
			return span{}, fmt.Errorf("type a number and a unit, such as “%s”", n.SpanExample())
		}
		return out, nil
	}
	out.side = n.Span.Default
	word, rest, _ := strings.Cut(m[3], " ")
	for _, o := range n.Parent.Child(n.Span.Side).Options {
		if strings.EqualFold(word, o.Title()) {
			out.side, word = o.Value, ""
		}
	}
	if word != "" {
		return span{}, errors.New("say before or after")
	}
	rest = strings.TrimSpace(rest)
	if out.side == n.Span.Default && (rest == "" || strings.EqualFold(rest, n.Span.Event) || strings.EqualFold("the "+rest, n.Span.Event)) {
		return out, nil
	}
	for _, d := range dates {
		if d != "" && (strings.EqualFold(d, rest) || strings.EqualFold("the "+d, rest)) {
			out.date = d
			return out, nil
		}
	}
	switch {
	case len(slices.DeleteFunc(slices.Clone(dates), func(d string) bool { return d == "" })) == 0:
		if rest != "" && !strings.ContainsAny(rest, " ") {
			out.date = rest // the names of dates are unknown
			return out, nil
		}
		return span{}, errors.New("the event has no date attribute to count from")
	case rest == "":
		return span{}, fmt.Errorf("say before which date, such as %s", dates[0])
	}
	return span{}, fmt.Errorf("%q is not a date attribute of the event", clip(rest, 30))
}

// unitOf returns the unit that a word or its prefix means, or "".
func (n *Node) unitOf(word string) string {
	word = strings.ToLower(word)
	if word == "hr" || word == "hrs" {
		word = "hour"
	}
	for _, o := range n.Parent.Child(n.Span.Unit).Options {
		if word != "" && strings.HasPrefix(strings.ToLower(o.Title()), word) {
			return o.Value
		}
	}
	return ""
}

func (n *Node) unitWords() []string {
	var out []string
	for _, o := range n.Parent.Child(n.Span.Unit).Options {
		out = append(out, strings.ToLower(o.Title()))
	}
	return out
}

// SpanExample returns an example of a time span as a user would type it.
func (n *Node) SpanExample() string {
	amount := n.Example
	if !spanAmount.MatchString(amount) {
		amount = "2"
	}
	units := n.unitWords()
	unit := units[max(slices.Index(units, "hours"), 0)]
	return n.spanWith(amount, unit, n.Span.Default, "")
}

func (n *Node) spanWith(amount, unit, side, date string) string {
	text := amount + " " + counted(amount, unit)
	switch {
	case n.Span.Side == "":
		return text
	case date == "":
		date = n.Span.Event
	}
	return text + " " + n.Parent.optionLower(n.Span.Side, side) + " " + date
}

// maxSpans is the number of suggested time spans.
const maxSpans = 12

// SuggestSpans returns time spans that complete the typed text, the most likely first. dates are the names of
// dates that they may refer to.
func (n *Node) SuggestSpans(text string, dates []string) []string {
	amount, typed := "2", strings.Fields(strings.ToLower(text))
	if m := spanWords.FindStringSubmatch(text); m != nil {
		amount, typed = m[1], append([]string{m[1]}, strings.Fields(strings.ToLower(m[2]+" "+m[3]))...)
	} else if len(typed) > 0 {
		return nil
	}
	var out []string
	offer := func(side, date string) {
		for _, unit := range n.unitWords() {
			if s := n.spanWith(amount, unit, side, date); continues(strings.Fields(strings.ToLower(s)), typed) && len(out) < maxSpans {
				out = append(out, s)
			}
		}
	}
	offer(n.Span.Default, "")
	if n.Span.Side == "" {
		return out
	}
	for _, d := range dates {
		for _, o := range n.Parent.Child(n.Span.Side).Options {
			offer(o.Value, d)
		}
	}
	return out
}

// continues reports whether each typed word is a prefix of a word of the offer, in order.
func continues(offer, typed []string) bool {
	for _, w := range typed {
		i := slices.IndexFunc(offer, func(o string) bool { return strings.HasPrefix(o, w) })
		if i < 0 {
			return false
		}
		offer = offer[i+1:]
	}
	return true
}

// WithUnit returns a number with the field's unit: "48 hours", or only the number if the field has none.
func (n *Node) WithUnit(number string) string {
	if n == nil || n.Unit == "" || number == "" {
		return number
	}
	return number + " " + counted(number, n.Unit)
}

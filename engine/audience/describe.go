package audience

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// placeholder stands for a missing part in a description.
const placeholder = "…"

// Describe describes the filters at a path in one sentence: "Users whose Country is India or Nepal, and who
// did Added to Cart at least 2 times in the last 7 days with Price above 500; not those in the segment
// Staff." Missing parts are shown as placeholders.
func Describe(root doc.Value, at doc.Path, env Env) string {
	return newDescriber(env).sentence(root.Lookup(at), shapeAt(root, at))
}

// DescribeFilter describes one filter or group in one line, without nested filters.
func DescribeFilter(filter doc.Value, env Env) string { return newDescriber(env).line(filter) }

// describer describes filters in plain English, with dates in its time zone.
type describer struct {
	zone   *time.Location
	events []string // the workspace's events; none if unknown
}

func newDescriber(env Env) describer {
	events, _ := env.Workspace.Lists(filterNode().Child(mEvent).Suggest)
	return describer{zone: env.zone(), events: events}
}

// UnknownEvent follows the name of an event that the workspace does not have.
const UnknownEvent = "not in this workspace"

// event returns the name of an action's event, marked if the workspace does not have it.
func (s describer) event(f doc.Value) string {
	name := f.Get(mEvent).Text()
	if name == "" || len(s.events) == 0 || slices.Contains(s.events, name) {
		return orPlaceholder(name)
	}
	return name + " (" + UnknownEvent + ")"
}

func (s describer) sentence(filters doc.Value, shape shape) string {
	if shape == groupShape {
		return s.users(filters) + "."
	}
	nobody := "No users yet"
	if shape == triggerShape {
		nobody = "No event yet"
	}
	out := nobody
	included, secondary := s.clauses(filters.Get(mIncluded)), s.clauses(filters.Get(mSecondary))
	switch {
	case shape == segmentationShape && filters.Get(mEverybody).True():
		out = "All users"
	case included != "":
		out = "Users " + included
	}
	if secondary != "" {
		if out == nobody {
			out = "Users " + placeholder
		}
		out += "; of those, the ones " + secondary
	}
	if shape != segmentationShape || out == nobody {
		return out + "."
	}
	if excluded := s.clauses(filters.Get(mExcluded)); excluded != "" {
		out += "; not those " + excluded
	}
	if filters.Get(mOptOut).True() {
		out += "; opted-out users too"
	}
	return out + "."
}

func (s describer) users(group doc.Value) string {
	if c := s.clauses(group); c != "" {
		return "Users " + c
	}
	return "No users yet"
}

// clauses returns a group's filters as clauses to follow "users", or "" for an empty group.
func (s describer) clauses(group doc.Value) string {
	var parts []string
	for _, f := range group.Get(mFilters).Elems() {
		if c := s.clause(f); c != "" {
			parts = append(parts, c)
		}
	}
	return list(parts, joinOf(group), true)
}

func (s describer) clause(f doc.Value) string {
	switch kindOf(f, false) {
	case Attribute:
		return "whose " + s.attribute(f)
	case Action:
		return "who " + s.did(f, "did", "did not do") + s.conditions(f.Get(mConditions))
	case Segment:
		return "in the segment " + segmentName(f)
	case Group:
		if inner := s.clauses(f); inner != "" {
			return "(" + inner + ")"
		}
		return ""
	}
	return "who match a filter of the type " + orPlaceholder(f.Get(mType).Text())
}

// line describes one node of the tree.
func (s describer) line(f doc.Value) string {
	switch kindOf(f, false) {
	case Action:
		return s.action(f)
	case Segment:
		return "In the segment " + segmentName(f)
	case Group:
		return s.groupLine(f)
	}
	if kindOf(f, true) == Unknown {
		return "A filter of the type " + f.Get(mType).Text()
	}
	return s.attribute(f)
}

// action returns text such as "Did Purchase at least 2 times in the last 7 days".
func (s describer) action(f doc.Value) string {
	out := s.did(f, "Did", "Did not do")
	if i := withinOf(f); i >= 0 && isDescribable(f) && f.Get(mExecution).Get(mTimes).Kind() != doc.String {
		out += " " + s.with(f.Get(mConditions).Get(mFilters).At(i))
	}
	return out
}

// groupLine returns how the filters of a group are joined.
func (s describer) groupLine(group doc.Value) string {
	return optionTitle(groupNode().Child(mJoin), joinOf(group)) + " of these"
}

// attribute returns text such as "Country is India or Nepal".
func (s describer) attribute(f doc.Value) string {
	name := orPlaceholder(f.Get(mName).Text())
	phrase, ok := catalog.OperatorPhrase(f.Get(mOperator).Text())
	if !ok {
		return name + " " + orPlaceholder(f.Get(mOperator).Text())
	}
	verb := phrase.Is
	if f.Get(mNegate).True() {
		verb = phrase.IsNot
	}
	return spaced(name, verb, s.value(f, phrase))
}

// with returns text such as "Price above 500", to follow "with". It leaves out the name if that is the
// event's time.
func (s describer) with(f doc.Value) string {
	phrase, ok := catalog.OperatorPhrase(f.Get(mOperator).Text())
	if !ok {
		return s.attribute(f)
	}
	link := phrase.With
	if f.Get(mNegate).True() {
		link = phrase.Without
	}
	name := orPlaceholder(f.Get(mName).Text())
	if name == engine.AttrEventTime {
		name = ""
	}
	return spaced(name, link, s.value(f, phrase))
}

// did returns text such as "did Purchase at least 2 times".
func (s describer) did(f doc.Value, did, didNot string) string {
	event := s.event(f)
	how, n := f.Get(mExecution).Get(mCounting).Text(), f.Get(mExecution).Get(mTimes)
	if n.Kind() == doc.String {
		return spaced(did, event, "“"+clip(n.Text())+"”")
	}
	if executed := f.Get(mExecuted); executed.Kind() == doc.Bool && !executed.True() {
		did = didNot
		if count, ok := n.Int(); f.Get(mExecution).Empty() || ok && (count == 0 || count == 1 && how == "atleast") {
			return did + " " + event
		}
	}
	if f.Get(mExecution).Empty() {
		return did + " " + event
	}
	number := placeholder + " times"
	if count, ok := n.Int(); ok {
		number = times(int(count))
	}
	how = strings.ToLower(optionTitle(filterNode().Child(mExecution).Child(mCounting), how))
	return spaced(did, event, orPlaceholder(how), number)
}

// conditions returns the conditions on an event's attributes to follow the event: " in the last 7 days with
// Price above 500".
func (s describer) conditions(group doc.Value) string {
	var when, with []string
	for _, f := range group.Get(mFilters).Elems() {
		switch {
		case kindOf(f, true) == Group:
			with = append(with, "("+strings.TrimSpace(s.conditions(f))+")")
		case f.Get(mName).Text() == engine.AttrEventTime:
			when = append(when, s.with(f))
		default:
			with = append(with, s.with(f))
		}
	}
	if joinOf(group) == joinOr && len(when) > 0 && len(with) > 0 {
		return " either " + list(when, joinOr, false) + " or with " + list(with, joinOr, false)
	}
	out := ""
	if len(when) > 0 {
		out += " " + list(when, joinOf(group), false)
	}
	if len(with) > 0 {
		out += " with " + list(with, joinOf(group), false)
	}
	return out
}

// value describes the values that a filter compares with, or returns "" if its operator has none.
func (s describer) value(f doc.Value, phrase catalog.Phrase) string {
	dataType, operator := f.Get(mDataType).Text(), f.Get(mOperator).Text()
	operand, known := catalog.OperandOf(dataType, operator)
	v := f.Get(mValue)
	switch {
	case known && operand == catalog.NoOperand, operator == opExists:
		return ""
	case operand == catalog.TwoValues:
		low, high := v, second(f)
		if v.Kind() == doc.Array {
			low, high = v.At(0), v.At(1)
		}
		return s.scalar(low, dataType) + " and " + s.scalar(high, dataType)
	case v.Kind() == doc.Array:
		var words []string
		for i, e := range v.Elems() {
			if i == 6 && v.Len() > 7 {
				words = append(words, fmt.Sprintf("%d others", v.Len()-i))
				break
			}
			words = append(words, s.scalar(e, dataType))
		}
		return orPlaceholder(list(words, joinOr, false))
	}
	out := s.scalar(v, dataType)
	switch {
	case phrase.Unit == "":
		return out
	case out == "1":
		return out + " " + strings.TrimSuffix(phrase.Unit, "s")
	}
	return out + " " + phrase.Unit
}

func (s describer) scalar(v doc.Value, dataType string) string {
	switch v.Kind() {
	case doc.Bool:
		return yesNo(v.True())
	case doc.Number:
		return v.Literal()
	case doc.String:
	default:
		return placeholder
	}
	text := v.Text()
	switch {
	case text == "":
		return placeholder
	case strings.TrimSpace(text) != text:
		return fmt.Sprintf("%q", clip(text))
	case dataType == "bool" && (text == "true" || text == "false"):
		return yesNo(text == "true")
	case dataType == "datetime":
		return s.date(text)
	}
	return clip(text)
}

// date formats a date, or a date-time in the describer's time zone.
func (s describer) date(text string) string {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Format("2 Jan 2006")
	}
	if t, ok := schema.ParseTime(text, s.zone); ok {
		return timeparse.Moment(t.In(s.zone), time.Time{})
	}
	return clip(text)
}

func segmentName(f doc.Value) string {
	if name := f.Get(mName).Text(); name != "" {
		return name
	}
	return orPlaceholder(f.Get(mID).Text())
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func orPlaceholder(s string) string {
	if strings.TrimSpace(s) == "" {
		return placeholder
	}
	return s
}

// spaced joins the non-empty parts with spaces.
func spaced(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// list joins parts with "and" or "or". If they are clauses, which contain commas, it adds a comma.
func list(parts []string, join string, clauses bool) string {
	n := len(parts)
	switch {
	case n < 2:
		return strings.Join(parts, "")
	case clauses:
		return strings.Join(parts[:n-1], ", ") + ", " + join + " " + parts[n-1]
	}
	return strings.Join(parts[:n-1], ", ") + " " + join + " " + parts[n-1]
}

// clip shortens a long text.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + placeholder
	}
	return s
}

func optionTitle(n *schema.Node, value string) string {
	if n != nil {
		for _, o := range n.Options {
			if o.Value == value {
				return o.Title()
			}
		}
	}
	return value
}

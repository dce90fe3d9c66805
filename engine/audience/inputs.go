package audience

import (
	"errors"
	"slices"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Part is the purpose of a member of a filter, for inputs that need more than its table.
type Part uint8

// The parts.
const (
	Plain     Part = iota // as in its table
	Name                  // the name; set by [SetName], suggested by [Names]
	DataType              // set by [SetDataType]
	Operator              // set by [SetOperator]
	Value                 // set by [SetValues]; see [ValueShape]
	Frequency             // set by [SetFrequency], formatted by [FrequencyText]
)

// Input is a member of a filter in a form.
type Input struct {
	Part  Part
	Label string
	State schema.FieldState
	Lower doc.Path // of the upper end of a range: that of the lower one; nil for others
}

// Inputs returns the inputs of the filter at a path in a convenient order. Members that are unused or unknown
// come last. A group has none, and neither have the conditions of an action, which are filters of their own.
func Inputs(s *schema.Schema, root doc.Value, filter doc.Path, env schema.Env) []Input {
	kind := kindOf(root.Lookup(filter), ofEvents(filter))
	if kind == Group || !isFilter(filter) {
		return nil
	}
	obj, ok := s.Object(root, filter, env)
	if !ok {
		return nil
	}
	var used, rest []Input
	inWords := kind == Action && isDescribable(root.Lookup(filter))
	shape := ValueShape(root.Lookup(filter))
	isRange := shape == ValueRange || shape == DateRange
	for i, f := range obj.Fields {
		switch {
		case inWords && f.Node.Name == mExecuted:
			continue // a part of how often
		case inWords && f.Node.Name == mExecution:
			used = append(used, Input{Part: Frequency, Label: f.Node.Label(), State: f})
		case f.Node.Name == mType && kind != Unknown && f.Value.Exists(), f.Node.Name == mConditions:
			continue // said by the kind, filters themselves
		case f.Node.Name == mValue && shape == NoValue && f.Value.Empty():
			continue // the operator compares with nothing
		case f.Node.Name == mValue && isRange:
			used = append(used, Input{Part: Value, Label: "From", State: f})
		case f.Node.Name == mSecond && f.Shown:
			if isRange {
				lower := obj.Fields[i-1]
				f.Required = lower.Required
				used = append(used, Input{Part: Value, Label: "To", State: f, Lower: lower.Path})
			}
		case f.Node.Name == mCaseSensitive && !f.Value.Exists() && root.Lookup(filter).Get(mDataType).Text() != "string":
			continue
		case !f.Shown:
			if f.Value.Exists() {
				rest = append(rest, Input{Label: f.Node.Label(), State: f})
			}
		case f.Node.Name == mExecution:
			used = append(used, nested(s, root, f, env)...)
		default:
			used = append(used, Input{Part: partOf(kind, f.Node.Name), Label: f.Node.Label(), State: f})
		}
	}
	slices.SortStableFunc(used, func(a, b Input) int { return rank(a) - rank(b) })
	for _, f := range obj.Extras {
		rest = append(rest, Input{Label: f.Path.Last().Name, State: f})
	}
	return append(used, rest...)
}

// nested returns the members of an object in a filter. The first one has the object's label.
func nested(s *schema.Schema, root doc.Value, f schema.FieldState, env schema.Env) []Input {
	obj, ok := s.Object(root, f.Path, env)
	if !ok {
		return nil
	}
	var out []Input
	for _, c := range obj.Fields {
		label := c.Node.Label()
		if len(out) == 0 {
			label = f.Node.Label()
		}
		out = append(out, Input{Label: label, State: c})
	}
	return out
}

func partOf(k Kind, member string) Part {
	switch {
	case member == mEvent && k == Action, member == mName && k != Action:
		return Name
	case member == mDataType:
		return DataType
	case member == mOperator:
		return Operator
	case member == mValue:
		return Value
	}
	return Plain
}

// rank is the order of inputs: first the parts that depend on each other, and the negation last.
func rank(i Input) int {
	switch {
	case i.State.Node.Name == mType && i.Part == Plain && len(i.State.Path) > 0 && isFilter(i.State.Path.Parent()):
		return 0
	case i.Part != Plain:
		return int(i.Part)
	case i.State.Node.Name == mExecuted:
		return 5
	case i.State.Node.Name == mCategory || i.State.Node.Name == mCondition || i.State.Node.Kind == schema.String && i.State.Node.Options == nil:
		return 7
	}
	return 6
}

// Subject returns the path of what the filter at a path is about: the name of an attribute or segment, or an
// action's event. For other paths it returns the path itself.
func Subject(root doc.Value, filter doc.Path) doc.Path {
	if !isFilter(filter) {
		return filter
	}
	switch kindOf(root.Lookup(filter), ofEvents(filter)) {
	case Action:
		return filter.Child(mEvent)
	case Attribute, EventAttribute, Segment:
		return filter.Child(mName)
	}
	return filter
}

// HasFilters reports whether a segmentation, a trigger or a group selects anyone: all users, or those who
// match a filter.
func HasFilters(filters doc.Value) bool {
	if shapeOf(filters) == groupShape {
		return filters.Get(mFilters).Len() > 0
	}
	return filters.Get(mEverybody).True() || filters.Get(mIncluded).Get(mFilters).Len()+filters.Get(mSecondary).Get(mFilters).Len() > 0
}

// Member returns the name of the member with options, for [Choices].
func (i Input) Member() string { return i.State.Path.Last().Name }

// Values returns the values of a filter on an attribute as editable texts: one, those of a list, or the ends
// of a range. It returns false if a value is not a text, number or boolean, so that it can only be edited as
// JSON.
func Values(filter doc.Value) (texts []string, ok bool) {
	var out []string
	for _, v := range values(filter) {
		switch v.Kind() {
		case doc.String:
			out = append(out, v.Text())
		case doc.Absent:
			out = append(out, "")
		case doc.Bool, doc.Number:
			out = append(out, v.Literal())
		default:
			return nil, false
		}
	}
	return out, true
}

func values(filter doc.Value) []doc.Value {
	v := filter.Get(mValue)
	var out []doc.Value
	for _, e := range v.Elems() {
		out = append(out, e)
	}
	shape := ValueShape(filter)
	switch {
	case shape == ValueRange || shape == DateRange:
		if v.Kind() != doc.Array {
			return []doc.Value{v, second(filter)}
		}
		if len(out) < 2 {
			out = append(out, second(filter))
		}
		for len(out) < 2 {
			out = append(out, doc.Value{})
		}
		return out[:2]
	case v.Kind() == doc.Array:
		return out
	case shape == ValueList && !v.Exists():
		return nil
	}
	return []doc.Value{v}
}

// SetValues sets the values of a filter on an attribute. texts are as [Values] returns them; they are
// converted to the filter's data type if possible. No texts remove the value. Unchanged values keep their
// spelling.
func SetValues(root doc.Value, filter doc.Path, texts []string) (doc.Value, error) {
	f := root.Lookup(filter)
	if !f.Exists() {
		return root, errNoFilter
	}
	if _, ok := Values(f); !ok {
		return root, errors.New("this value is an object; edit the filter as JSON")
	}
	old := values(f)
	var vs []doc.Value
	for i, t := range texts {
		vs = append(vs, scalar(f, t, i, old))
	}
	shape, v := ValueShape(f), doc.Value{}
	switch {
	case shape == ValueRange || shape == DateRange:
		return setRange(root, filter, vs)
	case shape == ValueList:
		if v = doc.NewArray(vs...); v.Len() == 0 {
			v = doc.Value{}
		}
	case len(vs) > 0:
		v = vs[0]
	}
	return change(root, filter, doc.M(mValue, v))
}

// setRange sets both ends as a list, unless the filter uses value1, or one end is missing.
func setRange(root doc.Value, filter doc.Path, vs []doc.Value) (doc.Value, error) {
	for len(vs) < 2 {
		vs = append(vs, doc.Value{})
	}
	if vs[0].Exists() && vs[1].Exists() && !root.Lookup(filter).Get(mSecond).Exists() {
		return change(root, filter, doc.M(mValue, doc.NewArray(vs[0], vs[1])))
	}
	return change(root, filter, doc.M(mValue, vs[0]), doc.M(mSecond, vs[1]))
}

// scalar converts a text to a value; it returns the old value whose text it is, if any.
func scalar(f doc.Value, text string, i int, old []doc.Value) doc.Value {
	if i < len(old) {
		old = append([]doc.Value{old[i]}, old...)
	}
	for _, o := range old {
		if o.Kind() == doc.String && o.Text() == text || o.Kind() != doc.String && o.Exists() && o.Literal() == text {
			return o
		}
	}
	trimmed := strings.TrimSpace(text)
	dataType := f.Get(mDataType).Text()
	switch operand, _ := catalog.OperandOf(dataType, f.Get(mOperator).Text()); {
	case trimmed == "":
		return doc.Value{}
	case f.Get(mDynamic).True():
	case dataType == "double" || operand == catalog.Days:
		if n, ok := doc.NewNumber(trimmed); ok {
			return n
		}
	case dataType == "bool" && (trimmed == "true" || trimmed == "false"):
		return doc.NewBool(trimmed == "true")
	case dataType == "datetime":
		return doc.NewString(trimmed)
	}
	return doc.NewString(text)
}

// TakesNumber reports whether the value of a filter is a number.
func TakesNumber(filter doc.Value) bool { return filter.Get(mDataType).Text() == "double" }

// Step is an audience with the first n filters that include users.
type Step struct {
	Text    string // describes the filter that the step adds
	Filters doc.Value
}

// Steps splits a segmentation into steps: one for each filter that all of its users match, and a last one for
// the exclusions. It returns none if one filter is enough to match, or if there is only one step.
func Steps(filters doc.Value, env Env) []Step {
	group := filters.Get(mIncluded)
	n := group.Get(mFilters).Len()
	if filters.Get(mEverybody).True() || joinOf(group) != joinAnd && n > 1 {
		return nil
	}
	var out []Step
	for i := range n {
		part, err := filters.Delete(doc.P(mExcluded)).Set(doc.P(mIncluded, mFilters), first(group.Get(mFilters), i+1))
		if err != nil {
			return nil
		}
		out = append(out, Step{DescribeFilter(group.Get(mFilters).At(i), env), part})
	}
	if filters.Get(mExcluded).Get(mFilters).Len() > 0 {
		out = append(out, Step{"Without those who are excluded", filters})
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

func first(list doc.Value, n int) doc.Value {
	var out []doc.Value
	for i, v := range list.Elems() {
		if i < n {
			out = append(out, v)
		}
	}
	return doc.NewArray(out...)
}

// IsNewFilter reports whether a filter is as [AddFilter] created it.
func IsNewFilter(root doc.Value, filter doc.Path) bool {
	v := root.Lookup(filter)
	return v.Exists() && doc.Equal(v, blank(kindOf(v, ofEvents(filter))))
}

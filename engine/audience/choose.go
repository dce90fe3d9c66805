package audience

import (
	"errors"
	"fmt"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Choices returns the options of a member of the filter at a path, such as "operator" or "data_type",
// according to its table. Options that are not offered for the filter say why. A member without options has
// none.
func Choices(root doc.Value, filter doc.Path, member string) []schema.OptionState {
	around := doc.P(string(catalog.SegmentationDetails), mIncluded, mFilters, 0)
	v := root.Lookup(filter)
	if ofEvents(filter) {
		around = around.Join(doc.P(mConditions, mFilters, 0)...)
	}
	sample := doc.Value{}
	for i := len(around) - 1; i >= 0; i-- { // a document with the filter alone in it
		if around[i].IsIndex {
			v = doc.NewArray(v)
		} else {
			v = doc.NewObject(doc.M(around[i].Name, v))
		}
		sample = v
	}
	field, ok := catalog.Campaign(catalog.Push).Field(sample, around.Child(member), schema.Env{})
	if !ok {
		return nil
	}
	return field.Options
}

// Shape is the form of a filter's value, which determines its input.
type Shape uint8

// The shapes.
const (
	NoValue      Shape = iota // the operator has none, or is not set
	SingleValue               // a text or a number
	YesOrNo                   // true or false
	ValueList                 // several texts or numbers
	ValueRange                // two numbers
	Date                      // a date, or a date and time
	DateRange                 // two dates
	RelativeDays              // a whole number of days
	Expression                // a personalization expression
)

// ValueShape returns the shape of an attribute filter's value. For operators that accept one or several texts
// it depends on the current value.
func ValueShape(filter doc.Value) Shape {
	dataType, operator := filter.Get(mDataType).Text(), filter.Get(mOperator).Text()
	operand, known := catalog.OperandOf(dataType, operator)
	date := dataType == "datetime"
	switch {
	case !known || operand == catalog.NoOperand:
		return NoValue
	case filter.Get(mDynamic).True():
		return Expression
	case dataType == "bool":
		return YesOrNo
	case operand == catalog.Days:
		return RelativeDays
	case operand == catalog.TwoValues && date:
		return DateRange
	case operand == catalog.TwoValues:
		return ValueRange
	case date:
		return Date
	case operand == catalog.SomeValues && !takesOne(operator):
		return ValueList
	case filter.Get(mValue).Kind() == doc.Array:
		return ValueList
	}
	return SingleValue
}

// takesOne reports whether an operator usually has one value.
func takesOne(operator string) bool { return operator == "is" || operator == "contains" }

// Names returns the workspace's names for a member of the filter at a path: attributes, attributes of an
// action's event, events or segments. It returns none for other members.
func Names(root doc.Value, filter doc.Path, member string, w engine.Workspace) []string {
	f := root.Lookup(filter)
	list := ""
	switch kind := kindOf(f, ofEvents(filter)); {
	case kind == Segment && member == mName:
		list = "segments"
	case kind == EventAttribute && member == mName:
		return names(eventAttributes(root, filter, w))
	case kind == Attribute || kind == Action:
		if n := filterNode().Child(member); n != nil {
			list = n.Suggest
		}
	}
	out, _ := w.Lists(list)
	return out
}

func names(attributes []engine.Attribute) []string {
	out := make([]string, len(attributes))
	for i, a := range attributes {
		out[i] = a.Name
	}
	return out
}

// eventAttributes returns the attributes of the event whose action contains a condition, including the
// event's time.
func eventAttributes(root doc.Value, condition doc.Path, w engine.Workspace) []engine.Attribute {
	event := root.Lookup(actionOf(condition)).Get(mEvent).Text()
	var out []engine.Attribute
	for _, e := range w.Events {
		if e.Name == event {
			out = slices.Clone(e.Attributes)
			break
		}
	}
	return append(out, engine.Attribute{Name: engine.AttrEventTime, DataType: "datetime"})
}

// SetName sets the attribute, event or segment of a filter, and what the workspace knows about it: an
// attribute's category and data type, with a suitable operator and value, or a segment's id. A boolean
// attribute is compared with true.
func SetName(root doc.Value, filter doc.Path, name string, w engine.Workspace) (doc.Value, error) {
	if err := there(root, filter); err != nil {
		return root, err
	}
	f := root.Lookup(filter)
	switch kindOf(f, ofEvents(filter)) {
	case Action:
		return change(root, filter, doc.M(mEvent, doc.NewString(name)))
	case Segment:
		id := doc.Value{}
		for _, s := range w.Segments {
			if s.Name == name && s.ID != "" {
				id = doc.NewString(s.ID)
				break
			}
		}
		return change(root, filter, doc.M(mName, doc.NewString(name)), doc.M(mID, id))
	case Group, Unknown:
		return root, errors.New("only attributes, events and segments have a name to choose")
	}
	attributes := w.Attributes
	if ofEvents(filter) {
		attributes = eventAttributes(root, filter, w)
	}
	i := slices.IndexFunc(attributes, func(a engine.Attribute) bool { return a.Name == name })
	if i < 0 {
		return change(root, filter, doc.M(mName, doc.NewString(name)))
	}
	category := doc.Value{}
	if attributes[i].Category != "" {
		category = doc.NewString(attributes[i].Category)
	}
	out, err := change(root, filter, doc.M(mName, doc.NewString(name)), doc.M(mCategory, category))
	if err != nil || attributes[i].DataType == "" {
		return out, err
	}
	if out, err = SetDataType(out, filter, attributes[i].DataType); err != nil {
		return root, err
	}
	if f := out.Lookup(filter); ValueShape(f) == YesOrNo && !f.Get(mValue).Exists() {
		return change(out, filter, doc.M(mValue, doc.NewBool(true))) // who names it means that it is so
	}
	return out, nil
}

// SetDataType sets the data type of a filter's attribute. An operator that the type does not have is replaced
// by its first one, and an unsuitable value is removed.
func SetDataType(root doc.Value, filter doc.Path, dataType string) (doc.Value, error) {
	out, err := change(root, filter, doc.M(mDataType, doc.NewString(dataType)))
	if err != nil {
		return root, err
	}
	operator, known := root.Lookup(filter).Get(mOperator).Text(), catalog.Operators(dataType)
	if !slices.Contains(known, operator) && len(known) > 0 {
		operator = known[0]
	}
	return SetOperator(out, filter, operator)
}

// SetOperator sets the operator of a filter, and keeps as many of its values as the operator accepts.
func SetOperator(root doc.Value, filter doc.Path, operator string) (doc.Value, error) {
	out, err := change(root, filter, doc.M(mOperator, doc.NewString(operator)))
	if err != nil {
		return root, err
	}
	f := out.Lookup(filter)
	v := f.Get(mValue)
	operand, known := catalog.OperandOf(f.Get(mDataType).Text(), operator)
	switch {
	case !known:
		return out, nil
	case operand == catalog.NoOperand:
		v = doc.Value{}
	case operand == catalog.TwoValues && v.Kind() == doc.Array && v.Len() > 2:
		v = doc.NewArray(v.At(0), v.At(1))
	case operand == catalog.SomeValues && v.Exists() && v.Kind() != doc.Array && !takesOne(operator) && !hasExpression(f):
		v = doc.NewArray(v)
	case v.Kind() == doc.Array && (operand != catalog.TwoValues && operand != catalog.SomeValues || takesOne(operator) && v.Len() == 1):
		v = v.At(0)
	}
	second := f.Get(mSecond)
	if operand != catalog.TwoValues {
		second = doc.Value{}
	}
	if out, err = change(out, filter, doc.M(mValue, v), doc.M(mSecond, second)); err != nil {
		return root, err
	}
	if _, fits := catalog.FilterValue(out.Lookup(filter)); !fits {
		return change(out, filter, doc.M(mValue, doc.Value{}), doc.M(mSecond, doc.Value{}))
	}
	return out, nil
}

// change sets members of the object at a path; absent values remove them.
func change(root doc.Value, at doc.Path, members ...doc.Member) (doc.Value, error) {
	out := root
	for _, m := range members {
		var err error
		if out, err = out.Set(at.Child(m.Name), m.Value); err != nil {
			return root, fmt.Errorf("cannot change the filter: %w", err)
		}
	}
	return out, nil
}

package forms

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// buildRows builds the rows of the document: fields, those that the schema marks as leads first, then what is not used. If
// the form's path is locked, there is no row that adds to it.
func (f *Form) buildRows() {
	f.rows, f.inlined = nil, nil
	switch {
	case f.cfg.Inputs != nil:
		f.addInputs()
	case f.list:
		f.addElements()
	case f.page:
		st, _ := f.cfg.Schema.Field(f.root, f.cfg.Path, f.cfg.Env)
		r := f.fieldRow(st)
		r.Shape = shapePage
		f.rows = []row{r}
	default:
		f.addMembers()
	}
	slices.SortStableFunc(f.rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.lead(), b.lead())) })
	needed := f.isRequiredPart(f.cfg.Path)
	for i := range f.rows {
		r := &f.rows[i]
		r.required = r.Required && needed
		r.secondary = r.group <= groupAdder && f.rows[0].lead() < math.MaxInt && r.lead() == math.MaxInt
		if f.cfg.Locked != nil && r.group != groupResponseOnly {
			r.locked = f.cfg.Locked(r.Path)
		}
	}
	if f.lockedReason() != "" {
		f.rows = slices.DeleteFunc(f.rows, func(r row) bool { return r.group == groupAdder })
	}
}

// lead returns the position of a row among the fields: its lead, or after all others if it has none.
func (r row) lead() int {
	if r.group != groupFields || r.Node == nil {
		return math.MaxInt
	}
	return leadOrder(r.Node)
}

// shown returns the value that a field shows: the source of its value, if there is one.
func (f *Form) shown(n *schema.Node, v doc.Value) doc.Value {
	if f.cfg.Source == nil || n == nil || v.Kind() != doc.String {
		return v
	}
	if text, ok := f.cfg.Source(n, v.Text()); ok {
		return doc.NewString(text)
	}
	return v
}

// isRequiredPart reports whether the required fields of the part that p is in must be filled in, because the
// part is required or has been started.
func (f *Form) isRequiredPart(p doc.Path) bool {
	if len(p) == 0 || f.root.Lookup(p[:1]).Exists() {
		return true
	}
	st, ok := f.cfg.Schema.Field(f.root, p[:1], f.cfg.Env)
	return ok && st.Required
}

// lockedReason returns why nothing in the form can be changed; "" if something can.
func (f *Form) lockedReason() string {
	if f.cfg.Locked == nil {
		return ""
	}
	return f.cfg.Locked(f.cfg.Path)
}

// addAdder adds the row that adds to the map or list at the form's path.
func (f *Form) addAdder(elem *schema.Node) {
	label := strings.TrimSpace("+ add " + strings.ToLower(elem.Title))
	st := schema.FieldState{Node: elem, Path: f.cfg.Path}
	f.rows = append(f.rows, row{Input: Input{FieldState: st, Label: label}, group: groupAdder})
}

// addMismatch adds the row of a value of another kind than the form edits.
func (f *Form) addMismatch(v doc.Value, why string) {
	st := schema.FieldState{Path: f.cfg.Path, Value: v, Why: why}
	f.rows = append(f.rows, row{Input: Input{FieldState: st, Label: "Value", Shape: shapeExternalJSON}, group: groupUnknown})
}

func (f *Form) addMembers() {
	st, ok := f.cfg.Schema.Object(f.root, f.cfg.Path, f.cfg.Env)
	if v := f.root.Lookup(f.cfg.Path); !ok || v.Exists() && v.Kind() != doc.Object {
		f.addMismatch(v, "not an object")
		return
	}
	if p := st.Node.Also; len(p) > 0 {
		if also, ok := f.cfg.Schema.Field(f.root, p, f.cfg.Env); ok && also.Shown {
			f.rows = append(f.rows, f.fieldRow(also))
		}
	}
	f.addFields(st)
	if st.Node.Element != nil {
		f.addAdder(st.Node.Element)
	}
}

// addFields adds the rows of an object, and those of inlined objects.
func (f *Form) addFields(st schema.ObjectState) {
	choice, one := st.FlagChoice()
	if one {
		object, _ := f.cfg.Schema.Field(f.root, choice.Path.Parent(), f.cfg.Env)
		choice.Required = object.Required
	}
	for _, s := range st.Fields {
		var r row
		switch {
		case one && s.Path.Equal(choice.Path):
			r = f.flagRow(choice)
		case one && slices.ContainsFunc(choice.Flags, s.Path.Equal):
			continue
		case s.Shown && f.isDerived(st, s), inTimespan(st, s):
			continue
		case s.Shown && isInlined(s):
			f.inlined = append(f.inlined, s.Path)
			if inner, ok := f.cfg.Schema.Object(f.root, s.Path, f.cfg.Env); ok {
				f.addFields(inner)
			}
			continue
		case s.Shown && isTimespan(st, s):
			r = f.timespanRow(st, s)
		case s.Shown:
			r = f.fieldRow(s)
		case s.Value.Exists():
			r = row{Input: Input{FieldState: s, Label: s.Node.Label()}, group: groupUnused}
			if shapeOf(s) == shapeSubform {
				r.Shape = shapeSubform
			}
		default:
			continue
		}
		f.rows = append(f.rows, r)
	}
	for _, s := range st.Extras {
		r := row{Input: Input{FieldState: s}}
		label := oneLine(s.Path.Last().Name)
		switch {
		case s.Response != nil:
			r.group, label = groupResponseOnly, s.Response.Label()
			r.locked = firstSentence(s.Response.Help) + " Read-only: it is only in responses."
		case s.Node == nil:
			r.group, r.Shape = groupUnknown, shapeExternalJSON
		default:
			r = f.fieldRow(s)
			r.custom = true
		}
		r.Label = label
		f.rows = append(f.rows, r)
	}
}

func (f *Form) addElements() {
	list, elem := f.root.Lookup(f.cfg.Path), f.node.Element
	if list.Exists() && list.Kind() != doc.Array {
		f.addMismatch(list, "not a list")
		return
	}
	options := optionStates(elem)
	for i, v := range list.Elems() {
		s := schema.FieldState{Node: elem, Path: f.cfg.Path.Elem(i), Value: v, Shown: true, Options: options}
		r := f.fieldRow(s)
		r.Label, r.custom = strconv.Itoa(i+1), true
		f.rows = append(f.rows, r)
	}
	f.addAdder(elem)
}

// fieldRow returns the row of a field that is edited as the schema has it.
func (f *Form) fieldRow(s schema.FieldState) row {
	n := s.Node
	s.Value = f.shown(n, s.Value)
	r := row{Input: Input{
		FieldState: s, Shape: shapeOf(s), Label: n.Label(), Text: scalarText(s.Value), Placeholder: placeholder(n), Help: firstSentence(n.Help),
	}}
	switch {
	case r.Shape == ShapeList:
		r.Text = commaText(s.Value)
		r.Help += " Separate values with commas."
	case r.Shape == shapeExternalJSON:
		r.Text = string(s.Value.Encode())
		r.Help += " Press ctrl+e to edit it as JSON, ctrl+x to remove it."
	case r.Shape == shapeAnyValue && s.Value.Exists():
		r.Text = anyText(s.Value)
	case r.Shape == ShapeText && n.Kind == schema.Time:
		r.Help += " Type a date such as “tomorrow 9am”."
		r.Read = func(root doc.Value, text string) (string, []string, error) { return f.explainTime(root, r, text) }
	case r.Shape == ShapeText && n.Unit != "":
		r.Read = func(_ doc.Value, text string) (words string, notes []string, err error) {
			if amount := n.Amount(text); amount != text {
				words = n.WithUnit(amount)
			}
			return words, nil, nil
		}
	}
	return r
}

// flagRow returns the row of mutually exclusive flags, which are edited as one choice.
func (f *Form) flagRow(c schema.FlagChoice) row {
	in := Input{FieldState: c.FieldState, Shape: ShapeChoice, Label: c.Node.Label(), Help: firstSentence(c.Node.Help), Paths: c.Flags}
	in.Write = func(root, v doc.Value) (doc.Value, error) {
		if v.Exists() {
			return c.Set(root, v.Text())
		}
		return f.without(root, c.On(root)...), nil
	}
	return row{Input: in}
}

// isInlined reports whether the form shows the fields of an object among its own.
func isInlined(s schema.FieldState) bool {
	return s.Node != nil && s.Node.Flat && (!s.Value.Exists() || s.Value.Kind() == doc.Object)
}

// Opens reports whether a field, in its current state, has a form of its own: an object, a map, or a list that
// is not edited in one line. The fields of an inlined object are on the form around it.
func Opens(s schema.FieldState) bool {
	return s.Node != nil && shapeOf(s) == shapeSubform && !isInlined(s)
}

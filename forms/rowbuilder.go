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

// buildRows returns the rows of the document, and the inlined objects. If the form's path is locked, there is no row
// that adds to it.
func (f *Form) buildRows() (rows []row, inlined []doc.Path) {
	root := f.root
	in := f.members(root)
	rows, inlined = in.rows, in.inlined
	for i, r := range rows {
		if v := f.shown(r.Node, r.Value); r.group == groupFields && v != r.Value {
			rows[i].Value = v
			rows[i].shape = shapeOf(rows[i].FieldState)
		}
	}
	needed := f.isRequiredPart(root, f.cfg.Path)
	for i := range rows {
		rows[i].required = rows[i].Required && needed
	}
	if f.cfg.Locked == nil {
		return rows, inlined
	}
	if f.lockedReason() != "" {
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.group == groupAdder })
	}
	for i := range rows {
		if rows[i].group != groupResponseOnly {
			rows[i].locked = f.cfg.Locked(rows[i].Path)
		}
	}
	return rows, inlined
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
func (f *Form) isRequiredPart(root doc.Value, p doc.Path) bool {
	if len(p) == 0 || root.Lookup(p[:1]).Exists() {
		return true
	}
	st, ok := f.cfg.Schema.Field(root, p[:1], f.cfg.Env)
	return ok && st.Required
}

// lockedReason returns why nothing in the form can be changed; "" if something can.
func (f *Form) lockedReason() string {
	if f.cfg.Locked == nil {
		return ""
	}
	return f.cfg.Locked(f.cfg.Path)
}

// adderRow returns the row that adds to the map or list at the form's path.
func (f *Form) adderRow(elem *schema.Node) row {
	label := "+ add"
	if elem.Title != "" {
		label += " " + strings.ToLower(elem.Title)
	}
	return row{FieldState: schema.FieldState{Node: elem, Path: f.cfg.Path}, group: groupAdder, label: label}
}

func (f *Form) members(root doc.Value) rowGroups {
	if f.cfg.Inputs != nil {
		in := inputRows(f.cfg.Inputs.Inputs(root))
		in.rows = slices.Concat(in.rows, in.unused, in.unknown)
		return in
	}
	if f.list {
		return rowGroups{rows: f.elements(root)}
	}
	st, ok := f.cfg.Schema.Object(root, f.cfg.Path, f.cfg.Env)
	v := root.Lookup(f.cfg.Path)
	if !ok || v.Exists() && v.Kind() != doc.Object {
		return rowGroups{rows: []row{f.mismatchRow(v, "not an object")}}
	}
	var in rowGroups
	f.collect(&in, root, st)
	if st.Node.Element != nil {
		in.rows = append(in.rows, f.adderRow(st.Node.Element))
	}
	in.rows = slices.Concat(leadsFirst(in.rows), in.unused, in.unknown, in.responseOnly)
	return in
}

// mismatchRow returns the row of a value of another kind than the form edits.
func (f *Form) mismatchRow(v doc.Value, why string) row {
	return row{FieldState: schema.FieldState{Path: f.cfg.Path, Value: v, Why: why}, group: groupUnknown, shape: shapeExternalJSON, label: "Value"}
}

// rowGroups has the rows of an object by group.
type rowGroups struct {
	rows, unused, unknown, responseOnly []row
	inlined                             []doc.Path // the inlined objects
}

// collect adds the rows of an object, with those of inlined objects in their place.
func (f *Form) collect(in *rowGroups, root doc.Value, st schema.ObjectState) {
	choice, one := st.FlagChoice()
	if one {
		object, _ := f.cfg.Schema.Field(root, choice.Path.Parent(), f.cfg.Env)
		choice.Required = object.Required
	}
	for _, s := range st.Fields {
		r := row{FieldState: s, label: s.Node.Label()}
		switch {
		case one && s.Path.Equal(choice.Path):
			in.rows = append(in.rows, row{FieldState: choice.FieldState, shape: shapeChoice, label: choice.Node.Label(), paths: choice.Flags, flags: &choice})
		case one && slices.ContainsFunc(choice.Flags, s.Path.Equal):
		case s.Shown && f.isDerived(st, s), inTimespan(st, s):
		case s.Shown && isInlined(s):
			in.inlined = append(in.inlined, s.Path)
			if inner, ok := f.cfg.Schema.Object(root, s.Path, f.cfg.Env); ok {
				f.collect(in, root, inner)
			}
		case s.Shown:
			if r.shape = shapeOf(s); isTimespan(st, s) {
				r.shape, r.paths = shapeTimespan, s.Node.SpanParts(s.Path)
				r.text, _ = s.Node.SpanText(st.Value)
			}
			in.rows = append(in.rows, r)
		case s.Value.Exists():
			r.group = groupUnused
			r.shape = subformOrReadOnly(s)
			in.unused = append(in.unused, r)
		}
	}
	for _, s := range st.Extras {
		r := row{FieldState: s, label: oneLine(s.Path.Last().Name)}
		switch {
		case s.Response != nil:
			r.group, r.shape, r.label = groupResponseOnly, shapeReadOnly, s.Response.Label()
			r.locked = firstSentence(s.Response.Help) + " Read-only: it is only in responses."
			in.responseOnly = append(in.responseOnly, r)
		case s.Node == nil:
			r.group, r.shape = groupUnknown, shapeExternalJSON
			in.unknown = append(in.unknown, r)
		default:
			r.shape, r.custom = shapeOf(s), true
			in.rows = append(in.rows, r)
		}
	}
}

// isInlined reports whether the form shows the fields of an object among its own.
func isInlined(s schema.FieldState) bool {
	return s.Node != nil && s.Node.Flat && (!s.Value.Exists() || s.Value.Kind() == doc.Object)
}

// leadsFirst moves the fields that the schema marks as leads before the others.
func leadsFirst(rows []row) []row {
	rank := func(r row) int {
		if r.group != groupFields || r.Node == nil {
			return math.MaxInt
		}
		return leadOrder(r.Node)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range rows {
		rows[i].secondary = rank(rows[0]) < math.MaxInt && rank(rows[i]) == math.MaxInt
	}
	return rows
}

func (f *Form) elements(root doc.Value) []row {
	list := root.Lookup(f.cfg.Path)
	if list.Exists() && list.Kind() != doc.Array {
		return []row{f.mismatchRow(list, "not a list")}
	}
	elem := f.node.Element
	options := optionStates(elem)
	rows := make([]row, 0, list.Len()+1)
	for i, v := range list.Elems() {
		s := schema.FieldState{Node: elem, Path: f.cfg.Path.Elem(i), Value: v, Shown: true, Options: options}
		rows = append(rows, row{FieldState: s, shape: shapeOf(s), label: strconv.Itoa(i + 1), custom: true})
	}
	return append(rows, f.adderRow(elem))
}

// state returns a row with the options of an element, which the rows of a list do not have.
func (f *Form) state(r row) schema.FieldState {
	if !f.list {
		return r.FieldState
	}
	st, _ := f.cfg.Schema.Field(f.root, r.Path, f.cfg.Env)
	return st
}

// Opens reports whether a field, in its current state, has a form of its own: an object, a map, or a list that
// is not edited in one line. The fields of an inlined object are on the form around it.
func Opens(s schema.FieldState) bool {
	return s.Node != nil && shapeOf(s) == shapeSubform && !isInlined(s)
}

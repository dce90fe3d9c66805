package forms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// group is the part of the form that a row stands in.
type group uint8

const (
	shown    group = iota // fields that apply, in the order of the table; members of a map; elements
	unused                // fields that are there though the document does not use them
	unknown               // members that no table knows
	received              // members that only responses have
	adder                 // the last row of a map or list: adds to it
)

// hidden reports the groups whose values are kept and mean nothing here.
func (g group) hidden() bool { return g == unused || g == unknown }

// shape is the way in which a row is edited.
type shape uint8

const (
	fixed   shape = iota // shown, not edited here
	oneline              // input
	many                 // area
	chosen               // choice
	ticks                // checklist
	commas               // input over a list of scalars
	phrase               // input over the fields of a time span
	anyJSON              // input that takes JSON or a text
	long                 // a text for the editor outside
	raw                  // any value, as JSON for the editor outside
	entry                // an object, map or list that the screen opens
)

// row is one focusable line of a form.
type row struct {
	schema.FieldState
	group group
	shape shape
	label string
	// free tells members and elements whose name or place a person chose: they can be renamed,
	// and stay when their text is emptied.
	free bool
	// locked says why the row may not be changed; "" where it may.
	locked string
	more   bool       // it stands below the fields that the form starts with
	text   string     // of a time span, in words
	parts  []doc.Path // of a time span: all the fields that the row stands for
}

// build returns the rows of the object, map or list at the form's path. Where that is locked, none
// of them adds to it.
func (f *Form) build() []row {
	rows := f.members()
	if f.cfg.Locked == nil {
		return rows
	}
	if f.lockedHere() != "" {
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.group == adder })
	}
	for i := range rows {
		if rows[i].group != received {
			rows[i].locked = f.cfg.Locked(rows[i].Path)
		}
	}
	return rows
}

// lockedHere returns why nothing in the form may be changed; "" where something may.
func (f *Form) lockedHere() string {
	if f.cfg.Locked == nil {
		return ""
	}
	return f.cfg.Locked(f.cfg.Path)
}

// adderRow is the row that adds to the map or list at the form's path.
func (f *Form) adderRow(elem *schema.Node) row {
	label := "+ add"
	if elem.Title != "" {
		label += " " + strings.ToLower(elem.Title)
	}
	return row{FieldState: schema.FieldState{Node: elem, Path: f.cfg.Path}, group: adder, label: label}
}

func (f *Form) members() []row {
	if f.list {
		return f.elements()
	}
	st, ok := f.cfg.Schema.Object(f.root, f.cfg.Path, f.cfg.Env)
	v := f.root.Lookup(f.cfg.Path)
	if !ok || v.Exists() && v.Kind() != doc.Object {
		return []row{{FieldState: schema.FieldState{Path: f.cfg.Path, Value: v, Why: "not an object"}, group: unknown, shape: raw, label: "Value"}}
	}
	f.flats = f.flats[:0]
	var in inventory
	f.collect(&in, st)
	if st.Node.Element != nil {
		in.rows = append(in.rows, f.adderRow(st.Node.Element))
	}
	return slices.Concat(leadsFirst(in.rows), in.unused, in.unknown, in.received)
}

// inventory is the rows of an object by the part of the form that they stand in.
type inventory struct{ rows, unused, unknown, received []row }

// collect adds the rows of an object, those of the flat objects in it in their place.
func (f *Form) collect(in *inventory, st schema.ObjectState) {
	for _, s := range st.Fields {
		r := row{FieldState: s, label: s.Node.Label()}
		switch {
		case s.Shown && f.isDecided(st, s), inPhrase(st, s):
		case s.Shown && isFlat(s):
			f.flats = append(f.flats, s.Path)
			if inner, ok := f.cfg.Schema.Object(f.root, s.Path, f.cfg.Env); ok {
				f.collect(in, inner)
			}
		case s.Shown:
			if r.shape = shapeOf(s); isPhrase(st, s) {
				r.shape, r.parts = phrase, s.Node.SpanParts(s.Path)
				r.text, _ = s.Node.SpanText(st.Value)
			}
			in.rows = append(in.rows, r)
		case s.Value.Exists():
			r.group = unused
			r.shape = entryOrFixed(s)
			in.unused = append(in.unused, r)
		}
	}
	for _, s := range st.Extras {
		r := row{FieldState: s, label: oneLine(s.Path.Last().Name)}
		switch {
		case s.Response != nil:
			r.group, r.shape, r.label = received, fixed, s.Response.Label()
			r.locked = firstSentence(s.Response.Help) + " Read-only: it is only in responses."
			in.received = append(in.received, r)
		case s.Node == nil:
			r.group, r.shape = unknown, raw
			in.unknown = append(in.unknown, r)
		default:
			r.shape, r.free = shapeOf(s), true
			in.rows = append(in.rows, r)
		}
	}
}

// isFlat reports whether the form shows the fields of an object among its own.
func isFlat(s schema.FieldState) bool {
	return s.Node != nil && s.Node.Flat && (!s.Value.Exists() || s.Value.Kind() == doc.Object)
}

// leadsFirst puts the fields that the tables let a form start with before the others.
func leadsFirst(rows []row) []row {
	rank := func(r row) int {
		if r.group != shown || r.Node == nil {
			return math.MaxInt
		}
		return place(r.Node)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range rows {
		rows[i].more = rank(rows[0]) < math.MaxInt && rank(rows[i]) == math.MaxInt
	}
	return rows
}

func (f *Form) elements() []row {
	list := f.root.Lookup(f.cfg.Path)
	if list.Exists() && list.Kind() != doc.Array {
		return []row{{FieldState: schema.FieldState{Path: f.cfg.Path, Value: list, Why: "not a list"}, group: unknown, shape: raw, label: "Value"}}
	}
	elem := f.node.Element
	rows := make([]row, 0, list.Len()+1)
	for i, v := range list.Elems() {
		s := schema.FieldState{Node: elem, Path: f.cfg.Path.Elem(i), Value: v, Shown: true}
		rows = append(rows, row{FieldState: s, shape: shapeOf(s), label: strconv.Itoa(i + 1), free: true})
	}
	return append(rows, f.adderRow(elem))
}

// shapeOf returns how a field with its present value is edited.
func shapeOf(s schema.FieldState) shape {
	n, v := s.Node, s.Value
	composite := v.Kind() == doc.Object || v.Kind() == doc.Array
	switch n.Kind {
	case schema.Object, schema.Map:
		if v.Exists() && v.Kind() != doc.Object {
			return raw
		}
		return entry
	case schema.List:
		switch {
		case v.Exists() && v.Kind() != doc.Array:
			return raw
		case len(n.Element.Options) > 0:
			return ticks
		case commaEditable(n.Element, v):
			return commas
		}
		return entry
	case schema.Any:
		if v.Kind() != doc.String && len(v.Encode()) > maxInput {
			return raw
		}
		return longer(n, v, anyJSON)
	}
	switch {
	case composite:
		return raw
	case n.Kind == schema.Bool || len(n.Options) > 0:
		return chosen
	case n.Long:
		return longer(n, v, many)
	}
	return longer(n, v, oneline)
}

// longer returns long for a text that no widget may hold, and s otherwise.
func longer(n *schema.Node, v doc.Value, s shape) shape {
	text := v.Text()
	if _, ok := pack(text, true); !ok || len(text) > maxText || n.Long && strings.Count(text, "\n") >= maxTextLines {
		return long
	}
	return s
}

func entryOrFixed(s schema.FieldState) shape {
	if sh := shapeOf(s); sh == entry {
		return entry
	}
	return fixed
}

// Entry is a sub-object, list or map of the object that a form edits: what a screen may open.
type Entry struct {
	Path     doc.Path
	Title    string
	Summary  string // "3 buttons", "empty"
	Problems int    // errors in it, at any depth
}

// Entries returns the entries of the form, in its order.
func (f *Form) Entries() []Entry {
	var out []Entry
	for _, r := range f.rows {
		if r.shape == entry {
			out = append(out, Entry{Path: r.Path, Title: r.label, Summary: summary(r.Node, r.Value), Problems: len(schema.Errors(f.problemsOf(r)))})
		}
	}
	return out
}

// summary puts a value into a few words.
func summary(n *schema.Node, v doc.Value) string {
	switch {
	case v.Empty():
		return "empty"
	case v.Kind() == doc.Array:
		if n == nil {
			return plural(v.Len(), "items")
		}
		return plural(v.Len(), strings.ToLower(n.Label()))
	case v.Kind() != doc.Object:
		return head(keepText(v), 60)
	}
	var parts []string
	add := func(s string) bool {
		parts = append(parts, head(s, 24))
		return len(parts) < 4
	}
	more := true
	if n != nil {
		for _, m := range onForm(n, v) {
			if s := briefly(m.node, m.value, m.in); s != "" && more {
				more = add(s)
			}
		}
	}
	if len(parts) == 0 {
		for name := range v.Members() {
			if more = more && add(oneLine(name)); !more {
				break
			}
		}
	}
	if !more {
		parts[len(parts)-1] = "…"
	}
	return strings.Join(parts, " · ")
}

// member is a value that a form shows, and the object it is in.
type member struct {
	node      *schema.Node
	value, in doc.Value
}

// onForm returns what the form of an object shows of it, in the order of the form: the fields that it starts with first,
// those of flat objects among them.
func onForm(n *schema.Node, v doc.Value) []member {
	var out []member
	for _, c := range n.Children {
		switch m := v.Get(c.Name); {
		case m.Empty():
		case c.Flat && m.Kind() == doc.Object:
			out = append(out, onForm(c, m)...)
		default:
			out = append(out, member{c, m, v})
		}
	}
	slices.SortStableFunc(out, func(a, b member) int { return cmp.Compare(place(a.node), place(b.node)) })
	return out
}

// place returns where a field stands on a form: by its lead, and after all others where it has none.
func place(n *schema.Node) int {
	if n.Lead == 0 {
		return math.MaxInt
	}
	return n.Lead
}

// mostBrief is how wide the values of a list may be in a summary; longer ones are counted.
const mostBrief = 24

// briefly returns what a member adds to the summary of its object: the value where it is short, its
// title where it is more than a value, and both where a value alone says nothing, as a number does.
func briefly(n *schema.Node, v, in doc.Value) string {
	title := strings.ToLower(n.Label())
	if words, ok := spanBriefly(n, in); ok {
		return words
	}
	switch v.Kind() {
	case doc.Object:
		if n.Flat {
			return summary(n, v)
		}
		return n.Label()
	case doc.Array:
		if n.Kind == schema.List && n.Element != nil && v.Len() > 0 && v.At(0).Kind() != doc.Object && v.At(0).Kind() != doc.Array {
			if values := listText(n, v); ansi.StringWidth(values) <= mostBrief {
				return values
			}
		}
		return plural(v.Len(), title)
	case doc.Number:
		return title + " " + n.Counted(string(v.Encode()))
	case doc.Bool:
		switch {
		case n.Yes != "":
			return valueText(schema.FieldState{Node: n, Value: v})
		case v.True():
			return title
		}
		return ""
	}
	return valueText(schema.FieldState{Node: n, Value: v, Options: optionStates(n)})
}

func optionStates(n *schema.Node) []schema.OptionState {
	out := make([]schema.OptionState, len(n.Options))
	for i, o := range n.Options {
		out[i] = schema.OptionState{Option: o, Offered: true}
	}
	return out
}

func plural(n int, title string) string {
	if n == 1 && strings.HasSuffix(title, "s") && !strings.HasSuffix(title, "ss") {
		title = strings.TrimSuffix(title, "s")
	}
	return fmt.Sprintf("%d %s", n, title)
}

// valueText puts the value of a field that has not the focus on one line.
func valueText(s schema.FieldState) string {
	v := s.Value
	switch v.Kind() {
	case doc.Absent:
		return ""
	case doc.String:
		for _, o := range s.Options {
			if o.Value == v.Text() {
				return o.Title()
			}
		}
		return s.Node.Counted(oneLine(head(v.Text(), 300)))
	case doc.Bool:
		yes, no := sides(s.Node)
		if v.True() {
			return yes
		}
		return no
	case doc.Array:
		if s.Node != nil && s.Node.Kind == schema.List {
			return listText(s.Node, v)
		}
	}
	return s.Node.Counted(oneLine(head(string(v.Encode()), 300)))
}

func listText(n *schema.Node, v doc.Value) string {
	var parts []string
	for i, e := range v.Elems() {
		if i == 20 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, valueText(schema.FieldState{Node: n.Element, Value: e, Options: optionStates(n.Element)}))
	}
	if len(parts) == 0 {
		return "[]"
	}
	return strings.Join(parts, ", ")
}

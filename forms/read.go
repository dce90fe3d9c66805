package forms

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// Line is a row of a form in words, as plain mode reads it.
type Line struct {
	schema.FieldState
	Label string
	// Value is the value in words, and Text as it is edited.
	Value, Text string
	Problem     string
	Locked      string // why it cannot be changed
	Required    bool   // it is required here
	Opens       bool   // it has a form of its own
	Adds        bool   // it adds an entry to the list or map
	Named       bool   // it adds an entry by its name, which has a value then
	Help        []string
	Choices     []Option // the only possible values; none if it is not a choice
	Several     bool     // each answer turns one of the choices on or off
	Names       []string // suggestions
	Closed      bool     // only the suggestions are valid
	Example     string
}

// Option is one of the possible values of a field.
type Option struct {
	Value, Label, Help string
	Unavailable        string // why it cannot be chosen
	On                 bool
}

// Lines returns the rows of the form in words.
func (f *Form) Lines() []Line {
	out := make([]Line, len(f.model.rows))
	for i, r := range f.model.rows {
		out[i] = f.line(r)
		if i > 0 && r.input != nil && r.Path.Equal(out[i-1].Path) {
			out[i-1].Problem = "" // of both ends of a range, after the second one
		}
	}
	return out
}

// Remarks returns the problems with the form's object that no row shows.
func (f *Form) Remarks() []string {
	var out []string
	for _, p := range f.model.problems.unshown(f.model.rows, f.model.inlined) {
		out = append(out, phrase.Sentence(f.model.problems.formMessage(p)))
	}
	return out
}

// Cursor returns the index of the focused row.
func (f *Form) Cursor() int { return f.model.cursor }

// IsList reports whether the rows are the entries of a list or map.
func (f *Form) IsList() bool {
	n := f.model.builder.node
	return n != nil && (n.Kind == schema.List || n.Kind == schema.Map)
}

// FocusLine focuses a row by its index in Lines.
func (f *Form) FocusLine(i int) {
	f.model.endEdit()
	f.focus(i)
	f.arrange()
}

func (f *Form) line(r row) Line {
	s := &f.model
	l := Line{FieldState: r.FieldState, Label: r.label, Locked: r.locked, Required: r.required,
		Opens: r.shape == shapeSubform && r.group != groupAdder, Adds: r.group == groupAdder}
	if l.Adds {
		l.Label = phrase.Capitalize(strings.TrimPrefix(r.label, "+ "))
		l.Opens, l.Named = s.builder.list && opensEmpty(r.Node), !s.builder.list
		return l
	}
	if s.builder.list {
		l.Label = fmt.Sprintf("%s %s", phrase.Capitalize(cmp.Or(strings.ToLower(r.Node.Title), "entry")), r.label)
	}
	l.Value, l.Text = f.valueInWords(r), scalarText(r.Value)
	switch r.group {
	case groupUnused:
		l.Locked = cmp.Or(l.Locked, "It is not used here: "+r.Why)
	case groupUnknown:
		l.Locked = cmp.Or(l.Locked, "This field is unknown. It is kept as it is.")
	case groupFields:
		f.addEditing(&l, r)
	}
	if r.Node != nil {
		l.Help, l.Example = f.cfg.Schema.NotesOf(r.FieldState), placeholder(r)
	}
	if r.input != nil {
		l.Example = r.input.Placeholder
	}
	if p := s.problems.forRow(r); p != nil && p.Severity == schema.Error {
		l.Problem = s.problems.text(r, p)
	} else if p != nil { // a warning does not make an answer wrong
		l.Help = append(l.Help, phrase.Sentence(s.problems.text(r, p)))
	}
	return l
}

// opensEmpty reports whether a new element of a list has a form of its own.
func opensEmpty(n *schema.Node) bool {
	return shapeOf(schema.FieldState{Node: n, Value: zero(n), Shown: true, Options: optionStates(n)}) == shapeSubform
}

// addEditing adds how the value of a row can be changed.
func (f *Form) addEditing(l *Line, r row) {
	s := &f.model
	switch {
	case r.input == nil:
	case r.input.Kind == InputFixed:
		l.Locked = cmp.Or(l.Locked, "It cannot be changed here.")
		return
	case r.input.Kind != InputChoice:
		l.Value, l.Text = r.input.Text, r.input.Text
		for _, it := range r.input.Suggest {
			l.Names = append(l.Names, it.Value)
		}
		return
	}
	switch r.shape {
	case shapeChoice:
		st := s.builder.state(s.draft.root, r)
		if r.Node.Kind == schema.Bool && r.flags == nil {
			yes, no := boolLabels(r.Node)
			l.Choices = []Option{{Value: "true", Label: yes, On: r.Value.True()}, {Value: "false", Label: no,
				On: r.Value.Kind() == doc.Bool && !r.Value.True()}}
			return
		}
		l.Choices = optionsOf(st.Options, func(o schema.OptionState) bool {
			return doc.Equal(st.Value,
				o.Literal(st.Node.Kind))
		})
	case shapeChecklist:
		l.Several = true
		l.Choices = optionsOf(s.builder.elementOptions(s.draft.root, r), func(o schema.OptionState) bool {
			return contains(r.Value, o.Literal(r.Node.Element.Kind))
		})
	case shapeTimespan:
		l.Text = r.text
	case shapeCommaList:
		l.Text, l.Names = commaText(r.Value), s.builder.names.suggestions(r)
	case shapeAnyValue:
		if r.Value.Exists() {
			l.Text = anyText(r.Value)
		}
	case shapeInput:
		l.Names = s.builder.names.suggestions(r)
		l.Closed = len(l.Names) > 0 && (hasForm(r.Node, schema.Zone) || slices.ContainsFunc(r.Node.Rules, isConfigured))
	}
}

func isConfigured(r schema.Rule) bool {
	_, ok := schema.Unguarded(r).(schema.Configured)
	return ok
}

func optionsOf(states []schema.OptionState, on func(schema.OptionState) bool) []Option {
	var out []Option
	for _, o := range states {
		opt := Option{Value: o.Value, Label: o.Title(), Help: o.Help, On: on(o)}
		if !o.Offered {
			if !opt.On {
				continue
			}
			opt.Unavailable = o.Why
		}
		out = append(out, opt)
	}
	return out
}

// valueInWords returns the value of a row in words; empty if it has none.
func (f *Form) valueInWords(r row) string {
	if moment, off := f.model.clock.describe(f.model.draft.root, r); moment != "" {
		return moment + ", " + off
	}
	switch {
	case r.shape == shapeTimespan:
		return r.text
	case r.shape == shapeSubform:
		return strings.ReplaceAll(summary(r.Node, r.Value), " · ", ", ")
	case r.Node == nil:
		return oneLine(firstRunes(string(r.Value.Encode()), 300))
	case r.flags != nil, r.Value.Kind() == doc.String && len(r.Options) == 0 && strings.Contains(r.Value.Text(), "\n"):
		if n := strings.Count(r.Value.Text(), "\n"); n > 0 {
			first, _, _ := strings.Cut(r.Value.Text(), "\n")
			return phrase.Count(n+1, "line") + ", beginning: " + firstRunes(first, 60)
		}
	}
	return valueText(r.FieldState)
}

// errLocked is returned with the reason why a row cannot be changed.
func errLocked(why string) error { return errors.New(phrase.Sentence(why)) }

// Answer sets a row to what was answered for it in plain mode: a text as it is, one of its choices, or a time in natural
// language. It returns how the answer was understood if that is not obvious.
func (f *Form) Answer(i int, text string) (said string, err error) {
	s := &f.model
	if i < 0 || i >= len(s.rows) {
		return "", errors.New("this field is gone")
	}
	defer f.arrange()
	r := s.rows[i]
	if l := f.line(r); l.Locked != "" || l.Opens {
		return "", errLocked(cmp.Or(l.Locked, "open it to change it"))
	}
	f.FocusLine(i)
	s.failure = ""
	before := s.draft.root
	switch {
	case r.group == groupAdder && s.builder.list:
		root, err := before.Insert(f.cfg.Path.Elem(before.Lookup(f.cfg.Path).Len()), scalarValue(r.Node.Kind, text))
		if err != nil {
			return "", err
		}
		s.setRoot(root)
	case r.group == groupAdder:
		root, err := (&nameInput{}).write(before, f.cfg.Path.Child(text), s.builder.node)
		if err != nil {
			return "", err
		}
		s.setRoot(root)
		s.focusPath(f.cfg.Path.Child(text))
		return "", nil
	default:
		root, how, err := f.answered(before, r, text)
		if err != nil {
			return "", err
		}
		s.setRoot(s.builder.names.writeDerived(root, r))
		said = how
	}
	f.focus(s.cursor)
	return said, nil
}

// answered returns the document with an answer for a row.
func (f *Form) answered(root doc.Value, r row, text string) (out doc.Value, said string, err error) {
	d := &f.model.draft
	switch {
	case r.input != nil:
		words, err := f.cfg.Inputs.Read(root, *r.input, text)
		if err != nil {
			return root, "", err
		}
		if r.input.Kind == InputDate && words != "" {
			said = "Understood as " + words + "."
		}
		out, err = f.model.writeInput(r, doc.NewString(text))
		return out, said, err
	case r.shape == shapeTimespan:
		dates := f.model.builder.names.timespanDates(r)
		if _, err := r.Node.SetSpan(root, r.Path, text, dates); err != nil {
			return root, "", err
		}
		return d.writeSpan(root, r, text, dates), "", nil
	case r.flags != nil:
		out, err = d.writeFlag(root, r, doc.NewString(text))
		return out, "", err
	case r.shape == shapeChoice && r.Node.Kind == schema.Bool:
		out, err = d.write(root, r.Path, doc.NewBool(text == "true"))
		return out, "", err
	case r.shape == shapeChecklist:
		out, err = d.write(root, r.Path, toggled(r.Value, scalarValue(r.Node.Element.Kind, text)))
		return out, "", err
	case r.shape == shapeCommaList:
		out, err = d.write(root, r.Path, commaValue(r.Node.Element, text, r.Value))
		return out, "", err
	case r.shape == shapeAnyValue || r.shape == shapeExternalJSON:
		out, err = d.write(root, r.Path, anyValue(text))
		return out, "", err
	case isTime(r) && !(r.Node.Template && schema.HasExpression(text)):
		t, err := f.model.clock.parse(root, r, text)
		if err != nil {
			return root, "", err
		}
		out, err = d.write(root, r.Path, doc.NewString(t.Wire))
		return out, understood(t), err
	}
	out, err = d.write(root, r.Path, scalarValue(r.Node.Kind, text))
	return out, "", err
}

func understood(t timeparse.Result) string {
	text := "Understood as " + t.Text + "."
	for _, n := range t.Notes {
		text += " " + phrase.Sentence(n)
	}
	return text
}

// toggled returns the list with v appended or removed; absent if it is empty then.
func toggled(list, v doc.Value) doc.Value {
	var all []doc.Value
	for i, e := range list.Elems() {
		if doc.Equal(e, v) && list.Len() == 1 {
			return doc.Value{}
		}
		if doc.Equal(e, v) {
			return list.Delete(doc.P(i))
		}
		all = append(all, e)
	}
	return doc.NewArray(append(all, v)...)
}

// ClearLine removes the value of a row.
func (f *Form) ClearLine(i int) {
	f.FocusLine(i)
	if r, ok := f.model.focused(); ok && r.group != groupAdder && r.group != groupResponseOnly {
		f.model.remove(r)
	}
	f.arrange()
}

package accessible

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// row is one thing to ask of an object.
type row struct {
	schema.FieldState
	label string
	// kept says that the value means nothing here, and why it is there all the same.
	kept string
	free bool // a person chose the name
}

// rows gives what there is to ask of the object at p: what its conditions show, then what is kept
// without being used.
func (w *work) rows(p doc.Path) []row {
	obj, ok := w.schema.Object(w.root, p, w.editing.Env())
	if !ok {
		return nil
	}
	var used, kept []row
	for _, st := range obj.Fields {
		r := row{FieldState: st, label: st.Node.Label()}
		switch {
		case st.Shown:
			used = append(used, r)
		case st.Value.Exists():
			r.kept = "not used here: " + st.Why
			kept = append(kept, r)
		}
	}
	for _, st := range obj.Extras {
		r := row{FieldState: st, label: st.Path.Last().Name, free: true}
		if st.Response != nil {
			r.label, r.kept, r.free = st.Response.Label(), "read-only, set by the service", false
			kept = append(kept, r)
			continue
		}
		if st.Node == nil {
			r.kept = "unknown field, kept as it is"
			kept = append(kept, r)
			continue
		}
		used = append(used, r)
	}
	return append(used, kept...)
}

// open asks what is at p: the fields of an object, the entries of a list, or what else the tables say
// the place is edited with.
func (w *work) open(ctx context.Context, p doc.Path) error {
	n := w.schema.At(p)
	v := w.root.Lookup(p)
	switch {
	case n == nil:
		return w.field(ctx, row{FieldState: schema.FieldState{Path: p, Value: v}, label: trail(w.schema, p)}, 0, 0)
	case v.Exists() && (n.Kind == schema.List) != (v.Kind() == doc.Array):
		return w.field(ctx, w.rowAt(p), 0, 0)
	case n.Editor == schema.EditorFilters:
		return w.filters(ctx, p)
	case n.Editor == schema.EditorContent:
		return w.content(ctx, p)
	case n.Kind == schema.List, n.Kind == schema.Map:
		return w.entries(ctx, p)
	}
	return w.walk(ctx, p)
}

// rowAt gives what is asked of the one place p.
func (w *work) rowAt(p doc.Path) row {
	st, ok := w.schema.Field(w.root, p, w.editing.Env())
	if !ok {
		st = schema.FieldState{Path: p, Value: w.root.Lookup(p), Shown: true}
	}
	r := row{FieldState: st, label: trail(w.schema, p[len(p)-1:])}
	if all := w.schema.Trail(p); len(all) > 0 {
		r.label = all[len(all)-1]
	}
	return r
}

// walk asks the fields of the object at p one by one.
func (w *work) walk(ctx context.Context, p doc.Path) error {
	rows := w.rows(p)
	title := trail(w.schema, p)
	w.say("%s. %s. Press Enter to keep a value and continue. Type list to hear all questions, or back to go back.", title, phrase.Count(len(rows), "question"))
	if why := w.editing.LockedAt(p); why != "" {
		w.say("%s", why)
	}
	asked := map[string]bool{}
	for {
		rows = w.rows(p)
		i := 0
		for i < len(rows) && asked[rows[i].Path.String()] {
			i++
		}
		if i == len(rows) {
			break
		}
		err := w.field(ctx, rows[i], i+1, len(rows))
		asked[rows[i].Path.String()] = true
		switch {
		case errors.Is(err, errList):
			to, err := w.jump(ctx, rows)
			if err != nil {
				return err
			}
			for j := range rows {
				asked[rows[j].Path.String()] = j < to
			}
		case err != nil:
			return err
		}
	}
	if n := w.schema.At(p); n != nil && n.Kind == schema.Object && n.Element != nil && w.editing.LockedAt(p) == "" {
		if err := w.addMember(ctx, p, n.Element); err != nil {
			return err
		}
	}
	return w.end(p, title)
}

// jump tells all fields and asks which to go to.
func (w *work) jump(ctx context.Context, rows []row) (int, error) {
	options := make([]option, len(rows))
	for i, r := range rows {
		options[i] = option{label: r.label, help: r.state()}
	}
	return w.among(ctx, "Go to", options, 0)
}

// state tells what a row holds.
func (r row) state() string {
	text := now(r.FieldState)
	if r.Required {
		text = "required, " + text
	}
	if r.kept != "" {
		text += ", " + r.kept
	}
	return text
}

// end tells how the object stands that was asked.
func (w *work) end(p doc.Path, title string) error {
	var here []string
	for _, pr := range w.errorsAt(p) {
		here = append(here, w.problemText(pr, p))
	}
	if len(here) == 0 {
		w.say("End of %s. Nothing is invalid or missing here.", title)
	} else {
		w.say("End of %s. Still to do: %s.", title, phrase.Count(len(here), "problem"))
		for _, l := range here {
			w.say("%s", l)
		}
	}
	w.after(p)
	return nil
}

// errorsAt gives the errors at p and below.
func (w *work) errorsAt(p doc.Path) []schema.Problem { return errorsIn(w.problems, p) }

func errorsIn(problems []schema.Problem, p doc.Path) []schema.Problem {
	var out []schema.Problem
	for _, pr := range schema.Errors(problems) {
		if pr.Path.HasPrefix(p) {
			out = append(out, pr)
		}
	}
	return out
}

// problemText puts a problem into a sentence that begins with its field, named from the object at p on.
func (w *work) problemText(pr schema.Problem, p doc.Path) string {
	names := w.schema.Trail(pr.Path)
	if len(names) > len(p) {
		names = names[len(p):]
	} else if len(names) > 0 {
		names = names[len(names)-1:]
	}
	if len(names) == 0 {
		return sentence(pr.Words())
	}
	return sentence(strings.Join(names, ", ") + ": " + pr.Words())
}

// addMember asks for the name of a further member of an object that takes some, as often as one is
// given.
func (w *work) addMember(ctx context.Context, p doc.Path, elem *schema.Node) error {
	for {
		name := ""
		err := w.ask(ctx, question{
			prompt: fmt.Sprintf("Name of another %s, Enter for none", entryNoun(elem)),
			help:   func() []string { return w.schema.Notes(elem) },
			take: func(a answer) error {
				name = strings.TrimSpace(a.text)
				if w.root.Lookup(p.Child(name)).Exists() && name != "" {
					return wrong("There is already one named %s.", name)
				}
				return nil
			},
		})
		if err != nil || name == "" {
			return err
		}
		at := p.Child(name)
		st := schema.FieldState{Node: elem, Path: at, Shown: true, Options: w.rowAt(at).Options}
		if err := w.field(ctx, row{FieldState: st, label: name, free: true}, 0, 0); err != nil {
			return err
		}
	}
}

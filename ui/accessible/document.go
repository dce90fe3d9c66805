package accessible

import (
	"context"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// document is the campaign being edited: an editing session, its schema and problems, and the names of its
// places.
type document struct {
	*session
	edits    *edit.Session
	original doc.Value // the document when editing began

	// The session's state; root may have an additional entry, which is saved with its first answer.
	campaign  engine.Campaign
	workspace engine.Workspace
	schema    *schema.Schema
	root      doc.Value
	problems  []schema.Problem
	pending   bool // there are pending edits
}

// load reads the campaign with its pending edits.
func (d *document) load(ctx context.Context) error {
	l, err := d.edits.Load()(ctx)
	if err == nil {
		err = l.WorkingCopyErr
	}
	if err != nil {
		return err
	}
	if d.show(l) && d.inPlace() {
		const what = "saved after the database was away"
		return d.save(ctx, d.edits.Save(what, false), what)
	}
	return nil
}

// show adopts what was read, and reports whether there are pending edits.
func (d *document) show(l edit.Loaded) (recovered bool) {
	recovered, _ = d.edits.ApplyLoaded(l)
	switch {
	case recovered && d.inPlace():
		d.println("Your earlier changes, which could not be saved, are here.")
	case recovered:
		d.println("Your earlier changes are here. They are not applied yet.")
	}
	d.sync()
	d.original = l.Campaign.Document()
	return recovered
}

// sync adopts the session's state.
func (d *document) sync() {
	e := d.edits
	d.campaign, d.workspace, d.schema = e.Campaign(), e.Workspace(), e.Schema()
	d.root, d.problems, d.pending = e.Root(), e.Problems(), e.HasPending()
}

func (d *document) inPlace() bool { return d.edits.SavesInPlace() }

// check finds the problems of the current document.
func (d *document) check() { d.problems = d.schema.Validate(d.root, d.edits.Env()) }

// current returns the campaign with the edits.
func (d *document) current() engine.Campaign {
	c := d.campaign
	c.Body = engine.DocumentBody(d.root)
	return c
}

func (d *document) summary() engine.Summary { return engine.Summarize(d.current()) }

// rows returns the questions for the object at p: the fields that its conditions show, then values that are not
// used.
func (d *document) rows(p doc.Path) []row {
	obj, ok := d.schema.Object(d.root, p, d.edits.Env())
	if !ok {
		return nil
	}
	var used, kept []row
	choice, one := obj.FlagChoice()
	if one {
		in, _ := d.schema.Field(d.root, p, d.edits.Env())
		choice.Required = in.Required
	}
	for _, st := range obj.Fields {
		if mjml.InField(st.Node) && st.Value.Kind() == doc.String {
			st.Value = doc.NewString(mjml.Editable(st.Value.Text()))
		}
		r := row{FieldState: st, label: st.Node.Label()}
		switch {
		case one && st.Path.Equal(choice.Path):
			used = append(used, row{FieldState: choice.FieldState, label: choice.Node.Label(), flags: &choice})
		case one && slices.ContainsFunc(choice.Flags, st.Path.Equal):
		case st.Shown && d.asksFlags(st):
			used = append(used, d.rows(st.Path)...)
		case st.Shown:
			used = append(used, r)
		case st.Value.Exists():
			r.unusedReason = "not used here: " + st.Why
			kept = append(kept, r)
		}
	}
	for _, st := range obj.Extras {
		r := row{FieldState: st, label: st.Path.Last().Name, customName: true}
		if st.Response != nil {
			r.label, r.unusedReason, r.customName = st.Response.Label(), "read-only, set by the service", false
			kept = append(kept, r)
			continue
		}
		if st.Node == nil {
			r.unusedReason = "unknown field, kept as it is"
			kept = append(kept, r)
			continue
		}
		used = append(used, r)
	}
	return append(used, kept...)
}

// asksFlags reports whether a field is an object that exists only for one choice, which is asked in the object
// around it.
func (d *document) asksFlags(st schema.FieldState) bool {
	if !st.Node.Flat || st.Node.Choice == "" || st.Value.Exists() && st.Value.Kind() != doc.Object {
		return false
	}
	obj, ok := d.schema.Object(d.root, st.Path, d.edits.Env())
	if !ok {
		return false
	}
	_, one := obj.FlagChoice()
	return one
}

// rowAt returns the question for the place p.
func (d *document) rowAt(p doc.Path) row {
	st, ok := d.schema.Field(d.root, p, d.edits.Env())
	if !ok {
		st = schema.FieldState{Path: p, Value: d.root.Lookup(p), Shown: true}
	}
	r := row{FieldState: st, label: placeName(d.schema, p[len(p)-1:])}
	if all := d.schema.Trail(p); len(all) > 0 {
		r.label = all[len(all)-1]
	}
	return r
}

// errorsAt returns the errors at p and below.
func (d *document) errorsAt(p doc.Path) []schema.Problem { return errorsIn(d.problems, p) }

// problemText describes a problem in a sentence that begins with its field, named relative to the object at p.
func (d *document) problemText(pr schema.Problem, p doc.Path) string {
	names := d.schema.Trail(pr.Path)
	if len(names) > len(p) {
		names = names[len(p):]
	} else if len(names) > 0 {
		names = names[len(names)-1:]
	}
	if len(names) == 0 {
		return phrase.Sentence(pr.Text())
	}
	return phrase.Sentence(strings.Join(names, ", ") + ": " + pr.Text())
}

func (d *document) problemLine(pr schema.Problem) string {
	text := placeName(d.schema, pr.Path) + ": " + strings.TrimSuffix(pr.Text(), ".")
	if pr.Severity == schema.Notice {
		text = "Notice. " + text
	}
	return text
}

// reportError prints an error of the service, with its problems in the terms of the forms; it ends the program if ctx has
// ended.
func (d *document) reportError(ctx context.Context, what string, err error) error {
	e := engine.AsError(err)
	if e == nil || ctx.Err() != nil {
		return d.session.reportError(ctx, what, err)
	}
	found := e.Problems
	for _, detail := range e.Details {
		p, err := doc.ParsePath(detail.Target)
		if len(e.Problems) > 0 || err != nil || d.schema.At(p) == nil {
			break
		}
		found = append(found, schema.Problem{Path: p, Message: detail.Message})
	}
	switch {
	case len(found) < len(e.Details): // places that are not in the forms
		return d.session.reportError(ctx, what, err)
	case len(e.Problems) == 1: // the sentence is the same
		d.println("%s. %s", what, phrase.Sentence(d.problemLine(found[0])))
		return nil
	}
	d.println("%s: %s", what, phrase.Sentence(e.Message))
	for _, pr := range found {
		d.println("%s", phrase.Sentence(d.problemLine(pr)))
	}
	return nil
}

func (d *document) cellState(p doc.Path) string {
	if n := len(d.errorsAt(p)); n > 0 {
		return phrase.Count(n, "problem")
	}
	if d.root.Lookup(p).Empty() {
		return "empty"
	}
	return "done"
}

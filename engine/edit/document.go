package edit

import (
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Document is a document that is being edited: its current value, its problems, and what can be undone.
type Document struct {
	rules    Rules
	schema   *schema.Schema
	root     doc.Value // with every edit
	problems []schema.Problem
}

// Rules configure a [Document].
type Rules struct {
	// Check returns the tables of the document and its problems.
	Check func(root doc.Value) (*schema.Schema, []schema.Problem)
	// Locked returns why the document must not become root, or "". Nil means never locked.
	Locked func(root doc.Value) string
	Now    func() time.Time
	// History gets the changes of the document with that ID. Nil is a history of its own.
	History *History
	ID      string
}

// NewDocument returns an empty document. Call [Document.Replace] to set its value.
func NewDocument(rules Rules) Document {
	if rules.History == nil {
		rules.History = &History{}
	}
	return Document{rules: rules}
}

// Root returns the document with all edits, or an absent value before the first [Document.Replace].
func (d *Document) Root() doc.Value { return d.root }

// Schema returns the tables of the document.
func (d *Document) Schema() *schema.Schema { return d.schema }

// Problems returns the problems of the document.
func (d *Document) Problems() []schema.Problem { return d.problems }

// Check validates the document again, after something else that its problems depend on has changed.
func (d *Document) Check() { d.schema, d.problems = d.rules.Check(d.root) }

// Replace sets the document to root without an undo step.
func (d *Document) Replace(root doc.Value) {
	d.root = root
	d.Check()
}

// Change sets the document to root and records an undo step. at is the cursor. field names the field that was
// typed in: consecutive changes in one field are one undo step, and continued reports whether this change
// continued one. A change with an empty field is always a step of its own. The caller checks for locks
// before, and saves after.
func (d *Document) Change(root doc.Value, at doc.Path, field string) (continued bool) {
	continued = d.rules.History.edit(Step{ID: d.rules.ID, Before: d.root, After: root, Cursor: at, field: field, at: d.rules.Now()})
	d.root = root
	d.Check()
	return continued
}

// UndoResult is the result of an undo or redo.
type UndoResult struct {
	Changes []doc.Change
	Cursor  doc.Path // the cursor at the time of the change
	// Locked is the reason why nothing was changed; empty if something was.
	Locked string
	// Conflicts are the places that somebody else has changed since; then nothing was changed either, and the step is
	// dropped.
	Conflicts []doc.Path
	// Step is set if the change was not an edit of the document but an action on the campaign, which the caller reverses.
	Step *Step
}

// Undo reverts the last change, on top of what others have changed since. It returns false if there is nothing to undo.
func (d *Document) Undo() (UndoResult, bool) { return d.restore(true) }

// Redo restores the change that was undone last. It returns false if there is nothing to redo.
func (d *Document) Redo() (UndoResult, bool) { return d.restore(false) }

func (d *Document) restore(back bool) (UndoResult, bool) {
	h := d.rules.History
	for {
		next := h.Next(back, d.own)
		if len(next) == 0 {
			return UndoResult{}, false
		}
		step := next[0]
		if !step.Before.Exists() && !step.After.Exists() {
			return UndoResult{Step: step}, true
		}
		root, conflicts := step.Patch(d.root)
		if len(conflicts) > 0 {
			h.Drop(step)
			return UndoResult{Conflicts: conflicts}, true
		}
		if d.rules.Locked != nil {
			if why := d.rules.Locked(root); why != "" { // published meanwhile
				return UndoResult{Locked: why}, true
			}
		}
		h.Done(step)
		m := UndoResult{Changes: doc.Diff(d.root, root), Cursor: step.Cursor}
		if len(m.Changes) == 0 { // somebody else has done the same
			continue
		}
		d.root = root
		d.Check()
		return m, true
	}
}

func (d *Document) own(s *Step) bool { return s.ID == d.rules.ID }

// LastChanges returns what [Document.Undo] would revert; empty if there is nothing to undo.
func (d *Document) LastChanges() []doc.Change {
	next := d.rules.History.Next(true, d.own)
	if len(next) == 0 {
		return nil
	}
	return next[0].Changes()
}

// Steps returns the number of changes that can be undone.
func (d *Document) Steps() int { return d.rules.History.count(d.rules.ID) }

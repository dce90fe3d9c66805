package edit

import (
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Document is a document that is being edited: its current value, its problems and its undo history.
type Document struct {
	rules    Rules
	schema   *schema.Schema
	root     doc.Value // with every edit
	problems []schema.Problem
	history  history
}

// Rules configure a [Document].
type Rules struct {
	// Check returns the tables of the document and its problems.
	Check func(root doc.Value) (*schema.Schema, []schema.Problem)
	// Locked returns why the document must not become root, or "". Nil means never locked.
	Locked func(root doc.Value) string
	Now    func() time.Time
}

// NewDocument returns an empty document. Call [Document.Replace] to set its value.
func NewDocument(rules Rules) Document { return Document{rules: rules} }

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
	continued = d.history.record(Step{d.root, at}, field, d.rules.Now())
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
}

// Undo restores the document before the last change. at is the cursor. It returns false if there is nothing
// to undo.
func (d *Document) Undo(at doc.Path) (UndoResult, bool) {
	return d.restore(at, (*history).undo)
}

// Redo restores the change that was undone last. at is the cursor. It returns false if there is nothing to
// redo.
func (d *Document) Redo(at doc.Path) (UndoResult, bool) {
	return d.restore(at, (*history).redo)
}

func (d *Document) restore(at doc.Path, walk func(*history, Step) (Step, bool)) (UndoResult, bool) {
	h := d.history
	to, ok := walk(&h, Step{d.root, at})
	if !ok {
		return UndoResult{}, false
	}
	if d.rules.Locked != nil {
		if why := d.rules.Locked(to.Root); why != "" { // published meanwhile
			return UndoResult{Locked: why}, true
		}
	}
	m := UndoResult{Changes: doc.Diff(d.root, to.Root), Cursor: to.Cursor}
	d.history, d.root = h, to.Root
	d.Check()
	return m, true
}

// Steps returns the number of changes that can be undone.
func (d *Document) Steps() int { return len(d.history.past) }

// Step is an undo step: a document and a cursor.
type Step struct {
	Root   doc.Value
	Cursor doc.Path // where the user was
}

// history is the list of undo and redo steps. Roots are immutable and share unchanged parts, so the list may
// be long.
type history struct {
	past, future []Step
	last         string // the field that the newest step was typed in
	at           time.Time
}

// typingPause separates two undo steps in one field.
const typingPause = 2 * time.Second

// record adds the step before a change of field. Consecutive changes in one field are one step; it reports
// whether this change continued one.
func (h *history) record(before Step, field string, now time.Time) (continued bool) {
	continued = field != "" && field == h.last && now.Sub(h.at) < typingPause && len(h.past) > 0
	h.last, h.at, h.future = field, now, nil
	if !continued {
		h.past = append(h.past, before)
	}
	return continued
}

func (h *history) undo(now Step) (Step, bool) { return move(&h.past, &h.future, now, &h.last) }
func (h *history) redo(now Step) (Step, bool) { return move(&h.future, &h.past, now, &h.last) }

func move(from, to *[]Step, now Step, last *string) (Step, bool) {
	if len(*from) == 0 {
		return Step{}, false
	}
	s := (*from)[len(*from)-1]
	*from, *to, *last = (*from)[:len(*from)-1], append(*to, now), ""
	return s, true
}

package edit

import (
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Document is a document that is edited: what it is now, what is wrong with it, and the changes that can be undone.
type Document struct {
	rules    Rules
	schema   *schema.Schema
	root     doc.Value // with every edit
	problems []schema.Problem
	history  history
}

// Rules are what a document has to follow while it is edited.
type Rules struct {
	// Check returns the tables of the document, and what is wrong with it.
	Check func(root doc.Value) (*schema.Schema, []schema.Problem)
	// Locked returns why the document must not become root; empty where it may. It is nil for one that is never locked.
	Locked func(root doc.Value) string
	Now    func() time.Time
}

// NewDocument returns a document that holds nothing before its first [Document.Replace].
func NewDocument(rules Rules) Document { return Document{rules: rules} }

// Root returns the document with every edit; the zero value before there is one.
func (d *Document) Root() doc.Value { return d.root }

// Schema returns the tables of the document.
func (d *Document) Schema() *schema.Schema { return d.schema }

// Problems returns what is wrong with the document as it stands.
func (d *Document) Problems() []schema.Problem { return d.problems }

// Check finds the problems of the document as it stands: after a change of what they depend on besides it.
func (d *Document) Check() { d.schema, d.problems = d.rules.Check(d.root) }

// Replace makes root the document without a step that undo leads back from.
func (d *Document) Replace(root doc.Value) {
	d.root = root
	d.Check()
}

// Change makes root the document; at is where the person is. Field names what was typed in: changes that follow
// each other in one field are one step of undo, and continued reports that this one goes on with such a step. An empty
// field is a step of its own. The caller asks first whether the document is locked, and saves.
func (d *Document) Change(root doc.Value, at doc.Path, field string) (continued bool) {
	continued = d.history.record(Step{d.root, at}, field, d.rules.Now())
	d.root = root
	d.Check()
	return continued
}

// UndoResult is the outcome of an undo or a redo.
type UndoResult struct {
	Changes []doc.Change
	Cursor  doc.Path // where the person was at the time
	// Locked is why the document stays as it is; empty where it does not.
	Locked string
}

// Undo brings back the document before the last change; at is where the person is. It is false where there is
// nothing to undo.
func (d *Document) Undo(at doc.Path) (UndoResult, bool) {
	return d.restore(at, (*history).undo)
}

// Redo brings back the change that was undone last.
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

// Steps returns how many changes can be undone.
func (d *Document) Steps() int { return len(d.history.past) }

// Step is a document that undo and redo lead to.
type Step struct {
	Root   doc.Value
	Cursor doc.Path // where the person was
}

// history is the list of steps that undo and redo walk. Roots are immutable and share what they have in common, so
// the list may be long.
type history struct {
	past, future []Step
	last         string // the field that the newest step was typed in
	at           time.Time
}

// typingPause parts two undo steps in one field.
const typingPause = 2 * time.Second

// record notes the step before a change of field. Changes that follow each other in one field are one step; it
// reports whether this one continued such a step.
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

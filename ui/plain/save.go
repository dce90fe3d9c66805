package plain

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// saveTime bounds one save. A save that has begun is not ended by the end of the program.
const saveTime = 10 * time.Second

func saving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), saveTime)
}

// inPlace reports whether edits are saved in the campaign itself. Others wait, in a working copy, until
// they are applied: those of a live campaign, and all on a service that stores nothing unfinished.
func (w *work) inPlace() bool {
	_, ok := w.deps.Service.(engine.Drafter)
	return ok && w.campaign.Status == catalog.Draft
}

// lockedAt says why what is at p may not be changed now; empty where it may.
func (w *work) lockedAt(p doc.Path) string {
	state := stateWord(w.campaign.Status)
	if !w.campaign.Channel.Writable() {
		return w.campaign.Channel.Label() + " campaigns are read-only here."
	}
	for _, l := range catalog.Locked(w.campaign.Status) {
		switch {
		case !p.HasPrefix(l.Path):
		case len(l.Path) == 0:
			return "This campaign is " + state + ". It cannot be changed."
		default:
			return "This cannot be changed while the campaign is " + state + "."
		}
	}
	return ""
}

// change makes root the document and saves it. What names the change for people.
func (w *work) change(ctx context.Context, root doc.Value, what string) error {
	if len(doc.Diff(w.root, root)) == 0 {
		return nil
	}
	if locked := catalog.LockedChanges(w.campaign.Status, w.root, root); len(locked) > 0 || !w.campaign.Channel.Writable() {
		why := w.lockedAt(nil)
		if why == "" {
			why = w.lockedAt(locked[0])
		}
		w.say("Not changed. %s", why)
		return nil
	}
	w.past = append(w.past, step{w.root, what})
	w.root = root
	w.check()
	return w.save(ctx, what)
}

// save stores the document: a draft in place, others as a working copy.
func (w *work) save(ctx context.Context, what string) error {
	during, cancel := saving(ctx)
	defer cancel()
	body := engine.BodyOf(w.root)
	if !w.inPlace() {
		w.pending = len(doc.Diff(w.origin, body)) > 0
		return w.keepCopy(during, body)
	}
	drafter := w.deps.Service.(engine.Drafter)
	h, err := drafter.Save(during, engine.SaveRequest{ID: w.campaign.ID, Revision: w.campaign.Revision, Body: body, By: w.deps.Author, Note: what})
	switch e := engine.AsError(err); {
	case e != nil && e.HTTP == http.StatusConflict:
		return w.conflict(ctx, what)
	case err != nil:
		w.say("Not saved: %s", refusal(err))
		w.say("Your change is still here and will be saved with the next one.")
		return nil
	}
	w.campaign.Head, w.campaign.Body = h, body
	w.tellSaved("Saved.", "Every change is saved right away.")
	return nil
}

// tellSaved confirms a save, the first time with what is to be known of it.
func (w *work) tellSaved(text, more string) {
	if !w.told {
		text += " " + more
	}
	w.told = true
	w.say("%s", text)
}

func (w *work) keepCopy(ctx context.Context, body doc.Value) error {
	k, ok := w.deps.WorkingCopies()
	if !ok {
		w.say("Kept until you leave the campaign. This service does not store changes before they are applied.")
		return nil
	}
	copied := engine.WorkingCopy{Base: w.campaign.Revision, Origin: w.origin, Body: body, At: w.deps.Now()}
	if err := k.KeepCopy(ctx, w.campaign.ID, copied); err != nil {
		w.say("Cannot keep the change: %s", refusal(err))
		return nil
	}
	w.tellSaved("Kept, not applied yet.", "Choose apply to send your changes.")
	return nil
}

// conflict asks what shall count after somebody else changed the draft.
func (w *work) conflict(ctx context.Context, what string) error {
	w.say("Someone else saved this draft after you opened it.")
	n, err := w.among(ctx, "Which version do you want to keep", []option{
		{label: "Yours", help: "theirs stays in the history"}, {label: "Theirs", help: "your last change is discarded"},
	}, 0)
	if err != nil {
		return err
	}
	during, cancel := saving(ctx)
	defer cancel()
	if n == 1 {
		if err := w.load(during, w.campaign.ID); err != nil {
			return w.failed(ctx, "Cannot load the campaign", err)
		}
		w.say("Kept theirs.")
		return nil
	}
	theirs, err := w.deps.Service.Get(during, w.campaign.ID)
	if err != nil {
		return w.failed(ctx, "Not saved", err)
	}
	w.campaign.Head = theirs.Head
	return w.save(ctx, what)
}

// undo brings back the document before the last change.
func (w *work) undo(ctx context.Context) error {
	last := w.past[len(w.past)-1]
	w.past = w.past[:len(w.past)-1]
	w.root = last.root
	w.check()
	w.say("Undone: %s.", last.what)
	return w.save(ctx, "undid: "+last.what)
}

// The sides of a change that two people made.
const (
	sideMine   = "mine"
	sideTheirs = "theirs"
)

// apply sends the edits that wait, the changed components in one update. Side says whose components
// count where both sides changed one; empty asks.
func (w *work) apply(ctx context.Context, side string) error {
	during, cancel := saving(ctx)
	defer cancel()
	head := w.campaign.Head
	theirs, err := w.deps.Service.Get(during, head.ID)
	if err != nil {
		return w.failed(ctx, "Not applied", err)
	}
	merged, both := engine.Rebase(w.origin, engine.BodyOf(w.root), theirs.Body)
	if len(both) > 0 && side == "" {
		return w.askWhose(ctx, both)
	}
	if side == sideTheirs {
		merged = taking(merged, theirs.Body, both)
	}
	changed, removed := engine.ChangedComponents(theirs.Body, merged)
	id := head.ID
	if len(changed) > 0 {
		up, err := w.deps.Service.Update(during, engine.UpdateRequest{Call: engine.NewCall(), ID: id, Body: engine.UpdateBody(head, w.deps.Author, changed...)})
		if err != nil {
			return w.failed(ctx, "Not applied", err)
		}
		id = up.ID
	}
	w.say("Applied. %s", catalog.Propagation(w.campaign.DeliveryType, w.campaign.Status))
	if len(removed) > 0 {
		w.say("%s stays. An update cannot remove a section.", w.titles(removed))
	}
	return w.renew(ctx, head.ID, id)
}

// taking gives the body with the named components as they are in from.
func taking(body, from doc.Value, names []string) doc.Value {
	for _, name := range names {
		body = body.Delete(doc.P(name))
		if v := from.Get(name); v.Exists() {
			if out, err := body.Set(doc.P(name), v); err == nil {
				body = out
			}
		}
	}
	return body
}

// renew forgets the copy of a campaign and reads the campaign that now holds the changes.
func (w *work) renew(ctx context.Context, old, id string) error {
	during, cancel := saving(ctx)
	defer cancel()
	if k, ok := w.deps.WorkingCopies(); ok {
		if err := k.DropCopy(during, old); err != nil {
			return w.failed(ctx, "Cannot delete the copy of your changes", err)
		}
	}
	if err := w.load(during, id); err != nil {
		return w.failed(ctx, "Cannot reload the campaign", err)
	}
	return nil
}

// drop forgets the edits that wait, after a question.
func (w *work) drop(ctx context.Context) error {
	yes, err := w.yes(ctx, "Discard all changes that are not applied", false)
	if err != nil || !yes {
		return err
	}
	w.say("Dropped.")
	return w.renew(ctx, w.campaign.ID, w.campaign.ID)
}

func (w *work) askWhose(ctx context.Context, names []string) error {
	w.say("Someone else changed the same section while you were editing: %s. All other changes of both are kept.", w.titles(names))
	n, err := w.among(ctx, "Which version do you want to keep", []option{{label: "Yours"}, {label: "Theirs"}, {label: "Not yet", help: "no changes are made"}}, 2)
	if err != nil || n == 2 {
		return err
	}
	return w.apply(ctx, []string{sideMine, sideTheirs}[n])
}

// titles names components for people.
func (w *work) titles(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = trail(w.schema, doc.P(name))
	}
	return strings.Join(words, ", ")
}

// set gives the document with a value at p; an absent one takes it out, with the objects around it that
// were made for it and are empty now.
func (w *work) set(p doc.Path, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		out, err := w.root.Set(p, v)
		if err != nil {
			return w.root, fmt.Errorf("this cannot be written: %w", err)
		}
		return out, nil
	}
	out := w.root.Delete(p)
	for q := p.Parent(); len(q) > 0; q = q.Parent() {
		if around := out.Lookup(q); around.Kind() != doc.Object || around.Len() > 0 || w.begun.Lookup(q).Exists() || q.Last().IsIndex {
			break
		}
		out = out.Delete(q)
	}
	return out, nil
}

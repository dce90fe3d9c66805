package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
)

// change makes root the document and saves it. What names the change for people.
func (w *work) change(ctx context.Context, root doc.Value, what string) error {
	if len(doc.Diff(w.root, root)) == 0 {
		return nil
	}
	if why := w.editing.Locked(root); why != "" {
		w.say("Not changed. %s", why)
		return nil
	}
	w.editing.Change(root, nil, "")
	w.changes = append(w.changes, what)
	return w.save(ctx, w.editing.Save(what, false), what)
}

// save stores the document: a draft in place, others as a working copy.
func (w *work) save(ctx context.Context, store edit.Saver, what string) error {
	done, err := store(ctx)
	w.editing.Saved(done, err)
	w.follow()
	_, kept := w.deps.WorkingCopies()
	switch inPlace := w.inPlace(); {
	case inPlace && edit.IsConflict(err):
		return w.conflict(ctx, what)
	case inPlace && err != nil:
		w.say("Not saved: %s", refusal(err))
		w.say("Your change is still here and will be saved with the next one.")
	case inPlace:
		w.tellSaved("Saved.", "Every change is saved right away.")
	case err != nil:
		w.say("Cannot keep the change: %s", refusal(err))
	case !kept:
		w.say("Kept until you leave the campaign. This service does not store changes before they are applied.")
	default:
		w.tellSaved("Kept, not applied yet.", "Choose apply to send your changes.")
	}
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

// conflict asks what shall count after somebody else changed the draft.
func (w *work) conflict(ctx context.Context, what string) error {
	w.say("Someone else saved this draft after you opened it.")
	n, err := w.among(ctx, "Which version do you want to keep", []option{
		{label: "Yours", help: "theirs stays in the history"}, {label: "Theirs", help: "your last change is discarded"},
	}, 0)
	if err != nil {
		return err
	}
	if n == 0 {
		return w.save(ctx, w.editing.KeepMine(what), what)
	}
	w.editing.Forget()
	if err := w.load(ctx); err != nil {
		return w.failed(ctx, "Cannot load the campaign", err)
	}
	w.say("Kept theirs.")
	return nil
}

// undo brings back the document before the last change.
func (w *work) undo(ctx context.Context) error {
	moved, ok := w.editing.Undo(nil)
	switch {
	case !ok:
		return nil
	case moved.Locked != "":
		w.say("Not changed. %s", moved.Locked)
		return nil
	}
	last := len(w.changes) - 1
	what := w.changes[last]
	w.changes = w.changes[:last]
	w.say("Undone: %s.", what)
	what = "undid: " + what
	return w.save(ctx, w.editing.Save(what, false), what)
}

// apply sends the edits that wait, the changed components in one update. Side says whose components
// count where both sides changed one.
func (w *work) apply(ctx context.Context, side edit.Side) error {
	done, err := w.editing.Apply(side)(ctx)
	if err != nil {
		return w.failed(ctx, "Not applied", err)
	}
	if len(done.Both) > 0 {
		return w.askWhose(ctx, done.Both)
	}
	w.say("Applied. %s", catalog.Propagation(w.campaign.DeliveryType, w.campaign.Status))
	if len(done.Removed) > 0 {
		w.say("%s stays. An update cannot remove a section.", w.titles(done.Removed))
	}
	return w.renew(ctx, w.editing.Applied(done))
}

// renew forgets the copy of a campaign and reads the campaign that now holds the changes.
func (w *work) renew(ctx context.Context, drop func(context.Context) error) error {
	if err := drop(ctx); err != nil {
		return w.failed(ctx, "Cannot delete the copy of your changes", err)
	}
	if err := w.load(ctx); err != nil {
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
	return w.renew(ctx, w.editing.Drop())
}

func (w *work) askWhose(ctx context.Context, names []string) error {
	w.say("Someone else changed the same section while you were editing: %s. All other changes of both are kept.", w.titles(names))
	n, err := w.among(ctx, "Which version do you want to keep", []option{{label: "Yours"}, {label: "Theirs"}, {label: "Not yet", help: "no changes are made"}}, 2)
	if err != nil || n == 2 {
		return err
	}
	return w.apply(ctx, []edit.Side{edit.Mine, edit.Theirs}[n])
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

package accessible

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
)

// change replaces the document and saves it. what describes the change.
func (d *document) change(ctx context.Context, root doc.Value, what string) error {
	if len(doc.Diff(d.root, root)) == 0 {
		return nil
	}
	if why := d.edits.Locked(root); why != "" {
		d.println("Not changed. %s", why)
		return nil
	}
	d.edits.Change(root, nil, "")
	return d.save(ctx, d.edits.Save(what, false), what)
}

// save stores the document: a draft in place, others as a working copy.
func (d *document) save(ctx context.Context, store edit.SaveFunc, what string) error {
	done, err := store(ctx)
	d.edits.FinishSave(done, err)
	d.sync()
	_, kept := d.deps.WorkingCopies()
	switch inPlace := d.inPlace(); {
	case inPlace && edit.IsConflict(err):
		return d.conflict(ctx, what)
	case inPlace && errors.As(err, new(*edit.SavedLocallyError)):
		d.println("The database cannot be reached. Your change is kept on this machine, and saved when it is back.")
	case inPlace && err != nil:
		d.println("Not saved: %s", errorText(err))
		d.println("Your change is still here and will be saved with the next one.")
	case inPlace:
		d.confirmSaved("Saved.", "Every change is saved right away.")
	case err != nil:
		d.println("Cannot keep the change: %s", errorText(err))
	case !kept:
		d.println("Kept until you leave the campaign. This service does not store changes before they are applied.")
	default:
		d.confirmSaved("Kept, not applied yet.", "Choose apply to send your changes.")
	}
	return nil
}

// confirmSaved confirms a save, the first time with an explanation.
func (d *document) confirmSaved(text, more string) {
	if !d.savedHintShown {
		text += " " + more
	}
	d.savedHintShown = true
	d.println("%s", text)
}

// conflict asks which changes to keep after the draft was changed elsewhere.
func (d *document) conflict(ctx context.Context, what string) error {
	d.println("Someone else saved this draft after you opened it.")
	n, err := d.chooseOption(ctx, "Which version do you want to keep", []option{
		{label: "Yours", help: "theirs stays in the history"}, {label: "Theirs", help: "your last change is discarded"},
	}, 0)
	if err != nil {
		return err
	}
	if n == 0 {
		return d.save(ctx, d.edits.KeepMine(what), what)
	}
	if drop := d.edits.DiscardUnsaved(); drop != nil {
		if err := drop(ctx); err != nil {
			d.println("Cannot discard your change: %s", errorText(err))
		}
	}
	if err := d.load(ctx); err != nil {
		return d.reportError(ctx, "Cannot load the campaign", err)
	}
	d.println("Kept theirs.")
	return nil
}

// undo reverts the last change.
func (d *document) undo(ctx context.Context) error {
	moved, ok := d.edits.Undo()
	switch {
	case !ok:
		return nil
	case len(moved.Conflicts) > 0:
		d.println("Not undone. Someone else has changed %s since.", placeName(d.schema, moved.Conflicts[0]))
		return nil
	case moved.Locked != "":
		d.println("Not changed. %s", moved.Locked)
		return nil
	}
	what := placeName(d.schema, doc.CommonPath(moved.Changes)) + " changed"
	d.println("Undone: %s.", what)
	what = "undid: " + what
	return d.save(ctx, d.edits.Save(what, false), what)
}

// review applies the pending edits: without a question those of a draft, and others only if nothing is wrong with them.
func (w *campaignMenu) review(ctx context.Context) error {
	r, err := w.edits.Review()(ctx)
	if err != nil {
		return w.reportError(ctx, "Not applied", err)
	}
	question, problems := w.edits.FinishReview(r)
	w.sync()
	if len(problems) > 0 {
		w.println("Not applied. These must be fixed first.")
		return w.validate(ctx)
	}
	if question != "" {
		yes, err := w.confirm(ctx, strings.TrimSuffix(question, "?"), false)
		if err != nil || !yes {
			return err
		}
	}
	return w.apply(ctx, edit.Ask)
}

// apply sends the pending edits, the changed components in one update. side chooses the version of components
// that both sides changed.
func (d *document) apply(ctx context.Context, side edit.Resolution) error {
	done, err := d.edits.Apply(side)(ctx)
	if err != nil {
		return d.reportError(ctx, "Not applied", err)
	}
	if len(done.Conflicts) > 0 {
		return d.askVersion(ctx, done.Conflicts)
	}
	d.println("Applied. %s", catalog.Propagation(d.campaign.DeliveryType, d.campaign.Status))
	if len(done.Removed) > 0 {
		d.println("%s stays. An update cannot remove a section.", d.titles(done.Removed))
	}
	return d.reloadApplied(ctx, d.edits.FinishApply(done))
}

// reloadApplied deletes the working copy and reads the campaign, which now has the changes.
func (d *document) reloadApplied(ctx context.Context, drop func(context.Context) error) error {
	if err := drop(ctx); err != nil {
		return d.reportError(ctx, "Cannot delete the copy of your changes", err)
	}
	if err := d.load(ctx); err != nil {
		return d.reportError(ctx, "Cannot reload the campaign", err)
	}
	return nil
}

// discard drops the pending edits after a question.
func (d *document) discard(ctx context.Context) error {
	yes, err := d.confirm(ctx, "Discard all changes that are not applied", false)
	if err != nil || !yes {
		return err
	}
	d.println("Dropped.")
	return d.reloadApplied(ctx, d.edits.DiscardPending())
}

func (d *document) askVersion(ctx context.Context, names []string) error {
	d.println("Someone else changed the same section while you were editing: %s. All other changes of both are kept.", d.titles(names))
	n, err := d.chooseOption(ctx, "Which version do you want to keep", []option{{label: "Yours"}, {label: "Theirs"}, {label: "Not yet", help: "no changes are made"}}, 2)
	if err != nil || n == 2 {
		return err
	}
	return d.apply(ctx, []edit.Resolution{edit.Mine, edit.Theirs}[n])
}

// titles joins the names of components for display.
func (d *document) titles(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = placeName(d.schema, doc.P(name))
	}
	return strings.Join(words, ", ")
}

// set returns the document with a value at p; an absent one removes it, together with the surrounding objects
// that were created for it and are now empty.
func (d *document) set(p doc.Path, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		out, err := d.root.Set(p, v)
		if err != nil {
			return d.root, fmt.Errorf("this cannot be written: %w", err)
		}
		return out, nil
	}
	return d.without(d.root, p), nil
}

// without returns root without the value at p, and without the surrounding objects that were created for it and
// are now empty.
func (d *document) without(root doc.Value, p doc.Path) doc.Value {
	out := root.Delete(p)
	for q := p.Parent(); len(q) > 0; q = q.Parent() {
		if around := out.Lookup(q); around.Kind() != doc.Object || around.Len() > 0 || d.original.Lookup(q).Exists() || q.Last().IsIndex {
			break
		}
		out = out.Delete(q)
	}
	return out
}

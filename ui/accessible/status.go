package accessible

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// actions are those on a whole campaign, in the order in which they are offered.
var actions = []catalog.Action{
	catalog.Publish, catalog.Stop, catalog.Pause, catalog.Resume, catalog.Archive, catalog.Restore, catalog.Delete,
}

// status offers what can be done to the whole campaign.
func (w *work) status(ctx context.Context) error {
	return w.choose(ctx, menu{
		head: func() []string {
			return []string{"Status of " + w.summary().Title() + ": " + stateWord(w.campaign.Status) + "."}
		},
		items: func() []item {
			out := make([]item, len(actions))
			for i, a := range actions {
				out[i] = item{label: a.Label(), why: w.why(a), state: w.effect(a), run: func(ctx context.Context) error { return w.act(ctx, a) }}
			}
			return out
		},
		leave: true, full: true,
	})
}

// why says why an action cannot be done; empty where it can.
func (w *work) why(a catalog.Action) string {
	c := w.campaign
	if why := catalog.Refusal(a, c.Channel, c.DeliveryType, c.Status); why != "" {
		return why
	}
	if _, ok := w.deps.Service.(engine.Curator); !ok && (a == catalog.Archive || a == catalog.Restore || a == catalog.Delete) {
		return "this service cannot " + strings.ToLower(a.Label()) + " campaigns. Use its own dashboard."
	}
	if w.pending {
		return "there are changes that are not applied. Apply or discard them first."
	}
	return ""
}

func (w *work) effect(a catalog.Action) string {
	return strings.TrimSuffix(catalog.Effect(a, w.campaign.Channel, w.campaign.DeliveryType, w.campaign.Status), ".")
}

// act does an action after a question.
func (w *work) act(ctx context.Context, a catalog.Action) error {
	sum := w.summary()
	w.say("%s. %s.", sum.Title(), w.effect(a))
	yes, err := w.yes(ctx, a.Label()+" this campaign", false)
	if err != nil || !yes {
		return err
	}
	state, err := w.does(ctx, sum, a)
	if err != nil {
		e := engine.AsError(err)
		if ended := w.failed(ctx, a.Label()+" was not done", err); ended != nil {
			return ended
		}
		if a == catalog.Publish && e != nil && len(e.Details) > 0 {
			w.say("Choose validate in the campaign menu to see what is invalid.")
		}
		return nil
	}
	if a == catalog.Delete {
		w.say("Deleted %s.", sum.Title())
		return errGone
	}
	if state == "" {
		w.say("Done.")
	} else {
		w.say("%s is %s now.", sum.Title(), stateWord(state))
	}
	return w.failedOr(ctx, w.load(ctx))
}

// errGone says that the campaign is no longer there: its menus are left.
var errGone = errors.New("the campaign is gone")

func (w *work) failedOr(ctx context.Context, err error) error {
	if err != nil {
		return w.failed(ctx, "Cannot reload the campaign", err)
	}
	return nil
}

// does does an action and gives the state that it led to; empty where nothing says.
func (w *work) does(ctx context.Context, sum engine.Summary, a catalog.Action) (engine.State, error) {
	id, by := w.campaign.ID, w.deps.Author
	switch a {
	case catalog.Publish:
		_, err := w.deps.Service.Publish(ctx, engine.PublishRequest{Call: engine.NewCall(), ID: id, By: by, Console: true})
		return catalog.Next(a, sum.Status, sum.StartAhead(w.deps.Now())), err
	case catalog.Stop, catalog.Pause, catalog.Resume:
		changed, err := w.deps.Service.ChangeStatus(ctx, engine.StatusRequest{Call: engine.NewCall(), ID: id, Action: a, By: by})
		return changed.Status, err
	}
	curator, ok := w.deps.Service.(engine.Curator)
	switch {
	case !ok:
		return "", fmt.Errorf("this service cannot %s campaigns", strings.ToLower(a.Label()))
	case a == catalog.Archive:
		return catalog.Archived, curator.Archive(ctx, id, by)
	case a == catalog.Restore:
		return "", curator.Restore(ctx, id, by)
	}
	return "", curator.Delete(ctx, id)
}

// mostRevisions is how many earlier versions are told.
const mostRevisions = 20

// history tells the earlier versions, and brings one back.
func (w *work) history(ctx context.Context) error {
	h := w.deps.Service.(engine.Historian)
	revisions, err := h.Revisions(ctx, w.campaign.ID)
	if err != nil {
		return w.failed(ctx, "Cannot load the history", err)
	}
	return w.choose(ctx, menu{
		head: func() []string {
			return []string{"History: " + phrase.Count(len(revisions), "version") + ", the newest first."}
		},
		items: func() []item {
			var out []item
			for i, r := range revisions {
				if i == mostRevisions {
					break
				}
				label := fmt.Sprintf("Version %d", r.N)
				state := ago(r.At, w.deps.Now())
				if r.By != "" {
					state += " by " + r.By
				}
				if r.Note != "" {
					state += ", " + r.Note
				}
				out = append(out, item{label: label, state: state, run: func(ctx context.Context) error { return w.revision(ctx, h, r.N) }})
			}
			return out
		},
		help: func() []string {
			return []string{"Choose a version to compare it with the current one, or to restore it."}
		},
		leave: true,
	})
}

// mostChanges is how many differences are told.
const mostChanges = 30

// revision tells how a version differs from now, and brings it back after a question.
func (w *work) revision(ctx context.Context, h engine.Historian, n int64) error {
	then, err := h.Revision(ctx, w.campaign.ID, n)
	if err != nil {
		return w.failed(ctx, "Cannot load the version", err)
	}
	c := w.campaign
	c.Body, _ = catalog.WithFilterTypes(then.Body) // an earlier program may have written it
	root := c.Document()
	changes := doc.Diff(engine.BodyOf(w.root), c.Body)
	if len(changes) == 0 {
		w.say("Version %d is the same as the current one.", n)
		return nil
	}
	w.say("Version %d has %s.", n, phrase.Count(len(changes), "difference"))
	for i, ch := range changes {
		if i == mostChanges {
			w.say("And %d more.", len(changes)-i)
			break
		}
		w.say("%s: %s now, %s then.", trail(w.schema, ch.Path), w.held(ch.Path, ch.Before), w.held(ch.Path, ch.After))
	}
	yes, err := w.yes(ctx, fmt.Sprintf("Restore version %d", n), false)
	if err != nil || !yes {
		return err
	}
	return w.change(ctx, root, fmt.Sprintf("version %d restored", n))
}

// held puts what a place holds into words.
func (w *work) held(p doc.Path, v doc.Value) string {
	r := w.rowAt(p)
	r.Value = v
	if !v.Exists() {
		return "empty"
	}
	return now(r.FieldState)
}

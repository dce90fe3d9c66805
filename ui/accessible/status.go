package accessible

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/schema"
)

// actions are the actions on a whole campaign, in menu order.
var actions = []catalog.Action{
	catalog.Publish, catalog.Stop, catalog.Pause, catalog.Resume, catalog.Archive, catalog.Restore, catalog.Delete,
}

// lifecycle runs the actions on the whole campaign.
type lifecycle struct{ *campaignMenu }

// status lists the actions on the whole campaign.
func (l lifecycle) status(ctx context.Context) error {
	return l.choose(ctx, menu{
		header: func() []string {
			return []string{"Status of " + l.summary().Title() + ": " + stateWord(l.campaign.Status) + "."}
		},
		items: func() []item {
			out := make([]item, len(actions))
			for i, a := range actions {
				out[i] = item{label: a.Label(), word: strings.ToLower(a.Label()), disabledReason: l.disabledReason(a), state: l.effect(a), run: func(ctx context.Context) error { return l.confirmAndRun(ctx, a) }}
			}
			return out
		},
		leaveOnEmpty: true, listAlways: true,
	})
}

// disabledReason returns why an action is not allowed; empty if it is.
func (l lifecycle) disabledReason(a catalog.Action) string {
	c := l.campaign
	if why := catalog.Refusal(a, c.Channel, c.DeliveryType, c.Status); why != "" {
		return why
	}
	if _, ok := l.deps.Service.(engine.CampaignManager); !ok && (a == catalog.Archive || a == catalog.Restore || a == catalog.Delete) {
		return "this service cannot " + strings.ToLower(a.Label()) + " campaigns. Use its own dashboard."
	}
	if l.pending {
		return "there are changes that are not applied. Apply or discard them first."
	}
	return ""
}

func (l lifecycle) effect(a catalog.Action) string {
	return strings.TrimSuffix(catalog.Effect(a, l.campaign.Channel, l.campaign.DeliveryType, l.campaign.Status), ".")
}

// confirmAndRun runs an action after a question.
func (l lifecycle) confirmAndRun(ctx context.Context, a catalog.Action) error {
	sum := l.summary()
	if a == catalog.Publish {
		found, err := l.allProblems(ctx)
		if err != nil {
			return l.reportError(ctx, "Cannot check the campaign", err)
		}
		if len(schema.Errors(found)) > 0 {
			l.println("Not published. These must be fixed first.")
			return l.validate(ctx)
		}
	}
	l.println("%s. %s.", sum.Title(), l.effect(a))
	if a == catalog.Publish {
		if err := l.printWarnings(ctx); err != nil {
			return err
		}
	}
	yes, err := l.confirm(ctx, a.Label()+" this campaign", false)
	if err != nil || !yes {
		return err
	}
	state, err := l.run(ctx, sum, a)
	if err != nil {
		return l.reportError(ctx, a.Label()+" was not done", err)
	}
	if a == catalog.Delete {
		l.println("Deleted %s.", sum.Title())
		return errDeleted
	}
	if state == "" {
		l.println("Done.")
	} else {
		l.println("%s is %s now.", sum.Title(), stateWord(state))
	}
	return l.reportErrorOr(ctx, l.load(ctx))
}

// errDeleted reports that the campaign was deleted, so that its menus are left.
var errDeleted = errors.New("the campaign is gone")

func (l lifecycle) reportErrorOr(ctx context.Context, err error) error {
	if err != nil {
		return l.reportError(ctx, "Cannot reload the campaign", err)
	}
	return nil
}

// run runs an action and returns the resulting state; empty if it is unknown.
func (l lifecycle) run(ctx context.Context, sum engine.Summary, a catalog.Action) (engine.State, error) {
	id, by := l.campaign.ID, l.deps.Author
	switch a {
	case catalog.Publish:
		_, err := l.deps.Service.Publish(ctx, engine.PublishRequest{Call: engine.NewCall(), ID: id, By: by, Console: true})
		return catalog.Next(a, sum.Status, sum.StartsAfter(l.deps.Now())), err
	case catalog.Stop, catalog.Pause, catalog.Resume:
		changed, err := l.deps.Service.ChangeStatus(ctx, engine.StatusRequest{Call: engine.NewCall(), ID: id, Action: a, By: by})
		return changed.Status, err
	}
	curator, ok := l.deps.Service.(engine.CampaignManager)
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

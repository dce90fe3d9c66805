package cli

import (
	"cmp"
	"context"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
)

// Update checks the change of a campaign to body, asks as [Factory.ConfirmChange] does, and makes it. Without an error and
// an id in its result, the user does not want the change.
func (f *Factory) Update(ctx context.Context, svc engine.Service, before engine.Campaign, body doc.Value, by string, changes int, yes bool) (up engine.Updated, err error) {
	changed, _ := engine.ChangedComponents(before.Body, body)
	r := engine.UpdateRequest{Call: engine.NewCall(), ID: before.ID, IfMatch: before.Tag(), Body: engine.UpdateBody(before.Head, by, changed...)}
	env, err := edit.ChangeEnv(ctx, svc, before)
	if err != nil {
		return up, err
	}
	if err := edit.CheckChange(before, before.With(body), r.Body, env); err != nil {
		return up, err
	}
	if agreed, err := f.ConfirmChange(ctx, svc, before.With(body), changes, yes); err != nil || !agreed {
		return up, err
	}
	return svc.Update(ctx, r)
}

// ConfirmChange reports whether a campaign may be changed to after. Unless it is a draft, that is asked on the terminal;
// elsewhere it takes yes, the flag --yes.
func (f *Factory) ConfirmChange(ctx context.Context, svc engine.Service, after engine.Campaign, changes int, yes bool) (bool, error) {
	if yes || after.Status == catalog.Draft || changes == 0 {
		return true, nil
	}
	name := cmp.Or(engine.CampaignName(after.Body), after.ID)
	if !f.CanAsk() {
		return false, Misused("%s is %s, not a draft; use --yes to change it", name, strings.ToLower(after.Status.Label()))
	}
	question := edit.Question(changes, after.Status, audience.EstimateReach(ctx, svc, after))
	return f.Confirm(ctx, Line(name+": "+question), "to change it")
}

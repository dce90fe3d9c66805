package cli

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/engine/service/local"
)

// CheckEnv returns the data of the workspace that a validation without a write needs.
func CheckEnv(ctx context.Context, svc engine.Service) (schema.Env, error) {
	env := schema.Env{Stage: schema.Draft, Now: time.Now(), Expression: template.Check}
	k, ok := svc.(engine.WorkspaceStore)
	if !ok {
		return env, nil
	}
	w, err := k.Workspace(ctx)
	if err != nil {
		return env, err
	}
	if env.Flags = w.Flags; env.Flags == nil {
		env.Flags = map[string]bool{}
	}
	env.Lists = w.Lists
	return env, nil
}

// ChangeEnv is [CheckEnv] for the change of a campaign.
func ChangeEnv(ctx context.Context, svc engine.Service, before engine.Campaign) (schema.Env, error) {
	env, err := CheckEnv(ctx, svc)
	if engine.IsExternal(svc) {
		env.Record = before.Document()
	}
	return env, err
}

// Fits returns an error for a document that is larger than a campaign can be.
func Fits(v doc.Value) error {
	if n := len(v.Encode()); n > local.MaxBody {
		return engine.Errorf(engine.ValidationFailed, http.StatusRequestEntityTooLarge, "the campaign has %d KiB; up to %d KiB are allowed", n>>10, local.MaxBody>>10)
	}
	return nil
}

// CheckChange returns an error for a change that a service would refuse, as far as that can be determined without it, or that
// leaves a campaign that is not a draft with problems of the publish stage.
func CheckChange(before, after engine.Campaign, body doc.Value, env schema.Env) error {
	if !before.Channel.Writable() {
		return engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "%s campaigns can be read here, not changed", before.Channel.Label())
	}
	if err := Fits(after.Body); err != nil {
		return err
	}
	before, after = before.InRequest(), after.InRequest()
	if env.Record.Exists() { // a record of another service
		env.Record = before.Document()
	}
	if err := engine.Invalid(catalog.UpdateRequest(before.Channel).Validate(body, env)); err != nil {
		return err
	}
	if why := catalog.Refusal(catalog.Edit, before.Channel, before.DeliveryType, before.Status); why != "" {
		return engine.Errorf(engine.BadRequest, http.StatusConflict, "%s", why)
	}
	var locked []string
	for _, at := range catalog.LockedChanges(before.Status, before.Document(), after.Document()) {
		locked = append(locked, at.String())
	}
	if len(locked) > 0 {
		return engine.Errorf(engine.BadRequest, http.StatusConflict, "the campaign is %s, so these fields are locked: %s", before.Status, strings.Join(locked, ", "))
	}
	return engine.Invalid(after.ChangeProblems(env))
}

// Update checks the change of a campaign to body, asks as [Factory.ConfirmChange] does, and makes it. Without an error and
// an id in its result, the user does not want the change.
func (f *Factory) Update(ctx context.Context, svc engine.Service, before engine.Campaign, body doc.Value, by string, changes int, yes bool) (up engine.Updated, err error) {
	changed, _ := engine.ChangedComponents(before.Body, body)
	r := engine.UpdateRequest{Call: engine.NewCall(), ID: before.ID, IfMatch: before.Tag(), Body: engine.UpdateBody(before.Head, by, changed...)}
	env, err := ChangeEnv(ctx, svc, before)
	if err != nil {
		return up, err
	}
	if err := CheckChange(before, before.With(body), r.Body, env); err != nil {
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

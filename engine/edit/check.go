package edit

import (
	"context"
	"net/http"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/schema"
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
	if n := v.Size(); n > engine.MaxBody {
		return engine.Errorf(engine.ValidationFailed, http.StatusRequestEntityTooLarge, "the campaign has %d KiB; up to %d KiB are allowed", n>>10, engine.MaxBody>>10)
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

package local

import (
	"context"
	"net/http"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/store"
)

// Update changes complete components (CONTRACT.md, Update). A body with a status of PUBLISH and no component
// is the publish action.
func (s *Service) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	ids, err := withIDs(r.Call, r.Body)
	if err != nil {
		return engine.Updated{}, err
	}
	if err := checkBody(r.Body); err != nil {
		return engine.Updated{}, withRequestID(err, ids.RequestID)
	}
	if st := r.Body.Get(mStatus); st.Exists() {
		if err := checkStatusOnly(r.Body); err != nil {
			return engine.Updated{}, withRequestID(err, ids.RequestID)
		}
		if err := s.checkHeadKind(ctx, r); err != nil {
			return engine.Updated{}, withRequestID(err, ids.RequestID)
		}
		return s.Publish(ctx, engine.PublishRequest{Call: ids, ID: r.ID, By: r.Body.Get(mUpdatedBy).Text(), IfMatch: r.IfMatch})
	}
	c := newCall(ids, opUpdate, []byte(r.ID), r.Body.Encode())
	answer := func(out *engine.Updated) *engine.ResponseInfo { return &out.ResponseInfo }
	return runOnce(ctx, s.keys, c, answer, func(sp store.WorkspaceTx) (engine.Updated, error) { return s.change(sp, r) })
}

// checkStatusOnly refuses a status next to components, and a status other than PUBLISH.
func checkStatusOnly(body doc.Value) error {
	for name := range body.Members() {
		switch name {
		case mStatus, mChannel, mDeliveryType, mUpdatedBy, mRequestID:
		default:
			e := engine.Errorf(engine.BadRequest, http.StatusBadRequest, "a component and the status cannot be changed in one request; send %s first, then the status", name)
			e.Target = mStatus
			return e
		}
	}
	if by := body.Get(mUpdatedBy); by.Exists() && (by.Kind() != doc.String || !schema.Email.Matches(by.Text())) {
		return refuse(mUpdatedBy, "must be %s", schema.Email.Requirement())
	}
	if st := body.Get(mStatus); st.Text() != string(catalog.Publish) {
		return refuse(mStatus, "the status must be %q, not %s; use the status operation to stop, pause or resume", catalog.Publish, st.Encode())
	}
	return nil
}

// checkHeadKind refuses a body with another channel or delivery type than the campaign, because they never
// change.
func (s *Service) checkHeadKind(ctx context.Context, r engine.UpdateRequest) error {
	if !r.Body.Get(mChannel).Exists() && !r.Body.Get(mDeliveryType).Exists() {
		return nil
	}
	return s.view(ctx, func(sp store.WorkspaceTx) error {
		c, err := s.campaign(sp, r.ID)
		if err != nil {
			return err
		}
		_, err = withHeadKind(c, r.Body)
		return err
	})
}

// withHeadKind returns the body with the campaign's channel and delivery type if it has none, and refuses
// different ones.
func withHeadKind(c engine.Campaign, body doc.Value) (doc.Value, error) {
	for _, m := range []struct{ name, own string }{{mChannel, string(c.Channel)}, {mDeliveryType, string(c.DeliveryType)}} {
		name, own := m.name, m.own
		v := body.Get(name)
		if v.Exists() && (v.Kind() != doc.String || v.Text() != own) {
			return body, refuse(name, "%s cannot be changed: this campaign's is %s, not %s", name, own, v.Encode())
		}
		if v.Exists() {
			continue
		}
		var err error
		if body, err = body.Set(doc.P(name), doc.NewString(own)); err != nil {
			return body, refuse(name, "%w", err)
		}
	}
	return body, nil
}

func (s *Service) change(sp store.WorkspaceTx, r engine.UpdateRequest) (engine.Updated, error) {
	w, err := s.shared(sp)
	if err != nil {
		return engine.Updated{}, err
	}
	before, err := s.campaign(sp, r.ID)
	if err != nil {
		return engine.Updated{}, err
	}
	if r.IfMatch != "" && r.IfMatch != before.Tag() {
		return engine.Updated{}, engine.Stale(before.Head)
	}
	if err := s.checkUpdate(w, before, r.Body); err != nil {
		return engine.Updated{}, err
	}
	patch := components(r.Body)
	if patch.Len() == 0 {
		return engine.Updated{}, refuse("body", "the body changes nothing; add a section to change, such as basic_details")
	}
	after := before
	after.Body = merged(before.Body, patch)
	if err := checkSize(after.Body); err != nil {
		return engine.Updated{}, err
	}
	if err := checkLocks(before, after); err != nil {
		return engine.Updated{}, err
	}
	by, note := r.Body.Get(mUpdatedBy).Text(), "updated "+names(patch)
	if w.Versioning && before.Status.Live() {
		after, err = s.newVersion(sp, before, after, by, note)
	} else {
		err = s.put(sp, &after, by, note, false)
	}
	return engine.Updated{ID: after.ID, ETag: after.Tag()}, err
}

// checkUpdate checks the body against the table of the campaign's channel, with the campaign's channel and
// delivery type filled in.
func (s *Service) checkUpdate(w engine.Workspace, c engine.Campaign, body doc.Value) error {
	if !c.Channel.Writable() {
		return refuse(mChannel, "%s campaigns can be read here, not changed", c.Channel.Label())
	}
	body, err := withHeadKind(c, body)
	if err != nil {
		return err
	}
	return invalid("the change", catalog.UpdateRequest(c.Channel).Validate(body, s.env(w, schema.Draft)))
}

// merged returns body with its components replaced by those in patch.
func merged(body, patch doc.Value) doc.Value {
	ms := make([]doc.Member, 0, body.Len()+patch.Len())
	for name, v := range body.Members() {
		ms = append(ms, doc.M(name, v))
	}
	for name, v := range patch.Members() {
		ms = append(ms, doc.M(name, v))
	}
	return doc.NewObject(ms...)
}

func names(v doc.Value) string {
	var out []string
	for name := range v.Members() {
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// checkLocks refuses, with 409, changes that the campaign's state does not allow.
func checkLocks(before, after engine.Campaign) error {
	locked := catalog.LockedChanges(before.Status, before.Document(), after.Document())
	ok, why := catalog.Allowed(catalog.Edit, before.Channel, before.DeliveryType, before.Status)
	if ok && len(locked) == 0 {
		return nil
	}
	e := engine.Errorf(engine.BadRequest, http.StatusConflict, "%s", why)
	if ok {
		e.Message = "the campaign is " + string(before.Status) + ", which locks the fields you want to change"
	}
	for _, p := range locked {
		e.Details = append(e.Details, engine.Detail{Target: p.String(), Message: "cannot be changed while the campaign is " + string(before.Status)})
	}
	if e.Target = mStatus; len(locked) > 0 {
		e.Target = locked[0].String()
	}
	return e
}

// newVersion stores the change to a live campaign as a new document, and stops the old one (CONTRACT.md,
// States).
func (s *Service) newVersion(sp store.WorkspaceTx, before, after engine.Campaign, by, note string) (engine.Campaign, error) {
	before.Version = max(before.Version, 1)
	after.ID, after.Version, after.Revision = s.ids.next(s.now()), before.Version+1, 0
	note += " as a new version"
	if err := s.put(sp, &after, by, note, false); err != nil {
		return after, err
	}
	before.Status = catalog.Stopped
	return after, s.put(sp, &before, by, "replaced by a new version", false)
}

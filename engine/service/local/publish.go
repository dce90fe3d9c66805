package local

import (
	"context"
	"net/http"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/store"
)

// Validate runs the publish-time check without changing anything. A campaign of a read-only channel is not
// valid.
func (s *Service) Validate(ctx context.Context, id string) (engine.Validation, error) {
	var out engine.Validation
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		w, err := s.shared(sp)
		if err != nil {
			return err
		}
		c, err := s.campaign(sp, id)
		if err != nil {
			return err
		}
		out.Problems = s.publishProblems(w, c)
		out.Valid = len(schema.Errors(out.Problems)) == 0
		return nil
	})
	return out, err
}

func (s *Service) publishProblems(w engine.Workspace, c engine.Campaign) []schema.Problem {
	if !c.Channel.Writable() {
		return []schema.Problem{{
			Path: doc.P(mChannel), Rule: "campaign.channel#writable", Section: "CONTRACT.md, Channels",
			Message: c.Channel.Label() + " campaigns are read-only here",
		}}
	}
	env := s.env(w, schema.Publish)
	env.Now = c.CheckTime(env.Now)
	return catalog.Campaign(c.Channel).Validate(c.Document(), env)
}

// Publish publishes a draft: SCHEDULED if it starts in the future, ACTIVE otherwise (CONTRACT.md, Publish).
func (s *Service) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	ids, err := withIDs(r.Call, doc.Value{})
	if err != nil {
		return engine.Updated{}, err
	}
	c := newCall(ids, opUpdate, []byte(r.ID), []byte(catalog.Publish))
	answer := func(out *engine.Updated) *engine.ResponseInfo { return &out.ResponseInfo }
	return runOnce(ctx, s.keys, c, answer, func(sp store.WorkspaceTx) (engine.Updated, error) { return s.publish(sp, r) })
}

func (s *Service) publish(sp store.WorkspaceTx, r engine.PublishRequest) (engine.Updated, error) {
	w, err := s.shared(sp)
	if err != nil {
		return engine.Updated{}, err
	}
	c, err := s.campaign(sp, r.ID)
	if err != nil {
		return engine.Updated{}, err
	}
	if r.IfMatch != "" && r.IfMatch != c.Tag() {
		return engine.Updated{}, engine.Stale(c.Head)
	}
	if w.Publish != engine.PublishEnabled && !r.Console {
		e := engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "publishing outside the terminal program is in beta, and turned off for this workspace")
		e.Target = mStatus
		return engine.Updated{}, e
	}
	if ok, why := catalog.Allowed(catalog.Publish, c.Channel, c.DeliveryType, c.Status); !ok {
		e := engine.Errorf(engine.BadRequest, http.StatusConflict, "%s", why)
		e.Target = mStatus
		return engine.Updated{}, e
	}
	if err := invalid("the campaign", s.publishProblems(w, c)); err != nil {
		e := engine.AsError(err)
		e.Code, e.HTTP = engine.Unprocessable, http.StatusUnprocessableEntity
		e.Message += " and cannot be published yet"
		return engine.Updated{}, e
	}
	now := s.now()
	sum := engine.Summarize(c)
	c.Status = catalog.Next(catalog.Publish, c.Status, sum.StartsAfter(now))
	if c.DeliveryType == catalog.OneTime && c.Status == catalog.Active {
		c.SentTime = now // it goes out from now on
	}
	c.RejectionComment = ""
	err = s.put(sp, &c, r.By, "published", false)
	return engine.Updated{ID: c.ID, ETag: c.Tag()}, err
}

// ChangeStatus applies STOP, PAUSE or RESUME (CONTRACT.md, Update Status).
func (s *Service) ChangeStatus(ctx context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	ids, err := withIDs(r.Call, doc.Value{})
	if err != nil {
		return engine.StatusChanged{}, err
	}
	if err := checkAction(r.Action); err != nil {
		return engine.StatusChanged{}, withRequestID(err, ids.RequestID)
	}
	c := newCall(ids, opStatus, []byte(r.ID), []byte(r.Action))
	answer := func(out *engine.StatusChanged) *engine.ResponseInfo { return &out.ResponseInfo }
	return runOnce(ctx, s.keys, c, answer, func(sp store.WorkspaceTx) (engine.StatusChanged, error) { return s.changeStatus(sp, r) })
}

var actionNotes = map[engine.Action]string{catalog.Stop: "stopped", catalog.Pause: "paused", catalog.Resume: "resumed"}

func checkAction(a engine.Action) error {
	if actionNotes[a] != "" {
		return nil
	}
	if a == catalog.Publish {
		return refuse("action", "PUBLISH is not a status action; publish with an update request that only has the status")
	}
	return refuse("action", "the action must be STOP, PAUSE or RESUME, not %q", a)
}

func (s *Service) changeStatus(sp store.WorkspaceTx, r engine.StatusRequest) (engine.StatusChanged, error) {
	c, err := s.campaign(sp, r.ID)
	if err != nil {
		return engine.StatusChanged{}, err
	}
	if ok, why := catalog.Allowed(r.Action, c.Channel, c.DeliveryType, c.Status); !ok {
		e := engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "%s", why)
		e.Target = "action"
		return engine.StatusChanged{}, e
	}
	c.Status = catalog.Next(r.Action, c.Status, engine.Summarize(c).StartsAfter(s.now()))
	if err := s.put(sp, &c, r.By, actionNotes[r.Action], false); err != nil {
		return engine.StatusChanged{}, err
	}
	return engine.StatusChanged{ID: c.ID, Action: r.Action, Status: c.Status}, nil
}

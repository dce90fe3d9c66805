package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/store"
)

// requestWindows are how long a create's request_id cannot be used again after a success (CONTRACT.md,
// Limits).
var requestWindows = map[engine.Channel]time.Duration{catalog.Push: time.Hour, catalog.Email: 24 * time.Hour}

// The fields of a write's body that belong to the request or the head, and are no components.
const (
	mRequestID    = "request_id"
	mStatus       = "status"
	mChannel      = "channel"
	mDeliveryType = "campaign_delivery_type"
	mCreatedBy    = "created_by"
	mUpdatedBy    = "updated_by"
)

// Answered reports whether a create with that Idempotency-Key has a result, which a repeat returns.
func (s *Service) Answered(ctx context.Context, key string) (answered bool, err error) {
	err = s.view(ctx, func(sp store.WorkspaceTx) error {
		rec, err := sp.IdempotencyRecord(opCreate, key)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		answered = err == nil && !rec.Expired(s.now())
		return err
	})
	return answered, err
}

// Create creates a draft (CONTRACT.md, Create).
func (s *Service) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	ids, err := withIDs(r.Call, r.Body)
	if err != nil {
		return engine.Created{}, err
	}
	if err := checkBody(r.Body); err != nil {
		return engine.Created{}, withRequestID(err, ids.RequestID)
	}
	c := newCall(ids, opCreate, r.Body.Encode())
	answer := func(out *engine.Created) *engine.ResponseInfo { return &out.ResponseInfo }
	return runOnce(ctx, s.keys, c, answer, func(sp store.WorkspaceTx) (engine.Created, error) {
		w, err := s.shared(sp)
		if err != nil {
			return engine.Created{}, err
		}
		if err := s.checkCreate(w, r.Body); err != nil {
			return engine.Created{}, err
		}
		draft := s.newDraft(w, r.Body)
		if err := s.useRequestID(sp, draft.Channel, r.Body.Get(mRequestID).Text()); err != nil {
			return engine.Created{}, err
		}
		rev := s.revise(&draft, "", "created")
		if err := sp.AddCampaign(draft, engine.Summarize(draft), rev); err != nil {
			return engine.Created{}, fmt.Errorf("storing campaign %s: %w", draft.ID, err)
		}
		return engine.Created{ID: draft.ID, Status: draft.Status}, nil
	})
}

// checkCreate checks the body against the table of its channel.
func (s *Service) checkCreate(w engine.Workspace, body doc.Value) error {
	ch := engine.Channel(body.Get(mChannel).Text())
	err := invalid("the campaign", catalog.CreateRequest(ch).Validate(body, s.env(w, schema.Draft)))
	if err != nil {
		return err
	}
	if !ch.Writable() {
		return refuse(mChannel, "%s campaigns cannot be created here; choose %s or %s", ch.Label(), catalog.Push, catalog.Email)
	}
	dt := engine.DeliveryType(body.Get(mDeliveryType).Text())
	for _, info := range catalog.DeliveryTypes(ch) {
		if info.Type == dt && !info.Offered {
			return refuse(mDeliveryType, "%s", info.Why)
		}
	}
	return nil
}

func (s *Service) newDraft(w engine.Workspace, body doc.Value) engine.Campaign {
	now := s.now()
	id := s.ids.next(now)
	c := engine.Campaign{
		Head: engine.Head{
			ID: id, CampaignID: id, Status: catalog.Draft, CreatedAt: now,
			Channel: engine.Channel(body.Get(mChannel).Text()), DeliveryType: engine.DeliveryType(body.Get(mDeliveryType).Text()),
			CreatedBy: body.Get(mCreatedBy).Text(),
		},
		Body: components(body),
	}
	if w.Versioning {
		c.Version = 1
	}
	return c
}

// useRequestID prevents a create's request_id from being used again within its window.
func (s *Service) useRequestID(sp store.WorkspaceTx, ch engine.Channel, id string) error {
	if id == "" {
		return nil
	}
	if len(id) > maxID {
		return refuse(mRequestID, "must have at most %[2]d characters, not %[1]d; use a UUID, for example", len(id), maxID)
	}
	used, err := sp.IdempotencyRecord(opRequest, id)
	switch {
	case err == nil && !used.Expired(s.now()):
		e := engine.Errorf(engine.BadRequest, http.StatusConflict, "this request_id has already created a campaign; you can use it again after %s", used.ExpiresAt.UTC().Format(time.RFC3339))
		e.Target = mRequestID
		return e
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("reading the request id: %w", err)
	}
	return sp.PutIdempotencyRecord(store.IdempotencyRecord{Operation: opRequest, Key: id, ExpiresAt: s.now().Add(requestWindows[ch])})
}

// maxID is the longest id chosen by a caller, in bytes.
const maxID = 256

// components returns the components in a write's body.
func components(body doc.Value) doc.Value {
	var out []doc.Member
	for name, v := range body.Members() {
		if !engine.IsHeadField(name) && name != mRequestID {
			out = append(out, doc.M(name, v))
		}
	}
	return doc.NewObject(out...)
}

// invalid is [engine.Invalid] with another subject.
func invalid(subject string, problems []schema.Problem) error {
	err := engine.Invalid(problems)
	if e := engine.AsError(err); e != nil {
		e.Message = strings.Replace(e.Message, "the campaign", subject, 1)
	}
	return err
}

// refuse returns a validation error about one field.
func refuse(target, format string, args ...any) *engine.Error {
	e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, format, args...)
	e.Target = target
	e.Details = []engine.Detail{{Target: target, Message: e.Message}}
	return e
}

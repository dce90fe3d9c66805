package remote

import (
	"cmp"
	"context"
	"net/http"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/operation"
	"bugle/engine/schema"
)

// The fields of results (CONTRACT.md, Test sends).
const (
	mStatus    = "status"
	mCampaigns = "campaigns"
	mContent   = "personalized_content"
	mChannel   = "channel"
	mType      = "campaign_delivery_type"
	mDraftID   = "draft_id"
)

// Create creates a draft. Response-only fields are removed from the body.
func (s *Service) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	out, err := s.call(ctx, request{Operation: operation.Create, Call: r.Call, body: engine.RequestBody(r.Body)})
	if err != nil {
		return engine.Created{}, err
	}
	c := engine.ParseCreated(out.data)
	if c.ID == "" {
		return engine.Created{}, s.incomplete(out, "the id of the campaign that it created")
	}
	c.ResponseInfo = out.ResponseInfo
	return c, nil
}

// Get returns a campaign. Unknown fields of its record are in its body.
func (s *Service) Get(ctx context.Context, id string) (engine.Campaign, error) {
	out, err := s.call(ctx, request{Operation: operation.Get, id: id})
	if err != nil {
		return engine.Campaign{}, err
	}
	c := engine.ParseRecord(out.data)
	if c.ID == "" {
		return engine.Campaign{}, s.incomplete(out, "the id of the campaign")
	}
	if c.Revision = operation.ParseETag(out.etag); c.Revision == 0 {
		c.ETag = out.etag
	}
	return c, nil
}

// Update changes complete components. Services require the campaign's channel and delivery type; if the body
// does not have them, they are read first. Response-only fields are removed. updated_by is as in the body
// (see [engine.WithUpdater]).
func (s *Service) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	body := r.Body
	if body.Kind() == doc.Object && (!body.Get(mChannel).Exists() || !body.Get(mType).Exists()) {
		c, err := s.Get(ctx, r.ID)
		if err != nil {
			return engine.Updated{}, err
		}
		body = withChannel(c.Head, body)
	}
	out, err := s.call(ctx, request{Operation: operation.Update, Call: r.Call, id: r.ID, body: engine.RequestBody(body), ifMatch: r.IfMatch})
	if e := engine.AsError(err); e != nil && e.HTTP == http.StatusPreconditionFailed {
		if now, gerr := s.Get(ctx, r.ID); gerr == nil { // it knows who changed the campaign, and when
			stale := engine.Stale(now.Head)
			stale.Service, stale.RequestID = e.Service, e.RequestID
			err = stale
		}
	}
	if err != nil {
		return engine.Updated{}, err
	}
	u := engine.ParseUpdated(out.data)
	u.ResponseInfo, u.ID, u.ETag = out.ResponseInfo, cmp.Or(u.ID, r.ID), out.etag
	return u, nil
}

// withChannel returns the body of an update with the campaign's channel and delivery type, unless the body
// has them.
func withChannel(h engine.Head, body doc.Value) doc.Value {
	var first []doc.Member
	for name, own := range engine.UpdateBody(h, "").Members() {
		if !body.Get(name).Exists() {
			first = append(first, doc.M(name, own))
		}
	}
	return withFirst(body, first...)
}

// Publish publishes a campaign. The body has the status, and the campaign's channel and delivery type
// (CONTRACT.md, Publish and Services that others run). It has neither r.By, because the service takes the
// user from the credentials, nor r.Console, because the console of a remote workspace is its own dashboard.
// While publishing through the API is in beta, the service refuses it to every caller.
func (s *Service) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	body := doc.NewObject(doc.M(mStatus, doc.NewString(string(catalog.Publish))))
	return s.Update(ctx, engine.UpdateRequest{Call: r.Call, ID: r.ID, Body: body, IfMatch: r.IfMatch})
}

// Validate runs the publish-time check.
func (s *Service) Validate(ctx context.Context, id string) (engine.Validation, error) {
	out, err := s.call(ctx, request{Operation: operation.Validate, id: id})
	if err != nil {
		return engine.Validation{}, err
	}
	res := engine.Validation{Valid: out.data.Get("valid").True()}
	for _, d := range s.details(out.data) {
		p, err := doc.ParsePath(d.Target)
		if err != nil {
			p = doc.P(d.Target)
		}
		res.Problems = append(res.Problems, schema.Problem{Path: p, Message: d.Message})
	}
	return res, nil
}

// ChangeStatus applies STOP, PAUSE or RESUME. The body only contains the action (CONTRACT.md, Status), so the
// service takes the user from the credentials instead of r.By. The API does not return the new state; it is
// filled in if CONTRACT.md (States) only allows one.
func (s *Service) ChangeStatus(ctx context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	out, err := s.call(ctx, request{Operation: operation.Status, Call: r.Call, id: r.ID, body: r.Document()})
	if err != nil {
		return engine.StatusChanged{}, err
	}
	res := engine.ParseStatusChanged(out.data)
	res.ResponseInfo, res.ID, res.Action = out.ResponseInfo, cmp.Or(res.ID, r.ID), cmp.Or(res.Action, r.Action)
	if res.Status == "" && r.Action != catalog.Resume {
		res.Status = catalog.Next(r.Action, catalog.Active, false)
	}
	return res, nil
}

// Search returns one page of matching campaigns.
func (s *Service) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	out, err := s.call(ctx, request{Operation: operation.Search, Call: r.Call, body: r.Document()})
	if err != nil {
		return nil, err
	}
	found := []engine.Campaign{}
	for _, row := range rows(out.data) {
		found = append(found, engine.ParseRecord(row))
	}
	return found, nil
}

// Meta returns one page of summaries.
func (s *Service) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	out, err := s.call(ctx, request{Operation: operation.Meta, Call: r.Call, body: r.Document()})
	if err != nil {
		return nil, err
	}
	found := []engine.Meta{}
	for _, row := range rows(out.data) {
		found = append(found, engine.ParseMetaRow(row))
	}
	return found, nil
}

func rows(data doc.Value) []doc.Value {
	list := data.Get(mCampaigns)
	if data.Kind() == doc.Array {
		list = data
	}
	var out []doc.Value
	for _, row := range list.Elems() {
		if row.Kind() == doc.Object {
			out = append(out, row)
		}
	}
	return out
}

// Test sends a test. The service only reports at the end, per key and not per recipient, and so does
// Progress: Recipient is empty and Total is the number of keys. A key is reported as running once the service
// has had the call for longer than a refusal takes; the keys of a saved draft are read for this. After an
// error nothing more is reported.
func (s *Service) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	if r.Copies {
		return engine.TestResult{}, engine.Errorf(engine.BadRequest, http.StatusBadRequest, "a remote service cannot be asked for copies of a test; the API has no field for them")
	}
	n := s.newProgressReporter(r)
	out, err := s.call(ctx, request{Operation: operation.Test, Call: r.Call, body: r.Body, progress: n})
	if err != nil {
		return engine.TestResult{}, err
	}
	res := engine.ParseTestResult(out.data)
	res.ResponseInfo = out.ResponseInfo
	n.end(res)
	return res, nil
}

// Preview resolves content for one user without sending.
func (s *Service) Preview(ctx context.Context, r engine.PreviewRequest) (engine.Preview, error) {
	out, err := s.call(ctx, request{Operation: operation.Preview, Call: r.Call, body: r.Body})
	if err != nil {
		return engine.Preview{}, err
	}
	res := engine.ParsePreview(out.data)
	if !res.Content.Exists() {
		return engine.Preview{}, s.incomplete(out, "the content")
	}
	res.ResponseInfo = out.ResponseInfo
	for i, u := range res.Unresolved {
		res.Unresolved[i].Field = s.translator.path(u.Field)
	}
	return res, nil
}

// incomplete returns the error for a success response without the expected data.
func (s *Service) incomplete(out answer, what string) error {
	e := engine.Errorf(engine.Internal, http.StatusBadGateway, "%s responded %d without %s; check that the base_url is a V5 service", s.base.Host, out.status, what)
	e.RequestID = out.ResponseID
	return e
}

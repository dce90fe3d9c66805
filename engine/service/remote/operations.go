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

// The members of results (CONTRACT.md, Test sends).
const (
	mStatus    = "status"
	mCampaigns = "campaigns"
	mContent   = "personalized_content"
	mChannel   = "channel"
	mType      = "campaign_delivery_type"
	mDraftID   = "draft_id"
)

// Create starts a draft. What only responses have is left out of the body.
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

// Get returns a campaign. Members of its record that no table knows are in its body.
func (s *Service) Get(ctx context.Context, id string) (engine.Campaign, error) {
	out, err := s.call(ctx, request{Operation: operation.Get, id: id})
	if err != nil {
		return engine.Campaign{}, err
	}
	c := engine.ParseRecord(out.data)
	if c.ID == "" {
		return engine.Campaign{}, s.incomplete(out, "the id of the campaign")
	}
	c.Revision = out.revision
	return c, nil
}

// Update changes components, each of them whole. Where the body does not have the campaign's channel
// and delivery type, they are read from the service first: services need them. What
// only responses have is left out. Who updates is the body's updated_by: nothing is added to it (see [engine.WithUpdater]).
func (s *Service) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	body := r.Body
	if body.Kind() == doc.Object && (!body.Get(mChannel).Exists() || !body.Get(mType).Exists()) {
		c, err := s.Get(ctx, r.ID)
		if err != nil {
			return engine.Updated{}, err
		}
		body = saying(c.Head, body)
	}
	out, err := s.call(ctx, request{Operation: operation.Update, Call: r.Call, id: r.ID, body: engine.RequestBody(body), from: r.Revision})
	if err != nil {
		return engine.Updated{}, err
	}
	u := engine.ParseUpdated(out.data)
	u.ResponseInfo, u.ID = out.ResponseInfo, cmp.Or(u.ID, r.ID)
	return u, nil
}

// saying returns the body of an update with the campaign's channel and delivery type in front, each
// where the body does not have it.
func saying(h engine.Head, body doc.Value) doc.Value {
	var first []doc.Member
	for name, own := range engine.UpdateBody(h, "").Members() {
		if !body.Get(name).Exists() {
			first = append(first, doc.M(name, own))
		}
	}
	return withFirst(body, first...)
}

// Publish asks for the publish action, whose body is a status beside the campaign's channel and
// delivery type (CONTRACT.md, Publish and Services that others run). r.By has no place in
// it, so that the service takes the credentials for who publishes. Nor does r.Console: the console of
// a remote workspace is its own dashboard, and while the publish action is in beta the service
// refuses it to every caller.
func (s *Service) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	body := doc.NewObject(doc.M(mStatus, doc.NewString(string(catalog.Publish))))
	return s.Update(ctx, engine.UpdateRequest{Call: r.Call, ID: r.ID, Body: body, Revision: r.Revision})
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

// ChangeStatus applies STOP, PAUSE or RESUME. The body is the action alone (CONTRACT.md, Status): r.By
// has no place in it, so that the service takes the credentials for who acts. The API does not say
// which state came of it: what CONTRACT.md (States) leaves only one state for is filled in.
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

// Search returns one page of the campaigns that match.
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

// Meta returns one page of light rows.
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

// Test sends a test. The service tells of all sends at the end, each key for itself and none of its
// recipients: so does Progress, whose Recipient is empty and whose Total are the keys. A key is said
// to be under way while the service has had the call for longer than a refusal takes; those of a
// saved draft are read for it. What Progress tells ends with the results of the answer; after an
// error it tells no more.
func (s *Service) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	n := s.newNews(r)
	out, err := s.call(ctx, request{Operation: operation.Test, Call: r.Call, body: r.Body, news: n})
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
		res.Unresolved[i].Field = s.words.path(u.Field)
	}
	return res, nil
}

// incomplete is the error of an answer that says yes and leaves out what it is about.
func (s *Service) incomplete(out answer, what string) error {
	e := engine.Errorf(engine.Internal, http.StatusBadGateway, "%s responded %d without %s; check that the base_url is a V5 service", s.base.Host, out.status, what)
	e.RequestID = out.ResponseID
	return e
}

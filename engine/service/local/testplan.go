package local

import (
	"context"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/store"
)

// The fields of a test request (CONTRACT.md, Test sends).
const (
	mTestMeta    = "test_campaign_meta"
	mDraftID     = "draft_id"
	mPersonal    = "personalization_details"
	mUserAttrs   = "user_attributes"
	mEventAttrs  = "event_attributes"
	mIdentValues = "identifier_values"
)

// testPlan is everything that a test send needs, read from the store in one transaction.
type testPlan struct {
	channel    engine.Channel
	campaignID string    // empty for an inline test
	revision   int64     // of the campaign
	name       string    // the campaign's
	document   doc.Value // the campaign document, or the body of an inline test
	keys       []engine.TestKey
	recipients []recipient
	connector  engine.Connector
	provider   delivery.Sender  // for email; nil: the outbox
	gateways   []engine.Gateway // for push; the outbox for platforms without one
	env        schema.Env
	content    *sendContent
	overrides  attributes
	as         *engine.TestPersona // whose data the overrides have; nil for nobody's
	lease      string              // of the store, with which the test is marked
	digest     string              // hash of the document and the overrides
}

// attributes are the request's overrides of the recipient's values.
type attributes struct{ user, event map[string]any }

// plan checks a test request and plans its messages.
func (s *Service) plan(ctx context.Context, sp store.WorkspaceTx, body doc.Value) (*testPlan, error) {
	w, err := s.settings.shared(sp) // without a lock, which other test sends would wait for
	if err != nil {
		return nil, err
	}
	p, err := s.testContent(sp, w, body)
	if err != nil {
		return nil, err
	}
	if p.channel == catalog.Email {
		if err := s.chooseConnector(w, p); err != nil {
			return nil, err
		}
	}
	meta := body.Get(mTestMeta)
	f := engine.KeyFilter{Platform: meta.Get("platform").Text(), Locale: meta.Get("locale_name").Text(), Variation: meta.Get("variation").Text()}
	if p.keys, err = testKeys(p, f); err != nil {
		return nil, err
	}
	if p.recipients, err = s.recipients(ctx, sp, w, p, meta); err != nil {
		return nil, err
	}
	given := body.Get(mPersonal)
	p.overrides = attributes{user: resolve.Values(given.Get(mUserAttrs)), event: resolve.Values(given.Get(mEventAttrs))}
	// The body of an inline test also has the recipients, and an id of its own.
	p.digest = hashOf(string(p.document.Delete(doc.P(mTestMeta)).Delete(doc.P("request_id")).Encode()), string(given.Encode()))
	p.name = p.document.Get(string(catalog.BasicDetails)).Get("name").Text()
	if p.content, p.document, err = s.loadContent(ctx, sp, w, p.channel, p.document); err != nil {
		return nil, err
	}
	p.document = p.content.DropTemplateRefs(p.document)
	p.gateways = w.Gateways
	return p, nil
}

// testContent returns the plan with the document to send: the draft's or the request's own.
func (s *Service) testContent(sp store.WorkspaceTx, w engine.Workspace, body doc.Value) (*testPlan, error) {
	id := body.Get(mDraftID)
	if !id.Exists() {
		ch := engine.Channel(body.Get(mChannel).Text())
		p := &testPlan{channel: ch, document: body, env: s.env(w, schema.Inline)}
		return p, invalid("the test request", catalog.TestRequest(ch).Validate(body, p.env))
	}
	env := s.env(w, schema.Saved)
	// What every test request must be comes first: the draft may not be there.
	if err := invalid("the test request", catalog.TestRequest("").Validate(body, env)); err != nil {
		return nil, err
	}
	c, err := s.campaign(sp, id.Text())
	if err != nil {
		return nil, err
	}
	if c.Status != catalog.Draft {
		return nil, refuse(mDraftID, "the campaign is %s; only drafts can be tested by draft_id", c.Status)
	}
	if !c.Channel.Writable() {
		return nil, refuse(mDraftID, "%s campaigns cannot be tested", c.Channel.Label())
	}
	if err := invalid("the test request", catalog.TestRequest(c.Channel).Validate(body, env)); err != nil {
		return nil, err
	}
	document := c.Document()
	for _, name := range []catalog.Component{catalog.BasicDetails, catalog.Connector} {
		if own := body.Get(string(name)); own.Exists() {
			document = merged(document, doc.NewObject(doc.M(string(name), own)))
		}
	}
	return &testPlan{channel: c.Channel, campaignID: c.ID, revision: c.Revision, document: document, env: env}, nil
}

func testKeys(p *testPlan, f engine.KeyFilter) ([]engine.TestKey, error) {
	content := p.document.Get(string(catalog.CampaignContent)).Get("content")
	if content.Empty() {
		return nil, refuse(string(catalog.CampaignContent)+".content", "there is no message to send yet; write it first")
	}
	if member, why, ok := f.Missing(p.channel, p.document); !ok {
		return nil, refuse(mTestMeta+"."+member, "%s", why)
	}
	keys := engine.TestKeys(p.channel, p.document, f)
	switch {
	case len(keys) == 0:
		return nil, refuse(string(catalog.BasicDetails)+".platforms", "there is no platform to send to; choose one, or write a message for one")
	case len(keys) >= engine.MaxTestKeys:
		return nil, refuse(mTestMeta, "the test would send more than %d messages to each recipient; narrow it by locale_name or variation", engine.MaxTestKeys)
	}
	return keys, nil
}

// chooseConnector finds the document's connector and its provider.
func (s *Service) chooseConnector(w engine.Workspace, p *testPlan) error {
	named := p.document.Get(string(catalog.Connector))
	kind, name := named.Get("connector_type").Text(), named.Get("connector_name").Text()
	if kind == "" || name == "" {
		return refuse(string(catalog.Connector), "the campaign has no connector; choose the one to send with")
	}
	for _, c := range w.Connectors {
		if c.Type != kind || c.Name != name {
			continue
		}
		p.connector = c
		if c.Provider == engine.ProviderOutbox {
			return nil
		}
		var err error
		if p.provider, err = s.providers(c); err != nil {
			return refuse(string(catalog.Connector), "%w", err)
		}
		return nil
	}
	return refuse(string(catalog.Connector), "there is no %s connector named %q in this workspace; add it, or choose another", kind, name)
}

// data returns the data for rendering one recipient's message.
func (p *testPlan) data(r recipient) template.Data {
	return p.content.data(resolve.Over(r.attributes, p.overrides.user), resolve.Over(r.event, p.overrides.event))
}

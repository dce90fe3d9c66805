package validate_test

import (
	"context"
	"errors"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/validate"
)

const id = "65f0a1b2c3d4e5f60718293a"

// service has one campaign and the result of its validation.
type service struct {
	engine.Service
	campaign engine.Campaign
	outcome  engine.Validation
	err      error
}

func (s *service) Get(context.Context, string) (engine.Campaign, error) { return s.campaign, nil }

func (s *service) Validate(context.Context, string) (engine.Validation, error) {
	return s.outcome, s.err
}

// newService returns a service with an email, which it validates as publishing would, with a notice after the problems.
func newService(t *testing.T, name string) *service {
	t.Helper()
	body, err := doc.Parse([]byte(`{"basic_details": {"name": "` + name + `"}, "campaign_content": {"content": {"email": {"subject": "", "preview_text": "Twelve blends that are new this spring, and one that is back"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	head := engine.Head{ID: id, Status: catalog.Draft, Channel: catalog.Email, DeliveryType: catalog.OneTime, CreatedBy: "ann@example.com"}
	c := engine.Campaign{Head: head, Body: body}
	problems := catalog.Campaign(c.Channel).Validate(c.Document(), schema.Env{Stage: schema.Publish})
	notice := schema.Problem{Path: doc.P("utm_params", "utm_source"), Severity: schema.Notice, Message: "is not used here", Section: "CONTRACT.md, utm_params"}
	return &service{campaign: c, outcome: engine.Validation{Problems: append(problems, notice)}}
}

func open(t *testing.T, s engine.Service) *uitest.Harness {
	t.Helper()
	return uitest.New(t, validate.New(uitest.Deps(s), screen.Route{Name: screen.Validate, ID: id}), 80, 24)
}

// wantRoute expects which screen was opened last, at which field.
func wantRoute(t *testing.T, h *uitest.Harness, name, id, field string) {
	t.Helper()
	r := h.LastRoute()
	if r.Name != name || r.ID != id || (field != "") != (len(r.Path) > 0) || field != "" && r.Path.Last().Name != field {
		t.Errorf("opened %+v, want %s of %s, %s", r, name, id, field)
	}
}

// Each problem is shown once, by the titles of the builder; enter and a second click open its field, y copies all.
func TestProblems(t *testing.T) {
	s := newService(t, "Spring mail")
	h := open(t, s)
	h.GoldenSizes("problems")
	h.Resize(80, 24)
	h.Script("?Not ready to publish", "?Content — ", "end enter") // the notice is the last one
	wantRoute(t, h, screen.Builder, id, "utm_source")
	h.Script("esc home", "@From address")
	if len(h.Opened) > 1 {
		t.Fatal("the first click opens")
	}
	h.ClickOn("From address")
	wantRoute(t, h, screen.Builder, id, "from_address")
	h.Press("esc")
	h.Resize(120, 200)
	for _, p := range s.outcome.Problems {
		words := []rune(phrase.Capitalize(p.Text()))
		h.Want(string(words[:min(len(words), 40)]))
		h.WantNot(p.Section)
	}
	h.Press("y")
	if len(h.Copied) != 1 || h.DisabledReason("D") == "" {
		t.Error("nothing was copied, or a problem can be dismissed")
	}
}

// A message is named by its locale and variation; of a place that is too long, the end stays.
func TestPlaces(t *testing.T) {
	s := newService(t, "Spring mail")
	s.outcome.Problems = []schema.Problem{
		{Path: doc.P("campaign_content", "content", "de", "variation_2", "email", "subject"), Message: "is required"},
		{Path: doc.P("campaign_content", "content", "a-very-long-locale-name-indeed", "variation_1234567890", "email", "subject"), Message: "is required"},
		{Path: doc.P("unknown_thing", "inner", 3), Message: "is not known"},
		{Message: "has no life"},
	}
	h := open(t, s)
	h.Want("Message › German · B › Email › Subject")
	h.Resize(50, 24)
	h.Want("… › ", "› Subject", "unknown_thing — 1 problem", "inner › Entry 4", "Campaign — 1 problem", "All of it")
	h.WantFits()
}

// The verdict says whether a draft can be published, or what is wrong with a campaign that is published.
func TestVerdicts(t *testing.T) {
	s := newService(t, "Spring mail")
	notice := s.outcome.Problems[len(s.outcome.Problems)-1:]
	h := open(t, s)
	for _, v := range []struct {
		status  catalog.State
		outcome engine.Validation
		err     error
		script  []string
	}{
		{catalog.Draft, engine.Validation{Valid: true}, nil, []string{"?Ready to publish.", "?Press s to publish it.", "?ready to publish"}},
		{catalog.Draft, engine.Validation{Valid: true, Problems: notice}, nil, []string{"?Ready to publish.", "?1 notice.", "?— 1 notice"}},
		{catalog.Draft, engine.Validation{}, nil, []string{"?Not ready to publish. The service doesn't say why."}},
		{catalog.Draft, engine.Validation{}, errors.New("no answer"), []string{"?Couldn't check this campaign", "?No answer", "?Press r"}},
		{catalog.Active, engine.Validation{Valid: true}, nil, []string{"?This campaign is Active.", "!eady to publish", "!Press s"}},
		{catalog.Active, engine.Validation{Problems: []schema.Problem{{Message: "is too old"}}}, nil, []string{"?This campaign is Active and has problems: 1 problem"}},
	} {
		s.campaign.Status, s.outcome, s.err = v.status, v.outcome, v.err
		h.Send(screen.ChangedMsg{ID: id})
		h.Script(v.script...)
	}
}

// A valid campaign can be tested and published. Checks that the service does not allow are named, and warnings cannot be
// dismissed where nothing stores that.
func TestValidCampaign(t *testing.T) {
	s := newService(t, "Evil \\u001b[31m\\u0007 name")
	s.outcome = engine.Validation{Valid: true}
	h := open(t, s)
	h.Golden("valid-80x24")
	h.Script("?checks could not be made, because the service does not count audiences", "!audience-empty")
	if h.DisabledReason("enter") == "" || h.DisabledReason("D") == "" {
		t.Error("there is a problem to go to, or a warning to dismiss")
	}
	h.Press("t")
	wantRoute(t, h, screen.TestSend, id, "")
	h.Script("esc s", "?Publish")
}

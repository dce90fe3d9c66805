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
	checks   int
}

func (s *service) Get(context.Context, string) (engine.Campaign, error) { return s.campaign, nil }

func (s *service) Validate(context.Context, string) (engine.Validation, error) {
	s.checks++
	return s.outcome, s.err
}

func (s *service) ChangeStatus(context.Context, engine.StatusRequest) (engine.StatusChanged, error) {
	return engine.StatusChanged{}, nil
}

func mail(t *testing.T, name string) engine.Campaign {
	t.Helper()
	body, err := doc.Parse([]byte(`{"basic_details": {"name": "` + name + `"}, "campaign_content": {"content": {"email": {"subject": "", "preview_text": "Twelve blends that are new this spring, and one that is back"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return engine.Campaign{Head: engine.Head{ID: id, Status: catalog.Draft, Channel: catalog.Email, DeliveryType: catalog.OneTime, CreatedBy: "ann@example.com"}, Body: body}
}

// checked returns a service that validates as publishing would.
func validationResult(t *testing.T, name string) *service {
	t.Helper()
	c := mail(t, name)
	return &service{campaign: c, outcome: engine.Validation{Problems: append(catalog.Campaign(c.Channel).Validate(c.Document(), schema.Env{Stage: schema.Publish}),
		schema.Problem{Path: doc.P("utm_params", "utm_source"), Severity: schema.Notice, Message: "is not used here", Section: "CONTRACT.md, utm_params"})}}
}

func open(t *testing.T, s engine.Service) *uitest.Harness {
	t.Helper()
	return uitest.New(t, validate.New(uitest.Deps(s), screen.Route{Name: screen.Validate, ID: id}), 80, 24)
}

func TestProblemOpensField(t *testing.T) {
	h := open(t, validationResult(t, "Spring mail"))
	h.Want("Not ready to publish", "Content — ")
	for range 30 { // the last error is before the notice
		h.Press("down")
	}
	h.Press("enter")
	if r := h.LastRoute(); r.Name != screen.Builder || r.ID != id || r.Path.String() != "utm_params.utm_source" {
		t.Errorf("enter opened %+v", r)
	}
}

func TestEveryProblemIsShownOnce(t *testing.T) {
	s := validationResult(t, "Spring mail")
	h := open(t, s)
	h.Resize(120, 200)
	for _, p := range s.outcome.Problems {
		words := []rune(phrase.Capitalize(p.Text()))
		h.Want(string(words[:min(len(words), 40)]))
		h.WantNot(p.Section)
	}
	h.Press("y")
	if len(h.Copied) != 1 {
		t.Fatal("nothing was copied")
	}
}

// A problem of one of several messages names the message as the builder does, not by the names of the wire.
func TestProblemNamesItsMessage(t *testing.T) {
	s := &service{campaign: mail(t, "Spring mail"), outcome: engine.Validation{Problems: []schema.Problem{
		{Path: doc.P("campaign_content", "content", "de", "variation_2", "email", "subject"), Message: "is required"},
	}}}
	h := open(t, s)
	h.Want("Message › German · B › Email › Subject")
	h.WantNot("variation_2")
}

func TestClickSelectsSecondClickOpens(t *testing.T) {
	h := open(t, validationResult(t, "Spring mail"))
	h.ClickOn("From address")
	if len(h.Opened) > 0 {
		t.Fatal("the first click opens")
	}
	h.ClickOn("From address")
	if r := h.LastRoute(); r.Path.Last().Name != "from_address" {
		t.Errorf("it opened %+v", r)
	}
}

func TestValidCampaignShowsNextSteps(t *testing.T) {
	s := &service{campaign: mail(t, "Spring mail"), outcome: engine.Validation{Valid: true}}
	h := open(t, s)
	h.Want("Ready to publish.", "t sends a test", "s publishes it")
	h.Press("t")
	if r := h.LastRoute(); r.Name != screen.TestSend || r.ID != id {
		t.Errorf("t opened %+v", r)
	}
	if why := h.DisabledReason("enter"); why == "" {
		t.Error("there is a problem to go to in a valid campaign")
	}
}

func TestStatusIsOffered(t *testing.T) {
	h := open(t, &service{campaign: mail(t, "Spring mail"), outcome: engine.Validation{Valid: true}})
	h.Press("s")
	h.Want("Publish")
}

func TestRevalidate(t *testing.T) {
	s := validationResult(t, "Spring mail")
	h := open(t, s)
	s.outcome = engine.Validation{Valid: true}
	h.Press("r")
	h.Want("Ready to publish")
	s.outcome = engine.Validation{}
	h.Send(screen.ChangedMsg{ID: id})
	h.Want("Not ready to publish")
	if s.checks != 3 {
		t.Errorf("it was checked %d times", s.checks)
	}
}

func TestNoticesDoNotMakeItInvalid(t *testing.T) {
	s := validationResult(t, "Spring mail")
	s.outcome = engine.Validation{Valid: true, Problems: s.outcome.Problems[len(s.outcome.Problems)-1:]}
	h := open(t, s)
	h.Want("Ready to publish. 1 notice.", "— 1 notice")
}

func TestValidationError(t *testing.T) {
	s := validationResult(t, "Spring mail")
	s.err = errors.New("the service does not answer")
	h := open(t, s)
	h.Want("Couldn't check this campaign", "The service does not answer", "Press r")
	s.err = nil
	h.Press("r")
	h.Want("Not ready to publish")
}

func TestPictures(t *testing.T) {
	h := open(t, validationResult(t, "Spring mail"))
	h.GoldenSizes("problems")
	h.WantFits()
	h.Press("down", "down", "down")
	h.WantFits()

	valid := open(t, &service{campaign: mail(t, "Evil \\u001b[31m\\u0007 name"), outcome: engine.Validation{Valid: true}})
	valid.Golden("valid-80x24")
	valid.WantFits()
}

func TestLongPlaceKeepsEnd(t *testing.T) {
	s := validationResult(t, "Spring mail")
	s.outcome = engine.Validation{Problems: []schema.Problem{
		{Path: doc.P("campaign_content", "content", "a-very-long-locale-name-indeed", "variation_1234567890", "email", "subject"), Message: "is required"},
		{Path: doc.P("unknown_thing", "inner", 3), Message: "is not known"},
		{Message: "has no life"},
	}}
	h := open(t, s)
	h.Resize(50, 24)
	h.Want("… › ", "› Subject", "unknown_thing — 1 problem", "inner › Entry 4", "Campaign — 1 problem", "All of it")
	h.WantFits()
}

// For a published campaign, the result shows its state, not that it can be published.
func TestPublishedCampaign(t *testing.T) {
	s := &service{campaign: mail(t, "Spring mail"), outcome: engine.Validation{Valid: true}}
	h := open(t, s)
	h.Want("Ready to publish.", "ready to publish")
	s.campaign.Status = catalog.Active
	h.Send(screen.ChangedMsg{ID: id})
	h.Want("This campaign is Active.", "s changes its status")
	h.WantNot("eady to publish", "s publishes it", "t sends a test")
	s.outcome = engine.Validation{Problems: []schema.Problem{{Message: "is too old"}}}
	h.Press("r")
	h.Want("This campaign is Active and has problems: 1 problem")
}

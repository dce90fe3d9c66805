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

// Each problem is shown once, by the titles of the builder; enter and a second click open its field, y copies all.
func TestProblems(t *testing.T) {
	s := validationResult(t, "Spring mail")
	h := open(t, s)
	h.Want("Not ready to publish", "Content — ")
	h.Press("end", "enter") // the notice is the last one
	if r := h.LastRoute(); r.Name != screen.Builder || r.ID != id || r.Path.String() != "utm_params.utm_source" {
		t.Errorf("enter opened %+v", r)
	}
	h.Press("esc", "home")
	opened := len(h.Opened)
	h.ClickOn("From address")
	if len(h.Opened) > opened {
		t.Fatal("the first click opens")
	}
	h.ClickOn("From address")
	if r := h.LastRoute(); r.Path.Last().Name != "from_address" {
		t.Errorf("a second click opened %+v", r)
	}
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
	at := doc.P("campaign_content", "content", "de", "variation_2", "email", "subject")
	s := &service{campaign: mail(t, "Spring mail"), outcome: engine.Validation{Problems: []schema.Problem{{Path: at, Message: "is required"}}}}
	h := open(t, s)
	h.Want("Message › German · B › Email › Subject")
	s.outcome.Problems = []schema.Problem{
		{Path: doc.P("campaign_content", "content", "a-very-long-locale-name-indeed", "variation_1234567890", "email", "subject"), Message: "is required"},
		{Path: doc.P("unknown_thing", "inner", 3), Message: "is not known"},
		{Message: "has no life"},
	}
	h.Press("r")
	h.Resize(50, 24)
	h.Want("… › ", "› Subject", "unknown_thing — 1 problem", "inner › Entry 4", "Campaign — 1 problem", "All of it")
	h.WantFits()
}

// The verdict says whether a draft can be published, or what is wrong with a campaign that is published, and what to do next.
func TestVerdicts(t *testing.T) {
	s := validationResult(t, "Spring mail")
	problems := s.outcome.Problems
	h := open(t, s)
	for _, v := range []struct {
		name      string
		status    catalog.State
		outcome   engine.Validation
		err       error
		want, not []string
	}{
		{"valid", catalog.Draft, engine.Validation{Valid: true}, nil, []string{"Ready to publish.", "ready to publish", "t sends a test", "s publishes it"}, nil},
		{"notices", catalog.Draft, engine.Validation{Valid: true, Problems: problems[len(problems)-1:]}, nil, []string{"Ready to publish. 1 notice.", "— 1 notice"}, nil},
		{"no reasons", catalog.Draft, engine.Validation{}, nil, []string{"Not ready to publish"}, nil},
		{"error", catalog.Draft, engine.Validation{}, errors.New("the service does not answer"), []string{"Couldn't check this campaign", "The service does not answer", "Press r"}, nil},
		{"active", catalog.Active, engine.Validation{Valid: true}, nil, []string{"This campaign is Active.", "s changes its status"}, []string{"eady to publish", "s publishes it", "t sends a test"}},
		{"active with problems", catalog.Active, engine.Validation{Problems: []schema.Problem{{Message: "is too old"}}}, nil, []string{"This campaign is Active and has problems: 1 problem"}, nil},
	} {
		s.campaign.Status, s.outcome, s.err = v.status, v.outcome, v.err
		h.Send(screen.ChangedMsg{ID: id})
		h.Want(v.want...)
		h.WantNot(v.not...)
		if t.Failed() {
			t.Fatal(v.name)
		}
	}
}

func TestActionsOfAValidCampaign(t *testing.T) {
	h := open(t, &service{campaign: mail(t, "Evil \\u001b[31m\\u0007 name"), outcome: engine.Validation{Valid: true}})
	h.Golden("valid-80x24")
	h.WantFits()
	if h.DisabledReason("enter") == "" {
		t.Error("there is a problem to go to in a valid campaign")
	}
	h.Press("t")
	if r := h.LastRoute(); r.Name != screen.TestSend || r.ID != id {
		t.Errorf("t opened %+v", r)
	}
	h.Press("esc", "s")
	h.Want("Publish")
}

func TestPictures(t *testing.T) {
	h := open(t, validationResult(t, "Spring mail"))
	h.GoldenSizes("problems")
	h.Press("down", "down", "down")
	h.WantFits()
}

package testsend_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
)

// service is a real service whose test sends are recorded and can be overridden.
type service struct {
	*uitest.Service
	mu   sync.Mutex
	sent []engine.TestRequest
	past []engine.TestRecord // what override answered, newest first
	// override, if set, handles a test send instead of the service.
	override func(context.Context, engine.TestRequest) (engine.TestResult, error)
}

func (s *service) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	s.mu.Lock()
	s.sent = append(s.sent, r)
	instead := s.override
	s.mu.Unlock()
	if instead == nil {
		return s.Service.Test(ctx, r)
	}
	out, err := instead(ctx, r)
	if err == nil {
		s.record(engine.TestRecord{At: uitest.Now, CampaignID: r.Body.Get("draft_id").Text(), Body: r.Body, As: r.As, Copies: r.Copies, Result: out})
	}
	return out, err
}

func (s *service) record(r engine.TestRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = append([]engine.TestRecord{r}, s.past...)
}

// Tests returns what override answered before what the service keeps.
func (s *service) Tests(ctx context.Context, id string, limit int) ([]engine.TestRecord, error) {
	kept, err := s.Service.Tests(ctx, id, limit)
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(slices.Clone(s.past), kept...), err
}

func (s *service) asked(t *testing.T) engine.TestSend {
	t.Helper()
	if len(s.sent) == 0 {
		t.Fatal("nothing was sent")
	}
	return engine.ParseTestSend(s.sent[len(s.sent)-1].Body)
}

// wantSent fails the test unless that many test sends were asked for.
func (s *service) wantSent(t *testing.T, n int) {
	t.Helper()
	if len(s.sent) != n {
		t.Errorf("%d tests were sent, want %d", len(s.sent), n)
	}
}

func newService(t testing.TB) *service {
	t.Helper()
	s := uitest.NewService(t, engine.Workspace{
		Locales:       []string{"de"},
		Attributes:    []engine.Attribute{{Name: "First Name", DataType: "string"}, {Name: "Age", DataType: "double"}},
		Segments:      []engine.Segment{{ID: "S1", Name: "Big spenders", Members: []string{"USER_1", "USER_2"}}},
		ContentAPIs:   engine.ContentPolicy{Hosts: []string{"weather.example"}},
		ContentBlocks: []engine.ContentBlock{{Name: "footer", Source: "Bye {{UserAttribute['Age']|default('x')}}"}},
	})
	s.PutUsers(
		engine.User{ID: "USER_1", Attributes: map[string]any{"First Name": "Ada", "Last Name": "Byron", engine.AttrEmail: "ada@example.com"}, Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-a"}, {Platform: "WEB", Token: "tok-w"}}},
		engine.User{ID: "USER_2", Attributes: map[string]any{"First Name": "Ben", engine.AttrEmail: "ben@example.com"}, Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-b"}}},
	)
	return &service{Service: s}
}

const (
	flatMail = `{"basic_details": {"name": "Spring mail", "content_type": "TRANSACTIONAL"},
		"connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Demo mail"},
		"campaign_content": ` + flatContent + `}`
	flatContent = `{"content": {"email": {"subject": "Hello {{UserAttribute['First Name']}}", "from_address": "shop@example.com",
			"sender_name": "Shop", "html_content": "<p>Spring for {{UserAttribute['First Name']}} {{ContentBlock['footer']}}</p>"}}}`
	keyedMail = `{"basic_details": {"name": "Two tongues", "content_type": "TRANSACTIONAL"},
		"connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Demo mail"},
		"campaign_content": {"locales": ["de"], "content": {
			"default": {"variation_1": {"email": {"subject": "Hello", "from_address": "shop@example.com", "sender_name": "Shop", "html_content": "<p>Hi</p>"}}},
			"de": {"variation_1": {"email": {"subject": "Hallo", "from_address": "shop@example.com", "sender_name": "Shop", "html_content": "<p>{{UserAttribute['First Name']}}</p>"}}}}}}`
	flatPush = `{"basic_details": {"name": "Spring push", "platforms": ["ANDROID", "WEB"]},
		"campaign_content": {"content": {"push": {
			"android": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring"}},
			"web": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring", "redirect_url": "https://example.com"}}}}}}`
)

// draft creates a one-time draft.
func (s *service) draft(ch engine.Channel, components string) string {
	return s.Draft(ch, catalog.OneTime, components)
}

func open(t *testing.T, s engine.Service, id string, w, h int) *uitest.Harness {
	t.Helper()
	return uitest.New(t, testsend.New(uitest.Deps(s), screen.Route{Name: screen.TestSend, ID: id}), w, h)
}

// openDraft opens the screen for a draft on a service of its own.
func openDraft(t *testing.T, ch engine.Channel, components string) (*service, *uitest.Harness) {
	t.Helper()
	s := newService(t)
	return s, open(t, s, s.draft(ch, components), 80, 24)
}

package newdraft_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/ui/newdraft"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

func open(t *testing.T, service engine.Service, from string) *uitest.Harness {
	t.Helper()
	route := screen.Route{Name: screen.NewDraft}
	if from != "" {
		v, err := doc.Parse([]byte(from))
		if err != nil {
			t.Fatal(err)
		}
		route.Doc = v
	}
	return uitest.New(t, newdraft.New(uitest.Deps(service), route), 80, 24)
}

// openUnknown opens the screen for somebody who is not known.
func openUnknown(t *testing.T, service engine.Service) *uitest.Harness {
	t.Helper()
	deps := uitest.Deps(service)
	deps.Author = ""
	return uitest.New(t, newdraft.New(deps, screen.Route{}), 80, 24)
}

func TestGolden(t *testing.T) {
	h := openUnknown(t, uitest.NewFake())
	h.Press("down", "enter", "enter")
	h.Type("Spring sale")
	h.Press("enter")
	h.Type("ann")
	h.Press("enter")
	h.GoldenSizes("creator")
}

// wantCreated expects that the draft was created with a body, and opened in the builder.
func wantCreated(t *testing.T, h *uitest.Harness, fake *uitest.Fake, body string) {
	t.Helper()
	if !fake.Called("Create " + body) {
		t.Errorf("asked %q, want %q", fake.Calls(), body)
	}
	if got := h.LastRoute(); got.Name != screen.Builder || got.ID == "" {
		t.Errorf("opened %+v", got)
	}
}

// No key is lost, however fast it is typed, and in a text field keys are letters.
func TestCreates(t *testing.T) {
	fake := uitest.NewFake()
	h := open(t, fake, "")
	h.Hold()
	h.Press("down", "enter", "down", "enter") // email, periodic
	h.Type("Weekly digest q?n")
	h.Press("enter")
	h.FinishHeld()
	wantCreated(t, h, fake, `{"channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"ann@example.com","basic_details":{"name":"Weekly digest q?n"},"scheduling_details":{"delivery_type":"AT_FIXED_TIME"}}`)
}

// What cannot be created is not offered.
func TestOnlyWhatCanBeCreatedIsOffered(t *testing.T) {
	h := open(t, uitest.NewFake(), "")
	h.Want("› Channel", "▌ Push", "Location-triggered")
	h.WantNot("SMS", "WhatsApp", "Broadcast live activity", "Creator")
	h.Press("down") // email
	h.Want("▌ Email", "Periodic")
	h.WantNot("Device-triggered", "Location-triggered")
}

// The creator is asked for if that is not known, and must be an email address.
func TestCreatorIsEmailAddress(t *testing.T) {
	fake := uitest.NewFake()
	h := openUnknown(t, fake)
	h.Press("enter", "enter", "enter")
	h.Type("ann")
	h.Press("enter")
	h.Want("› Creator", "The creator must be an email address")
	if len(fake.Calls()) > 0 {
		t.Errorf("asked %q", fake.Calls())
	}
	h.Type("@example.com")
	h.WantNot("must be an email address")
	h.Press("enter")
	wantCreated(t, h, fake, emptyPush)
}

// emptyPush is the body of a push draft without a name.
const emptyPush = `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"platform_specific_details":{"ios":{"send_to_all_eligible_device":true}}}}`

func TestGoingBackKeepsTheAnswers(t *testing.T) {
	h := open(t, uitest.NewFake(), "")
	h.Press("enter", "down", "down", "enter") // push, event-triggered
	h.Type("Cart")
	h.Press("shift+tab", "shift+tab", "enter")
	h.Want("› Delivery type", "▌ Event-triggered", "Cart")
	h.Press("enter", "up")
	h.ClickOn("  Channel")
	h.Press("down", "enter") // email has the type too
	h.Want("✓ Email", "▌ Event-triggered")
}

// Esc goes back one question. A typed name is not lost without a question.
func TestLeavingAsksAboutTheName(t *testing.T) {
	h := open(t, uitest.NewFake(), "")
	h.Press("enter", "enter")
	h.Type("Cart")
	h.Press("esc")
	h.Want("› Delivery type")
	h.Press("esc")
	h.Want("› Channel")
	h.Press("ctrl+c")
	h.Want("The draft “Cart” has not been created yet.")
	h.Press("enter")
	h.Press("enter", "enter")
	h.Want("› Name", "Cart")
}

func TestStartFromDocument(t *testing.T) {
	from := `{"id":"65f000000000000000000001","status":"SENT","channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"bob@example.com","basic_details":{"name":"Old","tags":["a"]},"odd":1.50}`
	fake := uitest.NewFake()
	h := open(t, fake, from)
	h.Want("› Name", "✓ Periodic", "from a template or file")
	h.WantNot("Channel", "Push") // the source is for email
	h.Press("esc")
	h.Want("› Delivery type", "▌ Periodic")
	h.Press("enter")
	h.Type(" and new")
	h.Press("enter")
	wantCreated(t, h, fake, `{"channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"ann@example.com","basic_details":{"name":"Old and new","tags":["a"]},"odd":1.50,"scheduling_details":{"delivery_type":"AT_FIXED_TIME"}}`)
}

// What the service refuses to create is filled in by the builder, in a draft that is empty.
func TestRefusedComponentsGoToTheBuilder(t *testing.T) {
	fake := uitest.NewFake()
	k := &refusing{fake}
	h := open(t, k, "")
	h.Press("enter", "enter")
	h.Type("Price drop")
	h.Press("enter")
	wantCreated(t, h, fake, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`)
	if got := engine.CampaignName(h.LastRoute().Doc); got != "Price drop" {
		t.Errorf("the builder gets the name %q", got)
	}
}

// refusing refuses components in a create request.
type refusing struct{ *uitest.Fake }

func (k *refusing) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	if r.Body.Len() > 3 {
		return engine.Created{}, engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "the campaign has 1 problem")
	}
	return k.Fake.Create(ctx, r)
}

// After another refusal, enter tries again.
func TestRefusal(t *testing.T) {
	fake := uitest.NewFake()
	fake.Fail("Create", engine.Errorf(engine.RateLimited, http.StatusTooManyRequests, "too many drafts today"))
	h := open(t, fake, "")
	h.Press("enter", "enter", "enter")
	h.Want("Too many drafts today", "› Name")
	fake.Fail("Create", nil)
	h.Press("enter")
	wantCreated(t, h, fake, emptyPush)
}

// Options and questions can be clicked in every layout; a second click goes on.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		h := uitest.New(t, newdraft.New(uitest.Deps(uitest.NewFake()), screen.Route{}), size.W, size.H)
		h.ClickOn("Email")
		h.Want("› Channel", "▌ Email")
		h.ClickOn("▌ Email")
		h.Want("✓ Email", "› Delivery type")
		h.ClickOn("Periodic")
		h.Want("▌ Periodic")
		h.ClickOn("▌ Periodic")
		h.Want("✓ Periodic", "› Name")
		h.ClickOn("  Delivery type")
		h.Want("› Delivery type", "▌ Periodic")
		h.ClickOn("  Channel")
		h.Want("› Channel", "▌ Email", "✓ Periodic")
	}
}

// A draft can start from a template or a file.
func TestTemplatesAndFiles(t *testing.T) {
	h := uitest.New(t, newdraft.New(uitest.Deps(uitest.NewFake()), screen.Route{}), 80, 24)
	h.Press("T")
	h.Want("Start from a template", "Weekly newsletter", "Flash sale with a countdown")
	h.Press("down", "enter")
	if got := engine.ParseRecord(h.LastRoute().Doc); h.LastRoute().Name != screen.NewDraft || engine.CampaignName(got.Body) != "Order confirmation" {
		t.Errorf("the starter opens %+v", h.LastRoute())
	}

	file := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(file, []byte(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","basic_details":{"name":"Filed"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h = uitest.New(t, newdraft.New(uitest.Deps(uitest.NewFake()), screen.Route{}), 80, 24)
	h.Press("i")
	h.Type(file + ".not")
	h.Press("enter")
	h.Want("cannot read the file", "c.json.not") // to be corrected
	h.Press("backspace", "backspace", "backspace", "backspace")
	h.Press("enter")
	if got := engine.ParseRecord(h.LastRoute().Doc); engine.CampaignName(got.Body) != "Filed" {
		t.Errorf("the file opens %+v", h.LastRoute())
	}
}

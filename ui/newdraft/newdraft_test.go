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

// open opens the screen for an author, starting from a document unless that is empty.
func open(t *testing.T, service engine.Service, author, from string) *uitest.Harness {
	t.Helper()
	deps, route := uitest.Deps(service), screen.Route{Name: screen.NewDraft}
	deps.Author = author
	if from != "" {
		v, err := doc.Parse([]byte(from))
		if err != nil {
			t.Fatal(err)
		}
		route.Doc = v
	}
	return uitest.New(t, newdraft.New(deps, route), 80, 24)
}

const ann = "ann@example.com"

func TestGolden(t *testing.T) {
	h := open(t, uitest.NewFake(), "", "")
	h.Script("down enter enter", ">Spring sale", "enter", ">ann", "enter")
	h.GoldenSizes("creator")
}

// A draft is created with what was answered, and opened in the builder.
func TestCreates(t *testing.T) {
	const ios = `"platform_specific_details":{"ios":{"send_to_all_eligible_device":true}}`
	const old = `{"id":"65f000000000000000000001","status":"SENT","channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"bob@example.com","basic_details":{"name":"Old","tags":["a"]},"odd":1.50}`
	for name, tt := range map[string]struct {
		author, from string
		script       []string
		want         string // after the creator
	}{
		"keys in a text field are letters": {ann, "", []string{"down enter down enter", ">Weekly digest q?n", "enter"},
			`{"channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"ann@example.com","basic_details":{"name":"Weekly digest q?n"},"scheduling_details":{"delivery_type":"AT_FIXED_TIME","periodic_details":{"sending_frequency":"WEEKLY"}}}`},
		"the creator must be an email address": {"", "", []string{
			"enter enter enter", ">ann", "enter", "?› Creator", "?The creator must be an email address", ">@example.com", "!must be an email address", "enter",
		}, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{` + ios + `}}`},
		"a document has the earlier answers": {ann, old, []string{
			"?› Name", "?✓ Periodic", "?from a template or file", "!Channel", "!Push", "esc", "?› Delivery type", "?▌ Periodic", "enter", "> and new", "enter",
		}, `{"channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"ann@example.com","basic_details":{"name":"Old and new","tags":["a"]},"odd":1.50,"scheduling_details":{"delivery_type":"AT_FIXED_TIME","periodic_details":{"sending_frequency":"WEEKLY"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			fake := uitest.NewFake()
			h := open(t, fake, tt.author, tt.from)
			h.Script(tt.script...)
			wantCreated(t, h, fake, tt.want)
		})
	}
}

// wantCreated expects that the draft was created with a body, once, and opened in the builder.
func wantCreated(t *testing.T, h *uitest.Harness, fake *uitest.Fake, body string) {
	t.Helper()
	if !fake.Called("Create " + body) {
		t.Errorf("asked %q, want %q", fake.Calls(), body)
	}
	if got := h.LastRoute(); got.Name != screen.Builder || got.ID == "" {
		t.Errorf("opened %+v", got)
	}
}

// What cannot be created is not offered. Going back keeps the answers, and no key is lost, however fast it is typed.
func TestGoingBackKeepsTheAnswers(t *testing.T) {
	h := open(t, uitest.NewFake(), ann, "")
	h.Script("?› Channel", "?▌ Push", "?Location-triggered", "!SMS", "!WhatsApp", "!Broadcast live activity", "!Creator")
	h.Hold()
	h.Script("enter down down enter", ">Cart", "shift+tab shift+tab enter")
	h.FinishHeld()
	h.Script("?› Delivery type", "?▌ Event-triggered", "?Cart", "enter up", "@  Channel", "down enter") // email has the type too
	h.Script("?✓ Email", "?▌ Event-triggered", "!Device-triggered", "!Location-triggered")
}

// Esc goes back one question. A typed name is not lost without a question.
func TestLeavingAsksAboutTheName(t *testing.T) {
	h := open(t, uitest.NewFake(), ann, "")
	h.Script("enter enter", ">Cart", "esc", "?› Delivery type", "esc", "?› Channel")
	h.Script("ctrl+c", "?The draft “Cart” has not been created yet.", "enter", "enter enter", "?› Name", "?Cart")
}

// refusing refuses components in a create request.
type refusing struct{ *uitest.Fake }

func (k *refusing) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	if r.Body.Len() > 3 {
		return engine.Created{}, engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "the campaign has 1 problem")
	}
	return k.Fake.Create(ctx, r)
}

// What the service refuses to create is filled in by the builder, in a draft that is empty. After another refusal, enter
// tries again.
func TestRefusals(t *testing.T) {
	fake := uitest.NewFake()
	fake.Fail("Create", engine.Errorf(engine.RateLimited, http.StatusTooManyRequests, "too many drafts today"))
	h := open(t, &refusing{fake}, ann, "")
	h.Script("enter enter", ">Price drop", "enter", "?Too many drafts today", "?› Name")
	fake.Fail("Create", nil)
	h.Press("enter")
	wantCreated(t, h, fake, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`)
	if got := engine.CampaignName(h.LastRoute().Doc); got != "Price drop" {
		t.Errorf("the builder gets the name %q", got)
	}
}

// Options and questions can be clicked in every layout; a second click goes on.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		h := open(t, uitest.NewFake(), ann, "")
		h.Resize(size.W, size.H)
		h.Script("@Email", "?› Channel", "?▌ Email", "@▌ Email", "?✓ Email", "?› Delivery type")
		h.Script("@Periodic", "?▌ Periodic", "@▌ Periodic", "?✓ Periodic", "?› Name")
		h.Script("@  Delivery type", "?› Delivery type", "?▌ Periodic", "@  Channel", "?› Channel", "?▌ Email", "?✓ Periodic")
	}
}

// A draft can start from a template or a file. The name of a file that cannot be read can be corrected.
func TestTemplatesAndFiles(t *testing.T) {
	h := open(t, uitest.NewFake(), ann, "")
	h.Script("T", "?Start from a template", "?Weekly newsletter", "?Flash sale with a countdown", "down enter")
	wantSource(t, h, "Order confirmation")

	file := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(file, []byte(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","basic_details":{"name":"Filed"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h = open(t, uitest.NewFake(), ann, "")
	h.Script("i", ">"+file+".not", "enter", "?cannot read the file", "?c.json.not", "backspace backspace backspace backspace enter")
	wantSource(t, h, "Filed")

	file = filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("channel: PUSH\ncampaign_delivery_type: ONE_TIME\nbasic_details:\n  name: Filed as YAML\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h = open(t, uitest.NewFake(), ann, "")
	h.Script("i", ">"+file, "enter")
	wantSource(t, h, "Filed as YAML")
}

// wantSource expects that the screen was opened again with a document.
func wantSource(t *testing.T, h *uitest.Harness, name string) {
	t.Helper()
	if r := h.LastRoute(); r.Name != screen.NewDraft || engine.CampaignName(engine.ParseRecord(r.Doc).Body) != name {
		t.Errorf("opened %+v, want %s", r, name)
	}
}

package outbox_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/outbox"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// outboxService is a service with only an outbox.
type outboxService struct {
	engine.Service
	messages []engine.OutboxMessage
	err      error
}

func (b *outboxService) Outbox(context.Context, int) ([]engine.OutboxMessage, error) {
	return b.messages, b.err
}

func (b *outboxService) ClearOutbox(context.Context) error {
	b.messages = nil
	return b.err
}

func newFilledOutbox() *outboxService {
	return &outboxService{messages: []engine.OutboxMessage{
		{
			ID: "3", At: uitest.Now.Add(-20 * time.Second), CampaignID: "65f0a1b2c3d4e5f60718293a", Campaign: "Spring mail", Channel: catalog.Email,
			Key: "EMAIL_default_variation_1", Recipient: "ada@example.com", Connector: "Main SMTP",
			Email: &engine.EmailMessage{
				From: "shop@example.com", FromName: "Shop", ReplyTo: "help@example.com", To: "ada@example.com", Cc: []string{"cc@example.com"}, Bcc: []string{"bcc@example.com"},
				Subject: "Hello Ada", PreviewText: "Spring is here",
				HTML:        `<h1>Spring</h1><p>Dear Ada, see <a href="https://example.com/sale">the sale</a>.</p>` + strings.Repeat("<p>More to read.</p>", 30),
				Attachments: []string{"terms.pdf"},
			},
		},
		{
			ID: "2", At: uitest.Now.Add(-90 * time.Minute), Campaign: "Spring push", Channel: catalog.Push,
			Key: "ANDROID_de_variation_2", Recipient: "USER_1", Connector: "",
			Push: &engine.PushMessage{Platform: "ANDROID", Token: "tok-a", Title: "Hallo", Body: "Der Frühling ist da.", Payload: payload(),
				Headers: map[string]string{"apns-priority": "5", "apns-collapse-id": "spring\x1b[2J"}},
		},
		{
			ID: "1", At: uitest.Now.Add(-50 * time.Hour), Campaign: "Evil \x1b[31m", Channel: catalog.Email,
			Key: "EMAIL_default_variation_1", Recipient: "ben@example.com",
			Email: &engine.EmailMessage{From: "shop@example.com", To: "ben@example.com", Subject: "Bell \x07 and \x1b]0;x\x07 title", Text: "Only \x1b[2Jtext"},
		},
	}}
}

func payload() doc.Value {
	v, err := doc.Parse([]byte(`{"notification": {"title": "Hallo"}, "data": {"deep": 1.50}}`))
	if err != nil {
		panic(err)
	}
	return v
}

func newScreen(s engine.Service) *outbox.Screen {
	return outbox.New(uitest.Deps(s), screen.Route{Name: screen.Outbox})
}

func open(t *testing.T, s engine.Service) *uitest.Harness {
	t.Helper()
	return uitest.New(t, newScreen(s), 80, 24)
}

func TestReadEmail(t *testing.T) {
	b := newFilledOutbox()
	b.messages[0].Email.Headers = map[string]string{"X-Bugle-Test": "message=EMAIL\x1b[2J", "List-Unsubscribe": "<https://example.com/u>"}
	h := open(t, b)
	h.Script("?now", "?1h", "?2d", "?3 messages", "y enter")
	if text := h.Copied[0]; !strings.Contains(text, "Dear Ada") || strings.Contains(text, "<p>") {
		t.Errorf("the text is %q", text)
	}
	h.Script(
		"?Shop <shop@example.com>", "?cc@example.com", "?bcc@example.com", "?help@example.com", "?Hello Ada", "?Spring is here",
		"?terms.pdf", "?Dear Ada", "?https://example.com/sale", "?X-Bugle-Test: message=EMAIL", "?List-Unsubscribe: <https://example.com/u>",
		"!<p>", "!\x1b[2J", "tab", "?<h1>Spring</h1>", "y tab",
	)
	if html := h.Copied[1]; !strings.HasPrefix(html, "<h1>") {
		t.Errorf("the HTML is %q", html)
	}
	h.Script(`?"recipient": "ada@example.com"`, "esc", "?3 messages", "?1h")
}

func TestPushShowsPayload(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Script(
		"down enter", "?▍ Hallo", "?▍ Der Frühling ist da.", "?Android tok-a", "?Android · German · B", "?none (kept in this outbox)",
		"?apns-priority: 5", "!\x1b[2J", "y tab y", `?"deep": 1.50`,
	)
	if h.Copied[0] != "Hallo\nDer Frühling ist da." || !strings.Contains(h.Copied[1], "1.50") {
		t.Errorf("copied %q", h.Copied)
	}
	if why := h.DisabledReason("o"); why == "" {
		t.Error("a push can be opened in the browser")
	}
}

func TestFilter(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Script(
		"/", ">de_ hallo", "?USER_1", "?1 of 1", "!ada@example.com",
		">zzz", "?No message matches", "backspace backspace backspace enter", "?USER_1",
		"esc", "?ada@example.com", "?ben@example.com",
	)
}

func TestClearAsksFirst(t *testing.T) {
	b := newFilledOutbox()
	h := open(t, b)
	h.Script("x", "?Clear the outbox?", "?3 messages", "enter") // the harmless answer has the focus
	if len(b.messages) != 3 {
		t.Fatal("it was cleared without a yes")
	}
	h.Script("x y", "?No test messages yet. Open a draft and press t to send one.")
	if why := h.DisabledReason("x"); why == "" {
		t.Error("an empty outbox can be cleared")
	}
}

// An email is shown on the page that keeps it from connecting to its author, until the screen is left.
func TestEmailInBrowser(t *testing.T) {
	s := newScreen(newFilledOutbox())
	h := uitest.New(t, s, 80, 24)
	var page string
	s.SetBrowser(func(_ context.Context, file string) error { page = uitest.LedTo(t, file); return nil })
	h.Script("o", "?Opened in the browser", "?127.0.0.1")
	answer, err := http.Get(page + "message")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if b, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(b), "Dear Ada") || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the page is %s (%v)", b, err)
	}
	h.Send(s.Close()())
	if answer, err := http.Get(page); err == nil {
		answer.Body.Close()
		t.Error("the page is there when the screen is gone")
	}
}

func TestServiceWithoutOutbox(t *testing.T) {
	h := open(t, uitest.NewFake().WithoutCapabilities())
	if h.Want("This service has no outbox"); h.DisabledReason("r") == "" {
		t.Error("what is not there can be reloaded")
	}
}

func TestLoadError(t *testing.T) {
	b := &outboxService{err: errors.New("the store is damaged")}
	h := open(t, b)
	h.Want("Can't load the outbox: the store is damaged", "Press r to reload")
	b.err, b.messages = nil, newFilledOutbox().messages
	h.Script("r", "?ada@example.com")
}

func TestPictures(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.GoldenSizes("messages")
	h.Resize(80, 24)
	h.Press("enter")
	h.Golden("mail-80x24")
	h.Script("esc end enter", "?Only text") // with control sequences
	h.WantFits()
	open(t, &outboxService{}).Golden("empty-80x24")
}

func TestOpenCampaign(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("e")
	if r := h.LastRoute(); r.Name != screen.Builder || r.ID != "65f0a1b2c3d4e5f60718293a" {
		t.Errorf("e opened %+v", r)
	}
	h.Press("esc", "down")
	if why := h.DisabledReason("e"); why == "" {
		t.Error("a message of no campaign leads to one")
	}
}

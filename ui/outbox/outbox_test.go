package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/outbox"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
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
	h := open(t, newFilledOutbox())
	h.Want("now", "1h", "2d", "3 messages")
	h.Press("enter")
	h.Want("Shop <shop@example.com>", "cc@example.com", "bcc@example.com", "help@example.com", "Hello Ada", "Spring is here", "terms.pdf", "Dear Ada", "https://example.com/sale")
	h.WantNot("<p>")
	h.Press("tab")
	h.Want("<h1>Spring</h1>")
	h.Press("tab")
	h.Want(`"recipient": "ada@example.com"`)
	h.Press("esc")
	h.Want("3 messages", "1h")
}

// The headers that are no fields of the campaign are shown as well.
func TestReadHeaders(t *testing.T) {
	b := newFilledOutbox()
	b.messages[0].Email.Headers = map[string]string{"X-Bugle-Test": "message=EMAIL\x1b[2J", "List-Unsubscribe": "<https://example.com/u>", "Message-ID": "<1@example.com>"}
	h := open(t, b)
	h.Press("enter")
	h.Want("X-Bugle-Test: message=EMAIL", "List-Unsubscribe: <https://example.com/u>", "Message-ID: <1@example.com>")
	h.WantNot("\x1b[2J")
}

func TestPushShowsPayload(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("down", "enter")
	h.Want("▍ Hallo", "▍ Der Frühling ist da.", "Android tok-a", "Android · German · B", "none (kept in this outbox)", "apns-priority: 5")
	h.WantNot("\x1b[2J")
	h.Press("tab")
	h.Want(`"deep": 1.50`)
	h.Press("y")
	if len(h.Copied) != 1 || !strings.Contains(h.Copied[0], "1.50") {
		t.Errorf("copied %q", h.Copied)
	}
	if why := h.DisabledReason("o"); why == "" {
		t.Error("a push can be opened in the browser")
	}
}

func TestViewIsKeptBetweenMessages(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("enter", "tab", "tab")
	h.Press("n")
	h.Want(`"deep": 1.50`)
	h.Press("p")
	h.Want(`"recipient": "ada@example.com"`)
}

func TestFilter(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("/")
	h.Type("de_ hallo")
	h.Want("USER_1", "1 of 1")
	h.WantNot("ada@example.com")
	h.Type("zzz")
	h.Want("No message matches")
	h.Press("backspace", "backspace", "backspace", "enter")
	h.Want("USER_1")
	h.Press("esc")
	h.Want("ada@example.com", "ben@example.com")
}

func TestClearAsksFirst(t *testing.T) {
	b := newFilledOutbox()
	h := open(t, b)
	h.Press("x")
	h.Want("Clear the outbox?", "3 messages")
	h.Press("enter") // the harmless answer has the focus
	if len(b.messages) != 3 {
		t.Fatal("it was cleared without a yes")
	}
	h.Press("x", "y")
	h.Want("No test messages yet. Open a draft and press t to send one.")
	if why := h.DisabledReason("x"); why == "" {
		t.Error("an empty outbox can be cleared")
	}
}

func TestReloadKeepsCursor(t *testing.T) {
	b := newFilledOutbox()
	h := open(t, b)
	h.Press("down")
	b.messages = append([]engine.OutboxMessage{{ID: "4", At: uitest.Now, Recipient: "new@example.com", Email: &engine.EmailMessage{Subject: "New"}}}, b.messages...)
	h.Press("r")
	h.Want("new@example.com", "3 of 4")
	h.Press("enter")
	h.Want("Hallo")
}

// An email is shown on the page that keeps it from connecting to its author, until the screen is left.
func TestEmailInBrowser(t *testing.T) {
	s := newScreen(newFilledOutbox())
	h := uitest.New(t, s, 80, 24)
	var page string
	s.SetBrowser(func(_ context.Context, file string) error { page = uitest.LedTo(t, file); return nil })
	h.Press("o")
	h.Want("Opened in the browser", "127.0.0.1")
	answer, err := http.Get(page + "message")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if b, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(b), "Dear Ada") || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the page is %s (%v)", b, err)
	}
	drain(s.Close())
	if answer, err := http.Get(page); err == nil {
		answer.Body.Close()
		t.Error("the page is there when the screen is gone")
	}
}

func TestMissingBrowserExplainsWhatToDo(t *testing.T) {
	s := newScreen(newFilledOutbox())
	s.SetBrowser(func(context.Context, string) error { return errors.New("the command xdg-open is not there") })
	h := uitest.New(t, s, 80, 24)
	h.Press("o")
	h.Want("No browser can be opened", "xdg-open")
	if len(h.Copied) != 1 || !strings.HasPrefix(h.Copied[0], "http://127.0.0.1:") {
		t.Errorf("copied is %q", h.Copied)
	}
	drain(s.Close())
}

func TestServiceWithoutOutbox(t *testing.T) {
	h := open(t, uitest.NewFake().WithoutCapabilities())
	h.Want("This service has no outbox")
	if why := h.DisabledReason("r"); why == "" {
		t.Error("what is not there can be reloaded")
	}
}

func TestLoadError(t *testing.T) {
	b := &outboxService{err: errors.New("the store is damaged")}
	h := open(t, b)
	h.Want("Can't load the outbox: the store is damaged", "Press r to try again")
	b.err, b.messages = nil, newFilledOutbox().messages
	h.Press("r")
	h.Want("ada@example.com")
}

func TestMouse(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.ClickOn("USER_1")
	h.Want("2 of 3")
	h.ClickOn("USER_1")
	h.Want("▍ Hallo")
	h.Press("esc", "up", "enter")
	h.WantNot("More to read.\n\nMore")
	before := h.Text()
	h.Wheel(10, 15, true)
	if h.Text() == before {
		t.Error("the wheel does not scroll the message")
	}
	h.ClickOn("HTML source")
	h.Want("<h1>")
}

// If the message does not fit beside the table, it is shown below it, and a click opens it in full.
func TestBelowTheTable(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Resize(80, 24)
	h.Want("ada@example.com", "USER_1", "Android · Ge", "Dear Ada")
	h.ClickOn("HTML source")
	h.Want("USER_1", "<h1>Spring</h1>")
	h.ClickOn("<h1>Spring</h1>")
	h.WantNot("USER_1")
	h.Press("esc", "down")
	h.Want("ada@example.com", "Der Frühling ist da.")
	h.Resize(80, 20)
	h.WantNot("Der Frühling")
}

func TestBesideTheTable(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Resize(120, 40)
	h.Want("USER_1", "Dear Ada")
	h.Press("down")
	h.Want("▍ Hallo")
	h.ClickOn("Payload")
	h.Want(`"deep": 1.50`)
}

func TestPictures(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.GoldenSizes("messages")
	h.Resize(80, 24)
	h.WantFits()
	h.Press("enter")
	h.Golden("mail-80x24")
	h.WantFits()
	h.Press("n", "tab")
	h.WantFits()
	h.Press("n")
	h.WantFits()
	h.Press("tab")
	h.Want("TEXT", "Only text")
	h.WantFits()

	empty := open(t, &outboxService{})
	empty.Golden("empty-80x24")
	empty.WantFits()
}

func TestManyMessages(t *testing.T) {
	b := &outboxService{}
	for i := range 5000 {
		b.messages = append(b.messages, engine.OutboxMessage{ID: fmt.Sprint(i), At: uitest.Now, Recipient: fmt.Sprintf("user-%d", i), Email: &engine.EmailMessage{Subject: "S"}})
	}
	h := open(t, b)
	h.Press("end")
	h.Want("user-4999", "5000 of 5000")
}

// drain runs a command and its parts to the end.
func drain(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, ok := cmd().(tea.BatchMsg); ok {
		for _, c := range batch {
			drain(c)
		}
	}
}

func TestColorsKeepWidths(t *testing.T) {
	dark, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	deps := uitest.Deps(newFilledOutbox())
	deps.Theme = dark
	s := outbox.New(deps, screen.Route{Name: screen.Outbox})
	h := uitest.New(t, s, 80, 24)
	h.WantRecolored(deps.Theme)
	check := func() {
		t.Helper()
		for _, w := range []int{40, 60, 80, 120} {
			s.SetSize(w, 22)
			for _, line := range strings.Split(s.View(), "\n") {
				if n := widget.Width(line); n != w {
					t.Fatalf("a line of %d cells, not %d: %q", n, w, line)
				}
			}
		}
	}
	check()
	h.Press("enter")
	check()
}

func TestCopyShown(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("y", "enter", "tab", "y", "esc", "down", "enter", "shift+tab", "shift+tab", "y")
	if len(h.Copied) != 3 {
		t.Fatalf("copied %q", h.Copied)
	}
	if text := h.Copied[0]; !strings.Contains(text, "Dear Ada") || strings.Contains(text, "<p>") {
		t.Errorf("the text is %q", text)
	}
	if html := h.Copied[1]; !strings.HasPrefix(html, "<h1>") {
		t.Errorf("the HTML is %q", html)
	}
	if push := h.Copied[2]; push != "Hallo\nDer Frühling ist da." {
		t.Errorf("the push is %q", push)
	}
}

func TestOpenCampaign(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("b")
	if r := h.LastRoute(); r.Name != screen.Builder || r.ID != "65f0a1b2c3d4e5f60718293a" {
		t.Errorf("b opened %+v", r)
	}
	inline := open(t, newFilledOutbox())
	inline.Press("down")
	if why := inline.DisabledReason("b"); why == "" {
		t.Error("a message of no campaign leads to one")
	}
}

func TestArrowsMoveWhileFiltering(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("/")
	h.Type("e") // in each of them
	h.Press("down")
	h.Want("2 of 3", "/ e")
	h.Type("j") // a letter, not a movement key
	h.Want("No message matches")
}

func TestAMessageScrolls(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("enter")
	before := h.Text()
	h.Press("pgdown")
	if h.Text() == before {
		t.Error("a page down shows the same")
	}
	h.Press("tab", "tab", "down", "G")
	h.Want("]")
}

// z zooms the focused pane.
func TestZoom(t *testing.T) {
	h := open(t, newFilledOutbox())
	h.Press("z")
	h.WantNot("Dear Ada") // the list without the page below it
	h.Press("z", "enter")
	if why := h.DisabledReason("z"); why == "" {
		t.Error("one pane can be zoomed")
	}
	h.Press("esc")
	h.Resize(120, 40)
	h.Press("z")
	h.Want("─ Messages", "USER_1")
	h.WantNot("Dear Ada")
	h.Press("down", "enter")
	h.Want("Der Frühling ist da.")
	h.WantNot("─ Messages")
	h.Press("?")
	h.Want("show all panes")
	h.Press("esc", "ctrl+k")
	h.Type("unzoom")
	h.Press("enter")
	h.Want("─ Messages", "Der Frühling ist da.")
	h.Press("z")
	h.WantFits()
}

// Everything clickable works at every window size.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		h := uitest.New(t, newScreen(newFilledOutbox()), size.W, size.H)
		h.ClickOn("USER_1")
		h.ClickOn("USER_1")
		h.Want("Der Frühling ist da.", "esc messages")
		h.ClickOn("Payload")
		h.Want(`"deep": 1.50`)
		h.ClickOn("Message │")
		h.Want("▍ Hallo")
		h.ClickOn("esc messages")
		h.Want("enter read")
		h.ClickOn("ada@example.com")
		if size.W >= 100 {
			h.ClickOn("Dear Ada")
			h.Want("esc messages")
		} else {
			h.ClickOn("enter read")
			h.Want("Dear Ada")
		}
		h.ClickOn("HTML source")
		h.Want("<h1>Spring</h1>")
		h.ClickOn("JSON")
		h.Want(`"recipient": "ada@example.com"`)
		h.Press("z")
		h.ClickOn("Text │")
		h.ClickOn("HTML source")
		h.Want("<h1>Spring</h1>")
	}
}

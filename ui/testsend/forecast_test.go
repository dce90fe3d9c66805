package testsend_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/uitest"
)

func TestWhatWillNotArriveIsSaidBefore(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Push, flatPush), 80, 24)
	h.Type("USER_1,USER_2,USER_9,")
	h.Want("3 of 6 will not arrive", "Android  ● ● ✗", "Web      ● ✗ ✗",
		"✗ 2 Ben: the user has no", "device for Web", "✗ 3 USER_9: no user has this")
	if len(s.sent) > 0 {
		t.Error("something was sent")
	}
	h.Press("ctrl+s")
	h.Want("Sent 3 of 6 messages; 3 skipped.", "Android sent  2 of 3", "Web sent  1 of 3") // as was said
}

func TestAMissingValueIsSaidBeforeUntilItIsGiven(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Type("ada@example.com,stranger@example.com,")
	h.Want("1 of 2 will not arrive", "● ✗", "2 stranger@example.com: the")
	h.Press("tab")
	h.Want("Ada; missing for others")
	h.Type("Zoe")
	h.WantNot("will not arrive", "✗")
	h.Press("ctrl+s")
	h.Want("Sent 2 messages.")
}

func TestAMessageWithoutContentIsMarked(t *testing.T) {
	s := newService(t)
	bare := strings.Replace(keyedMail, `"locales": ["de"]`, `"locales": ["de"], "variation_details": {"no_of_variations": 2}`, 1)
	h := open(t, s, s.draft(t, catalog.Email, bare), 120, 40)
	h.Type("ada@example.com,")
	h.Want("2 of 4 will not arrive")
	for _, line := range strings.Split(h.Text(), "\n") {
		if strings.Contains(line, "│ Email · ") && strings.Contains(line, " · B ") != strings.Contains(line, "no content") {
			t.Errorf("its line reads %q", line)
		}
	}
}

func TestTheRecipientsOwnValuesStandWhereTheirsCanBeTyped(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, flatMail), 120, 40)
	h.Want("First Name  the user's own value", "Age         'x' by default")
	h.Type("ada@example.com,ben@example.com,")
	h.Want("First Name  Ada, Ben")
	h.Press("tab", "tab")
	h.Want("{{UserAttribute['Age']|default('x')}} in every message")
	h.Press("ctrl+s")
	if ask := s.asked(t); len(ask.UserAttributes) != 0 {
		t.Errorf("values that nobody typed were sent: %+v", ask.UserAttributes)
	}
}

func TestOverridesFollowWhatGoesOutAndAreNotForgotten(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, keyedMail), 120, 40)
	h.Type("ada@example.com,")
	h.Press("tab", "tab")
	h.Want("in 1 of 2 messages")
	h.Type("Zoe")
	h.Press("shift+tab", " ") // only the default locale, which lists no names
	h.WantNot("First Name")
	h.Press("ctrl+s", "f")
	if ask := s.asked(t); len(ask.UserAttributes) != 0 {
		t.Errorf("a value of another locale was sent: %+v", ask.UserAttributes)
	}
	h.Press("tab", " ")
	h.Want("First Name", "Zoe", "with 1 value changed")
}

func TestTheDeliveredMessageIsRead(t *testing.T) {
	s := newService(t)
	id := s.draft(t, catalog.Email, flatMail)
	h := open(t, s, id, 120, 40)
	h.Type("ada@example.com,ben@example.com")
	h.Press("ctrl+s")
	h.Want("Delivered to Ada Byron", "Hello Ada")
	h.Press("down", "down")
	h.Want("Delivered to Ben", "Hello Ben")
	h.Press("enter", "right")
	h.Want("Spring for Ben")
	h.Press("p")
	h.Want("Spring for Ada")
	h.Press("esc", "a")
	if len(s.sent) != 2 {
		t.Errorf("%d sends", len(s.sent))
	}

	narrow := open(t, s, id, 60, 20)
	narrow.Press("enter")
	narrow.Want("╭─ Delivered to Ada Byron ─", "│   Hello Ada ")
	narrow.Press("enter")
	narrow.Want("› Results › Delivered")
	narrow.Want("Delivered to Ada Byron", "Hello Ada")
	narrow.Press("esc")
	narrow.Want("Sent 2 messages.")
}

func TestWhatWasNotDeliveredSaysWhy(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Push, flatPush), 120, 40)
	h.Type("USER_1,USER_2")
	h.Press("ctrl+s", "G")
	h.Want("○ Ben: the user has no device for Web", "─ Not delivered ─")
	h.Resize(80, 24)
	h.Press("enter")
	h.Want("To Ben: the user has no device for Web.")
}

func TestTheGridScrolls(t *testing.T) {
	s := newService(t)
	many := strings.Replace(keyedMail, `"locales": ["de"]`, `"locales": ["de"], "variation_details": {"no_of_variations": 30}`, 1)
	h := open(t, s, s.draft(t, catalog.Email, many), 80, 24)
	h.Want("· L ", "no content", " of 6")
	h.WantNot("German · 30")
	for range 6 {
		h.Press("pgdown")
	}
	h.Want("German · 30")
	h.Press("pgup")
	h.WantNot("German · 30")
}

func TestEveryKeyIsInTheHelp(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, flatMail), 120, 40)
	h.Type("ada@example.com")
	h.Press("f1")
	h.Want("ctrl+g", "open saved groups of recipients", "alt+e", "list earlier tests", "pgdown", "alt+y", "ctrl+s")
	h.Press("esc", "ctrl+s", "?")
	h.Want("read the message, or why", "send all messages again", "back to the form")
}

// The forecast fills texts with the data of the real send: saved templates, product sets, content blocks and
// the event. It calls no content API.
func TestTheForecastHasWhatTheSendHas(t *testing.T) {
	s := newService(t)
	asked := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		io.WriteString(w, `{"today":"rain"}`)
	}))
	defer api.Close()
	host := strings.TrimPrefix(api.URL, "http://")
	if err := s.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
		w.ContentAPIs = engine.ContentPolicy{Hosts: []string{host}, Private: true}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	template, err := doc.Parse([]byte(`{"subject":"Hi {{UserAttribute['First Name']}}, {{ContentApi.weather('Oslo').today}}",
		"html_content":"<p>{{ProductSet.shoes[0].title}} {{UserAttribute['Nick Name']}} {% for d in ContentApi.weather('Rome').days %}{{d + 1}}{% endfor %}</p>"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range []engine.ContentItem{
		{Template: &engine.ContentTemplate{ID: "spring", Channel: catalog.Email, Content: template}},
		{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{{"title": "Boot"}}}},
		{API: &engine.ContentAPI{Name: "weather", URL: api.URL + "/{city}", Params: []string{"city"}}},
		{API: &engine.ContentAPI{Name: "closed", URL: "https://closed.example/"}},
	} {
		if _, err := s.PutContent(t.Context(), item); err != nil {
			t.Fatal(err)
		}
	}
	const mail = `{"basic_details": {"name": "Saved", "content_type": "TRANSACTIONAL"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Main SMTP"},
		"campaign_content": {"content": {"email": {"custom_template_id": "ID", "from_address": "shop@example.com", "sender_name": "Shop"}}}}`
	with := func(id string) *uitest.Harness {
		h := open(t, s, s.draft(t, catalog.Email, strings.Replace(mail, "ID", id, 1)), 120, 40)
		h.Type("ada@example.com,")
		return h
	}
	h := with("spring")
	h.Want("First Name  Ada", "1 of 1 will not arrive", "the user has no attribute", "│   Nick Name ", "The content API weather is called when")
	h.WantNot("content API weather:", "product set")
	h.Press("tab", "tab")
	h.Type("Countess")
	h.WantNot("will not arrive", "✗")
	h.Golden("asked-later")
	if asked > 0 {
		t.Errorf("the forecast asked the content API %d times", asked)
	}
	with("autumn").Want("1 of 1 will not arrive", "there is no saved template", "autumn in this workspace")

	refused := strings.Replace(mail, `"custom_template_id": "ID"`, `"subject": "{{ContentApi.closed().x}}", "html_content": "<p>x</p>"`, 1)
	h = open(t, s, s.draft(t, catalog.Email, refused), 120, 40)
	h.Type("ada@example.com,")
	h.Want("1 of 1 will not arrive", "content API closed: the host", "closed.example is not on the")
	h.WantNot("will be asked")
}

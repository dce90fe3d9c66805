package testsend_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
)

func TestWhatWillNotArriveIsSaidBefore(t *testing.T) {
	s, h := openDraft(t, catalog.Push, flatPush)
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
	_, h := openDraft(t, catalog.Email, flatMail)
	h.Type("ada@example.com,stranger@example.com,")
	h.Want("1 of 2 will not arrive", "● ✗", "2 stranger@example.com: the")
	h.Press("tab")
	h.Want("Ada; missing for others")
	h.Type("Zoe")
	h.WantNot("will not arrive", "✗")
	h.Press("ctrl+s")
	h.Want("Sent 2 messages.")
}

func TestOverridesFollowWhatGoesOutAndAreNotForgotten(t *testing.T) {
	s, h := openDraft(t, catalog.Email, keyedMail)
	h.Resize(120, 40)
	h.Type("ada@example.com,")
	h.Press("tab", "tab")
	h.Want("in 1 of 2 messages")
	h.Type("Zoe")
	h.Press("shift+tab", " ") // only the default locale, which lists no names
	h.WantNot("First Name")
	h.Press("ctrl+s")
	h.Want("✓ Email sent")
	h.WantNot("German")
	h.Press("e")
	if ask := s.asked(t); len(ask.UserAttributes) != 0 || ask.Filter != (engine.KeyFilter{Locale: "default"}) {
		t.Errorf("the test of the default locale is %+v", ask)
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
	h.Want("Sent 2 messages.", "2 of 2", "Delivered to Ada Byron", "Hello Ada")
	if why := h.DisabledReason("r"); why == "" {
		t.Error("nothing failed, but it can be sent again")
	}
	h.Press("down", "down")
	h.Want("Delivered to Ben", "Hello Ben")
	h.Press("enter", "right")
	h.Want("Spring for Ben")
	h.Press(",")
	h.Want("Spring for Ada")
	h.Press("esc", "ctrl+s")
	if len(s.sent) != 2 {
		t.Errorf("%d sends", len(s.sent))
	}

	narrow := open(t, s, id, 60, 20)
	narrow.Press("enter")
	narrow.Want("╭─ Delivered to Ada Byron ─", "│   Hello Ada ")
	narrow.Press("enter")
	narrow.Want("─ Delivered to")
	narrow.Want("Delivered to Ada Byron", "Hello Ada")
	narrow.Press("esc")
	narrow.Want("Sent 2 messages.")
}

// The form shows the message as its first recipient will see it, with overrides applied, and names the content APIs that it
// does not call yet.
func TestFormShowsMessage(t *testing.T) {
	s := newService(t)
	weather := &engine.ContentAPI{Name: "weather", URL: "https://weather.example/{city}", Params: []string{"city"}}
	if _, err := s.PutContent(t.Context(), engine.ContentItem{API: weather}); err != nil {
		t.Fatal(err)
	}
	err := s.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
		w.ContentAPIs = engine.ContentPolicy{Hosts: []string{"weather.example"}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, s, s.draft(t, catalog.Email, strings.Replace(flatMail, "<p>Spring", "<p>{{ContentApi.weather('Oslo').today}}", 1)), 120, 40)
	h.Want("Email, as written", "Hello {{UserAttribute")
	h.Type("ada@example.com,")
	h.Want("Email to Ada Byron", "Hello Ada", "The content API weather is called when")
	h.WantNot("will not arrive")
	h.Press("tab")
	h.Type("Countess")
	h.Want("Hello Countess")
}

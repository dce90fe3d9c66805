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
	s.wantSent(t, 0)
	h.Script("ctrl+s", "?Sent 3 of 6 messages; 3 skipped.", "?Android sent  2 of 3", "?Web sent  1 of 3") // as was said
}

func TestAMissingValueIsSaidBeforeUntilItIsGiven(t *testing.T) {
	_, h := openDraft(t, catalog.Email, flatMail)
	h.Script(
		">ada@example.com,stranger@example.com,", "?1 of 2 will not arrive", "?● ✗",
		"?2 stranger@example.com: the", "tab", "?Ada; missing for others",
		">Zoe", "!will not arrive", "!✗", "ctrl+s", "?Sent 2 messages.",
	)
}

func TestOverridesFollowWhatGoesOutAndAreNotForgotten(t *testing.T) {
	s, h := openDraft(t, catalog.Email, keyedMail)
	h.Resize(120, 40)
	h.Script(
		">ada@example.com,", "tab tab", "?in 1 of 2 messages",
		">Zoe", "shift+tab space", "!First Name", // only the default locale, which lists no names
		"ctrl+s", "?✓ Email sent", "!German", "e",
	)
	if ask := s.asked(t); len(ask.UserAttributes) != 0 || ask.Filter != (engine.KeyFilter{Locale: "default"}) {
		t.Errorf("the test of the default locale is %+v", ask)
	}
	h.Script("tab space", "?First Name", "?Zoe", "?with 1 value changed")
}

func TestTheDeliveredMessageIsRead(t *testing.T) {
	s := newService(t)
	id := s.draft(catalog.Email, flatMail)
	h := open(t, s, id, 120, 40)
	h.Script(">ada@example.com,ben@example.com", "ctrl+s", "?Sent 2 messages.", "?2 of 2", "?Delivered to Ada Byron", "?Hello Ada")
	if why := h.DisabledReason("r"); why == "" {
		t.Error("nothing failed, but it can be sent again")
	}
	h.Script(
		"down down", "?Delivered to Ben", "?Hello Ben",
		"enter right", "?Spring for Ben", ",", "?Spring for Ada", "esc ctrl+s",
	)
	s.wantSent(t, 2)

	narrow := open(t, s, id, 60, 20)
	narrow.Script(
		"enter", "?╭─ Delivered to Ada Byron ─", "?│   Hello Ada ",
		"enter", "?─ Delivered to", "?Delivered to Ada Byron", "?Hello Ada",
		"esc", "?Sent 2 messages.",
	)
}

// The form shows the message as its first recipient will see it, with overrides applied, and names the content APIs that it
// does not call yet.
func TestFormShowsMessage(t *testing.T) {
	s := newService(t)
	weather := &engine.ContentAPI{Name: "weather", URL: "https://weather.example/{city}", Params: []string{"city"}}
	_, err := s.PutContent(t.Context(), engine.ContentItem{API: weather})
	s.OK(err)
	h := open(t, s, s.draft(catalog.Email, strings.Replace(flatMail, "<p>Spring", "<p>{{ContentApi.weather('Oslo').today}}", 1)), 120, 40)
	h.Script(
		"?Email, as written", "?Hello {{UserAttribute",
		">ada@example.com,", "?Email to Ada Byron", "?Hello Ada", "?The content API weather is called when",
		"!will not arrive", "tab", ">Countess", "?Hello Countess",
	)
}

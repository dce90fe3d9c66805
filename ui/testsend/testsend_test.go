package testsend_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
)

func TestRecipientsAreCheckedAsTyped(t *testing.T) {
	s, h := openDraft(t, catalog.Email, flatMail)
	h.Script(
		"ctrl+s", "?Add a recipient first", ">zoe@", "?must be an email address",
		"enter", "?“zoe@” must be an email address", "?0 of 10",
		">example.com", "!must be an email", "enter", "?1 zoe@example.com", "?1 of 10",
	)
	s.wantSent(t, 0)
}

func TestRecentRecipientsAndIdentifierAreRemembered(t *testing.T) {
	s := newService(t)
	id := s.draft(catalog.Email, flatMail)
	h := open(t, s, id, 80, 24)
	h.Script("shift+tab space", "?User ID", "tab", ">USER_2", "ctrl+s", "? sent ") // by user id

	again := open(t, s, id, 80, 24)
	again.Script("?User ID", "?1 USER_2", "enter", "?Email sent") // the same again is one key
	if a, b := s.sent[0], s.sent[1]; string(a.Body.Encode()) != string(b.Body.Encode()) || a.IdempotencyKey == b.IdempotencyKey {
		t.Errorf("first %s, then %s", a.Body.Encode(), b.Body.Encode())
	}
	other := open(t, s, s.draft(catalog.Email, keyedMail), 80, 24)
	other.Script(
		"?User ID", "?1 of 10", "?▌ [ Send 2 messages ] to Ben",
		"@1 USER_2", "x", "?0 of 10", "?USER_2", "?recent",
	)
}

func TestEarlierTestFillsForm(t *testing.T) {
	_, h := openDraft(t, catalog.Email, flatMail)
	if why := h.DisabledReason("alt+H"); why == "" {
		t.Error("there is an earlier test of a new draft")
	}
	h.Script(
		">one@example.com,two@example.com,", "tab", ">Zoe", "ctrl+s e up x up x tab ctrl+u shift+tab",
		">three@example.com", "ctrl+s e alt+H", "?─ Earlier tests ─",
		"?✓ Sat 14 Mar, 10:00 · one@example.com and two@example.com", "?· three@example.com", // no recipient and no override
		"down", "?First Name = Zoe", "?Sent.",
		"enter", "?1 one@example.com", "?2 two@example.com", "?Zoe", "!1 three@example.com",
	)
}

// The tests of other campaigns are listed after those of this one, as far as their recipients can get this one.
func TestEarlierTestsOfOtherCampaigns(t *testing.T) {
	s, h := openDraft(t, catalog.Email, flatMail)
	h.Script(">ada@example.com,stranger@example.com", "ctrl+s", "?Sent 1 of 2 messages; 1 skipped.")
	push := open(t, s, s.draft(catalog.Push, flatPush), 80, 24)
	push.Script(">USER_1", "ctrl+s")

	id := s.draft(catalog.Email, keyedMail)
	h = open(t, s, id, 120, 40)
	h.Script(
		"alt+H", "?─ Earlier tests ─", "?✗ Sat 14 Mar, 10:00 · Ada Byron and stranger@example.com",
		"?Campaign Spring mail. To Ada Byron", "?user has no attribute", "!Spring push",
		"enter", "?1 ada@example.com", "?2 stranger@example.com", "?▌ [ Send 4 messages ]", "enter",
	)
	if ask := s.asked(t); len(ask.Values) != 2 || s.sent[len(s.sent)-1].Body.Get("draft_id").Text() != id {
		t.Errorf("sent %s", s.sent[len(s.sent)-1].Body.Encode())
	}
	h.Script("e alt+H", "?▌ ✗ Sat", "?First Name", "!Campaign Two tongues")
}

// serviceWithoutHistory is a service that does not store tests, like remote ones.
type serviceWithoutHistory struct{ engine.Service }

func TestWhatAServiceDoesNotRememberIsKeptHere(t *testing.T) {
	s := newService(t)
	id := s.draft(catalog.Email, flatMail)
	deps := uitest.Deps(serviceWithoutHistory{s})
	deps.Prefs = prefs.NewInMemory()
	for _, keys := range [][]string{
		{">ada@example.com", "ctrl+s", "?✓ Email sent"},
		{"?1 ada@example.com", "?▌ [ Send", "alt+H", "?✓ Sat 14 Mar, 10:00 · ada@example.com"},
	} {
		uitest.New(t, testsend.New(deps, screen.Route{Name: screen.TestSend, ID: id}), 80, 24).Script(keys...)
	}
}

func TestSegmentsAreOffered(t *testing.T) {
	s, h := openDraft(t, catalog.Email, flatMail)
	h.Script(
		"shift+tab enter end enter", "?Segment",
		"tab down enter", "?1 Big spenders", "?1 message to 2 members", "?1 of 1",
		"ctrl+s", "? sent ", "?2 of 2",
	)
	if ask := s.asked(t); !slices.Equal(ask.Values, []string{"Big spenders"}) {
		t.Errorf("asked for %v", ask.Values)
	}
}

// Messages have readable names in every stage, reduced to the parts that differ if space is short.
func TestMessageNames(t *testing.T) {
	two := strings.Replace(keyedMail, `"locales": ["de"]`, `"locales": ["de"], "variation_details": {"no_of_variations": 2}`, 1)
	for _, size := range uitest.Sizes {
		s := newService(t)
		h := open(t, s, s.draft(catalog.Email, two), size.W, size.H)
		h.Script(
			">zoe@example.com,", "?Email · A", "tab space tab space space", "?B ▾", "?Default", "?Email · B",
			"enter enter shift+tab enter enter ctrl+s",
			"?✓ Email · A sent", "?○ Email · B skipped", "?○ Email · German · A skipped",
			"!_variation_", "!_default", "!EMAIL", "!SENT", "!FAILED",
			"enter", "!_variation_", "!EMAIL", "esc e alt+H", "?no content", "!_variation_", "!EMAIL",
		)
	}
}

func TestOverridesMatchContent(t *testing.T) {
	s, h := openDraft(t, catalog.Email, flatMail)
	h.Script(
		"?First Name", "?Age", "?the user's own value",
		">new@example.com", "enter tab", ">Zoe", "tab", ">old", "?must be a number",
		"ctrl+s",
	)
	s.wantSent(t, 0)
	h.Script("backspace backspace backspace", ">41", "ctrl+s", "?Email sent")
	ask := s.asked(t)
	if len(ask.UserAttributes) != 2 || ask.UserAttributes[0].Value.Literal() != `"Zoe"` || ask.UserAttributes[1].Value.Literal() != "41" {
		t.Errorf("overrides %+v", ask.UserAttributes)
	}
	box, _ := s.Outbox(context.Background(), 1)
	if got := box[0].Email.Subject; got != "Hello Zoe" {
		t.Errorf("subject %q", got)
	}
}

func TestRetryOnlyFailedRecipients(t *testing.T) {
	s, h := openDraft(t, catalog.Push, flatPush)
	h.Script(
		">USER_1,USER_2", "ctrl+s", "?Sent 3 of 4 messages; 1 skipped.", "?Android sent", "?Web sent  1 of 2",
		"?Ben: the user has no device for Web",
	)
	s.PutUsers(engine.User{ID: "USER_2", Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-b"}, {Platform: "WEB", Token: "tok-w2"}}})
	h.Script("r", "?Sent 4 messages.", "?Android sent  2 of 2", "?Web sent  2 of 2") // the total survives
	ask := s.asked(t)
	if ask.Filter.Platform != "WEB" || !slices.Equal(ask.Values, []string{"USER_2"}) {
		t.Errorf("asked for %+v of %v", ask.Filter, ask.Values)
	}
}

// What may have been delivered is a state of its own. A retry of what failed leaves it out, and a repeat asks first, with
// the safe answer highlighted.
func TestUnknownOutcome(t *testing.T) {
	const key, unconfirmed = "EMAIL_default_variation_1", "mx.example.com got the message but did not confirm it: it may have been delivered; look before you repeat"
	s := newService(t)
	s.override = func(_ context.Context, r engine.TestRequest) (engine.TestResult, error) {
		values := engine.ParseTestSend(r.Body).Values
		result := engine.SendResult{Status: engine.Sent}
		for _, to := range values {
			p := engine.TestProgress{Key: key, Recipient: to, Done: true, Total: len(values)}
			switch to {
			case "ada@example.com":
				p.Err, p.Unknown, result.Unknown = unconfirmed, true, []string{to}
			case "ben@example.com":
				p.Err = "no such user"
			}
			if p.Err != "" {
				result.Status, result.FailureReason = engine.Failed, strings.TrimPrefix(result.FailureReason+"; "+to+": "+p.Err, "; ")
			}
			r.Progress(p)
		}
		return engine.TestResult{Keys: []string{key}, Data: map[string]engine.SendResult{key: result}, Message: "Sent 1 of 3 messages; 1 failed; 1 may have been delivered."}, nil
	}
	h := open(t, s, s.draft(catalog.Email, flatMail), 80, 24)
	h.Script(
		">ada@example.com,ben@example.com,cy@example.com", "ctrl+s", "?? Email unknown", "?1 of 3",
		"?? Ada Byron: mx.example.com got the message", "?✗ Ben: no such user", "?✓ cy@example.com", "?1 failed, 1 unknown",
	)
	h.Golden("unknown")
	h.Script("down", "?May have been delivered")

	h.Press("r") // only what failed
	if got := s.asked(t).Values; !slices.Equal(got, []string{"ben@example.com"}) {
		t.Errorf("retried are %q", got)
	}
	for _, key := range []string{"N", "ctrl+s"} { // what is unknown, and all
		h.Press(key)
		h.Want("Send it again?", "Ada Byron (ada@example.com) may have got this message", "Look before you", "▌ Don't send")
		h.Press("enter") // the safe answer
		h.Want("? Email unknown")
	}
	h.Script("e ctrl+s", "?Send it again?", "n") // from the form
	s.wantSent(t, 2)
	h.Script("alt+H down", "?? Sat 14 Mar, 10:00 · Ada Byron and 2", "?got the message but did not confirm it")
}

// The question is about the history as it is when the test is sent, not as it was when the screen was opened.
func TestQuestionReadsTheHistoryWhenItSends(t *testing.T) {
	const key = "EMAIL_default_variation_1"
	s := newService(t)
	id := s.draft(catalog.Email, flatMail)
	other := func(data engine.SendResult) { // another program sends a test
		s.record(engine.TestRecord{
			CampaignID: id, Body: engine.DraftTest(id, engine.TestSend{Identifier: "EMAIL", Values: []string{"ADA@example.com"}}),
			Result: engine.TestResult{Keys: []string{key}, Data: map[string]engine.SendResult{key: data}},
		})
	}
	h := open(t, s, id, 80, 24)
	h.Script(">ada@example.com", "enter")
	other(engine.SendResult{Status: engine.Failed, Unknown: []string{"ADA@example.com"}})
	h.Script("ctrl+s", "?Send it again?", "?Ada Byron (ada@example.com) may have got", "n")
	s.wantSent(t, 0)
	other(engine.SendResult{Status: engine.Sent})
	h.Script("ctrl+s", "!Send it again?")
	s.wantSent(t, 1) // the outcome is known
}

func TestCancelStopsUnsentMessages(t *testing.T) {
	s := newService(t)
	s.override = func(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
		r.Progress(engine.TestProgress{Key: "EMAIL_default_variation_1", Recipient: "ada@example.com", Total: 2})
		r.Progress(engine.TestProgress{Key: "EMAIL_default_variation_1", Recipient: "ada@example.com", Done: true, Completed: 1, Total: 2})
		r.Progress(engine.TestProgress{Key: "EMAIL_de_variation_1", Recipient: "ada@example.com", Total: 2})
		<-ctx.Done()
		return engine.TestResult{}, ctx.Err()
	}
	h := open(t, s, s.draft(catalog.Email, keyedMail), 80, 24)
	h.Type("ada@example.com")
	h.Hold()
	h.Press("ctrl+s")
	h.Until("Email · German sending")
	h.Script("?1 of 2", "?Sending", "ctrl+c")
	h.Until("Stop the test of “Two tongues”?")
	h.Press("n", "esc")
	h.Until("The test was canceled.")
	h.Want("Email · German not sent", "canceled before it was sent")
	s.mu.Lock()
	s.override = nil
	s.mu.Unlock()
	h.Press("r")
	h.Until("Email · German sent")
}

// Enter accepts the highlighted recipient, even before the suggestions arrive; the text itself is used only if
// the user chooses it.
func TestEnterAcceptsHighlightedRecipient(t *testing.T) {
	s, h := openDraft(t, catalog.Push, flatPush)
	h.Script(">user_2", "?> USER_2", "enter", "?1 USER_2", "?1 of 10", ">ada", "tab", "?2 USER_1", "?2 of 10")

	h = open(t, s, s.draft(catalog.Push, flatPush), 80, 24)
	h.Script(
		">ada", "ctrl+s", "?Press enter to add Ada Byron first.",
		"down", "?> Use “ada”", "enter", "?1 ada", "?1 of 10",
	)
	s.wantSent(t, 0)
}

// Arrows move between the rows; they never change what is sent.
func TestArrowsChangeNothing(t *testing.T) {
	_, h := openDraft(t, catalog.Push, flatPush)
	h.Resize(120, 40)
	h.Press("shift+tab")
	before := h.Text()
	h.Script(strings.Repeat("right left left down right ", 12) + strings.Repeat("up right ", 12))
	if after := h.Text(); after != before {
		t.Errorf("arrows changed\n%s\nto\n%s", before, after)
	}
}

// A typed recipient is not lost without a question.
func TestLeavingAsksAboutTypedRecipient(t *testing.T) {
	_, h := openDraft(t, catalog.Email, flatMail)
	h.Script(">zoe@", "ctrl+c", "?“zoe@” is typed, but not a recipient yet.", "enter", "?+ zoe@_")
}

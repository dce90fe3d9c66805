package testsend_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
)

// openWith opens the screen with stored preferences.
func openWith(t *testing.T, s engine.Service, p *prefs.Prefs, id string, w, h int) *uitest.Harness {
	t.Helper()
	deps := uitest.Deps(s)
	deps.Prefs = p
	return uitest.New(t, testsend.New(deps, screen.Route{Name: screen.TestSend, ID: id}), w, h)
}

// The tests of other campaigns are listed after those of this one, as far as their recipients can get this one.
func TestEarlierTestsOfOtherCampaigns(t *testing.T) {
	s, h := openDraft(t, catalog.Email, flatMail)
	h.Script(">ada@example.com,stranger@example.com", "ctrl+s", "?Sent 1 of 2 messages; 1 skipped.")
	push := open(t, s, s.draft(catalog.Push, flatPush), 80, 24)
	push.Script(">USER_1", "ctrl+s")

	id := s.draft(catalog.Email, keyedMail)
	h = open(t, s, id, 120, 40)
	h.Press("alt+H")
	h.Want("─ Earlier tests ─", "✗ Sat 14 Mar, 10:00 · Ada Byron and stranger@example.com", "Campaign Spring mail. To Ada Byron", "user has no attribute")
	h.WantNot("Spring push")
	h.Press("enter")
	h.Want("1 ada@example.com", "2 stranger@example.com", "▌ [ Send 4 messages ]")
	h.Press("enter")
	if ask := s.asked(t); len(ask.Values) != 2 || s.sent[len(s.sent)-1].Body.Get("draft_id").Text() != id {
		t.Errorf("sent %s", s.sent[len(s.sent)-1].Body.Encode())
	}
	h.Script("e alt+H", "?▌ ✗ Sat", "?First Name", "!Campaign Two tongues")
}

// serviceWithoutHistory is a service that does not store tests, like remote ones.
type serviceWithoutHistory struct{ engine.Service }

func TestWhatAServiceDoesNotRememberIsKeptHere(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	id := s.draft(catalog.Email, flatMail)
	h := openWith(t, serviceWithoutHistory{s}, p, id, 80, 24)
	h.Script(">ada@example.com", "ctrl+s", "?✓ Email sent")
	h = openWith(t, serviceWithoutHistory{s}, p, id, 80, 24)
	h.Script("?1 ada@example.com", "?▌ [ Send", "alt+H", "?✓ Sat 14 Mar, 10:00 · ada@example.com")
}

func TestPicturesOfEarlierTests(t *testing.T) {
	_, h := openDraft(t, catalog.Email, keyedMail)
	h.Script(">ada@example.com,stranger@example.com", "ctrl+s G")
	h.Golden("delivered")
	h.WantFits()
	h.Press("enter")
	h.Golden("read")
	h.WantFits()
	h.Press("esc", "e", "alt+H")
	h.Golden("earlier")
	h.WantFits()
	h.Script("esc", "?1 of 4 will not arrive")
	h.Golden("forecast")
}

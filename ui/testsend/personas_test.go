package testsend_test

import (
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
)

// sentTexts returns whose data each message in the outbox has, and its subject, the oldest first.
func (s *service) sentTexts(t *testing.T) (out []string) {
	t.Helper()
	box, err := s.Outbox(t.Context(), 0)
	s.OK(err)
	for _, m := range box {
		out = append([]string{m.Recipient + " as " + m.As + ": " + m.Email.Subject}, out...)
	}
	return out
}

// A test goes to one recipient with the data of several users, one message each.
func TestSendAsSeveralUsers(t *testing.T) {
	s, h := openDraft(t, catalog.Email, flatMail)
	h.Resize(120, 40)
	h.Script(
		">me@example.com,", "?Send as", "?the recipient", "?will not arrive", // there is no such user
		"alt+u", "?Ada Byron", "?Ben",
		">ada", "enter", "?Ada Byron (USER_1)", "?add a user", "?Hello Ada", "?as Ada Byron",
		"!will not arrive",
		"enter", ">ben", "enter", "?Ben (USER_2)", "?Send 2 messages", "?as Ada Byron, Ben", // the row that adds a user
	)
	h.Resize(80, 24)
	h.Golden("send-as")
	h.Resize(120, 40)
	h.Press("ctrl+s")
	h.Want("Sent 2 messages.", "me@example.com as Ada Byron (USER_1)", "me@example.com as Ben (USER_2)")
	want := []string{"me@example.com as Ada Byron (USER_1): Hello Ada", "me@example.com as Ben (USER_2): Hello Ben"}
	if got := s.sentTexts(t); !slices.Equal(got, want) {
		t.Errorf("the outbox has %q, want %q", got, want)
	}
	h.Press("enter")
	h.Want("Delivered to me@example.com as Ada Byron (USER_1)", "Hello Ada")
	h.Press(".", ".")
	h.Want("as Ben (USER_2)", "Hello Ben")
}

// Choosing and removing a user is undone as one change, and the next test starts with the users of the last one.
func TestSendAsIsUndoneAndRemembered(t *testing.T) {
	s := newService(t)
	id := s.draft(catalog.Email, flatMail)
	h := open(t, s, id, 120, 40)
	h.Script(
		">me@example.com,", "alt+u", ">ben", "enter ctrl+z", "?Undone: send as Ben (USER_2)", "?the recipient",
		"ctrl+y", "?Ben (USER_2)", "x", "?the recipient", "ctrl+z ctrl+s",
	)
	if got := s.sentTexts(t); len(got) != 1 || !strings.HasSuffix(got[0], "Hello Ben") {
		t.Errorf("the outbox has %q", got)
	}
	again := open(t, s, id, 120, 40)
	again.Script("?Ben (USER_2)", "?as Ben", "z")
	again.FromPalette("curl") // the button has the focus
	if got := strings.Join(again.Copied, "\n"); !strings.Contains(got, `"First Name":"Ben"`) {
		t.Errorf("the copied command lacks the data of Ben: %s", got)
	}
	again.Script("alt+H", "?Sent as")
}

// A service that does not show its users takes the ID of one.
func TestSendAsWithoutUsers(t *testing.T) {
	s := newService(t)
	id := s.draft(catalog.Email, flatMail)
	h := open(t, struct{ engine.Service }{s}, id, 120, 40)
	h.Script(
		">me@example.com,", "alt+u", "?This service does not show its users.", "!Next user",
		">USER_2", "?Use “USER_2”", "enter", "?as USER_2", "ctrl+s",
	)
	if got := s.sentTexts(t); len(got) != 1 || !strings.HasSuffix(got[0], "Hello Ben") {
		t.Errorf("the outbox has %q\n%s", got, h.Text())
	}
}

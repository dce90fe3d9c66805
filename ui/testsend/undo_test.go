package testsend_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/uitest"
)

// Recipients, filters and overrides are undone one by one, each named, with the cursor where it was.
func TestUndoAndRedoEachChange(t *testing.T) {
	s, h := openDraft(t, catalog.Email, keyedMail)
	h.Script(
		"ctrl+z", "?Nothing to undo",
		">ada@example.com,ben@example.com,", "up x", "?1 of 10",
		"tab space", "?Default ▾", // only the default locale
		"enter enter tab", ">Zoe", "?Zoe",
	)

	h.Script(
		"ctrl+z", "?Undone: First Name", "?▌ First Name", "?Ada", "!Zoe",
		"ctrl+z", "?Undone: Locale", "?▌ Locale      Default ▾",
		"ctrl+z", "?Undone: Locale", "?▌ Locale      All ▾",
		"ctrl+z", "?Undone: removed Ben", "?▌  2 ben@example.com", "?2 of 10",
		"ctrl+z", "?Undone: added Ben", "?1 of 10", "?▌  +",
		"ctrl+z", "?Undone: added Ada Byron", "?0 of 10", "?▌  +",
		"ctrl+z", "?Nothing to undo",
		"ctrl+y", "?Redone: added Ada Byron", "?1 ada@example.com",
		"ctrl+y ctrl+y ctrl+y ctrl+y ctrl+y", "?Redone: First Name", "?▌ First Name", "?Zoe",
		"ctrl+y", "?Nothing to redo", "ctrl+s",
	)
	if ask := s.asked(t); !slices.Equal(ask.Values, []string{"ada@example.com"}) || len(ask.UserAttributes) != 1 {
		t.Errorf("sent %+v", ask)
	}
}

func TestUndoRestoresReplacedRecipients(t *testing.T) {
	_, h := openDraft(t, catalog.Email, flatMail)
	h.Script(
		">ada@example.com,ben@example.com", "ctrl+s esc shift+tab shift+tab space", "?User ID",
		"ctrl+z", "?Undone: Identifier", "?Email address ▾", "?2 of 10",
		"H enter ctrl+z", "?Undone: filled in an earlier test",
	)
}

// A recipient that was being edited is there once after undo.
func TestUndoEditedRecipient(t *testing.T) {
	_, h := openDraft(t, catalog.Email, flatMail)
	h.Script(
		">ada@example.com,", "up enter", "?+ ada@example.com_", "?0 of 10",
		"ctrl+z", "?▌  1 ada@example.com", "?1 of 10", "?+ type",
	)
}

// esc goes up one level at a time, and the last one leaves the screen.
func TestEscGoesUpOneLevel(t *testing.T) {
	for _, size := range uitest.Sizes {
		s := newService(t)
		h := open(t, s, s.draft(catalog.Email, flatMail), size.W, size.H)
		h.Script(
			">ada", "esc", "?╭─ Spring mail ─", "?+ ada", "?▌ Identifier",
			"tab enter ctrl+s down", "?╭─ Results ─",
			"enter", "?Delivered to Ada Byron", "esc", "?╭─ Results ─",
			"esc", "?╭─ Spring mail ─",
			"alt+H", "?─ Earlier tests ─", "esc", "?╭─ Spring mail ─",
		)
		if len(h.Opened) > 0 {
			t.Errorf("it opened %+v", h.Opened)
		}
	}
}

// Every row, pane and list entry can be clicked in every layout.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := newService(t)
			h := open(t, s, s.draft(catalog.Email, keyedMail), size.W, size.H)
			h.Script(
				"@Ada Byron", "?1 ada@example.com", "?1 of 10", // a suggestion
				">zoe@example.com,", "@2 zoe@", "?▌  2 zoe@",
				"x", "@Identifier", "?Phone number", "?User ID", // the answers
				"esc",
			)
			for !strings.Contains(h.Text(), "Personalization") {
				h.Wheel(3, 3, true)
			}
			h.ClickOn("Locale")
			h.Click(indexOf(t, h, "│   German", 5))
			h.Script(
				"?German ▾", "?1 message to 1 recipient",
				"@First Name", ">Zoe", "?▌ First Name", "?Zoe",
				"@Email · German  ●", "?esc test send", // the pane of the messages
				"@+ type", "?▌  + ",
			)

			h.Script(
				"@[ Send 1 message ]", "?✓ Email · German sent", "?─ Results ─",
				"@On a phone", "?esc results", // the message, beside or below
				"@│ Message", "?INBOX",
			)
			h.Click(indexOf(t, h, "│ Message", 3))
			h.Want("MESSAGE")
			if size.W < 100 { // it has the whole screen
				h.Press("esc")
			} else {
				h.ClickOn("✓ Email · German")
			}
			h.Script("?esc test send", "@Email · German", "?Delivered to Ada Byron", "?esc results", "esc esc")

			h.Script("shift+tab H", "@✓ Sat", "?▌ [ Send 1 message ] to Ada Byron") // fills the form
		})
	}
}

// indexOf returns the cell that is so many cells into a text of the window.
func indexOf(t *testing.T, h *uitest.Harness, text string, in int) (x, y int) {
	t.Helper()
	for y, line := range strings.Split(h.Text(), "\n") {
		if at := strings.Index(line, text); at >= 0 {
			return len([]rune(line[:at])) + in, y
		}
	}
	t.Fatalf("the window does not show %q:\n%s", text, h.Text())
	return 0, 0
}

// The wheel scrolls what is under it.
func TestWheelScrollsPaneUnderPointer(t *testing.T) {
	s := newService(t)
	many := strings.Replace(keyedMail, `"locales": ["de"]`, `"locales": ["de"], "variation_details": {"no_of_variations": 30}`, 1)
	for _, size := range uitest.Sizes {
		h := open(t, s, s.draft(catalog.Email, many), size.W, size.H)
		h.Want("60 messages")
		x, y := size.W-5, size.H-4
		for range 60 {
			h.Wheel(x, y, true)
		}
		h.Want("German · 30", "▌  +")
		for range 3 {
			h.Wheel(3, 3, true) // the suggestions
		}
		h.WantNot("▌  +")
	}
}

// A retry for the failed recipients does not restrict the next test.
func TestFailedRetryKeepsNextTestWhole(t *testing.T) {
	s := newService(t)
	id := s.draft(catalog.Push, flatPush)
	h := open(t, s, id, 80, 24)
	h.Script(
		">USER_1,USER_2,", "ctrl+s r", "?○ Ben: the user has no device for Web",
		"esc alt+H", "?Ben: the user has", "?Only Web.", "!USER_2: ",
	)
	again := open(t, s, id, 80, 24)
	again.Want("0 of 10", "Platform    All", "Ben · failed last time")
}

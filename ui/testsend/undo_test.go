package testsend_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
)

// Recipients, filters and overrides are undone one by one, each named, with the cursor where it was.
func TestUndoAndRedoEachChange(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, keyedMail), 80, 24)
	h.Press("ctrl+z")
	h.Want("Nothing to undo")
	h.Type("ada@example.com,ben@example.com,")
	h.Press("up", "x")
	h.Want("1 of 10")
	h.Press("tab", " ") // only the default locale
	h.Want("Default ▾")
	h.Press("enter", "enter")
	h.Press("tab")
	h.Type("Zoe")
	h.Want("Zoe")

	undo := func(key, toast string, want ...string) {
		t.Helper()
		h.Press(key)
		h.Want(append(want, toast)...)
	}
	undo("ctrl+z", "Undone: First Name", "▌ First Name", "Ada")
	h.WantNot("Zoe")
	undo("ctrl+z", "Undone: Locale", "▌ Locale      Default ▾")
	undo("ctrl+z", "Undone: Locale", "▌ Locale      All ▾")
	undo("ctrl+z", "Undone: removed Ben", "▌  2 ben@example.com", "2 of 10")
	undo("ctrl+z", "Undone: added Ben", "1 of 10", "▌  +")
	undo("ctrl+z", "Undone: added Ada Byron", "0 of 10", "▌  +")
	undo("ctrl+z", "Nothing to undo")
	undo("ctrl+y", "Redone: added Ada Byron", "1 ada@example.com")
	for range 5 {
		h.Press("ctrl+y")
	}
	h.Want("Redone: First Name", "▌ First Name", "Zoe")
	undo("ctrl+y", "Nothing to redo")
	h.Press("ctrl+s")
	if ask := s.asked(t); !slices.Equal(ask.Values, []string{"ada@example.com"}) || len(ask.UserAttributes) != 1 {
		t.Errorf("sent %+v", ask)
	}
}

func TestUndoRestoresReplacedRecipients(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	keep(t, p, group{"QA", "EMAIL", []string{"ada@example.com", "ben@example.com"}})
	id := s.draft(t, catalog.Email, flatMail)
	h := openWith(t, s, p, id, 80, 24)
	h.Type("zoe@example.com,")
	h.Press("alt+g", "enter", "enter")
	h.Want("2 of 10")
	h.Press("ctrl+z")
	h.Want(`Undone: used the group "QA"`, "1 zoe@example.com", "1 of 10")
	h.Press("ctrl+y", "ctrl+s", "esc")
	h.Press("shift+tab", "shift+tab", " ")
	h.Want("User ID")
	h.Press("ctrl+z")
	h.Want("Undone: Identifier", "Email address ▾", "2 of 10")
	h.Press("H", "enter", "ctrl+z")
	h.Want("Undone: filled in an earlier test")
}

// A recipient that was being edited is there once after undo.
func TestUndoEditedRecipient(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Type("ada@example.com,")
	h.Press("up", "enter")
	h.Want("+ ada@example.com_", "0 of 10")
	h.Press("ctrl+z")
	h.Want("▌  1 ada@example.com", "1 of 10", "+ type")
}

// esc goes up one level at a time, and the last one leaves the screen.
func TestEscGoesUpOneLevel(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		s, p := newService(t), prefs.NewInMemory()
		keep(t, p, group{"QA", "EMAIL", []string{"ada@example.com"}})
		id := s.draft(t, catalog.Email, flatMail)
		h := openWith(t, s, p, id, size[0], size[1])
		here := func(key, title string) {
			t.Helper()
			h.Press(key)
			if line := strings.Split(h.Text(), "\n")[1]; !strings.HasPrefix(line, "╭─ "+title+" ─") {
				t.Errorf("%d×%d, %s: want %q in %q", size[0], size[1], key, title, line)
			}
		}
		h.Press("alt+g")
		h.Want("─ Groups ─")
		here("esc", "Spring mail")
		h.Type("ada")
		here("esc", "Spring mail")
		h.Want("+ ada", "▌ Identifier")
		h.Press("tab", "enter", "ctrl+s")
		here("down", "Results")
		h.Press("enter")
		h.Want("Delivered to Ada Byron")
		here("esc", "Results")
		here("esc", "Spring mail")
		h.Press("alt+H")
		h.Want("─ Earlier tests ─")
		here("esc", "Spring mail")
		if len(h.Opened) > 0 {
			t.Errorf("it opened %+v", h.Opened)
		}
	}
}

// After the campaign was changed, the refusal is gone, and forecast and messages are updated.
func TestEditInvalidatesForecastAndRefusal(t *testing.T) {
	s := newService(t)
	id := s.draft(t, catalog.Email, strings.Replace(flatMail, `"subject": "Hello {{UserAttribute['First Name']}}", `, "", 1))
	sc := testsend.New(uitest.Deps(s), screen.Route{Name: screen.TestSend, ID: id})
	h := uitest.New(t, sc, 80, 24)
	h.Type("new@example.com,")
	h.Want("1 of 1 will not arrive")
	s.override = func(context.Context, engine.TestRequest) (engine.TestResult, error) {
		return engine.TestResult{}, engine.Invalid([]schema.Problem{{Path: doc.P("campaign_content", "content", "email", "subject"), Message: "required"}})
	}
	h.Press("ctrl+s")
	h.Want("─ Not sent ─", "Subject")
	s.override = nil
	h.Press("enter")
	if h.LastRoute().Name != screen.Builder {
		t.Fatalf("enter opened %+v", h.LastRoute())
	}
	s.change(t, id, strings.Replace(flatMail, "{{UserAttribute['First Name']}}", "you", 2))
	h.Press("esc") // back from the builder
	h.Want("1 new@example.com", "Email  ●")
	h.WantNot("Not sent", "will not arrive", "First Name")
	h.Press("ctrl+s")
	h.Want("✓ Email sent")
}

// Every row, pane and list entry can be clicked in every layout.
func TestClicks(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s, p := newService(t), prefs.NewInMemory()
			keep(t, p, group{"Both", "EMAIL", []string{"ada@example.com", "ben@example.com"}}, group{"Other", "EMAIL", []string{"zoe@example.com"}})
			id := s.draft(t, catalog.Email, keyedMail)
			h := openWith(t, s, p, id, size[0], size[1])
			h.ClickOn("Ada Byron") // a suggestion
			h.Want("1 ada@example.com", "1 of 10")
			h.ClickOn("Other") // a group among the suggestions
			h.Want("2 zoe@example.com", "2 of 10")
			h.ClickOn("2 zoe@")
			h.Want("▌  2 zoe@")
			h.Press("x")
			h.ClickOn("Identifier")
			h.Want("Phone number", "User ID") // the answers
			h.Press("esc")
			for !strings.Contains(h.Text(), "Personalization") {
				h.Wheel(3, 3, true)
			}
			h.ClickOn("Locale")
			h.Click(indexOf(t, h, "│   German", 5))
			h.Want("German ▾", "1 message to 1 recipient")
			h.ClickOn("First Name")
			h.Type("Zoe")
			h.Want("▌ First Name", "Zoe")
			h.ClickOn("Email · German  ●") // the pane of the messages
			h.Want("esc test send")
			h.ClickOn("+ type")
			h.Want("▌  + ")

			h.Press("alt+g")
			h.Press("down", "enter")
			h.ClickOn("Add")
			h.Want("2 zoe@example.com", "▌ [ Send 2 messages ]")
			h.Press("ctrl+z")

			h.ClickOn("[ Send 1 message ]")
			h.Want("✓ Email · German sent", "─ Results ─")
			h.ClickOn("On a phone") // the message, beside or below
			h.Want("esc results")
			h.ClickOn("│ Message")
			h.Want("INBOX")
			h.Click(indexOf(t, h, "│ Message", 3))
			h.Want("MESSAGE")
			if size[0] < 100 { // it has the whole screen
				h.Press("esc")
			} else {
				h.ClickOn("✓ Email · German")
			}
			h.Want("esc test send")
			h.ClickOn("Email · German")
			h.Want("Delivered to Ada Byron", "esc results")
			h.Press("esc")
			h.Press("esc")

			h.Press("shift+tab", "H")
			h.ClickOn("✓ Sat") // fills the form
			h.Want("▌ [ Send 1 message ] to Ada Byron")
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
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		h := open(t, s, s.draft(t, catalog.Email, many), size[0], size[1])
		h.Want("60 messages")
		x, y := size[0]-5, size[1]-4
		for range 60 {
			h.Wheel(x, y, true)
		}
		h.Want("German · 30", "▌  +")
		h.Wheel(3, 3, true) // the suggestions
		h.Wheel(3, 3, true)
		h.Wheel(3, 3, true)
		h.WantNot("▌  +")
	}
}

// A retry for the failed recipients does not restrict the next test.
func TestFailedRetryKeepsNextTestWhole(t *testing.T) {
	s := newService(t)
	id := s.draft(t, catalog.Push, flatPush)
	h := open(t, s, id, 80, 24)
	h.Type("USER_1,USER_2,")
	h.Press("ctrl+s", "r")
	h.Want("○ Ben: the user has no device for Web")
	h.Press("esc", "alt+H")
	h.Want("Ben: the user has", "Only Web.")
	h.WantNot("USER_2: ")
	again := open(t, s, id, 80, 24)
	again.Want("0 of 10", "Platform    All", "Ben · failed last time")
}

// Enter in each row moves to the next one, from the last override to the button, and sends there.
func TestEnterInLastOverrideGoesToSend(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Type("ada@example.com")
	h.Press("enter", "enter")
	h.Type("Zoe")
	h.Press("enter", "enter")
	h.Want("▌ [ Send 1 message ] to Ada Byron")
	h.Press("enter")
	h.Want("Email sent")
}

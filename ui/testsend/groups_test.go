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

// group is a stored group.
type group struct {
	Name       string   `json:"name"`
	Identifier string   `json:"identifier"`
	Values     []string `json:"values"`
}

const prefGroups = "recipient groups"

// openWith opens the screen with stored preferences.
func openWith(t *testing.T, s *service, p *prefs.Prefs, id string, w, h int) *uitest.Harness {
	t.Helper()
	deps := uitest.Deps(s)
	deps.Prefs = p
	return uitest.New(t, testsend.New(deps, screen.Route{Name: screen.TestSend, ID: id}), w, h)
}

func keptGroups(t *testing.T, p *prefs.Prefs) []group {
	t.Helper()
	all, err := prefs.Read[[]group](p.Within("DEMO"), prefGroups)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func keep(t *testing.T, p *prefs.Prefs, groups ...group) {
	t.Helper()
	if _, err := prefs.Update(p.Within("DEMO"), prefGroups, func([]group) []group { return groups })(); err != nil {
		t.Fatal(err)
	}
}

func TestAGroupIsKeptForTheWorkspaceAndUsedByName(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	h := openWith(t, s, p, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Press("ctrl+g")
	h.Want("No groups yet", "press n here")
	if why := h.DisabledReason("n"); !strings.Contains(why, "Add recipients") {
		t.Errorf("a group of nobody: %q", why)
	}
	h.Press("esc")
	h.Type("ada@example.com,ben@example.com,")
	h.Press("ctrl+g", "n")
	h.Press("enter")
	h.Want("A group needs a name.")
	h.Type("QA team")
	h.Press("enter")
	h.Want("QA team", "Email address · 2", "1 ada@example.com")
	if got := keptGroups(t, p); len(got) != 1 || got[0].Identifier != "EMAIL" || !slices.Equal(got[0].Values, []string{"ada@example.com", "ben@example.com"}) {
		t.Fatalf("kept %+v", got)
	}
	h.Press("esc")
	h.Want("2 of 10 · QA team")

	again := openWith(t, s, p, s.draft(t, catalog.Email, keyedMail), 80, 24)
	again.Type("qa t")
	again.Want("group of 2")
	again.Press("enter")
	again.Want("1 ada@example.com", "2 ben@example.com", "▌ [ Send 4 messages ]")
	again.Press("enter")
	if ask := s.asked(t); !slices.Equal(ask.Values, []string{"ada@example.com", "ben@example.com"}) {
		t.Errorf("asked for %v", ask.Values)
	}
}

func TestAGroupBelongsToItsIdentifier(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	keep(t, p, group{"By id", "ID", []string{"USER_2"}}, group{"Phones", "PUSH_ID", []string{"tok-a"}})
	h := openWith(t, s, p, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Type("ada@example.com,")
	h.WantNot("By id") // not suggested among addresses
	h.Press("ctrl+g", "enter")
	h.Want("Identifier  User ID", "1 USER_2", "1 of 10")
	h.WantNot("ada@example.com")
	h.Press("ctrl+g", "down")
	h.Want("Email campaigns can't use this")
	if why := h.DisabledReason("enter"); !strings.Contains(why, "use this identifier") {
		t.Errorf("a group of tokens can be used for mail: %q", why)
	}
}

func TestAGroupOfMoreThanTenSaysWhoIsLeftOut(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	var many []string
	for _, r := range "abcdefghijkl" {
		many = append(many, string(r)+"@example.com")
	}
	keep(t, p, group{"Everybody", "EMAIL", many})
	h := openWith(t, s, p, s.draft(t, catalog.Email, flatMail), 120, 40)
	h.Press("ctrl+g")
	h.Want("This group has 12 recipients. A test uses")
	h.Press("enter")
	h.Want("10 of 10", "10 j@example.com", "A test can have up to 10 recipients.", "Left out:", "l@example.com.")
	h.Press("ctrl+s")
	if ask := s.asked(t); len(ask.Values) != 10 {
		t.Errorf("asked for %v", ask.Values)
	}
}

func TestGroupsAreAddedRenamedAndDeleted(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	keep(t, p, group{"One", "EMAIL", []string{"ada@example.com"}}, group{"Two", "EMAIL", []string{"ben@example.com"}})
	h := openWith(t, s, p, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Press("ctrl+g", "enter", "ctrl+g", "down", "+")
	h.Want("1 ada@example.com", "2 ben@example.com", "2 of 10")

	h.Press("ctrl+g", "r")
	h.Press("ctrl+u")
	h.Type("two")
	h.Press("enter")
	h.Want("▌ two")
	h.Press("r", "ctrl+u")
	h.Type("one")
	h.Press("enter")
	h.Want("A group with this name already exists.")
	h.Press("esc", "d")
	h.Want(`Delete the group "two"?`)
	h.Press("y")
	h.WantNot("▌ two")
	if got := keptGroups(t, p); len(got) != 1 || got[0].Name != "One" {
		t.Errorf("kept %+v", got)
	}
}

func TestGroupsOfAnotherTerminalStay(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	h := openWith(t, s, p, s.draft(t, catalog.Email, flatMail), 80, 24)
	keep(t, p, group{"Theirs", "EMAIL", []string{"their@example.com"}})
	h.Type("ada@example.com,")
	h.Press("ctrl+g", "n")
	h.Type("Mine")
	h.Press("enter")
	h.Want("Mine", "Theirs")
	if got := keptGroups(t, p); len(got) != 2 {
		t.Errorf("kept %+v", got)
	}
}

func TestAGroupIsUsedWithTheMouse(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	keep(t, p, group{"One", "EMAIL", []string{"ada@example.com"}}, group{"Two", "EMAIL", []string{"ben@example.com"}})
	h := openWith(t, s, p, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Press("ctrl+g")
	h.ClickOn("Two")
	h.Want("▌ Two")
	h.ClickOn("Two")
	h.Want("1 ben@example.com")
}

func TestTheSameAgainIsOneKey(t *testing.T) {
	s := newService(t)
	id := s.draft(t, catalog.Email, flatMail)
	h := open(t, s, id, 80, 24)
	h.Type("ada@example.com")
	h.Press("ctrl+s")
	again := open(t, s, id, 80, 24)
	again.Press("enter")
	again.Want("Email sent")
	if len(s.sent) != 2 {
		t.Fatalf("%d sends", len(s.sent))
	}
	if a, b := s.sent[0], s.sent[1]; string(a.Body.Encode()) != string(b.Body.Encode()) || a.IdempotencyKey == b.IdempotencyKey {
		t.Errorf("first %s, then %s", a.Body.Encode(), b.Body.Encode())
	}
}

func TestEarlierTestsOfOtherCampaigns(t *testing.T) {
	s := newService(t)
	h := open(t, s, s.draft(t, catalog.Email, flatMail), 80, 24)
	h.Type("ada@example.com,stranger@example.com")
	h.Press("ctrl+s")
	h.Want("Sent 1 of 2 messages; 1 skipped.")
	push := open(t, s, s.draft(t, catalog.Push, flatPush), 80, 24)
	push.Type("USER_1")
	push.Press("ctrl+s")

	id := s.draft(t, catalog.Email, keyedMail)
	h = open(t, s, id, 120, 40)
	h.Press("alt+e")
	h.Want("Earlier tests of all campaigns", "1 test", "Spring mail · Ada Byron and ", "✗ Email ", "user has no attribute First Name")
	h.WantNot("Spring push")
	h.Press("r")
	h.Want("Email sent")
	if ask := s.asked(t); len(ask.Values) != 2 || s.sent[len(s.sent)-1].Body.Get("draft_id").Text() != id {
		t.Errorf("sent %s", s.sent[len(s.sent)-1].Body.Encode())
	}
	h.Press("f", "alt+e")
	h.Want("Two tongues › Earlier tests ─", "1 test")
	h.Press("tab")
	h.Want("Earlier tests of all campaigns", "2 tests", "Two tongues")
}

// serviceWithoutHistory is a service that does not store tests, like remote ones.
type serviceWithoutHistory struct{ engine.Service }

func TestWhatAServiceDoesNotRememberIsKeptHere(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	id := s.draft(t, catalog.Email, flatMail)
	openOn := func() *uitest.Harness {
		deps := uitest.Deps(serviceWithoutHistory{s})
		deps.Prefs = p
		return uitest.New(t, testsend.New(deps, screen.Route{ID: id}), 80, 24)
	}
	h := openOn()
	h.Type("ada@example.com")
	h.Press("ctrl+s")
	h.Want("✓ Email sent")
	h = openOn()
	h.Want("1 ada@example.com", "▌ [ Send")
	h.Press("alt+e")
	h.Want("ada@example.com", "✓ ada@example.com      Sat 14 Mar, 10:00 │")
	if _, err := s.Tests(context.Background(), id, 1); err != nil {
		t.Fatal(err)
	}
}

func TestPicturesOfGroupsAndEarlierTests(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	id := s.draft(t, catalog.Email, keyedMail)
	h := openWith(t, s, p, id, 80, 24)
	h.Press("ctrl+g")
	h.GoldenSizes("groups-empty")
	h.WantFits()
	keep(t, p, group{"Agency", "EMAIL", []string{"ada@example.com", "no address"}}, group{"Phones with a long name", "PUSH_ID", []string{"tok-a"}})
	h = openWith(t, s, p, id, 80, 24)
	h.Press("ctrl+g")
	h.GoldenSizes("groups")
	h.WantFits()
	h.Press("esc", "alt+e")
	h.Type("ada@example.com,stranger@example.com")
	h.Press("ctrl+s")
	h.Press("down", "down")
	h.GoldenSizes("delivered")
	h.WantFits()
	h.Press("enter")
	h.GoldenSizes("read")
	h.WantFits()
	h.Press("esc", "f", "alt+e")
	h.GoldenSizes("earlier")
	h.WantFits()
	h.Resize(60, 20)
	h.WantNot("Sent        ")
	h.Press("J", "J", "J", "J", "J", "J", "J", "J")
	h.Want("Sent        Sat 14 Mar, 10:00")
	h.Press("esc")
	h.Want("1 of 4 will not arrive") // the pending recipient counts
	h.GoldenSizes("forecast")
}

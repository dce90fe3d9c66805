package testsend_test

import (
	"slices"
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
func openWith(t *testing.T, s engine.Service, p *prefs.Prefs, id string, w, h int) *uitest.Harness {
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
	h.Press("alt+g")
	h.Want("Save the recipients as a group", "Add recipients to the form first.")
	h.Press("esc")
	h.Type("ada@example.com,ben@example.com,")
	keep(t, p, group{"Theirs", "EMAIL", []string{"their@example.com"}}) // another terminal
	h.Press("alt+g", "enter", "enter")
	h.Want("A group needs a name.")
	h.Type("QA team")
	h.Press("enter")
	h.Want("Saved 2 recipients", "2 of 10")
	if got := keptGroups(t, p); len(got) != 2 || got[0].Identifier != "EMAIL" || !slices.Equal(got[0].Values, []string{"ada@example.com", "ben@example.com"}) {
		t.Fatalf("kept %+v", got)
	}
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
	h.Press("alt+g")
	h.Want("1 recipient: USER_2.")
	h.Press("enter", "enter")
	h.Want("Identifier  User ID", "1 USER_2", "1 of 10")
	h.WantNot("ada@example.com")
	h.Press("alt+g", "down")
	h.Want("Email campaigns can't use the")
}

func TestAGroupOfMoreThanTenSaysWhoIsLeftOut(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	var many []string
	for _, r := range "abcdefghijkl" {
		many = append(many, string(r)+"@example.com")
	}
	keep(t, p, group{"Everybody", "EMAIL", many})
	h := openWith(t, s, p, s.draft(t, catalog.Email, flatMail), 120, 40)
	h.Press("alt+g", "enter", "enter")
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
	h.Press("alt+g", "enter", "enter", "alt+g", "down", "enter", "down", "enter")
	h.Want("1 ada@example.com", "2 ben@example.com", "2 of 10")
	h.Press("alt+g", "down", "enter", "3", "ctrl+u")
	h.Type("one")
	h.Press("enter")
	h.Want("A group with this name already exists.")
	h.Press("ctrl+u")
	h.Type("two")
	h.Press("enter", "alt+g")
	h.ClickOn("two")
	h.ClickOn("Delete")
	h.Want(`Delete the group "two"?`)
	h.Press("y")
	if got := keptGroups(t, p); len(got) != 1 || got[0].Name != "One" {
		t.Errorf("kept %+v", got)
	}
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

// The tests of other campaigns are listed after those of this one, as far as their recipients can get this one.
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
	h.Press("alt+H")
	h.Want("─ Earlier tests ─", "✗ Sat 14 Mar, 10:00 · Ada Byron and stranger@example.com", "Campaign Spring mail. To Ada Byron", "user has no attribute")
	h.WantNot("Spring push")
	h.Press("enter")
	h.Want("1 ada@example.com", "2 stranger@example.com", "▌ [ Send 4 messages ]")
	h.Press("enter")
	if ask := s.asked(t); len(ask.Values) != 2 || s.sent[len(s.sent)-1].Body.Get("draft_id").Text() != id {
		t.Errorf("sent %s", s.sent[len(s.sent)-1].Body.Encode())
	}
	h.Press("e", "alt+H")
	h.Want("▌ ✗ Sat", "First Name")
	h.WantNot("Campaign Two tongues")
}

// serviceWithoutHistory is a service that does not store tests, like remote ones.
type serviceWithoutHistory struct{ engine.Service }

func TestWhatAServiceDoesNotRememberIsKeptHere(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	id := s.draft(t, catalog.Email, flatMail)
	h := openWith(t, serviceWithoutHistory{s}, p, id, 80, 24)
	h.Type("ada@example.com")
	h.Press("ctrl+s")
	h.Want("✓ Email sent")
	h = openWith(t, serviceWithoutHistory{s}, p, id, 80, 24)
	h.Want("1 ada@example.com", "▌ [ Send")
	h.Press("alt+H")
	h.Want("✓ Sat 14 Mar, 10:00 · ada@example.com")
}

func TestPicturesOfGroupsAndEarlierTests(t *testing.T) {
	s, p := newService(t), prefs.NewInMemory()
	keep(t, p, group{"Agency", "EMAIL", []string{"ada@example.com", "no address"}}, group{"Phones with a long name", "PUSH_ID", []string{"tok-a"}})
	h := openWith(t, s, p, s.draft(t, catalog.Email, keyedMail), 80, 24)
	h.Press("alt+g")
	h.Golden("groups")
	h.WantFits()
	h.Press("esc")
	h.Type("ada@example.com,stranger@example.com")
	h.Press("ctrl+s", "G")
	h.Golden("delivered")
	h.WantFits()
	h.Press("enter")
	h.Golden("read")
	h.WantFits()
	h.Press("esc", "e", "alt+H")
	h.Golden("earlier")
	h.WantFits()
	h.Press("esc")
	h.Want("1 of 4 will not arrive")
	h.Golden("forecast")
}

package terminal_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
	"bugle/ui/builder"
	"bugle/ui/campaigns"
	"bugle/ui/history"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/validate"
)

// Every box that an action on a campaign opens names that campaign, and so do the boxes that follow from it.
func TestBoxesNameTheirCampaign(t *testing.T) {
	db := mem.New()
	if _, err := sample.Install(t.Context(), db, sample.Options{Author: "ann@example.com", Now: uitest.Now}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		t.Fatal(err)
	}
	deps := uitest.Deps(svc)
	rows, err := svc.List(t.Context(), engine.ListQuery{Archived: true})
	if err != nil {
		t.Fatal(err)
	}
	offline := builder.WithBrowser(func(context.Context, string) error { return nil })
	opened := map[string]int{}
	for _, test := range []struct {
		name   string
		open   func(id string) screen.Screen
		groups []string // of the actions on the campaign
		keys   []string // to press first
		boxes  int      // how many boxes open at least
	}{
		{"list", func(string) screen.Screen { return campaigns.New(deps, screen.Route{Query: "is:all"}) }, []string{"Selected campaign", "Several campaigns"}, nil, 30},
		{"selected", func(string) screen.Screen { return campaigns.New(deps, screen.Route{Query: "is:all"}) }, []string{"Several campaigns"}, []string{" ", "up"}, 15},
		{"builder", func(id string) screen.Screen { return builder.New(deps, screen.Route{ID: id}, offline) }, []string{"Campaign", "Edit"}, nil, 8},
		{"validate", func(id string) screen.Screen { return validate.New(deps, screen.Route{ID: id}) }, []string{"Campaign"}, nil, 2},
		{"history", func(id string) screen.Screen { return history.New(deps, screen.Route{ID: id}) }, []string{"Version"}, []string{"down"}, 1},
	} {
		for _, state := range catalog.States {
			i := slices.IndexFunc(rows, func(s engine.Summary) bool { return s.Status == state && s.Channel.Writable() })
			if i < 0 {
				continue
			}
			s := test.open(rows[i].ID)
			h := uitest.New(t, s, 120, 40)
			if test.name == "list" || test.name == "selected" {
				h.Send(screen.OpenMsg{Route: screen.Route{Name: screen.Builder, ID: rows[i].ID}})
				h.Press("esc")
			}
			h.Press(test.keys...)
			first, _, _ := strings.Cut(rows[i].Name, " ")
			hints := func() string { return h.Text()[strings.LastIndexByte(h.Text(), '\n')+1:] }
			isOpen := func() bool { return strings.Contains(hints(), "esc close") || strings.Contains(hints(), "esc cancel") }
			closeAll := func() {
				for range 5 { // a bulk action goes back step by step
					if isOpen() {
						h.Press("esc")
					}
				}
			}
			check := func(keys ...string) bool {
				h.Press(keys...)
				if !isOpen() {
					return false
				}
				opened[test.name]++
				if !strings.Contains(h.Text(), "“"+first) {
					t.Errorf("%s, %s, %v: the box does not name %q:\n%s", test.name, state, keys, rows[i].Name, h.Text())
				}
				return true
			}
			for _, a := range s.Actions() {
				if len(a.Keys) == 0 || a.HelpOnly || a.DisabledReason != "" || strings.HasPrefix(a.Label, "select ") || a.Label == "select" || !slices.Contains(test.groups, a.Group) {
					continue
				}
				screens := len(h.Opened)
				if !check(a.Keys[0]) {
					for range len(h.Opened) - screens {
						h.Press("esc")
					}
					continue
				}
				isChoice := func() bool { return strings.Contains(hints(), "enter choose  esc close") }
				for option := '1'; option <= '9' && isChoice(); option++ { // each leads to a question, or to a text to type and a question
					h.Press(string(option))
					if isChoice() {
						continue // it is not available
					}
					if check(); strings.Contains(hints(), "enter ok") {
						h.Press("x")
						check("enter")
					}
					closeAll()
					check(a.Keys[0])
				}
				closeAll()
			}
		}
		if opened[test.name] < test.boxes {
			t.Errorf("%s opened %d boxes, want at least %d", test.name, opened[test.name], test.boxes)
		}
	}
}

package campaigns_test

import (
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/themes"
	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// manyCampaigns returns n campaigns.
func manyCampaigns(n int) []engine.Summary {
	names := []string{"Spring sale", "Weekly digest", "Cart reminder", "Price drop", "Black Friday teaser", "Order shipped"}
	places := []string{"Berlin", "Lisbon", "Oslo", "Porto", "Turin", "Vienna", "York"}
	rows := make([]engine.Summary, n)
	for i := range rows {
		rows[i] = row(i+1, fmt.Sprintf("%s %s %d", names[i%len(names)], places[i%len(places)], i), catalog.Push, catalog.OneTime,
			catalog.States[i%7], time.Duration(i)*time.Second)
		rows[i].Tags, rows[i].Team = []string{"sale", fmt.Sprint("tag", i%50)}, fmt.Sprint("Team ", i%9)
	}
	return rows
}

// BenchmarkUpdateView measures Update and View for a key, without background tasks. The keys are pressed in
// turn.
func BenchmarkUpdateView(b *testing.B) {
	theme, err := themes.New(themes.Options{Name: themes.Dark, DarkBackground: true, Profile: termenv.TrueColor}) // matches are styled
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{10, 100_000} {
		rows := manyCampaigns(n)
		for name, keys := range map[string][]string{
			"move": {"down"}, "page": {"pgdown", "pgup"}, "ends": {"end", "home"}, "type": {"s", "a", "backspace", "backspace"},
			"mark": {" "},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				deps := uitest.Deps(newFake(rows...))
				deps.Theme = theme
				s := campaigns.New(deps, screen.Route{})
				uitest.New(b, s, 120, 40)
				s.SetSize(120, 38)
				if name == "type" {
					press(s, "/")
				}
				var msgs []tea.KeyMsg
				for _, k := range keys {
					msgs = append(msgs, uitest.Key(k))
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if name == "mark" {
						press(s, " ")
					} else {
						s.Update(msgs[i%len(msgs)])
					}
					_ = s.View()
				}
			})
		}
	}
}

// press handles a key as the root model does.
func press(s screen.Screen, key string) tea.Cmd {
	for _, a := range s.Actions() {
		if a.HasKey(key) && a.DisabledReason == "" {
			return a.Run()
		}
	}
	return s.Update(uitest.Key(key))
}

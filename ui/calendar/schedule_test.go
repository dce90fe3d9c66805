package calendar_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/calendar"
	"bugle/ui/editor"
	"bugle/ui/uitest"
)

const weekly = `{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-02T09:00:00","timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"WEEKLY","no_of_occurences":9,"repeat_on_days_of_week":["MONDAY","FRIDAY"]}}`

// panel returns the panel of a schedule, in a size.
func panel(t *testing.T, kind, schedule string, w, h int) editor.SidePanel {
	t.Helper()
	root, err := doc.Parse([]byte(`{"campaign_delivery_type":"` + kind + `","scheduling_details":` + schedule + `}`))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 20, 8, 30, 0, 0, time.UTC)
	cfg := editor.Config{Now: func() time.Time { return now }, Local: func(t time.Time) time.Time { return t.UTC() }}
	cfg.Theme, cfg.Root = themes.Plain(), root
	s := calendar.NewPanel(cfg)
	s.SetSize(w, h)
	return s
}

func wantText(t *testing.T, s editor.SidePanel, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s.View(), p) {
			t.Errorf("%q is not shown:\n%s", p, s.View())
		}
	}
}

func TestSchedule(t *testing.T) {
	for _, size := range []struct{ w, h int }{{50, 5}, {50, 18}, {24, 16}} {
		s := panel(t, "PERIODIC", weekly, size.w, size.h)
		uitest.Golden(t, fmt.Sprintf("weekly-%dx%d", size.w, size.h), s.View()+"\n")
	}
	wantText(t, panel(t, "ONE_TIME", `{"delivery_type":"ASAP"}`, 40, 20), "No time zone chosen", "as soon as you publish")
	wantText(t, panel(t, "ONE_TIME", `{"start_time":"2026-03-21T09:00:00Z"}`, 40, 20), "Sat 21 Mar, 09:00  tomorrow", "March 2026", "21•")
	clocks := `{"start_time":"2026-03-27T02:30:00","timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"DAILY","no_of_occurences":5}}`
	wantText(t, panel(t, "PERIODIC", clocks, 60, 24), "Sun 29 Mar, 03:30", "↕ 29 Mar: clocks go forward 1 h", "Mon 30 Mar, 02:30")
}

// The calendar shows the month of the first send in the window, with what was sent in it.
func TestCalendarFollowsTheList(t *testing.T) {
	s := panel(t, "PERIODIC", `{"start_time":"2026-03-10T09:00:00","timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"DAILY","no_of_occurences":60}}`, 33, 18)
	wantText(t, s, "March 2026", "10•", "20•", " 9 ")
	for range 8 {
		s.Update(tea.MouseMsg{Y: 1, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	}
	wantText(t, s, "April 2026", " 1•")
	s.Update(tea.KeyMsg{Type: tea.KeyHome})
	wantText(t, s, "March 2026")
}

// The view has the size that was set, for any document.
func TestFits(t *testing.T) {
	for _, d := range []string{weekly, `{}`, `{"start_time":7}`} {
		s := panel(t, "PERIODIC", d, 1, 1)
		for w := 1; w < 110; w += 9 {
			for h := 1; h < 40; h += 3 {
				s.SetSize(w, h)
				if wrong := uitest.ViewError(s.View(), w, h); wrong != "" {
					t.Fatalf("%dx%d: %s", w, h, wrong)
				}
			}
		}
	}
}

package calendar_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/calendar"
	"bugle/ui/editor"
)

var update = flag.Bool("update", false, "write the golden files anew")

var now = time.Date(2026, 3, 20, 8, 30, 0, 0, time.UTC)

func document(t testing.TB, kind, scheduling string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(`{"campaign_delivery_type":"` + kind + `","scheduling_details":` + scheduling + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const weekly = `{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-02T09:00:00","timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"WEEKLY","no_of_occurences":9,"repeat_on_days_of_week":["MONDAY","FRIDAY"]}}`

func shown(s *calendar.Schedule) string { return s.View() }

func press(s *calendar.Schedule, kt tea.KeyType) bool { return s.Update(tea.KeyMsg{Type: kt}) }

func TestSchedule(t *testing.T) {
	for _, size := range []struct{ w, h int }{{49, 5}, {33, 36}, {70, 12}, {24, 16}} {
		s := calendar.NewSchedule(themes.Plain())
		s.Numbers = size.w > 30
		s.SetSize(size.w, size.h)
		s.SetDocument(document(t, "PERIODIC", weekly), now)
		golden(t, fmt.Sprintf("weekly-%dx%d", size.w, size.h), shown(&s))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got+"\n" != string(want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

func wantText(t *testing.T, s *calendar.Schedule, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(shown(s), p) {
			t.Errorf("%q is not shown:\n%s", p, shown(s))
		}
	}
}

func TestMonthNavigation(t *testing.T) {
	s := calendar.NewSchedule(themes.Plain())
	s.SetSize(33, 30)
	s.SetDocument(document(t, "PERIODIC", weekly), now)
	wantText(t, &s, "March 2026", "20•", "23•", " 2•") // past sends too
	press(&s, tea.KeyRight)
	wantText(t, &s, "April 2026")
	press(&s, tea.KeyLeft)
	press(&s, tea.KeyLeft)
	wantText(t, &s, "February 2026")
	if strings.Contains(shown(&s), "•") {
		t.Errorf("there was none in February:\n%s", shown(&s))
	}
	s.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("0")})
	wantText(t, &s, "March 2026")
	if press(&s, tea.KeyF5) {
		t.Error("a key that means nothing here is taken")
	}
	s.SetSize(33, 5)
	if press(&s, tea.KeyRight) || len(s.Bindings()) != 1 {
		t.Error("a calendar that is not there can be turned")
	}
}

func TestClockChangeSkipsSend(t *testing.T) {
	s := calendar.NewSchedule(themes.Plain())
	s.SetSize(60, 24)
	s.SetDocument(document(t, "PERIODIC", `{"start_time":"2026-03-27T02:30:00","timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"DAILY","no_of_occurences":5}}`), now)
	wantText(t, &s, "Sun 29 Mar  03:30", "↕ 29 Mar: clocks go forward 1 h", "02:30 does not exist on that day", "Mon 30 Mar  02:30")
}

func TestNoSends(t *testing.T) {
	s := calendar.NewSchedule(themes.Plain())
	s.SetSize(40, 20)
	s.SetDocument(document(t, "ONE_TIME", `{"delivery_type":"ASAP"}`), now)
	wantText(t, &s, "No time zone chosen", "as soon as you publish")
	s.SetDocument(document(t, "ONE_TIME", `{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-21T09:00:00Z"}`), now)
	wantText(t, &s, "Sat 21 Mar  09:00  tomorrow", "March 2026", "21•")
}

// The view has the size that was set, for any document and theme.
func TestFits(t *testing.T) {
	for _, d := range []string{weekly, `{}`, `{"start_time":7}`} {
		s := calendar.NewSchedule(themes.Plain())
		s.SetDocument(document(t, "PERIODIC", d), now)
		for w := 1; w < 110; w += 9 {
			for h := 1; h < 40; h += 3 {
				s.SetSize(w, h)
				lines := strings.Split(s.View(), "\n")
				if len(lines) != h {
					t.Fatalf("%d lines of %d", len(lines), h)
				}
				for _, l := range lines {
					if ansi.StringWidth(l) != w {
						t.Fatalf("%dx%d: a line of %d cells: %q", w, h, ansi.StringWidth(l), l)
					}
				}
			}
		}
	}
}

func TestWheel(t *testing.T) {
	s := calendar.NewSchedule(themes.Plain())
	s.SetSize(40, 3)
	s.SetDocument(document(t, "PERIODIC", weekly), now)
	first := shown(&s)
	s.Mouse(tea.MouseMsg{Y: 1, Button: tea.MouseButtonWheelDown})
	if shown(&s) == first {
		t.Error("the wheel does not scroll the list")
	}
	s.SetSize(33, 30)
	s.Mouse(tea.MouseMsg{Y: 10, Button: tea.MouseButtonWheelDown})
	wantText(t, &s, "April 2026")
}

func BenchmarkDocument(b *testing.B) {
	s := calendar.NewSchedule(themes.Plain())
	s.SetSize(33, 36)
	v := document(b, "PERIODIC", weekly)
	for i := range b.N {
		s.SetDocument(v, now.Add(time.Duration(i)*time.Minute))
		_ = s.View()
	}
}

// As a side panel it follows the document, and handles keys and mouse events.
func TestPanel(t *testing.T) {
	cfg := editor.Config{Now: func() time.Time { return now }}
	cfg.Theme, cfg.Root = themes.Plain(), document(t, "ONE_TIME", `{"delivery_type":"ASAP"}`)
	a := calendar.NewPanel(cfg)
	a.SetSize(33, 30)
	if !strings.Contains(a.View(), "as soon as you publish") {
		t.Errorf("%s", a.View())
	}
	a.Show(document(t, "PERIODIC", weekly), nil)
	a.Update(tea.KeyMsg{Type: tea.KeyRight})
	if !strings.Contains(a.View(), "April 2026") {
		t.Errorf("%s", a.View())
	}
	a.Update(tea.MouseMsg{Y: 20, Button: tea.MouseButtonWheelUp})
	if !strings.Contains(a.View(), "March 2026") || a.Title() == "" || len(a.Bindings()) == 0 {
		t.Errorf("%s", a.View())
	}
}

// The arrows of the calendar can be clicked, beside the list and below it.
func TestArrowClicks(t *testing.T) {
	for _, size := range [][2]int{{33, 36}, {70, 12}} {
		s := calendar.NewSchedule(themes.Plain())
		s.SetSize(size[0], size[1])
		s.SetDocument(document(t, "PERIODIC", weekly), now)
		for _, step := range []struct{ on, want string }{{"›", "‹ April 2026 ›"}, {"›", "‹ May 2026 ›"}, {"‹", "‹ April 2026 ›"}} {
			for y, l := range strings.Split(s.View(), "\n") {
				if before, _, ok := strings.Cut(l, step.on); ok {
					s.Mouse(tea.MouseMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
					break
				}
			}
			if !strings.Contains(s.View(), step.want) {
				t.Fatalf("%v: a click on %s does not lead to %s:\n%s", size, step.on, step.want, s.View())
			}
		}
	}
}

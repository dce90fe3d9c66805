package forms

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/schema"
)

// A Saturday, 13:03 in Berlin.
var today = time.Date(2026, 11, 21, 12, 3, 0, 0, time.UTC)

// openSchedule opens a form with two times and their zone.
func openSchedule(t testing.TB, s string) *Form {
	t.Helper()
	cfg := config(parse(t, s), "when")
	cfg.Schema = schema.MustCompile(schema.Field{ID: "t", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
		{Name: "when", Kind: schema.Object, Help: "When.", Fields: []schema.Field{
			{Name: "begin", Kind: schema.Time, Help: "When it starts."},
			{Name: "end", Kind: schema.Time, Help: "When it ends.", Template: true},
			{Name: "zone", Kind: schema.String, Help: "Where.", Rules: []schema.Rule{schema.Format{As: schema.Zone}}},
			{Name: "more", Kind: schema.List, Help: "Further ones.", Elem: &schema.Field{Kind: schema.Time, Help: "One."}},
		}},
	}})
	cfg.Now = func() time.Time { return today }
	return newForm(cfg)
}

func TestTimesInNaturalLanguage(t *testing.T) {
	const berlin = `"zone":"Europe/Berlin"`
	for _, tt := range []struct{ name, is, typed, becomes string }{
		{"relative", `{"when":{` + berlin + `}}`, "tomorrow 9am", `{"when":{` + berlin + `,"begin":"2026-11-22T09:00:00"}}`},
		{"a span", `{"when":{` + berlin + `}}`, "+2h", `{"when":{` + berlin + `,"begin":"2026-11-21T15:03:00"}}`},
		{"ISO 8601 stays as typed", `{"when":{` + berlin + `}}`, "2026-12-01T09:00Z", `{"when":{` + berlin + `,"begin":"2026-12-01T09:00Z"}}`},
		{"no zone chosen", `{}`, "25 dec 18:00", `{"when":{"begin":"2026-12-25T18:00:00"}}`},
		{"no zone chosen: a span", `{}`, "+2h", `{"when":{"begin":"2026-11-21T14:03:00Z"}}`},
		{"a date keeps the time of day", `{"when":{"begin":"2026-12-01T18:30:00",` + berlin + `}}`, "friday", `{"when":{"begin":"2026-11-27T18:30:00",` + berlin + `}}`},
		{"not understood", `{}`, "soon", `{"when":{"begin":"soon"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := at(t, openSchedule(t, tt.is), "when", "begin")
			press(f, "ctrl+u", tt.typed)
			shows(t, f, tt.typed) // the text is unchanged while typing
			press(f, "enter")
			want(t, f, tt.becomes)
			if st, _ := f.Focused(); st.Node.Name != "end" {
				t.Errorf("Enter went to %s", st.Node.Name)
			}
		})
	}
}

func TestTimeShowsInterpretation(t *testing.T) {
	f := at(t, openSchedule(t, `{"when":{"zone":"Europe/Berlin"}}`), "when", "begin")
	press(f, "25 dec")
	shows(t, f, "= Fri 25 Dec, 09:00 Europe/Berlin (08:00 your time) · in 34 days", "No time given; using 09:00")
	press(f, " 18:00")
	shows(t, f, "= Fri 25 Dec, 18:00 Europe/Berlin")
	hides(t, f, "No time was typed")
	press(f, "ctrl+u", "31 feb")
	shows(t, f, "There is no 31 February")
	hides(t, f, "ISO 8601")
	press(f, "ctrl+u", "28 mar 2027 2:30")
	shows(t, f, "02:30 does not exist on that day")
	press(f, "tab")
	want(t, f, `{"when":{"zone":"Europe/Berlin","begin":"2027-03-28T03:30:00"}}`)
	shows(t, f, "Sun 28 Mar 2027, 03:30 Europe/Berlin (01:30 your time)  in 4 months")
	at(t, f, "when", "end")
	press(f, "{{UserAttribute['x']}}")
	want(t, f, `{"when":{"zone":"Europe/Berlin","begin":"2027-03-28T03:30:00","end":"{{UserAttribute['x']}}"}}`)
}

func TestCalendar(t *testing.T) {
	const is = `{"when":{"begin":"2026-12-01T18:30:00","zone":"Europe/Berlin"}}`
	f := at(t, openSchedule(t, is), "when", "begin")
	press(f, "f4")
	if !f.Modal() || !f.Typing() {
		t.Fatal("the calendar does not have the keyboard")
	}
	shows(t, f, "▸ Begin", "December 2026", " 1◂", "Tue 1 Dec, 18:30 Europe/Berlin (17:30 your time) · in 10 days")
	press(f, "right", "down", "esc")
	want(t, f, is)
	press(f, "f4", "right", "down", "enter")
	if f.Modal() {
		t.Error("the calendar stays open")
	}
	press(f, "f4")
	shows(t, f, " 9◂")
	press(f, "esc")
	want(t, f, `{"when":{"begin":"2026-12-09T18:30:00","zone":"Europe/Berlin"}}`)

	f = at(t, openSchedule(t, `{}`), "when", "begin")
	press(f, "f4", "enter")
	want(t, f, `{"when":{"begin":"2026-11-22T09:00:00"}}`)
	f.Reload(parse(t, `{}`))
	press(f, "f4")
	f.SetSize(40, 20)
	y, x := find(f, "30")
	f.Update(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	f.Update(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	want(t, f, `{"when":{"begin":"2026-11-30T09:00:00"}}`)
}

func find(f *Form, text string) (y, x int) {
	for y, l := range strings.Split(f.View(), "\n") {
		if i := strings.Index(l, text); i >= 0 {
			return y, len([]rune(l[:i]))
		}
	}
	return -1, -1
}

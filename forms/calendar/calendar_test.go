package calendar

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
)

var update = flag.Bool("update", false, "write the golden files")

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

func day(s string) time.Time {
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return d.Add(9 * time.Hour)
}

func TestMonth(t *testing.T) {
	m := Month{Theme: themes.Plain(), Of: day("2026-12-01"), Numbers: true, Today: Date(day("2026-12-03")), Cursor: Date(day("2026-12-15")),
		Marked: func(d time.Time) bool { return d.Weekday() == time.Friday }}
	golden(t, "month", strings.Join(m.Lines(), "\n"))
	for _, of := range []string{"2026-02-01", "2026-08-01", "2027-01-31", "2028-02-29"} {
		m.Of = day(of)
		lines := m.Lines()
		for _, l := range lines {
			if w := ansi.StringWidth(l); w != m.Width() || m.Width() > 24 {
				t.Errorf("%s: a line of %d cells: %q", of, w, l)
			}
		}
		if len(lines) != Height {
			t.Errorf("%s: %d lines", of, len(lines))
		}
	}
}

func TestPickerKeys(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"", "2026-12-15"},
		{"right down left up", "2026-12-15"},
		{"right right down", "2026-12-24"},
		{"pgdown", "2027-01-15"},
		{"end pgdown pgdown", "2027-02-28"},
		{"home left", "2026-11-30"},
		{"t", "2026-12-03"},
	} {
		p := NewPicker(themes.Plain(), day("2026-12-15"), day("2026-12-03"))
		for _, k := range strings.Fields(tt.keys) {
			p.Key(k)
		}
		if got := p.Day().Format(time.DateOnly); got != tt.want {
			t.Errorf("%q gives %s, want %s", tt.keys, got, tt.want)
		}
	}
}

func TestPickerMouse(t *testing.T) {
	p := NewPicker(themes.Plain(), day("2026-12-15"), day("2026-12-03"))
	view := strings.Split(p.View(50, 12), "\n")
	click := func(text string) (accepted bool) {
		for y, l := range view {
			if i := strings.Index(l, text); i >= 0 {
				return p.Mouse(tea.MouseMsg{X: ansi.StringWidth(l[:i]) + 1, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
			}
		}
		t.Fatalf("%q is not shown:\n%s", text, strings.Join(view, "\n"))
		return false
	}
	if click(" 24") || p.Day().Day() != 24 {
		t.Errorf("the click chose %s", p.Day())
	}
	view = strings.Split(p.View(50, 12), "\n")
	if !click("24") {
		t.Error("a second click does not take it")
	}
	p.Mouse(tea.MouseMsg{Button: tea.MouseButtonWheelUp})
	if p.Day().Month() != time.November {
		t.Errorf("the wheel turned to %s", p.Day())
	}
}

func TestPickerView(t *testing.T) {
	p := NewPicker(themes.Plain(), day("2026-12-15"), day("2026-12-03"))
	golden(t, "picker-52x9", p.View(52, 9))
	for w := 1; w < 90; w += 7 {
		for h := 1; h < 12; h++ {
			lines := strings.Split(p.View(w, h), "\n")
			if len(lines) > h {
				t.Fatalf("%d lines in %d", len(lines), h)
			}
			for _, l := range lines {
				if ansi.StringWidth(l) > w {
					t.Fatalf("a line of %d cells in %d: %q", ansi.StringWidth(l), w, l)
				}
			}
		}
	}
}

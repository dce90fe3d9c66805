package calendar

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func TestPickerView(t *testing.T) {
	p := NewPicker(themes.Plain(), day("2026-12-15"), day("2026-12-03"))
	golden(t, "picker-52x9", p.View(52, 9))
}

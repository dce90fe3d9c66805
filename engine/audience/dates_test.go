package audience

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine/schema"
)

// Dates are read as the tables check them: what those take is read, and means the same.
func TestDatesAreReadAsTheTablesDo(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[0-9]{4}-[01][0-9]-[0-3][0-9]([T ][0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?(Z|[+-][01][0-9]:?[0-5][0-9])?)?`).Draw(t, "date")
		from, to, ok := moments(s, berlin)
		day, err := time.Parse(time.DateOnly, s)
		if want, isTime := schema.ParseTime(s, berlin); isTime {
			if !ok || from != want.UnixMicro() || to != from+1 {
				t.Fatalf("%s is %d to %d, %v; want %d", s, from, to, ok, want.UnixMicro())
			}
		} else if len(s) == 10 && ok != (err == nil) {
			t.Fatalf("%s is read: %v; as a day: %v %v", s, ok, day, err)
		} else if len(s) > 10 && s[10] == 'T' && ok {
			t.Fatalf("%s is read, and the tables refuse it", s)
		}
	})
}

func FuzzDates(f *testing.F) {
	for _, s := range []string{"", "2026-11-21", "2026-11-21T12:00:00.5+01:00", "2026-11-21 12", "2026-11-21T12:00:", "2026-11-21T12:00:00."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if from, to, ok := moments(s, time.UTC); ok && to <= from {
			t.Errorf("%q is %d to %d", s, from, to)
		}
	})
}

// A day has the moments that clocks there show its date at, whatever clock change there is.
func TestDaysOfClockChanges(t *testing.T) {
	for _, c := range []struct {
		zone, day string
		begins    string // in UTC
		hours     time.Duration
	}{
		{"Europe/Berlin", "2026-11-21", "2026-11-20T23:00:00Z", 24},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25},
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z", 23}, // from 00:00 to 01:00
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z", 25}, // from 01:00 back to 00:00
		{"Asia/Amman", "2021-10-29", "2021-10-28T21:00:00Z", 25},     // the same, east of UTC
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z", 23},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", 23},
		{"America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", 25},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", 24},
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", 24},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0}, // left out
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", 24},
		{"UTC", "2026-12-31", "2026-12-31T00:00:00Z", 24},
	} {
		from, to, ok := moments(c.day, zone(t, c.zone))
		if got := time.UnixMicro(from).UTC().Format(time.RFC3339); !ok || got != c.begins {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.begins)
		}
		want := c.hours * time.Hour
		if c.zone == "Australia/Lord_Howe" {
			want += 30 * time.Minute
		}
		if got := time.Duration(to-from) * time.Microsecond; got != want {
			t.Errorf("%s in %s is %s long, want %s", c.day, c.zone, got, want)
		}
	}
}

// Days follow each other without a gap, and each moment is in the one that clocks show.
func TestDaysTileTime(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/Havana", "Asia/Beirut", "Africa/Cairo", "America/Santiago", "Pacific/Apia", "Australia/Lord_Howe"} {
		loc := zone(t, name)
		for hour := time.Date(2009, 12, 31, 0, 0, 0, 0, time.UTC); hour.Year() < 2013; hour = hour.Add(30 * time.Minute) {
			year, month, day := hour.In(loc).Date()
			from, to := dayOf(year, month, day, loc)
			if at := hour.UnixMicro(); at < from || at >= to {
				t.Fatalf("%s: %s is not in %s", name, hour.Format(time.RFC3339), fmt.Sprintf("%d-%02d-%02d", year, month, day))
			}
		}
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

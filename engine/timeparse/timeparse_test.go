package timeparse_test

import (
	"strings"
	"testing"
	"time"

	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// A Saturday, 12:03:20 in Berlin.
var now = time.Date(2026, 11, 21, 11, 3, 20, 0, time.UTC)

func TestRead(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for _, tt := range []struct{ text, wire string }{
		{"tomorrow 9am", "2026-11-22T09:00:00"},
		{"Tomorrow at 9 AM", "2026-11-22T09:00:00"},
		{"9am tomorrow", "2026-11-22T09:00:00"},
		{"tomorrow, 9:30 p.m.", "2026-11-22T21:30:00"},
		{"tomorrow 12am", "2026-11-22T00:00:00"},
		{"tomorrow noon", "2026-11-22T12:00:00"},
		{"tomorrow", "2026-11-22T09:00:00"},
		{"today 18:00", "2026-11-21T18:00:00"},
		{"day after tomorrow 8h30", "2026-11-23T08:30:00"},
		{"18:00", "2026-11-21T18:00:00"},
		{"9:00", "2026-11-22T09:00:00"}, // past today
		{"in 3 days", "2026-11-24T12:03:00"},
		{"in 3 days at 10:00", "2026-11-24T10:00:00"},
		{"three days from now", "2026-11-24T12:03:00"},
		{"in two weeks 10:00", "2026-12-05T10:00:00"},
		{"in 3 months", "2027-02-21T12:03:00"},
		{"+1mo", "2026-12-21T12:03:00"},
		{"+3d", "2026-11-24T12:03:00"},
		{"+2h", "2026-11-21T14:04:00"},
		{"in an hour", "2026-11-21T13:04:00"},
		{"in 1h30m", "2026-11-21T13:34:00"},
		{"in 1 hour and 30 minutes", "2026-11-21T13:34:00"},
		{"+90m", "2026-11-21T13:34:00"},
		{"now", "2026-11-21T12:04:00"},
		{"friday", "2026-11-27T09:00:00"},
		{"saturday 18:00", "2026-11-28T18:00:00"}, // today is one
		{"this sunday 10:00", "2026-11-22T10:00:00"},
		{"next monday 10:00", "2026-11-23T10:00:00"},
		{"next sunday 10:00", "2026-11-29T10:00:00"},
		{"25 dec 18:00", "2026-12-25T18:00:00"},
		{"Dec 25th, 6pm", "2026-12-25T18:00:00"},
		{"1st of march", "2027-03-01T09:00:00"},
		{"21 nov 18:00", "2026-11-21T18:00:00"},
		{"25 december 2027 18:00:30", "2027-12-25T18:00:30"},
		{"29 feb", "2028-02-29T09:00:00"},
		{"2026-12-01 9:00", "2026-12-01T09:00:00"},
		{"2026-12-01", "2026-12-01T09:00:00"},
		{"1.12.2026 9:00", "2026-12-01T09:00:00"},
		{"24.12. 9:00", "2026-12-24T09:00:00"},
		{"12/25/2026 9:00", "2026-12-25T09:00:00"},
		{"25/12 9:00", "2026-12-25T09:00:00"},
		{"end of month", "2026-11-30T23:59:00"},
		{"end of month 18:00", "2026-11-30T18:00:00"},
		{"end of next month", "2026-12-31T23:59:00"},
		{"end of the year", "2026-12-31T23:59:00"},
		{"end of day", "2026-11-21T23:59:00"},
		{"end of week", "2026-11-22T23:59:00"},
		{"start of next week 8am", "2026-11-23T08:00:00"},
		{"tomorrow 9am utc", "2026-11-22T09:00:00Z"},
		{"2026-12-01 9:00 +05:30", "2026-12-01T09:00:00+05:30"},
		{"2026-12-01 9:00-0800", "2026-12-01T09:00:00-08:00"},
		{"2026-12-01 9:00 america/new_york", "2026-12-01T09:00:00-05:00"},
		{"2026-12-01t09:00:00z", "2026-12-01T09:00:00Z"},
		{"2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z"},
		{"2026-12-01T09:00", "2026-12-01T09:00"},
		{"2026-12-01T09:00:00.500+0100", "2026-12-01T09:00:00.500+0100"},
	} {
		r, err := timeparse.Parse(tt.text, timeparse.Context{Now: now, Zone: berlin})
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if r.Wire != tt.wire {
			t.Errorf("%q is written %s, want %s (%s)", tt.text, r.Wire, tt.wire, r.Text)
		}
		if r.Exact != (tt.text == tt.wire) {
			t.Errorf("%q: exact %v", tt.text, r.Exact)
		}
		if got, ok := schema.ParseTime(r.Wire, berlin); !ok || !got.Equal(r.Instant) {
			t.Errorf("%q: %s reads as %s, not %s", tt.text, r.Wire, got, r.Instant)
		}
	}
}

// What may mean two things, or nothing, is refused with a way out.
func TestRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                        "enter a date and time",
		"soon":                    "I can't read",
		"tomorow 9am":             "Did you mean tomorrow",
		"31 feb 10:00":            "no 31 February",
		"31.11.2026":              "no 31 November 2026",
		"2026-13-01":              "no month 13",
		"29 feb 2027":             "no 29 February 2027",
		"01/02/2027":              "could be 1 feb or 2 jan",
		"12":                      "could be a time or a day",
		"tomorrow 9":              "could be a time or a day",
		"25:00":                   "is not a time of day",
		"13pm":                    "is not a time of day",
		"midnight":                "start or the end",
		"friday midnight":         "start or the end",
		"tomorrow morning":        "not an exact time",
		"monday tuesday":          "more than one date",
		"9am 10am":                "more than one time",
		"in 2 hours 9am":          "more than one time",
		"tomorrow +2h":            "hours count from now",
		"in 3 fortnights":         "how long",
		"3 days":                  "in 3 days",
		"in 2 days 3 hours":       "days and hours can't be combined",
		"next week":               "next what",
		"this friday":             "is over",
		"start of month":          "is over",
		"dec":                     "which day of December",
		"in 99999999999 days":     "how long",
		"in 40000 days":           "hundred years",
		"tomorrow 9am mars/north": "is not a time zone",
		"9:00 +25:00":             "is not an offset",
		"0001-01-01 9:00":         "out of range",
		"tomorrow\n9am":           "I can't read that date",
		strings.Repeat("9", 500):  "I can't read that date",
		"utc":                     "there is no date",
	} {
		r, err := timeparse.Parse(text, timeparse.Context{Now: now, Zone: time.UTC})
		if err == nil {
			t.Errorf("%q was taken as %s", text, r.Text)
		} else if !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %q", text, err, says)
		}
	}
}

func TestResultText(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	monday := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text  string
		ctx   timeparse.Context
		words string
		notes string
	}{
		{"1 dec 9am", timeparse.Context{Now: now, Zone: berlin}, "Tue 1 Dec 2026, 09:00 Europe/Berlin", ""},
		{"1 dec 9am utc", timeparse.Context{Now: now, Zone: berlin}, "Tue 1 Dec 2026, 10:00 Europe/Berlin", ""},
		{"1 dec 9am", timeparse.Context{Now: now}, "Tue 1 Dec 2026, 09:00, in the campaign's time zone", ""},
		{"1 dec 9am utc", timeparse.Context{Now: now}, "Tue 1 Dec 2026, 09:00 UTC", ""},
		{"1 dec", timeparse.Context{Now: now, Zone: berlin}, "Tue 1 Dec 2026, 09:00 Europe/Berlin", "no time given; using 09:00"},
		{"1 dec", timeparse.Context{Now: now, Zone: berlin, Clock: &timeparse.Clock{Hour: 18, Minute: 30}}, "Tue 1 Dec 2026, 18:30 Europe/Berlin", "no time given; using 18:30"},
		{"next friday 9am", timeparse.Context{Now: monday, Zone: berlin}, "Fri 27 Nov 2026, 09:00 Europe/Berlin", "that is next week; friday alone means Fri 20 Nov 2026"},
		{"29 mar 2027 2:30", timeparse.Context{Now: now, Zone: berlin}, "Mon 29 Mar 2027, 02:30 Europe/Berlin", ""},
		{"28 mar 2027 2:30", timeparse.Context{Now: now, Zone: berlin}, "Sun 28 Mar 2027, 03:30 Europe/Berlin", "02:30 does not exist on that day, when clocks go forward; using 03:30 instead"},
		{"31 oct 2027 2:30", timeparse.Context{Now: now, Zone: berlin}, "Sun 31 Oct 2027, 02:30 Europe/Berlin", "02:30 happens twice that day, when clocks go back; this is the one at UTC+02:00"},
		{"2027-10-31T02:30:00+01:00", timeparse.Context{Now: now, Zone: berlin}, "Sun 31 Oct 2027, 02:30 Europe/Berlin", ""},
	} {
		r, err := timeparse.Parse(tt.text, tt.ctx)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if r.Text != tt.words || strings.Join(r.Notes, "|") != tt.notes {
			t.Errorf("%q: %s (%s)\nwant %s (%s)", tt.text, r.Text, strings.Join(r.Notes, "|"), tt.words, tt.notes)
		}
	}
}

// Before a zone is chosen, a time of the clock goes with the one that will be; a span does not.
func TestWithoutAZone(t *testing.T) {
	for text, want := range map[string]string{"tomorrow 9am": "2026-11-22T09:00:00", "+2h": "2026-11-21T13:04:00Z", "in 3 days": "2026-11-24T11:03:00Z"} {
		r, err := timeparse.Parse(text, timeparse.Context{Now: now})
		if err != nil || r.Wire != want || r.Floating == strings.HasSuffix(want, "Z") {
			t.Errorf("%q: %s floating %v, %v", text, r.Wire, r.Floating, err)
		}
	}
}

// Hours are time that passes, days are days of the calendar, also over a change of the clocks.
func TestSpansAcrossClockChanges(t *testing.T) {
	newYork := zone(t, "America/New_York")
	eve := time.Date(2026, 10, 31, 12, 0, 0, 0, newYork)
	for text, want := range map[string]string{"+24h": "2026-11-01T11:00:00", "+1d": "2026-11-01T12:00:00", "tomorrow 1:30": "2026-11-01T01:30:00-04:00"} {
		if r, err := timeparse.Parse(text, timeparse.Context{Now: eve, Zone: newYork}); err != nil || r.Wire != want {
			t.Errorf("%q: %s %v, want %s", text, r.Wire, err, want)
		}
	}
}

func TestAt(t *testing.T) {
	for _, tt := range []struct {
		wall, zone, want string
		shift            timeparse.Shift
	}{
		{"2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T03:30:00+02:00", timeparse.Never},
		{"2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T02:30:00+02:00", timeparse.Twice},
		{"2026-10-25T03:00:00", "Europe/Berlin", "2026-10-25T03:00:00+01:00", timeparse.Once},
		{"2026-03-08T02:30:00", "America/New_York", "2026-03-08T03:30:00-04:00", timeparse.Never},
		{"2026-11-01T01:30:00", "America/New_York", "2026-11-01T01:30:00-04:00", timeparse.Twice},
		{"2011-12-30T12:00:00", "Pacific/Apia", "2011-12-31T12:00:00+14:00", timeparse.Never}, // a day that was left out
		{"2026-10-04T02:15:00", "Australia/Lord_Howe", "2026-10-04T02:45:00+11:00", timeparse.Never},
		{"2026-12-01T09:00:00", "UTC", "2026-12-01T09:00:00Z", timeparse.Once},
	} {
		wall, _ := schema.ParseTime(tt.wall, time.UTC)
		got, shift := timeparse.At(wall, zone(t, tt.zone))
		if s := got.Format(time.RFC3339); s != tt.want || shift != tt.shift {
			t.Errorf("%s in %s: %s %d, want %s %d", tt.wall, tt.zone, s, shift, tt.want, tt.shift)
		}
	}
}

func TestUntil(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	at := now.In(berlin)
	for _, tt := range []struct {
		after time.Duration
		want  string
	}{
		{20 * time.Second, "in less than a minute"}, {25 * time.Minute, "in 25 minutes"}, {-5 * time.Minute, "5 minutes ago"},
		{2 * time.Hour, "in 2 hours"}, {13 * time.Hour, "tomorrow"}, {-26 * time.Hour, "yesterday"}, {3 * 24 * time.Hour, "in 3 days"},
		{-3 * 24 * time.Hour, "3 days ago"}, {70 * 24 * time.Hour, "in 2 months"}, {800 * 24 * time.Hour, "in 2 years"}, {-70 * 24 * time.Hour, "2 months ago"},
	} {
		if got := timeparse.Until(at.Add(tt.after), at); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.after, got, tt.want)
		}
	}
}

func TestAgo(t *testing.T) {
	at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	for before, want := range map[time.Duration]string{-time.Second: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 26 * time.Hour: "yesterday"} {
		if got := timeparse.Ago(at.Add(-before), at); got != want {
			t.Errorf("%s: %q, want %q", before, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		after time.Duration
		want  string
	}{
		{0, "now"}, {-59 * time.Second, "now"}, {10 * time.Second, "now"}, {-12 * time.Minute, "12m"}, {-3 * time.Hour, "3h"}, {-26 * time.Hour, "1d"},
		{-9 * 24 * time.Hour, "5 Mar"}, {-400 * 24 * time.Hour, "7 Feb 25"}, {40 * time.Second, "in 1m"}, {2 * time.Hour, "in 2h"}, {48 * time.Hour, "in 2d"},
		{240 * time.Hour, "24 Mar"}, {365 * 24 * time.Hour, "14 Mar 27"},
	} {
		if got := timeparse.Brief(at.Add(tt.after), at); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.after, got, tt.want)
		}
	}
	if got := timeparse.Brief(time.Time{}, at); got != "" {
		t.Errorf("no time: %q", got)
	}
	if got := timeparse.Brief(at.Add(-8*24*time.Hour).Add(13*time.Hour), at.In(zone(t, "Europe/Berlin"))); got != "7 Mar" {
		t.Errorf("in Berlin it was %q", got)
	}
}

func TestChange(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for day, want := range map[string]string{"2026-03-29": "clocks go forward 1 hour", "2026-10-25": "clocks go back 1 hour", "2026-10-26": ""} {
		d, _ := time.ParseInLocation(time.DateOnly, day, berlin)
		if got := timeparse.ClockChange(d.Add(9 * time.Hour)); got != want {
			t.Errorf("%s: %q", day, got)
		}
	}
}

// Whatever is typed: no panic, a sentence or a time, and the spelling reads as the same moment.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"tomorrow 9am", "in 3 days", "+2h", "25 dec 18:00", "1.12.2026", "01/02/2027", "2026-12-01T09:00:00Z", "end of next month", "28 mar 2027 2:30", "31 oct 2027 2:30 +01:00", "9:00 europe/paris"} {
		f.Add(s, "Europe/Berlin", int64(0))
		f.Add(s, "Pacific/Apia", int64(86400*200))
	}
	f.Fuzz(func(t *testing.T, text, name string, shift int64) {
		loc := time.UTC
		if schema.Zone.Matches(name) {
			if l, err := time.LoadLocation(name); err == nil {
				loc = l
			}
		}
		c := timeparse.Context{Now: now.Add(time.Duration(shift%(86400*3650)) * time.Second), Zone: loc}
		r, err := timeparse.Parse(text, c)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\t\x1b") {
				t.Fatalf("%q: %q", text, err)
			}
			return
		}
		got, ok := schema.ParseTime(r.Wire, loc)
		if !ok || !got.Equal(r.Instant) {
			t.Fatalf("%q in %s is written %q, which reads as %s, not %s", text, loc, r.Wire, got, r.Instant)
		}
		again, err := timeparse.Parse(r.Wire, c)
		if err != nil || !again.Instant.Equal(r.Instant) || !again.Exact || again.Wire != r.Wire {
			t.Fatalf("%q: %q does not come back: %v %v", text, r.Wire, again, err)
		}
	})
}

func TestZones(t *testing.T) {
	zones := timeparse.Zones()
	if len(zones) < 400 {
		t.Errorf("only %d zones", len(zones))
	}
	for _, name := range zones {
		if !schema.Zone.Matches(name) {
			t.Errorf("%s is no zone", name)
		}
	}
}

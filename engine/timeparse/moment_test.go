package timeparse_test

import (
	"testing"
	"time"

	"bugle/engine/timeparse"
)

func TestMoment(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for want, at := range map[string]time.Time{
		"Thu 26 Nov, 08:30":      time.Date(2026, 11, 26, 7, 30, 0, 0, time.UTC).In(berlin),
		"Fri 1 Jan 2027, 00:30":  time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC).In(berlin),
		"Wed 31 Dec 2025, 18:05": time.Date(2025, 12, 31, 18, 5, 59, 0, time.UTC),
	} {
		if got := timeparse.Moment(at, now); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestZoned(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 30, 0, 0, time.UTC) }
	for _, c := range []struct {
		at, now time.Time
		want    string
	}{
		{at(26, 7), at(22, 12), "Thu 26 Nov, 08:30 Europe/Berlin (07:30 your time)"},
		{at(26, 7), at(22, 12).In(berlin), "Thu 26 Nov, 08:30 Europe/Berlin"},
		{at(26, 23), at(22, 12), "Fri 27 Nov, 00:30 Europe/Berlin (Thu 26 Nov, 23:30 your time)"},
	} {
		if got := timeparse.Zoned(c.at, berlin, c.now); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

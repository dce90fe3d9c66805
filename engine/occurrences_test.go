package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// Which days a schedule names, and what the clocks of its zone do to them.
func TestWhichTimesASchedule(t *testing.T) {
	for _, tt := range []struct {
		name, start, zone, repeats, want string
	}{
		{"the 31st: months without one are left out", "2026-12-31T09:00:00", "Europe/Berlin", `"sending_frequency":"MONTHLY","no_of_occurences":4,"repeat_on_date_of_month":[31]`,
			"Thu 2026-12-31 09:00 CET, Sun 2027-01-31 09:00 CET, Wed 2027-03-31 09:00 CEST, Mon 2027-05-31 09:00 CEST"},
		{"a start on the 31st and no day named", "2026-12-31T09:00:00", "UTC", `"sending_frequency":"MONTHLY","no_of_occurences":3`,
			"Thu 2026-12-31 09:00 UTC, Sun 2027-01-31 09:00 UTC, Wed 2027-03-31 09:00 UTC"},
		{"a leap day", "2027-02-01T09:00:00", "UTC", `"sending_frequency":"MONTHLY","repeat_frequency":12,"no_of_occurences":2,"repeat_on_date_of_month":[29]`,
			"Tue 2028-02-29 09:00 UTC, Sun 2032-02-29 09:00 UTC"},
		{"last Friday", "2026-12-01T09:00:00", "UTC", `"sending_frequency":"MONTHLY","no_of_occurences":3,"repeat_on_days_of_week_for_month":[{"week_granularity":"LAST","repeat_on_days_of_week":["FRIDAY"]}]`,
			"Fri 2026-12-25 09:00 UTC, Fri 2027-01-29 09:00 UTC, Fri 2027-02-26 09:00 UTC"},
		{"first and third Monday, every other month", "2026-12-01T09:00:00", "UTC", `"sending_frequency":"MONTHLY","repeat_frequency":2,"no_of_occurences":4,"repeat_on_days_of_week_for_month":[{"week_granularity":"FIRST","repeat_on_days_of_week":["MONDAY"]},{"week_granularity":"THIRD","repeat_on_days_of_week":["MONDAY"]}]`,
			"Mon 2026-12-07 09:00 UTC, Mon 2026-12-21 09:00 UTC, Mon 2027-02-01 09:00 UTC, Mon 2027-02-15 09:00 UTC"},
		{"the same day named twice is sent once", "2026-12-01T09:00:00", "UTC", `"sending_frequency":"MONTHLY","no_of_occurences":3,"repeat_on_date_of_month":[7],"repeat_on_days_of_week_for_month":[{"week_granularity":"FIRST","repeat_on_days_of_week":["MONDAY"]}]`,
			"Mon 2026-12-07 09:00 UTC, Mon 2027-01-04 09:00 UTC, Thu 2027-01-07 09:00 UTC"},
		{"every weekday of a month", "2026-12-01T09:00:00", "UTC", `"sending_frequency":"MONTHLY","no_of_occurences":3,"repeat_on_days_of_week":["SATURDAY"]`,
			"Sat 2026-12-05 09:00 UTC, Sat 2026-12-12 09:00 UTC, Sat 2026-12-19 09:00 UTC"},
		{"every other week on two days, from the middle of one", "2026-12-03T09:00:00", "UTC", `"sending_frequency":"WEEKLY","repeat_frequency":2,"no_of_occurences":4,"repeat_on_days_of_week":["MONDAY","THURSDAY"]`,
			"Thu 2026-12-03 09:00 UTC, Mon 2026-12-14 09:00 UTC, Thu 2026-12-17 09:00 UTC, Mon 2026-12-28 09:00 UTC"},
		{"the weekday of the zone, not of UTC", "2026-12-01T01:00:00", "Asia/Tokyo", `"sending_frequency":"WEEKLY","no_of_occurences":2,"repeat_on_days_of_week":["TUESDAY"]`,
			"Tue 2026-12-01 01:00 JST, Tue 2026-12-08 01:00 JST"},
		{"clocks go forward: nine stays nine", "2026-03-28T09:00:00", "Europe/Berlin", `"sending_frequency":"DAILY","no_of_occurences":2`,
			"Sat 2026-03-28 09:00 CET, Sun 2026-03-29 09:00 CEST"},
		{"a time that is skipped, east of Greenwich", "2026-03-28T02:30:00", "Europe/Berlin", `"sending_frequency":"DAILY","no_of_occurences":3`,
			"Sat 2026-03-28 02:30 CET, Sun 2026-03-29 03:30 CEST, Mon 2026-03-30 02:30 CEST"},
		{"a time that is skipped, west of it", "2026-03-07T02:30:00", "America/New_York", `"sending_frequency":"DAILY","no_of_occurences":3`,
			"Sat 2026-03-07 02:30 EST, Sun 2026-03-08 03:30 EDT, Mon 2026-03-09 02:30 EDT"},
		{"a start at a time that is skipped", "2026-03-08T02:30:00", "America/New_York", `"sending_frequency":"DAILY","no_of_occurences":2`,
			"Sun 2026-03-08 03:30 EDT, Mon 2026-03-09 02:30 EDT"},
		{"a time that comes twice is the first", "2026-10-24T02:30:00", "Europe/Berlin", `"sending_frequency":"DAILY","no_of_occurences":3`,
			"Sat 2026-10-24 02:30 CEST, Sun 2026-10-25 02:30 CEST, Mon 2026-10-26 02:30 CET"},
		{"an offset says the moment, the zone the days", "2026-12-01T23:30:00Z", "Europe/Berlin", `"sending_frequency":"WEEKLY","no_of_occurences":2,"repeat_on_days_of_week":["WEDNESDAY"]`,
			"Wed 2026-12-02 00:30 CET, Wed 2026-12-09 00:30 CET"},
	} {
		v := parse(t, fmt.Sprintf(`{"campaign_delivery_type":"PERIODIC","scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":%q,"timezone":%q,"periodic_details":{%s}}}`, tt.start, tt.zone, tt.repeats))
		var got []string
		for _, s := range engine.NextSends(v, time.Time{}, 4) {
			got = append(got, s.Format("Mon 2006-01-02 15:04 MST"))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, s, tt.want)
		}
	}
}

// "Times in all" counts from the start, whenever one asks.
func TestTimesInAll(t *testing.T) {
	v := parse(t, `{"campaign_delivery_type":"PERIODIC","scheduling_details":{"start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"DAILY","no_of_occurences":5}}}`)
	for after, want := range map[string]int{"2026-01-01T00:00:00Z": 5, "2026-12-03T08:00:00Z": 3, "2026-12-03T08:00:01Z": 2, "2026-12-05T09:00:00Z": 0} {
		if got := len(engine.NextSends(v, at(t, after), 10)); got != want {
			t.Errorf("after %s: %d sends, want %d", after, got, want)
		}
	}
	if got := engine.NextSends(v, time.Time{}, 2); len(got) != 2 {
		t.Errorf("asked for two, got %d", len(got))
	}
}

func TestSendsThatDoNotRepeat(t *testing.T) {
	for _, tt := range []struct{ kind, scheduling, want string }{
		{"ONE_TIME", `{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin"}`, "[2026-12-01 09:00:00 +0100 CET]"},
		{"ONE_TIME", `{"delivery_type":"SEND_IN_USER_TIMEZONE","start_time":"2026-12-01T09:00:00Z"}`, "[2026-12-01 09:00:00 +0000 UTC]"},
		{"ONE_TIME", `{"delivery_type":"AT_FIXED_TIME","start_time":"2026-01-01T09:00:00Z"}`, "[]"}, // past
		{"ONE_TIME", `{"delivery_type":"ASAP","start_time":"2026-12-01T09:00:00Z"}`, "[]"},
		{"ONE_TIME", `{"delivery_type":"AT_FIXED_TIME","start_time":"soon"}`, "[]"},
		{"EVENT_TRIGGERED", `{"start_time":"2026-12-01T09:00:00Z"}`, "[]"},
		{"PERIODIC", `{"start_time":"2026-12-01T09:00:00Z","periodic_details":{"sending_frequency":"HOURLY"}}`, "[]"},
		{"PERIODIC", `{"start_time":7,"periodic_details":[]}`, "[]"},
	} {
		v := parse(t, `{"campaign_delivery_type":"`+tt.kind+`","scheduling_details":`+tt.scheduling+`}`)
		if got := fmt.Sprint(engine.NextSends(v, at(t, "2026-11-21T12:00:00Z"), 3)); got != tt.want {
			t.Errorf("%s %s: %s", tt.kind, tt.scheduling, got)
		}
	}
}

func TestNoSendsReason(t *testing.T) {
	now := at(t, "2026-11-21T12:00:00Z")
	for _, tt := range []struct{ kind, scheduling, want string }{
		{"EVENT_TRIGGERED", `{}`, "trigger"},
		{"ONE_TIME", `{"delivery_type":"ASAP"}`, "as soon as you publish"},
		{"ONE_TIME", `{"delivery_type":"AT_FIXED_TIME"}`, "No start time"},
		{"ONE_TIME", `{"start_time":"soon"}`, "can't be read"},
		{"ONE_TIME", `{"start_time":"2026-01-01T09:00:00Z"}`, "in the past"},
		{"PERIODIC", `{"start_time":"2026-12-01T09:00:00Z","periodic_details":{}}`, "how often"},
		{"PERIODIC", `{"start_time":"2026-12-01T09:00:00Z","expiry_time":"2026-12-02T00:00:00Z","periodic_details":{"sending_frequency":"MONTHLY","repeat_on_date_of_month":[31]}}`, "No date fits"},
	} {
		v := parse(t, `{"campaign_delivery_type":"`+tt.kind+`","scheduling_details":`+tt.scheduling+`}`)
		if got := engine.NoSendsReason(v, now); !strings.Contains(got, tt.want) || len(engine.NextSends(v, now, 1)) > 0 {
			t.Errorf("%s %s: %q", tt.kind, tt.scheduling, got)
		}
	}
}

func TestZone(t *testing.T) {
	for zone, want := range map[string]string{`"Europe/Berlin"`: "Europe/Berlin true", `"UTC"`: "UTC true", `"Mars/North"`: "UTC false", `""`: "UTC false", `5`: "UTC false"} {
		loc, ok := engine.TimeZone(parse(t, `{"scheduling_details":{"timezone":`+zone+`}}`))
		if got := fmt.Sprint(loc, " ", ok); got != want {
			t.Errorf("%s: %s", zone, got)
		}
	}
}

// The schedule of a record that a service returned is read as well.
func TestNextSendsOfARecord(t *testing.T) {
	for _, spelled := range []string{"2030-12-01T08:00:00Z", "2030-12-01T08:00:00", "2030-12-01 08:00:00.000000"} {
		for kind, more := range map[string]string{"ONE_TIME": "", "PERIODIC": `,"periodic_details":{"sending_frequency":"DAILY","no_of_occurences":1}`} {
			v := parse(t, `{"channel":"PUSH","campaign_delivery_type":"`+kind+`","scheduling_details":{"delivery_type":"SCHEDULED","schedule_time":"`+spelled+`","time_zone":"Europe/Berlin"`+more+`}}`)
			next := engine.NextSends(v, at(t, "2030-11-01T00:00:00Z"), 1)
			if len(next) != 1 || next[0].Format("Jan 2 15:04 MST") != "Dec 1 09:00 CET" {
				t.Errorf("%s, %s: %v", kind, spelled, next)
			}
			if loc, ok := engine.TimeZone(v); !ok || loc.String() != "Europe/Berlin" {
				t.Errorf("%s: the zone is %v, %t", spelled, loc, ok)
			}
			if why := engine.NoSendsReason(v, at(t, "2031-11-01T00:00:00Z")); why != "All of its sends are in the past." {
				t.Errorf("%s: %s", spelled, why)
			}
		}
	}
}

func TestFollowStart(t *testing.T) {
	schedule := func(start, frequency, days string) doc.Value {
		return parse(t, fmt.Sprintf(`{"campaign_delivery_type":"PERIODIC","scheduling_details":{"start_time":%q,"timezone":"Asia/Tokyo",`+
			`"periodic_details":{"sending_frequency":%q,"repeat_on_days_of_week":%s}}}`, start, frequency, days))
	}
	const saturday, sunday, utc = "2026-11-28T09:00:00", "2026-11-29T09:00:00", "2026-11-28T20:00:00Z" // a Sunday in Tokyo
	for _, tt := range []struct {
		name          string
		before, after doc.Value
		want          string
	}{
		{"a first start on a Monday", schedule("", "WEEKLY", `[]`), schedule("2026-11-30T09:00:00", "WEEKLY", `[]`), `["MONDAY"]`},
		{"a first start", schedule("", "WEEKLY", `[]`), schedule(saturday, "WEEKLY", `[]`), `["SATURDAY"]`},
		{"in its zone", schedule("", "WEEKLY", `[]`), schedule(utc, "WEEKLY", `[]`), `["SUNDAY"]`},
		{"another start", schedule(saturday, "WEEKLY", `["SATURDAY"]`), schedule(sunday, "WEEKLY", `["SATURDAY"]`), `["SUNDAY"]`},
		{"weekly now", schedule(saturday, "DAILY", `[]`), schedule(saturday, "WEEKLY", `[]`), `["SATURDAY"]`},
		{"days of one's own", schedule(saturday, "WEEKLY", `["MONDAY"]`), schedule(sunday, "WEEKLY", `["MONDAY"]`), `["MONDAY"]`},
		{"several days", schedule(saturday, "WEEKLY", `["SATURDAY","MONDAY"]`), schedule(sunday, "WEEKLY", `["SATURDAY","MONDAY"]`), `["SATURDAY","MONDAY"]`},
		{"days that were taken away", schedule(saturday, "WEEKLY", `["SATURDAY"]`), schedule(saturday, "WEEKLY", `[]`), `[]`},
		{"daily", schedule("", "DAILY", `[]`), schedule(saturday, "DAILY", `[]`), `[]`},
		{"no start", schedule(saturday, "WEEKLY", `["SATURDAY"]`), schedule("", "WEEKLY", `["SATURDAY"]`), `["SATURDAY"]`},
	} {
		got := engine.FollowStart(tt.before, tt.after).Get("scheduling_details").Get("periodic_details").Get("repeat_on_days_of_week")
		if string(got.Encode()) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.Encode(), tt.want)
		}
	}
}

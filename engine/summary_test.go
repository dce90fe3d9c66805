package engine_test

import (
	"fmt"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	if s == "" {
		return time.Time{}
	}
	out, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSummarize(t *testing.T) {
	c := engine.Campaign{Head: engine.Head{ID: "1", DeliveryType: catalog.OneTime}, Body: parse(t, `{
		"basic_details":{"name":"N","team":"T","tags":["a",5,"b"],"platforms":["IOS"]},"segmentation_details":{"is_all_user_campaign":true}}`)}
	s := engine.Summarize(c)
	if s.ID != "1" || s.Name != "N" || s.Team != "T" || fmt.Sprint(s.Tags, s.Platforms) != "[a b] [IOS]" || !s.AllUsers || !s.Start.IsZero() {
		t.Errorf("%+v", s)
	}
	for _, odd := range []string{`{}`, `{"basic_details":[],"scheduling_details":"x"}`, `{"scheduling_details":{"start_time":5,"timezone":"../x"}}`} {
		engine.Summarize(engine.Campaign{Head: engine.Head{DeliveryType: catalog.Periodic}, Body: parse(t, odd)})
	}
}

func TestSchedules(t *testing.T) {
	periodic := func(start, details string) string {
		return `{"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"` + start + `","timezone":"Europe/Berlin","periodic_details":{` + details + `}}}`
	}
	for _, tt := range []struct {
		name       string
		dt         engine.DeliveryType
		body       string
		start, end string
	}{
		{"ASAP", catalog.OneTime, `{"scheduling_details":{"delivery_type":"ASAP"}}`, "", ""},
		{"in its zone", catalog.OneTime, `{"scheduling_details":{"start_time":"2026-07-01T09:00:00","timezone":"Europe/Berlin"}}`, "2026-07-01T07:00:00Z", "2026-07-01T07:05:00Z"},
		{"as a service spells it", catalog.OneTime, `{"scheduling_details":{"start_time":"2026-07-01 09:00:00.000000","time_zone":"Europe/Berlin"}}`, "2026-07-01T09:00:00Z", "2026-07-01T09:05:00Z"},
		{"with an offset", catalog.OneTime, `{"scheduling_details":{"start_time":"2026-07-01T09:00:00-03:00","timezone":"Europe/Berlin"}}`, "2026-07-01T12:00:00Z", "2026-07-01T12:05:00Z"},
		{"each user's zone", catalog.OneTime, `{"scheduling_details":{"delivery_type":"SEND_IN_USER_TIMEZONE","start_time":"2026-07-01T09:00:00Z"}}`, "2026-07-01T09:00:00Z", "2026-07-02T09:00:00Z"},
		{"expiry", catalog.EventTriggered, `{"scheduling_details":{"start_time":"2026-07-01T09:00:00Z","expiry_time":"2026-08-01T00:00:00Z"}}`, "2026-07-01T09:00:00Z", "2026-08-01T00:00:00Z"},
		{"daily over the change of the clocks", catalog.Periodic, periodic("2026-10-24T09:00:00", `"sending_frequency":"DAILY","repeat_frequency":1,"no_of_occurences":3`), "2026-10-24T07:00:00Z", "2026-10-26T08:00:00Z"},
		{"weekly", catalog.Periodic, periodic("2026-12-01T09:00:00", `"sending_frequency":"WEEKLY","repeat_frequency":2,"no_of_occurences":3,"repeat_on_days_of_week":["TUESDAY","THURSDAY"]`), "2026-12-01T08:00:00Z", "2026-12-15T08:00:00Z"},
		{"monthly by date", catalog.Periodic, periodic("2026-12-01T09:00:00", `"sending_frequency":"MONTHLY","no_of_occurences":2,"repeat_on_date_of_month":[31]`), "2026-12-01T08:00:00Z", "2027-01-31T08:00:00Z"},
		{"monthly by week", catalog.Periodic, periodic("2026-12-01T09:00:00", `"sending_frequency":"MONTHLY","no_of_occurences":2,"repeat_on_days_of_week_for_month":[{"week_granularity":"LAST","repeat_on_days_of_week":["FRIDAY"]}]`), "2026-12-01T08:00:00Z", "2027-01-29T08:00:00Z"},
		{"monthly, days add up", catalog.Periodic, periodic("2026-12-01T09:00:00", `"sending_frequency":"MONTHLY","no_of_occurences":3,"repeat_on_date_of_month":[2,7],"repeat_on_days_of_week_for_month":[{"week_granularity":"FIRST","repeat_on_days_of_week":["MONDAY"]}]`), "2026-12-01T08:00:00Z", "2027-01-02T08:00:00Z"},
		{"expiry before the last", catalog.Periodic, `{"scheduling_details":{"start_time":"2026-12-01T09:00:00Z","expiry_time":"2026-12-02T00:00:00Z","periodic_details":{"sending_frequency":"DAILY","no_of_occurences":9}}}`, "2026-12-01T09:00:00Z", "2026-12-02T00:00:00Z"},
		{"without an end", catalog.Periodic, periodic("2026-12-01T09:00:00", `"sending_frequency":"DAILY"`), "2026-12-01T08:00:00Z", ""},
		{"no end that is near", catalog.Periodic, periodic("2026-12-01T09:00:00", `"sending_frequency":"DAILY","no_of_occurences":999999999999`), "2026-12-01T08:00:00Z", ""},
	} {
		s := engine.Summarize(engine.Campaign{Head: engine.Head{DeliveryType: tt.dt}, Body: parse(t, tt.body)})
		if !s.Start.Equal(at(t, tt.start)) || !s.End.Equal(at(t, tt.end)) {
			t.Errorf("%s: from %s to %s, want %s to %s", tt.name, s.Start, s.End, tt.start, tt.end)
		}
	}
}

func TestOccurrences(t *testing.T) {
	v := parse(t, `{"start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin","expiry_time":"2026-12-20T00:00:00Z","periodic_details":{"sending_frequency":"WEEKLY","repeat_frequency":1,"no_of_occurences":50}}`)
	var got string
	for _, o := range engine.Occurrences(v, at(t, "2026-12-02T00:00:00Z"), 5) {
		got += o.Format("Jan 2 15:04 MST ")
	}
	if got != "Dec 8 09:00 CET Dec 15 09:00 CET " {
		t.Error(got)
	}
	if o := engine.Occurrences(parse(t, `{}`), time.Time{}, 5); o != nil {
		t.Error(o)
	}
}

func TestStateAt(t *testing.T) {
	start, end := at(t, "2026-12-01T09:00:00Z"), at(t, "2026-12-02T09:00:00Z")
	for _, tt := range []struct {
		st   engine.State
		dt   engine.DeliveryType
		at   string
		want engine.State
	}{
		{catalog.Draft, catalog.OneTime, "2027-01-01T00:00:00Z", catalog.Draft},
		{catalog.Stopped, catalog.OneTime, "2027-01-01T00:00:00Z", catalog.Stopped},
		{catalog.Scheduled, catalog.OneTime, "2026-12-01T08:59:59Z", catalog.Scheduled},
		{catalog.Scheduled, catalog.OneTime, "2026-12-01T09:00:00Z", catalog.Sending},
		{catalog.Scheduled, catalog.OneTime, "2026-12-02T09:00:00Z", catalog.Sent},
		{catalog.Scheduled, catalog.Periodic, "2026-12-01T09:00:00Z", catalog.Active},
		{catalog.Active, catalog.EventTriggered, "2026-12-02T09:00:00Z", catalog.Sent},
		{catalog.Paused, catalog.EventTriggered, "2026-12-01T10:00:00Z", catalog.Paused},
	} {
		sum := engine.Summary{Head: engine.Head{Status: tt.st, DeliveryType: tt.dt}, Start: start, End: end}
		if got := engine.StateAt(sum, at(t, tt.at)); got != tt.want {
			t.Errorf("%s %s at %s: %s, want %s", tt.dt, tt.st, tt.at, got, tt.want)
		}
	}
	// A one-time campaign without a start goes out from when it was published.
	c := engine.Campaign{Head: engine.Head{Status: catalog.Active, DeliveryType: catalog.OneTime, SentTime: start}, Body: parse(t, `{}`)}
	sum := engine.Summarize(c)
	if engine.StateAt(sum, start.Add(time.Minute)) != catalog.Active || engine.StateAt(sum, start.Add(time.Hour)) != catalog.Sent {
		t.Errorf("%+v", sum)
	}
}

package schema_test

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// What only responses have becomes what a request has in its place.
func TestInRequest(t *testing.T) {
	table := catalog.Campaign(catalog.Push)
	for in, want := range map[string]string{
		`{"delivery_type":"SCHEDULED","schedule_time":"2024-07-04 08:00:54.5","time_zone":"Europe/Berlin"}`: `{"delivery_type":"AT_FIXED_TIME","start_time":"2024-07-04T08:00:54.5Z","timezone":"Europe/Berlin"}`,
		`{"delivery_type":"SCHEDULED","schedule_time":"2024-07-04T08:00:54+02:00"}`:                         `{"delivery_type":"AT_FIXED_TIME","start_time":"2024-07-04T08:00:54+02:00"}`,
		`{"delivery_type":"ASAP","schedule_time":"2024-07-04T08:00:54Z","x":1.0}`:                           `{"delivery_type":"ASAP","x":1.0}`,
		// What the request's own fields say wins.
		`{"delivery_type":"AT_FIXED_TIME","start_time":"2030-01-01T00:00:00Z","schedule_time":"2024-07-04T08:00:54Z","timezone":"UTC","time_zone":"Europe/Berlin"}`: `{"delivery_type":"AT_FIXED_TIME","start_time":"2030-01-01T00:00:00Z","timezone":"UTC"}`,
		`{"delivery_type":"AT_FIXED_TIME","schedule_time":"soon","time_zone":5}`:                                                                                    `{"delivery_type":"AT_FIXED_TIME"}`,
		// A time with a blank is the service's, and in UTC; one with a T may be in the campaign's time zone.
		`{"expiry_time":"2024-07-04 08:00:54","x":"2024-07-04 08:00:54"}`:        `{"expiry_time":"2024-07-04T08:00:54Z","x":"2024-07-04 08:00:54"}`,
		`{"start_time":"2024-07-04 08:00:54.847000","timezone":"Europe/Berlin"}`: `{"start_time":"2024-07-04T08:00:54.847000Z","timezone":"Europe/Berlin"}`,
		`{"start_time":"2024-07-04 08:00:54+02:00","timezone":"Europe/Berlin"}`:  `{"start_time":"2024-07-04T08:00:54+02:00","timezone":"Europe/Berlin"}`,
		`{"start_time":"2024-07-04T08:00:54","timezone":"Europe/Berlin"}`:        `{"start_time":"2024-07-04T08:00:54","timezone":"Europe/Berlin"}`,
		`{"start_time":"2024-07-04 soon","expiry_time":"2024-07-04 08:00:54Z"}`:  `{"start_time":"2024-07-04Tsoon","expiry_time":"2024-07-04T08:00:54Z"}`,
	} {
		v, err := doc.Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(table.InRequest(doc.P("scheduling_details"), v).Encode()); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
	plain, _ := doc.Parse([]byte(`{"delivery_type":"ASAP","user_timezone_details":{"send_in_user_timezone":true}}`))
	if !table.InRequest(doc.P("scheduling_details"), plain).Same(plain) {
		t.Error("what a request may have is another document")
	}
}

// What a service returned and the tables do not know is a notice; the same from anybody else is an error.
func TestRecordOfAService(t *testing.T) {
	v, err := doc.Parse([]byte(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","x_budget":5,"basic_details":{"name":"n","tags":5},` +
		`"scheduling_details":{"delivery_type":"SCHEDULED","schedule_time":"2024-07-04 08:00:54.5","time_zone":"UTC"},"utm_params":{"utm_source":"a"},` +
		`"segmentation_details":{"is_all_user_campaign":true},"advanced":{"platform_level_priority":{"ios_specific_priority":{"interruption_level":"LOUD"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	severity := func(env schema.Env) map[string]schema.Severity {
		out := map[string]schema.Severity{}
		for _, p := range catalog.Campaign(catalog.Push).Validate(v, env) {
			out[p.Path.String()] = p.Severity
		}
		return out
	}
	level := "advanced.platform_level_priority.ios_specific_priority.interruption_level"
	known, unknown := severity(schema.Env{Record: v}), severity(schema.Env{})
	for _, path := range []string{"x_budget", "basic_details.tags", level} {
		if s, found := known[path]; !found || s != schema.Notice {
			t.Errorf("%s from the service: %v, %v", path, s, found)
		}
		if s, found := unknown[path]; !found || s != schema.Error {
			t.Errorf("%s from anybody else: %v, %v", path, s, found)
		}
	}
	for _, path := range []string{"scheduling_details.delivery_type", "scheduling_details.schedule_time", "scheduling_details.time_zone"} {
		if _, found := known[path]; found {
			t.Errorf("%s from the service is a problem", path)
		}
		if s, found := unknown[path]; !found || s != schema.Error {
			t.Errorf("%s from anybody else: %v, %v", path, s, found)
		}
	}
	if known["utm_params.utm_medium"] != schema.Error {
		t.Error("what is missing is an error, whoever left it out")
	}
	if _, found := known["utm_params.utm_medium"]; !found {
		t.Error("what is missing is not found")
	}
	changed, err := v.Set(doc.P("x_budget"), doc.NewInt(6))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range catalog.Campaign(catalog.Push).Validate(v, schema.Env{Record: changed}) {
		if p.Path.String() == "x_budget" && p.Severity != schema.Error {
			t.Error("a value that was changed is not the service's")
		}
	}
}

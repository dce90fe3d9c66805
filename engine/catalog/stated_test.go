package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The generated cases prove that the tables are kept; the tests here say over again, from the text,
// what the numbers and words in the tables have to be.

func TestStatedLimits(t *testing.T) {
	extras := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"utm_own%d":"x"`, i)
		}
		return `"utm_params":{"utm_source":"a","utm_medium":"b"` + b.String() + `}`
	}
	on := `"campaign_audience_limit":{"is_campaign_audience_limit_enabled":true,"metric":"SENT","frequency":"TOTAL","limit":%d}`
	for _, c := range []struct {
		rule           string
		accept, refuse []string
	}{
		{"push.delivery_controls.queue_duration#range",
			each2(`"delivery_controls":{"queuing_enabled":true,"queue_duration":%d}`, 1, 48), each2(`"delivery_controls":{"queuing_enabled":true,"queue_duration":%d}`, 0, 49)},
		{"control_group_details.campaign_control_group_percentage#range",
			each2(`"control_group_details":{"campaign_control_group_percentage":%d}`, 0, 100), each2(`"control_group_details":{"campaign_control_group_percentage":%d}`, -1, 101)},
		{"campaign_audience_limit.limit#range", each2(on, 1, 9_999_999_999), each2(on, 0, 10_000_000_000)},
		{"utm_params#extra", []string{extras(5)}, []string{extras(6)}},
		{"utm_params#keys", []string{`"utm_params":{"utm_x":"y"}`}, []string{`"utm_params":{"source":"y"}`, `"utm_params":{"UTM_x":"y"}`, `"utm_params":{"utm_":"y"}`}},
		{"scheduling_details.periodic_details.repeat_on_date_of_month[]#range",
			each2(`"scheduling_details":{"periodic_details":{"repeat_on_date_of_month":[%d]}}`, 1, 31), each2(`"scheduling_details":{"periodic_details":{"repeat_on_date_of_month":[%d]}}`, 0, 32)},
	} {
		for _, refuse := range []bool{false, true} {
			for _, members := range map[bool][]string{false: c.accept, true: c.refuse}[refuse] {
				v := mustParse(t, pushOf(OneTime, members))
				if reports(Campaign(Push), v, caseEnv(schema.Draft, true), c.rule) != refuse {
					t.Errorf("%s: refused should be %v for %s", c.rule, refuse, members)
				}
			}
		}
	}
}

func each2(format string, numbers ...int) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = fmt.Sprintf(format, n)
	}
	return out
}

func TestStatedOptions(t *testing.T) {
	const days = "MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY"
	for path, want := range map[string]string{
		"channel":                                     "PUSH EMAIL",
		"campaign_delivery_type":                      "ONE_TIME PERIODIC EVENT_TRIGGERED BUSINESS_EVENT_TRIGGERED DEVICE_TRIGGERED LOCATION_TRIGGERED BROADCAST_LIVE_ACTIVITY",
		"trigger_condition.trigger_delay_type":        "DELAY ASAP INTELLIGENT_DELAY",
		"trigger_condition.trigger_delay_granularity": "MINUTES HOURS DAYS",
		"trigger_condition.trigger_relation":          "BEFORE AFTER",
		"trigger_condition.intelligent_delay_optimization.min_delay_granularity":                   "MINUTES HOURS",
		"trigger_condition.intelligent_delay_optimization.max_delay_granularity":                   "HOURS DAYS",
		"trigger_condition.included_filters.filter_operator":                                       "and or",
		"segmentation_details.included_filters.filters[0].filter_type":                             "user_attributes actions custom_segments",
		"segmentation_details.included_filters.filters[0].attributes.filters[0].filter_type":       "user_attributes actions custom_segments",
		"segmentation_details.excluded_filters.filters[0].data_type":                               "string double datetime bool",
		"segmentation_details.included_filters.filters[0].execution.type":                          "atleast atmost exactly",
		"scheduling_details.delivery_type":                                                         "ASAP AT_FIXED_TIME SEND_IN_BTS SEND_IN_USER_TIMEZONE",
		"scheduling_details.periodic_details.sending_frequency":                                    "DAILY WEEKLY MONTHLY",
		"scheduling_details.periodic_details.repeat_on_days_of_week[0]":                            days,
		"scheduling_details.periodic_details.repeat_on_days_of_week_for_month[0].week_granularity": "FIRST SECOND THIRD FOURTH LAST",
		"scheduling_details.geo_fence_timelimit.notification_schedule":                             "ALWAYS LIMITED_TIME",
		"conversion_goal_details.goals[0].goal_event_attribute.data_type":                          "STRING DOUBLE BOOL NUMBER GEOPOINT DATETIME ARRAY_DOUBLE ARRAY_STRING OBJECT ARRAY_OBJECT",
		"campaign_audience_limit.metric":                                                           "SENT",
		"campaign_audience_limit.frequency":                                                        "TOTAL INSTANCE",
		"advanced.expiration_settings.expire_notification_after_type":                              "HOUR DAY",
		"advanced.expiration_settings.remove_from_inbox_after_type":                                "DAY",
		"advanced.platform_level_priority.ios_specific_priority.apns_priority":                     "1 5 10",
		"advanced.platform_level_priority.ios_specific_priority.interruption_level":                "Passive,Active,Time sensitive,Critical",
		"advanced.platform_level_priority.ios_specific_priority.relevance_score":                   "0 0.5 1",
	} {
		p, err := doc.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		n := Campaign(Push).At(p)
		if n == nil {
			t.Errorf("no table knows %s", path)
			continue
		}
		words := strings.Fields(want)
		if strings.Contains(want, ",") {
			words = strings.Split(want, ",")
		}
		var got []string
		for _, o := range n.Options {
			got = append(got, o.Value)
		}
		if !slices.Equal(got, words) {
			t.Errorf("%s: %q, want %q", path, got, words)
		}
	}
}

func TestStatedOperators(t *testing.T) {
	user := `"segmentation_details":{"included_filters":{"filters":[{"filter_type":"user_attributes","name":"x","data_type":%q,"operator":%q,"value":1}]}}`
	stated := map[string]string{
		"bool":     "is exists",
		"double":   "in between lessThan greaterThan exists",
		"string":   "in contains containsInTheFollowing startWithInTheFollowing endsWithInTheFollowing exists is",
		"datetime": "inTheLast on between before after inTheNext exists today",
	}
	every := strings.Fields(strings.Join([]string{stated["bool"], stated["double"], stated["string"], stated["datetime"], "equals"}, " "))
	for dataType, list := range stated {
		for _, op := range every {
			v := mustParse(t, pushOf(OneTime, fmt.Sprintf(user, dataType, op)))
			want := !slices.Contains(strings.Fields(list), op)
			if got := reports(Campaign(Push), v, caseEnv(schema.Draft, true), "filter.operator#enum"); got != want {
				t.Errorf("%s on %s: refused %v, want %v", op, dataType, got, want)
			}
		}
	}
}

// Which delivery types take which member, said over again from the notes of the tables.
func TestStatedDeliveryTypes(t *testing.T) {
	const event, device, location = "EVENT_TRIGGERED", "DEVICE_TRIGGERED", "LOCATION_TRIGGERED"
	all := []string{"ONE_TIME", "PERIODIC", event, "BUSINESS_EVENT_TRIGGERED", device, location, "BROADCAST_LIVE_ACTIVITY"}
	for path, takes := range map[string][]string{
		"trigger_condition":                                                {event, device, location, "BROADCAST_LIVE_ACTIVITY"},
		"delivery_controls.campaign_throttle_rpm":                          {"ONE_TIME", "PERIODIC", "BUSINESS_EVENT_TRIGGERED", "BROADCAST_LIVE_ACTIVITY"},
		"delivery_controls.minimum_delay_between_two_notification_in_hour": {event, device},
		"delivery_controls.max_time_to_show_message_of_same_camapign":      {device},
		"delivery_controls.expiry_time_of_sync_data_in_hour":               {device},
		"delivery_controls.send_message_in_offline_mode":                   {device},
		"delivery_controls.send_limit_value":                               {location},
		"delivery_controls.send_limit_granularity_in_hours":                {location},
		"delivery_controls.ignore_global_minimum_delay":                    {event},
		"delivery_controls.bypass_dnd":                                     all,
		"scheduling_details.geo_fence_timelimit":                           {location},
		"campaign_audience_limit":                                          all[:6],
	} {
		p, err := doc.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, dt := range all {
			root := mustParse(t, pushOf(DeliveryType(dt), `"updated_by":"ann@example.com"`))
			f, ok := Campaign(Push).Field(root, p, caseEnv(schema.Draft, true))
			if want := slices.Contains(takes, dt); !ok || f.Shown != want {
				t.Errorf("%s on %s: taken %v, want %v", path, dt, f.Shown, want)
			}
		}
	}
}

// What publishing needs of each delivery type, besides content.
func TestStatedComponents(t *testing.T) {
	for dt, want := range map[DeliveryType]string{
		OneTime:                "segmentation_details scheduling_details",
		Periodic:               "segmentation_details scheduling_details",
		EventTriggered:         "segmentation_details trigger_condition delivery_controls",
		BusinessEventTriggered: "segmentation_details",
		DeviceTriggered:        "trigger_condition",
		LocationTriggered:      "trigger_condition",
	} {
		for _, ch := range []Channel{Push, Email} {
			if ch == Email && (dt == DeviceTriggered || dt == LocationTriggered) {
				continue
			}
			if ch == Email {
				want = strings.TrimSuffix(want, " delivery_controls") // no field of it is required on Email
			}
			wanted := "basic_details campaign_content " + want
			if ch == Email {
				wanted += " connector"
			}
			root := mustParse(t, fmt.Sprintf(`{"channel":%q,"campaign_delivery_type":%q,"created_by":"ann@example.com"}`, ch, dt))
			var got []string
			for _, p := range schema.Errors(Campaign(ch).Validate(root, caseEnv(schema.Publish, true))) {
				got = append(got, p.Path.String())
			}
			if strings.Join(got, " ") != wanted {
				t.Errorf("%s %s: needs %q, want %q", ch, dt, strings.Join(got, " "), wanted)
			}
			if early := Campaign(ch).Validate(root, caseEnv(schema.Draft, true)); len(early) > 0 {
				t.Errorf("%s %s: a new draft has problems: %v", ch, dt, early)
			}
		}
	}
}

package catalog

import (
	"fmt"

	"bugle/engine/schema"
)

func init() {
	handCases = append(handCases, triggerCases()...)
	handCases = append(handCases, filterCases()...)
	handCases = append(handCases, scheduleCases()...)
	handCases = append(handCases, audienceCases()...)
	handCases = append(handCases, requestCases()...)
}

// flagsOff is a workspace that has none of the features.
func flagsOff() schema.Env { return schema.Env{Flags: map[string]bool{}} }

// pushOf is a push campaign of the delivery type with further members.
func pushOf(dt DeliveryType, members string) string {
	return fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":%q,"created_by":"ann@example.com",%s}`, dt, members)
}

func each1(format string, values ...string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf(format, v)
	}
	return out
}

func triggerCases() []ruleCase {
	device := pushOf(DeviceTriggered, `"trigger_condition":{"trigger_delay_type":%s}`)
	event := pushOf(EventTriggered, `"trigger_condition":{"included_filters":%s}`)
	bounds := pushOf(EventTriggered, `"trigger_condition":{"trigger_delay_type":"INTELLIGENT_DELAY","intelligent_delay_optimization":%s}`)
	return []ruleCase{
		{
			rule: "trigger_condition.trigger_delay_type#no_delay", schema: "campaign push", env: atPublish,
			accept: append(each1(device, `"ASAP"`), pushOf(EventTriggered, `"trigger_condition":{"trigger_delay_type":"DELAY"}`)),
			refuse: each1(device, `"DELAY"`, `"INTELLIGENT_DELAY"`),
		},
		{ // while it is a draft, anything goes
			rule: "trigger_condition.trigger_delay_type#no_delay", schema: "campaign push",
			accept: each1(device, `"DELAY"`),
		},
		{
			rule: "trigger_condition.included_filters#one_filter", schema: "campaign push", env: atPublish,
			accept: append(each1(event, `{"filters":[{"filter_type":"actions"}]}`),
				pushOf(DeviceTriggered, `"trigger_condition":{"included_filters":{"filter_operator":"and"}}`)),
			refuse: each1(event, `{"filter_operator":"and"}`, `{"filter_operator":"and","filters":[]}`),
		},
		{
			rule: "trigger_condition.intelligent_delay_optimization#bounds", schema: "campaign push",
			accept: each1(bounds,
				`{"min_delay_value":60,"min_delay_granularity":"MINUTES","max_delay_value":1,"max_delay_granularity":"HOURS"}`,
				`{"min_delay_value":23,"min_delay_granularity":"HOURS","max_delay_value":1,"max_delay_granularity":"DAYS"}`,
				`{"min_delay_value":23,"min_delay_granularity":"HOURS"}`),
			refuse: each1(bounds,
				`{"min_delay_value":61,"min_delay_granularity":"MINUTES","max_delay_value":1,"max_delay_granularity":"HOURS"}`,
				`{"min_delay_value":25,"min_delay_granularity":"HOURS","max_delay_value":1,"max_delay_granularity":"DAYS"}`),
		},
	}
}

func filterCases() []ruleCase {
	user := pushOf(OneTime, `"segmentation_details":{"included_filters":{"filters":[{"filter_type":"user_attributes","name":"x",%s}]}}`)
	event := pushOf(EventTriggered, `"trigger_condition":{"included_filters":{"filters":[{"filter_type":"actions","attributes":{"filters":[{"filter_type":"user_attributes","name":"x",%s}]}}]}}`)
	nestedFilter := pushOf(EventTriggered, `"trigger_condition":{"included_filters":{"filters":[{"filter_type":"actions","attributes":{"filters":[{%s}]}}]}}`)
	accept := []string{
		`"data_type":"bool","operator":"is","value":true`,
		`"data_type":"bool","operator":"is","value":"false"`,
		`"data_type":"double","operator":"in","value":[1,2.5,"3"]`,
		`"data_type":"double","operator":"in","value":1`,
		`"data_type":"double","operator":"between","value":[1,2]`,
		`"data_type":"double","operator":"between","value":1,"value1":2`,
		`"data_type":"double","operator":"lessThan","value":"2.5"`,
		`"data_type":"string","operator":"in","value":["a","b"]`,
		`"data_type":"string","operator":"contains","value":"a"`,
		`"data_type":"string","operator":"exists","value":7`,
		`"data_type":"datetime","operator":"inTheLast","value":30`,
		`"data_type":"datetime","operator":"inTheNext","value":"30"`,
		`"data_type":"datetime","operator":"on","value":"2026-12-01"`,
		`"data_type":"datetime","operator":"before","value":"2026-12-01T09:00:00Z"`,
		`"data_type":"datetime","operator":"between","value":["2026-12-01","2026-12-31"]`,
		`"data_type":"double","operator":"lessThan","value":"{{UserAttribute['x']}}"`,
		`"data_type":"double","operator":"lessThan","value":"user.x","is_dynamic_value":true`,
		`"operator":"lessThan","value":true`,                      // the data type is what is missing
		`"data_type":"bool","operator":"lessThan","value":"high"`, // the operator is what is wrong
	}
	refuse := []string{
		`"data_type":"bool","operator":"is","value":1`,
		`"data_type":"bool","operator":"is","value":null`,
		`"data_type":"double","operator":"in","value":[1,"many"]`,
		`"data_type":"double","operator":"in","value":{"x":1}`,
		`"data_type":"double","operator":"between","value":1`,
		`"data_type":"double","operator":"between","value":[1]`,
		`"data_type":"double","operator":"between","value":[1,2,3]`,
		`"data_type":"double","operator":"greaterThan","value":[1]`,
		`"data_type":"string","operator":"in","value":5`,
		`"data_type":"string","operator":"is","value":[5]`,
		`"data_type":"datetime","operator":"inTheLast","value":1.5`,
		`"data_type":"datetime","operator":"inTheLast","value":-1`,
		`"data_type":"datetime","operator":"on","value":"tomorrow"`,
		`"data_type":"datetime","operator":"between","value":["2026-12-01","later"]`,
	}
	second := []string{
		`"data_type":"double","operator":"between","value":1,"value1":2`,
		`"data_type":"double","operator":"between","value":1,"value1":"{{UserAttribute['x']}}"`,
		`"data_type":"double","operator":"lessThan","value":1,"value1":"unused"`,
	}
	badSecond := []string{
		`"data_type":"double","operator":"between","value":1,"value1":"two"`,
		`"data_type":"datetime","operator":"between","value":"2026-12-01","value1":7`,
	}
	goal := pushOf(OneTime, `"conversion_goal_details":{"goals":[{"goal_event_attribute":{%s}}]}`)
	return []ruleCase{
		{
			rule: "event_filter.filter_type#required", schema: "campaign push",
			accept: each1(nestedFilter, `"filter_type":"user_attributes"`),
			refuse: each1(nestedFilter, `"name":"x","data_type":"string","operator":"exists"`, `"filter_type":""`),
		},
		{
			rule: "event_filter.filter_type#enum", schema: "campaign push",
			accept: each1(nestedFilter, `"filter_type":"user_attributes"`, `"filter_type":"actions"`, `"filter_type":"custom_segments"`),
			refuse: each1(nestedFilter, `"filter_type":"event_attributes"`, `"filter_type":"novel"`),
		},
		{ // an action within an action is checked in full, as deep as they go
			rule: "event_filter.filter_type#required", schema: "campaign push",
			accept: each1(nestedFilter, `"filter_type":"actions","attributes":{"filters":[{"filter_type":"user_attributes"}]}`),
			refuse: each1(nestedFilter, `"filter_type":"actions","attributes":{"filters":[{"name":"x"}]}`),
		},
		{
			rule: "event_filter#closed", schema: "campaign push",
			accept: each1(nestedFilter, `"filter_type":"user_attributes","own":1`, `"filter_type":"actions","action_name":"x"`),
			refuse: each1(nestedFilter, `"filter_type":"actions","own":1`, `"filter_type":"custom_segments","own":1`),
		},
		{
			rule: "event_filter.project_name#forbidden", schema: "campaign push",
			accept: each1(event, `"project_name":"Retail"`, `"operator":"exists"`),
		},
		{
			rule: "event_filter.project_name#forbidden", schema: "campaign push", env: flagsOff(),
			accept: each1(event, `"operator":"exists"`),
			refuse: each1(event, `"project_name":"Retail"`),
		},
		{rule: "filter.value#fits", schema: "campaign push", accept: each1(user, accept...), refuse: each1(user, refuse...)},
		{rule: "filter.value1#fits", schema: "campaign push", accept: each1(user, second...), refuse: each1(user, badSecond...)},
		{rule: "event_filter.value#fits", schema: "campaign push", accept: each1(event, accept...), refuse: each1(event, refuse...)},
		{rule: "event_filter.value1#fits", schema: "campaign push", accept: each1(event, second...), refuse: each1(event, badSecond...)},
		{
			rule: "filter.project_name#required", schema: "campaign push", env: flagsOff(),
			accept: each1(user, `"data_type":"string","operator":"exists"`),
		},
		{
			rule: "goal_event_attribute#two_values", schema: "campaign push",
			accept: each1(goal, `"condition":"between","value":1,"value1":2`, `"condition":"between","value":[1,2]`, `"condition":"is","value":1`),
			refuse: each1(goal, `"condition":"between","value":1`, `"condition":"between","value1":2`, `"condition":"between","value":[1]`),
		},
	}
}

func scheduleCases() []ruleCase {
	schedule := pushOf(OneTime, `"scheduling_details":{%s}`)
	fence := pushOf(LocationTriggered, `"scheduling_details":{"geo_fence_timelimit":{"notification_schedule":"LIMITED_TIME","timebounds":[{%s}]}}`)
	bounds := func(name string) ruleCase {
		return ruleCase{
			rule: "scheduling_details.geo_fence_timelimit.timebounds[]." + name + "#time", schema: "campaign push",
			accept: each1(fence, fmt.Sprintf(`%q:"09:00"`, name), fmt.Sprintf(`%q:"21:00:30"`, name), fmt.Sprintf(`%q:"2026-12-01T09:00:00Z"`, name)),
			refuse: each1(fence, fmt.Sprintf(`%q:"nine"`, name), fmt.Sprintf(`%q:"25:00"`, name)),
		}
	}
	return []ruleCase{
		{
			rule: "scheduling_details#zone_known", schema: "campaign push", env: atPublish,
			accept: each1(schedule,
				`"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00Z"`,
				`"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00+0100"`,
				`"delivery_type":"SEND_IN_BTS","start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin"`,
				`"delivery_type":"SEND_IN_USER_TIMEZONE","start_time":"2026-12-01T09:00:00"`,
				`"delivery_type":"ASAP"`),
			refuse: each1(schedule,
				`"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00"`,
				`"delivery_type":"SEND_IN_BTS","start_time":"2026-12-01T09:00","timezone":""`),
		},
		{
			rule: "scheduling_details#zone_known", schema: "campaign push",
			accept: each1(schedule, `"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00"`),
		},
		{ // it is 2026-11-01, 12:00 UTC: 13:00 in Berlin, 07:00 in New York
			rule: "scheduling_details.start_time#ahead", schema: "campaign push", env: atPublish,
			accept: each1(schedule,
				`"delivery_type":"AT_FIXED_TIME","start_time":"2026-11-01T12:00:00Z"`,
				`"delivery_type":"AT_FIXED_TIME","start_time":"2026-11-01T07:30:00","timezone":"America/New_York"`,
				`"delivery_type":"ASAP","start_time":"2020-01-01T00:00:00Z"`),
			refuse: each1(schedule,
				`"delivery_type":"AT_FIXED_TIME","start_time":"2026-11-01T11:59:59Z"`,
				`"delivery_type":"AT_FIXED_TIME","start_time":"2026-11-01T12:30:00","timezone":"Europe/Berlin"`,
				`"delivery_type":"SEND_IN_USER_TIMEZONE","start_time":"2026-10-31T09:00:00"`),
		},
		{
			rule: "scheduling_details.expiry_time#after_start", schema: "campaign push", env: atPublish,
			accept: each1(schedule,
				`"start_time":"2026-12-01T09:00:00Z","expiry_time":"2026-12-01T09:00:01Z"`,
				`"start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin","expiry_time":"2026-12-01T08:30:00Z"`,
				`"expiry_time":"2026-12-01T09:00:00Z"`),
			refuse: each1(schedule,
				`"start_time":"2026-12-01T09:00:00Z","expiry_time":"2026-12-01T09:00:00Z"`,
				`"start_time":"2026-12-01T09:00:00","timezone":"America/New_York","expiry_time":"2026-12-01T10:00:00Z"`),
		},
		bounds("start_time"),
		bounds("end_time"),
	}
}

func audienceCases() []ruleCase {
	queue := pushOf(OneTime, `"delivery_controls":{%s}`)
	return []ruleCase{
		{
			rule: "segmentation_details#minimum_audience", schema: "campaign push", env: atPublish,
			accept: []string{
				pushOf(OneTime, `"segmentation_details":{"is_all_user_campaign":true}`),
				pushOf(OneTime, `"segmentation_details":{"included_filters":{"filters":[{"filter_type":"custom_segments"}]}}`),
				pushOf(DeviceTriggered, `"segmentation_details":{"is_all_user_campaign":false}`),
				pushOf(LocationTriggered, `"segmentation_details":{"is_all_user_campaign":false}`),
			},
			refuse: []string{
				pushOf(OneTime, `"segmentation_details":{"is_all_user_campaign":false}`),
				pushOf(EventTriggered, `"segmentation_details":{"included_filters":{"filters":[]}}`),
				pushOf(Periodic, `"segmentation_details":{"excluded_filters":{"filters":[{"filter_type":"custom_segments"}]}}`),
			},
		},
		{
			rule: "campaign_audience_limit#forbidden", schema: "campaign push", env: flagsOff(),
			accept: []string{pushOf(OneTime, `"updated_by":"ann@example.com"`)},
			refuse: []string{pushOf(OneTime, `"campaign_audience_limit":{"is_campaign_audience_limit_enabled":false}`)},
		},
		{
			rule: "push.delivery_controls.queuing_enabled#forbidden", schema: "campaign push", env: flagsOff(),
			accept: each1(queue, `"bypass_dnd":true`), refuse: each1(queue, `"queuing_enabled":false`),
		},
		{
			rule: "push.delivery_controls.queue_duration#forbidden", schema: "campaign push", env: flagsOff(),
			accept: each1(queue, `"bypass_dnd":true`), refuse: each1(queue, `"queue_duration":12`),
		},
	}
}

func requestCases() []ruleCase {
	out := []ruleCase{
		{rule: "record#extra_member", schema: "campaign other", accept: []string{`{"channel":"SMS"}`}},
		{
			rule: "request.meta.campaign_fields.created_by#string_or_list", schema: "request meta",
			accept: each1(`{"campaign_fields":{"created_by":%s}}`, `"ann@example.com"`, `["ann@example.com"]`),
			refuse: each1(`{"campaign_fields":{"created_by":%s}}`, `1`, `[1]`, `null`, `{}`),
		},
	}
	for _, op := range []string{"search", "meta"} {
		for _, name := range []string{"from_date", "to_date"} {
			body := fmt.Sprintf(`{"campaign_fields":{"created_date":{%q:%%s}}}`, name)
			out = append(out, ruleCase{
				rule: "request." + op + ".campaign_fields.created_date." + name + "#date", schema: "request " + op,
				accept: each1(body, `"2026-12-01"`, `"2026-12-01T09:00:00Z"`, `""`),
				refuse: each1(body, `"yesterday"`, `"2026-13-01"`),
			})
		}
	}
	for _, key := range []string{"sms", "other"} {
		rule := map[string]string{"sms": "request.preview.sms", "other": "request.preview"}[key]
		out = append(out, ruleCase{
			rule: rule + ".campaign_content#extra_member", schema: "request preview " + key, accept: []string{`{"campaign_content":{}}`},
		})
	}
	for key, id := range map[string]string{"push": "push", "email": "email", "other": "any"} {
		out = append(out, ruleCase{
			rule: "test_campaign_meta." + id + ".identifier_values#one_segment", schema: "test meta " + key,
			accept: []string{
				`{"identifier":"CUSTOM_SEGMENT","identifier_values":["Big spenders"]}`,
				`{"identifier":"ID","identifier_values":["a","b"]}`,
			},
			refuse: []string{`{"identifier":"CUSTOM_SEGMENT","identifier_values":["Big spenders","Newcomers"]}`},
		})
	}
	return append(out, ruleCase{
		rule: "test_campaign_meta.email.platform#push_only", schema: "test meta email",
		accept: []string{`{"identifier":"ID"}`}, refuse: []string{`{"platform":"WEB"}`},
	})
}

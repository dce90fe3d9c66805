package catalog

import (
	"math"
	"slices"

	"bugle/engine/schema"
)

const refScheduling = "CONTRACT.md, scheduling_details"

// scheduledTypes are the delivery types that are sent by a schedule; events and places trigger the others.
var scheduledTypes = []DeliveryType{OneTime, Periodic}

// NeedsSchedule reports whether campaigns of a delivery type need a schedule for publishing.
func NeedsSchedule(dt DeliveryType) bool { return slices.Contains(scheduledTypes, dt) }

func schedulingDetails() schema.Field {
	timed := schema.When("delivery_type", "AT_FIXED_TIME", "SEND_IN_BTS", "SEND_IN_USER_TIMEZONE")
	scheduled := forTypes(scheduledTypes...)
	return schema.Field{
		Name: string(SchedulingDetails), ID: "scheduling_details", Title: "Schedule", Noun: "a schedule", Kind: schema.Object, Ref: refScheduling,
		Editor:   schema.EditorSchedule,
		Help:     "When the campaign is sent, how often, and when it ends.",
		Required: []schema.Required{{When: scheduled, At: schema.Publish, Ref: refPublish}},
		Rules:    []schema.Rule{schema.Guard{At: schema.Publish, Rule: zoneKnown}},
		Responses: []schema.Response{
			{Name: "schedule_time", Title: "Resolved start", Help: "When the service starts the campaign.", As: "start_time", When: timed},
			{Name: "time_zone", Title: "Resolved time zone", Help: "The time zone the service uses.", As: "timezone"},
		},
		Fields: []schema.Field{
			{
				Name: "delivery_type", Title: "Sending time", Kind: schema.String, Help: "When each message is sent.",
				Required:       []schema.Required{{When: scheduled, At: schema.Publish}},
				ResponseValues: map[string]string{"SCHEDULED": "AT_FIXED_TIME"},
				Options: []schema.Option{
					{Value: "ASAP", Label: "As soon as possible", Help: "sends as soon as you publish", When: notTypes(Periodic)},
					{Value: "AT_FIXED_TIME", Label: "At a fixed time", Help: "sends to everyone at the same moment"},
					{Value: "SEND_IN_BTS", Label: "At the best time", Help: "sends to each user when they are most likely to open it", When: notTypes(Periodic)},
					{Value: "SEND_IN_USER_TIMEZONE", Label: "In the user's time zone", Help: "sends to each user at the same local time", When: notTypes(Periodic)},
				},
			},
			{
				Name: "start_time", Title: "Start", Kind: schema.Time, Required: []schema.Required{{When: timed}},
				Help: "When the campaign starts, in the campaign's time zone.", Example: "2026-12-01T09:00:00Z",
				Rules: []schema.Rule{schema.Guard{When: timed, At: schema.Publish, Ref: refPublish, Rule: startInFuture}},
			},
			{
				Name: "expiry_time", Title: "End", Kind: schema.Time,
				Help: "When the campaign ends. Nothing is sent after this time.", Example: "2026-12-31T23:59:00Z",
				Rules: []schema.Rule{schema.Guard{At: schema.Publish, Ref: refPublish, Rule: expiryAfterStart}},
			},
			{
				Name: "timezone", Title: "Time zone", Kind: schema.String, Suggest: "timezones",
				Help: "The time zone of the campaign's start and end.", Example: "Europe/Berlin",
				Rules: []schema.Rule{schema.Format{As: schema.Zone, Plain: true}},
			},
			periodicDetails(),
			bestTimeDetails(),
			userTimezoneDetails(),
			geofenceTimes(),
		},
	}
}

func periodicDetails() schema.Field {
	weekly := schema.When("sending_frequency", "WEEKLY")
	monthly := schema.When("sending_frequency", "MONTHLY")
	notMonthly := func(name string) schema.Rule {
		return unpublishable(name, schema.When("sending_frequency", "DAILY", "WEEKLY"))
	}
	return schema.Field{
		Name: "periodic_details", Title: "Repeats", Kind: schema.Object, Help: "How often the campaign is sent.",
		Used: forTypes(Periodic), Required: []schema.Required{{When: forTypes(Periodic)}},
		Rules: []schema.Rule{
			schema.Guard{
				When: schema.When("periodic_details.sending_frequency", "MONTHLY"), At: schema.Publish, Ref: refPublish,
				Rule: schema.OneOf{Fields: []string{"repeat_on_date_of_month", "repeat_on_days_of_week", "repeat_on_days_of_week_for_month"}},
			},
			unpublishable("periodic_details", notTypes(Periodic)),
		},
		Fields: []schema.Field{
			{
				Name: "sending_frequency", Title: "Frequency", Kind: schema.String, Required: []schema.Required{{}}, Help: "Whether the campaign repeats daily, weekly or monthly.",
				Options: []schema.Option{{Value: "DAILY", Label: "Daily"}, {Value: "WEEKLY", Label: "Weekly"}, {Value: "MONTHLY", Label: "Monthly"}},
			},
			{
				Name: "repeat_frequency", Title: "Every", Kind: schema.Integer, Default: "1", Example: "2",
				Help: "How many days, weeks or months between sends. Weekly and 2 means every other week.", Rules: []schema.Rule{atLeastOne},
			},
			{
				Name: "no_of_occurences", Title: "Number of sends", Kind: schema.Integer, Example: "10",
				Help: "How many times the campaign is sent in total.", Rules: []schema.Rule{atLeastOne},
			},
			{
				Name: "repeat_on_date_of_month", Title: "Days of the month", Kind: schema.List, Used: monthly, Example: "1, 15",
				Rules: []schema.Rule{atMost(fewItems), notMonthly("repeat_on_date_of_month")},
				Help:  "The days of the month it is sent on.",
				Elem: &schema.Field{
					Title: "Day of the month", Kind: schema.Integer, Help: "A day of the month.", Example: "15",
					Rules: []schema.Rule{schema.Range{Min: 1, Max: 31}},
				},
			},
			weekdays("The days of the week it is sent on.", schema.When("sending_frequency", "WEEKLY", "MONTHLY"),
				schema.Required{When: weekly, At: schema.Publish, Ref: refPublish},
				unpublishable("repeat_on_days_of_week", schema.When("sending_frequency", "DAILY"))),
			{
				Name: "repeat_on_days_of_week_for_month", Title: "Weekdays of the month", Kind: schema.List, Used: monthly,
				Rules: []schema.Rule{atMost(fewItems), notMonthly("repeat_on_days_of_week_for_month")},
				Help:  "Weekdays within the month, such as the first Monday.",
				Elem: &schema.Field{
					Title: "Weekday of the month", Kind: schema.Object, Help: "The days in one week of the month.",
					Fields: []schema.Field{
						{
							Name: "week_granularity", Title: "Week", Kind: schema.String, Required: []schema.Required{{}}, Help: "Which week of the month.",
							Options: []schema.Option{
								{Value: "FIRST", Label: "First"}, {Value: "SECOND", Label: "Second"}, {Value: "THIRD", Label: "Third"},
								{Value: "FOURTH", Label: "Fourth"}, {Value: "LAST", Label: "Last"},
							},
						},
						weekdays("The days of that week.", nil, schema.Required{}),
					},
				},
			},
		},
	}
}

// unpublishable refuses, when publishing, a field whose value would have no effect.
func unpublishable(name string, when schema.Cond) schema.Rule {
	return schema.Guard{When: schema.Has{Path: name}, At: schema.Publish, Ref: refOwn, Rule: schema.Forbidden{When: when}}
}

var atLeastOne = schema.Range{Min: 1, Max: math.Inf(1)}

func weekdays(help string, used schema.Cond, required schema.Required, rules ...schema.Rule) schema.Field {
	return schema.Field{
		Name: "repeat_on_days_of_week", Title: "Days of the week", Kind: schema.List, Help: help, Used: used, Rules: append([]schema.Rule{atMost(fewItems)}, rules...),
		Required: []schema.Required{required},
		Elem: &schema.Field{
			Title: "Day of the week", Kind: schema.String, Help: "A day of the week.",
			Options: []schema.Option{
				{Value: "MONDAY", Label: "Monday"}, {Value: "TUESDAY", Label: "Tuesday"}, {Value: "WEDNESDAY", Label: "Wednesday"},
				{Value: "THURSDAY", Label: "Thursday"}, {Value: "FRIDAY", Label: "Friday"}, {Value: "SATURDAY", Label: "Saturday"},
				{Value: "SUNDAY", Label: "Sunday"},
			},
		},
	}
}

func bestTimeDetails() schema.Field {
	on := schema.When("delivery_type", "SEND_IN_BTS")
	fields := led(1, []schema.Field{
		{Name: "send_in_bts", Title: "Send at the best time", Kind: schema.Bool, Help: "Send to each user at the time they are most likely to open it."},
		{
			Name: "if_user_bts_is_not_available", Title: "If not known", Kind: schema.String, Example: "SEND_AT_START_TIME",
			Help: "What to do for users whose best time is not known.",
		},
		{
			Name: "if_user_bts_outside_time_window", Title: "If outside the window", Kind: schema.String, Example: "SEND_AT_END_TIME",
			Used: schema.Has{Path: "window_end_time"},
			Help: "What to do for users whose best time is outside the sending window.",
		},
		{Name: "window_end_time", Title: "Window ends", Kind: schema.String, Help: "The end of the sending window, which begins when the campaign starts.", Example: "2026-12-01T21:00:00Z"},
	})
	fields[2].Lead = 2 // asked for below the end of the window, without which there is none
	return schema.Field{
		Name: "bts_details", Title: "Best time", Kind: schema.Object, Used: on, Required: []schema.Required{{When: on}},
		Help:   "How each user's best time is used, and what happens when it is not known.",
		Fields: fields,
	}
}

func userTimezoneDetails() schema.Field {
	on := schema.When("delivery_type", "SEND_IN_USER_TIMEZONE")
	return schema.Field{
		Name: "user_timezone_details", Title: "User's time zone", Kind: schema.Object, Used: on, Required: []schema.Required{{When: on}},
		Help: "How each user's own time zone is used.",
		Fields: []schema.Field{
			{Name: "send_in_user_timezone", Title: "Use local time", Kind: schema.Bool, Help: "Send to each user when it is the start time where they are."},
			{
				Name: "send_if_user_timezone_has_passed", Title: "If the time has passed", Kind: schema.Bool, Yes: "Send at once", No: "Don't send",
				Help: "What happens to users whose start time has already passed.",
			},
		},
	}
}

func geofenceTimes() schema.Field {
	limited := schema.When("notification_schedule", "LIMITED_TIME")
	bound := func(name, title, help, example string) schema.Field {
		return schema.Field{
			Name: name, Title: title, Kind: schema.String, Required: []schema.Required{{}}, Help: help, Example: example,
			Rules: []schema.Rule{clockOrTime},
		}
	}
	return schema.Field{
		Name: "geo_fence_timelimit", Title: "Geofence hours", Kind: schema.Object, Applies: forTypes(LocationTriggered),
		Help: "When the geofence may send: at any time, or only during certain hours.",
		Fields: []schema.Field{
			{
				Name: "notification_schedule", Title: "Sending hours", Kind: schema.String, Help: "Whether the geofence may send at any time of day.",
				Options: []schema.Option{{Value: "ALWAYS", Label: "Always"}, {Value: "LIMITED_TIME", Label: "During set hours"}},
			},
			{
				Name: "timebounds", Title: "Hours", Kind: schema.List, Used: limited, Required: []schema.Required{{When: limited}}, Rules: []schema.Rule{atMost(fewItems)},
				Help: "The hours during which the geofence may send.",
				Elem: &schema.Field{
					Title: "Hours", Kind: schema.Object, Help: "One range of hours.",
					Fields: []schema.Field{
						bound("start_time", "From", "The start of the range.", "2026-12-01T09:00:00Z"),
						bound("end_time", "To", "The end of the range.", "2026-12-01T21:00:00Z"),
					},
				},
			},
		},
	}
}

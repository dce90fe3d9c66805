package catalog

import "bugle/engine/schema"

const refControls = "spec.md, delivery_controls"

func pushDeliveryControls() schema.Field {
	queuing := schema.Forbidden{When: schema.Not{C: schema.Flag{Name: "queuing"}}}
	triggered := forTypes(EventTriggered)
	return schema.Field{
		Name: string(DeliveryControls), ID: "push.delivery_controls", Title: "Delivery controls", Kind: schema.Object, Ref: refControls,
		Help:     "Quiet hours, caps and pace: how much of it one user gets, and how fast it goes out.",
		Required: []schema.Required{{When: triggered, At: schema.Publish}}, // for bypass_dnd
		Fields: []schema.Field{
			bypassDND(schema.Required{When: triggered}),
			throttle(notTypes(DeviceTriggered, LocationTriggered, EventTriggered)),
			countForCapping(),
			ignoreCapping(),
			minimumDelay(forTypes(EventTriggered, DeviceTriggered)),
			hours("max_time_to_show_message_of_same_camapign", "Time between two showings", "For how many hours the device does not show the message again.", "24", DeviceTriggered),
			hours("expiry_time_of_sync_data_in_hour", "Synced data expires", "After how many hours the device forgets the campaign.", "48", DeviceTriggered),
			{
				Name: "send_message_in_offline_mode", Title: "Show offline", Kind: schema.Bool, Applies: forTypes(DeviceTriggered),
				Help: "Show the message while the device is offline too.",
			},
			hours("send_limit_value", "Send limit", "How many messages one user gets at most in the period of the limit.", "2", LocationTriggered),
			hours("send_limit_granularity_in_hours", "Send limit period", "The period of the send limit, in hours.", "24", LocationTriggered),
			{
				Name: "ignore_global_minimum_delay", Title: "Ignore minimum delay", Kind: schema.Bool, Applies: forTypes(EventTriggered),
				Help: "Send even where the workspace's minimum delay between two messages has not passed.",
			},
			{
				Name: "queuing_enabled", Title: "Queuing", Kind: schema.Bool, Rules: []schema.Rule{queuing},
				Help: "Keep messages that quiet hours or caps hold back, and send them later.",
			},
			{
				Name: "queue_duration", Title: "Queue for", Kind: schema.Integer, Example: "12",
				Help:     "For how many hours a message stays in the queue.",
				Required: []schema.Required{{When: schema.On{Path: "queuing_enabled"}}},
				Rules: []schema.Rule{
					queuing,
					schema.Guard{When: schema.On{Path: "queuing_enabled"}, Rule: schema.Range{Min: 1, Max: 48}, Ref: refObjects},
				},
			},
		},
	}
}

func emailDeliveryControls() schema.Field {
	return schema.Field{
		Name: string(DeliveryControls), ID: "email.delivery_controls", Title: "Delivery controls", Kind: schema.Object, Ref: refControls,
		Help:   "Quiet hours, caps and pace: how much of it one user gets, and how fast it goes out.",
		Fields: []schema.Field{bypassDND(), throttle(nil), countForCapping(), ignoreCapping(), minimumDelay(nil)},
	}
}

func bypassDND(required ...schema.Required) schema.Field {
	return schema.Field{
		Name: "bypass_dnd", Title: "Ignore quiet hours", Kind: schema.Bool, Required: required,
		Help: "Send during a user's do-not-disturb hours as well.",
	}
}

func throttle(applies schema.Cond) schema.Field {
	return schema.Field{
		Name: "campaign_throttle_rpm", Title: "Pace", Kind: schema.Integer, Applies: applies, Example: "5000",
		Help: "How many messages go out in a minute at most.", Rules: []schema.Rule{notNegative},
	}
}

func countForCapping() schema.Field {
	return schema.Field{
		Name: "count_for_frequency_capping", Title: "Count for the cap", Kind: schema.Bool,
		Help: "Count this message towards how many a user may get in a period.",
	}
}

func ignoreCapping() schema.Field {
	return schema.Field{
		Name: "ignore_frequency_capping", Title: "Ignore the cap", Kind: schema.Bool,
		Help: "Send even to users who have had as many messages as the workspace allows.",
	}
}

func minimumDelay(applies schema.Cond) schema.Field {
	return schema.Field{
		Name: "minimum_delay_between_two_notification_in_hour", Title: "Minimum delay", Kind: schema.Integer, Applies: applies, Example: "6",
		Help: "How many hours pass at least between two messages of this campaign to one user.", Rules: []schema.Rule{notNegative},
	}
}

// hours is a whole number that the interface wants in quotes, for one delivery type.
func hours(name, title, help, example string, dt DeliveryType) schema.Field {
	return schema.Field{
		Name: name, Title: title, Kind: schema.String, Help: help, Example: example, Applies: forTypes(dt),
		Rules: []schema.Rule{schema.Format{As: schema.Digits, Plain: true}},
	}
}

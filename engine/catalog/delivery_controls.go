package catalog

import "bugle/engine/schema"

const refControls = "CONTRACT.md, delivery_controls"

func pushDeliveryControls() schema.Field {
	queuing := schema.Forbidden{When: schema.Not{C: schema.Flag{Name: "queuing"}}}
	triggered := forTypes(EventTriggered)
	return schema.Field{
		Name: string(DeliveryControls), ID: "push.delivery_controls", Title: "Delivery controls", Kind: schema.Object, Ref: refControls,
		Help:     "Quiet hours, frequency caps, and how fast messages are sent.",
		Required: []schema.Required{{When: triggered, At: schema.Publish}}, // for bypass_dnd
		Fields: []schema.Field{
			bypassDND(schema.Required{When: triggered}),
			throttle(notTypes(DeviceTriggered, LocationTriggered, EventTriggered)),
			countForCapping(),
			ignoreCapping(),
			minimumDelay(forTypes(EventTriggered, DeviceTriggered)),
			digits("max_time_to_show_message_of_same_camapign", "Wait between displays", "hours", "How long to wait before the device shows the message again.", "24", DeviceTriggered),
			digits("expiry_time_of_sync_data_in_hour", "Synced data expires after", "hours", "How long until the device forgets the campaign.", "48", DeviceTriggered),
			{
				Name: "send_message_in_offline_mode", Title: "Show offline", Kind: schema.Bool, Applies: forTypes(DeviceTriggered),
				Help: "Show the message even when the device is offline.",
			},
			digits("send_limit_value", "Send limit", "messages", "The most messages one user can get in the period below.", "2", LocationTriggered),
			digits("send_limit_granularity_in_hours", "Send limit period", "hours", "The period the send limit counts over.", "24", LocationTriggered),
			{
				Name: "ignore_global_minimum_delay", Title: "Ignore minimum delay", Kind: schema.Bool, Applies: forTypes(EventTriggered),
				Help: "Send even if the workspace's minimum delay between two messages has not passed.",
			},
			{
				Name: "queuing_enabled", Title: "Queuing", Kind: schema.Bool, Rules: []schema.Rule{queuing},
				Help: "Hold messages stopped by quiet hours or frequency caps, and send them later.",
			},
			{
				Name: "queue_duration", Title: "Queue for", Kind: schema.Integer, Example: "12", Unit: "hours",
				Help:     "How long a message waits in the queue, at most.",
				Required: []schema.Required{{When: schema.On{Path: "queuing_enabled"}}},
				Rules: []schema.Rule{
					queuing,
					schema.Guard{When: schema.On{Path: "queuing_enabled"}, Rule: schema.Range{Min: 1, Max: 48}},
				},
			},
		},
	}
}

func emailDeliveryControls() schema.Field {
	return schema.Field{
		Name: string(DeliveryControls), ID: "email.delivery_controls", Title: "Delivery controls", Kind: schema.Object, Ref: refControls,
		Help:   "Quiet hours, frequency caps, and how fast messages are sent.",
		Fields: []schema.Field{bypassDND(), throttle(nil), countForCapping(), ignoreCapping(), minimumDelay(nil)},
	}
}

func bypassDND(required ...schema.Required) schema.Field {
	return schema.Field{
		Name: "bypass_dnd", Title: "Ignore quiet hours", Kind: schema.Bool, Required: required,
		Help: "Also send during the user's do-not-disturb hours.",
	}
}

func throttle(applies schema.Cond) schema.Field {
	return schema.Field{
		Name: "campaign_throttle_rpm", Title: "Sending speed", Kind: schema.Integer, Applies: applies, Example: "5000", Unit: "messages per minute",
		Help: "The most messages sent per minute.", Rules: []schema.Rule{notNegative},
	}
}

func countForCapping() schema.Field {
	return schema.Field{
		Name: "count_for_frequency_capping", Title: "Count toward frequency cap", Kind: schema.Bool,
		Help: "Count this message toward each user's frequency cap.",
	}
}

func ignoreCapping() schema.Field {
	return schema.Field{
		Name: "ignore_frequency_capping", Title: "Ignore frequency cap", Kind: schema.Bool,
		Help: "Also send to users who have reached their frequency cap.",
	}
}

func minimumDelay(applies schema.Cond) schema.Field {
	return schema.Field{
		Name: "minimum_delay_between_two_notification_in_hour", Title: "Minimum delay", Kind: schema.Integer, Applies: applies, Example: "6", Unit: "hours",
		Help: "The least time between two messages of this campaign to the same user.", Rules: []schema.Rule{notNegative},
	}
}

// digits returns a field with a whole number that the API requires as a string, for one delivery type.
func digits(name, title, unit, help, example string, dt DeliveryType) schema.Field {
	return schema.Field{
		Name: name, Title: title, Unit: unit, Kind: schema.String, Help: help, Example: example, Applies: forTypes(dt),
		Rules: []schema.Rule{schema.Format{As: schema.Digits, Plain: true}},
	}
}

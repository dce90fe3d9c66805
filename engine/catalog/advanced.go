package catalog

import "bugle/engine/schema"

func advanced() schema.Field {
	unit := func(name, title, help, value string, options ...schema.Option) schema.Field {
		return schema.Field{
			Name: name, Title: title, Kind: schema.String, Help: help, Options: options,
			Required: []schema.Required{{When: schema.Has{Path: value}, At: schema.Publish}},
		}
	}
	return schema.Field{
		Name: string(Advanced), ID: "advanced", Title: "Advanced", Kind: schema.Object, Ref: "spec.md, advanced (Push only)",
		Help:    "When a notification expires, and how urgent it is to the device.",
		Applies: forChannel(Push),
		Fields: []schema.Field{
			{
				Name: "expiration_settings", Title: "Expiry", Kind: schema.Object, Help: "When a notification is no longer worth showing.",
				Fields: []schema.Field{
					{
						Name: "expire_notification_after_value", Title: "Expiry time", Kind: schema.Integer, Example: "12", Rules: []schema.Rule{notNegative},
						Help: "How long a notification that cannot be delivered is tried again.",
					},
					unit("expire_notification_after_type", "Expiry time unit", "The unit of the expiry.", "expire_notification_after_value", units("HOUR", "DAY")...),
					{
						Name: "remove_from_inbox_after_value", Title: "Time in the inbox", Kind: schema.Integer, Example: "30", Rules: []schema.Rule{notNegative},
						Help: "How long the message stays in the inbox of the app.",
					},
					unit("remove_from_inbox_after_type", "Time in the inbox unit", "The unit of the time in the inbox; days are the only one.", "remove_from_inbox_after_value", units("DAY")...),
				},
			},
			{
				Name: "platform_level_priority", Title: "Priority", Kind: schema.Object, Help: "How urgent the notification is to each platform.",
				Fields: []schema.Field{
					{
						Name: "android_specific_priority", Title: "Android", Kind: schema.Object, Help: "How urgent it is to Android.",
						Fields: []schema.Field{{
							Name: "send_with_priority", Title: "High priority", Kind: schema.Bool, Help: "Wake a sleeping device to show the notification.",
						}},
					},
					{
						Name: "ios_specific_priority", Title: "iOS", Kind: schema.Object, Help: "How urgent it is to iOS.",
						Fields: []schema.Field{
							{
								Name: "apns_priority", Title: "APNs priority", Kind: schema.String, Help: "How soon Apple's service delivers it.",
								Options: []schema.Option{
									{Value: "1", Label: "1, low", Help: "never wakes the device"}, {Value: "5", Label: "5, normal", Help: "spares the battery"},
									{Value: "10", Label: "10, high", Help: "at once"},
								},
							},
							{
								Name: "interruption_level", Kind: schema.String, Help: "How much the notification may interrupt.",
								Options: []schema.Option{
									{Value: "Passive", Help: "silent, in the list"}, {Value: "Active", Help: "lights the screen, may sound"},
									{Value: "Time sensitive", Help: "breaks through a focus"}, {Value: "Critical", Help: "breaks through mute"},
								},
							},
							{
								Name: "relevance_score", Kind: schema.Number, Help: "Where it stands in the summary of notifications: 1 is first.",
								Options: []schema.Option{{Value: "0", Label: "0, low"}, {Value: "0.5", Label: "0.5, middle"}, {Value: "1", Label: "1, high"}},
							},
						},
					},
				},
			},
		},
	}
}

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
		Name: string(Advanced), ID: "advanced", Title: "Advanced", Noun: "advanced push settings", Kind: schema.Object, Ref: "CONTRACT.md, advanced",
		Help:    "When notifications expire, and how urgent they are.",
		Applies: forChannel(Push),
		Fields: []schema.Field{
			{
				Name: "expiration_settings", Title: "Expiry", Kind: schema.Object, Help: "How long a notification stays relevant.",
				Fields: []schema.Field{
					{
						Name: "expire_notification_after_value", Title: "Expiry time", Kind: schema.Integer, Example: "12", Rules: []schema.Rule{notNegative},
						Help: "How long to keep trying to deliver a notification.",
					},
					unit("expire_notification_after_type", "Expiry time unit", "The unit of the expiry time.", "expire_notification_after_value", units("HOUR", "DAY")...),
					{
						Name: "remove_from_inbox_after_value", Title: "Time in the inbox", Kind: schema.Integer, Example: "30", Rules: []schema.Rule{notNegative},
						Help: "How long the message stays in the app's inbox.",
					},
					unit("remove_from_inbox_after_type", "Time in the inbox unit", "The unit of the time in the inbox. Only days are allowed.", "remove_from_inbox_after_value", units("DAY")...),
				},
			},
			{
				Name: "platform_level_priority", Title: "Priority", Kind: schema.Object, Help: "How urgent the notification is on each platform.",
				Fields: []schema.Field{
					{
						Name: "android_specific_priority", Title: "Android", Kind: schema.Object, Help: "How urgent it is on Android.",
						Fields: []schema.Field{{
							Name: "send_with_priority", Title: "High priority", Kind: schema.Bool, Help: "Wake a sleeping device to show the notification.",
						}},
					},
					{
						Name: "ios_specific_priority", Title: "iOS", Kind: schema.Object, Help: "How urgent it is on iOS.",
						Fields: []schema.Field{
							{
								Name: "apns_priority", Title: "APNs priority", Kind: schema.String, Help: "How soon Apple delivers it.",
								Options: []schema.Option{
									{Value: "1", Label: "1, low", Help: "never wakes the device"}, {Value: "5", Label: "5, normal", Help: "delivered when it saves battery"},
									{Value: "10", Label: "10, high", Help: "delivered immediately"},
								},
							},
							{
								Name: "interruption_level", Kind: schema.String, Help: "How much the notification may interrupt the user.",
								Options: []schema.Option{
									{Value: "Passive", Help: "silent, only in the notification list"}, {Value: "Active", Help: "lights up the screen and can play a sound"},
									{Value: "Time sensitive", Help: "shown even in a Focus mode"}, {Value: "Critical", Help: "plays a sound even when the phone is muted"},
								},
							},
							{
								Name: "relevance_score", Kind: schema.Number, Help: "Its place in the notification summary. 1 comes first.",
								Options: []schema.Option{{Value: "0", Label: "0, low"}, {Value: "0.5", Label: "0.5, medium"}, {Value: "1", Label: "1, high"}},
							},
						},
					},
				},
			},
		},
	}
}

package catalog

import "bugle/engine/schema"

// pushBasicDetails is PushBasicDetailsV5. When the component itself must be there is for the
// table that it is put in to say.
func pushBasicDetails() schema.Field {
	return schema.Field{
		Name: "basic_details", ID: "push.basic_details", Kind: schema.Object, Ref: "spec.md, Push `basic_details`",
		Help: "Who the campaign is for your team: its name, tags and team, and the platforms it goes to.",
		Fields: []schema.Field{
			campaignName(schema.Publish),
			{
				Name: "business_event", Kind: schema.String, Suggest: "business_events",
				Help: "The business event that starts this campaign, such as a price drop.", Example: "price_drop",
				Used:     schema.When("/campaign_delivery_type", "BUSINESS_EVENT_TRIGGERED"),
				Required: []schema.Required{{When: schema.When("/campaign_delivery_type", "BUSINESS_EVENT_TRIGGERED")}},
			},
			tags(),
			team(),
			platforms(),
			{
				Name: "broadcast_live_activity_id", Title: "Live activity ID", Kind: schema.String,
				Help: "The live activity on iOS that this broadcast updates.", Example: "match-2026-final",
				Used:     schema.When("/campaign_delivery_type", "BROADCAST_LIVE_ACTIVITY"),
				Required: []schema.Required{{When: schema.All{schema.When("/campaign_delivery_type", "BROADCAST_LIVE_ACTIVITY"), schema.Holds{Path: "platforms", Value: "IOS"}}}},
			},
			geofences(),
			{
				Name: "send_to_triggered_platform_only", Title: "Triggered platform only", Kind: schema.Bool,
				Help:    "Send only to the platform that raised the event, not to every device of the person.",
				Applies: schema.When("/campaign_delivery_type", "EVENT_TRIGGERED"),
			},
			platformDetails(),
		},
	}
}

// emailBasicDetails is EmailBasicDetailsV5.
func emailBasicDetails() schema.Field {
	return schema.Field{
		Name: "basic_details", ID: "email.basic_details", Kind: schema.Object, Ref: "spec.md, Email `basic_details`",
		Help: "Who the campaign is for your team, and the consent that it relies on.",
		Fields: []schema.Field{
			campaignName(schema.Inline | schema.Publish),
			{
				Name: "business_event", Kind: schema.String, Suggest: "business_events",
				Help: "The business event that starts this campaign, such as a price drop.", Example: "price_drop",
				Used: schema.When("/campaign_delivery_type", "BUSINESS_EVENT_TRIGGERED"),
				Required: []schema.Required{{
					When: schema.When("/campaign_delivery_type", "BUSINESS_EVENT_TRIGGERED"), At: schema.Publish, Ref: refPublish,
				}},
			},
			{
				Name: "content_type", Kind: schema.String, Required: []schema.Required{{At: schema.Inline}},
				Help: "Whether this mail advertises, or tells people about something they did.",
				Options: []schema.Option{
					{Value: "PROMOTIONAL", Label: "Promotional", Help: "needs a subscription category"},
					{Value: "TRANSACTIONAL", Label: "Transactional", Help: "receipts, confirmations, resets"},
				},
			},
			{
				Name: "subscription_category", Kind: schema.String, Suggest: "subscription_categories",
				Help: "The kind of mail that people subscribed to; who left that category gets none.", Example: "Newsletter",
				Required: []schema.Required{
					{At: schema.Inline},
					{When: schema.When("content_type", "PROMOTIONAL"), At: schema.Publish, Ref: refPublish},
				},
				Rules: []schema.Rule{schema.Guard{At: schema.Inline | schema.Publish, Rule: schema.Configured{List: "subscription_categories"}}},
			},
			tags(),
			team(),
			{
				Name: "user_attribute_identifier", Title: "Address attribute", Kind: schema.String, Suggest: "user_attributes",
				Help:    "The user attribute that holds the address to send to.",
				Example: "Email (Standard)", Default: `"Email (Standard)"`, Required: []schema.Required{{At: schema.Inline}},
			},
		},
	}
}

func campaignName(required schema.Stage) schema.Field {
	ref := refPublish
	if required&schema.Inline != 0 {
		ref = ""
	}
	return schema.Field{
		Name: "name", Title: "Campaign name", Kind: schema.String,
		Help: "What you and your team call this campaign. People who get the message never see it.", Example: "Spring sale 2026",
		Required: []schema.Required{{At: required, Ref: ref}},
	}
}

func tags() schema.Field {
	return schema.Field{
		Name: "tags", Kind: schema.List, Suggest: "tags", Rules: []schema.Rule{atMost(fewItems)},
		Help: "Words by which you find this campaign again.",
		Elem: &schema.Field{Title: "Tag", Kind: schema.String, Suggest: "tags", Help: "One tag.", Example: "sale"},
	}
}

func team() schema.Field {
	return schema.Field{
		Name: "team", Kind: schema.String, Suggest: "teams",
		Help: "The team that owns this campaign.", Example: "Growth",
	}
}

func platforms() schema.Field {
	notLive := schema.Unless("/campaign_delivery_type", "BROADCAST_LIVE_ACTIVITY")
	return schema.Field{
		Name: "platforms", Kind: schema.List,
		Help:     "Where this push goes. Each platform listed here needs content of its own.",
		Required: []schema.Required{{At: schema.Publish, Ref: refPublish}},
		Rules:    []schema.Rule{schema.Unique{}, atMost(fewItems)},
		Elem: &schema.Field{
			Title: "Platform", Kind: schema.String, Help: "One platform.",
			Options: []schema.Option{
				{Value: "ANDROID", Label: "Android", When: notLive},
				{Value: "IOS", Label: "iOS"},
				{Value: "WEB", Label: "Web", When: notLive},
			},
		},
	}
}

func platformDetails() schema.Field {
	flags := []string{"send_to_all_eligible_device", "exclude_provisional_push_devices", "send_to_only_provisional_push_enabled_devices"}
	ios := schema.Holds{Path: "../platforms", Value: "IOS"}
	return schema.Field{
		Name: "platform_specific_details", Title: "Platform specifics", Kind: schema.Object, Ref: "spec.md, `platform_specific_details`",
		Help:     "Which devices of a platform are reached.",
		Required: []schema.Required{{When: schema.Holds{Path: "platforms", Value: "IOS"}, At: schema.Publish}},
		Fields: []schema.Field{
			{
				Name: "android", Title: "Android", Kind: schema.Object, Help: "Which Android devices are reached.",
				Fields: []schema.Field{{
					Name: "push_amp_plus_enabled", Title: "Push amplification plus", Kind: schema.Bool, Default: "false",
					Help: "Use the device maker's own channel to reach phones that the usual one does not.",
				}},
			},
			{
				Name: "ios", Title: "iOS", Kind: schema.Object, Help: "Which iOS devices are reached: exactly one of the three is on.",
				Required: []schema.Required{{When: ios, At: schema.Publish}},
				Rules: []schema.Rule{schema.Guard{
					When: schema.AnyOf{ios, schema.Not{C: schema.Has{Path: "../platforms"}}}, Rule: schema.OneTrue{Fields: flags},
				}},
				Fields: []schema.Field{
					{
						Name: flags[0], Title: "All eligible devices", Kind: schema.Bool,
						Help: "Every iOS device that takes push, provisional ones too.",
					},
					{
						Name: flags[1], Title: "Leave out provisional", Kind: schema.Bool,
						Help: "Only devices whose owner said yes to notifications.",
					},
					{
						Name: flags[2], Title: "Only provisional", Kind: schema.Bool,
						Help: "Only devices that take notifications quietly, on trial.",
					},
				},
			},
		},
	}
}

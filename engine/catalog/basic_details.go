package catalog

import "bugle/engine/schema"

// pushBasicDetails returns PushBasicDetailsV5. The table that includes it says when it is required.
func pushBasicDetails() schema.Field {
	return schema.Field{
		Name: "basic_details", ID: "push.basic_details", Noun: "a name and platforms", Kind: schema.Object, Ref: "CONTRACT.md, basic_details",
		Help: "The campaign's name, tags and team, and the platforms it is sent to.",
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
				Help: "The iOS live activity that this broadcast updates.", Example: "match-2026-final",
				Used:     schema.When("/campaign_delivery_type", "BROADCAST_LIVE_ACTIVITY"),
				Required: []schema.Required{{When: schema.All{schema.When("/campaign_delivery_type", "BROADCAST_LIVE_ACTIVITY"), schema.Holds{Path: "platforms", Value: "IOS"}}}},
			},
			geofences(),
			{
				Name: "send_to_triggered_platform_only", Title: "Triggered platform only", Kind: schema.Bool,
				Help:    "Send only to the platform where the event happened, not to all of the user's devices.",
				Applies: schema.When("/campaign_delivery_type", "EVENT_TRIGGERED"),
			},
			platformDetails(),
		},
	}
}

// emailBasicDetails returns EmailBasicDetailsV5.
func emailBasicDetails() schema.Field {
	return schema.Field{
		Name: "basic_details", ID: "email.basic_details", Noun: "a name", Kind: schema.Object, Ref: "CONTRACT.md, basic_details",
		Help: "The campaign's name, tags and team, and the kind of consent it needs.",
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
				Help: "Whether this email is marketing or follows from something the user did.",
				Options: []schema.Option{
					{Value: "PROMOTIONAL", Label: "Promotional", Help: "marketing; sent only to people subscribed to the category you choose"},
					{Value: "TRANSACTIONAL", Label: "Transactional", Help: "receipts, confirmations, password resets"},
				},
			},
			{
				Name: "subscription_category", Kind: schema.String, Suggest: "subscription_categories",
				Help: "The kind of email people signed up for. People who unsubscribed from it are skipped.", Example: "Newsletter",
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
				Help:    "The user attribute that holds the email address to send to.",
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
		Help: "The name your team knows this campaign by. Recipients never see it.", Example: "Spring sale 2026",
		Required: []schema.Required{{At: required, Ref: ref}},
	}
}

func tags() schema.Field {
	return schema.Field{
		Name: "tags", Kind: schema.List, Suggest: "tags", Rules: []schema.Rule{atMost(fewItems)},
		Help: "Labels that help you find this campaign later.",
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
		Help:     "The platforms this push is sent to. Each one needs its own message.",
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

// iosFlags are the fields of which exactly one is on: the iOS devices that get a push.
var iosFlags = []string{"send_to_all_eligible_device", "exclude_provisional_push_devices", "send_to_only_provisional_push_enabled_devices"}

func platformDetails() schema.Field {
	ios := schema.Holds{Path: "../platforms", Value: "IOS"}
	return schema.Field{
		Name: "platform_specific_details", Title: "Platform options", Kind: schema.Object,
		Help:     "Which devices get the message on each platform.",
		Required: []schema.Required{{When: schema.Holds{Path: "platforms", Value: "IOS"}, At: schema.Publish}},
		Fields: []schema.Field{
			{
				Name: "android", Title: "Android", Kind: schema.Object, Help: "Which Android devices get the message.",
				Fields: []schema.Field{{
					Name: "push_amp_plus_enabled", Title: "Push Amplification+", Kind: schema.Bool, Default: "false",
					Help: "Also deliver through the phone maker's own push service, to reach more phones.",
				}},
			},
			{
				Name: "ios", Title: "iOS", Kind: schema.Object, Help: "Which iOS devices get the message. Turn on exactly one.", Flat: true, Choice: "iOS devices",
				Required: []schema.Required{{When: ios, At: schema.Publish}},
				Rules: []schema.Rule{schema.Guard{
					When: schema.AnyOf{ios, schema.Not{C: schema.Has{Path: "../platforms"}}}, Rule: schema.OneTrue{Fields: iosFlags},
				}},
				Fields: []schema.Field{
					{
						Name: iosFlags[0], Title: "All eligible devices", Kind: schema.Bool,
						Help: "All iOS devices that accept push, including those on provisional permission.",
					},
					{
						Name: iosFlags[1], Title: "Exclude provisional", Kind: schema.Bool,
						Help: "Only devices whose owner has allowed notifications.",
					},
					{
						Name: iosFlags[2], Title: "Only provisional", Kind: schema.Bool,
						Help: "Only devices on provisional permission, which show notifications quietly.",
					},
				},
			},
		},
	}
}

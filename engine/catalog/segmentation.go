package catalog

import "bugle/engine/schema"

func segmentationDetails() schema.Field {
	byAudience := notTypes(DeviceTriggered, LocationTriggered)
	return schema.Field{
		Name: string(SegmentationDetails), ID: "segmentation_details", Title: "Audience", Kind: schema.Object,
		Ref:      "spec.md, segmentation_details",
		Help:     "Who gets the message: everyone, or the users that filters pick.",
		Required: []schema.Required{{When: byAudience, At: schema.Publish, Ref: refPublish}},
		Rules:    []schema.Rule{schema.Guard{When: byAudience, At: schema.Publish, Rule: minimumAudience}},
		Fields: []schema.Field{
			led(2, []schema.Field{filterGroup("included_filters", "Include", "The users to include.")})[0],
			led(2, []schema.Field{filterGroup("excluded_filters", "Exclude", "The users to leave out.")})[0],
			{
				Name: "is_all_user_campaign", Title: "Send to", Kind: schema.Bool, Yes: "All users", No: "Users who match", Lead: 1,
				Help: "Everybody who has opted in, or only the users that match the filters below.",
			},
			{
				Name: "send_campaign_to_opt_out_users", Title: "Opted-out users too", Kind: schema.Bool,
				Help: "Target users who have opted out as well.",
			},
		},
	}
}

var minimumAudience = schema.Named{
	ID: "minimum_audience", Says: "all users, or at least one included filter",
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Get("is_all_user_campaign").True() || p.Value.Get("included_filters").Get("filters").Len() > 0 {
			return nil
		}
		return []schema.Finding{{Message: "needs an audience: set is_all_user_campaign to true, or add a filter to included_filters"}}
	},
}

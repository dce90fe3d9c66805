package catalog

import (
	"bugle/engine/doc"
	"bugle/engine/schema"
)

func segmentationDetails() schema.Field {
	byAudience := notTypes(DeviceTriggered, LocationTriggered)
	include := led(2, []schema.Field{filterGroup("included_filters", "Include", "The users who get the message.")})[0]
	include.Used = schema.Not{C: schema.On{Path: "is_all_user_campaign"}}
	return schema.Field{
		Name: string(SegmentationDetails), ID: "segmentation_details", Title: "Audience", Noun: "an audience", Kind: schema.Object,
		Ref:      "CONTRACT.md, segmentation_details",
		Help:     "Who gets the message: everyone, or the users who match your conditions.",
		Required: []schema.Required{{When: byAudience, At: schema.Publish, Ref: refPublish}},
		Rules:    []schema.Rule{schema.Guard{When: byAudience, At: schema.Publish, Rule: minimumAudience}},
		Fields: []schema.Field{
			include,
			led(2, []schema.Field{filterGroup("excluded_filters", "Exclude", "The users who don't get the message, even if they match Include.")})[0],
			{
				Name: "is_all_user_campaign", Title: "Send to", Kind: schema.Bool, Yes: "All users", No: "Users who match", Lead: 1,
				Help: "All users who have opted in, or only those who match the filters below.",
			},
			{
				Name: "send_campaign_to_opt_out_users", Title: "Include opted-out users", Kind: schema.Bool,
				Help: "Also send to users who have opted out.",
			},
		},
	}
}

var minimumAudience = schema.Named{
	ID: "minimum_audience", Text: "all users, or at least one condition under included_filters",
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Get("is_all_user_campaign").True() || p.Value.Get("included_filters").Get("filters").Len() > 0 {
			return nil
		}
		return []schema.Finding{{
			Path:        doc.P("included_filters"),
			Message:     "choose who gets this: set is_all_user_campaign to true, or add a filter to included_filters",
			FormMessage: "choose who gets this: add a condition, or choose All users",
		}}
	},
}

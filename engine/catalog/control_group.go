package catalog

import "bugle/engine/schema"

func controlGroupDetails() schema.Field {
	return schema.Field{
		Name: string(ControlGroupDetails), ID: "control_group_details", Title: "Control group", Kind: schema.Object,
		Ref:  "CONTRACT.md, control_group_details",
		Help: "Users who don't get the message, so that you can measure the campaign's effect.",
		Fields: []schema.Field{
			{
				Name: "is_campaign_control_group_enabled", Title: "Campaign control group", Kind: schema.Bool,
				Help: "Don't send to a share of this campaign's audience.",
			},
			{
				Name: "campaign_control_group_percentage", Title: "Control group size", Kind: schema.Integer, Example: "10", Unit: "percent",
				Help:     "The share of the audience that doesn't get the message.",
				Required: []schema.Required{{When: schema.On{Path: "is_campaign_control_group_enabled"}}},
				Rules:    []schema.Rule{schema.Range{Min: 0, Max: 100}},
			},
			{
				Name: "is_global_control_group_enabled", Title: "Global control group", Kind: schema.Bool,
				Help: "Also don't send to the workspace's global control group.",
			},
		},
	}
}

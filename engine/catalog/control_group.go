package catalog

import "bugle/engine/schema"

func controlGroupDetails() schema.Field {
	return schema.Field{
		Name: string(ControlGroupDetails), ID: "control_group_details", Title: "Control group", Kind: schema.Object,
		Ref:  "spec.md, control_group_details",
		Help: "Users who get nothing, so that the effect of the campaign can be told.",
		Fields: []schema.Field{
			{
				Name: "is_campaign_control_group_enabled", Title: "Campaign control group", Kind: schema.Bool,
				Help: "Hold a share of this campaign's audience back.",
			},
			{
				Name: "campaign_control_group_percentage", Title: "Share held back", Kind: schema.Integer, Example: "10",
				Help:     "The share of the audience that is held back, in per cent.",
				Required: []schema.Required{{When: schema.On{Path: "is_campaign_control_group_enabled"}}},
				Rules:    []schema.Rule{schema.Range{Min: 0, Max: 100}},
			},
			{
				Name: "is_global_control_group_enabled", Title: "Global control group", Kind: schema.Bool,
				Help: "Leave out the workspace's global control group as well.",
			},
		},
	}
}

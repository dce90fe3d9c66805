package catalog

import "bugle/engine/schema"

func campaignAudienceLimit() schema.Field {
	on := schema.On{Path: "is_campaign_audience_limit_enabled"}
	companion := func(f schema.Field) schema.Field {
		f.Required = []schema.Required{{When: on}}
		f.Rules = append(f.Rules, schema.Forbidden{When: schema.Not{C: on}})
		return f
	}
	return schema.Field{
		Name: string(CampaignAudienceLimit), ID: "campaign_audience_limit", Title: "Audience limit", Kind: schema.Object,
		Ref:     "spec.md, campaign_audience_limit",
		Help:    "A cap on how many messages the campaign sends.",
		Applies: notTypes(BroadcastLiveActivity),
		Rules:   []schema.Rule{schema.Forbidden{When: schema.Not{C: schema.Flag{Name: "campaign_audience_limit"}}}},
		Fields: []schema.Field{
			{
				Name: "is_campaign_audience_limit_enabled", Title: "Audience cap", Kind: schema.Bool, Required: []schema.Required{{}},
				Help: "Whether there is a cap.",
			},
			companion(schema.Field{
				Name: "metric", Title: "Counts", Kind: schema.String, Help: "What is counted.",
				Options: []schema.Option{{Value: "SENT", Label: "Messages sent"}},
			}),
			companion(schema.Field{
				Name: "frequency", Title: "Per", Kind: schema.String, Help: "What the cap is for.",
				Options: []schema.Option{
					{Value: "TOTAL", Label: "Campaign", Help: "a cap for its whole life"},
					{Value: "INSTANCE", Label: "Send", Help: "a cap for each send", When: schema.All{forChannel(Push), forTypes(Periodic)}},
				},
			}),
			companion(schema.Field{
				Name: "limit", Kind: schema.Integer, Help: "How many messages are sent at most.", Example: "100000",
				Rules: []schema.Rule{schema.Range{Min: 1, Max: 9_999_999_999}},
			}),
		},
	}
}

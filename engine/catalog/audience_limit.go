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
		Name: string(CampaignAudienceLimit), ID: "campaign_audience_limit", Title: "Audience limit", Noun: "an audience limit", Kind: schema.Object,
		Ref:     "CONTRACT.md, campaign_audience_limit",
		Help:    "A limit on how many messages the campaign sends.",
		Applies: notTypes(BroadcastLiveActivity),
		Rules:   []schema.Rule{schema.Forbidden{When: schema.Not{C: schema.Flag{Name: "campaign_audience_limit"}}}},
		Fields: []schema.Field{
			{
				Name: "is_campaign_audience_limit_enabled", Title: "Limit messages", Kind: schema.Bool, Required: []schema.Required{{}},
				Help: "Limit how many messages this campaign sends.",
			},
			companion(schema.Field{
				Name: "metric", Title: "Count", Kind: schema.String, Help: "What the limit counts.",
				Options: []schema.Option{{Value: "SENT", Label: "Messages sent"}},
			}),
			companion(schema.Field{
				Name: "frequency", Title: "Per", Kind: schema.String, Help: "What the limit applies to.",
				Options: []schema.Option{
					{Value: "TOTAL", Label: "Campaign", Help: "one limit for the whole campaign"},
					{Value: "INSTANCE", Label: "Send", Help: "a separate limit for each send", When: schema.All{forChannel(Push), forTypes(Periodic)}},
				},
			}),
			companion(schema.Field{
				Name: "limit", Kind: schema.Integer, Help: "The most messages to send.", Example: "100000", Unit: "messages",
				Rules: []schema.Rule{schema.Range{Min: 1, Max: 9_999_999_999}},
			}),
		},
	}
}

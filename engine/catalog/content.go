package catalog

import "bugle/engine/schema"

// pushCampaignContent returns PushCampaignContent.
func pushCampaignContent() schema.Field {
	return campaignContent(pushContent(), schema.Field{
		Name: "email", Title: "Email", Kind: schema.Any, Help: "An email. Push campaigns have none.", Applies: forChannel(Email),
	})
}

// emailCampaignContent returns EmailCampaignContent.
func emailCampaignContent() schema.Field {
	return campaignContent(emailContent(), schema.Field{
		Name: "push", Title: "Push", Kind: schema.Any, Help: "A push notification. Email campaigns have none.", Applies: forChannel(Push),
	})
}

// pushContent returns PushContent: one push on each of its platforms.
func pushContent() schema.Field {
	return schema.Field{
		Name: "push", ID: "push", Title: "Push", Kind: schema.Object,
		Help:   "The notification on each platform.",
		Flat:   true,
		Fields: []schema.Field{onPlatform(Android, androidContent()), onPlatform(IOS, iosContent()), onPlatform(Web, webContent())},
		Rules: []schema.Rule{schema.Guard{At: schema.Publish, Ref: refPublish, Rule: schema.Named{
			ID: "platform_content", Text: "every platform of the campaign needs a message", Check: everyPlatform,
		}}},
	}
}

// onPlatform returns the content of a platform, which is only used if the campaign has that platform, or has
// no platforms yet.
func onPlatform(p Platform, content schema.Field) schema.Field {
	content.Used = schema.AnyOf{schema.Holds{Path: platformsPath, Value: string(p)}, schema.Not{C: schema.Has{Path: platformsPath}}}
	return content
}

// campaignContent returns the component for one channel: message is the channel's own object in content and
// in each cell, foreign the other channel's, which is refused.
func campaignContent(message, foreign schema.Field) schema.Field {
	members := []schema.Field{message, foreign}
	if foreign.Name == "push" {
		members = []schema.Field{foreign, message} // the order is the same for both channels
	}
	return schema.Field{
		Name: "campaign_content", ID: "campaign_content", Title: "Content", Noun: "a message", Kind: schema.Object, Ref: "CONTRACT.md, campaign_content",
		Editor: schema.EditorContent,
		Help:   "The message, its translations and its A/B variations.",
		Rules: []schema.Rule{schema.Guard{At: schema.Publish, Ref: refOwn, Rule: schema.Named{
			ID: "split", Text: "an A/B test needs a distribution_type", Check: splitKnown,
		}}},
		Fields: []schema.Field{
			{
				Name: "locales", Kind: schema.List, Suggest: "locales",
				Help: "The languages of this campaign, besides the default one.",
				Rules: []schema.Rule{
					schema.Excludes{Values: []string{"default"}, Text: "it is always included"},
					schema.Unique{},
					atMost(manyItems),
				},
				Elem: &schema.Field{Title: "Locale", Kind: schema.String, Suggest: "locales", Help: "The name of one locale.", Example: "de"},
			},
			variationDetails(),
			{
				Name: "content", Title: "Message", Kind: schema.Object, Flat: true,
				Help:     "The message: one, or one for each locale and variation.",
				Required: []schema.Required{{At: schema.Inline | schema.Saved | schema.Publish}},
				Fields:   members,
				Elem:     localeTable(members, message.Name),
				Either:   true, // one_shape
				Rules: []schema.Rule{
					schema.Named{ID: "one_shape", Text: "either one message, or one for each locale and variation; a single message only without locales and A/B variations", Check: oneShape},
					schema.Named{ID: "default_locale", Text: "the default locale is required", Check: defaultLocale},
					schema.Named{ID: "listed_locales", Text: "every locale except default must be listed in locales", Check: listedLocales},
					schema.Guard{At: schema.Publish, Ref: refPublish, Rule: schema.Named{
						ID: "every_cell", Text: "every listed locale needs every variation", Check: everyCell,
					}},
				},
			},
		},
	}
}

// localeTable returns the table of one locale in keyed content: its variations, each a cell.
func localeTable(members []schema.Field, message string) *schema.Field {
	return &schema.Field{
		Title: "Locale", Kind: schema.Map, Help: "The variations of one locale.", Rules: []schema.Rule{cellNames},
		Elem: &schema.Field{
			Title: "Variation", Kind: schema.Object, Fields: members, Help: "The message for one locale and variation.",
			Rules: []schema.Rule{schema.Guard{At: schema.Inline | schema.Publish, Rule: schema.OneOf{Fields: []string{message}}}},
		},
	}
}

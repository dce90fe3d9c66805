package catalog

import "bugle/engine/schema"

// pushCampaignContent is PushCampaignContent.
func pushCampaignContent() schema.Field {
	return campaignContent(pushContent(), schema.Field{
		Name: "email", Title: "E-mail", Kind: schema.Any, Help: "An e-mail. Push campaigns have none.", Applies: forChannel(Email),
	})
}

// emailCampaignContent is EmailCampaignContent.
func emailCampaignContent() schema.Field {
	return campaignContent(emailContent(), schema.Field{
		Name: "push", Title: "Push", Kind: schema.Any, Help: "A push notification. E-mail campaigns have none.", Applies: forChannel(Push),
	})
}

// pushContent is PushContent: one push, on each of its platforms.
func pushContent() schema.Field {
	return schema.Field{
		Name: "push", ID: "push", Title: "Push", Kind: schema.Object, Ref: "spec.md, Push content (`PushContent`)",
		Help:   "The notification on each platform.",
		Flat:   true,
		Fields: []schema.Field{androidContent(), iosContent(), webContent()},
		Rules: []schema.Rule{schema.Guard{At: schema.Publish, Ref: refPublish, Rule: schema.Named{
			ID: "platform_content", Says: "content for every platform of the campaign", Check: everyPlatform,
		}}},
	}
}

// campaignContent is the component for one channel: message is the channel's own object in
// content and in each of its cells, foreign the other channel's, which is refused there.
func campaignContent(message, foreign schema.Field) schema.Field {
	members := []schema.Field{message, foreign}
	if foreign.Name == "push" {
		members = []schema.Field{foreign, message} // the order is the same for both channels
	}
	return schema.Field{
		Name: "campaign_content", ID: "campaign_content", Title: "Content", Kind: schema.Object, Ref: "spec.md, Campaign content",
		Editor: schema.EditorContent,
		Help:   "What people get: the message, its translations and its variations.",
		Rules: []schema.Rule{schema.Guard{At: schema.Publish, Ref: refOurs, Rule: schema.Named{
			ID: "split", Says: "several variations need a distribution type", Check: splitKnown,
		}}},
		Fields: []schema.Field{
			{
				Name: "locales", Kind: schema.List, Suggest: "locales",
				Help: "The languages of this campaign besides the default one, which is always there.",
				Rules: []schema.Rule{
					schema.Excludes{Values: []string{"default"}, Says: "it is always there"},
					schema.Unique{},
					atMost(manyItems),
				},
				Elem: &schema.Field{Title: "Locale", Kind: schema.String, Suggest: "locales", Help: "The name of one locale.", Example: "de"},
			},
			variationDetails(),
			{
				Name: "content", Title: "Message", Kind: schema.Object, Flat: true,
				Help:     "The message itself: one, or one for each locale and variation.",
				Required: []schema.Required{{At: schema.Inline | schema.Saved | schema.Publish}},
				Fields:   members,
				Elem:     localeTable(members, message.Name),
				Either:   true, // one_shape
				Rules: []schema.Rule{
					schema.Named{ID: "one_shape", Says: "either one message, or messages by locale and variation; one alone only without locales and A/B variations", Check: oneShape},
					schema.Named{ID: "default_locale", Says: "the default locale is always there", Check: defaultLocale},
					schema.Named{ID: "listed_locales", Says: "locales other than default are listed in locales", Check: listedLocales},
					schema.Guard{At: schema.Publish, Ref: refPublish, Rule: schema.Named{
						ID: "every_cell", Says: "each listed locale has each variation", Check: everyCell,
					}},
				},
			},
		},
	}
}

// localeTable is the shape of one locale in keyed content: its variations, each a cell.
func localeTable(members []schema.Field, message string) *schema.Field {
	return &schema.Field{
		Title: "Locale", Kind: schema.Map, Help: "The variations of one locale.", Rules: []schema.Rule{cellNames},
		Elem: &schema.Field{
			Title: "Variation", Kind: schema.Object, Fields: members, Help: "The message for one locale and variation.",
			Rules: []schema.Rule{schema.Guard{At: schema.Inline | schema.Publish, Rule: schema.OneOf{Fields: []string{message}}}},
		},
	}
}

package catalog

import "bugle/engine/schema"

// webContent is WebPushContent.
func webContent() schema.Field {
	atPublish := []schema.Required{{At: schema.Publish, Ref: refPublish}}
	return schema.Field{
		Name: "web", Title: "Web", Kind: schema.Object, Lead: leadPlatform, Ref: "spec.md, Web (`WebPushContent`)",
		Help: "The notification as a browser shows it.",
		Fields: []schema.Field{
			{
				Name: "template_type", Title: "Template", Kind: schema.String, Default: `"BASIC"`,
				Help: "The design of the notification; browsers have the basic one.", Options: []schema.Option{{Value: "BASIC", Label: "Basic"}},
			},
			{
				Name: "basic_details", Kind: schema.Object, Open: true, Ref: refObjects, Required: atPublish, Flat: true,
				Help: "Text and picture of the notification, and the page that it opens.",
				Fields: []schema.Field{
					personal(schema.Field{
						Name: "title", Kind: schema.String, Lead: leadTitle,
						Help: "The first line, in bold. Say the point of the message.", Example: "Spring is here",
						Required: atPublish,
					}),
					personal(schema.Field{
						Name: "message", Kind: schema.String, Long: true, Lead: leadMessage,
						Help: "The text of the notification.", Example: "25% off everything, today only",
						Required: atPublish,
					}),
					uri(schema.Field{
						Name: "redirect_url", Title: "Tap opens", Links: schema.LinkItself, Lead: leadTapValue, Twin: twinTap,
						Help: "The page that a click opens.", Example: "https://shop.example.com/spring",
						Required: atPublish,
					}),
					uri(schema.Field{
						Name: "image_url", Title: "Image URL", Lead: leadImage,
						Help: "The picture of the notification.", Example: "https://cdn.example.com/spring.png",
					}),
					{
						Name: "auto_dismiss_notification", Title: "Dismiss by itself", Kind: schema.Bool,
						Help: "Let the browser take the notification away after a while.",
					},
				},
			},
			{
				Name: "buttons", Kind: schema.List, Lead: leadButtons, Help: "Buttons below the message, in their order.", Rules: []schema.Rule{atMost(fewItems)},
				Elem: &schema.Field{
					Title: "Button", Kind: schema.Object, Open: true, Ref: refObjects, Help: "One button and the page that it opens.",
					Fields: []schema.Field{
						personal(schema.Field{Name: "title", Title: "Text", Kind: schema.String, Twin: twinButtonText, Help: "What the button says.", Example: "Shop now"}),
						uri(schema.Field{
							Name: "icon_url", Title: "Icon URL",
							Help: "A small picture on the button.", Example: "https://cdn.example.com/cart.png",
						}),
						uri(schema.Field{
							Name: "url", Title: "URL", Links: schema.LinkItself, Twin: twinButtonOpens,
							Help: "The page that the button opens.", Example: "https://shop.example.com/spring",
						}),
					},
				},
			},
			{
				Name: "advanced", Kind: schema.Object, Open: true, Ref: refObjects, Help: "The icon of the notification.", Flat: true,
				Fields: []schema.Field{
					{
						Name: "icon_image_type", Title: "Icon", Kind: schema.String, Help: "Whether the site's usual icon is shown or one of your own.",
						Options: []schema.Option{{Value: "DEFAULT", Label: "Default"}, {Value: "ICON_URL", Label: "Own icon"}},
					},
					uri(schema.Field{
						Name: "icon_url", Title: "Icon URL", Help: "Where your own icon lies.", Example: "https://cdn.example.com/icon.png",
						Used: schema.When("icon_image_type", "ICON_URL"), Required: []schema.Required{{When: schema.When("icon_image_type", "ICON_URL")}},
					}),
				},
			},
		},
	}
}

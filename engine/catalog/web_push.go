package catalog

import "bugle/engine/schema"

// webContent returns WebPushContent.
func webContent() schema.Field {
	atPublish := []schema.Required{{At: schema.Publish, Ref: refPublish}}
	return schema.Field{
		Name: "web", Title: "Web", Kind: schema.Object, Lead: leadPlatform,
		Help: "The notification in the browser.",
		Fields: []schema.Field{
			{
				Name: "template_type", Title: "Template", Kind: schema.String, Default: `"BASIC"`,
				Help: "The layout of the notification. Browsers only support the basic one.", Options: []schema.Option{{Value: "BASIC", Label: "Basic"}},
			},
			{
				Name: "basic_details", Kind: schema.Object, Open: true, Required: atPublish, Flat: true,
				Help: "The text and image, and the page it opens.",
				Fields: []schema.Field{
					wording(schema.Field{
						Name: "title", Kind: schema.String, Lead: leadTitle,
						Help: "The first line, in bold. Lead with the main point.", Example: "Spring is here",
						Required: atPublish,
					}),
					wording(schema.Field{
						Name: "message", Kind: schema.String, Long: true, Lead: leadMessage,
						Help: "The text of the notification.", Example: "25% off everything, today only",
						Required: atPublish,
					}),
					uri(schema.Field{
						Name: "redirect_url", Title: "Tap opens", Links: schema.LinkItself, Lead: leadTapValue, Twin: twinTap,
						Help: "The page a click opens.", Example: "https://shop.example.com/spring",
						Required: atPublish,
					}),
					uri(schema.Field{
						Name: "image_url", Title: "Image URL", Lead: leadImage,
						Help: "The image in the notification.", Example: "https://cdn.example.com/spring.png",
					}),
					{
						Name: "auto_dismiss_notification", Title: "Auto-dismiss", Kind: schema.Bool,
						Help: "Let the browser remove the notification after a while.",
					},
				},
			},
			{
				Name: "buttons", Kind: schema.List, Lead: leadButtons, Help: "The buttons below the message, in order.", Rules: []schema.Rule{atMost(fewItems)},
				Elem: &schema.Field{
					Title: "Button", Kind: schema.Object, Open: true, Help: "One button and the page it opens.",
					Fields: []schema.Field{
						wording(schema.Field{Name: "title", Title: "Text", Kind: schema.String, Twin: TwinButtonText, Help: "The text on the button.", Example: "Shop now"}),
						uri(schema.Field{
							Name: "icon_url", Title: "Icon URL",
							Help: "A small image on the button.", Example: "https://cdn.example.com/cart.png",
						}),
						uri(schema.Field{
							Name: "url", Title: "URL", Links: schema.LinkItself, Twin: TwinButtonOpens,
							Help: "The page the button opens.", Example: "https://shop.example.com/spring",
						}),
					},
				},
			},
			{
				Name: "advanced", Kind: schema.Object, Open: true, Help: "The notification's icon.", Flat: true,
				Fields: []schema.Field{
					{
						Name: "icon_image_type", Title: "Icon", Kind: schema.String, Help: "Whether to show the site's default icon or your own.",
						Options: []schema.Option{{Value: "DEFAULT", Label: "Default"}, {Value: "ICON_URL", Label: "Custom icon"}},
					},
					uri(schema.Field{
						Name: "icon_url", Title: "Icon URL", Help: "The address of your icon.", Example: "https://cdn.example.com/icon.png",
						Used: schema.When("icon_image_type", "ICON_URL"), Required: []schema.Required{{When: schema.When("icon_image_type", "ICON_URL")}},
					}),
				},
			},
		},
	}
}

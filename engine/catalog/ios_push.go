package catalog

import "bugle/engine/schema"

// iosContent returns IOSPushContent.
func iosContent() schema.Field {
	fields := []schema.Field{{
		Name: "template_type", Title: "Template", Kind: schema.String, Default: `"BASIC"`, Lead: leadTemplate,
		Help: "The layout of the notification. It decides which other fields are used.",
		Options: []schema.Option{
			{Value: "BASIC", Label: "Basic", Help: "title, message and one image or video"},
			{Value: "STYLIZED_BASIC", Label: "Stylized basic", Help: "title, message and image in your colors"},
			{Value: "SIMPLE_IMAGE_CAROUSEL", Label: "Simple image carousel", Help: "several images to swipe through"},
			{Value: "Custom", Label: "Custom", Help: "a template saved in the workspace"},
		},
	}}
	fields = append(fields, customTemplate()...)
	fields = append(fields,
		iosBasicDetails(),
		schema.Field{
			Name: "buttons", Kind: schema.List, Lead: leadButtons, Help: "The notification's button sets.", Rules: []schema.Rule{atMost(fewItems)},
			Elem: &schema.Field{
				Title: "Button", Kind: schema.Object, Open: true, Help: "One set of buttons.",
				Fields: []schema.Field{{
					Name: "button_category", Kind: schema.String, Example: "SHOP_OR_LATER",
					Help: "The notification category registered in the app. It decides which buttons are shown.",
				}},
			},
		},
		iosAdvanced(),
		iosBackup(),
	)
	return schema.Field{
		Name: "ios", Title: "iOS", Kind: schema.Object, Lead: leadPlatform,
		Help: "The notification on iPhone and iPad.", Fields: fields,
	}
}

func iosBasicDetails() schema.Field {
	const template = "../template_type"
	carouselOnly := []schema.Required{{When: schema.When(template, "SIMPLE_IMAGE_CAROUSEL")}}
	fields := iosText([]schema.Required{{When: isBasic(template), At: schema.Publish, Ref: refPublish}})
	fields = append(fields,
		uri(schema.Field{
			Name: "image_url", Title: "Image URL", Lead: leadImage,
			Help: "The image in the notification.", Example: "https://cdn.example.com/spring.png",
			Required: carouselOnly,
		}),
		uri(schema.Field{
			Name: "input_gif_url", Title: "GIF URL",
			Help: "An animated image to show instead of the still one.", Example: "https://cdn.example.com/spring.gif",
		}),
		color(schema.Field{
			Name: "background_color_code", Title: "Background color",
			Help: "The color behind the text.", Example: "#FFF4E5",
		}),
		schema.Field{
			Name: "apply_background_color_in_text_editor", Title: "Show color in editor", Kind: schema.Bool,
			Help: "Show the background color while you edit the text.",
		},
		carousel(),
	)
	fields = append(append(fields, defaultClick()...), keyValuePairs())
	return schema.Field{
		Name: "basic_details", Kind: schema.Object, Open: true, Fields: fields, Flat: true,
		Help: "The text and images, and what a tap does.",
		Required: []schema.Required{
			{When: schema.When("template_type", "SIMPLE_IMAGE_CAROUSEL")},
			{When: isBasic("template_type"), At: schema.Publish, Ref: refPublish},
		},
	}
}

// iosText returns the first fields of basic_details and template_backup.
func iosText(required []schema.Required) []schema.Field {
	return []schema.Field{
		wording(schema.Field{
			Name: "title", Kind: schema.String, Lead: leadTitle,
			Help: "The first line, in bold. Lead with the main point.", Example: "Spring is here",
			Required: required,
		}),
		wording(schema.Field{
			Name: "subtitle", Kind: schema.String,
			Help: "A second line, between the title and the message.", Example: "Only today",
		}),
		wording(schema.Field{
			Name: "message", Kind: schema.String, Long: true, Lead: leadMessage,
			Help: "The text of the notification.", Example: "25% off everything, today only",
			Required: required,
		}),
		{
			Name: "allow_bg_refresh", Title: "Background refresh", Kind: schema.Bool,
			Help: "Wake the app when the notification arrives, so it can load new content.",
		},
		{
			Name: "rich_media_type", Kind: schema.String, Help: "What the notification shows with the text.",
			Options: []schema.Option{{Value: "Image"}, {Value: "Video"}, {Value: "GIF"}},
		},
		uri(schema.Field{
			Name: "rich_media_value", Title: "Rich media URL",
			Help: "The address of the image or video.", Example: "https://cdn.example.com/spring.mp4",
		}),
	}
}

func iosAdvanced() schema.Field {
	return schema.Field{
		Name: "advanced", Kind: schema.Object, Open: true, Flat: true,
		Help: "Coupon, sound, badge, and grouping.",
		Fields: []schema.Field{
			personal(schema.Field{
				Name: "coupon_code", Kind: schema.String,
				Help: "A code that users can copy from the notification.", Example: "SPRING25",
			}),
			{
				Name: "sound_file", Kind: schema.String,
				Help: "The sound file in the app to play when the notification arrives.", Example: "chime.caf",
			},
			{Name: "enable_ios_badge", Title: "Badge", Kind: schema.Bool, Help: "Show the number of notifications on the app's icon."},
			groupKey(),
			collapseKey(),
		},
	}
}

func iosBackup() schema.Field {
	backed := schema.When("template_type", "STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL")
	return schema.Field{
		Name: "template_backup", Title: "Backup", Kind: schema.Object, Open: true, Lead: leadOfTemplate,
		Help: "A simple version for devices that can't show this template.",
		Used: backed, Required: []schema.Required{{When: backed, At: schema.Publish}},
		Fields: append(append(iosText(nil), defaultClick()...), keyValuePairs()),
	}
}

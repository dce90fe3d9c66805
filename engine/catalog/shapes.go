package catalog

import "bugle/engine/schema"

// refPublish is the section of the publishing rules.
const refPublish = "CONTRACT.md, Publishing rules"

// personal makes a text field accept expressions, which must parse when publishing.
func personal(f schema.Field) schema.Field {
	f.Template = true
	f.Rules = append(f.Rules, schema.Guard{At: schema.Publish, Rule: schema.Expressions{}, Ref: refPublish})
	return f
}

// wording makes a text field the words of a message, with expressions.
func wording(f schema.Field) schema.Field {
	f.Words = true
	return personal(f)
}

// uri makes a text field a personalizable URL or deep link.
func uri(f schema.Field) schema.Field {
	f.Kind = schema.String
	f.Rules = append(f.Rules, schema.Format{As: schema.URI})
	return personal(f)
}

// color makes a text field a hex color.
func color(f schema.Field) schema.Field {
	f.Kind = schema.String
	f.Rules = append(f.Rules, schema.Format{As: schema.Color, Plain: true})
	return f
}

// Twins of fields that the platforms name differently (see [schema.Field].Twin).
const (
	twinTap         = "tap"
	TwinButtonText  = "button_text"
	TwinButtonOpens = "button_opens"
)

// The order of the first fields in the form of a push (see [schema.Field].Lead).
const (
	leadTitle = iota + 1
	leadMessage
	leadImage
	leadTap
	leadTapValue
	leadButtons
	leadTemplate
	leadOfTemplate // fields of one template only
)

// leadPlatform puts the platforms of a push first.
const leadPlatform = 1

// The order of the first fields in the form of an email.
const (
	leadSubject = iota + 1
	leadPreviewText
	leadSenderName
	leadFromAddress
	leadBody
)

// led returns the fields with the same Lead.
func led(at int, fields []schema.Field) []schema.Field {
	for i := range fields {
		fields[i].Lead = at
	}
	return fields
}

// keyValuePairs returns the field with custom payload pairs.
func keyValuePairs() schema.Field {
	return schema.Field{
		Name: "key_value_pairs", Title: "Key-value pairs", Kind: schema.List, Rules: []schema.Rule{atMost(fewItems)},
		Help: "Custom data sent with the message, which your app can read.",
		Elem: &schema.Field{
			ID: "key_value_pair", Title: "Pair", Kind: schema.Object, Open: true,
			Help: "One key and its value.",
			Fields: []schema.Field{
				{Name: "key", Kind: schema.String, Help: "The name your app uses to find the value.", Example: "promo_code"},
				personal(schema.Field{
					Name: "value", Kind: schema.String,
					Help: "The value. You can personalize it.", Example: "SPRING25",
				}),
			},
		},
	}
}

var (
	deepLinking = schema.Option{Value: "DEEPLINKING", Label: "Deep link", Help: "opens a page inside the app"}
	toScreen    = schema.Option{Value: "NAVIGATE_TO_A_SCREEN", Label: "App screen", Help: "opens an app screen by its name"}
	richLanding = schema.Option{Value: "RICH_LANDING", Label: "Rich landing page", Help: "opens a web page inside the app"}
)

// clickActions returns the options for a tap on a notification.
func clickActions() []schema.Option { return []schema.Option{deepLinking, toScreen, richLanding} }

// defaultClick returns the two fields for a tap on the notification itself.
func defaultClick() []schema.Field {
	return []schema.Field{
		{
			Name: "default_click_action", Title: "Tap action", Kind: schema.String, Options: clickActions(), Lead: leadTap,
			Help: "What a tap on the notification does. Buttons have their own actions.",
		},
		personal(schema.Field{
			Name: "default_click_action_value", Title: "Tap opens", Kind: schema.String, Links: schema.LinkItself, Lead: leadTapValue,
			Twin: twinTap,
			Help: "The URL, deep link or screen name to open.", Example: "shop://offers/spring",
		}),
	}
}

// carousel returns the field carousel_content of Android and iOS.
func carousel() schema.Field {
	return schema.Field{
		Name: "carousel_content", ID: "carousel", Title: "Carousel", Kind: schema.Object, Open: true,
		Help:     "The images users swipe through, and how they change.",
		Lead:     leadOfTemplate,
		Used:     schema.When("../template_type", "SIMPLE_IMAGE_CAROUSEL"),
		Required: []schema.Required{{When: schema.When("../template_type", "SIMPLE_IMAGE_CAROUSEL")}},
		Fields: []schema.Field{
			{
				Name: "slider_transition", Kind: schema.String,
				Help: "Whether users swipe from image to image, or the images change automatically.",
				Options: []schema.Option{
					{Value: "MANUAL", Label: "Manual", Help: "users swipe"},
					{Value: "AUTOMATIC", Label: "Automatic", Help: "images change by themselves"},
				},
			},
			{
				Name: "slide_data", Title: "Slides", Kind: schema.List, Rules: []schema.Rule{atMost(fewItems)},
				Help: "The images, in order.",
				Elem: &schema.Field{
					ID: "carousel.slide", Title: "Slide", Kind: schema.Object, Open: true, Fields: slideFields(),
					Help: "One image and what a tap on it does.",
				},
			},
		},
	}
}

func slideFields() []schema.Field {
	return []schema.Field{
		uri(schema.Field{
			Name: "image_url", Title: "Image URL",
			Help: "The image on this slide.", Example: "https://cdn.example.com/slide-1.png",
		}),
		{
			Name: "image_click_action", Kind: schema.String, Options: []schema.Option{deepLinking, richLanding, toScreen},
			Help: "What a tap on this image does.",
		},
		personal(schema.Field{
			Name: "image_click_action_value", Title: "Tap opens", Kind: schema.String, Links: schema.LinkItself,
			Help: "The URL, deep link or screen name that a tap on this image opens.", Example: "shop://offers/spring",
			Required: []schema.Required{{When: schema.Has{Path: "image_click_action"}}},
		}),
		keyValuePairs(),
	}
}

// customTemplate returns the two fields that select a saved template, in a table with template_type.
func customTemplate() []schema.Field {
	custom := schema.When("template_type", "Custom")
	return []schema.Field{
		{
			Name: CustomTemplateID, Title: "Custom template ID", Kind: schema.String,
			Help: "The ID of the saved template to use.", Example: "65f1c0ffee0ddba11ca11ab1",
			Used: custom, Required: []schema.Required{{When: custom}}, Lead: leadTemplate,
		},
		{
			Name: CustomTemplateVersion, Kind: schema.Integer, Used: custom, Lead: leadTemplate,
			Help: "The version of the saved template. Leave it empty to use the latest.", Example: "2",
		},
	}
}

// isBasic holds if the object that contains the field uses the plain template. An absent template_type is
// BASIC.
func isBasic(path string) schema.Cond {
	return schema.AnyOf{schema.When(path, "BASIC"), schema.Not{C: schema.Has{Path: path}}}
}

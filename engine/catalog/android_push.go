// The platform comes first in this name: a file that ends in _android.go is built for Android alone.

package catalog

import "bugle/engine/schema"

// Templates of Android that several conditions name.
var (
	androidStyled   = []string{"STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT"}
	androidTimers   = []string{"TIMER", "TIMER_WITH_PROGRESS_BAR"}
	androidBackedUp = append(androidStyled[:3:3], androidTimers...)
)

// androidContent returns AndroidPushContent.
func androidContent() schema.Field {
	timers := schema.When("template_type", androidTimers...)
	fields := []schema.Field{{
		Name: "template_type", Title: "Template", Kind: schema.String, Default: `"BASIC"`, Lead: leadTemplate,
		Help: "The layout of the notification. It decides which other fields are used.",
		Options: []schema.Option{
			{Value: "BASIC", Label: "Basic", Help: "title, message and one image"},
			{Value: "STYLIZED_BASIC", Label: "Stylized basic", Help: "title, message and image in your colors"},
			{Value: "SIMPLE_IMAGE_CAROUSEL", Label: "Simple image carousel", Help: "several images to swipe through"},
			{Value: "IMAGE_BANNER_WITH_TEXT", Label: "Image banner with text", Help: "one wide image"},
			{Value: "TIMER", Label: "Timer", Help: "a countdown"},
			{Value: "TIMER_WITH_PROGRESS_BAR", Label: "Timer with progress bar", Help: "a countdown with a progress bar"},
			{Value: "Custom", Label: "Custom", Help: "a template saved in the workspace"},
		},
	}}
	fields = append(fields, customTemplate()...)
	fields = append(fields,
		androidBasicDetails(),
		schema.Field{
			Name: "timer", Kind: schema.Object, Fields: led(leadOfTemplate, timerFields()), Flat: true,
			Help: "When the countdown ends.", Used: timers, Required: []schema.Required{{When: timers}},
		},
		schema.Field{
			Name: "buttons", Kind: schema.List, Lead: leadButtons, Help: "The buttons below the message, in order.", Rules: []schema.Rule{atMost(fewItems)},
			Elem: &schema.Field{
				Title: "Button", Kind: schema.Object, Help: "One button and what it does.",
				Fields: androidButtonFields(),
			},
		},
		androidAdvanced(),
		androidBackup(),
	)
	return schema.Field{
		Name: "android", Title: "Android", Kind: schema.Object, Lead: leadPlatform,
		Help: "The notification on Android.", Fields: fields,
	}
}

func androidBasicDetails() schema.Field {
	const template = "../template_type"
	banner := schema.When(template, "IMAGE_BANNER_WITH_TEXT")
	styled := schema.When(template, androidStyled...)
	atPublish := []schema.Required{{When: isBasic(template), At: schema.Publish, Ref: refPublish}}
	fields := []schema.Field{
		{
			Name: "notification_channel", Kind: schema.String,
			Help: "The app's Android notification channel. Users can mute each channel.", Example: "offers",
		},
		wording(schema.Field{
			Name: "title", Kind: schema.String, Lead: leadTitle,
			Help: "The first line, in bold. Lead with the main point.", Example: "Spring is here",
			Required: atPublish,
		}),
		wording(schema.Field{
			Name: "message", Kind: schema.String, Long: true, Lead: leadMessage,
			Help: "The text below the title. You can use HTML formatting.", Example: "25% off everything, today only",
			Required: atPublish,
		}),
		wording(schema.Field{
			Name: "summary", Kind: schema.String,
			Help: "A short line shown beside or below the message.", Example: "Ends tonight",
		}),
		uri(schema.Field{
			Name: "image_url", Title: "Image URL", Lead: leadImage,
			Help: "The image in the notification.", Example: "https://cdn.example.com/spring.png",
		}),
		uri(schema.Field{
			Name: "banner_image_url", Title: "Banner image URL", Lead: leadImage,
			Help: "The wide image for the banner.", Example: "https://cdn.example.com/banner.png",
			Used: banner, Required: []schema.Required{{When: banner}},
		}),
		uri(schema.Field{
			Name: "input_gif_url", Title: "GIF URL",
			Help: "An animated image to show instead of the still one.", Example: "https://cdn.example.com/spring.gif",
			Used: isBasic(template),
		}),
		{
			Name: "image_scaling", Kind: schema.String, Help: "How an image of a different shape fills the space.",
			Used: schema.When(template, "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT"),
			Options: []schema.Option{
				{Value: "FIT_INSIDE_IMAGE_CONTAINER", Label: "Fit inside", Help: "shows the whole image"},
				{Value: "FILL_IMAGE_CONTAINER", Label: "Fill", Help: "fills the space; edges may be cut off"},
			},
		},
		{Name: "include_app_name_and_time", Title: "App name and time", Kind: schema.Bool, Help: "Show the app's name and the time on the banner.", Used: banner},
		{Name: "include_title_and_message", Title: "Title and message", Kind: schema.Bool, Help: "Show the title and message on the banner.", Used: banner},
		color(schema.Field{
			Name: "background_color_code", Title: "Background color",
			Help: "The color behind the text.", Example: "#FFF4E5",
			Used: styled,
		}),
		color(schema.Field{
			Name: "app_name_color_code", Title: "App name color",
			Help: "The color of the app's name.", Example: "#7A3E00",
			Used: styled,
		}),
		{
			Name: "notification_control_color", Title: "Notification controls", Kind: schema.String,
			Help:    "Whether arrows and other controls are light or dark. Choose what stands out from the background.",
			Options: []schema.Option{{Value: "LIGHT", Label: "Light"}, {Value: "DARK", Label: "Dark"}},
		},
		{
			Name: "apply_background_color_in_text_editor", Title: "Show color in editor", Kind: schema.Bool,
			Help: "Show the background color while you edit the text.",
		},
		wording(schema.Field{
			Name: "collapsed_push_notification", Title: "Collapsed text", Kind: schema.String,
			Help: "The text shown while the banner is collapsed.", Example: "Spring sale: 25% off",
			Used: banner,
		}),
		carousel(),
	}
	fields = append(append(fields, defaultClick()...), keyValuePairs())
	return schema.Field{
		Name: "basic_details", Kind: schema.Object, Fields: fields, Flat: true,
		Help: "The text, images and colors, and what a tap does.",
		Required: []schema.Required{
			{When: schema.When("template_type", "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT")},
			{When: isBasic("template_type"), At: schema.Publish, Ref: refPublish},
		},
	}
}

func timerFields() []schema.Field {
	const personalized = "personalized_value"
	specific := schema.When("timer_ends_at", "SPECIFIC_TIME_USER_TIMEZONE", "SPECIFIC_TIME_CAMPAIGN_TIMEZONE")
	// An absent personalized_value counts as false, but not to ask for a duration beside a moment.
	duration := []schema.Required{
		{When: schema.All{schema.Has{Path: personalized}, schema.Not{C: schema.On{Path: personalized}}}},
		{When: schema.All{schema.When("timer_ends_at", "DURATION"), schema.Not{C: schema.Has{Path: personalized}}}},
	}
	return []schema.Field{
		{
			Name: "timer_ends_at", Title: "Countdown ends", Kind: schema.String,
			Help: "Whether the countdown runs for a set time or until a date and time.",
			Options: []schema.Option{
				{Value: "DURATION", Label: "Duration", Help: "counts from when the notification arrives"},
				{Value: "SPECIFIC_TIME_USER_TIMEZONE", Label: "Date and time, user's time zone"},
				{Value: "SPECIFIC_TIME_CAMPAIGN_TIMEZONE", Label: "Date and time, campaign's time zone"},
			},
		},
		personal(schema.Field{
			Name: "specific_time", Kind: schema.Time, Help: "When the countdown ends. You can take it from the user's data with an expression.",
			Example: "2026-12-01T18:00:00Z", Required: []schema.Required{{When: schema.On{Path: personalized}}},
		}),
		{
			Name: "time_period", Kind: schema.String,
			Help: "AM or PM.", Example: "PM",
			Required: []schema.Required{{When: specific}},
		},
		{
			Name: personalized, Title: "Personalized", Kind: schema.Bool,
			Help: "On: the end comes from the user's data. Off: everyone gets the same duration.",
		},
		personal(schema.Field{
			Name: "duration_hour", Title: "Duration, hours", Kind: schema.String,
			Help: "How many hours the countdown runs.", Example: "2",
			Required: duration, Rules: []schema.Rule{schema.Format{As: schema.Digits}},
		}),
		personal(schema.Field{
			Name: "duration_minute", Title: "Duration, minutes", Kind: schema.String,
			Help: "How many minutes the countdown runs, in addition to the hours.", Example: "30",
			Required: duration, Rules: []schema.Rule{schema.Format{As: schema.Digits}},
		}),
	}
}

func androidButtonFields() []schema.Field {
	return []schema.Field{
		wording(schema.Field{Name: "btn_name", Title: "Text", Kind: schema.String, Twin: TwinButtonText, Help: "The text on the button.", Example: "Shop now"}),
		{
			Name: "click_action_type", Title: "Action", Kind: schema.String, Help: "What a tap on the button does.",
			Options: append(clickActions(),
				schema.Option{Value: "CALL", Label: "Call", Help: "calls a phone number"},
				schema.Option{Value: "SHARE", Label: "Share", Help: "opens the share menu with a text"},
				schema.Option{Value: "COPY", Label: "Copy", Help: "copies a text, such as a coupon code"},
				schema.Option{Value: "SET_USER_ATTRIBUTE", Label: "Set user attribute", Help: "saves a value on the user's profile"},
				schema.Option{Value: "TRACK_EVENT", Label: "Track event", Help: "records an event"},
				schema.Option{Value: "CUSTOM_ACTION", Label: "Custom action", Help: "passes a value to the app"},
				schema.Option{Value: "SNOOZE", Label: "Snooze", Help: "shows the notification again later"},
				schema.Option{Value: "REMIND_LATER", Label: "Remind later", Help: "lets users choose when to see it again"},
			),
		},
		{
			Name: "click_action_name", Title: "Action name", Kind: schema.String,
			Help: "The attribute to set or the event to record.", Example: "cart_opened",
		},
		personal(schema.Field{
			Name: "click_action_value", Title: "Action value", Kind: schema.String, Links: schema.LinkItself, Twin: TwinButtonOpens,
			Help: "What the action uses, such as a URL, a phone number or a text to copy.", Example: "https://shop.example.com/spring",
		}),
		keyValuePairs(),
	}
}

func androidAdvanced() schema.Field {
	auto := schema.On{Path: "auto_dismiss_notification"}
	sticky := schema.On{Path: "make_notification_sticky"}
	return schema.Field{
		Name: "advanced", Kind: schema.Object, Open: true, Flat: true,
		Help: "Coupon, icon, how long the notification stays, and grouping.",
		Fields: []schema.Field{
			personal(schema.Field{
				Name: "coupon_code", Kind: schema.String,
				Help: "A code that users can copy from the notification.", Example: "SPRING25",
			}),
			{
				Name: "icon_type_in_notification", Title: "Icon", Kind: schema.String,
				Help: "The icon shown in the notification.", Example: "APP_ICON",
			},
			{Name: "use_large_icon", Kind: schema.Bool, Help: "Show the large icon next to the text."},
			{
				Name: "make_notification_sticky", Title: "Sticky", Kind: schema.Bool,
				Help: "Keep the notification until the user taps the dismiss button.",
			},
			wording(schema.Field{
				Name: "dismiss_button_text", Kind: schema.String, Help: "The text on the button that closes the notification.", Example: "Dismiss",
				Required: []schema.Required{{When: schema.AnyOf{sticky, auto}}},
			}),
			{
				Name: "auto_dismiss_notification", Title: "Auto-dismiss", Kind: schema.Bool,
				Help: "Remove the notification automatically after a while.",
			},
			{
				Name: "auto_dismiss_notification_time_value", Title: "Dismiss after", Kind: schema.Integer,
				Help: "How long it stays before it is removed.", Example: "6",
				Used: auto, Required: []schema.Required{{When: auto}}, Rules: []schema.Rule{atLeastOne},
				Span: &schema.Span{Unit: "auto_dismiss_notification_time_granularity"},
			},
			{
				Name: "auto_dismiss_notification_time_granularity", Title: "Dismiss after, unit", Kind: schema.String, Help: "The unit of that time.",
				Used: auto, Required: []schema.Required{{When: auto}},
				Options: []schema.Option{{Value: "DAYS", Label: "Days"}, {Value: "HOURS", Label: "Hours"}, {Value: "MINUTES", Label: "Minutes"}},
			},
			groupKey(),
			collapseKey(),
		},
	}
}

func groupKey() schema.Field {
	return schema.Field{Name: "group_key", Kind: schema.String, Help: "Notifications with the same key are grouped together.", Example: "offers"}
}

func collapseKey() schema.Field {
	return schema.Field{Name: "collapse_replace_key", Title: "Replace key", Kind: schema.String, Help: "A newer notification with the same key replaces this one.", Example: "spring-sale"}
}

func androidBackup() schema.Field {
	backed := schema.When("template_type", androidBackedUp...)
	fields := []schema.Field{
		wording(schema.Field{Name: "title", Kind: schema.String, Lead: leadTitle, Help: "The title of the simple version.", Example: "Spring is here"}),
		wording(schema.Field{
			Name: "message", Kind: schema.String, Long: true, Lead: leadMessage,
			Help: "The text of the simple version.", Example: "25% off everything, today only",
		}),
		wording(schema.Field{
			Name: "summary", Kind: schema.String,
			Help: "The short line of the simple version.", Example: "Ends tonight",
		}),
		uri(schema.Field{
			Name: "image_url", Title: "Image URL", Lead: leadImage,
			Help: "The image of the simple version.", Example: "https://cdn.example.com/spring.png",
		}),
	}
	return schema.Field{
		Name: "template_backup", Title: "Backup", Kind: schema.Object, Open: true, Lead: leadOfTemplate,
		Help: "A simple version for devices that can't show this template.",
		Used: backed, Required: []schema.Required{{When: backed, At: schema.Publish}},
		Fields: append(append(fields, defaultClick()...), keyValuePairs()),
	}
}

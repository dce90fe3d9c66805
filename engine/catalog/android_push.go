// The platform comes first in this name: a file that ends in _android.go is built for Android alone.

package catalog

import "bugle/engine/schema"

// Templates of Android that several conditions name.
var (
	androidStyled   = []string{"STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT"}
	androidTimers   = []string{"TIMER", "TIMER_WITH_PROGRESS_BAR"}
	androidBackedUp = append(androidStyled[:3:3], androidTimers...)
)

// androidContent is AndroidPushContent.
func androidContent() schema.Field {
	timers := schema.When("template_type", androidTimers...)
	fields := []schema.Field{{
		Name: "template_type", Title: "Template", Kind: schema.String, Default: `"BASIC"`, Lead: leadTemplate,
		Help: "The design of the notification. It decides which of the other fields count.",
		Options: []schema.Option{
			{Value: "BASIC", Label: "Basic", Help: "title, message, one picture"},
			{Value: "STYLIZED_BASIC", Label: "Stylized basic", Help: "basic, in your colours"},
			{Value: "SIMPLE_IMAGE_CAROUSEL", Label: "Simple image carousel", Help: "pictures to swipe through"},
			{Value: "IMAGE_BANNER_WITH_TEXT", Label: "Image banner with text", Help: "one wide picture"},
			{Value: "TIMER", Label: "Timer", Help: "counts down to a moment"},
			{Value: "TIMER_WITH_PROGRESS_BAR", Label: "Timer with progress bar", Help: "counts down, and shows how far"},
			{Value: "Custom", Label: "Custom", Help: "a saved template"},
		},
	}}
	fields = append(fields, customTemplate()...)
	fields = append(fields,
		androidBasicDetails(),
		schema.Field{
			Name: "timer", Kind: schema.Object, Ref: "spec.md, Android `timer`", Fields: led(leadOfTemplate, timerFields()), Flat: true,
			Help: "When the countdown ends.", Used: timers, Required: []schema.Required{{When: timers}},
		},
		schema.Field{
			Name: "buttons", Kind: schema.List, Lead: leadButtons, Help: "Buttons below the message, in their order.", Rules: []schema.Rule{atMost(fewItems)},
			Elem: &schema.Field{
				Title: "Button", Kind: schema.Object, Ref: "spec.md, Android button", Help: "One button and what it does.",
				Fields: androidButtonFields(),
			},
		},
		androidAdvanced(),
		androidBackup(),
	)
	return schema.Field{
		Name: "android", Title: "Android", Kind: schema.Object, Lead: leadPlatform, Ref: "spec.md, Android (`AndroidPushContent`)",
		Help: "The notification as Android shows it.", Fields: fields,
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
			Help: "The Android notification channel that the app has set up; people mute channels one by one.", Example: "offers",
		},
		personal(schema.Field{
			Name: "title", Kind: schema.String, Lead: leadTitle,
			Help: "The first line, in bold. Say the point of the message.", Example: "Spring is here",
			Required: atPublish,
		}),
		personal(schema.Field{
			Name: "message", Kind: schema.String, Long: true, Lead: leadMessage,
			Help: "The text below the title. It may use HTML for rich text.", Example: "25% off everything, today only",
			Required: atPublish,
		}),
		personal(schema.Field{
			Name: "summary", Kind: schema.String,
			Help: "A short line that Android shows beside or below the message.", Example: "Ends tonight",
		}),
		uri(schema.Field{
			Name: "image_url", Title: "Image URL", Lead: leadImage,
			Help: "The picture of the notification.", Example: "https://cdn.example.com/spring.png",
		}),
		uri(schema.Field{
			Name: "banner_image_url", Title: "Banner image URL", Lead: leadImage,
			Help: "The wide picture that the banner template shows.", Example: "https://cdn.example.com/banner.png",
			Used: banner, Required: []schema.Required{{When: banner}},
		}),
		uri(schema.Field{
			Name: "input_gif_url", Title: "GIF URL",
			Help: "An animated picture in place of the still one.", Example: "https://cdn.example.com/spring.gif",
			Used: isBasic(template),
		}),
		{
			Name: "image_scaling", Kind: schema.String, Help: "How a picture of another shape fills its place.",
			Used: schema.When(template, "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT"),
			Options: []schema.Option{
				{Value: "FIT_INSIDE_IMAGE_CONTAINER", Label: "Fit inside", Help: "all of it is seen"},
				{Value: "FILL_IMAGE_CONTAINER", Label: "Fill", Help: "edges may be cut"},
			},
		},
		{Name: "include_app_name_and_time", Title: "App name and time", Kind: schema.Bool, Help: "Show the app's name and the time on the banner.", Used: banner},
		{Name: "include_title_and_message", Title: "Title and message", Kind: schema.Bool, Help: "Show title and message on the banner.", Used: banner},
		color(schema.Field{
			Name: "background_color_code", Title: "Background colour",
			Help: "The colour behind the text.", Example: "#FFF4E5",
			Used: styled,
		}),
		color(schema.Field{
			Name: "app_name_color_code", Title: "App name colour",
			Help: "The colour in which the app's name is written.", Example: "#7A3E00",
			Used: styled,
		}),
		{
			Name: "notification_control_color", Title: "Notification controls", Kind: schema.String,
			Help:    "Whether arrows and other controls are light or dark; pick what stands out from the background.",
			Options: []schema.Option{{Value: "LIGHT", Label: "Light"}, {Value: "DARK", Label: "Dark"}},
		},
		{
			Name: "apply_background_color_in_text_editor", Title: "Colour in the editor", Kind: schema.Bool,
			Help: "Show the background colour while the text is edited.",
		},
		personal(schema.Field{
			Name: "collapsed_push_notification", Title: "Collapsed text", Kind: schema.String,
			Help: "What the banner shows while it is collapsed.", Example: "Spring sale: 25% off",
			Used: banner,
		}),
		carousel(),
	}
	fields = append(append(fields, defaultClick()...), keyValuePairs())
	return schema.Field{
		Name: "basic_details", Kind: schema.Object, Ref: "spec.md, Android `basic_details`", Fields: fields, Flat: true,
		Help: "Text, pictures and colours of the notification, and what a tap does.",
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
			Help: "Whether the countdown runs for a while or to a moment, and in whose time zone.",
			Options: []schema.Option{
				{Value: "DURATION", Label: "Duration", Help: "counted from arrival"},
				{Value: "SPECIFIC_TIME_USER_TIMEZONE", Label: "Time of the user's zone"},
				{Value: "SPECIFIC_TIME_CAMPAIGN_TIMEZONE", Label: "Time of the campaign's zone"},
			},
		},
		personal(schema.Field{
			Name: "specific_time", Kind: schema.Time, Help: "The moment at which the countdown ends; an expression takes it from the person's data.",
			Example: "2026-12-01T18:00:00Z", Required: []schema.Required{{When: schema.On{Path: personalized}}},
		}),
		{
			Name: "time_period", Kind: schema.String,
			Help: "The half of the day that the time is in.", Example: "PM",
			Required: []schema.Required{{When: specific}},
		},
		{
			Name: personalized, Title: "Personalised", Kind: schema.Bool,
			Help: "On: the end comes from the person's data. Off: everyone gets the same duration.",
		},
		personal(schema.Field{
			Name: "duration_hour", Title: "Duration, hours", Kind: schema.String,
			Help: "The hours that the countdown runs.", Example: "2",
			Required: duration, Rules: []schema.Rule{schema.Format{As: schema.Digits}},
		}),
		personal(schema.Field{
			Name: "duration_minute", Title: "Duration, minutes", Kind: schema.String,
			Help: "The minutes that the countdown runs, besides the hours.", Example: "30",
			Required: duration, Rules: []schema.Rule{schema.Format{As: schema.Digits}},
		}),
	}
}

func androidButtonFields() []schema.Field {
	return []schema.Field{
		personal(schema.Field{Name: "btn_name", Title: "Text", Kind: schema.String, Twin: twinButtonText, Help: "What the button says.", Example: "Shop now"}),
		{
			Name: "click_action_type", Title: "Action", Kind: schema.String, Help: "What a tap on the button does.",
			Options: append(clickActions(),
				schema.Option{Value: "CALL", Label: "Call", Help: "dials a number"},
				schema.Option{Value: "SHARE", Label: "Share", Help: "shares a text"},
				schema.Option{Value: "COPY", Label: "Copy", Help: "copies a text, such as a coupon"},
				schema.Option{Value: "SET_USER_ATTRIBUTE", Label: "Set user attribute", Help: "notes something about the person"},
				schema.Option{Value: "TRACK_EVENT", Label: "Track event", Help: "records an event"},
				schema.Option{Value: "CUSTOM_ACTION", Label: "Custom action", Help: "hands a value to the app"},
				schema.Option{Value: "SNOOZE", Label: "Snooze", Help: "shows the notification again later"},
				schema.Option{Value: "REMIND_LATER", Label: "Remind later", Help: "lets people pick when"},
			),
		},
		{
			Name: "click_action_name", Title: "Action name", Kind: schema.String,
			Help: "The name that goes with the action: of the attribute it sets, or the event it records.", Example: "cart_opened",
		},
		personal(schema.Field{
			Name: "click_action_value", Title: "Action value", Kind: schema.String, Links: schema.LinkItself, Twin: twinButtonOpens,
			Help: "What the action takes: a URL, a phone number, a text to copy.", Example: "https://shop.example.com/spring",
		}),
		keyValuePairs(),
	}
}

func androidAdvanced() schema.Field {
	auto := schema.On{Path: "auto_dismiss_notification"}
	sticky := schema.On{Path: "make_notification_sticky"}
	return schema.Field{
		Name: "advanced", Kind: schema.Object, Open: true, Ref: "spec.md, Android `advanced`", Flat: true,
		Help: "Coupon, icon, how long the notification stays, and how it groups with others.",
		Fields: []schema.Field{
			personal(schema.Field{
				Name: "coupon_code", Kind: schema.String,
				Help: "A code that people copy from the notification.", Example: "SPRING25",
			}),
			{
				Name: "icon_type_in_notification", Title: "Icon", Kind: schema.String,
				Help: "Which icon the notification carries.", Example: "APP_ICON",
			},
			{Name: "use_large_icon", Kind: schema.Bool, Help: "Show the large icon beside the text."},
			{
				Name: "make_notification_sticky", Title: "Sticky", Kind: schema.Bool,
				Help: "Keep the notification until its dismiss button is tapped.",
			},
			personal(schema.Field{
				Name: "dismiss_button_text", Kind: schema.String, Help: "What the button says that closes the notification.", Example: "Dismiss",
				Required: []schema.Required{{When: schema.AnyOf{sticky, auto}}},
			}),
			{
				Name: "auto_dismiss_notification", Title: "Dismiss by itself", Kind: schema.Bool,
				Help: "Take the notification away after a while.",
			},
			{
				Name: "auto_dismiss_notification_time_value", Title: "Dismiss after", Kind: schema.Integer,
				Help: "How long it stays before it goes by itself.", Example: "6",
				Used: auto, Required: []schema.Required{{When: auto}}, Rules: []schema.Rule{atLeastOne},
			},
			{
				Name: "auto_dismiss_notification_time_granularity", Title: "Dismiss after, unit", Kind: schema.String, Help: "The unit of that time.",
				Used: auto, Required: []schema.Required{{When: auto}},
				Options: []schema.Option{{Value: "DAYS", Label: "Days"}, {Value: "HOURS", Label: "Hours"}, {Value: "MINUTES", Label: "Minutes"}},
			},
			at(refObjects, groupKey()),
			at(refObjects, collapseKey()),
		},
	}
}

func groupKey() schema.Field {
	return schema.Field{Name: "group_key", Kind: schema.String, Help: "Notifications with the same key are stacked into one group.", Example: "offers"}
}

func collapseKey() schema.Field {
	return schema.Field{Name: "collapse_replace_key", Title: "Replace key", Kind: schema.String, Help: "A newer notification with the same key takes the place of this one.", Example: "spring-sale"}
}

func androidBackup() schema.Field {
	backed := schema.When("template_type", androidBackedUp...)
	fields := []schema.Field{
		personal(schema.Field{Name: "title", Kind: schema.String, Lead: leadTitle, Help: "The title of the plain notification.", Example: "Spring is here"}),
		personal(schema.Field{
			Name: "message", Kind: schema.String, Long: true, Lead: leadMessage,
			Help: "The text of the plain notification.", Example: "25% off everything, today only",
		}),
		personal(schema.Field{
			Name: "summary", Kind: schema.String,
			Help: "The short line of the plain notification.", Example: "Ends tonight",
		}),
		uri(schema.Field{
			Name: "image_url", Title: "Image URL", Lead: leadImage,
			Help: "The picture of the plain notification.", Example: "https://cdn.example.com/spring.png",
		}),
	}
	return schema.Field{
		Name: "template_backup", Title: "Backup", Kind: schema.Object, Open: true, Ref: refObjects, Lead: leadOfTemplate,
		Help: "The plain notification that devices show which cannot draw the template.",
		Used: backed, Required: []schema.Required{{When: backed, At: schema.Publish}},
		Fields: append(append(fields, defaultClick()...), keyValuePairs()),
	}
}

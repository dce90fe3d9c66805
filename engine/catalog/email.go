package catalog

import "bugle/engine/schema"

// emailContent is EmailContent: one e-mail.
func emailContent() schema.Field {
	template := schema.Has{Path: "custom_template_id"}
	return schema.Field{
		Name: "email", ID: "email.content", Title: "E-mail", Kind: schema.Object, Flat: true, Ref: "spec.md, Email content (`EmailContent`)",
		Help: "The mail: subject, sender, body and attachments.",
		Rules: []schema.Rule{
			schema.NotBoth{Fields: []string{"html_content", "custom_template_id"}},
			schema.Guard{At: schema.Publish, Rule: schema.OneOf{Fields: []string{"html_content", "custom_template_id"}}, Ref: refPublish},
		},
		Fields: []schema.Field{
			personal(schema.Field{
				Name: "subject", Kind: schema.String, Lead: leadSubject,
				Help: "The line by which people decide whether to open the mail.", Example: "Spring is here, {{UserAttribute['First Name']}}",
				Required: []schema.Required{{When: schema.Not{C: template}, At: schema.Publish, Ref: refPublish}},
			}),
			personal(schema.Field{
				Name: "preview_text", Kind: schema.String, Lead: leadPreviewText,
				Help: "What inboxes show after the subject.", Example: "25% off everything, today only",
			}),
			personal(schema.Field{
				Name: "sender_name", Kind: schema.String, Lead: leadSenderName,
				Help: "The name that the mail comes from.", Example: "Example Shop",
			}),
			fromAddress(),
			address("reply_to_address", "Reply-to address", "Where answers go, when not to the address it comes from.", "support@example.com"),
			addresses("cc_ids", "Cc", "Further addresses that get a copy and are seen by everyone."),
			addresses("bcc_ids", "Bcc", "Further addresses that get a copy and are seen by nobody."),
			personal(schema.Field{
				Name: "html_content", Title: "HTML", Kind: schema.String, Long: true, Lead: leadBody, Links: schema.LinksInHTML, Help: "The body of the mail. It excludes a custom template.",
				Example: "<p>Hello {{UserAttribute['First Name']|default('friend')}}</p>",
			}),
			{
				Name: "email_editor", Title: "Editor", Kind: schema.String, Default: `"Rich Editor"`,
				Help: "The editor in which the body was made. Needed when it is the code editor.",
				Options: []schema.Option{
					{Value: "Rich Editor", Label: "Rich editor", Help: "drag and drop"},
					{Value: "Code Editor", Label: "Code editor", Help: "HTML written by hand"},
				},
			},
			{
				Name: "custom_template_id", Title: "Custom template ID", Kind: schema.String,
				Help: "The id of a saved template that gives the body, and the subject where you set none. It excludes HTML of your own.", Example: "65f1c0ffee0ddba11ca11ab1",
			},
			{
				Name: "custom_template_version", Kind: schema.Integer, Used: template,
				Help: "The version of the saved template. Leave it out to take the newest.", Example: "2",
			},
			{
				Name: "attachments", Kind: schema.List, Help: "Files that go with the mail.", Rules: []schema.Rule{atMost(fewItems)},
				Elem: &schema.Field{
					Title: "Attachment", Kind: schema.Object, Help: "One file.",
					Fields: []schema.Field{
						{
							Name: "file_type", Kind: schema.String, Help: "Whether everyone gets the same file, or each person one of their own.",
							Options: []schema.Option{
								{Value: "URL", Label: "File at a URL"},
								{Value: "PERSONALIZED_ATTACHMENT", Label: "Personalised file"},
							},
						},
						personal(schema.Field{
							Name: "url", Title: "URL", Kind: schema.String,
							Help: "Where the file lies.", Example: "https://cdn.example.com/terms.pdf",
						}),
					},
				},
			},
		},
	}
}

func fromAddress() schema.Field {
	f := address("from_address", "From address", "The address that the mail comes from; the connector must be allowed to use it.", "news@example.com",
		schema.Required{At: schema.Publish, Ref: refPublish})
	f.Lead = leadFromAddress
	return f
}

func address(name, title, help, example string, required ...schema.Required) schema.Field {
	return personal(schema.Field{
		Name: name, Title: title, Kind: schema.String, Help: help, Example: example,
		Required: required, Rules: []schema.Rule{schema.Format{As: schema.Email}},
	})
}

func addresses(name, title, help string) schema.Field {
	one := address("", "Address", "One address.", "ann@example.com")
	return schema.Field{Name: name, Title: title, Kind: schema.List, Help: help, Elem: &one, Rules: []schema.Rule{atMost(fewItems)}}
}

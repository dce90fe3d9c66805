package catalog

import "bugle/engine/schema"

// emailContent returns EmailContent: one email.
func emailContent() schema.Field {
	template := schema.Has{Path: CustomTemplateID}
	return schema.Field{
		Name: "email", ID: "email.content", Title: "Email", Kind: schema.Object, Flat: true,
		Help: "The subject, sender, body and attachments.",
		Rules: []schema.Rule{
			schema.NotBoth{Fields: []string{EmailHTML, CustomTemplateID}},
			schema.Guard{At: schema.Publish, Rule: schema.OneOf{Fields: []string{EmailHTML, CustomTemplateID}}, Ref: refPublish},
		},
		Fields: []schema.Field{
			wording(schema.Field{
				Name: EmailSubject, Kind: schema.String, Lead: leadSubject,
				Help: "The subject line. It decides whether people open the email.", Example: "Spring is here, {{UserAttribute['First Name']}}",
				Required: []schema.Required{{When: schema.Not{C: template}, At: schema.Publish, Ref: refPublish}},
			}),
			wording(schema.Field{
				Name: EmailPreviewText, Kind: schema.String, Lead: leadPreviewText,
				Help: "The text inboxes show after the subject.", Example: "25% off everything, today only",
			}),
			wording(schema.Field{
				Name: EmailSender, Kind: schema.String, Lead: leadSenderName,
				Help: "The name the email comes from.", Example: "Example Shop",
			}),
			fromAddress(),
			address("reply_to_address", "Reply-to address", "The address replies go to. Leave it empty to use the from address.", "support@example.com"),
			addresses("cc_ids", "Cc", "Addresses that get a copy. All recipients can see them."),
			addresses("bcc_ids", "Bcc", "Addresses that get a copy. Other recipients can't see them."),
			wording(schema.Field{
				Name: EmailHTML, Title: "HTML", Kind: schema.String, Long: true, Lead: leadBody, Links: schema.LinksInHTML, Help: "The body of the email. Use either this or a custom template.",
				Example: "<p>Hello {{UserAttribute['First Name']|default('friend')}}</p>",
				Rules:   []schema.Rule{schema.Guard{At: schema.Inline | schema.Saved | schema.Publish, Ref: refOwn, Rule: compiledMJML}},
			}),
			{
				Name: "email_editor", Title: "Editor", Kind: schema.String, Default: `"Rich Editor"`,
				Help: "The editor the body was made in.",
				Options: []schema.Option{
					{Value: "Rich Editor", Label: "Rich editor", Help: "drag and drop"},
					{Value: "Code Editor", Label: "Code editor", Help: "hand-written HTML"},
				},
			},
			{
				Name: CustomTemplateID, Title: "Custom template ID", Kind: schema.String,
				Help: "The ID of a saved template for the body (and for the subject, if you leave that empty). Use either this or your own HTML.", Example: "65f1c0ffee0ddba11ca11ab1",
			},
			{
				Name: CustomTemplateVersion, Kind: schema.Integer, Used: template,
				Help: "The version of the saved template. Leave it empty to use the latest.", Example: "2",
			},
			{
				Name: EmailAttachments, Kind: schema.List, Help: "Files attached to the email.", Rules: []schema.Rule{atMost(fewItems)},
				Elem: &schema.Field{
					Title: "Attachment", Kind: schema.Object, Help: "One file.",
					Fields: []schema.Field{
						{
							Name: "file_type", Kind: schema.String, Help: "Whether everyone gets the same file, or each user gets their own.",
							Options: []schema.Option{
								{Value: "URL", Label: "Same file for everyone"},
								{Value: "PERSONALIZED_ATTACHMENT", Label: "Personalized file"},
							},
						},
						personal(schema.Field{
							Name: "url", Title: "URL", Kind: schema.String,
							Help: "The address of the file.", Example: "https://cdn.example.com/terms.pdf",
						}),
					},
				},
			},
		},
	}
}

func fromAddress() schema.Field {
	f := address("from_address", "From address", "The address the email comes from. Your connector must be allowed to use it.", "news@example.com",
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

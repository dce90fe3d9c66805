package catalog

import "bugle/engine/schema"

// connectorTable is the e-mail component connector: which configured service carries the mail.
func connectorTable() schema.Field {
	return schema.Field{
		Name: "connector", ID: "connector", Kind: schema.Object, Ref: "spec.md, `connector` (Email)",
		Help: "The configured service that carries the mail.",
		Fields: []schema.Field{
			{
				Name: "connector_type", Title: "Type", Kind: schema.String, Suggest: "connector_types",
				Help:    "The kind of service, such as SENDGRID, AMAZON_SES, SPARKPOST, MANDRILL, CUSTOM_SMTP, CUSTOM_API or NETCORE.",
				Example: "CUSTOM_SMTP", Required: []schema.Required{{}},
				Rules: []schema.Rule{schema.Guard{At: schema.Publish, Rule: schema.Configured{List: "connector_types"}, Ref: refPublish}},
			},
			{
				Name: "connector_name", Title: "Name", Kind: schema.String, Suggest: "connector_names",
				Help:    "The name that the connector has in the workspace.",
				Example: "Main SMTP", Required: []schema.Required{{}},
				Rules: []schema.Rule{schema.Guard{At: schema.Publish, Rule: schema.Configured{List: "connector_names"}, Ref: refPublish}},
			},
		},
	}
}

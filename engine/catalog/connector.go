package catalog

import (
	"fmt"
	"slices"

	"bugle/engine/schema"
)

// connectorTable returns the email component connector, which selects the configured provider.
func connectorTable() schema.Field {
	return schema.Field{
		Name: "connector", ID: "connector", Noun: "a connector", Kind: schema.Object, Ref: "CONTRACT.md, connector",
		Help: "The email service that sends this campaign.",
		Fields: []schema.Field{
			{
				Name: "connector_type", Title: "Type", Kind: schema.String, Suggest: "connector_types",
				Help:    "The kind of email service, such as SENDGRID, AMAZON_SES or CUSTOM_SMTP.",
				Example: "CUSTOM_SMTP", Required: []schema.Required{{}},
				Rules: []schema.Rule{schema.Guard{At: schema.Publish, Rule: schema.Configured{List: "connector_types"}, Ref: refPublish}},
			},
			{
				Name: "connector_name", Title: "Name", Kind: schema.String, Suggest: "connector_names", Lead: 1,
				Decides: &schema.Decision{Field: "connector_type", List: "connectors"},
				Help:    "The connector's name in this workspace.",
				Example: "Main SMTP", Required: []schema.Required{{}},
				Rules: []schema.Rule{
					schema.Guard{At: schema.Publish, Rule: schema.Configured{List: "connector_names"}, Ref: refPublish},
					schema.Guard{At: schema.Publish, Rule: configuredPair, Ref: refPublish},
				},
			},
		},
	}
}

// ConnectorPair returns a connector's type and name as an entry of the workspace list "connectors".
func ConnectorPair(kind, name string) string { return kind + " " + name }

// configuredPair requires type and name to belong to the same connector. Other rules check that each of them
// is configured.
var configuredPair = schema.Named{
	ID: "configured_pair", Text: "type and name must belong to one connector of the workspace",
	Check: func(p schema.Place) []schema.Finding {
		if p.Env.Lists == nil {
			return nil
		}
		kind, name := p.Object.Get("connector_type").Text(), p.Value.Text()
		pairs, known := p.Env.Lists("connectors")
		kinds, _ := p.Env.Lists("connector_types")
		names, _ := p.Env.Lists("connector_names")
		if !known || !slices.Contains(kinds, kind) || !slices.Contains(names, name) || slices.Contains(pairs, ConnectorPair(kind, name)) {
			return nil
		}
		return []schema.Finding{{
			Message: fmt.Sprintf("the workspace has no %s connector named %q; the connector with this name has another type", kind, name),
		}}
	},
}

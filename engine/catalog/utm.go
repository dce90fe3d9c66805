package catalog

import (
	"regexp"

	"bugle/engine/schema"
)

func utmParams() schema.Field {
	utm := func(name, title, help, example string, required ...schema.Required) schema.Field {
		return personal(schema.Field{Name: name, Title: title, Kind: schema.String, Help: help, Example: example, Required: required})
	}
	own := personal(schema.Field{Title: "UTM parameter", Kind: schema.String, Help: "A parameter of your own.", Example: "autumn"})
	return schema.Field{
		Name: string(UTMParams), ID: "utm_params", Title: "UTM parameters", Kind: schema.Object, Ref: "spec.md, utm_params",
		Editor: schema.EditorLinks,
		Help:   "Parameters that are added to the links of the message, so that visits can be traced to it.",
		Fields: []schema.Field{
			utm("utm_source", "Source", "Where the visit comes from.", "newsletter", schema.Required{}),
			utm("utm_medium", "Medium", "The medium that brings the visit.", "push", schema.Required{}),
			utm("utm_campaign", "Campaign", "The campaign that brings the visit.", "spring_sale"),
			utm("utm_term", "Term", "The search term that the link stands for.", "running shoes"),
			utm("utm_content", "Content", "Tells links of one message apart.", "header_button"),
		},
		Elem: &own,
		Rules: []schema.Rule{
			schema.Keys{Re: regexp.MustCompile(`^utm_.`), Says: "utm_ and a name of your own, such as utm_season"},
			schema.Extra{Max: 5},
		},
	}
}

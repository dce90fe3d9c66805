package catalog

import (
	"regexp"

	"bugle/engine/schema"
)

func utmParams() schema.Field {
	utm := func(name, title, help, example string, required ...schema.Required) schema.Field {
		return personal(schema.Field{Name: name, Title: title, Kind: schema.String, Help: help, Example: example, Required: required})
	}
	own := personal(schema.Field{Title: "UTM parameter", Kind: schema.String, Help: "Your own parameter.", Example: "autumn"})
	return schema.Field{
		Name: string(UTMParams), ID: "utm_params", Title: "UTM parameters", Kind: schema.Object, Ref: "CONTRACT.md, utm_params",
		Editor: schema.EditorLinks,
		Help:   "Parameters added to the message's links, so that your analytics can tell where visits come from.",
		Fields: []schema.Field{
			utm("utm_source", "Source", "Where the visit comes from, such as newsletter.", "newsletter", schema.Required{}),
			utm("utm_medium", "Medium", "The channel of the visit, such as push or email.", "push", schema.Required{}),
			utm("utm_campaign", "Campaign", "The campaign the visit comes from.", "spring_sale"),
			utm("utm_term", "Term", "The search keyword for the link.", "running shoes"),
			utm("utm_content", "Content", "Distinguishes links in the same message.", "header_button"),
		},
		Elem: &own,
		Rules: []schema.Rule{
			schema.Keys{Re: regexp.MustCompile(`^utm_.`), Text: "utm_ and a name of your own, such as utm_season"},
			schema.Extra{Max: 5},
		},
	}
}

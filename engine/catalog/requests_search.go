package catalog

import "bugle/engine/schema"

const refSearch = "CONTRACT.md, Search and meta"

// SearchRequest returns the table of the search request.
var SearchRequest = compiled(func() schema.Field {
	return schema.Field{
		ID: "request.search", Title: "Search request", Kind: schema.Object, Ref: refSearch, Help: "Find campaigns, page by page.",
		Fields: append([]schema.Field{
			requestID(),
			{
				Name: "campaign_fields", Title: "Filters", Kind: schema.Object, Help: "The filters campaigns must match. All of them apply.",
				Fields: []schema.Field{
					textList("ids", "IDs", "Campaigns to find, by ID.", "65f0a1b2c3d4e5f60718293a"),
					channelsFilter(),
					textList("created_by", "Created by", "Who created the campaigns.", "ann@example.com"),
					createdDate(),
					deliveryTypesFilter(),
					nameFilter(),
					statusFilter(),
					textList("tags", "Tags", "Tags to find. Campaigns need at least one of them.", "sale"),
					{Name: "version_number", Kind: schema.Integer, Help: "Only this version of each campaign.", Example: "1", Rules: []schema.Rule{atLeastOne}},
				},
			},
		}, paging()...),
	}
})

// MetaRequest returns the table of the meta request.
var MetaRequest = compiled(func() schema.Field {
	return schema.Field{
		ID: "request.meta", Title: "Meta request", Kind: schema.Object, Ref: refSearch, Help: "List campaign summaries, page by page.",
		Fields: append([]schema.Field{
			requestID(),
			{
				Name: "campaign_fields", Title: "Filters", Kind: schema.Object, Help: "The filters campaigns must match. All of them apply.",
				Fields: []schema.Field{
					{Name: "id", Title: "ID", Kind: schema.String, Help: "One campaign, by ID.", Example: "65f0a1b2c3d4e5f60718293a"},
					channelsFilter(),
					{Name: "created_by", Title: "Created by", Kind: schema.Any, Help: "Who created the campaigns.", Example: "ann@example.com", Rules: []schema.Rule{stringOrList}},
					createdDate(),
					{Name: "delivery_type", Kind: schema.String, Help: "The delivery type to find.", Options: deliveryTypeOptions()},
					deliveryTypesFilter(),
					nameFilter(),
					statusFilter(),
					textList("tags", "Tags", "Tags to find. Campaigns need at least one of them.", "sale"),
				},
			},
		}, paging()...),
	}
})

func deliveryTypesFilter() schema.Field {
	return enumList("campaign_delivery_type", "Delivery types", "Delivery types to find.", deliveryTypeOptions())
}

// paging returns the fields for the page and its filters.
func paging() []schema.Field {
	return []schema.Field{
		{
			Name: "limit", ID: "paging.limit", Title: "Page size", Kind: schema.Integer, Required: []schema.Required{{}},
			Help: "The most campaigns on a page.", Example: "15", Rules: []schema.Rule{schema.Range{Min: 1, Max: 15}},
		},
		{
			Name: "page", ID: "paging.page", Title: "Page", Kind: schema.Integer, Required: []schema.Required{{}},
			Help: "The page number, starting at 1.", Example: "1", Rules: []schema.Rule{atLeastOne},
		},
		{
			Name: "include_child_campaigns", ID: "paging.include_child_campaigns", Kind: schema.Bool, Default: "false",
			Help: "Also find campaigns in flows and single runs of periodic campaigns.",
		},
		{
			Name: "include_archive_campaigns", ID: "paging.include_archive_campaigns", Kind: schema.Bool, Default: "false",
			Help: "Also find archived campaigns.",
		},
	}
}

func textList(name, title, help, example string) schema.Field {
	return schema.Field{
		Name: name, Title: title, Kind: schema.List, Help: help, Rules: []schema.Rule{atMost(manyItems)},
		Elem: &schema.Field{Kind: schema.String, Help: help, Example: example},
	}
}

func enumList(name, title, help string, options []schema.Option) schema.Field {
	return schema.Field{
		Name: name, Title: title, Kind: schema.List, Help: help, Rules: []schema.Rule{atMost(fewItems)},
		Elem: &schema.Field{Kind: schema.String, Help: help, Options: options},
	}
}

func channelsFilter() schema.Field {
	return enumList("channels", "Channels", "Channels to find.", labelled(Channels))
}

func statusFilter() schema.Field {
	return enumList("status", "States", "States to find. Drafts are found only if DRAFT is listed.", labelled(States))
}

func nameFilter() schema.Field {
	return schema.Field{Name: "name", Kind: schema.String, Help: "Part of the name, in upper or lower case.", Example: "spring"}
}

func deliveryTypeOptions() []schema.Option { return labelled(allTypes) }

func createdDate() schema.Field {
	day := func(name, title, help string) schema.Field {
		return schema.Field{Name: name, Title: title, Kind: schema.String, Help: help, Example: "2026-12-01", Rules: []schema.Rule{dateOrTime}}
	}
	return schema.Field{
		Name: "created_date", Title: "Created", Kind: schema.Object, Help: "When the campaigns were created.",
		Fields: []schema.Field{
			day("from_date", "From", "The earliest date, or date and time."),
			day("to_date", "To", "The latest date, or date and time."),
		},
	}
}

var dateOrTime = schema.Named{
	ID: "date", Text: "a date, such as 2026-12-01, or a date and time", Schema: schema.DaySchema(),
	Check: func(p schema.Place) []schema.Finding {
		if s := p.Value.Text(); s == "" || isDate(s) {
			return nil
		}
		return []schema.Finding{{Message: "must be a date, such as 2026-12-01, or a date and time, not " + p.Value.Literal()}}
	},
}

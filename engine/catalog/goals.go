package catalog

import "bugle/engine/schema"

const refGoals = "CONTRACT.md, conversion_goal_details"

func conversionGoalDetails() schema.Field {
	atPublish := []schema.Required{{At: schema.Publish}}
	attribute := goalEventAttribute()
	attribute.Name, attribute.Title = "goal_event_attribute", "Event attribute"
	attribute.Help = "Only count events whose attribute matches."
	return schema.Field{
		Name: string(ConversionGoalDetails), ID: "conversion_goal_details", Title: "Conversion goals", Kind: schema.Object, Ref: refGoals,
		Help: "What you want users to do after the message, and for how long it counts.",
		Fields: []schema.Field{
			{
				Name: "attribution_window_in_hours", Title: "Attribution window", Kind: schema.Integer, Example: "36", Unit: "hours",
				Help: "How long after the message an event still counts as a conversion.", Rules: []schema.Rule{notNegative},
			},
			{
				Name: "goals", Kind: schema.List, Help: "The events that count as conversions.", Rules: []schema.Rule{atMost(fewItems)},
				Elem: &schema.Field{
					ID: "goal", Title: "Goal", Kind: schema.Object, Help: "One event that counts as a conversion.",
					Fields: []schema.Field{
						{Name: "goal_name", Title: "Name", Kind: schema.String, Required: atPublish, Help: "Your name for the goal.", Example: "Purchase"},
						{
							Name: "goal_event_name", Title: "Event", Kind: schema.String, Required: atPublish, Suggest: "events",
							Help: "The event that counts as a conversion.", Example: "Purchase Completed",
						},
						attribute,
						{Name: "is_primary_goal", Title: "Primary goal", Kind: schema.Bool, Help: "The main goal of the campaign."},
						{
							Name: "revenue_attribute", Kind: schema.String, Suggest: "event_attributes",
							Help: "The event attribute with the revenue.", Example: "order_value",
						},
						{Name: "revenue_currency", Kind: schema.String, Help: "The currency of the revenue.", Example: "EUR"},
					},
				},
			},
		},
	}
}

func goalEventAttribute() schema.Field {
	between := schema.When("condition", "between")
	return schema.Field{
		ID: "goal_event_attribute", Kind: schema.Object, Ref: refGoals, Rules: []schema.Rule{twoValues},
		Fields: []schema.Field{
			{Name: "name", Kind: schema.String, Help: "The attribute's name.", Suggest: "event_attributes", Example: "category"},
			{Name: "condition", Kind: schema.String, Help: "How the attribute is compared, such as is, contains or between.", Example: "is"},
			{
				Name: "data_type", Kind: schema.String, Help: "The type of the attribute.",
				Options: []schema.Option{
					{Value: "STRING", Label: "Text"}, {Value: "DOUBLE", Label: "Decimal number"}, {Value: "BOOL", Label: "Yes or no"},
					{Value: "NUMBER", Label: "Number"}, {Value: "GEOPOINT", Label: "Location"}, {Value: "DATETIME", Label: "Date and time"},
					{Value: "ARRAY_DOUBLE", Label: "List of numbers"}, {Value: "ARRAY_STRING", Label: "List of text"},
					{Value: "OBJECT", Label: "Object"}, {Value: "ARRAY_OBJECT", Label: "List of objects"},
				},
			},
			{Name: "value", Kind: schema.Any, Help: "The value to compare with; for between, the lower one.", Example: "shoes"},
			{Name: "value1", Title: "Second value", Kind: schema.Any, Used: between, Help: "The upper value for between.", Example: "100"},
			{Name: "negate", Title: "Invert", Kind: schema.Bool, Help: "Match events that don't meet this condition."},
			{Name: "value_type", Kind: schema.String, Help: "How to read the value, such as absolute or relative for a date.", Example: "absolute"},
			{Name: "array_filter_type", Title: "Match within a list", Kind: schema.String, Help: "Whether any or all items of a list must match.", Example: "any_of"},
			{
				Name: "filters", Kind: schema.List, Help: "Conditions on the fields of an object attribute.", Rules: []schema.Rule{atMost(fewItems)},
				Used: schema.When("data_type", "OBJECT", "ARRAY_OBJECT"),
				Elem: &schema.Field{
					Title: "Sub-filter", Kind: schema.Map, Help: "A condition on one field of the object.",
					Elem: &schema.Field{Title: "Field", Help: "One part of the condition, such as its name or value.", Example: "Berlin"},
				},
			},
			{Name: "is_case_sensitive", Title: "Case sensitive", Kind: schema.Bool, Help: "Treat upper and lower case as different."},
		},
	}
}

var twoValues = schema.Named{
	ID: "two_values", Text: "between needs value and value1",
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Get("condition").Text() != "between" || p.Value.Get("value").Len() == 2 ||
			p.Value.Get("value").Exists() && p.Value.Get("value1").Exists() {
			return nil
		}
		return []schema.Finding{{Message: "add both values for between: the lower one as value, the upper one as value1"}}
	},
}

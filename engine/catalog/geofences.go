package catalog

import (
	"fmt"
	"strconv"

	"bugle/engine/schema"
)

// geofences returns basic_details.geofences of a location-triggered push.
func geofences() schema.Field {
	dwell := schema.When("triggered_at", "dwell")
	always := []schema.Required{{}}
	return schema.Field{
		Name: "geofences", Title: "Geofence", Noun: "a geofence", Kind: schema.Object,
		Help:     "The area on the map that starts this campaign, and what must happen there.",
		Applies:  schema.When("/campaign_delivery_type", "LOCATION_TRIGGERED"),
		Required: []schema.Required{{When: schema.When("/campaign_delivery_type", "LOCATION_TRIGGERED")}},
		Fields: []schema.Field{
			{
				Name: "name", Kind: schema.String,
				Help: "A unique name for this geofence.", Example: "Store Alexanderplatz",
				Required: always,
			},
			coordinate("latitude", "The latitude of the center, in degrees.", "52.5219", 90),
			coordinate("longitude", "The longitude of the center, in degrees.", "13.4132", 180),
			{
				Name: "radius", Kind: schema.String, Help: "How far the area reaches from its center.", Example: "150", Unit: "meters",
				Required: always, Rules: []schema.Rule{schema.Format{As: schema.Decimal, Plain: true}, positive()},
			},
			{
				Name: "dwell_time_value", Title: "Dwell time", Kind: schema.String, Help: "How long a user must stay inside.", Example: "10",
				Used: dwell, Required: []schema.Required{{When: dwell}}, Rules: []schema.Rule{schema.Format{As: schema.Digits, Plain: true}},
				Span: &schema.Span{Unit: "dwell_time_granularity"},
			},
			{
				Name: "dwell_time_granularity", Title: "Dwell time unit", Kind: schema.String, Help: "The unit of the dwell time.",
				Used: dwell, Required: []schema.Required{{When: dwell}}, Options: minutesHoursDays(),
			},
			{
				Name: "response_time_value", Title: "Response time", Kind: schema.String,
				Help: "How long to wait before sending.", Example: "5",
				Required: always, Rules: []schema.Rule{schema.Format{As: schema.Digits, Plain: true}},
				Span: &schema.Span{Unit: "response_time_granularity"},
			},
			{
				Name: "response_time_granularity", Title: "Response time unit", Kind: schema.String,
				Help: "The unit of the response time.", Required: always, Options: minutesHoursDays(),
			},
			{
				Name: "triggered_at", Kind: schema.String, Help: "What starts the campaign.", Required: always,
				Options: []schema.Option{
					{Value: "ENTRY", Label: "Entry", Help: "the user enters the area"},
					{Value: "EXIT", Label: "Exit", Help: "the user leaves the area"},
					{Value: "dwell", Label: "Dwell", Help: "the user stays in the area for the dwell time"},
				},
			},
		},
	}
}

func minutesHoursDays() []schema.Option {
	return []schema.Option{{Value: "MINUTES", Label: "Minutes"}, {Value: "HOURS", Label: "Hours"}, {Value: "DAYS", Label: "Days"}}
}

// coordinate returns a field with degrees as a string, between -limit and limit.
func coordinate(name, help, example string, limit float64) schema.Field {
	return schema.Field{
		Name: name, Kind: schema.String, Help: help, Example: example, Required: []schema.Required{{}},
		Rules: []schema.Rule{
			schema.Format{As: schema.Decimal, Plain: true},
			schema.Named{
				ID: "degrees", Text: fmt.Sprintf("between -%v and %v degrees", limit, limit),
				Check: func(p schema.Place) []schema.Finding {
					f, err := strconv.ParseFloat(p.Value.Text(), 64)
					if err != nil || f >= -limit && f <= limit {
						return nil
					}
					return []schema.Finding{{Message: fmt.Sprintf("must be between -%v and %v degrees, not %s", limit, limit, p.Value.Text())}}
				},
			},
		},
	}
}

// positive requires a number written as a string to be greater than zero.
func positive() schema.Named {
	return schema.Named{
		ID: "positive", Text: "more than 0",
		Check: func(p schema.Place) []schema.Finding {
			if f, err := strconv.ParseFloat(p.Value.Text(), 64); err != nil || f > 0 {
				return nil
			}
			return []schema.Finding{{Message: "must be more than 0, not " + p.Value.Text()}}
		},
	}
}

package catalog

import (
	"math"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

const refTrigger = "CONTRACT.md, trigger_condition"

// deliveryPath is the condition path of the root's delivery type; channelPath of its channel.
const (
	deliveryPath = "/campaign_delivery_type"
	channelPath  = "/channel"
	// platformsPath is the condition path of the platforms of push.
	platformsPath = "/basic_details.platforms"
)

// forTypes holds for campaigns of one of the delivery types.
func forTypes(types ...DeliveryType) schema.Cond { return schema.When(deliveryPath, words(types)...) }

// notTypes holds for campaigns of all other delivery types.
func notTypes(types ...DeliveryType) schema.Cond { return schema.Unless(deliveryPath, words(types)...) }

// forChannel holds for campaigns of the channel.
func forChannel(ch Channel) schema.Cond { return schema.When(channelPath, string(ch)) }

func words[S ~string](names []S) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}

func triggerCondition() schema.Field {
	delay := schema.When("trigger_delay_type", "DELAY")
	return schema.Field{
		Name: string(TriggerCondition), ID: "trigger_condition", Title: "Trigger", Noun: "a trigger", Kind: schema.Object, Ref: refTrigger,
		Help:    "What a user does to get the message, and how soon after that it is sent.",
		Applies: notTypes(OneTime, Periodic, BusinessEventTriggered),
		Also:    doc.P(string(BasicDetails), "geofences"),
		Required: []schema.Required{{
			When: forTypes(EventTriggered, DeviceTriggered, LocationTriggered), At: schema.Publish,
		}},
		Fields: []schema.Field{
			triggerFilters(),
			filterGroup("secondary_included_filters", "Other conditions", "Another condition that must match too."),
			{
				Name: "trigger_delay_type", Title: "Timing", Kind: schema.String,
				Help: "How soon after the trigger the message is sent.",
				Options: []schema.Option{
					{Value: "DELAY", Label: "After a delay", Help: "sends a set time before or after"},
					{Value: "ASAP", Label: "Immediately", Help: "sends as soon as the trigger happens"},
					{Value: "INTELLIGENT_DELAY", Label: "Intelligent delay", Help: "sends at the best time for each user, within limits you set", When: forChannel(Push)},
				},
				Rules: []schema.Rule{schema.Guard{When: forTypes(DeviceTriggered), At: schema.Publish, Ref: refPublish, Rule: noDelay}},
			},
			{
				Name: "trigger_delay_value", Title: "Delay", Kind: schema.Integer, Used: delay, Required: []schema.Required{{When: delay}},
				Help: "How long before or after the event the message is sent, or before or after a date in the event.", Example: "2", Rules: []schema.Rule{notNegative},
				Span: &schema.Span{
					Unit: "trigger_delay_granularity", Side: "trigger_relation", Default: "AFTER", Date: "trigger_attr.name", Event: "the event",
				},
			},
			{
				Name: "trigger_delay_granularity", Title: "Delay unit", Kind: schema.String, Used: delay, Required: []schema.Required{{When: delay}},
				Help: "The unit of the delay.", Options: units("MINUTES", "HOURS", "DAYS"),
			},
			{
				Name: "trigger_relation", Title: "Before or after", Kind: schema.String, Used: delay, Required: []schema.Required{{When: delay}},
				Help: "Whether the message is sent before or after the date or the event.",
				Options: []schema.Option{
					{Value: "BEFORE", Label: "Before", Help: "sends ahead of a date in an event attribute"},
					{Value: "AFTER", Label: "After", Help: "sends once the delay has passed after the trigger, or after a date in an event attribute"},
				},
			},
			{
				Name: "trigger_attr", Title: "Date attribute", Kind: schema.Object, Used: delay,
				Help:     "The event attribute with the date that the delay counts from.",
				Required: []schema.Required{{When: schema.When("trigger_relation", "BEFORE")}},
				Fields: []schema.Field{{
					Name: "name", Kind: schema.String, Required: []schema.Required{{}}, Suggest: "trigger_dates",
					Help: "The name of the date attribute.", Example: "departure_time",
				}},
			},
			intelligentDelay(),
		},
	}
}

func triggerFilters() schema.Field {
	f := filterGroup("included_filters", "Event", "The event that starts the campaign, and any other conditions.",
		schema.Guard{When: forTypes(EventTriggered), At: schema.Publish, Ref: refPublish, Rule: oneFilter})
	f.Required = []schema.Required{{When: forTypes(EventTriggered), At: schema.Publish, Ref: refPublish}}
	return f
}

var noDelay = schema.Named{
	ID: "no_delay", Text: "immediately",
	Check: func(p schema.Place) []schema.Finding {
		if v := p.Value.Text(); v != "DELAY" && v != "INTELLIGENT_DELAY" {
			return nil
		}
		return []schema.Finding{{
			Message:     "must be ASAP: device-triggered messages are shown immediately",
			FormMessage: "choose Immediately: device-triggered messages can't wait",
		}}
	},
}

var oneFilter = schema.Named{
	ID: "one_filter", Text: "at least one event",
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Get("filters").Len() > 0 {
			return nil
		}
		return []schema.Finding{{
			Path: doc.P("filters"), Message: "required: add the event that starts the campaign", FormMessage: "add the event that starts this campaign",
		}}
	},
}

// notNegative refuses negative numbers where the contract only says integer.
var notNegative = schema.Range{Min: 0, Max: math.Inf(1)}

func units(names ...string) []schema.Option {
	labels := map[string]string{"MINUTES": "Minutes", "HOURS": "Hours", "DAYS": "Days", "HOUR": "Hours", "DAY": "Days"}
	out := make([]schema.Option, len(names))
	for i, n := range names {
		out[i] = schema.Option{Value: n, Label: labels[n]}
	}
	return out
}

func intelligentDelay() schema.Field {
	on := schema.When("trigger_delay_type", "INTELLIGENT_DELAY")
	atPublish := []schema.Required{{At: schema.Publish}}
	return schema.Field{
		Name: "intelligent_delay_optimization", Title: "Intelligent delay", Kind: schema.Object,
		Help:    "The shortest and longest delay for each user.",
		Applies: forChannel(Push), Used: on, Required: []schema.Required{{When: on}},
		Rules: []schema.Rule{delayBounds},
		Fields: []schema.Field{
			{Name: "min_delay_value", Title: "Shortest delay", Kind: schema.Integer, Required: atPublish, Help: "The shortest delay.", Example: "15", Rules: []schema.Rule{notNegative}, Span: &schema.Span{Unit: "min_delay_granularity"}},
			{Name: "min_delay_granularity", Title: "Shortest delay unit", Kind: schema.String, Required: atPublish, Help: "The unit of the shortest delay.", Options: units("MINUTES", "HOURS")},
			{Name: "max_delay_value", Title: "Longest delay", Kind: schema.Integer, Required: atPublish, Help: "The longest delay.", Example: "24", Rules: []schema.Rule{notNegative}, Span: &schema.Span{Unit: "max_delay_granularity"}},
			{Name: "max_delay_granularity", Title: "Longest delay unit", Kind: schema.String, Required: atPublish, Help: "The unit of the longest delay.", Options: units("HOURS", "DAYS")},
		},
	}
}

var delayBounds = schema.Named{
	ID: "bounds", Text: "the longest delay must not be shorter than the shortest",
	Check: func(p schema.Place) []schema.Finding {
		shortest, ok1 := minutes(p.Value, "min_delay_value", "min_delay_granularity")
		longest, ok2 := minutes(p.Value, "max_delay_value", "max_delay_granularity")
		if !ok1 || !ok2 || shortest <= longest {
			return nil
		}
		return []schema.Finding{{Path: doc.P("max_delay_value"), Message: "must not be shorter than the shortest delay"}}
	},
}

func minutes(v doc.Value, value, unit string) (float64, bool) {
	f, ok := v.Get(value).Float()
	per := map[string]float64{"MINUTES": 1, "HOURS": 60, "DAYS": 24 * 60}[v.Get(unit).Text()]
	return f * per, ok && per > 0
}

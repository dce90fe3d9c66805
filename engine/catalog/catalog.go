package catalog

import (
	"sync"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

const refRecord = "CONTRACT.md, Records"

// Campaign returns the table of a whole campaign of the channel: its head and its components, in the order of
// the contract. A read-only channel has an open table that accepts every field.
func Campaign(ch Channel) *schema.Schema {
	switch ch {
	case Push:
		return pushCampaign()
	case Email:
		return emailCampaign()
	}
	return otherCampaign()
}

var (
	pushCampaign  = compiled(func() schema.Field { return campaignTable(Push) })
	emailCampaign = compiled(func() schema.Field { return campaignTable(Email) })
	otherCampaign = compiled(func() schema.Field {
		return schema.Field{
			ID: "record", Kind: schema.Object, Open: true, Ref: refRecord, Help: "A campaign that you can view here, but not change.",
			Fields: []schema.Field{{Name: "channel", Kind: schema.String, Help: "The channel of the campaign."}},
		}
	})
)

// compiled compiles a table once, when it is first used.
func compiled(table func() schema.Field) func() *schema.Schema {
	return sync.OnceValue(func() *schema.Schema { return schema.MustCompile(table()) })
}

func campaignTable(ch Channel) schema.Field {
	return schema.Field{
		ID: lowered(ch) + ".campaign", Title: ch.Label() + " campaign", Plural: "campaigns", Kind: schema.Object, Ref: refRecord,
		Help:   "A campaign sent by " + ch.Label() + ".",
		Fields: append(head(ch), components(ch)...),
	}
}

// head returns the fields of the root that describe the campaign itself.
func head(ch Channel) []schema.Field {
	return []schema.Field{
		channelField(ch),
		deliveryTypeField(schema.Required{}),
		person("created_by", "Created by", "The email address of the person who creates the campaign.", schema.Required{}),
		person("updated_by", "Updated by", "The email address of the person who changes the campaign."),
	}
}

func channelField(ch Channel) schema.Field {
	f := schema.Field{
		Name: "channel", ID: "channel", Kind: schema.String, Help: "The channel the campaign is sent through.",
		Required: []schema.Required{{}},
	}
	for _, c := range Channels {
		if c.Writable() {
			f.Options = append(f.Options, schema.Option{Value: string(c), Label: c.Label()})
		}
		if c.Writable() && ch.Writable() && c != ch {
			f.Rules = append(f.Rules, schema.Excludes{Values: []string{string(c)}, Text: "this is a campaign for " + ch.Label() + ", and its channel cannot change"})
		}
	}
	return f
}

func deliveryTypeField(required ...schema.Required) schema.Field {
	f := schema.Field{
		Name: "campaign_delivery_type", ID: "campaign_delivery_type", Title: "Delivery type", Kind: schema.String,
		Help: "What starts the campaign: a set time, something a user does, or an event in your business.", Required: required,
	}
	for _, r := range deliveryTypes {
		o := schema.Option{Value: string(r.Type), Label: r.Label, Help: r.Help}
		if !r.Email {
			o.When = forChannel(Push)
		}
		f.Options = append(f.Options, o)
	}
	return f
}

func person(name, title, help string, required ...schema.Required) schema.Field {
	return schema.Field{
		Name: name, ID: name, Title: title, Kind: schema.String, Help: help, Example: "ann@example.com", Required: required,
		Rules: []schema.Rule{schema.Format{As: schema.Email, Plain: true}},
	}
}

// components returns all components in the order of the contract. It includes those of other channels, so
// that they are refused with a reason.
func components(ch Channel) []schema.Field {
	basic, content, controls := pushBasicDetails(), pushCampaignContent(), pushDeliveryControls()
	if ch == Email {
		basic, content, controls = emailBasicDetails(), emailCampaignContent(), emailDeliveryControls()
	}
	atPublish := schema.Required{At: schema.Publish, Ref: refPublish}
	basic.Title, basic.Required = "Basics", []schema.Required{atPublish}
	content.Required = []schema.Required{atPublish}

	connector := connectorTable()
	connector.Applies = forChannel(Email)
	connector.Required = []schema.Required{{At: schema.Inline | schema.Publish}}

	return []schema.Field{
		basic, content, segmentationDetails(), triggerCondition(), schedulingDetails(), controls,
		conversionGoalDetails(), controlGroupDetails(), utmParams(), campaignAudienceLimit(), advanced(), connector,
	}
}

// InRequest converts a component of a campaign to the form of a request, without response-only fields and
// values.
func InRequest(ch Channel, name Component, v doc.Value) doc.Value {
	if !ch.Writable() {
		ch = Push // what both channels have, other channels have too
	}
	return Campaign(ch).InRequest(doc.P(string(name)), v)
}

// buildOrder is the order in which users build a campaign.
var buildOrder = []Component{
	BasicDetails, Connector, CampaignContent, TriggerCondition, SegmentationDetails, SchedulingDetails, DeliveryControls,
	ConversionGoalDetails, ControlGroupDetails, UTMParams, CampaignAudienceLimit, Advanced,
}

// ComponentInfo describes a component for the user. Everything but the name comes from its table.
type ComponentInfo struct {
	Name  Component
	Title string
	Help  string // one or two sentences on its purpose
}

// Components returns the components of the channel's campaigns in the order in which users build them, or
// none for a read-only channel.
func Components(ch Channel) []ComponentInfo {
	if !ch.Writable() {
		return nil
	}
	var out []ComponentInfo
	for _, name := range buildOrder {
		if ok, _ := Applicable(name, ch, ""); !ok {
			continue
		}
		n := Campaign(ch).Root().Child(string(name))
		out = append(out, ComponentInfo{Name: name, Title: n.Label(), Help: n.Help})
	}
	return out
}

// concerns lists the components that are about something else than the messages, with the component that has it.
var concerns = map[Component]Component{
	SegmentationDetails: SegmentationDetails, ControlGroupDetails: SegmentationDetails, CampaignAudienceLimit: SegmentationDetails,
	SchedulingDetails: SchedulingDetails, TriggerCondition: SchedulingDetails,
	UTMParams: UTMParams,
}

// Concerns returns the component that has what a component is about, which a user wants to see beside its form: the
// messages, the audience, the times or the links.
func Concerns(name Component) Component {
	if at, ok := concerns[name]; ok {
		return at
	}
	return CampaignContent
}

// Applicable reports whether campaigns of the channel and delivery type have the component. If not, why is a
// clause such as "only for Push campaigns". With an empty delivery type it only considers the channel.
func Applicable(name Component, ch Channel, dt DeliveryType) (ok bool, why string) {
	if !ch.Writable() {
		return false, ch.Label() + " campaigns are read-only here"
	}
	root := doc.NewObject(doc.M("channel", doc.NewString(string(ch))))
	if dt != "" {
		root = doc.NewObject(doc.M("channel", doc.NewString(string(ch))), doc.M("campaign_delivery_type", doc.NewString(string(dt))))
	}
	f, known := Campaign(ch).Field(root, doc.P(string(name)), schema.Env{})
	if !known {
		return false, "unknown component"
	}
	return f.Shown, f.Why
}

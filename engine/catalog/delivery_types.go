package catalog

import (
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// deliveryType is one row of the table of delivery types (CONTRACT.md, Delivery types).
type deliveryType struct {
	Type  DeliveryType
	Label string
	Help  string
	Push  bool
	Email bool
	// NoCreate is why the create operation refuses the type.
	NoCreate string
	// Start is the section that every push campaign of the type needs and that one may as well leave as it is.
	Start *doc.Member
}

// start returns a section with one field.
func start(section Component, field string, v doc.Value) *doc.Member {
	m := doc.M(string(section), doc.NewObject(doc.M(field, v)))
	return &m
}

var deliveryTypes = []deliveryType{
	{Type: OneTime, Label: "One-time", Help: "sent once, now or at a set time", Push: true, Email: true},
	{Type: Periodic, Label: "Periodic", Help: "sent on a schedule: daily, weekly or monthly", Push: true, Email: true},
	{Type: EventTriggered, Label: "Event-triggered", Help: "sent to each user who does something, such as leaving a cart", Push: true, Email: true,
		Start: start(DeliveryControls, "bypass_dnd", doc.NewBool(false))},
	{Type: BusinessEventTriggered, Label: "Business-event-triggered", Help: "sent when something happens in your business, such as a price drop", Push: true, Email: true},
	{Type: DeviceTriggered, Label: "Device-triggered", Help: "shown by the app itself when the user does something", Push: true},
	{Type: LocationTriggered, Label: "Location-triggered", Help: "sent to each user who enters, leaves or stays in a place", Push: true,
		Start: start(TriggerCondition, "trigger_delay_type", doc.NewString("ASAP"))},
	{Type: BroadcastLiveActivity, Label: "Broadcast live activity", Help: "updates an iOS live activity", Push: true,
		NoCreate: "you can view and manage broadcast live activities here, but not create them"},
}

// StartSections returns the sections with which a new draft begins: what every campaign of the type needs.
func StartSections(ch Channel, dt DeliveryType) []doc.Member {
	for _, r := range deliveryTypes {
		if r.Type == dt && r.Start != nil && ch == Push {
			return []doc.Member{*r.Start}
		}
	}
	return nil
}

// DeliveryTypeInfo describes a delivery type for a channel, for the choice in a new draft.
type DeliveryTypeInfo struct {
	Type    DeliveryType
	Label   string
	Help    string // a clause on what the type does
	Offered bool   // campaigns of the type can be created on the channel
	Why     string // why not, as a sentence; empty if Offered
}

// DeliveryTypes returns all delivery types in the order of the contract, each with whether campaigns of it
// can be created on the channel.
func DeliveryTypes(ch Channel) []DeliveryTypeInfo {
	out := make([]DeliveryTypeInfo, len(deliveryTypes))
	for i, r := range deliveryTypes {
		out[i] = DeliveryTypeInfo{Type: r.Type, Label: r.Label, Help: r.Help}
		switch {
		case !ch.Writable():
			out[i].Why = ch.Label() + " campaigns are read-only here."
		case !r.on(ch):
			out[i].Why = "Only available for " + r.channels() + "."
		case r.NoCreate != "":
			out[i].Why = phrase.Sentence(r.NoCreate)
		default:
			out[i].Offered = true
		}
	}
	return out
}

func (r deliveryType) on(ch Channel) bool {
	return ch == Push && r.Push || ch == Email && r.Email
}

func (r deliveryType) channels() string {
	var names []string
	for _, ch := range Channels {
		if r.on(ch) {
			names = append(names, ch.Label())
		}
	}
	return strings.Join(names, " and ")
}

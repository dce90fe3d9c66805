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
	// Start is what every campaign of the type needs, in a section that one may as well leave as it is.
	Start []StartValue
}

// StartValue is a value that a new draft begins with.
type StartValue struct {
	Path   doc.Path
	Value  doc.Value
	Unless doc.Path // it is not set if the draft has a value there
}

// start returns the value of a field of a section that is otherwise empty.
func start(section Component, v doc.Value, field ...any) StartValue {
	return StartValue{Path: doc.P(append([]any{string(section)}, field...)...), Value: v, Unless: doc.P(string(section))}
}

var deliveryTypes = []deliveryType{
	{Type: OneTime, Label: "One-time", Help: "sent once, now or at a set time", Push: true, Email: true},
	{Type: Periodic, Label: "Periodic", Help: "sent on a schedule: daily, weekly or monthly", Push: true, Email: true,
		Start: []StartValue{
			start(SchedulingDetails, doc.NewString("AT_FIXED_TIME"), "delivery_type"),
			start(SchedulingDetails, doc.NewString("WEEKLY"), "periodic_details", "sending_frequency"),
		}},
	{Type: EventTriggered, Label: "Event-triggered", Help: "sent to each user who does something, such as leaving a cart", Push: true, Email: true,
		Start: []StartValue{start(DeliveryControls, doc.NewBool(false), "bypass_dnd")}},
	{Type: BusinessEventTriggered, Label: "Business-event-triggered", Help: "sent when something happens in your business, such as a price drop", Push: true, Email: true},
	{Type: DeviceTriggered, Label: "Device-triggered", Help: "shown by the app itself when the user does something", Push: true},
	{Type: LocationTriggered, Label: "Location-triggered", Help: "sent to each user who enters, leaves or stays in a place", Push: true,
		Start: []StartValue{start(TriggerCondition, doc.NewString("ASAP"), "trigger_delay_type")}},
	{Type: BroadcastLiveActivity, Label: "Broadcast live activity", Help: "updates an iOS live activity", Push: true,
		NoCreate: "you can view and manage broadcast live activities here, but not create them"},
}

// iosStart is the choice of iOS devices, which every push to iOS needs.
var iosStart = StartValue{
	Path:  doc.P(string(BasicDetails), "platform_specific_details", "ios", iosFlags[0]),
	Value: doc.NewBool(true), Unless: doc.P(string(BasicDetails), "platforms"),
}

// StartValues returns the values with which a new draft begins: choices that every campaign of the channel and type needs.
func StartValues(ch Channel, dt DeliveryType) []StartValue {
	var out []StartValue
	if ch == Push {
		out = append(out, iosStart)
	}
	for _, r := range deliveryTypes {
		for _, v := range r.Start {
			if r.Type == dt && Campaign(ch).At(v.Path) != nil {
				out = append(out, v)
			}
		}
	}
	return out
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

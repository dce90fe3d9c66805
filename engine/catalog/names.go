package catalog

import (
	"cmp"
	"strings"
)

// Channel is the wire name of a channel.
type Channel string

// The channels (CONTRACT.md, Channels). Push and email campaigns are writable; the others are read-only.
const (
	Push       Channel = "PUSH"
	Email      Channel = "EMAIL"
	SMS        Channel = "SMS"
	WhatsApp   Channel = "WHATSAPP"
	Facebook   Channel = "FACEBOOK"
	GoogleAds  Channel = "GOOGLE ADS"
	Connectors Channel = "CONNECTORS"
)

// Channels lists all channels, the writable ones first.
var Channels = []Channel{Push, Email, SMS, WhatsApp, Facebook, GoogleAds, Connectors}

// Writable reports whether campaigns of the channel can be created and changed.
func (c Channel) Writable() bool { return c == Push || c == Email }

// Label returns the display name of the channel, or the wire name of an unknown one.
func (c Channel) Label() string {
	switch c {
	case Push:
		return "Push"
	case Email:
		return "Email"
	case WhatsApp:
		return "WhatsApp"
	case Facebook:
		return "Facebook"
	case GoogleAds:
		return "Google Ads"
	case Connectors:
		return "Connectors"
	}
	return string(c)
}

// DeliveryType is the wire value of a campaign_delivery_type.
type DeliveryType string

// The delivery types (CONTRACT.md, Delivery types).
const (
	OneTime                DeliveryType = "ONE_TIME"
	Periodic               DeliveryType = "PERIODIC"
	EventTriggered         DeliveryType = "EVENT_TRIGGERED"
	BusinessEventTriggered DeliveryType = "BUSINESS_EVENT_TRIGGERED"
	DeviceTriggered        DeliveryType = "DEVICE_TRIGGERED"
	LocationTriggered      DeliveryType = "LOCATION_TRIGGERED"
	BroadcastLiveActivity  DeliveryType = "BROADCAST_LIVE_ACTIVITY"
)

// Label returns the display name of the delivery type, or the wire value of an unknown one.
func (t DeliveryType) Label() string {
	for _, r := range deliveryTypes {
		if r.Type == t {
			return r.Label
		}
	}
	return string(t)
}

// State is the wire value of a campaign's state.
type State string

// The states (CONTRACT.md, States).
const (
	Draft     State = "DRAFT"
	Scheduled State = "SCHEDULED"
	Active    State = "ACTIVE"
	Sending   State = "SENDING"
	Paused    State = "PAUSED"
	Sent      State = "SENT"
	Stopped   State = "STOPPED"
	Archived  State = "ARCHIVED"
)

// States lists all states in the order of the lifecycle.
var States = []State{Draft, Scheduled, Active, Sending, Paused, Sent, Stopped, Archived}

var stateLabels = map[State]string{
	Draft: "Draft", Scheduled: "Scheduled", Active: "Active", Sending: "Sending",
	Paused: "Paused", Sent: "Sent", Stopped: "Stopped", Archived: "Archived",
}

// Label returns the display name of the state, or the wire value of an unknown one.
func (s State) Label() string {
	return cmp.Or(stateLabels[s], string(s))
}

// Live reports whether the campaign is published and not finished: scheduled, active, sending or paused.
func (s State) Live() bool {
	return s == Scheduled || s == Active || s == Sending || s == Paused
}

// Action is a lifecycle action on a campaign.
type Action string

// The actions. STOP, PAUSE and RESUME use the status operation and PUBLISH an update. The others exist only
// in a local workspace (CONTRACT.md, States); EDIT is a component update.
const (
	Stop    Action = "STOP"
	Pause   Action = "PAUSE"
	Resume  Action = "RESUME"
	Publish Action = "PUBLISH"
	Archive Action = "ARCHIVE"
	Restore Action = "RESTORE"
	Delete  Action = "DELETE"
	Edit    Action = "EDIT"
)

// Actions lists all actions.
var Actions = []Action{Edit, Publish, Pause, Resume, Stop, Archive, Restore, Delete}

// StatusActions lists the actions of the status operation.
var StatusActions = []Action{Stop, Pause, Resume}

// Label returns the display name of the action.
func (a Action) Label() string {
	s := string(a)
	if s == "" {
		return s
	}
	return s[:1] + strings.ToLower(s[1:])
}

// Component is the wire name of a component of a campaign.
type Component string

// The components (CONTRACT.md, Records).
const (
	BasicDetails          Component = "basic_details"
	Connector             Component = "connector"
	CampaignContent       Component = "campaign_content"
	TriggerCondition      Component = "trigger_condition"
	SegmentationDetails   Component = "segmentation_details"
	SchedulingDetails     Component = "scheduling_details"
	DeliveryControls      Component = "delivery_controls"
	ConversionGoalDetails Component = "conversion_goal_details"
	ControlGroupDetails   Component = "control_group_details"
	UTMParams             Component = "utm_params"
	CampaignAudienceLimit Component = "campaign_audience_limit"
	Advanced              Component = "advanced"
)

// Platform is the wire name of a push platform.
type Platform string

// The platforms of push.
const (
	Android Platform = "ANDROID"
	IOS     Platform = "IOS"
	Web     Platform = "WEB"
)

// Platforms lists the platforms of push in the order of the contract.
var Platforms = []Platform{Android, IOS, Web}

// Label returns the display name of the platform.
func (p Platform) Label() string {
	switch p {
	case Android:
		return "Android"
	case IOS:
		return "iOS"
	case Web:
		return "Web"
	}
	return string(p)
}

// Member returns the field of a push content with the platform's content, such as "android".
func (p Platform) Member() string { return strings.ToLower(string(p)) }

func lowered(ch Channel) string { return strings.ToLower(string(ch)) }

// The fields of an email's content.
const (
	EmailSubject     = "subject"
	EmailPreviewText = "preview_text"
	EmailSender      = "sender_name"
	EmailFrom        = "from_address"
	EmailReplyTo     = "reply_to_address"
	EmailCc          = "cc_ids"
	EmailBcc         = "bcc_ids"
	EmailHTML        = "html_content"
	EmailAttachments = "attachments"
)

// The fields with which a message refers to a saved template.
const (
	CustomTemplateID      = "custom_template_id"
	CustomTemplateVersion = "custom_template_version"
)

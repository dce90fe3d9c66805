package enginetest

import (
	"fmt"

	"bugle/engine"
	"bugle/engine/catalog"
)

// WorkspaceID is the id of [Workspace].
const WorkspaceID = "CONTRACT"

const author = "ann@example.com"

// Workspace returns the settings that the suite expects, with publishing enabled.
func Workspace() engine.Workspace {
	return engine.Workspace{
		ID: WorkspaceID, Name: "Contract", Timezone: "Europe/Berlin", Publish: engine.PublishEnabled,
		SubscriptionCategories: []string{"Newsletter"}, Locales: []string{"de"},
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Main SMTP", Provider: engine.ProviderOutbox}},
		Segments: []engine.Segment{
			{ID: "s1", Name: "Testers", Members: []string{"USER_1", "GONE"}}, {ID: "s2", Name: "Nobody"},
		},
		ContentBlocks: []engine.ContentBlock{{Name: "footer", Source: "Bye, {{UserAttribute['First Name']|default('you')}}"}},
	}
}

// Users returns the users that the suite expects.
func Users() []engine.User {
	return []engine.User{
		{
			ID: "USER_1", Attributes: map[string]any{"First Name": "Ida", engine.AttrEmail: "ida@example.com", engine.AttrMobile: "+4915112345678"},
			Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-a", AdvertiseID: "gaid-1"}, {Platform: "WEB", Token: "tok-w"}},
			Events:  []engine.Event{{Name: "Bought", Attributes: map[string]any{"product": "boots"}}},
		},
		{ID: "USER_2", Attributes: map[string]any{engine.AttrEmail: "bo@example.com"}, Devices: []engine.Device{{Platform: "IOS", Token: "tok-i"}}},
	}
}

const (
	emailHead = `"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"`
	pushHead  = `"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"`

	connector = `"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"}`

	emailParts = `"basic_details":{"name":"Spring mail","content_type":"TRANSACTIONAL"},` + connector + `,
		"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}","from_address":"shop@example.com",
			"sender_name":"Shop","html_content":"<p>Hello {{user.first_name}}</p><p>{{ContentBlock['footer']}}</p>"}}},
		"segmentation_details":{"is_all_user_campaign":true}`

	pushParts = `"basic_details":{"name":"Spring push","platforms":["ANDROID"]},
		"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"m"}}}}},
		"segmentation_details":{"is_all_user_campaign":true}`

	trigger = `"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[
		{"filter_type":"actions","action_name":"Bought","execution":{"type":"atleast","count":1},"executed":true}]},"trigger_delay_type":"ASAP"}`

	asap  = `"scheduling_details":{"delivery_type":"ASAP"}`
	fixed = `"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin"}`
	daily = `"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin",
		"periodic_details":{"sending_frequency":"DAILY","repeat_frequency":1,"no_of_occurences":3}}`
	expires = `"scheduling_details":{"delivery_type":"ASAP","expiry_time":"2027-06-01T00:00:00Z"}`
)

// complete returns the body of a create request for a campaign that can be published. One-time and periodic
// campaigns start in December.
func complete(dt engine.DeliveryType) string {
	more := map[engine.DeliveryType]string{
		catalog.OneTime: fixed, catalog.Periodic: daily,
		catalog.EventTriggered:  trigger + `,"delivery_controls":{"bypass_dnd":false},` + expires,
		catalog.DeviceTriggered: trigger + `,` + expires,
	}[dt]
	return fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":"%s","created_by":"ann@example.com",%s,%s}`, dt, pushParts, more)
}

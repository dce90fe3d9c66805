package campaigns_test

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// The details are what one would ask a colleague: the subject as the first recipient sees it, the audience with its
// number, the next send, and what is missing. They follow the cursor, and changes of the campaign.
func TestDetailsTellWhatItDoes(t *testing.T) {
	svc := uitest.NewService(t, engine.Workspace{})
	for i, name := range []string{"Ann", "Bo"} {
		svc.PutUsers(engine.User{ID: name, Attributes: map[string]any{engine.AttrEmail: name + "@example.com", "First Name": name, "Vip": i == 0}})
	}
	svc.Draft(catalog.Email, catalog.OneTime, `{"basic_details":{"name":"Empty"}}`)
	id := svc.Draft(catalog.Email, catalog.OneTime, `{"basic_details":{"name":"News"},
		"campaign_content":{"content":{"email":{"subject":"Hello {{UserAttribute['First Name']|default('you')}}","html_content":"<p>x</p>"}}},
		"segmentation_details":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","name":"Vip","data_type":"bool","operator":"is","value":true}]}},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00Z","timezone":"Europe/Berlin"}}`)
	h := uitest.New(t, campaigns.New(uitest.Deps(svc), screen.Route{}), 120, 40)
	h.Script(
		"@News", "?Subject   Hello Ann", "?Users whose Vip is", "?about 1 of 2", "?Next send Tue 1 Dec, 10:00",
		"?Europe/Berlin", "?your time", "?to do", "?From address: required",
		"@Empty", "!Hello Ann", "?to do", "@News",
	)
	svc.SetNow(svc.Now().Add(time.Minute))
	svc.Set(id, doc.P("campaign_content", "content", "email", "subject"), `"Bye {{UserAttribute['First Name']}}"`)
	h.Send(screen.ChangedMsg{ID: id})
	h.Want("Subject   Bye Ann")
}

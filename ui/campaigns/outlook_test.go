package campaigns_test

import (
	"context"
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
	ctx, now := context.Background(), uitest.Now
	svc := newService(t, func() time.Time { return now })
	for i, name := range []string{"Ann", "Bo"} {
		err := svc.PutUser(ctx, engine.User{ID: name, Attributes: map[string]any{engine.AttrEmail: name + "@example.com", "First Name": name, "Vip": i == 0}})
		if err != nil {
			t.Fatal(err)
		}
	}
	create := func(components string) string {
		body, err := doc.Parse([]byte(components))
		if err != nil {
			t.Fatal(err)
		}
		c, err := svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "ann@example.com", body)})
		if err != nil {
			t.Fatal(err)
		}
		return c.ID
	}
	create(`{"basic_details":{"name":"Empty"}}`)
	id := create(`{"basic_details":{"name":"News"},"campaign_content":{"content":{"email":{"subject":"Hello {{UserAttribute['First Name']|default('you')}}","html_content":"<p>x</p>"}}},
		"segmentation_details":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","name":"Vip","data_type":"bool","operator":"is","value":true}]}},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00Z","timezone":"Europe/Berlin"}}`)
	h := uitest.New(t, campaigns.New(uitest.Deps(svc), screen.Route{}), 120, 40)
	h.Script(
		"@News", "?Subject   Hello Ann", "?Users whose Vip is", "?about 1 of 2", "?Next send Tue 1 Dec, 10:00",
		"?Europe/Berlin", "?your time", "?to do", "?From address: required",
		"@Empty", "!Hello Ann", "?to do", "@News",
	)
	c, err := svc.Get(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	body, err := c.Body.Set(doc.P("campaign_content", "content", "email", "subject"), doc.NewString("Bye {{UserAttribute['First Name']}}"))
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if _, err := svc.Save(ctx, engine.SaveRequest{ID: id, Body: body, Revision: c.Revision}); err != nil {
		t.Fatal(err)
	}
	h.Send(screen.ChangedMsg{ID: id})
	h.Want("Subject   Bye Ann")
}

package engine_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

func TestObstacle(t *testing.T) {
	mail := parse(t, `{"basic_details": {"user_attribute_identifier": "Work"}, "campaign_content": {"content": {"email": {"subject": "s"}}}}`)
	push := parse(t, `{"campaign_content": {"content": {"push": {"web": {"a": 1}}}}}`)
	web := &engine.User{ID: "U", Devices: []engine.Device{{Platform: "WEB", Token: "t"}}}
	for _, tt := range []struct {
		name       string
		ch         engine.Channel
		document   doc.Value
		identifier string
		profile    *engine.User
		want       string
	}{
		{"an address needs no user", catalog.Email, mail, "EMAIL", nil, ""},
		{"an id does", catalog.Email, mail, "ID", nil, "no user has this ID"},
		{"the address is the attribute that the campaign names", catalog.Email, mail, "ID",
			&engine.User{ID: "U", Attributes: map[string]any{engine.AttrEmail: "a@example.com"}}, "the user has no attribute Work"},
		{"an address with an invisible character", catalog.Email, mail, "ID", &engine.User{ID: "U", Attributes: map[string]any{"Work": "\ufeffann@example.com"}}, "the user's attribute Work is not an email address"},
		{"a bad address", catalog.Email, mail, "ID", &engine.User{ID: "U", Attributes: map[string]any{"Work": "at work"}}, "the user's attribute Work is not an email address"},
		{"a good one", catalog.Email, mail, "ID", &engine.User{ID: "U", Attributes: map[string]any{"Work": "a@example.com"}}, ""},
		{"a token is a device", catalog.Push, push, "PUSH_ID", nil, ""},
		{"a device of the platform", catalog.Push, push, "USER_ATTRIBUTE_UNIQUE_ID", web, ""},
		{"no device", catalog.Push, push, "USER_ATTRIBUTE_UNIQUE_ID", &engine.User{ID: "U"}, "the user has no device for Web"},
		{"a token is of one device", catalog.Push, push, "PUSH_ID", web, ""},
		{"and of no other platform", catalog.Push, push, "PUSH_ID", &engine.User{ID: "U", Devices: []engine.Device{{Platform: "ANDROID", Token: "t"}, {Platform: "WEB", Token: "u"}}},
			"the token belongs to a device for Android, not for Web"},
	} {
		key := engine.TestKeys(tt.ch, tt.document, engine.KeyFilter{})[0]
		if got := key.BlockedReason(tt.ch, tt.document, tt.identifier, "t", tt.profile); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	empty := parse(t, `{"campaign_content": {"content": {"email": {}}}}`)
	if got := engine.TestKeys(catalog.Email, empty, engine.KeyFilter{})[0].BlockedReason(catalog.Email, empty, "EMAIL", "", nil); got != "has no content" {
		t.Errorf("no content: %q", got)
	}
}

func TestTheDeliveredMailAsContent(t *testing.T) {
	m := &engine.EmailMessage{From: "a@example.com", Subject: "Hi", HTML: "<p>x</p>", Attachments: []string{"a.pdf"}}
	want := `{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>","attachments":[{"url":"a.pdf"}]}`
	if got := string(m.Content().Encode()); got != want {
		t.Errorf("it is %s", got)
	}
}

func TestTriggerAttributesOfNewestEvent(t *testing.T) {
	document := parse(t, `{"trigger_condition":{"included_filters":{"filters":[{"action_name":"Bought"}]}}}`)
	p := engine.User{Events: []engine.Event{
		{Name: "Bought", Attributes: map[string]any{"n": 1}}, {Name: "Bought", Attributes: map[string]any{"n": 2}}, {Name: "Left", Attributes: map[string]any{"n": 3}},
	}}
	if got := engine.TriggerAttributes(document, p)["n"]; got != 2 {
		t.Errorf("got %v", got)
	}
	if got := engine.TriggerAttributes(parse(t, `{}`), p); got != nil {
		t.Errorf("a campaign that waits for nothing has %v", got)
	}
}

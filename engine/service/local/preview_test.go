package local_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/service/local"
)

func TestPreview(t *testing.T) {
	b := newBench(t, local.Options{})
	for _, tt := range []struct{ name, body, content, unresolved string }{
		{
			"push", `{"channel":"PUSH","user_identification":{"type":"USER_ATTRIBUTE_UNIQUE_ID","value":"USER_1"},"event_attributes":{"product":"hats"},
			"campaign_content":{"content":{"push":{"android":{"basic_details":{"title":"{{user.first_name}}: {{event.product}}","message":"{{event.size}}","notification_channel":"{{no}}"}}}}}}`,
			`{"content":{"push":{"android":{"basic_details":{"title":"Ida: hats","message":"{{event.size}}","notification_channel":"{{no}}"}}}}}`,
			`[{"field":"campaign_content.content.push.android.basic_details.message","expression":"event.size"}]`,
		}, {
			"email of nobody", `{"channel":"EMAIL","user_identification":{"type":"EMAIL","value":"no@example.com"},
			"campaign_content":{"content":{"default":{"variation_1":{"email":{"subject":"Hi {{user.first_name}}","html_content":"{{ContentBlock['footer']}}"}}}}}}`,
			`{"content":{"default":{"variation_1":{"email":{"subject":"Hi {{user.first_name}}","html_content":"Bye, you"}}}}}`,
			`[{"field":"campaign_content.content.default.variation_1.email.subject","expression":"user.first_name"}]`,
		}, {
			"sms", `{"channel":"SMS","user_identification":{"type":"PUSH_ID","value":"tok-w"},"campaign_content":{"content":{"sms":{"message":"Hi {{user.first_name}}"}}}}`,
			`{"content":{"sms":{"message":"Hi Ida"}}}`, `null`,
		}, {
			"template", `{"channel":"EMAIL","user_identification":{"type":"SVC_GAID","value":"gaid-1"},"campaign_content":{"content":{"email":{"custom_template_id":"t1"}}}}`,
			`{"content":{"email":{"custom_template_id":"t1"}}}`,
			`[{"field":"campaign_content.content.email.custom_template_id","expression":"t1"}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := b.Preview(b.ctx, engine.PreviewRequest{Body: parse(t, tt.body)})
			b.ok(err)
			if got := string(out.Content.Encode()); got != tt.content {
				t.Errorf("got  %s\nwant %s", got, tt.content)
			}
			if got := asJSON(t, out.Unresolved); got != tt.unresolved {
				t.Errorf("got  %s\nwant %s", got, tt.unresolved)
			}
		})
	}
	for name, body := range map[string]string{
		"nothing":    `{}`,
		"channel":    `{"channel":"WHATSAPP","user_identification":{"type":"EMAIL","value":"a@example.com"},"campaign_content":{}}`,
		"draft":      `{"draft_id":"1","channel":"PUSH","user_identification":{"type":"EMAIL","value":"a@example.com"},"campaign_content":{}}`,
		"expression": `{"channel":"SMS","user_identification":{"type":"EMAIL","value":"a@example.com"},"campaign_content":{"m":"{{ user."}}`,
	} {
		_, err := b.Preview(b.ctx, engine.PreviewRequest{Body: parse(t, body)})
		if e := refused(t, err, engine.ValidationFailed, 400); name == "expression" && e.Target != "campaign_content.m" {
			t.Errorf("target %q", e.Target)
		}
	}
}

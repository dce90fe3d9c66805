package openapi

import "bugle/engine/doc"

// examplesOf are valid request bodies, for readers and tools.
var examplesOf = map[string][]struct{ name, summary, body string }{
	"create": {
		{"push", "A push draft", `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":"Spring sale","platforms":["ANDROID"]}}`},
		{"email", "An email draft", `{"channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"ann@example.com","connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"}}`},
	},
	"update": {
		{"component", "One component", `{"updated_by":"ann@example.com","utm_params":{"utm_source":"newsletter","utm_medium":"email"}}`},
		{"publish", "The publish action", `{"status":"PUBLISH"}`},
	},
	"validate": {{"empty", "An empty request", `{}`}},
	"status":   {{"pause", "Pause", `{"action":"PAUSE"}`}},
	"search":   {{"drafts", "Drafts of push campaigns", `{"campaign_fields":{"status":["DRAFT"],"channels":["PUSH"]},"limit":15,"page":1}`}},
	"meta":     {{"tagged", "With a tag", `{"campaign_fields":{"tags":["sale"]},"limit":15,"page":1}`}},
	"test": {
		{"inline", "Content in the request", `{"channel":"PUSH","campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Spring is here","message":"25% off"}}}}},"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["token-1"]}}`},
		{"draft", "A saved draft", `{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"USER_ATTRIBUTE_UNIQUE_ID","identifier_values":["USER_1"],"platform":"ANDROID"}}`},
	},
	"preview": {
		{"email", "An email", `{"channel":"EMAIL","user_identification":{"type":"EMAIL","value":"ann@example.com"},"campaign_content":{"content":{"email":{"subject":"Hello {{UserAttribute['First Name']}}"}}}}`},
	},
}

func (b *builder) examples(of string) doc.Value {
	var out []doc.Member
	for _, e := range examplesOf[of] {
		v, err := doc.Parse([]byte(e.body))
		if err != nil {
			panic("openapi: example " + e.name + ": " + err.Error())
		}
		out = append(out, m(e.name, object(m("summary", e.summary), m("value", v))))
	}
	return object(out...)
}

package enginetest

import (
	"encoding/json"

	"bugle/engine"
)

// A preview resolves the content of the workspace and lists what is missing.
func testPreviewContent(b *bench) {
	for _, item := range []engine.ContentItem{
		{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{{"title": "Boot", "price": json.Number("80.50")}}}},
		{Template: &engine.ContentTemplate{ID: "card", Channel: "PUSH", Platform: "ANDROID", Content: b.parse(`{"template_type":"BASIC","basic_details":{"title":"{{ProductSet.shoes[0].title}}","message":"M"}}`)}},
		{Template: &engine.ContentTemplate{ID: "mail", Channel: "EMAIL", Content: b.parse(`{"subject":"One","html_content":"<p>{{ContentBlock['footer']}}</p>"}`)}},
		{Template: &engine.ContentTemplate{ID: "mail", Channel: "EMAIL", Content: b.parse(`{"subject":"Two","html_content":"<p>{{ProductSet.shoes[0].price}}</p>"}`)}},
	} {
		_, err := b.Home.PutContent(b.ctx, item)
		b.ok(err)
	}
	const user = `"user_identification":{"type":"USER_ATTRIBUTE_UNIQUE_ID","value":"USER_1"}`
	for _, tt := range []struct{ body, content, unresolved string }{
		{
			`{"channel":"PUSH",` + user + `,"campaign_content":{"content":{"push":{"android":{"template_type":"Custom","custom_template_id":"card"}}}}}`,
			`{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Boot","message":"M"},"custom_template_id":"card"}}}}`, `[]`,
		}, {
			`{"channel":"EMAIL",` + user + `,"campaign_content":{"content":{"email":{"custom_template_id":"mail"}}}}`,
			`{"content":{"email":{"subject":"Two","html_content":"<p>80.50</p>","custom_template_id":"mail"}}}`, `[]`,
		}, {
			`{"channel":"EMAIL",` + user + `,"campaign_content":{"content":{"email":{"custom_template_id":"mail","custom_template_version":1}}}}`,
			`{"content":{"email":{"subject":"One","html_content":"<p>Bye, Ida</p>","custom_template_id":"mail","custom_template_version":1}}}`, `[]`,
		}, {
			`{"channel":"EMAIL",` + user + `,"campaign_content":{"content":{"email":{"custom_template_id":"mail","custom_template_version":3}}}}`,
			`{"content":{"email":{"custom_template_id":"mail","custom_template_version":3}}}`,
			`[{campaign_content.content.email.custom_template_id mail, version 3}]`,
		}, {
			`{"channel":"SMS",` + user + `,"campaign_content":{"m":"{% for p in ProductSet.shoes %}{{p.title}}{% endfor %} {{ProductSet.hats}} {{ContentApi.none()|default('-')}}"}}`,
			`{"m":"Boot {{ProductSet.hats}} -"}`, `[{campaign_content.m ProductSet.hats}]`,
		},
	} {
		out, err := b.Service.Preview(b.ctx, engine.PreviewRequest{Body: b.parse(tt.body)})
		b.ok(err)
		b.equal("content", string(out.Content.Encode()), tt.content)
		b.equal("unresolved", out.Unresolved, tt.unresolved)
	}
}

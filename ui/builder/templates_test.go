package builder_test

import (
	"context"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// save stores a template as the next version of its ID.
func (b *testbed) save(ch engine.Channel, platform, id, content string) {
	b.t.Helper()
	v, err := doc.Parse([]byte(content))
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.svc.PutContent(context.Background(), engine.ContentItem{Template: &engine.ContentTemplate{ID: id, Channel: ch, Platform: platform, Content: v}}); err != nil {
		b.t.Fatal(err)
	}
}

func TestPreviewUsesSavedTemplate(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"campaign_content":{"content":{"email":{"custom_template_id":"spring","sender_name":"Own name"}}}}`)
	b.save(catalog.Email, "", "spring", `{"subject":"From the shelf","sender_name":"Shelf","html_content":"<p>Its body</p>"}`)
	h := b.open(160, 50, "campaign_content", "content", "email", "subject")
	h.Want("From the shelf", "Own name", "Its body", "from the saved template spring")
	h.WantNot("no saved template")
	if got := b.value("campaign_content.content.email"); got != `{"custom_template_id":"spring","sender_name":"Own name"}` {
		t.Errorf("the draft became %s", got)
	}
}

func TestPreviewReportsMissingTemplate(t *testing.T) {
	b := newTestbed(t, catalog.Push, `{"basic_details":{"platforms":["ANDROID"]},"campaign_content":{"content":{"push":{"android":{"template_type":"Custom","custom_template_id":"card","custom_template_version":2}}}}}`)
	b.save(catalog.Push, "ANDROID", "card", `{"template_type":"BASIC","basic_details":{"title":"One"}}`)
	at := []any{"campaign_content", "content", "push", "android", "template_type"}
	h := b.open(160, 50, at...)
	h.Want("There is no saved template card, version 2")
	h.WantNot("from the saved template", "(as the saved template says)")
	b.save(catalog.Push, "ANDROID", "card", `{"template_type":"BASIC","basic_details":{"title":"Two"}}`)
	h = b.open(160, 50, at...)
	h.Want("Two", "from the saved template card, version 2")
	h.WantNot("There is no saved template")
}

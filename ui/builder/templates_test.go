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

package local_test

import (
	"strings"
	"testing"

	"bugle/engine/service/local"
)

func TestTestSendAddsUTMParameters(t *testing.T) {
	b := newBench(t, local.Options{})
	parts := strings.Replace(emailParts, "<p>Hello", `<a href=\"https://shop.example.com/?a=1#top\">Shop</a><p>Hello`, 1)
	test := func(attribute string) string {
		id := b.create(`{%s,%s,"utm_params":{"utm_source":"mail","utm_medium":"email","utm_content":"to {{UserAttribute['%s']}}"}}`, emailHead, parts, attribute)
		return show(b.test(parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}}`, id)))
	}
	if got := test("First Name"); got != "EMAIL_default_variation_1 SENT" {
		t.Fatal(got)
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	contains(t, msgs[0].Email.HTML, `href="https://shop.example.com/?a=1&amp;utm_source=mail&amp;utm_medium=email&amp;utm_content=to+Ida#top"`)
	contains(t, test("Nope"), "FAILED ida@example.com: UTM parameters › Content: no value for {{UserAttribute['Nope']}}")
}

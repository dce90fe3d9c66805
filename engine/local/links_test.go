package local_test

import (
	"strings"
	"testing"

	"bugle/engine/local"
)

func TestATestSendCarriesTheParametersOfItsLinks(t *testing.T) {
	b := newBench(t, local.Options{})
	body := inlineEmail(t, `"ida@example.com"`, `"utm_params":{"utm_source":"mail","utm_medium":"email","utm_content":"to {{UserAttribute['First Name']}}"},`)
	text := strings.Replace(string(body.Encode()), "<p>Hello</p>", `<a href=\"https://shop.example.com/?a=1#top\">Shop</a>`, 1)
	if got := show(b.test(parse(t, text))); got != "EMAIL_default_variation_1 SENT" {
		t.Fatal(got)
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	contains(t, msgs[0].Email.HTML, `href="https://shop.example.com/?a=1&amp;utm_source=mail&amp;utm_medium=email&amp;utm_content=to+Ida#top"`)

	hole := strings.Replace(text, "First Name']}}\"}", "Nope']}}\"}", 1)
	contains(t, show(b.test(parse(t, hole))), "FAILED", "utm_params.utm_content", "Nope")
}

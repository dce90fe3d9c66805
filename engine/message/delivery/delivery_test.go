package delivery_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bugle/engine/message/delivery"
)

type fakeStore struct {
	kept []delivery.Message
	at   time.Time
	err  error
}

func (k *fakeStore) Put(_ context.Context, m delivery.Message, at time.Time) (string, error) {
	if k.err != nil {
		return "", k.err
	}
	k.kept, k.at = append(k.kept, m), at
	return "id-1", nil
}

func TestOutbox(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	k := &fakeStore{}
	outbox := delivery.NewOutbox(k, func() time.Time { return now })
	push := delivery.Message{Key: "ANDROID_default_variation_1", Recipient: "USER_1", Push: &delivery.Push{Platform: "ANDROID", Token: "t", Title: "Hi"}}
	draft := mailTo("a@b.example")
	draft.Email.From = ""
	for _, m := range []delivery.Message{push, mailTo("a@b.example"), draft} {
		if receipt, err := outbox.Deliver(t.Context(), m); err != nil || receipt.ID != "id-1" || receipt.Detail == "" {
			t.Errorf("%s: %+v, %v", m.Key, receipt, err)
		}
	}
	if len(k.kept) != 3 || k.kept[0].Push.Title != "Hi" || !k.at.Equal(now) {
		t.Errorf("kept %+v at %v", k.kept, k.at)
	}

	push.Push = &delivery.Push{Platform: "IOS"}
	_, err := outbox.Deliver(t.Context(), push)
	wantError(t, err, delivery.Invalid, "the recipient USER_1 has no device token for IOS")
	injected := mailTo("a@b.example")
	injected.Email.Subject = "a\nb"
	_, err = outbox.Deliver(t.Context(), injected)
	wantError(t, err, delivery.Invalid, "the subject has a line break")
	_, err = outbox.Deliver(t.Context(), delivery.Message{Key: "K"})
	wantError(t, err, delivery.Invalid, "the message K is neither")

	full := errors.New("disk full")
	k.err = full
	if _, err := outbox.Deliver(t.Context(), mailTo("a@b.example")); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := outbox.Deliver(ctx, mailTo("a@b.example")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestPlainText(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"empty", "", ""},
		{"text", "just *text* & more", "just *text* & more"},
		{"characters of markup", "<p>5 &lt; 6 > 4 &amp; &amp;lt;i></p>", "5 < 6 > 4 & &lt;i>"},
		{"paragraphs", "<p>One  \n two</p><p>Three<br>four</p>", "One two\n\nThree\nfour"},
		{"heading and emphasis", "<h1>Sale</h1><p><b>Now</b> and <i>here</i></p>", "Sale\n\nNow and here"},
		{"link", `<a href="https://x.example/?a=1&amp;b=2">Shop</a>`, "Shop (https://x.example/?a=1&b=2)"},
		{"link that shows its address", `<a href="https://x.example">https://x.example</a> <a href="mailto:a@x.example">a@x.example</a>`, "https://x.example a@x.example"},
		{"list", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"},
		{"picture", `<img src="x.png" alt="Boots"><img src="pixel.gif">`, "[Boots]"},
		{"layout tables", "<table><tr><td><table><tr><td>A</td><td>B</td></tr></table></td></tr><tr><td>C</td></tr></table>", "A  B\n\nC"},
		{"order", "<p>Your order</p><table><thead><tr><th>Item</th><th>Price</th></tr></thead><tbody><tr><td>Coat,\n navy</td><td>199 €</td></tr><tr><td></td><td>Total</td><td><b>199 €</b></td></tr></tbody></table>", "Your order\n\nItem  Price\nCoat, navy  199 €\nTotal  199 €"},
		{"columns", "<table><tr><td><h2>A</h2><p>a</p></td><td><h2>B</h2><p>b</p></td></tr></table>", "A\n\na\n\nB\n\nb"},
		{"picture alone", `<img src="https://x.example/a.png"><img src="https://x.example/pixel.gif" width="1" height="1">`, "[https://x.example/a.png]"},
		{"hidden by style sheet", `<style>@media (max-width:9px) { .b { display:none } } p.a, #c { color: red; display: none }</style><p class="x a">a</p><p class="b">b</p><p id="c">c</p>`, "b"},
		{"hidden", `<head><title>t</title><style>p{}</style></head><div style="display: none">pre</div><script>x</script><!-- c --><p hidden>h</p><p>seen</p>`, "seen"},
		{"fillers", "<p>a&zwnj;&nbsp;&#847;b</p>", "a\u00a0b"},
		{"unclosed", "<p>a<b>b", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := delivery.PlainText(tt.html); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	if got := delivery.PlainText("top" + strings.Repeat("<div>", 20_000) + "deep"); !strings.HasPrefix(got, "top") {
		t.Errorf("deep HTML: %.50q", got)
	}
}

// The preview text stands where inboxes look for it, which is where | is here.
func TestPreviewTextIsAtTheStartOfTheBody(t *testing.T) {
	for _, want := range []string{
		"|<p>a</p>",
		"|plain <b>text",
		"<!DOCTYPE html>|<p>a</p>",
		"<!DOCTYPE html><html><head></head><body bgcolor='x'>|<p>a</p>",
		"<html><head></head><!-- the <body> follows --><body>|<p>Hello</p></body></html>",
		"<html><head><title>The <body> of</title><style>/* <body> */</style><script>'<body>'</script></head><body>|<p>a</p>",
		`<html><head></head><!--[if mso]><body class="mso"><![endif]--><!--[if !mso]><!--><body><!--<![endif]-->|<p>Hello</p>`,
		`<body>|<!--[if mso]><table><tr><td><![endif]--><p>a</p>`,
		"<head><meta charset=utf-8><link rel=x></head>|\n<p>a</p>",
		"<html><head><noscript><p>x</p></noscript></head>|<div>a</div>",
		`<html><body>|<p>Hello</p><div style="display:none"><img src="https://x.example/m.png" alt=""></div><p>Text</p>`,
		`<style>.preheader { color: red } @media print { .preheader { display: none } }</style><body>|<span class="preheader">View in browser</span>`,
		`<body>|<div style="display:none">&nbsp;&zwnj;&#847;</div><p>a</p>`,
		`<body>|<p>See display:none and preview-text</p>`,
		"<BODY\n>|\n<p>a</p>",
		`<style>@media (max-width:480px) { .mob { display:block!important } }</style><body>|<div class="mob" style="display:none"><a href="https://x.example">Shop</a></div><p>a</p>`,
		`<body>|<div hidden>Shop<img src="https://x.example/a.png" alt="Boots"></div><p>a</p>`,
	} {
		source := strings.Replace(want, "|", "", 1)
		want = strings.Replace(want, "|", `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">look &amp; see</div>`, 1)
		got := delivery.HTML(source, "look & see")
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if again := delivery.HTML(got, "look & see"); again != got {
			t.Errorf("it is there twice: %s", again)
		}
		if delivery.HTML(source, " \u200b\u00a0") != source {
			t.Errorf("without a preview text, %s is changed", source)
		}
	}
	for _, own := range []string{
		`<body><div style="display:none;font-size:1px">own</div><p>a</p>`,
		`<body><table><tr><td><img src="logo.png"><div hidden>own</div></td></tr></table>`,
		`<head><style>.preheader { color: transparent; display: none; height: 0 }</style></head><body><span class="preheader">own</span><p>a</p>`,
		`<body><!-- x --><div style="max-height:0;overflow:hidden">own</div>`,
	} {
		if got := delivery.HTML(own, "look"); got != own {
			t.Errorf("%s\nhas two preheaders: %s", own, got)
		}
	}
	if got := delivery.HTML("<p>a</p>\r\n<p>b\r</p>", ""); got != "<p>a</p>\n<p>b\n</p>" {
		t.Errorf("the lines end as in %q", got)
	}
	if got := delivery.HTML("", "look"); got != "" {
		t.Errorf("nothing becomes %s", got)
	}
}

// Without its own preheader an email hides the preview text, and people see the same as before.
func TestWithoutPreheader(t *testing.T) {
	const own = `<div style="display:none">own</div>`
	for _, source := range []string{
		`<body>|<p>a</p>`,
		`<body>` + `<div style="display:none">&nbsp;</div>` + `|<p>a</p>` + own,
		`<head><style>.preheader { display: none !important }</style></head><table><tr><td>|<p>{{ user.city }}</p></td></tr></table>`,
		`<!-- ` + own + ` --><title>` + own + `</title><body>|{% if user.city %}<p>a</p>{% endif %}`,
	} {
		for _, hidden := range []string{own, `<SPAN class=x style='max-height:0'>a <span>b</span> c</SPAN>`, `<div hidden><div>a</div><a name="b">b</a></div>`} {
			before, want := strings.Replace(source, "|", hidden, 1), strings.Replace(source, "|", "", 1)
			if got := delivery.WithoutPreheader(before); got != want {
				t.Errorf("%s\n got %s\nwant %s", before, got, want)
			}
		}
	}
	for _, source := range []string{`<p>a</p>`, `<div hidden>own<img src="https://x.example/a.png"></div><p>a</p>`, `<p hidden>own<p>a</p>`, `<div hidden>own`, `<table><tr hidden><td>own</table><p>a</p>`, ""} {
		if got := delivery.WithoutPreheader(source); got != source {
			t.Errorf("%s became %s", source, got)
		}
	}
}

func TestNULIsRefused(t *testing.T) {
	for _, change := range []func(*delivery.Email){
		func(e *delivery.Email) { e.HTML += "\x00" }, func(e *delivery.Email) { e.Text = "a\x00" }, func(e *delivery.Email) { e.Subject = "a\x00" }, func(e *delivery.Email) { e.PreviewText = "\x00" },
	} {
		m := mailTo("a@b.example")
		change(m.Email)
		_, err := delivery.NewOutbox(&fakeStore{}, nil).Deliver(t.Context(), m)
		wantError(t, err, delivery.Invalid, "has a NUL character")
	}
}

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
		{"paragraphs", "<p>One  \n two</p><p>Three<br>four</p>", "One two\n\nThree\nfour"},
		{"heading and emphasis", "<h1>Sale</h1><p><b>Now</b> and <i>here</i></p>", "Sale\n\nNow and here"},
		{"link", `<a href="https://x.example/?a=1&amp;b=2">Shop</a>`, "Shop (https://x.example/?a=1&b=2)"},
		{"link that shows its address", `<a href="https://x.example">https://x.example</a> <a href="mailto:a@x.example">a@x.example</a>`, "https://x.example a@x.example"},
		{"list", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"},
		{"picture", `<img src="x.png" alt="Boots"><img src="pixel.gif">`, "[Boots]"},
		{"layout tables", "<table><tr><td><table><tr><td>A</td><td>B</td></tr></table></td></tr><tr><td>C</td></tr></table>", "A\n\nB\n\nC"},
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

func TestPreheader(t *testing.T) {
	srv := startServer(t, serverOptions{})
	sender := newSMTP(t, srv.config())
	const ours = `<div style="display:none;`
	for i, tt := range []struct {
		html string
		at   int // where ours is expected, -1 nowhere
	}{
		{"<p>a</p>", 0},
		{"<!DOCTYPE html><html><head></head><body bgcolor='x'><p>a</p>", len("<!DOCTYPE html><html><head></head><body bgcolor='x'>")},
		{"<!DOCTYPE html><p>a</p>", len("<!DOCTYPE html>")},
		{`<body><span class="preheader">own</span><p>a</p>`, -1},
	} {
		m := mailTo("a@b.example")
		m.Email.HTML, m.Email.PreviewText = tt.html, "look"
		if _, err := sender.Deliver(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		_, parts := leaves(t, srv.mails[i].raw)
		if got := strings.Index(parts[1].body, ours); got != tt.at {
			t.Errorf("preheader at %d, want %d: %s", got, tt.at, parts[1].body)
		}
		if strings.Contains(parts[0].body, "look") {
			t.Errorf("the text part shows the preheader: %q", parts[0].body)
		}
	}
}

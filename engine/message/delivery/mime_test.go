package delivery_test

import (
	"bytes"
	"mime"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"bugle/engine/message/delivery"
)

var encodedWord = regexp.MustCompile(`=\?[^?\s]+\?[bBqQ]\?[^?\s]*\?=`)

// reporter is a test, also one of many that rapid makes.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// checkMIME holds a mail against RFC 2045 to 2047, by what stands on the wire: a signature that a
// relay adds (RFC 6376) counts each byte of it.
func checkMIME(t reporter, raw []byte) {
	t.Helper()
	header, body, ok := bytes.Cut(raw, []byte("\r\n\r\n"))
	if !ok {
		t.Fatal("the header does not end")
	}
	for _, line := range strings.Split(string(header), "\r\n") {
		words := encodedWord.FindAllString(line, -1)
		if len(words) > 0 && len(line) > 76 { // RFC 2047, 2
			t.Errorf("a line with an encoded word is %d characters long: %q", len(line), line)
		}
		for _, w := range words {
			if len(w) > 75 {
				t.Errorf("an encoded word is %d characters long: %q", len(w), w)
			}
			// RFC 2047, 5 (3): no character is split between two words.
			if text, err := new(mime.WordDecoder).Decode(w); err != nil || !utf8.ValidString(text) {
				t.Errorf("the encoded word %q is %q (%v)", w, text, err)
			}
		}
		if strings.Contains(encodedWord.ReplaceAllString(line, ""), "=?") {
			t.Errorf("an encoded word is broken: %q", line)
		}
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"From", "To", "Subject", "Date", "Message-Id", "Mime-Version"} {
		if n := len(m.Header[name]); n != 1 { // RFC 5322, 3.6
			t.Errorf("%d headers %s", n, name)
		}
	}
	checkEntity(t, m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), body)
}

// checkEntity goes through the parts as they stand, not as a forgiving reader takes them.
func checkEntity(t reporter, contentType, encoding string, body []byte) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatalf("Content-Type %q: %v", contentType, err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		if encoding != "quoted-printable" && encoding != "base64" {
			t.Errorf("the %s is sent as %q: a relay may change it", kind, encoding)
		}
		for _, line := range bytes.Split(body, []byte("\r\n")) {
			if len(line) > 76 { // RFC 2045, 6.7 (5) and 6.8
				t.Errorf("a line of %d characters in %s: %.90q", len(line), kind, line)
			}
			for _, c := range line {
				if c > 126 || c < ' ' && c != '\t' {
					t.Fatalf("%s holds the byte %#x", kind, c)
				}
			}
		}
		return
	}
	boundary := params["boundary"]
	if boundary == "" || len(boundary) > 70 { // RFC 2046, 5.1.1
		t.Fatalf("the boundary %q", boundary)
	}
	delimiter := []byte("\r\n--" + boundary)
	whole := append([]byte("\r\n"), body...)
	pieces := bytes.Split(whole, delimiter)
	if len(pieces) < 3 || !bytes.HasPrefix(pieces[len(pieces)-1], []byte("--")) {
		t.Fatalf("%s has %d parts between its boundaries, and ends with %.20q", kind, len(pieces)-2, pieces[len(pieces)-1])
	}
	for _, p := range pieces[1 : len(pieces)-1] {
		p, ok := bytes.CutPrefix(p, []byte("\r\n"))
		if !ok {
			t.Fatalf("a boundary of %s is not alone on its line: %.20q", kind, p)
		}
		part, err := mail.ReadMessage(bytes.NewReader(p))
		if err != nil {
			t.Fatalf("a part of %s: %v", kind, err)
		}
		_, inner, _ := bytes.Cut(p, []byte("\r\n\r\n"))
		checkEntity(t, part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), inner)
	}
}

// Whatever is written arrives as it was, in a mail that nothing on its way has to mend.
func TestEveryMailIsWellFormed(t *testing.T) {
	srv := startServer(t, serverOptions{})
	smtp := newSMTP(t, srv.config())
	words := rapid.SampledFrom([]string{"spring", "Grüße", "🎉", "日本語", "=?utf-8?q?x?=", "a b", "--", ".", "From ", "=", "é", "\"", ",", "<b>", strings.Repeat("x", 90), strings.Repeat("ü", 60)})
	lines := rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\n.\n", "\n--boundary\n", " ", "\t", "\u2028", strings.Repeat("long ", 300)})
	rapid.Check(t, func(rt *rapid.T) {
		text := func(name string) string {
			var b strings.Builder
			for range rapid.IntRange(1, 8).Draw(rt, name) {
				b.WriteString(words.Draw(rt, name) + lines.Draw(rt, name))
			}
			return b.String()
		}
		line := strings.TrimSpace(strings.Join(rapid.SliceOfN(words, 1, 8).Draw(rt, "subject"), " "))
		data := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(rt, "file")
		e := &delivery.Email{
			From: "shop@example.com", FromName: line, To: "ada@example.org", Subject: line,
			HTML: "<p>" + text("html") + "</p>", Text: text("text"),
			Attachments: []delivery.Attachment{{Name: "Über " + strings.Repeat("ñ", 40) + ".bin", Data: data}},
		}
		if rapid.Bool().Draw(rt, "plain") {
			e.Attachments = nil
		}
		srv.mu.Lock()
		srv.mails = nil
		srv.mu.Unlock()
		if _, err := smtp.Deliver(t.Context(), delivery.Message{Key: "K", Email: e}); err != nil {
			rt.Fatal(err)
		}
		raw := srv.only(t).raw
		checkWire(t, raw)
		checkMIME(rt, raw)
		header, parts := leaves(t, raw)
		if got, err := header.Text("Subject"); err != nil || got != line {
			rt.Errorf("the subject is %q, and was %q (%v)", got, line, err)
		}
		if from, err := mail.ParseAddress(header.Get("From")); err != nil || from.Name != line || from.Address != "shop@example.com" {
			rt.Errorf("the sender is %v, and was %q (%v)", from, line, err)
		}
		if len(parts) != 2+len(e.Attachments) || parts[0].kind != "text/plain" || parts[1].kind != "text/html" {
			rt.Fatalf("%d parts", len(parts))
		}
		same := func(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }
		if got := same(parts[0].body); got != same(e.Text) {
			rt.Errorf("the text is %q, and was %q", got, e.Text)
		}
		if len(e.Attachments) == 1 && (parts[2].body != string(data) || parts[2].name != e.Attachments[0].Name) {
			rt.Errorf("the attachment is %q, %d bytes", parts[2].name, len(parts[2].body))
		}
	})
}

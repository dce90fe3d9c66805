package delivery_test

import (
	"bytes"
	"encoding/json"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/engine/message/delivery"
)

// reader returns the path of a program that reads mail.
func reader(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("BUGLE_NEED_MAIL_READERS") != "" {
			t.Fatal(err)
		}
		t.Skipf("%s reads the mail for this test; install it: %v", name, err)
	}
	return path
}

// asRead is a mail as Python's email package reads it, without a defect.
type asRead struct {
	Subject, Name string // Name is the sender's
	Parts         []partRead
}

type partRead struct {
	Type, Charset, Method, Encoding, Name string
	Text                                  string // or, of other parts, the bytes as Latin 1
}

const readWithPython = `
import email, email.header, email.policy, email.utils, json, sys
policy = email.policy.SMTP.clone(raise_on_defect=True)
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=policy)
# Some versions leave a space between the encoded words of a name.
sender = str(email.header.make_header(email.header.decode_header("".join(dict(m.raw_items())["From"].splitlines()))))
out = {"Subject": m["subject"], "Name": email.utils.parseaddr(sender)[0] or sender, "Parts": []}
for p in m.iter_parts() if m.is_multipart() else [m]:
    for q in (p.iter_parts() if p.get_content_maintype() == "multipart" else [p]):
        kind = q.get_content_type()
        if kind == "message/rfc822":
            text = q.get_content().as_bytes().decode().replace("\r\n", "\n")
        else:
            text = q.get_payload(decode=True)
            text = text.decode(q.get_content_charset("latin-1"))
        params = q["content-type"].params
        out["Parts"].append({"Type": kind, "Charset": params.get("charset", ""), "Method": params.get("method", ""),
            "Encoding": q["content-transfer-encoding"], "Name": q.get_filename() or "", "Text": text})
json.dump(out, sys.stdout)
`

func readByPython(t *testing.T, raw []byte) (out asRead) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), reader(t, "python3"), "-c", readWithPython)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(raw), &errs
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("Python: %v: %s\n%s", err, errs.String(), raw)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// readable has what is hard to send: names and subjects that are long or not ASCII, and files of several kinds.
func readable() *delivery.Email {
	return &delivery.Email{
		From: "shop@example.com", FromName: strings.Repeat("Käse und Wein aus der Umgebung ", 3) + "🧀", To: "ada@example.org",
		Subject: strings.Repeat("Frühlingsgrüße", 8) + " für Zoë 🎉",
		HTML:    "<p>Hello Zoë</p>\n<p>Bye</p>", Text: "Hello Zoë\nBye\n",
		Attachments: []delivery.Attachment{
			{Name: strings.Repeat("ü", 110) + ".html", ContentType: "text/html; charset=iso-8859-1; name=x.html", Data: []byte("<p>K\xe4se</p>\r\n")},
			{Name: "invite.ics", ContentType: `text/calendar; method=REQUEST; charset="utf-8"`, Data: []byte("BEGIN:VCALENDAR\r\nSUMMARY:Käse\r\nEND:VCALENDAR\r\n")},
			{Name: "Rechnung März.csv", ContentType: "text/csv", Data: []byte("Käse,1\nWein,2\n")},
			{Name: "mixed.txt", ContentType: "text/plain", Data: []byte("one\r\ntwo\nthree")},
			{Name: "letter.eml", ContentType: "message/rfc822", Data: []byte("From: a@example.com\nSubject: =?utf-8?q?K=C3=A4se?=\n\nHello.\n")},
			{Name: "letter 8.eml", ContentType: "message/rfc822", Data: []byte("From: a@example.com\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nKäse.\n")},
			{Name: "page.mht", ContentType: "multipart/related; boundary=x", Data: []byte("--x\r\n\r\nPart\r\n--x--\r\n")},
			{Name: "a name, with \"quotes\" and a backslash.bin", ContentType: "image/x; broken", Data: []byte{0, 1, 255}},
		},
	}
}

// sent returns an email as it arrives at a server.
func sent(t *testing.T, e *delivery.Email) []byte {
	t.Helper()
	srv := startServer(t, serverOptions{})
	if _, err := newSMTP(t, srv.config()).Deliver(t.Context(), delivery.Message{Key: "K", Email: e}); err != nil {
		t.Fatal(err)
	}
	raw := srv.only(t).raw
	for _, line := range bytes.Split(raw, []byte("\r\n")) {
		if len(line) > 78 && !bytes.Contains(line, []byte("8bit")) {
			t.Errorf("a line of %d bytes: %.100q", len(line), line)
		}
	}
	return raw
}

func TestPythonReadsWhatWasSent(t *testing.T) {
	e := readable()
	m := readByPython(t, sent(t, e))
	if m.Subject != e.Subject || m.Name != e.FromName {
		t.Errorf("the subject is %q, the sender %q", m.Subject, m.Name)
	}
	want := []partRead{
		{Type: "text/plain", Charset: "utf-8", Encoding: "quoted-printable", Text: "Hello Zoë\r\nBye\r\n"},
		{Type: "text/html", Charset: "utf-8", Encoding: "quoted-printable", Text: "<p>Hello Zoë</p>\r\n<p>Bye</p>"},
		{Type: "text/html", Charset: "iso-8859-1", Encoding: "quoted-printable", Name: e.Attachments[0].Name, Text: "<p>Käse</p>\r\n"},
		{Type: "text/calendar", Charset: "utf-8", Method: "REQUEST", Encoding: "quoted-printable", Name: "invite.ics", Text: string(e.Attachments[1].Data)},
		{Type: "text/csv", Charset: "utf-8", Encoding: "quoted-printable", Name: "Rechnung März.csv", Text: "Käse,1\r\nWein,2\r\n"},
		{Type: "text/plain", Encoding: "base64", Name: "mixed.txt", Text: "one\r\ntwo\nthree"},
		{Type: "message/rfc822", Encoding: "7bit", Name: "letter.eml", Text: "From: a@example.com\nSubject: =?utf-8?q?K=C3=A4se?=\n\nHello.\n"},
		{Type: "message/rfc822", Encoding: "8bit", Name: "letter 8.eml", Text: string(e.Attachments[5].Data)},
		{Type: "application/octet-stream", Encoding: "base64", Name: "page.mht", Text: string(e.Attachments[6].Data)},
		{Type: "application/octet-stream", Encoding: "base64", Name: "a name, with quotes and a backslash.bin", Text: "\x00\x01ÿ"},
	}
	for i := range max(len(want), len(m.Parts)) {
		if i >= len(want) || i >= len(m.Parts) || m.Parts[i] != want[i] {
			t.Errorf("part %d of %d: %+v\nwant %+v", i+1, len(m.Parts), slices.Concat(m.Parts[i:], nil), want[min(i, len(want)-1)])
			break
		}
	}
}

func TestMunpackSavesAttachments(t *testing.T) {
	munpack, dir := reader(t, "munpack"), t.TempDir()
	e := readable()
	e.Attachments = slices.Concat(e.Attachments[1:3], e.Attachments[7:])
	cmd := exec.CommandContext(t.Context(), munpack, "-q")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(bytes.ReplaceAll(sent(t, e), []byte("\r\n"), []byte("\n"))) // as in a mailbox
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "invite.ics")); err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != strings.ReplaceAll(string(e.Attachments[0].Data), "\r\n", "\n") {
		t.Errorf("%v: %q", err, got)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(f.Name(), "UTF-8") || strings.Contains(f.Name(), "=X") {
			t.Errorf("the name is encoded: %s", f.Name())
		}
	}
}

// What is ASCII stays as it is, and no field begins with an empty line.
func TestHeadersStayReadable(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, text := range []string{"Two  spaces   and more", long, "Sale: " + long + " now", strings.Repeat("many words ", 20) + "end", "a", "Ünder 🎉" + long, "=?utf-8?q?x?=", strings.Repeat("ü", 200)} {
		e := &delivery.Email{From: "shop@example.com", FromName: text, To: "ada@example.org", Subject: text, HTML: "<p>x</p>"}
		srv := startServer(t, serverOptions{})
		if _, err := newSMTP(t, srv.config()).Deliver(t.Context(), delivery.Message{Key: "K", Email: e}); err != nil {
			t.Fatal(err)
		}
		raw := srv.only(t).raw
		fields, _ := leaves(t, raw)
		subject, err := fields.Text("Subject")
		from, fromErr := mail.ParseAddress(fields.Get("From"))
		if err != nil || fromErr != nil || subject != text || from.Name != text {
			t.Errorf("%q is read as %q and %v (%v, %v)", text, subject, from, err, fromErr)
		}
		header, _, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
		for line := range strings.SplitSeq(string(header), "\r\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(value) == "" && !strings.HasPrefix(name, " ") {
				t.Errorf("%s begins with an empty line", name)
			}
		}
		if strings.HasPrefix(text, "Ünder") && bytes.Contains(header, []byte("?b?")) {
			t.Errorf("%q is base64, which filters take for a disguise", text)
		}
		ascii := !strings.ContainsFunc(text, func(c rune) bool { return c > '~' }) && !strings.Contains(text, "=?")
		if ascii && bytes.Contains(header, []byte("=?")) {
			t.Errorf("ASCII is encoded: %s", header)
		}
	}
}

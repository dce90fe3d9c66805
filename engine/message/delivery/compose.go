package delivery

import (
	"cmp"
	"maps"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/net/idna"

	"bugle/engine/visible"
)

// reservedHeaders are the headers that the message's own fields set. Headers must not set them again.
var reservedHeaders = []string{"From", "To", "Cc", "Bcc", "Reply-To", "Sender", "Subject", "Date", "Message-Id", "Mime-Version", "Return-Path"}

// envelope holds the sender and the recipients for the server.
type envelope struct {
	from       string
	recipients []string // each once, in the order To, Cc, Bcc
	utf8       string   // an address that needs SMTPUTF8 (RFC 6531), if any
}

// CheckEmail refuses emails that are malformed or contain header injections, such as line breaks in a subject, whoever the
// recipient is.
func CheckEmail(e *Email) error {
	lines := map[string]string{"sender": e.From, "sender name": e.FromName, "reply-to address": e.ReplyTo, "subject": e.Subject}
	for _, what := range []string{"sender", "sender name", "reply-to address", "subject"} {
		if err := oneLine(what, lines[what]); err != nil {
			return err
		}
	}
	if strings.Contains(e.HTML+e.Text+e.PreviewText, "\x00") {
		return refuse("the text of the email has a NUL character, which servers refuse; remove it")
	}
	for _, optional := range []struct{ what, addr string }{{"sender", e.From}, {"reply-to address", e.ReplyTo}} {
		if optional.addr == "" {
			continue
		}
		if _, err := address(optional.what, optional.addr); err != nil {
			return err
		}
	}
	if _, err := addresses("cc address", e.Cc); err != nil {
		return err
	}
	if _, err := addresses("bcc address", e.Bcc); err != nil {
		return err
	}
	for _, a := range e.Attachments {
		if err := oneLine("name of an attachment", a.Name); err != nil {
			return err
		}
		if err := oneLine("content type of an attachment", a.ContentType); err != nil {
			return err
		}
	}
	return checkHeaders(e.Headers)
}

// checkEmail is [CheckEmail] for the recipient too.
func checkEmail(e *Email) error {
	if err := CheckEmail(e); err != nil {
		return err
	}
	_, err := address("recipient", e.To)
	return err
}

func checkHeaders(headers map[string]string) error {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if err := oneLine("header "+clip(name), name+headers[name]); err != nil {
			return err
		}
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' || c == ':' }) {
			return refuse("%q is not a valid header name; use letters, digits and dashes", clip(name))
		}
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if slices.Contains(reservedHeaders, canonical) || strings.HasPrefix(canonical, "Content-") {
			return refuse("the header %s is set automatically; remove it from the additional headers", canonical)
		}
		if seen[canonical] {
			return refuse("the header %s is set twice; remove one of the two", canonical)
		}
		seen[canonical] = true
	}
	return nil
}

func oneLine(what, s string) error {
	if strings.Contains(s, "\x00") {
		return refuse("the %s has a NUL character; remove it (%q)", what, clip(s))
	}
	if strings.ContainsAny(s, "\r\n") {
		return refuse("the %s has a line break; remove it (%q)", what, clip(s))
	}
	if !utf8.ValidString(s) {
		return refuse("the %s is not valid UTF-8", what)
	}
	return nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

func address(what, s string) (*mail.Address, error) {
	if err := oneLine(what, s); err != nil {
		return nil, err
	}
	a, err := mail.ParseAddress(s)
	if err != nil {
		return nil, refuse("the %s %q is not an email address; write it as name@example.com", what, clip(s))
	}
	// It stands between angle brackets in the dialogue with a server, without the quotes of the message.
	if strings.ContainsFunc(a.Address, func(c rune) bool { return visible.HasBlank(string(c)) || strings.ContainsRune(`<>"\`, c) }) {
		return nil, refuse("the %s %q has a character that is not safe in email headers; write it as name@example.com", what, clip(s))
	}
	if a.Address, err = asciiDomain(a.Address); err != nil {
		return nil, refuse("the domain of the %s %q is not valid; write it as name@example.com", what, clip(s))
	}
	return a, nil
}

// asciiDomain returns an address with the ASCII form of an internationalized domain (RFC 5890), which every server knows.
func asciiDomain(addr string) (string, error) {
	at := strings.LastIndexByte(addr, '@')
	if isASCII(addr[at+1:]) {
		return addr, nil
	}
	domain, err := idna.Lookup.ToASCII(addr[at+1:])
	return addr[:at+1] + domain, err
}

// Mailbox returns the address in a form that two spellings of it share. No server in use distinguishes the case of the part
// before the @, but only of ASCII letters: strings.ToLower would make the Kelvin sign a k, which is another mailbox.
func Mailbox(addr string) string {
	addr = strings.TrimSpace(addr)
	if ascii, err := asciiDomain(addr); err == nil {
		addr = ascii
	}
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}, addr)
}

func isASCII(s string) bool { return !strings.ContainsFunc(s, func(c rune) bool { return c > '~' }) }

func addresses(what string, list []string) ([]*mail.Address, error) {
	parsed := make([]*mail.Address, len(list))
	for i, s := range list {
		a, err := address(what, s)
		if err != nil {
			return nil, err
		}
		parsed[i] = a
	}
	return parsed, nil
}

// compose builds the email for the server.
func compose(e *Email) (*message, envelope, error) {
	if err := checkEmail(e); err != nil {
		return nil, envelope{}, err
	}
	from, err := address("sender", e.From)
	if err != nil {
		return nil, envelope{}, err
	}
	if e.FromName != "" {
		from.Name = e.FromName
	}
	env := envelope{from: from.Address}
	env.note(from)
	_, domain, _ := strings.Cut(from.Address, "@")
	msg := &message{id: cmp.Or(e.ID, uuid.NewString()) + "@" + domain}
	msg.write("From", addressWords("From", from))
	to, _ := address("recipient", e.To)
	msg.write("To", addressWords("To", to))
	env.add(to)
	if cc, _ := addresses("cc address", e.Cc); len(cc) > 0 {
		msg.write("Cc", addressWords("Cc", cc...))
		env.add(cc...)
	}
	bcc, _ := addresses("bcc address", e.Bcc)
	env.add(bcc...)
	if e.ReplyTo != "" {
		reply, _ := address("reply-to address", e.ReplyTo)
		env.note(reply)
		msg.write("Reply-To", addressWords("Reply-To", reply))
	}
	msg.write("Subject", textWords("Subject", e.Subject))
	msg.write("Date", foldable(time.Now().Format(time.RFC1123Z)))
	msg.write("Message-ID", []string{"<" + msg.id + ">"})
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		name, value := textproto.CanonicalMIMEHeaderKey(name), e.Headers[name]
		msg.write(name, textWords(name, value))
	}
	msg.write("MIME-Version", []string{"1.0"})
	body := bodyEntity(e)
	if len(e.Attachments) > 0 {
		parts := []entity{body}
		for _, a := range e.Attachments {
			parts = append(parts, attachmentEntity(a))
		}
		body = multipartEntity("mixed", parts...)
	}
	msg.finish(body)
	return msg, env, nil
}

func (env *envelope) add(list ...*mail.Address) {
	env.note(list...)
	for _, a := range list {
		same := func(have string) bool { return Mailbox(have) == Mailbox(a.Address) }
		if !slices.ContainsFunc(env.recipients, same) {
			env.recipients = append(env.recipients, a.Address)
		}
	}
}

func (env *envelope) note(list ...*mail.Address) {
	for _, a := range list {
		if !isASCII(a.Address) {
			env.utf8 = a.Address
		}
	}
}

// bodyEntity has the text first and the HTML second, because readers use the last part that they can show (RFC 2046,
// 5.1.4).
func bodyEntity(e *Email) entity {
	text := e.Text
	if text == "" {
		text = PlainText(e.HTML)
	}
	plain := textEntity([]string{"text/plain;", "charset=utf-8"}, text)
	html := textEntity([]string{"text/html;", "charset=utf-8"}, e.HTML)
	switch {
	case e.HTML == "":
		return plain
	case text == "":
		return html
	}
	return multipartEntity("alternative", plain, html)
}

// lineEnds normalizes line ends, because mime/quotedprintable swallows an LF after a bare CR.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

package delivery

import (
	"bytes"
	"encoding/base64"
	"maps"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"
)

// reservedHeaders are the headers that the message's own fields set. Headers must not set them again.
var reservedHeaders = []string{"From", "To", "Cc", "Bcc", "Reply-To", "Sender", "Subject", "Date", "Message-Id", "Mime-Version", "Return-Path"}

// envelope holds the sender and the recipients for the server.
type envelope struct {
	from       string
	recipients []string // each once, in the order To, Cc, Bcc
}

// checkEmail refuses emails that are malformed or contain header injections, such as line breaks in a
// subject.
func checkEmail(e *Email) error {
	lines := map[string]string{"sender": e.From, "sender name": e.FromName, "reply-to address": e.ReplyTo, "recipient": e.To, "subject": e.Subject}
	for _, what := range []string{"sender", "sender name", "reply-to address", "recipient", "subject"} {
		if err := oneLine(what, lines[what]); err != nil {
			return err
		}
	}
	if _, err := address("recipient", e.To); err != nil {
		return err
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
	if strings.ContainsAny(s, "\r\n\x00") {
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
	if strings.ContainsFunc(a.Address, func(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune(`<>"\`, c) }) {
		return nil, refuse("the %s %q has a character that is not safe in email headers; write it as name@example.com", what, clip(s))
	}
	return a, nil
}

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
func compose(e *Email) (*gomail.Msg, envelope, error) {
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
	sender := literal(from.Name)
	env := envelope{from: from.Address}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if sender == from.Name {
		msg.FromMailAddress(from)
	} else {
		msg.SetGenHeaderPreformatted(gomail.Header(gomail.HeaderFrom), strings.ReplaceAll(sender, " ", "\r\n ")+"\r\n <"+from.Address+">")
	}
	to, _ := address("recipient", e.To)
	msg.ToMailAddress(to)
	env.add(to)
	if cc, _ := addresses("cc address", e.Cc); len(cc) > 0 {
		msg.CcMailAddress(cc...)
		env.add(cc...)
	}
	bcc, _ := addresses("bcc address", e.Bcc)
	env.add(bcc...)
	if e.ReplyTo != "" {
		reply, _ := address("reply-to address", e.ReplyTo)
		msg.ReplyToMailAddress(reply)
	}
	msg.Subject(literal(e.Subject))
	msg.SetDate()
	// The library's own Message-ID names this machine.
	_, domain, _ := strings.Cut(from.Address, "@")
	msg.SetMessageIDWithValue(uuid.NewString() + "@" + domain)
	for name, value := range e.Headers {
		msg.SetGenHeader(gomail.Header(textproto.CanonicalMIMEHeaderKey(name)), value)
	}
	setBody(msg, e)
	return msg, env, attach(msg, e.Attachments)
}

// literal encodes a text as ASCII encoded words (RFC 2047) if it would not arrive unchanged otherwise: if it
// looks like encoded words, or if its lines cannot be folded without loss, because the library drops one of
// two spaces at a fold and leaves words longer than a line (RFC 5322, 2.1.1). The library encodes other
// non-ASCII text.
func literal(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' }) {
		return s
	}
	const longest = 60 // bytes of a word that fits on a line with the header's name
	long := func(word string) bool { return len(word) > longest }
	if !strings.Contains(s, "=?") && !strings.Contains(s, "  ") && !slices.ContainsFunc(strings.Split(s, " "), long) {
		return s
	}
	const most = 42 // bytes a word, 68 characters with what is around them: a line with "From: " has at most 76
	var words []string
	for part := range slices.Chunk([]byte(s), most) {
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString(part)+"?=")
	}
	return strings.Join(words, " ")
}

func (env *envelope) add(list ...*mail.Address) {
	for _, a := range list {
		if !slices.Contains(env.recipients, a.Address) {
			env.recipients = append(env.recipients, a.Address)
		}
	}
}

// setBody writes text first and HTML second, because readers use the last part that they can show (RFC 2046,
// 5.1.4).
func setBody(msg *gomail.Msg, e *Email) {
	text := e.Text
	if text == "" && e.HTML != "" {
		text = PlainText(e.HTML)
	}
	text = lineEnds.Replace(text)
	if text != "" || e.HTML == "" {
		msg.SetBodyString(gomail.TypeTextPlain, text)
	}
	html := lineEnds.Replace(withPreheader(e.HTML, e.PreviewText))
	switch {
	case e.HTML == "":
	case text == "":
		msg.SetBodyString(gomail.TypeTextHTML, html)
	default:
		msg.AddAlternativeString(gomail.TypeTextHTML, html)
	}
}

// lineEnds normalizes line ends, because mime/quotedprintable swallows an LF after a bare CR.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func attach(msg *gomail.Msg, files []Attachment) error {
	for _, a := range files {
		kind := a.ContentType
		if kind == "" {
			kind = "application/octet-stream"
		}
		name := cleanName(a.Name)
		if name == "" {
			name = "attachment"
		}
		if err := msg.AttachReader(name, bytes.NewReader(a.Data), gomail.WithFileContentType(gomail.ContentType(kind))); err != nil {
			return refuse("the attachment %s cannot be added: %v", name, err)
		}
	}
	return nil
}

package delivery

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"
)

// message is an email as a server gets it.
type message struct {
	id   string // its Message-ID, without angle brackets
	data []byte
}

const (
	lineLength = 76  // RFC 2045 to 2047, and less than the 78 of RFC 5322, 2.1.1
	longest    = 900 // bytes of a word that cannot be folded; a line has at most 998 (RFC 5322, 2.1.1)
)

// write adds a header field to a message. A field never begins with an empty line, which some readers show as it is.
func (m *message) write(name string, words []string) {
	m.data = append(m.data, name+": "+fold(name, words)+"\r\n"...)
}

// finish adds the body, and the fields that describe it.
func (m *message) finish(body entity) {
	for _, name := range slices.Sorted(maps.Keys(body.header)) {
		m.data = append(m.data, name+": "+body.header.Get(name)+"\r\n"...)
	}
	m.data = append(append(m.data, "\r\n"...), body.body...)
}

// fold joins the words of a header field with spaces, in lines as short as the words allow.
func fold(name string, words []string) string {
	var b strings.Builder
	n := len(name) + 2
	for i, w := range words {
		switch {
		case i == 0:
		case n+1+len(w) > lineLength:
			b.WriteString("\r\n ")
			n = 1
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(w)
		n += len(w)
	}
	return b.String()
}

// textWords returns a text as words of a header field.
func textWords(name, s string) []string {
	if isPlain(s) {
		return foldable(s)
	}
	return encodedWords(name, s)
}

// isPlain reports whether a text is read as it was written without being encoded.
func isPlain(s string) bool {
	return isASCII(s) && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' }) && strings.Trim(s, " ") == s &&
		!strings.Contains(s, "=?") && !slices.ContainsFunc(foldable(s), func(w string) bool { return len(w) > longest })
}

// foldable splits a text at the spaces that stand alone. Readers may drop one of several at a fold.
func foldable(s string) []string {
	var words []string
	from := 0
	for i := 1; i < len(s)-1; i++ {
		if s[i] == ' ' && s[i-1] != ' ' && s[i+1] != ' ' {
			words, from = append(words, s[from:i]), i+1
		}
	}
	return append(words, s[from:])
}

// encodedWords returns a text as encoded words (RFC 2047) that split no character. The first leaves room for the name of
// the field.
func encodedWords(name, s string) []string {
	encode, ascii := quotedWord, 0
	for _, c := range []byte(s) {
		if c < utf8.RuneSelf {
			ascii++
		}
	}
	if ascii < len(s)/2 { // of a text that is mostly ASCII, filters take it for a disguise
		encode = base64Word
	}
	const oneCharacter = 24 // bytes
	room := max(lineLength-len(name)-2, oneCharacter)
	var words []string
	from := 0
	for i, c := range s {
		if len(encode(s[from:i+utf8.RuneLen(c)])) > room {
			words = append(words, encode(s[from:i]))
			from, room = i, lineLength-1
		}
	}
	return append(words, encode(s[from:]))
}

func base64Word(s string) string {
	return "=?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// quotedWord escapes what is not allowed in the name of a sender (RFC 2047, 5), so that it fits everywhere.
func quotedWord(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c == ' ':
			b.WriteByte('_')
		case isAlphanumeric(c) || strings.IndexByte("!*+-/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return "=?utf-8?q?" + b.String() + "?="
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// addressWords returns addresses as words of a header field.
func addressWords(name string, list ...*mail.Address) []string {
	var words []string
	for i, a := range list {
		special := func(c rune) bool { return c != ' ' && !isAlphanumeric(byte(c)) }
		switch {
		case a.Name == "":
		case !isPlain(a.Name):
			words = append(words, encodedWords(name, a.Name)...)
		case strings.ContainsFunc(a.Name, special) || strings.Contains(a.Name, "  "):
			words = append(words, foldable(`"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.Name)+`"`)...)
		default:
			words = append(words, foldable(a.Name)...)
		}
		addr := (&mail.Address{Address: a.Address}).String()
		if i < len(list)-1 {
			addr += ","
		}
		words = append(words, addr)
	}
	return words
}

// entity is a part of a message, or the whole below its header.
type entity struct {
	header textproto.MIMEHeader
	body   []byte
}

// newEntity returns an entity with the body in an encoding.
func newEntity(contentType []string, encoding string, body []byte) entity {
	return entity{textproto.MIMEHeader{
		"Content-Type": {fold("Content-Type", contentType)}, "Content-Transfer-Encoding": {encoding},
	}, body}
}

// textEntity returns a text. Lines end as they have to (RFC 2046, 4.1.1).
func textEntity(contentType []string, text string) entity {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	_, _ = io.WriteString(w, lineEnds.Replace(text)) // a buffer takes all
	_ = w.Close()
	return newEntity(contentType, "quoted-printable", b.Bytes())
}

// multipartEntity returns an entity of several, such as alternatives.
func multipartEntity(kind string, parts ...entity) entity {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		part, _ := w.CreatePart(p.header) // a buffer takes all
		_, _ = part.Write(p.body)
	}
	_ = w.Close()
	return entity{textproto.MIMEHeader{"Content-Type": {"multipart/" + kind + ";\r\n boundary=" + w.Boundary()}}, b.Bytes()}
}

// attachmentEntity returns a file. A text stays readable on its way, and a message within a message has no encoding
// (RFC 2046, 5.2.1).
func attachmentEntity(a Attachment) entity {
	kind, params, err := mime.ParseMediaType(a.ContentType)
	if err != nil {
		kind = "" // also where the type alone could be read
	}
	text := lineEnds.Replace(string(a.Data))
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	// A text arrives with the line ends of its reader, which changes nothing else if it has one kind of them.
	isText := !strings.Contains(text, "\x00") && (text == string(a.Data) || crlf == string(a.Data))
	maps.DeleteFunc(params, func(name, value string) bool { return name == "name" || len(value) > longest/4 })
	if params["charset"] == "" && strings.HasPrefix(kind, "text/") && !isASCII(text) && utf8.ValidString(text) {
		params["charset"] = "utf-8"
	}
	contentType := strings.Fields(mime.FormatMediaType(kind, params))
	var e entity
	switch {
	case strings.HasPrefix(kind, "text/") && isText:
		e = textEntity(contentType, text)
	case kind == "message/rfc822" && isText && !hasLongLine(text):
		encoding := "7bit"
		if !isASCII(text) {
			encoding = "8bit"
		}
		e = newEntity(contentType, encoding, []byte(crlf))
	default:
		if len(contentType) == 0 || strings.HasPrefix(kind, "message/") || strings.HasPrefix(kind, "multipart/") {
			contentType = []string{"application/octet-stream"}
		}
		e = newEntity(contentType, "base64", base64Lines(a.Data))
	}
	name := cleanName(a.Name)
	if name == "" {
		name = "attachment"
	}
	const disposition = "Content-Disposition"
	e.header.Set(disposition, fold(disposition, append([]string{"attachment;"}, parameter("filename", name)...)))
	return e
}

func hasLongLine(text string) bool {
	for line := range strings.Lines(text) {
		if len(line) > 998 {
			return true
		}
	}
	return false
}

func base64Lines(data []byte) []byte {
	var b bytes.Buffer
	for len(data) > 0 {
		n := min(lineLength/4*3, len(data))
		b.WriteString(base64.StdEncoding.EncodeToString(data[:n]) + "\r\n")
		data = data[n:]
	}
	return b.Bytes()
}

// parameter returns a parameter of a header field as words (RFC 2231): in pieces if it is long.
func parameter(name, value string) []string {
	const room = 50
	if isASCII(value) && len(value) <= room && !strings.Contains(value, "=?") {
		return []string{name + `="` + value + `"`}
	}
	var pieces []string
	piece := "utf-8''"
	for _, c := range []byte(value) {
		one := string(c)
		if !isAlphanumeric(c) && c != '.' && c != '-' && c != '_' {
			one = fmt.Sprintf("%%%02X", c)
		}
		if len(piece)+len(one) > room {
			pieces, piece = append(pieces, piece), ""
		}
		piece += one
	}
	pieces = append(pieces, piece)
	if len(pieces) == 1 {
		return []string{name + "*=" + pieces[0]}
	}
	for i := range pieces {
		pieces[i] = fmt.Sprintf("%s*%d*=%s", name, i, pieces[i])
		if i < len(pieces)-1 {
			pieces[i] += ";"
		}
	}
	return pieces
}

package operation

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
)

// Hidden replaces redacted values.
const Hidden = "[hidden]"

// Redactor removes secrets from what is shown and logged: by their names, by their format, and the texts it
// was created with. The zero value has no texts.
type Redactor struct{ texts []string }

// NewRedactor returns a redactor that also hides these texts. Texts of up to three bytes are ignored, because
// they are part of too many words.
func NewRedactor(texts ...string) Redactor {
	return Redactor{slices.DeleteFunc(texts, func(t string) bool { return len(t) < minTokenLen })}
}

// secretName matches names of secrets. A bare "key" is not one: it is the name in a campaign's key-value
// pairs.
var secretName = regexp.MustCompile(`passw|passphrase|(^|_)pwd$|secret|credential|authorization|token|cookie|api_?key|private_?key|(^|_)(auth|bearer|jwt|session_?id|p256dh)$|(^|_)(access|auth|server|signing|encryption|account)_?key$`)

func isSecret(name string) bool {
	return secretName.MatchString(strings.ReplaceAll(strings.ToLower(name), "-", "_"))
}

// Header returns a redacted copy.
func (r Redactor) Header(h http.Header) http.Header {
	out := h.Clone()
	for name, values := range out {
		if isSecret(name) {
			out[name] = []string{Hidden}
			continue
		}
		for i, v := range values {
			values[i] = r.Text(v)
		}
	}
	return out
}

// Document returns a document without the values of fields that have the name of a secret, credentials in
// URLs, and the redactor's texts, which are also removed from names.
func (r Redactor) Document(v doc.Value) doc.Value {
	switch v.Kind() {
	case doc.String:
		if inner := embeddedJSON(v.Text()); inner.Exists() {
			if out := r.Document(inner); !out.Same(inner) {
				return doc.NewString(string(out.Encode()))
			}
		}
		if clean := r.Text(v.Text()); clean != v.Text() {
			return doc.NewString(clean)
		}
	case doc.Object:
		var ms []doc.Member
		changed := false
		for name, m := range v.Members() {
			out := redactMember(v, name, m)
			if out.Same(m) {
				out = r.Document(m)
			}
			shown := r.Exact(name)
			changed = changed || !out.Same(m) || shown != name
			ms = append(ms, doc.M(shown, out))
		}
		if changed {
			return doc.NewObject(ms...)
		}
	case doc.Array:
		var es []doc.Value
		changed := false
		for _, e := range v.Elems() {
			out := r.Document(e)
			changed = changed || !out.Same(e)
			es = append(es, out)
		}
		if changed {
			return doc.NewArray(es...)
		}
	}
	return v
}

// embeddedJSON returns the document in a text, such as a browser's subscription, or an absent value.
func embeddedJSON(s string) doc.Value {
	if s = strings.TrimSpace(s); !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return doc.Value{}
	}
	v, _ := doc.Parse([]byte(s))
	return v
}

// redactMember returns the replacement for a member of an object: [Hidden] if it is a secret by its own name
// or by the name of its key-value pair.
func redactMember(object doc.Value, name string, m doc.Value) doc.Value {
	secret := isSecret(name)
	switch name {
	case "value":
		secret = secret || isSecret(object.Get("key").Text()) || isSecret(object.Get("name").Text())
	case "key":
		secret = !object.Get("value").Exists() && generatedKey.MatchString(m.Text())
	}
	if secret && !m.Empty() {
		return doc.NewString(Hidden)
	}
	return m
}

// generatedKey matches generated keys.
var generatedKey = regexp.MustCompile(`^[\w.+/=-]{20,}$`)

var (
	userInURL        = regexp.MustCompile(`(://)[^/\s"'<>@?#]*@`)
	queryInURL       = regexp.MustCompile(`([?&;])([\w.\-]+)=([^&#;\s"'<>]+)`)
	privateKey       = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?`)
	secretAssignment = regexp.MustCompile(`(["']?)([\w.\-]+)(["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;,<>{}\[\]]+)`)
	credentials      = regexp.MustCompile(`(?i)\b(authorization['"]?\s*[:=]\s*['"]?)((basic|bearer)\s+)?[^\s'"]+`)
)

// Exact returns a text without the redactor's texts, and otherwise unchanged.
func (r Redactor) Exact(s string) string {
	for _, h := range r.texts {
		s = strings.ReplaceAll(s, h, Hidden)
	}
	return s
}

// Text returns a text without credentials in URLs and headers, and without the redactor's texts.
func (r Redactor) Text(s string) string {
	s = r.Exact(s)
	if strings.Contains(s, "://") {
		s = userInURL.ReplaceAllString(s, "${1}"+Hidden+"@")
	}
	if strings.Contains(s, "PRIVATE KEY") {
		s = privateKey.ReplaceAllString(s, Hidden)
	}
	if strings.ContainsAny(s, "?&") {
		s = queryInURL.ReplaceAllStringFunc(s, func(part string) string {
			m := queryInURL.FindStringSubmatch(part)
			if !isSecret(m[2]) && !queryKey.MatchString(m[2]) || strings.HasPrefix(m[3], "{{") {
				return part
			}
			return m[1] + m[2] + "=" + Hidden
		})
	}
	return credentials.ReplaceAllString(s, "${1}"+Hidden)
}

// queryKey matches additional names of secrets in the query of a URL.
var queryKey = regexp.MustCompile(`(?i)^key$|(^|[-_])(sig|signature)$`)

// Body returns a message body without secrets: a document as by [Redactor.Document]. In other text it hides
// values with the name of a secret, as in a form, a header or a truncated document.
func (r Redactor) Body(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if v, err := doc.Parse(b); err == nil {
		if safe := r.Document(v); !safe.Same(v) {
			b = safe.Encode()
		}
		return []byte(r.Exact(string(b)))
	}
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	return []byte(secretAssignment.ReplaceAllStringFunc(r.Text(string(b)), func(part string) string {
		m := secretAssignment.FindStringSubmatch(part)
		if !isSecret(m[2]) || strings.HasPrefix(m[4], Hidden) {
			return part
		}
		return m[1] + m[2] + m[3] + Hidden
	}))
}

// pushID is the identifier whose values are device tokens (CONTRACT.md, Test sends and Preview).
const pushID = "PUSH_ID"

// minTokenLen prevents short texts that are no device tokens from being redacted everywhere in a response.
const minTokenLen = 4

// DeviceTokens returns the device tokens in a request of an operation with NamesUsers.
func DeviceTokens(request doc.Value) []string {
	var found []string
	if meta := request.Get("test_campaign_meta"); meta.Get("identifier").Text() == pushID {
		found = meta.Get("identifier_values").Strings()
	}
	if user := request.Get("user_identification"); user.Get("type").Text() == pushID {
		found = append(found, user.Get("value").Text())
	}
	return slices.DeleteFunc(found, func(t string) bool { return len(t) < minTokenLen })
}

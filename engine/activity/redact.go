package activity

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/operation"
)

// hidden stands where something must not be shown.
const hidden = "[hidden]"

// cleaned returns the call without the secrets that its members hold, and knowing what its bodies must
// not show.
func (c Call) cleaned() Call {
	if op := operation.Named(c.Operation); op != nil && op.NamesUsers {
		c.hide = deviceTokens(c.request.value())
	}
	c.Base, c.Path, c.Err = redactedText(c.Base, nil), redactedText(c.Path, nil), redactedText(c.Err, c.hide)
	c.RequestHeader, c.ResponseHeader = redactedHeader(c.RequestHeader), redactedHeader(c.ResponseHeader)
	return c
}

// secretName finds names of what nobody but its owner should see. A bare "key" is none: it names the
// first half of a campaign's key-value pairs.
var secretName = regexp.MustCompile(`passw|passphrase|(^|_)pwd$|secret|credential|authorization|token|cookie|(^|_)(auth|bearer|jwt|session_?id|p256dh)$|(^|_)(api|private|access|auth|server|signing|encryption|account)_?key$`)

func isSecret(name string) bool {
	return secretName.MatchString(strings.ReplaceAll(strings.ToLower(name), "-", "_"))
}

func redactedHeader(h http.Header) http.Header {
	out := h.Clone()
	for name, values := range out {
		if isSecret(name) {
			out[name] = []string{hidden}
			continue
		}
		for i, v := range values {
			values[i] = redactedText(v, nil)
		}
	}
	return out
}

// redacted returns a document without the values of members that are named like secrets, credentials
// in URLs, device tokens, and the texts of hide.
func redacted(v doc.Value, hide []string) doc.Value {
	switch v.Kind() {
	case doc.String:
		if inner := jsonWithin(v.Text()); inner.Exists() {
			if out := redacted(inner, hide); !out.Same(inner) {
				return doc.NewString(string(out.Encode()))
			}
		}
		if clean := redactedText(v.Text(), hide); clean != v.Text() {
			return doc.NewString(clean)
		}
	case doc.Object:
		var ms []doc.Member
		changed := false
		for name, m := range v.Members() {
			out := hiddenMember(v, name, m)
			if out.Same(m) {
				out = redacted(m, hide)
			}
			changed = changed || !out.Same(m)
			ms = append(ms, doc.M(name, out))
		}
		if changed {
			return doc.NewObject(ms...)
		}
	case doc.Array:
		var es []doc.Value
		changed := false
		for _, e := range v.Elems() {
			out := redacted(e, hide)
			changed = changed || !out.Same(e)
			es = append(es, out)
		}
		if changed {
			return doc.NewArray(es...)
		}
	}
	return v
}

// jsonWithin returns the document that a text is, such as a subscription of a browser; absent where it is none.
func jsonWithin(s string) doc.Value {
	if s = strings.TrimSpace(s); !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return doc.Value{}
	}
	v, _ := doc.Parse([]byte(s))
	return v
}

// hiddenMember returns what stands for a member of an object: "[hidden]" where it is a secret by its
// name, or by that of the pair whose value it is.
func hiddenMember(object doc.Value, name string, m doc.Value) doc.Value {
	secret := isSecret(name)
	switch name {
	case "value":
		secret = secret || isSecret(object.Get("key").Text()) || isSecret(object.Get("name").Text())
	case "key":
		secret = !object.Get("value").Exists() && generatedKey.MatchString(m.Text())
	}
	if secret && !m.Empty() {
		return doc.NewString(hidden)
	}
	return m
}

// generatedKey is what keys look like that a machine made.
var generatedKey = regexp.MustCompile(`^[\w.+/=-]{20,}$`)

var (
	userInURL   = regexp.MustCompile(`(://)[^/\s"'<>@?#]*@`)
	queryInURL  = regexp.MustCompile(`([?&;])([\w.\-]+)=([^&#;\s"'<>]+)`)
	privateKey  = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?`)
	named       = regexp.MustCompile(`(["']?)([\w.\-]+)(["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;,<>{}\[\]]+)`)
	credentials = regexp.MustCompile(`(?i)\b(authorization['"]?\s*[:=]\s*['"]?)((basic|bearer)\s+)?[^\s'"]+`)
)

// redactedText returns a text without credentials in URLs and headers, and without the texts of hide.
func redactedText(s string, hide []string) string {
	for _, h := range hide {
		s = strings.ReplaceAll(s, h, hidden)
	}
	if strings.Contains(s, "://") {
		s = userInURL.ReplaceAllString(s, "${1}"+hidden+"@")
	}
	if strings.Contains(s, "PRIVATE KEY") {
		s = privateKey.ReplaceAllString(s, hidden)
	}
	if strings.ContainsAny(s, "?&") {
		s = queryInURL.ReplaceAllStringFunc(s, func(part string) string {
			m := queryInURL.FindStringSubmatch(part)
			if !isSecret(m[2]) && !queryKey.MatchString(m[2]) || strings.HasPrefix(m[3], "{{") {
				return part
			}
			return m[1] + m[2] + "=" + hidden
		})
	}
	return credentials.ReplaceAllString(s, "${1}"+hidden)
}

// queryKey finds further names of secrets in the query of a URL.
var queryKey = regexp.MustCompile(`(?i)^key$|(^|[-_])(sig|signature)$`)

// redactedBytes returns a body that is no JSON, or not all of one, without what is named like a secret in it,
// as in a form, a header or a document that was cut off.
func redactedBytes(s string, hide []string) string {
	s = named.ReplaceAllStringFunc(redactedText(s, hide), func(part string) string {
		m := named.FindStringSubmatch(part)
		if !isSecret(m[2]) || strings.HasPrefix(m[4], hidden) {
			return part
		}
		return m[1] + m[2] + m[3] + hidden
	})
	return s
}

// pushID is the identifier whose values are device tokens (spec.md, test_campaign_meta; gaps.md,
// Operations, Preview).
const pushID = "PUSH_ID"

// shortestToken keeps what is no device token from blotting out half of the words of an answer.
const shortestToken = 4

// deviceTokens returns the device tokens that a test or preview request names its users by.
func deviceTokens(request doc.Value) []string {
	var found []string
	if meta := request.Get("test_campaign_meta"); meta.Get("identifier").Text() == pushID {
		found = meta.Get("identifier_values").Strings()
	}
	if user := request.Get("user_identification"); user.Get("type").Text() == pushID {
		found = append(found, user.Get("value").Text())
	}
	return slices.DeleteFunc(found, func(t string) bool { return len(t) < shortestToken })
}

func headers(name string, h http.Header) doc.Member {
	if len(h) == 0 {
		return doc.Member{}
	}
	var ms []doc.Member
	for _, n := range sortedNames(h) {
		ms = append(ms, text(n, strings.Join(h[n], ", ")))
	}
	return doc.M(name, doc.NewObject(ms...))
}

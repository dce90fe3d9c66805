// Package mjml keeps MJML as the source of the HTML of an email, and compiles it with the program mjml. A compiled body
// has its source in a comment at its end, so that the source goes wherever the campaign goes. What is sent has no such
// comment. [Verify] tells whether the two belong together.
package mjml

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/schema"
)

// maxSource is the longest source, in bytes, which is about as long as the body of a campaign can be.
const maxSource = 1 << 20

// The comment with the source: a hash of the HTML before it, and the compressed source in base64.
const (
	commentStart = "<!-- bugle:mjml:1 "
	commentEnd   = " -->"
)

// IsSource reports whether a text is MJML rather than HTML.
func IsSource(text string) bool { return catalog.IsMJML(text) }

// InField reports whether a field has the HTML of an email, which can be compiled from MJML.
func InField(n *schema.Node) bool {
	return n != nil && n.Kind == schema.String && n.Links == schema.LinksInHTML
}

// Source returns the MJML that a body was compiled from. It returns false if there is none, and if the HTML was changed
// after it was compiled, so that it is no longer what the MJML describes.
func Source(html string) (string, bool) {
	page, comment, ok := split(html)
	if !ok {
		return "", false
	}
	sum, packed, ok := strings.Cut(comment, " ")
	if !ok || sum != hash(page) {
		return "", false
	}
	return unpack(packed)
}

// Editable returns the text to show where somebody edits a body: its source if it has one, and else the HTML itself.
func Editable(html string) string {
	if source, ok := Source(html); ok {
		return source
	}
	return html
}

// Without returns a body without the comment that has its source.
func Without(html string) string {
	page, _, ok := split(html)
	if !ok {
		return html
	}
	return page
}

// split returns the HTML before the comment with a source, and the content of the comment.
func split(html string) (page, comment string, ok bool) {
	start := strings.LastIndex(html, commentStart)
	if start < 0 {
		return "", "", false
	}
	comment, ok = strings.CutSuffix(strings.TrimRight(html[start+len(commentStart):], " \t\r\n"), commentEnd)
	if !ok || strings.ContainsAny(comment, "<>-{}\r\n") {
		return "", "", false
	}
	return html[:start], comment, true
}

// attach returns HTML with its source.
func attach(page, source string) string {
	page = strings.TrimRight(page, " \t\r\n") + "\n"
	return page + commentStart + hash(page) + " " + pack(source) + commentEnd
}

// hash returns a hash of HTML that does not depend on how its lines end: editors and git change that.
func hash(page string) string {
	sum := sha256.Sum256([]byte(trimmed(page)))
	return hex.EncodeToString(sum[:8])
}

func trimmed(page string) string {
	return strings.TrimRight(strings.ReplaceAll(page, "\r\n", "\n"), " \t\r\n")
}

func pack(source string) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err) // only of a level that does not exist
	}
	_, _ = io.WriteString(w, source) // a buffer takes everything
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func unpack(packed string) (string, bool) {
	b, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return "", false
	}
	r := flate.NewReader(bytes.NewReader(b))
	source, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if err != nil || len(source) > maxSource || !IsSource(string(source)) {
		return "", false
	}
	return string(source), true
}

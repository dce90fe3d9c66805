package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// FieldRevision is the field of a file that says what the file was made from: a [Campaign.StateRevision] or a
// [Campaign.ContentRevision] (CONTRACT.md, Revisions). It is no field of a record, and is never sent to a service.
const FieldRevision = "revision"

// Tag returns the entity tag (RFC 9110) of the campaign as it was read; empty if its service sends none.
func (c Campaign) Tag() string {
	if c.Revision > 0 {
		return `"` + strconv.FormatInt(c.Revision, 10) + `"`
	}
	return c.ETag
}

// StateRevision names the state in which the campaign was read: its entity tag without quotation marks, or, where its
// service sends none, the time of its last change and its content.
func (c Campaign) StateRevision() string {
	if tag := c.Tag(); tag != "" {
		return strings.ReplaceAll(tag, `"`, "")
	}
	return c.UpdatedAt.UTC().Format(time.RFC3339Nano) + "-" + c.ContentRevision()
}

// ContentRevision names the content of the campaign: the same components have the same one, whatever else changes.
func (c Campaign) ContentRevision() string {
	var ms []doc.Member
	for _, info := range catalog.Components(c.Channel) {
		if v := c.Body.Get(string(info.Name)); v.Exists() {
			ms = append(ms, doc.M(string(info.Name), catalog.InRequest(c.Channel, info.Name, v)))
		}
	}
	text := jsontext.Value(doc.NewObject(ms...).Encode())
	_ = text.Canonicalize() // what has no canonical form is hashed as it is
	sum := sha256.Sum256(text)
	return "c" + hex.EncodeToString(sum[:8]) // no number, whatever the hash is
}

// WithRevision returns a document of the campaign with a revision behind its id. A service's own field of that name stays.
func WithRevision(document doc.Value, revision string) doc.Value {
	if document.Get(FieldRevision).Exists() {
		return document
	}
	var ms []doc.Member
	for name, v := range document.Members() {
		if ms = append(ms, doc.M(name, v)); name == fID {
			ms = append(ms, doc.M(FieldRevision, doc.NewString(revision)))
		}
	}
	return doc.NewObject(ms...)
}

// CheckRevision returns the error of [Stale] if the campaign is not as it was at the revision that a file has; empty fits
// every campaign.
func (c Campaign) CheckRevision(since string) error {
	own := strings.Trim(string(c.Body.Get(FieldRevision).Encode()), `"`)
	if since == "" || slices.Contains([]string{c.StateRevision(), c.ContentRevision(), own}, since) {
		return nil
	}
	return Stale(c.Head)
}

// Stale returns the refusal of a change that was made from an earlier state of a campaign than h.
func Stale(h Head) *Error {
	by, at := h.UpdatedBy, ""
	if by == "" {
		by = "somebody else"
	}
	if !h.UpdatedAt.IsZero() {
		at = " on " + h.UpdatedAt.UTC().Format("2 Jan 2006 at 15:04:05 UTC")
	}
	e := Errorf(BadRequest, http.StatusConflict, "the campaign was changed by %s%s, after you read it; read it again and repeat your change", by, at)
	e.Target = FieldRevision
	return e
}

// IsStale reports whether a change was refused because the campaign is not in the state anymore that the change was made
// from.
func IsStale(err error) bool {
	e := AsError(err)
	return e != nil && (e.HTTP == http.StatusPreconditionFailed || e.HTTP == http.StatusConflict && e.Target == FieldRevision)
}

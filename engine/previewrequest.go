package engine

import (
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// The ways in which a preview names its user (CONTRACT.md, Preview).
const (
	byUniqueID = "USER_ATTRIBUTE_UNIQUE_ID"
	byEmail    = "EMAIL"
)

// PreviewKind returns the kind of identifier by which a preview finds what a person calls a user: an email address, or
// else the unique id.
func PreviewKind(user string) string {
	if strings.Contains(user, "@") {
		return byEmail
	}
	return byUniqueID
}

// PreviewBody returns the body of a preview request for a user by what a person calls them. Content is a
// campaign_content.
func PreviewBody(ch Channel, user string, content doc.Value) doc.Value {
	return PreviewBodyFor(ch, PreviewKind(user), user, content, nil)
}

// PreviewBodyFor returns the body of a preview request for the user that an identifier's value leads to, with the
// attributes of an event.
func PreviewBodyFor(ch Channel, kind, value string, content doc.Value, event []doc.Member) doc.Value {
	return doc.NewObject(
		textMember(fChannel, string(ch)),
		doc.M("user_identification", doc.NewObject(textMember("type", kind), textMember("value", value))),
		doc.M(string(catalog.CampaignContent), content), unlessEmpty(fEventAttrs, doc.NewObject(event...)),
	)
}

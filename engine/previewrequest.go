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

// PreviewBody returns the body of a preview request for the user with an email address or, if user contains
// none, a unique id. content is a campaign_content.
func PreviewBody(ch Channel, user string, content doc.Value) doc.Value {
	kind := byUniqueID
	if strings.Contains(user, "@") {
		kind = byEmail
	}
	return doc.NewObject(
		textMember(fChannel, string(ch)),
		doc.M("user_identification", doc.NewObject(textMember("type", kind), textMember("value", user))),
		doc.M(string(catalog.CampaignContent), content),
	)
}

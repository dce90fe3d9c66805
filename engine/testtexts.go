package engine

import (
	"fmt"
	"net/mail"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/visible"
)

// BlockedReason says why the key's message will not reach a recipient, as far as that is known before it is
// filled; empty where nothing stands in its way. The profile is the one that the identifier's value led to,
// nil where it led to none.
func (k TestKey) BlockedReason(ch Channel, document doc.Value, identifier, value string, p *User) (why string) {
	switch {
	case document.Lookup(k.Content).Empty():
		return "has no content"
	case p == nil && !acceptsUnknownUsers(identifier):
		return NoUserReason(identifier)
	case ch == catalog.Email && identifier != identEmail:
		_, why = EmailAddress(document, *p)
	case ch == catalog.Push:
		_, why = TestDevices(identifier, value, p, k.Platform)
	}
	return why
}

// The identifiers that say where a message goes, besides whose it is.
const (
	identEmail = "EMAIL"
	identToken = "PUSH_ID"
)

// acceptsUnknownUsers reports whether a test can be sent to an identifier value without a user.
func acceptsUnknownUsers(identifier string) bool {
	return identifier == identEmail || identifier == identToken
}

// NoUserReason returns why nothing is sent to an identifier value without a user, or "" if a message is sent
// to the value itself.
func NoUserReason(identifier string) string {
	what := "value"
	switch identifier {
	case identEmail, identToken:
		return ""
	case "USER_ATTRIBUTE_UNIQUE_ID", "ID":
		what = "ID"
	case "USER_ATTRIBUTE_USER_EMAIL":
		what = "email address"
	case "USER_ATTRIBUTE_USER_MOBILE", "MOBILE_NUMBER":
		what = "phone number"
	case "SVC_GAID", "ADVERTISING_IDENTIFIER":
		what = "advertising ID"
	}
	return "no user has this " + what
}

// EmailAddress returns the email address of a user, or the reason why there is none (CONTRACT.md, Test
// sends).
func EmailAddress(document doc.Value, p User) (address, why string) {
	name := document.Get(string(catalog.BasicDetails)).Get("user_attribute_identifier").Text()
	if name == "" {
		name = AttrEmail
	}
	address, _ = p.Attributes[name].(string)
	if address == "" {
		return "", "the user has no attribute " + name
	}
	if _, err := mail.ParseAddress(address); err != nil || visible.HasBlank(address) {
		return "", fmt.Sprintf("the user's attribute %s is not an email address", name)
	}
	return address, ""
}

// TestDevices returns the devices that a test reaches on a platform, or the reason why it reaches none: all
// devices of the user on the platform or, for a push token, the device with the token. p is nil if there is
// no user.
func TestDevices(identifier, value string, p *User, platform string) (devices []Device, why string) {
	label, byToken := catalog.Platform(platform).Label(), identifier == identToken
	if p == nil {
		p = &User{}
	}
	for _, d := range p.Devices {
		switch {
		case byToken && d.Token != value:
		case d.Platform == platform:
			devices = append(devices, d)
		case byToken:
			return nil, fmt.Sprintf("the token belongs to a device for %s, not for %s", catalog.Platform(d.Platform).Label(), label)
		}
	}
	switch {
	case len(devices) > 0:
		return devices, ""
	case byToken:
		return []Device{{Platform: platform, Token: value}}, "" // of a device that nobody is known to have
	}
	return nil, "the user has no device for " + label
}

// TriggerAttributes returns the attributes of the user's newest event of the type that triggers the campaign,
// which test sends use as the event. It returns nil if the campaign has no trigger or the user has no such
// event.
func TriggerAttributes(document doc.Value, p User) map[string]any {
	name := TriggerEvent(document)
	for i := len(p.Events) - 1; i >= 0 && name != ""; i-- {
		if p.Events[i].Name == name {
			return p.Events[i].Attributes
		}
	}
	return nil
}

// TriggerEvent returns the name of the first event that triggers the campaign, or "" if it has no trigger.
func TriggerEvent(document doc.Value) string {
	for _, f := range document.Get(string(catalog.TriggerCondition)).Get("included_filters").Get("filters").Elems() {
		if name := f.Get("action_name").Text(); name != "" {
			return name
		}
	}
	return ""
}

// Content returns the email in the form of a campaign's content under `email`, for code that draws content.
func (m *EmailMessage) Content() doc.Value {
	var files []doc.Value
	for _, name := range m.Attachments {
		files = append(files, doc.NewObject(textMember("url", name)))
	}
	return doc.NewObject(
		textMember(catalog.EmailSubject, m.Subject), textMember(catalog.EmailPreviewText, m.PreviewText), textMember(catalog.EmailSender, m.FromName),
		textMember(catalog.EmailFrom, m.From), textMember(catalog.EmailReplyTo, m.ReplyTo), list(catalog.EmailCc, m.Cc), list(catalog.EmailBcc, m.Bcc),
		textMember(catalog.EmailHTML, m.HTML), unlessEmpty(catalog.EmailAttachments, doc.NewArray(files...)),
	)
}

// MaxTestMembers is the most members of a segment that a test is sent to (CONTRACT.md, Test sends).
const MaxTestMembers = catalog.MaxIdentifierValues

// TestUserIDs returns the first users on the segment's list, which a test is sent to. Users that match the
// filters follow them, up to [MaxTestMembers].
func (s Segment) TestUserIDs() []string {
	return s.Members[:min(len(s.Members), MaxTestMembers)]
}

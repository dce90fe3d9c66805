package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/schema"
)

// The members of a test request (CONTRACT.md, Test sends).
const (
	fTestMeta    = "test_campaign_meta"
	fDraftID     = "draft_id"
	fPersonal    = "personalization_details"
	fUserAttrs   = "user_attributes"
	fEventAttrs  = "event_attributes"
	fIdentifier  = "identifier"
	fIdentValues = "identifier_values"
	fLocaleName  = "locale_name"
	fVariation   = "variation"
)

// TestSend describes a test: its recipients, the messages to send, and values that override the recipients'
// own.
type TestSend struct {
	Identifier string   // one of the channel's
	Values     []string // at most catalog.MaxIdentifierValues
	Filter     KeyFilter
	// UserAttributes and EventAttributes override the user's and the event's values.
	UserAttributes, EventAttributes []doc.Member
	// As are the users whose data the messages have in place of the recipients' own, each in a request of its own.
	// UserAttributes and EventAttributes take precedence over it.
	As []TestPersona
	// Copies also sends to the addresses in Cc and Bcc.
	Copies bool
}

// TestPersona is a user whose data the messages of a test have.
type TestPersona struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // what people call the user; empty where that is the ID
	// UserAttributes and EventAttributes name the attributes of a request that are the user's.
	UserAttributes  []string `json:"user_attributes,omitempty"`
	EventAttributes []string `json:"event_attributes,omitempty"`
}

// String returns what people call the user, with the ID.
func (p TestPersona) String() string {
	if p.Name == "" {
		return p.ID
	}
	return p.Name + " (" + p.ID + ")"
}

// ParseTestSend reads the body of a test request leniently. Fields that cannot be read stay empty.
func ParseTestSend(body doc.Value) TestSend {
	meta, own := body.Get(fTestMeta), body.Get(fPersonal)
	return TestSend{
		Identifier: meta.Get(fIdentifier).Text(), Values: meta.Get(fIdentValues).Strings(),
		Filter:         KeyFilter{Platform: meta.Get(fPlatform).Text(), Locale: meta.Get(fLocaleName).Text(), Variation: meta.Get(fVariation).Text()},
		UserAttributes: membersOfObject(own.Get(fUserAttrs)), EventAttributes: membersOfObject(own.Get(fEventAttrs)),
	}
}

func membersOfObject(v doc.Value) []doc.Member {
	var out []doc.Member
	for name, m := range v.Members() {
		out = append(out, doc.M(name, m))
	}
	return out
}

// DraftTest returns the body of a test request for a saved draft.
func DraftTest(id string, t TestSend) doc.Value {
	own := doc.NewObject(
		unlessEmpty(fUserAttrs, doc.NewObject(t.UserAttributes...)), unlessEmpty(fEventAttrs, doc.NewObject(t.EventAttributes...)),
	)
	return doc.NewObject(textMember(fDraftID, id), unlessEmpty(fPersonal, own), doc.M(fTestMeta, t.meta()))
}

func (t TestSend) meta() doc.Value {
	return doc.NewObject(
		textMember(fIdentifier, t.Identifier), doc.M(fIdentValues, doc.NewStrings(t.Values...)),
		textMember(fVariation, t.Filter.Variation), textMember(fLocaleName, t.Filter.Locale), textMember(fPlatform, t.Filter.Platform),
	)
}

// TestFields holds the fields of a test's recipients as the tables describe them, with titles, help and
// options.
type TestFields struct {
	Identifier, Values, Platform, Locale, Variation *schema.Node
}

// NewTestFields returns the test fields of a channel.
func NewTestFields(ch Channel) TestFields {
	root := catalog.TestMeta(ch).Root()
	return TestFields{
		Identifier: root.Child(fIdentifier), Values: root.Child(fIdentValues),
		Platform: root.Child(fPlatform), Locale: root.Child(fLocaleName), Variation: root.Child(fVariation),
	}
}

// CheckRecipients returns the problems of the recipients by their index in Values, and the other problems of
// the request, one sentence each.
func (t TestSend) CheckRecipients(ch Channel) (values map[int]string, others []string) {
	values = map[int]string{}
	for _, p := range schema.Errors(catalog.TestMeta(ch).Validate(t.meta(), schema.Env{})) {
		if len(p.Path) == 2 && p.Path[0].Name == fIdentValues && p.Path[1].IsIndex {
			if _, had := values[p.Path[1].Index]; !had {
				values[p.Path[1].Index] = p.Message
			}
			continue
		}
		others = append(others, p.Message)
	}
	return values, others
}

// IsCampaignPath reports whether a problem's path in a refused test request is in the campaign, and not in
// the request's own fields.
func IsCampaignPath(ch Channel, p doc.Path) bool {
	return len(p) > 0 && p[0].Name != fTestMeta && p[0].Name != fPersonal && p[0].Name != fDraftID && catalog.Campaign(ch).At(p[:1]) != nil
}

// Filter returns the filter that selects only this key in a campaign of the channel.
func (k TestKey) Filter(ch Channel) KeyFilter {
	f := KeyFilter{Platform: k.Platform, Locale: k.Locale, Variation: k.Variation}
	if ch != catalog.Push {
		f.Platform = ""
	}
	return f
}

// IdentifierValues returns the user's values of an identifier. It returns none if the user has no such value,
// and for segments.
func IdentifierValues(identifier string, p User) (values []string) {
	attribute := func(name string) []string {
		if s, ok := p.Attributes[name].(string); ok && s != "" {
			return []string{s}
		}
		return nil
	}
	device := func(value func(Device) string) []string {
		for _, d := range p.Devices {
			if v := value(d); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		return values
	}
	switch identifier {
	case "USER_ATTRIBUTE_UNIQUE_ID", "ID":
		return []string{p.ID}
	case "USER_ATTRIBUTE_USER_EMAIL", "EMAIL":
		return attribute(AttrEmail)
	case "USER_ATTRIBUTE_USER_MOBILE", "MOBILE_NUMBER":
		return attribute(AttrMobile)
	case "SVC_GAID":
		return device(func(d Device) string {
			if d.Platform != string(catalog.Android) {
				return ""
			}
			return d.AdvertiseID
		})
	case "ADVERTISING_IDENTIFIER":
		return device(func(d Device) string { return d.AdvertiseID })
	case "PUSH_ID":
		return device(func(d Device) string { return d.Token })
	}
	return nil
}

// RecipientKey returns an identifier value in a form that its spellings share: email addresses are compared as mailboxes, and
// everything else as it is.
func RecipientKey(identifier, value string) string {
	if identifier == identEmail || identifier == "USER_ATTRIBUTE_USER_EMAIL" {
		return delivery.Mailbox(value)
	}
	return value
}

// IndexRecipient returns the index of a recipient among values of an identifier, or -1.
func IndexRecipient(values []string, identifier, value string) int {
	key := RecipientKey(identifier, value)
	return slices.IndexFunc(values, func(v string) bool { return RecipientKey(identifier, v) == key })
}

// mostMatches is how many profiles with a value are looked through for the one that has it as its own.
const mostMatches = 40

// FindUser returns the user with an identifier value, or nil. sure reports whether the result is certain:
// push tokens and advertising IDs are not indexed for searching, so not finding one proves nothing.
func FindUser(ctx context.Context, keeper UserStore, identifier, value string) (found *User, sure bool, err error) {
	if IndexRecipient(IdentifierValues(identifier, User{ID: value}), identifier, value) >= 0 {
		p, err := keeper.User(ctx, value)
		if e := AsError(err); e != nil && e.Code == NotFound {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		return &p, true, nil
	}
	list, err := keeper.Users(ctx, value, mostMatches)
	if err != nil {
		return nil, false, err
	}
	for _, p := range list {
		if IndexRecipient(IdentifierValues(identifier, p), identifier, value) >= 0 {
			return &p, true, nil
		}
	}
	words := len(IdentifierValues(identifier, User{Attributes: map[string]any{AttrEmail: "x", AttrMobile: "x"}})) > 0
	return nil, words && len(list) < mostMatches, nil
}

// MemberIdentifier is the identifier that members of a segment are looked up by.
const MemberIdentifier = "ID"

// IsSegmentIdentifier reports whether the identifier's value is the name of one segment.
func IsSegmentIdentifier(identifier string) bool { return identifier == "CUSTOM_SEGMENT" }

// DisplayName returns the user's name from the name attributes, or else the id.
func (p User) DisplayName() string {
	find := func(want string) string {
		for _, suffix := range []string{"", " (Standard)"} {
			if s, ok := p.Attributes[want+suffix].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	if name := find("Name"); name != "" {
		return name
	}
	if name := strings.TrimSpace(find("First Name") + " " + find("Last Name")); name != "" {
		return name
	}
	return p.ID
}

// NewCall returns a Call with new ids, so that it repeats no earlier call.
func NewCall() Call { return Call{RequestID: uuid.NewString(), IdempotencyKey: uuid.NewString()} }

// Document returns the message as a JSON object for display.
func (d OutboxMessage) Document() doc.Value {
	ms := []doc.Member{
		textMember("id", d.ID), timeMember("at", d.At), textMember("campaign_id", d.CampaignID), textMember("campaign", d.Campaign),
		textMember("channel", string(d.Channel)), textMember("key", d.Key), textMember("recipient", d.Recipient), textMember("as", d.As), textMember("connector", d.Connector),
	}
	if m := d.Email; m != nil {
		ms = append(ms, doc.M("email", doc.NewObject(
			textMember("from", m.From), textMember("from_name", m.FromName), textMember("reply_to", m.ReplyTo), textMember("to", m.To),
			list("cc", m.Cc), list("bcc", m.Bcc), textMember("subject", m.Subject), textMember("preview_text", m.PreviewText),
			list("attachments", m.Attachments), doc.M("headers", headers(m.Headers)), textMember("html", m.HTML), textMember("text", m.Text),
		)))
	}
	if m := d.Push; m != nil {
		ms = append(ms, doc.M("push", doc.NewObject(
			textMember("platform", m.Platform), textMember("token", m.Token), textMember("title", m.Title), textMember("body", m.Body),
			doc.M("headers", headers(m.Headers)), doc.M("payload", m.Payload),
		)))
	}
	return doc.NewObject(ms...)
}

// headers returns an object of them, by name; absent where there are none.
func headers(of map[string]string) doc.Value {
	if len(of) == 0 {
		return doc.Value{}
	}
	var ms []doc.Member
	for _, name := range slices.Sorted(maps.Keys(of)) {
		ms = append(ms, textMember(name, of[name]))
	}
	return doc.NewObject(ms...)
}

// ParseOverride parses the text that the user typed for an attribute as a value of the data type. The error
// describes the required format.
func ParseOverride(dataType, typed string) (doc.Value, error) {
	switch dataType {
	case "double":
		if v, ok := doc.NewNumber(strings.TrimSpace(typed)); ok {
			return v, nil
		}
		return doc.Value{}, errors.New("must be a number, such as 19.90")
	case "bool":
		switch strings.ToLower(strings.TrimSpace(typed)) {
		case "true", "yes":
			return doc.NewBool(true), nil
		case "false", "no":
			return doc.NewBool(false), nil
		}
		return doc.Value{}, errors.New("must be yes or no")
	}
	return doc.NewString(typed), nil
}

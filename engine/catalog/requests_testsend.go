package catalog

import (
	"fmt"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

const refTestMeta = "CONTRACT.md, Test sends"

var (
	testRequests = forEachChannel(testTable)
	testMetas    = forEachChannel(func(ch Channel) schema.Field {
		meta := testMeta(ch, nil)
		meta.Name = ""
		return meta
	})
)

// TestRequest returns the table of a test request. The channel is that of the content in inline mode and that
// of the draft in draft mode. For other channels the table only checks what all test requests share, which is
// enough to determine the mode and the draft.
func TestRequest(ch Channel) *schema.Schema { return testRequests.of(ch) }

// TestMeta returns the table of test_campaign_meta for a channel, as in a draft-mode request. For other
// channels it accepts the identifiers of all.
func TestMeta(ch Channel) *schema.Schema { return testMetas.of(ch) }

func testTable(ch Channel) schema.Field {
	draft := schema.Has{Path: "draft_id"}
	inline := schema.Not{C: draft}

	channel := channelField(ch)
	channel.ID, channel.Required = "request.test.channel", []schema.Required{{When: inline}}
	channel.Rules = append(channel.Rules, schema.Forbidden{When: draft})

	basic, content, connector := testComponents(ch)
	content.Required = []schema.Required{{When: inline}}
	content.Rules = append(content.Rules, schema.Forbidden{When: draft})

	meta := testMeta(ch, schema.Not{C: schema.Has{Path: "/draft_id"}})
	meta.Required = []schema.Required{{}}
	var rules []schema.Rule
	if ch == Push {
		rules = append(rules, noConnector)
	}
	return schema.Field{
		ID: requestRuleID("test", ch), Rules: rules, Title: "Test request", Plural: "campaigns", Kind: schema.Object, Ref: "CONTRACT.md, Test sends",
		Help: "Send a test message, from content in the request or from a saved draft.",
		Fields: []schema.Field{
			requestID(),
			channel,
			{
				Name: "draft_id", ID: "request.test.draft_id", Title: "Draft ID", Kind: schema.String, Example: "65f0a1b2c3d4e5f60718293a",
				Help: "The ID of the saved draft to send.", Rules: []schema.Rule{schema.Length{Min: 1}, schema.Format{As: schema.ObjectID, Plain: true}},
			},
			basic, connector, content, personalizationDetails(), meta,
		},
	}
}

// testComponents returns the components of an inline test, without requirements that only apply to a whole
// campaign.
func testComponents(ch Channel) (basic, content, connector schema.Field) {
	roots := []string{"channel", "draft_id", "basic_details", "campaign_content"}
	inline := schema.Not{C: schema.Has{Path: "draft_id"}}
	switch ch {
	case Push:
		basic, content = narrowed(pushBasicDetails(), roots...), narrowed(pushCampaignContent(), roots...)
	case Email:
		basic, content = narrowed(emailBasicDetails(), roots...), narrowed(emailCampaignContent(), roots...)
		basic.Required = []schema.Required{{When: inline}}
	default:
		any := requestComponents("")
		for _, f := range any {
			switch Component(f.Name) {
			case BasicDetails:
				basic = f
			case CampaignContent:
				content = f
			case Connector:
				connector = f
			}
		}
		return basic, content, connector
	}
	connector = connectorTable()
	connector.Applies = forChannel(Email)
	if ch == Email {
		connector.Applies, connector.Required = nil, []schema.Required{{When: inline}}
	}
	return basic, content, connector
}

// noConnector refuses a connector in the test of a push draft. The draft's channel is not in the request, so
// the connector's own condition is unknown.
var noConnector = schema.Named{
	ID: "no_connector", Text: "push campaigns have no connector",
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Get("channel").Exists() || !p.Value.Get(string(Connector)).Exists() {
			return nil
		}
		return []schema.Finding{{Path: doc.P(string(Connector)), Message: "push campaigns don't use a connector; remove it"}}
	},
}

func personalizationDetails() schema.Field {
	return schema.Field{
		Name: "personalization_details", ID: "personalization_details", Title: "Overrides", Kind: schema.Object,
		Help: "Values to use instead of the recipient's own during the test.",
		Fields: []schema.Field{
			attributeMap("user_attributes", "User attributes", "Values to use instead of those in the user's profile."),
			attributeMap("event_attributes", "Event attributes", "Values to use instead of the event's own."),
		},
	}
}

// MaxIdentifierValues is the most recipients in a test request (CONTRACT.md, Test sends).
const MaxIdentifierValues = 10

// testMeta returns test_campaign_meta. noPlatform is when the request cannot select a platform; nil means
// never.
func testMeta(ch Channel, noPlatform schema.Cond) schema.Field {
	platform := schema.Field{
		Name: "platform", Kind: schema.String, Help: "Send only to this platform. Only for a saved draft.",
		Options: labelled(Platforms),
	}
	if noPlatform != nil {
		platform.Rules = append(platform.Rules, schema.Forbidden{When: noPlatform})
	}
	if ch == Email {
		platform.Kind, platform.Options, platform.Rules = schema.Any, nil, []schema.Rule{noPlatforms}
	}
	return schema.Field{
		Name: "test_campaign_meta", ID: "test_campaign_meta." + metaID(ch), Title: "Recipients", Kind: schema.Object, Ref: refTestMeta,
		Help: "Who gets the test, and which messages to send.",
		Fields: []schema.Field{
			{
				Name: "identifier", Title: "Identifier", Kind: schema.String, Required: []schema.Required{{}},
				Help: "How you name the recipients.", Options: identifiers(ch),
			},
			identifierValues(ch),
			{Name: "variation", Kind: schema.String, Help: "Send only this variation.", Example: "variation_1"},
			{Name: "locale_name", Title: "Locale", Kind: schema.String, Help: "Send only this locale.", Example: "default"},
			platform,
		},
	}
}

func metaID(ch Channel) string {
	if ch == "" {
		return "any"
	}
	return lowered(ch)
}

var noPlatforms = schema.Named{
	ID: "push_only", Text: "email has no platforms",
	Check: func(schema.Place) []schema.Finding {
		return []schema.Finding{{Message: "email campaigns don't use platforms; remove it"}}
	},
}

func identifiers(ch Channel) []schema.Option {
	push := []schema.Option{
		{Value: "USER_ATTRIBUTE_UNIQUE_ID", Label: "User ID", Help: "the permanent internal ID"},
		{Value: "USER_ATTRIBUTE_USER_EMAIL", Label: "Email address"},
		{Value: "USER_ATTRIBUTE_USER_MOBILE", Label: "Phone number", Help: "with + and the country code"},
		{Value: "SVC_GAID", Label: "Android advertising ID"},
		{Value: "ADVERTISING_IDENTIFIER", Label: "Advertising ID", Help: "GAID on Android, IDFA on iOS"},
		{Value: "PUSH_ID", Label: "Device push token"},
	}
	email := []schema.Option{
		{Value: "EMAIL", Label: "Email address", Help: "an address without a profile gets the message without personalization"},
		{Value: "ID", Label: "User ID", Help: "the internal ID"},
		{Value: "MOBILE_NUMBER", Label: "Phone number", Help: "with + and the country code"},
	}
	segment := schema.Option{Value: segmentIdentifier, Label: "Segment", Help: "sends to the first members of one segment"}
	switch ch {
	case Push:
		return append(push, segment)
	case Email:
		return append(email, segment)
	}
	return append(append(push, email...), segment)
}

// segmentIdentifier is the identifier whose value is the name of a segment.
const segmentIdentifier = "CUSTOM_SEGMENT"

func identifierValues(ch Channel) schema.Field {
	addresses, phones := []string{"USER_ATTRIBUTE_USER_EMAIL", "EMAIL"}, []string{"USER_ATTRIBUTE_USER_MOBILE", "MOBILE_NUMBER"}
	switch ch {
	case Push:
		addresses, phones = addresses[:1], phones[:1]
	case Email:
		addresses, phones = addresses[1:], phones[1:]
	}
	return schema.Field{
		Name: "identifier_values", Title: "Recipients", Kind: schema.List, Required: []schema.Required{{}},
		Help:  fmt.Sprintf("Up to %d recipients, or the name of one segment.", MaxIdentifierValues),
		Rules: []schema.Rule{schema.Items{Max: MaxIdentifierValues}, schema.Guard{When: schema.When("identifier", segmentIdentifier), Rule: oneSegment}},
		Elem: &schema.Field{
			Title: "Recipient", Kind: schema.String, Help: "One recipient, in the form chosen above.", Example: "ann@example.com",
			Rules: []schema.Rule{
				schema.Length{Min: 1},
				schema.Guard{When: schema.When("identifier", addresses...), Rule: schema.Format{As: schema.Email, Plain: true}},
				schema.Guard{When: schema.When("identifier", phones...), Rule: schema.Format{As: schema.E164, Plain: true}},
			},
		},
	}
}

var oneSegment = schema.Named{
	ID: "one_segment", Text: "one segment name only", Schema: doc.NewObject(doc.M("maxItems", doc.NewInt(1))),
	Check: func(p schema.Place) []schema.Finding {
		if p.Value.Len() <= 1 {
			return nil
		}
		return []schema.Finding{{Message: fmt.Sprintf("must be one segment name, not %d", p.Value.Len())}}
	},
}

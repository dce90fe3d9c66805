package catalog

import (
	"slices"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// requestID returns the request's id, which every request may have.
func requestID() schema.Field {
	return schema.Field{
		Name: "request_id", ID: "request_id", Title: "Request ID", Kind: schema.String, Ref: "CONTRACT.md, Requests",
		Help: "Your own ID for the request, such as a UUID. The response contains it.", Example: "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09",
	}
}

// byChannel has the schemas per channel. The one of the empty channel is used for channels that are not
// writable, and refuses them.
type byChannel map[Channel]func() *schema.Schema

func (m byChannel) of(ch Channel) *schema.Schema {
	if !ch.Writable() {
		ch = ""
	}
	return m[ch]()
}

func forEachChannel(table func(Channel) schema.Field) byChannel {
	m := byChannel{}
	for _, ch := range []Channel{Push, Email, ""} {
		m[ch] = compiled(func() schema.Field { return table(ch) })
	}
	return m
}

var (
	createRequests = forEachChannel(createTable)
	updateRequests = forEachChannel(updateTable)
)

// CreateRequest returns the table of a channel's create request. For a channel whose campaigns cannot be
// created, the table only checks the head and refuses the channel.
func CreateRequest(ch Channel) *schema.Schema { return createRequests.of(ch) }

// UpdateRequest returns the table of a component update of a campaign of the channel. (The publish action has
// the body {"status": "PUBLISH"} and no table.) Channel and delivery type are optional in the body; fill them
// in from the draft before checking, because conditions depend on them.
func UpdateRequest(ch Channel) *schema.Schema { return updateRequests.of(ch) }

func createTable(ch Channel) schema.Field {
	fields := append([]schema.Field{requestID()}, head(ch)...)
	for i := range fields {
		if fields[i].Name == "campaign_delivery_type" {
			fields[i].Rules = append(fields[i].Rules, schema.Excludes{Values: uncreatable(), Text: "campaigns of this type cannot be created here"})
		}
	}
	return schema.Field{
		ID: requestRuleID("create", ch), Title: "Create request", Plural: "campaigns", Kind: schema.Object, Ref: "CONTRACT.md, Create",
		Help: "Create a draft.", Fields: append(fields, requestComponents(ch)...),
	}
}

func updateTable(ch Channel) schema.Field {
	fields := []schema.Field{requestID()}
	for _, f := range head(ch) {
		if f.Required = nil; f.Name != "created_by" { // who created a campaign does not change
			fields = append(fields, f)
		}
	}
	return schema.Field{
		ID: requestRuleID("update", ch), Title: "Update request", Plural: "campaigns", Kind: schema.Object, Ref: "CONTRACT.md, Update",
		Help: "Update components of a campaign.", Fields: append(fields, requestComponents(ch)...),
	}
}

func uncreatable() []string {
	var out []string
	for _, r := range deliveryTypes {
		if r.NoCreate != "" {
			out = append(out, string(r.Type))
		}
	}
	return out
}

func requestRuleID(op string, ch Channel) string {
	if ch == "" {
		return "request." + op
	}
	return "request." + op + "." + lowered(ch)
}

// requestComponents returns the components as in a create or update request. Without a channel they accept
// any value.
func requestComponents(ch Channel) []schema.Field {
	if ch.Writable() {
		return components(ch)
	}
	fields := components(Push)
	for i, f := range fields {
		fields[i] = schema.Field{Name: f.Name, ID: "any." + f.Name, Title: f.Title, Help: f.Help, Ref: f.Ref}
	}
	return fields
}

// StatusRequest returns the table of the status request.
var StatusRequest = compiled(func() schema.Field {
	action := schema.Field{
		Name: "action", Kind: schema.String, Required: []schema.Required{{}}, Help: "What to do with the campaign.",
	}
	for _, a := range StatusActions {
		action.Options = append(action.Options, schema.Option{Value: string(a), Label: a.Label()})
	}
	return schema.Field{
		ID: "request.status", Title: "Status request", Kind: schema.Object, Ref: "CONTRACT.md, Status",
		Help: "Stop, pause or resume a published campaign.", Fields: []schema.Field{requestID(), action},
	}
})

// ValidateRequest returns the table of the validate request's optional body.
var ValidateRequest = compiled(func() schema.Field {
	return schema.Field{
		ID: "request.validate", Title: "Validate request", Kind: schema.Object, Ref: "CONTRACT.md, Validate", Open: true,
		Help: "Check whether a campaign can be published.", Fields: []schema.Field{requestID()},
	}
})

var previewRequests = map[Channel]func() *schema.Schema{}

func init() {
	for _, ch := range []Channel{Push, Email, SMS, ""} {
		previewRequests[ch] = compiled(func() schema.Field { return previewTable(ch) })
	}
}

// PreviewRequest returns the table of a channel's preview request (Push, Email or SMS). For other channels
// the table refuses the channel.
func PreviewRequest(ch Channel) *schema.Schema {
	if get, ok := previewRequests[ch]; ok {
		return get()
	}
	return previewRequests[""]()
}

func previewTable(ch Channel) schema.Field {
	content := schema.Field{Name: "campaign_content", Kind: schema.Object, Open: true, Help: "The content of the message."}
	switch ch {
	case Push:
		content = narrowed(pushCampaignContent(), "channel", "campaign_content")
	case Email:
		content = narrowed(emailCampaignContent(), "channel", "campaign_content")
	}
	content.Required = []schema.Required{{}}
	channel := channelField(ch)
	channel.ID = "request.preview.channel"
	channel.Options = append(channel.Options, schema.Option{Value: string(SMS), Label: SMS.Label()})
	return schema.Field{
		ID: requestRuleID("preview", ch), Title: "Preview request", Plural: "campaigns", Kind: schema.Object, Ref: "CONTRACT.md, Preview",
		Help: "Render the content for one user, without sending it.",
		Fields: []schema.Field{
			requestID(), channel,
			{
				Name: "user_identification", Title: "User", Kind: schema.Object, Required: []schema.Required{{}},
				Help: "The user to preview the message for.",
				Fields: []schema.Field{
					{
						Name: "type", Kind: schema.String, Required: []schema.Required{{}}, Help: "What kind of ID the value is.",
						Options: []schema.Option{
							{Value: "USER_ATTRIBUTE_UNIQUE_ID", Label: "User ID"}, {Value: "EMAIL", Label: "Email address"},
							{Value: "SVC_GAID", Label: "Android advertising ID"}, {Value: "PUSH_ID", Label: "Device push token"},
						},
					},
					{
						Name: "value", Kind: schema.String, Required: []schema.Required{{}}, Help: "The user's ID, email address or token.", Example: "USER_1",
						Rules: []schema.Rule{schema.Guard{When: schema.When("type", "EMAIL"), Rule: schema.Format{As: schema.Email, Plain: true}}},
					},
				},
			},
			content,
			attributeMap("event_attributes", "Event attributes", "Values for the event's attributes."),
		},
	}
}

func attributeMap(name, title, help string) schema.Field {
	return schema.Field{
		Name: name, Title: title, Kind: schema.Map, Help: help,
		Elem: &schema.Field{Title: "Attribute", Help: "The value of one attribute.", Example: "Ann"},
	}
}

// All returns every compiled schema by a readable name, such as "campaign push" or "request search".
func All() map[string]*schema.Schema {
	out := map[string]*schema.Schema{
		"campaign other":      Campaign(""),
		"request status":      StatusRequest(),
		"request validate":    ValidateRequest(),
		"request search":      SearchRequest(),
		"request meta":        MetaRequest(),
		"request preview sms": PreviewRequest(SMS),
	}
	for _, ch := range []Channel{Push, Email, ""} {
		name := lowered(ch)
		if ch == "" {
			name = "other"
		}
		out["campaign "+name] = Campaign(ch)
		out["request create "+name] = CreateRequest(ch)
		out["request update "+name] = UpdateRequest(ch)
		out["request preview "+name] = PreviewRequest(ch)
		out["request test "+name] = TestRequest(ch)
		out["test meta "+name] = TestMeta(ch)
	}
	return out
}

// stringOrList accepts a string or a list of strings, because some callers filter by one name and some by
// several.
var stringOrList = schema.Named{
	ID: "string_or_list", Text: "a string, or an array of strings",
	Schema: doc.NewObject(
		doc.M("type", doc.NewStrings("string", "array")), doc.M("items", doc.NewObject(doc.M("type", doc.NewString("string")))),
	),
	Check: func(p schema.Place) []schema.Finding {
		isString := func(v doc.Value) bool { return v.Kind() == doc.String }
		if isString(p.Value) || p.Value.Kind() == doc.Array && each(p.Value, isString) {
			return nil
		}
		return []schema.Finding{{Message: "must be a string, or an array of strings"}}
	},
}

func labelled[S interface {
	~string
	Label() string
}](values []S) []schema.Option {
	out := make([]schema.Option, len(values))
	for i, v := range slices.Clone(values) {
		out[i] = schema.Option{Value: string(v), Label: v.Label()}
	}
	return out
}

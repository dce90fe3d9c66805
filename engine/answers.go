package engine

import (
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

var createdFields = []field[Created]{
	{Field: always(idField(fID, "The id of the new campaign.")), at: func(c *Created) any { return &c.ID }},
	{Field: always(choiceField(fStatus, "A new campaign is a draft.", catalog.Draft)), at: func(c *Created) any { return (*string)(&c.Status) }},
}

// Document returns the data of the response to a create request (CONTRACT.md, Operations).
func (c Created) Document() doc.Value { return write(createdFields, &c) }

// Fields describes the fields of [Created.Document].
func (Created) Fields() []schema.Field { return described(createdFields) }

// ParseCreated reads the response to a create request leniently. It is the inverse of [Created.Document].
func ParseCreated(v doc.Value) Created {
	c := Created{Status: catalog.Draft}
	read(createdFields, &c, v)
	return c
}

var updatedFields = []field[Updated]{
	{Field: always(textField(fID, "The id of the changed document. With versioning, this is the new version.")), at: func(u *Updated) any { return &u.ID }},
}

// Document returns the data of the response to an update or publish request (CONTRACT.md, Operations).
func (u Updated) Document() doc.Value { return write(updatedFields, &u) }

// Fields describes the fields of [Updated.Document].
func (Updated) Fields() []schema.Field { return described(updatedFields) }

// ParseUpdated reads the response to an update request leniently.
func ParseUpdated(v doc.Value) Updated {
	var u Updated
	read(updatedFields, &u, v)
	return u
}

var statusFields = []field[StatusChanged]{
	{Field: always(idField(fID, "The id of the campaign.")), at: func(c *StatusChanged) any { return &c.ID }},
	{Field: always(choiceField(fAction, "The action that was performed.", catalog.StatusActions...)), at: func(c *StatusChanged) any { return (*string)(&c.Action) }},
}

// Document returns the data of the response to a status request (CONTRACT.md, Status).
func (c StatusChanged) Document() doc.Value { return write(statusFields, &c) }

// Fields describes the fields of [StatusChanged.Document].
func (StatusChanged) Fields() []schema.Field { return described(statusFields) }

// ParseStatusChanged reads the response to a status request leniently, including the state that some services
// add.
func ParseStatusChanged(v doc.Value) StatusChanged {
	c := StatusChanged{Status: State(v.Get(fStatus).Text())}
	read(statusFields, &c, v)
	return c
}

// invalid is a problem as the answer to a validate request lists it.
type invalid struct{ field, issue string }

var invalidFields = []field[invalid]{
	{Field: always(textField("field", "The path of the field in the campaign, with dots.")), empty: true, at: func(i *invalid) any { return &i.field }},
	{Field: always(textField("issue", "What is wrong with the field.")), empty: true, at: func(i *invalid) any { return &i.issue }},
}

// validated is a [Validation] as its answer shows it.
type validated struct {
	valid  bool
	errors []invalid
}

var validatedFields = []field[validated]{
	{Field: always(schema.Field{Name: "valid", Kind: schema.Bool, Help: "Whether the campaign can be published."}), empty: true, at: func(v *validated) any { return &v.valid }},
	{Field: objectsField("errors", "What is wrong. Only present if something is.", described(invalidFields)), at: func(v *validated) any { return several[invalid]{&v.errors, invalidFields} }},
}

// Document returns the result in the form of the API (CONTRACT.md, Validate): only errors, each with its
// dotted path.
func (v Validation) Document() doc.Value {
	out := validated{valid: v.Valid}
	for _, p := range schema.Errors(v.Problems) {
		out.errors = append(out.errors, invalid{p.Path.String(), p.Message})
	}
	return write(validatedFields, &out)
}

// Fields describes the fields of [Validation.Document].
func (Validation) Fields() []schema.Field { return described(validatedFields) }

var previewFields = []field[Preview]{
	{Field: always(objectField("personalized_content", "The campaign content with its expressions resolved.", nil)), at: func(p *Preview) any { return &p.Content }},
	{Field: objectsField("unresolved", "The expressions without a value. Only present if there are any.", described(unresolvedFields)),
		at: func(p *Preview) any { return several[Unresolved]{&p.Unresolved, unresolvedFields} }},
}

var unresolvedFields = []field[Unresolved]{
	{Field: always(textField("field", "The path of the field in the request, with dots.")), empty: true, at: func(u *Unresolved) any { return &u.Field }},
	{Field: always(textField("expression", "The expression that has no value for the user.")), empty: true, at: func(u *Unresolved) any { return &u.Expression }},
}

// Document returns the data of the response to a preview request (CONTRACT.md, Preview).
func (p Preview) Document() doc.Value { return write(previewFields, &p) }

// Fields describes the fields of [Preview.Document].
func (Preview) Fields() []schema.Field { return described(previewFields) }

// ParsePreview reads the response to a preview request leniently. The content is absent if the response has
// none.
func ParsePreview(v doc.Value) Preview {
	var p Preview
	read(previewFields, &p, v)
	return p
}

var sendFields = []field[SendResult]{
	{Field: always(choiceField(fStatus, "Whether the message was sent.", Sent, Failed)), at: func(r *SendResult) any { return &r.Status }},
	{Field: textField("failure_reason", "Why the message failed. Only present if it did."), at: func(r *SendResult) any { return &r.FailureReason }},
	{Field: textField("detail", "What the mail server or push service said about the messages that were sent, such as its queue id. One line for each response."), at: func(r *SendResult) any { return &r.Detail }},
	{Field: textsField("unknown", "The recipients whose message failed, but may have been delivered. Only present if there are any."), at: func(r *SendResult) any { return &r.Unknown }},
}

// Document returns the test result in the form of the API (CONTRACT.md, Test sends), with its keys in the
// order of sending.
func (r TestResult) Document() doc.Value {
	ms := make([]doc.Member, len(r.Keys))
	for i, key := range r.Keys {
		sent := r.Data[key]
		ms[i] = doc.M(key, write(sendFields, &sent))
	}
	return doc.NewObject(doc.M(fResults, doc.NewObject(ms...)), doc.M(fMessage, doc.NewString(r.Message)))
}

// Fields describes the fields of [TestResult.Document].
func (TestResult) Fields() []schema.Field {
	results := schema.Field{Name: fResults, Kind: schema.Map, Help: "The result for each `{PLATFORM}_{locale}_{variation}`, such as `ANDROID_default_variation_1`.",
		Elem: &schema.Field{Kind: schema.Object, Fields: described(sendFields)}}
	return []schema.Field{always(results), always(textField(fMessage, "A summary in one line."))}
}

// ParseTestResult reads a test result of the API leniently. Fields that cannot be read stay empty, and
// unknown statuses are kept.
func ParseTestResult(v doc.Value) TestResult {
	r := TestResult{Data: map[string]SendResult{}, Message: v.Get(fMessage).Text()}
	for key, v := range v.Get(fResults).Members() {
		var sent SendResult
		read(sendFields, &sent, v)
		r.Keys = append(r.Keys, key)
		r.Data[key] = sent
	}
	return r
}

// WithCreator returns a create request's body with created_by set to by, or the body unchanged if by is
// empty.
func WithCreator(body doc.Value, by string) doc.Value { return withHead(body, fCreatedBy, by) }

// WithUpdater returns an update request's body with updated_by set to by, unless the body already has one.
func WithUpdater(body doc.Value, by string) doc.Value {
	if body.Get(fUpdatedBy).Exists() {
		return body
	}
	return withHead(body, fUpdatedBy, by)
}

func withHead(body doc.Value, name, value string) doc.Value {
	if value == "" {
		return body
	}
	out, err := body.Set(doc.P(name), doc.NewString(value))
	if err != nil { // not an object: the service reports it
		return body
	}
	return out
}

// Public returns the settings without secrets and hashes: of the API keys only the ids.
func (w Workspace) Public() Workspace {
	keys := make([]APIKey, len(w.Keys))
	for i, k := range w.Keys {
		k.Hash = ""
		keys[i] = k
	}
	w.Keys = keys
	for _, list := range []*[]string{&w.SubscriptionCategories, &w.Teams, &w.Locales} {
		if *list == nil {
			*list = []string{}
		}
	}
	if w.Connectors == nil {
		w.Connectors = []Connector{}
	}
	flags := map[string]bool{}
	for _, name := range KnownFlags() {
		flags[name] = w.Flags[name]
	}
	for name, on := range w.Flags {
		flags[name] = on
	}
	w.Flags = flags
	return w
}

package record

import (
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
)

// AsJSON is a table of records that are JSON.
func AsJSON[T any](k Kind) Table[T] {
	decode := func(r Row) (v T, err error) { return v, Decode(r.Record, &v) }
	return Table[T]{&k, func(v T) (Row, error) { return encode(v, doc.Value{}) }, decode}
}

func encode(head any, body doc.Value) (Row, error) {
	b, err := Encode(head)
	return Row{Record: b, Body: body.Encode()}, err
}

// withDocument is a table of records that are a row of JSON and a document, which split and join take apart and put
// together.
func withDocument[H, T any](k Kind, split func(T) (H, doc.Value), join func(H, doc.Value) (T, error)) Table[T] {
	k.Body = true
	decode := func(r Row) (v T, err error) {
		var head H
		var body doc.Value
		if err = DecodeRow(r.Record, &head); err == nil && len(r.Body) > 0 {
			body, err = doc.Parse(r.Body)
		}
		if err != nil {
			return v, err
		}
		return join(head, body)
	}
	return Table[T]{&k, func(v T) (Row, error) { return encode(split(v)) }, decode}
}

const whatCampaign = "a campaign id"

// The kinds of records that belong to a campaign.
var (
	CampaignIDs = []string{whatCampaign}

	Documents = WithCampaign(Kind{ID: 'd', Parts: "sn", IDs: CampaignIDs, Name: "campaign %q, revision %d", Plural: "earlier versions",
		Table: "document", Columns: []string{"campaign", "n"}})
	Revisions = AsJSON[Revision](Kind{ID: 'r', Parts: "sn", IDs: CampaignIDs, Name: "campaign %q, revision %d", Plural: "history entries",
		Table: "revision", Columns: []string{"campaign", "n"}})
	// SummaryKind is the kind of a store's [Backend.SummaryTable].
	SummaryKind = Kind{ID: 's', Parts: "s", IDs: CampaignIDs, Name: "the summary of campaign %q", Plural: "campaign summaries",
		Change: store.ChangedCampaign, Table: "campaign", Columns: []string{"id"}, Other: "revision"}
	WorkingCopies = withDocument(Kind{ID: 'w', Parts: "s", IDs: CampaignIDs, Name: "the working copy of campaign %q", Plural: "working copies",
		Change: store.ChangedCampaign, Table: "working_copy", Columns: []string{"campaign"}}, splitCopy, joinCopy)
	Dismissals = AsJSON[[]engine.Dismissal](Kind{ID: 'v', Parts: "s", IDs: CampaignIDs, Name: "the dismissed warnings of campaign %q",
		Plural: "lists of dismissed warnings", Change: store.ChangedCampaign, Table: "dismissal", Columns: []string{"campaign"}})
)

// The other kinds of records.
var (
	Users = AsJSON[engine.User](Kind{ID: 'p', Parts: "s", IDs: []string{"a user id"}, Name: "the user %q", Plural: "users",
		Change: store.ChangedUser, Table: "app_user", Columns: []string{"id"}})
	// Ids of messages sort by time, like those of UUID v7.
	Messages = withDocument(Kind{ID: 'o', Parts: "s", IDs: []string{"the id of an outbox message"}, Name: "the outbox message %q",
		Plural: "outbox messages", Change: store.ChangedOutbox, Table: "outbox", Columns: []string{"id"}}, splitMessage, joinMessage)
	// Test sends have a number after their time, so that those of the same microsecond are all kept.
	TestSends = withDocument(Kind{ID: 't', Parts: "tn", Name: "the record of a test send", Plural: "test sends", Change: store.ChangedOutbox,
		Table: "test_send", Columns: []string{"at", "n"}}, splitTest, joinTest)

	Idempotency = Table[store.IdempotencyRecord]{
		Kind: &Kind{ID: 'i', Parts: "ss", IDs: []string{"the name of an operation", "a key"}, Name: "the %s with key %q",
			Plural: "idempotency keys", Table: "idempotency", Columns: []string{"operation", "key"}, Other: "expires_at", Alone: 2},
		Encode: func(i store.IdempotencyRecord) (Row, error) {
			row, err := encode(i, doc.Value{})
			row.Other = i.ExpiresAt.UTC()
			return row, err
		},
		Decode: func(r Row) (i store.IdempotencyRecord, err error) { return i, Decode(r.Record, &i) },
	}

	// Content is the kind of all content items. The version of what is no template is 0.
	Content = Kind{ID: 'k', Parts: "ssn", Name: "%s %s, version %d", Plural: "content items", Change: store.ChangedSettings,
		Table: "content", Columns: []string{"kind", "name", "version"}, Alone: 2}
	contents = map[engine.ContentKind]Table[engine.ContentItem]{
		engine.KindProducts: AsJSON[engine.ContentItem](Content.named(engine.KindProducts.Label() + " %[2]s")),
		engine.KindAPI:      AsJSON[engine.ContentItem](Content.named(engine.KindAPI.Label() + " %[2]s")),
		engine.KindTemplate: withDocument(Content.named(engine.KindTemplate.Label()+" %[2]s, version %[3]d"), splitTemplate, joinTemplate),
	}
)

func (k Kind) named(name string) Kind {
	k.Name = name
	return k
}

// WithCampaign is a table of whole campaigns.
func WithCampaign(k Kind) Table[engine.Campaign] {
	return withDocument(k, func(c engine.Campaign) (engine.Head, doc.Value) { return c.Head, c.Body },
		func(head engine.Head, body doc.Value) (engine.Campaign, error) {
			return engine.Campaign{Head: head, Body: body}, nil
		})
}

func splitCopy(w engine.WorkingCopy) (workingCopy, doc.Value) {
	return workingCopy{Base: w.Base, At: w.At, Origin: string(w.Origin.Encode())}, w.Body
}

func joinCopy(head workingCopy, body doc.Value) (w engine.WorkingCopy, err error) {
	w = engine.WorkingCopy{Base: head.Base, Body: body, At: head.At}
	if head.Origin != "" {
		w.Origin, err = doc.Parse([]byte(head.Origin))
	}
	return w, err
}

func splitMessage(m engine.OutboxMessage) (head engine.OutboxMessage, payload doc.Value) {
	if m.Push != nil {
		payload = m.Push.Payload
	}
	return m, payload
}

func joinMessage(m engine.OutboxMessage, payload doc.Value) (engine.OutboxMessage, error) {
	if m.Push != nil {
		m.Push.Payload = payload
	}
	return m, nil
}

func splitTemplate(item engine.ContentItem) (engine.ContentTemplate, doc.Value) {
	template := *item.Template
	template.Content = doc.Value{}
	return template, item.Template.Content
}

func joinTemplate(template engine.ContentTemplate, content doc.Value) (engine.ContentItem, error) {
	template.Content = content
	return engine.ContentItem{Template: &template}, nil
}

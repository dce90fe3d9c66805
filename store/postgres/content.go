package postgres

import (
	"errors"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

var (
	outbox = table[engine.OutboxMessage]{
		name: "outbox", key: []string{"id"}, ids: []string{"the id of an outbox message"}, record: twoColumns, checksum: "checksum",
		others: []string{"at", "campaign", "recipient"}, what: store.OutboxMessageName,
		decode: func(record [][]byte) (engine.OutboxMessage, error) {
			var m wire.Delivered
			payload, err := decodeWith(record, &m)
			out := m.Engine()
			if out.Push != nil {
				out.Push.Payload = payload
			}
			return out, err
		},
	}
	testSends = table[engine.TestRecord]{
		name: "test_send", key: []string{"at", "id"}, record: twoColumns, checksum: "checksum", others: []string{"campaign"},
		what: store.TestSendName,
		decode: func(record [][]byte) (engine.TestRecord, error) {
			var t wire.TestRecord
			body, err := decodeWith(record, &t)
			out := t.Engine()
			out.Body = body
			return out, err
		},
	}
)

// contentTable returns the table of the content of a kind.
func contentTable(kind engine.ContentKind) *table[engine.ContentItem] {
	what := kind.Label() + " %[2]s"
	if kind == engine.KindTemplate {
		what += ", version %[3]d"
	}
	return &table[engine.ContentItem]{
		name: "content", key: []string{"kind", "name", "version"}, record: twoColumns, checksum: "checksum", what: what,
		decode: func(record [][]byte) (out engine.ContentItem, err error) {
			switch kind {
			case engine.KindProducts:
				out.Products = &engine.ProductSet{}
				err = wire.Decode(record[0], out.Products)
			case engine.KindAPI:
				out.API = &engine.ContentAPI{}
				err = wire.Decode(record[0], out.API)
			case engine.KindTemplate:
				var t wire.Template
				tree, err := decodeWith(record, &t)
				template := t.Engine(tree)
				out.Template = &template
				return out, err
			}
			return out, err
		},
	}
}

// contentKey returns the key of an item: with a version if it is a template, and 0 otherwise. Without the version, it is
// the beginning of the keys of all versions of a template.
func contentKey(ref engine.ContentRef) []any {
	key := []any{string(ref.Kind), ref.Name}
	switch {
	case ref.Kind != engine.KindTemplate:
		return append(key, int64(0))
	case ref.Version > 0:
		return append(key, int64(ref.Version))
	}
	return key
}

// useContent checks a reference, and has the transaction wait for others that use the item or another version of it.
func (w workspace) useContent(ref engine.ContentRef) (*table[engine.ContentItem], error) {
	if err := errors.Join(w.check(), store.CheckContent(ref)); err != nil {
		return nil, err
	}
	w.serialize(rowName("content", w.id, []any{ref.Kind, ref.Name}))
	return contentTable(ref.Kind), nil
}

// ContentItem implements [store.Content].
func (w workspace) ContentItem(ref engine.ContentRef) (item engine.ContentItem, err error) {
	content, err := w.useContent(ref)
	if err != nil {
		return item, err
	}
	key := contentKey(ref)
	if len(key) == len(content.key) {
		return content.get(w, key...)
	}
	found := store.ErrNotFound
	err = content.each(w, scanOptions{prefix: key, descending: true, limit: 1}, func(i engine.ContentItem) error {
		item, found = i, nil
		return nil
	})
	if err == nil {
		err = found
	}
	return item, err
}

// Content implements [store.Content]. fn may use the transaction.
func (w workspace) Content(kind engine.ContentKind, fn func(engine.ContentItem) error) error {
	if err := store.CheckContentKind(kind); err != nil {
		return err
	}
	return contentTable(kind).each(w, scanOptions{prefix: []any{string(kind)}}, fn)
}

// PutContent implements [store.Content].
func (w workspace) PutContent(item engine.ContentItem) error {
	ref := item.Ref()
	if err := store.CheckContentItem(item); err != nil {
		return err
	}
	content, err := w.useContent(ref)
	if err != nil {
		return err
	}
	var record [][]byte
	switch {
	case item.Products != nil:
		record, err = encodeWith(item.Products, doc.Value{})
	case item.API != nil:
		record, err = encodeWith(item.API, doc.Value{})
	default:
		record, err = encodeWith(wire.ToTemplate(*item.Template), item.Template.Content)
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedSettings})
	return content.put(w, contentKey(ref), record, err)
}

// DeleteContent implements [store.Content].
func (w workspace) DeleteContent(ref engine.ContentRef) error {
	content, err := w.useContent(ref)
	if err != nil {
		return err
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedSettings})
	return content.remove(w, contentKey(ref)...)
}

// Outbox implements [store.Outbox].
func (w workspace) Outbox(limit int) ([]engine.OutboxMessage, error) {
	var all []engine.OutboxMessage
	err := outbox.each(w, scanOptions{descending: true, limit: limit}, func(m engine.OutboxMessage) error { all = append(all, m); return nil })
	return all, err
}

// EachOutboxMessage implements [store.Transferable].
func (w workspace) EachOutboxMessage(fn func(engine.OutboxMessage) error) error {
	return outbox.each(w, scanOptions{descending: true}, fn)
}

// PutOutbox implements [store.Outbox].
func (w workspace) PutOutbox(m engine.OutboxMessage) error {
	var payload doc.Value
	if m.Push != nil {
		payload = m.Push.Payload
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedOutbox})
	record, err := encodeWith(wire.ToDelivered(m), payload)
	return outbox.put(w, []any{m.ID}, record, err, at(m.At), escape(m.CampaignID), escape(m.Recipient))
}

// trimBatch is how many messages one statement deletes at most.
const trimBatch = 5000

// TrimOutbox implements [store.Outbox].
func (w workspace) TrimOutbox(limit int) (trimmed int, err error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	for {
		batch := trimBatch
		if limit > 0 {
			batch = min(batch, limit-trimmed)
		}
		n, err := w.remove("DELETE FROM outbox WHERE ctid = ANY (ARRAY (SELECT ctid FROM outbox WHERE workspace = $1 ORDER BY id LIMIT $2))", w.id, batch)
		if trimmed += n; n > 0 {
			w.changed(store.Change{Workspace: w.id, Kind: store.ChangedOutbox})
		}
		if err != nil || n < batch || trimmed == limit {
			return trimmed, err
		}
	}
}

// TestSends implements [store.TestSends]. fn may use the transaction.
func (w workspace) TestSends(limit int, fn func(engine.TestRecord) error) error {
	return testSends.each(w, scanOptions{descending: true, limit: limit}, fn)
}

// PutTestSend implements [store.TestSends].
func (w workspace) PutTestSend(t engine.TestRecord) error {
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedOutbox})
	record, err := encodeWith(wire.ToTestRecord(t), t.Body)
	return testSends.put(w, []any{t.At.UTC(), uuid.Must(uuid.NewV7()).String()}, record, err, escape(t.CampaignID))
}

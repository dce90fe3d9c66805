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
	contents = table[engine.ContentItem]{
		name: "content", key: []string{"kind", "name", "version"}, body: true, what: "%s %q (version %d)",
		decode: func(record []byte, body doc.Value) (engine.ContentItem, error) {
			var c contentRecord
			err := wire.Decode(record, &c)
			out := engine.ContentItem{Products: c.Products, API: c.API}
			if c.Template != nil {
				template := c.Template.Engine(body)
				out.Template = &template
			}
			return out, err
		},
	}
	outbox = table[engine.OutboxMessage]{
		name: "outbox", key: []string{"id"}, ids: []string{"the id of an outbox message"}, body: true, what: store.OutboxMessageName,
		decode: func(record []byte, payload doc.Value) (engine.OutboxMessage, error) {
			var m wire.Delivered
			err := wire.DecodeRow(record, &m)
			out := m.Engine()
			if out.Push != nil {
				out.Push.Payload = payload
			}
			return out, err
		},
	}
	testSends = table[engine.TestRecord]{
		name: "test_send", key: []string{"at", "id"}, body: true, what: store.TestSendName,
		decode: func(record []byte, body doc.Value) (engine.TestRecord, error) {
			var t wire.TestRecord
			err := wire.DecodeRow(record, &t)
			out := t.Engine()
			out.Body = body
			return out, err
		},
	}
)

// contentRecord is a content item, without the content of a template. One field is set.
type contentRecord struct {
	Products *engine.ProductSet `json:"product_set,omitempty"`
	API      *engine.ContentAPI `json:"content_api,omitempty"`
	Template *wire.Template     `json:"template,omitempty"`
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
func (w workspace) useContent(ref engine.ContentRef) error {
	w.serialize(rowName("content", w.id, []any{ref.Kind, ref.Name}))
	return errors.Join(w.check(), store.CheckContent(ref))
}

// ContentItem implements [store.Content].
func (w workspace) ContentItem(ref engine.ContentRef) (item engine.ContentItem, err error) {
	if err := w.useContent(ref); err != nil {
		return item, err
	}
	key := contentKey(ref)
	if len(key) == len(contents.key) {
		return contents.get(w, key...)
	}
	found := store.ErrNotFound
	err = contents.each(w, scanOptions{prefix: key, descending: true, limit: 1}, func(i engine.ContentItem) error {
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
	return contents.each(w, scanOptions{prefix: []any{string(kind)}}, fn)
}

// PutContent implements [store.Content].
func (w workspace) PutContent(item engine.ContentItem) error {
	ref := item.Ref()
	if err := errors.Join(store.CheckContentItem(item), w.useContent(ref)); err != nil {
		return err
	}
	record, body := contentRecord{Products: item.Products, API: item.API}, doc.Value{}
	if item.Template != nil {
		template := wire.ToTemplate(*item.Template)
		record.Template, body = &template, item.Template.Content
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedSettings})
	return contents.put(w, contentKey(ref), record, body)
}

// DeleteContent implements [store.Content].
func (w workspace) DeleteContent(ref engine.ContentRef) error {
	if err := w.useContent(ref); err != nil {
		return err
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedSettings})
	return contents.remove(w, contentKey(ref)...)
}

// Outbox implements [store.Outbox].
func (w workspace) Outbox(limit int) ([]engine.OutboxMessage, error) {
	var all []engine.OutboxMessage
	err := outbox.each(w, scanOptions{descending: true, limit: limit}, func(m engine.OutboxMessage) error { all = append(all, m); return nil })
	return all, err
}

// EachOutboxMessage implements [wire.Source].
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
	return outbox.put(w, []any{m.ID}, wire.ToDelivered(m), payload)
}

// TrimOutbox implements [store.Outbox].
func (w workspace) TrimOutbox(limit int) (trimmed int, err error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedOutbox})
	return w.remove("DELETE FROM outbox WHERE ctid = ANY (ARRAY (SELECT ctid FROM outbox WHERE workspace = $1 ORDER BY id LIMIT nullif($2, 0)))", w.id, limit)
}

// TestSends implements [store.TestSends]. fn may use the transaction.
func (w workspace) TestSends(limit int, fn func(engine.TestRecord) error) error {
	return testSends.each(w, scanOptions{descending: true, limit: limit}, fn)
}

// PutTestSend implements [store.TestSends].
func (w workspace) PutTestSend(t engine.TestRecord) error {
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedOutbox})
	return testSends.put(w, []any{t.At.UTC(), uuid.Must(uuid.NewV7()).String()}, wire.ToTestRecord(t), t.Body)
}

package kv

import (
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

var (
	// Ids of messages sort by time, like those of UUID v7.
	outbox = withDocument(kind{id: 'o', parts: "s", ids: []string{"the id of an outbox message"}, name: store.OutboxMessageName, plural: "outbox messages", change: store.ChangedOutbox}, splitMessage, joinMessage)
	// Test sends have a number after their time, so that those of the same microsecond are all kept.
	testSends = withDocument(kind{id: 't', parts: "tn", name: store.TestSendName, plural: "test sends", change: store.ChangedOutbox}, splitTest, joinTest)
)

func splitMessage(m engine.OutboxMessage) (head wire.Delivered, payload doc.Value) {
	if m.Push != nil {
		payload = m.Push.Payload
	}
	return wire.ToDelivered(m), payload
}

func joinMessage(head wire.Delivered, payload doc.Value) (engine.OutboxMessage, error) {
	m := head.Engine()
	if m.Push != nil {
		m.Push.Payload = payload
	}
	return m, nil
}

func splitTest(t engine.TestRecord) (wire.TestRecord, doc.Value) { return wire.ToTestRecord(t), t.Body }

func joinTest(head wire.TestRecord, body doc.Value) (engine.TestRecord, error) {
	t := head.Engine()
	t.Body = body
	return t, nil
}

// Outbox implements [store.Outbox]. A limit of 0 means all.
func (s WorkspaceTx) Outbox(limit int) (out []engine.OutboxMessage, err error) {
	err = outbox.each(s, ScanOptions{Reverse: true, Limit: limit}, func(m engine.OutboxMessage) error {
		out = append(out, m)
		return nil
	})
	return out, err
}

// EachOutboxMessage implements [wire.Source].
func (s WorkspaceTx) EachOutboxMessage(fn func(engine.OutboxMessage) error) error {
	return outbox.each(s, ScanOptions{}, fn)
}

// PutOutbox implements [store.Outbox].
func (s WorkspaceTx) PutOutbox(m engine.OutboxMessage) error { return outbox.put(s, m, m.ID) }

// TrimOutbox implements [store.Outbox].
func (s WorkspaceTx) TrimOutbox(limit int) (int, error) { return outbox.clear(s, limit) }

// TestSends implements [store.TestSends]. A limit of 0 means all.
func (s WorkspaceTx) TestSends(limit int, fn func(engine.TestRecord) error) error {
	return testSends.each(s, ScanOptions{Reverse: true, Limit: limit}, fn)
}

// PutTestSend implements [store.TestSends].
func (s WorkspaceTx) PutTestSend(t engine.TestRecord) error {
	for n := int64(0); ; n++ {
		if exists, err := testSends.exists(s, t.At, n); err != nil {
			return err
		} else if !exists {
			return testSends.put(s, t, t.At, n)
		}
	}
}

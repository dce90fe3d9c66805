package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// Outbox returns the delivered messages, newest first, at most limit of them; 0 means all.
func (s WorkspaceTx) Outbox(limit int) (out []engine.OutboxMessage, err error) {
	err = s.eachMessage(ScanOptions{Reverse: true, Limit: limit}, func(d engine.OutboxMessage) error {
		out = append(out, d)
		return nil
	})
	return out, err
}

// EachOutboxMessage implements [store.Transferable].
func (s WorkspaceTx) EachOutboxMessage(fn func(engine.OutboxMessage) error) error {
	return s.eachMessage(ScanOptions{}, fn)
}

func (s WorkspaceTx) eachMessage(o ScanOptions, fn func(engine.OutboxMessage) error) error {
	if err := s.check(); err != nil {
		return err
	}
	const what = "the outbox message"
	return s.walk(what, s.key(kindOutbox), o, func(rest, payload []byte) error {
		var w wire.Delivered
		tree, err := wire.DecodeWith(payload, &w)
		if err != nil {
			return s.damaged(what+" "+label(rest), err)
		}
		d := w.Engine()
		if d.Push != nil {
			d.Push.Payload = tree
		}
		return fn(d)
	})
}

// PutOutbox stores a delivered message. Ids must sort by time, like those of UUID v7.
func (s WorkspaceTx) PutOutbox(d engine.OutboxMessage) error {
	if err := s.check("the id of an outbox message", d.ID); err != nil {
		return err
	}
	var tree doc.Value
	if d.Push != nil {
		tree = d.Push.Payload
	}
	return s.putWith(fmt.Sprintf("the outbox message %q", d.ID), s.key(kindOutbox, d.ID), wire.ToDelivered(d), tree)
}

// TrimOutbox removes the oldest messages, at most limit of them (0 means all), and returns how many it removed.
func (s WorkspaceTx) TrimOutbox(limit int) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	return s.clear("the outbox", s.key(kindOutbox), limit)
}

// TestSends calls fn with the records of test sends, newest first, at most limit of them; 0 means all. fn may return
// [store.Stop].
func (s WorkspaceTx) TestSends(limit int, fn func(engine.TestRecord) error) error {
	if err := s.check(); err != nil {
		return err
	}
	const what = "the record of a test send"
	return s.walk(what, s.key(kindTest), ScanOptions{Reverse: true, Limit: limit}, func(_, payload []byte) error {
		var w wire.TestRecord
		body, err := wire.DecodeWith(payload, &w)
		if err != nil {
			return s.damaged(what, err)
		}
		t := w.Engine()
		t.Body = body
		return fn(t)
	})
}

// PutTestSend stores the record of a test send. Records of the same microsecond are all kept, in the order in which
// they were stored.
func (s WorkspaceTx) PutTestSend(t engine.TestRecord) error {
	if err := s.check(); err != nil {
		return err
	}
	const what = "the record of a test send"
	at := appendTime(s.key(kindTest), t.At)
	for n := int64(0); ; n++ {
		key := appendNumber(at[:len(at):len(at)], n)
		_, err := s.tx.Get(key)
		if err == nil {
			continue
		}
		if !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("reading %s in workspace %q: %w", what, s.id, err)
		}
		return s.putWith(what, key, wire.ToTestRecord(t), t.Body)
	}
}

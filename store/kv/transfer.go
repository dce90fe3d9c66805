package kv

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

var _ store.Transferable = WorkspaceTx{}

// ImportCampaign implements [store.Transferable].
func (s WorkspaceTx) ImportCampaign(c engine.Campaign, sum engine.Summary) error {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return err
	}
	document, err := wire.EncodeWith(wire.Head(c.Head), c.Body)
	if err != nil {
		return fmt.Errorf("campaign %q %w", c.ID, err)
	}
	return s.putCurrent(sum, document)
}

// ImportRevision implements [store.Transferable].
func (s WorkspaceTx) ImportRevision(id string, rev engine.Revision, c engine.Campaign) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	document, err := wire.EncodeWith(wire.Head(c.Head), c.Body)
	if err != nil {
		return fmt.Errorf("%s %w", revisionName(id, rev.N), err)
	}
	return s.putRevisionRecords(id, wire.Revision{Revision: rev, Status: c.Status}, document)
}

// EachIdempotencyRecord implements [store.Transferable].
func (s WorkspaceTx) EachIdempotencyRecord(fn func(store.IdempotencyRecord) error) error {
	if err := s.check(); err != nil {
		return err
	}
	const what = "an idempotency key"
	return s.walk(what, s.key(kindIdempotency), ScanOptions{}, func(_, payload []byte) error {
		var w wire.IdempotencyRecord
		if err := wire.DecodeRow(payload, &w); err != nil {
			return s.damaged(what, err)
		}
		return fn(store.IdempotencyRecord(w))
	})
}

// EachRequestID implements [store.Transferable].
func (s WorkspaceTx) EachRequestID(fn func(op, id string, until time.Time) error) error {
	if err := s.check(); err != nil {
		return err
	}
	const what = "a request id"
	return s.walk(what, s.key(kindRequest), ScanOptions{}, func(rest, payload []byte) error {
		var w wire.RequestWindow
		op, rest, err := cutName(rest)
		id := ""
		if err == nil {
			id, _, err = cutName(rest)
		}
		if err == nil {
			err = wire.DecodeRow(payload, &w)
		}
		if err != nil {
			return s.damaged(what, err)
		}
		return fn(op, id, w.Until)
	})
}

// clearBatch is how many records [WorkspaceTx.ClearWorkspace] removes at most.
const clearBatch = 1000

// ClearWorkspace implements [store.Transferable].
func (s WorkspaceTx) ClearWorkspace() (more bool, err error) {
	if err := s.check(); err != nil {
		return false, err
	}
	n := 0
	err = s.tx.Scan(appendName([]byte{rootRecord}, s.id), ScanOptions{KeysOnly: true, Limit: clearBatch}, func(key, _ []byte) error {
		if bytes.Equal(key, s.key(kindSettings)) {
			return nil
		}
		n++
		return s.delete("a record", bytes.Clone(key))
	})
	if err != nil || n > 0 {
		return err == nil, err
	}
	return false, errors.Join(s.delete("the settings", s.key(kindSettings)), s.delete("the settings", s.settingsKey()))
}

package kv

import (
	"errors"
	"fmt"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

var _ store.Archive = Space{}

// AddPresent implements [store.Archive].
func (s Campaigns) AddPresent(c engine.Campaign, sum engine.Summary) error {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return err
	}
	what := fmt.Sprintf("campaign %q", c.ID)
	document, err := wire.EncodeWith(wire.Head(c.Head), c.Body)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	s.summarized(sum)
	return errors.Join(
		s.put(what, s.key(kindCampaign, c.ID), document),
		s.putJSON("the summary of "+what, s.key(kindSummary, c.ID), wire.ToSummary(sum)),
	)
}

// AddPast implements [store.Archive].
func (s Campaigns) AddPast(id string, rev engine.Revision, c engine.Campaign) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	what := revisionName(id, rev.N)
	document, err := wire.EncodeWith(wire.Head(c.Head), c.Body)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return errors.Join(
		s.putJSON(what, s.revisionKey(kindRevision, id, rev.N), wire.Revision{Revision: rev, Status: c.Status}),
		s.put(what, s.revisionKey(kindVersion, id, rev.N), document),
	)
}

// EachIdempotent implements [store.Archive].
func (s IdempotencyKeys) EachIdempotent(fn func(store.Idempotent) error) error {
	if err := s.check(); err != nil {
		return err
	}
	const what = "an idempotency key"
	return s.walk(what, s.key(kindIdempotent), ScanOptions{}, func(_, payload []byte) error {
		var w wire.Idempotent
		if err := wire.DecodeRow(payload, &w); err != nil {
			return s.damaged(what, err)
		}
		return fn(store.Idempotent(w))
	})
}

// EachRequestID implements [store.Archive].
func (s IdempotencyKeys) EachRequestID(fn func(op, id string, until time.Time) error) error {
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

package wire

import (
	"errors"
	"fmt"
	"time"

	"bugle/engine"
	"bugle/store"
)

// Source is what [Records] and [PutRecords] need of a workspace besides what all see of it.
type Source interface {
	store.WorkspaceTx
	EachOutboxMessage(fn func(engine.OutboxMessage) error) error
	EachIdempotencyRecord(fn func(store.IdempotencyRecord) error) error
	EachRequestID(fn func(store.RequestID) error) error
	ImportCampaign(c engine.Campaign, sum engine.Summary) error
	ImportRevision(id string, rev engine.Revision, c engine.Campaign) error
	// Damaged returns the error for a damaged record with a name.
	Damaged(name string, err error) error
}

// Records implements [store.Transferable].
func Records(s Source, fn func(store.Record) error) error {
	e := exporter{Source: s, fn: fn}
	w, err := s.Settings()
	if err == nil {
		err = fn(w)
	}
	e.note(err)
	e.note(s.Profiles("", pass[engine.User](&e)))
	for _, kind := range store.ContentKinds() {
		e.note(s.Content(kind, pass[engine.ContentItem](&e)))
	}
	e.note(s.EachOutboxMessage(pass[engine.OutboxMessage](&e)))
	e.note(s.TestSends(0, pass[engine.TestRecord](&e)))
	e.note(s.EachIdempotencyRecord(pass[store.IdempotencyRecord](&e)))
	e.note(s.EachRequestID(pass[store.RequestID](&e)))
	e.note(s.Summaries(e.campaign))
	if e.failed != nil {
		return e.failed
	}
	return errors.Join(e.damage...)
}

// exporter is one run of [Records].
type exporter struct {
	Source
	fn     func(store.Record) error
	damage []error
	failed error // why it cannot go on
}

// pass returns a function that passes records on until the export cannot go on.
func pass[T any](e *exporter) func(T) error {
	return func(v T) error {
		if e.failed == nil {
			e.failed = e.fn(v)
		}
		return e.failed
	}
}

// note notes damage. The export cannot go on after any other error.
func (e *exporter) note(err error) {
	switch {
	case err == nil:
	case errors.As(err, new(*store.CorruptError)):
		e.damage = append(e.damage, err)
	case e.failed == nil:
		e.failed = err
	}
}

// campaign passes on a campaign with what belongs to it and is not damaged.
func (e *exporter) campaign(sum engine.Summary) error {
	c, err := e.Campaign(sum.ID)
	if err != nil {
		e.note(err)
		return e.failed
	}
	whole := store.WholeCampaign{Campaign: c, Summary: sum}
	revisions, err := e.Revisions(sum.ID)
	e.note(err)
	for _, rev := range revisions {
		c, err := e.Revision(sum.ID, rev.N)
		if err == nil {
			whole.History = append(whole.History, store.Version{Revision: rev, Campaign: c})
		}
		if errors.Is(err, store.ErrNotFound) {
			err = e.Damaged(fmt.Sprintf(store.RevisionName, sum.ID, rev.N), errors.New("its document is missing"))
		}
		e.note(err)
	}
	whole.Dismissals, err = e.Dismissals(sum.ID)
	e.note(err)
	w, err := e.WorkingCopy(sum.ID)
	if err == nil {
		whole.WorkingCopy = &w
	} else if !errors.Is(err, store.ErrNotFound) {
		e.note(err)
	}
	return pass[store.WholeCampaign](e)(whole)
}

// PutRecords implements [store.Transferable].
func PutRecords(s Source, list []store.Record) error {
	var users []engine.User // many at once are quicker
	for _, r := range list {
		var err error
		switch r := r.(type) {
		case engine.Workspace:
			err = s.PutSettings(r)
		case engine.User:
			users = append(users, r)
		case engine.ContentItem:
			err = s.PutContent(r)
		case engine.OutboxMessage:
			err = s.PutOutbox(r)
		case engine.TestRecord:
			err = s.PutTestSend(r)
		case store.IdempotencyRecord: // a database has microseconds
			r.At, r.ExpiresAt = r.At.Truncate(time.Microsecond), r.ExpiresAt.Truncate(time.Microsecond)
			err = s.PutIdempotencyRecord(r)
		case store.RequestID:
			err = s.PutRequestID(r.Operation, r.ID, r.Until.Truncate(time.Microsecond))
		case store.WholeCampaign:
			err = putCampaign(s, r)
		default:
			err = fmt.Errorf("a %T is no record", r)
		}
		if err != nil {
			return err
		}
	}
	if len(users) == 0 {
		return nil
	}
	return s.PutProfiles(users)
}

func putCampaign(s Source, c store.WholeCampaign) error {
	id := c.Campaign.ID
	err := s.ImportCampaign(c.Campaign, c.Summary)
	for _, v := range c.History {
		if err == nil {
			err = s.ImportRevision(id, v.Revision, v.Campaign)
		}
	}
	if err == nil && len(c.Dismissals) > 0 {
		err = s.PutDismissals(id, c.Dismissals)
	}
	if err == nil && c.WorkingCopy != nil {
		err = s.PutWorkingCopy(id, *c.WorkingCopy)
	}
	return err
}

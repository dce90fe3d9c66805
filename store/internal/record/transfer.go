package record

import (
	"errors"
	"fmt"
	"time"

	"bugle/engine"
	"bugle/store"
)

// Records implements [store.Transfer]. s is the workspace, and b what is beneath it.
func Records(s store.WorkspaceTx, b Backend, fn func(store.Record) error) error {
	e := exporter{WorkspaceTx: s, b: b, fn: fn}
	w, err := s.Settings()
	if err == nil {
		err = fn(w)
	}
	e.note(err)
	e.note(s.Profiles("", pass[engine.User](&e)))
	for _, kind := range store.ContentKinds() {
		e.note(s.Content(kind, pass[engine.ContentItem](&e)))
	}
	e.note(Messages.Each(b, Options{}, pass[engine.OutboxMessage](&e)))
	e.note(s.TestSends(0, pass[engine.TestRecord](&e)))
	e.note(Idempotency.Each(b, Options{}, pass[store.IdempotencyRecord](&e)))
	e.note(s.Summaries(e.campaign))
	if e.failed != nil {
		return e.failed
	}
	return errors.Join(e.damage...)
}

// exporter is one run of [Records].
type exporter struct {
	store.WorkspaceTx
	b      Backend
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
	whole, id := store.WholeCampaign{Summary: sum}, sum.ID
	var damaged error
	whole.Campaign, damaged = e.Campaign(id)
	e.note(damaged)
	revisions, err := e.Revisions(id)
	e.note(err)
	for _, rev := range revisions {
		c, err := e.Revision(id, rev.N)
		if errors.Is(err, store.ErrNotFound) {
			err = e.b.Damaged(Documents.Kind, []any{id, rev.N}, errors.New("its document is missing"))
		}
		if e.note(err); err == nil {
			whole.History = append(whole.History, store.Version{Revision: rev, Campaign: c})
		}
	}
	whole.Dismissals, err = e.Dismissals(id)
	e.note(err)
	if w, err := e.WorkingCopy(id); err == nil {
		whole.WorkingCopy = &w
	} else if !errors.Is(err, store.ErrNotFound) {
		e.note(err)
	}
	if damaged != nil {
		return e.failed
	}
	return pass[store.WholeCampaign](e)(whole)
}

// PutRecords implements [store.Transfer]. s is the workspace, and b what is beneath it.
func PutRecords(s store.WorkspaceTx, b Backend, list []store.Record) error {
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
		case store.WholeCampaign:
			err = putCampaign(s, b, r)
		default:
			err = fmt.Errorf("a %T is no record", r)
		}
		if err != nil {
			return err
		}
	}
	return s.PutProfiles(users...)
}

func putCampaign(s store.WorkspaceTx, b Backend, c store.WholeCampaign) error {
	id := c.Campaign.ID
	err := b.PutCurrent(c.Campaign, c.Summary)
	for _, v := range c.History {
		if err == nil {
			err = putVersion(b, v)
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

package backup

import (
	"context"
	"errors"
	"strings"
	"time"

	"bugle/engine"
	"bugle/store"
)

// change stores a record in another store.
type change func(to store.Transferable) error

// apply makes changes in a workspace, in one transaction, unless check, which may be nil, fails.
func apply(ctx context.Context, db store.DB, workspace string, batch []change, check change) error {
	return db.Write(ctx, func(tx store.Tx) error {
		to, err := transferable(tx, workspace)
		if err == nil && check != nil {
			err = check(to)
		}
		for _, c := range batch {
			if err == nil {
				err = c(to)
			}
		}
		return err
	})
}

func transferable(tx store.Tx, workspace string) (store.Transferable, error) {
	to, ok := tx.Workspace(workspace).(store.Transferable)
	if !ok {
		return nil, errors.New("this store cannot be copied")
	}
	return to, nil
}

// batchRecords is about how many records are in a batch.
const batchRecords = 500

// source reads the records of a workspace as changes of another store.
type source struct {
	store.Transferable
	batch  []change
	flush  func(batch []change) error // takes a batch, which has all records of its campaigns
	damage []string
}

// all reads all records.
func (s *source) all() error {
	for _, kind := range []func() error{s.settings, s.records} {
		if err := s.note(kind()); err != nil {
			return err
		}
	}
	return nil
}

// records reads all records but the settings.
func (s *source) records() error {
	for _, kind := range []func() error{s.users, s.content, s.messages, s.tests, s.keys, s.requests, s.campaigns} {
		if err := s.note(kind()); err != nil {
			return err
		}
	}
	return s.end(1)
}

// put adds a record to the batch.
func (s *source) put(c change) { s.batch = append(s.batch, c) }

// end passes the batch on if it has at least so many records.
func (s *source) end(least int) error {
	if len(s.batch) < least {
		return nil
	}
	batch := s.batch
	s.batch = nil
	return s.flush(batch)
}

// one adds a record that belongs to no campaign.
func (s *source) one(c change) error {
	s.put(c)
	return s.end(batchRecords)
}

// note notes damage, and returns every other error.
func (s *source) note(err error) error {
	if !errors.As(err, new(*store.CorruptError)) {
		return err
	}
	s.damage = append(s.damage, strings.Split(err.Error(), "\n")...)
	return nil
}

func (s *source) settings() error {
	w, err := s.Settings()
	if err != nil {
		return err
	}
	s.put(func(to store.Transferable) error { return to.PutSettings(w) })
	return s.end(1)
}

func (s *source) campaigns() error {
	return s.Summaries(func(sum engine.Summary) error {
		if err := s.campaign(sum); err != nil {
			return err
		}
		return s.end(batchRecords)
	})
}

// campaign adds a campaign and what belongs to it.
func (s *source) campaign(sum engine.Summary) error {
	c, err := s.Campaign(sum.ID)
	if err != nil {
		return s.note(err)
	}
	s.put(func(to store.Transferable) error { return to.ImportCampaign(c, sum) })
	for _, part := range []func(id string) error{s.revisions, s.dismissals, s.workingCopy} {
		if err := s.note(part(sum.ID)); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) revisions(id string) error {
	revisions, damage := s.Revisions(id)
	if err := s.note(damage); err != nil {
		return err
	}
	for _, rev := range revisions {
		c, err := s.Revision(id, rev.N)
		if err == nil {
			s.put(func(to store.Transferable) error { return to.ImportRevision(id, rev, c) })
		}
		if err := s.note(err); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) dismissals(id string) error {
	list, err := s.Dismissals(id)
	if err == nil && len(list) > 0 {
		s.put(func(to store.Transferable) error { return to.PutDismissals(id, list) })
	}
	return err
}

func (s *source) workingCopy(id string) error {
	w, err := s.WorkingCopy(id)
	if err == nil {
		s.put(func(to store.Transferable) error { return to.PutWorkingCopy(id, w) })
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// users adds all users, many in one change, which is quicker.
func (s *source) users() error {
	var list []engine.User
	add := func(least int) error {
		if len(list) < least {
			return nil
		}
		users := list
		list = nil
		s.put(func(to store.Transferable) error { return to.PutProfiles(users) })
		return s.end(1)
	}
	err := s.Profiles("", func(u engine.User) error {
		list = append(list, u)
		return add(batchRecords)
	})
	if err := s.note(err); err != nil {
		return err
	}
	return add(1)
}

func (s *source) content() error {
	for _, kind := range store.ContentKinds() {
		err := s.Content(kind, func(item engine.ContentItem) error {
			return s.one(func(to store.Transferable) error { return to.PutContent(item) })
		})
		if err := s.note(err); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) messages() error {
	return s.EachOutboxMessage(func(m engine.OutboxMessage) error {
		return s.one(func(to store.Transferable) error { return to.PutOutbox(m) })
	})
}

func (s *source) tests() error {
	return s.TestSends(0, func(t engine.TestRecord) error {
		return s.one(func(to store.Transferable) error { return to.PutTestSend(t) })
	})
}

// keys and requests have microseconds in a database.
func (s *source) keys() error {
	return s.EachIdempotencyRecord(func(k store.IdempotencyRecord) error {
		k.At, k.ExpiresAt = k.At.Truncate(time.Microsecond), k.ExpiresAt.Truncate(time.Microsecond)
		return s.one(func(to store.Transferable) error { return to.PutIdempotencyRecord(k) })
	})
}

func (s *source) requests() error {
	return s.EachRequestID(func(operation, id string, until time.Time) error {
		return s.one(func(to store.Transferable) error {
			return to.PutRequestID(operation, id, until.Truncate(time.Microsecond))
		})
	})
}

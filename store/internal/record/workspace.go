package record

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
)

// Workspace is the records of one workspace within one transaction, whose documentation is that of [store.WorkspaceTx].
type Workspace struct{ B Backend }

// SummariesByID implements [store.Summaries].
func (w Workspace) SummariesByID(ids []string, fn func(engine.Summary) error) error {
	return w.B.SummaryTable().Some(w.B, ids, fn)
}

// Summaries implements [store.Summaries].
func (w Workspace) Summaries(fn func(engine.Summary) error) error {
	return w.B.SummaryTable().Each(w.B, Options{}, fn)
}

// NewestSummaries implements [store.Summaries]: campaigns that were created last have the highest ids.
func (w Workspace) NewestSummaries(fn func(engine.Summary) error) error {
	return w.B.SummaryTable().Each(w.B, Options{Reverse: true}, fn)
}

// AddCampaign implements [store.Campaigns].
func (w Workspace) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
	exists, err := w.B.SummaryTable().Has(w.B, c.ID)
	if err == nil && exists {
		err = fmt.Errorf("campaign %q already exists", c.ID)
	}
	if err != nil {
		return err
	}
	return w.putRevision(c, sum, rev, 1)
}

// PutCampaign implements [store.Campaigns]. The first revision, which is the campaign as it was created, is never replaced.
func (w Workspace) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	last, err := w.B.LastRevision(c.ID)
	if err != nil {
		return 0, err
	}
	if coalesce && last > 1 {
		err = w.dropRevision(c.ID, last)
	}
	n := last + 1
	return n, errors.Join(err, w.pruneHistory(c.ID, n), w.putRevision(c, sum, rev, n))
}

// putRevision stores a campaign's document, its summary, and its revision n.
func (w Workspace) putRevision(c engine.Campaign, sum engine.Summary, rev engine.Revision, n int64) error {
	if sum.ID != c.ID {
		return fmt.Errorf("campaign %q cannot have the summary of campaign %q", c.ID, sum.ID)
	}
	c.Revision, sum.Revision = n, n
	rev.N, rev.Size = n, c.Body.Size()
	return errors.Join(w.B.PutCurrent(c, sum), putVersion(w.B, store.Version{Revision: rev, Campaign: c}))
}

func putVersion(b Backend, v store.Version) error {
	id, n := v.Campaign.ID, v.Revision.N
	return errors.Join(Revisions.Put(b, Revision{Revision: v.Revision, Status: v.Campaign.Status}, id, n), Documents.Put(b, v.Campaign, id, n))
}

func (w Workspace) dropRevision(id string, n int64) error {
	return errors.Join(Revisions.Delete(w.B, id, n), Documents.Delete(w.B, id, n))
}

const (
	pruneInterval = 64  // the history is pruned once per this many saves
	pruneBatch    = 250 // the most revisions that one save removes, which keeps its transaction small
)

// pruneHistory limits the history of a campaign whose next revision is n: if it has more revisions than
// [store.NewestRevisions] and [store.OlderRevisions] together, every other older one that did not change the campaign's
// state goes, but never the first.
func (w Workspace) pruneHistory(id string, n int64) error {
	if n <= store.NewestRevisions+store.OlderRevisions || n%pruneInterval != 0 {
		return nil
	}
	all, err := Revisions.All(w.B, Options{}, id)
	if err != nil && !errors.As(err, new(*store.CorruptError)) { // those that are damaged stay
		return err
	}
	if len(all) <= store.NewestRevisions+store.OlderRevisions {
		return nil
	}
	older := all[:len(all)-store.NewestRevisions]
	for i, pruned := 1, 0; i < len(older) && pruned < pruneBatch; i += 2 {
		if older[i-1].Status != older[i].Status {
			continue
		}
		pruned++
		if err := w.dropRevision(id, older[i].N); err != nil {
			return err
		}
	}
	return nil
}

// Revision implements [store.History].
func (w Workspace) Revision(id string, n int64) (engine.Campaign, error) {
	return Documents.Get(w.B, id, n)
}

// Revisions implements [store.History].
func (w Workspace) Revisions(id string) (out []engine.Revision, err error) {
	err = Revisions.Each(w.B, Options{Reverse: true}, func(r Revision) error {
		out = append(out, r.Revision)
		return nil
	}, id)
	return out, err
}

// WorkingCopy implements [store.WorkingCopies].
func (w Workspace) WorkingCopy(id string) (engine.WorkingCopy, error) {
	return WorkingCopies.Get(w.B, id)
}

// PutWorkingCopy implements [store.WorkingCopies].
func (w Workspace) PutWorkingCopy(id string, c engine.WorkingCopy) error {
	return WorkingCopies.Put(w.B, c, id)
}

// DeleteWorkingCopy implements [store.WorkingCopies].
func (w Workspace) DeleteWorkingCopy(id string) error { return WorkingCopies.Delete(w.B, id) }

// Dismissals implements [store.Dismissals].
func (w Workspace) Dismissals(id string) ([]engine.Dismissal, error) {
	list, err := Dismissals.Get(w.B, id)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return list, err
}

// PutDismissals implements [store.Dismissals].
func (w Workspace) PutDismissals(id string, list []engine.Dismissal) error {
	if len(list) == 0 {
		return Dismissals.Delete(w.B, id)
	}
	return Dismissals.Put(w.B, list, id)
}

// Profile implements [store.Users].
func (w Workspace) Profile(id string) (engine.User, error) { return Users.Get(w.B, id) }

// Profiles implements [store.Users].
func (w Workspace) Profiles(after string, fn func(engine.User) error) error {
	var o Options
	if after != "" {
		o.After = []any{after}
	}
	return Users.Each(w.B, o, fn)
}

// ProfilesByID implements [store.Users].
func (w Workspace) ProfilesByID(ids []string, fn func(engine.User) error) error {
	return Users.Some(w.B, ids, fn)
}

// contentKey returns the key of an item; without a version, it returns what all versions of a template have in common.
func contentKey(ref engine.ContentRef) []any {
	key := []any{string(ref.Kind), ref.Name}
	if ref.Kind == engine.KindTemplate && ref.Version == 0 {
		return key
	}
	return append(key, int64(ref.Version))
}

// ContentItem implements [store.Content]. If ref is a template without a version, it returns the newest one.
func (w Workspace) ContentItem(ref engine.ContentRef) (item engine.ContentItem, err error) {
	if err := store.CheckContent(ref); err != nil {
		return item, err
	}
	items, key := contents[ref.Kind], contentKey(ref)
	if len(key) == len(items.Parts) {
		return items.Get(w.B, key...)
	}
	found, err := items.All(w.B, Options{Reverse: true, Limit: 1}, key...)
	switch {
	case err != nil:
		return item, err
	case len(found) == 0:
		return item, store.ErrNotFound
	}
	return found[0], nil
}

// Content implements [store.Content], with every version of a template.
func (w Workspace) Content(of engine.ContentKind, fn func(engine.ContentItem) error) error {
	items, ok := contents[of]
	if !ok {
		return fmt.Errorf("there is no record of the kind %q", of)
	}
	return items.Each(w.B, Options{}, fn, string(of))
}

// PutContent implements [store.Content].
func (w Workspace) PutContent(item engine.ContentItem) error {
	ref := item.Ref()
	if ref.Kind == engine.KindTemplate && ref.Version < 1 {
		return fmt.Errorf("%s cannot be stored without a version", ref)
	}
	if err := store.CheckContent(ref); err != nil {
		return err
	}
	return contents[ref.Kind].Put(w.B, item, contentKey(ref)...)
}

// DeleteContent implements [store.Content]. If ref is a template without a version, it removes all versions.
func (w Workspace) DeleteContent(ref engine.ContentRef) error {
	if err := store.CheckContent(ref); err != nil {
		return err
	}
	return contents[ref.Kind].Remove(w.B, contentKey(ref)...)
}

// Outbox implements [store.Outbox]. A limit of 0 means all.
func (w Workspace) Outbox(limit int) ([]engine.OutboxMessage, error) {
	return Messages.All(w.B, Options{Reverse: true, Limit: limit})
}

// PutOutbox implements [store.Outbox].
func (w Workspace) PutOutbox(m engine.OutboxMessage) error { return Messages.Put(w.B, m, m.ID) }

// TrimOutbox implements [store.Outbox].
func (w Workspace) TrimOutbox(limit int) (int, error) { return Messages.Clear(w.B, limit) }

// TestSends implements [store.TestSends]. A limit of 0 means all.
func (w Workspace) TestSends(limit int, fn func(engine.TestRecord) error) error {
	return TestSends.Each(w.B, Options{Reverse: true, Limit: limit}, fn)
}

// PutTestSend implements [store.TestSends].
func (w Workspace) PutTestSend(t engine.TestRecord) error {
	for n := int64(0); ; n++ {
		if exists, err := TestSends.Has(w.B, t.At.UTC(), n); err != nil {
			return err
		} else if !exists {
			return TestSends.Put(w.B, t, t.At.UTC(), n)
		}
	}
}

// IdempotencyRecord implements [store.Idempotency].
func (w Workspace) IdempotencyRecord(op, key string) (store.IdempotencyRecord, error) {
	return Idempotency.Get(w.B, op, key)
}

// DeleteIdempotencyRecord implements [store.Idempotency].
func (w Workspace) DeleteIdempotencyRecord(op, key string) error {
	return Idempotency.Delete(w.B, op, key)
}

// PutIdempotencyRecord implements [store.Idempotency].
func (w Workspace) PutIdempotencyRecord(i store.IdempotencyRecord) error {
	if i.ExpiresAt.IsZero() {
		return fmt.Errorf("the %s with key %q must have a time of expiry", i.Operation, i.Key)
	}
	return w.B.PutIdempotency(i)
}

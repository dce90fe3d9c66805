package kv

import (
	"errors"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// The kinds of records that belong to a campaign, besides those that all stores have. Its document is stored twice: as the
// campaign, and as that of its newest revision.
var (
	campaigns = record.WithCampaign(record.Kind{ID: 'c', Parts: "s", IDs: record.CampaignIDs, Name: "campaign %q", Plural: "campaigns",
		Change: store.ChangedCampaign})

	ofCampaign = []*record.Kind{campaigns.Kind, summaries.Kind, record.WorkingCopies.Kind, record.Dismissals.Kind, record.Revisions.Kind, record.Documents.Kind}
)

// Campaign returns a campaign. Its record and its summary have the same revision number, so a campaign that was lost, or
// is older than it should be, is seen. The document of its newest revision is a second copy, which is returned then.
func (s WorkspaceTx) Campaign(id string) (engine.Campaign, error) {
	c, err := campaigns.Get(s.rows, id)
	if err == nil && s.rows.sameCommit(campaigns.Kind, summaries.Kind, id) || err != nil && !isDamage(err) {
		return c, err
	}
	sum, errSum := summaries.Get(s.rows, id)
	switch {
	case errSum != nil && !isDamage(errSum):
		return engine.Campaign{}, errSum
	case errors.Is(err, store.ErrNotFound) && errors.Is(errSum, store.ErrNotFound):
		return engine.Campaign{}, store.ErrNotFound
	case err == nil && errSum == nil && c.Revision == sum.Revision:
		return c, nil
	case err == nil:
		err = s.rows.Damaged(campaigns.Kind, []any{id}, errOlder)
	case errors.Is(err, store.ErrNotFound):
		err = s.rows.Damaged(campaigns.Kind, []any{id}, errLost)
	}
	last := int64(0)
	errLast := s.rows.keys(record.Documents.Kind, ScanOptions{Reverse: true, Limit: 1}, func(parts []any) error {
		last = parts[1].(int64)
		return nil
	}, id)
	if errLast == nil && last > 0 && last >= max(c.Revision, sum.Revision) {
		var newest engine.Campaign
		if newest, errLast = s.Revision(id, last); errLast == nil {
			newest.Revision = last
			return newest, nil
		}
	}
	if errLast != nil && !isDamage(errLast) {
		err = errLast
	}
	return engine.Campaign{}, err
}

// sameCommit reports whether two records of a campaign were written by the same commit, which is quicker to find than what
// is in them.
func (s rows) sameCommit(a, b *record.Kind, id string) bool {
	v, err := s.tx.snap.Versions(s.tx.ctx, [][]byte{s.key(a, id), s.key(b, id)})
	return err == nil && v[0] != 0 && v[0] == v[1]
}

// LastRevision implements [record.Backend].
func (s rows) LastRevision(id string) (int64, error) {
	sum, err := summaries.Get(s, id)
	if err == nil {
		return sum.Revision, nil
	}
	c, err := s.workspace().Campaign(id)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return c.Revision, err
}

// PutCurrent implements [record.Backend].
func (s rows) PutCurrent(c engine.Campaign, sum engine.Summary) error {
	if s.tx.watch != nil {
		s.tx.watch.SummaryStored(s.id, sum)
	}
	return errors.Join(campaigns.Put(s, c, c.ID), summaries.Put(s, sum, c.ID))
}

// DeleteCampaign implements [store.Campaigns]. What it scans is read, so that every transaction that writes a record of the
// campaign at the same time conflicts.
func (s WorkspaceTx) DeleteCampaign(id string) error {
	if s.rows.tx.watch != nil {
		s.rows.tx.watch.CampaignRemoved(s.rows.id, id)
	}
	found := 0
	for _, k := range ofCampaign {
		n, err := k.Clear(s.rows, 0, id)
		if err != nil {
			return err
		}
		if k == campaigns.Kind || k == summaries.Kind {
			found += n
		}
	}
	if found == 0 {
		return store.ErrNotFound
	}
	return nil
}

package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// The kinds of records that belong to a campaign, besides those that all stores have. Its document is stored twice: as the
// campaign, and as that of its newest revision.
var (
	campaigns = record.WithCampaign(record.Kind{ID: 'c', Parts: "s", IDs: record.CampaignIDs, Name: store.CampaignName, Plural: "campaigns",
		Change: store.ChangedCampaign})
	// A deletion marks a deleted campaign whose history is not fully removed yet.
	deletions = onlyKeys(record.Kind{ID: 'z', Parts: "s", IDs: record.CampaignIDs, Name: "the deletion mark of campaign %q", Plural: "deletion marks"})

	// present are the kinds of which a campaign has one record.
	present = []*record.Kind{campaigns.Kind, summaries.Kind, record.WorkingCopies.Kind, record.Dismissals.Kind}
	// ofCampaign are all kinds that belong to a campaign.
	ofCampaign = append(present[:len(present):len(present)], record.Revisions.Kind, record.Documents.Kind, deletions.Kind)
)

// Campaign returns a campaign. Its record and its summary have the same revision number, so a campaign that was lost, or
// is older than it should be, is seen. The document of its newest revision is a second copy, which is returned then.
func (s WorkspaceTx) Campaign(id string) (engine.Campaign, error) {
	c, err := campaigns.Get(s.rows, id)
	if err == nil && s.rows.sameCommit(campaigns.Kind, summaries.Kind, id) || err != nil && !isDamage(err) {
		return c, err
	}
	sum, errSum := s.Summary(id)
	switch {
	case errSum != nil && !isDamage(errSum):
		return engine.Campaign{}, errSum
	case errors.Is(err, store.ErrNotFound) && errors.Is(errSum, store.ErrNotFound):
		return engine.Campaign{}, store.ErrNotFound
	case err == nil && errSum == nil && c.Revision == sum.Revision:
		return c, nil
	case err == nil:
		err = s.rows.Damaged(fmt.Sprintf(store.CampaignName, id), errOlder)
	case errors.Is(err, store.ErrNotFound):
		err = s.rows.Damaged(fmt.Sprintf(store.CampaignName, id), errLost)
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
	t, ok := s.tx.(*tx)
	if !ok {
		return false
	}
	v, err := t.snap.Versions(t.ctx, [][]byte{s.key(a, id), s.key(b, id)})
	return err == nil && v[0] != 0 && v[0] == v[1]
}

// LastRevision implements [record.Backend].
func (s rows) LastRevision(id string) (int64, error) {
	sum, err := summaries.Get(s, id)
	if err == nil {
		return sum.Revision, nil
	}
	c, err := s.workspace().Campaign(id)
	if !errors.Is(err, store.ErrNotFound) {
		return c.Revision, err
	}
	gone, err := deletions.Has(s, id)
	if err == nil && gone { // who removes the rest of it would mistake new records for that
		err = fmt.Errorf("campaign %q is being deleted; try again in a minute, or choose another id", id)
	}
	return 0, err
}

// PutCurrent implements [record.Backend].
func (s rows) PutCurrent(c engine.Campaign, sum engine.Summary) error {
	if s.watch != nil {
		s.watch.SummaryStored(s.id, sum)
	}
	return errors.Join(campaigns.Put(s, c, c.ID), summaries.Put(s, sum, c.ID))
}

// Revisions implements [store.History]. What is left of a deleted campaign is none.
func (s WorkspaceTx) Revisions(id string) ([]engine.Revision, error) {
	if gone, err := deletions.Has(s.rows, id); err != nil || gone {
		return nil, err
	}
	return s.Workspace.Revisions(id)
}

// ClearCampaign implements [store.Campaigns].
func (s WorkspaceTx) ClearCampaign(id string) error {
	s.reportRemoved(id)
	for _, k := range ofCampaign {
		if _, err := k.Clear(s.rows, 0, id); err != nil {
			return err
		}
	}
	return nil
}

// DeleteCampaign implements [store.Campaigns]. Some records of a long history may remain; nobody reads them, and
// [WorkspaceTx.FinishDeletes] removes them.
func (s WorkspaceTx) DeleteCampaign(id string) error {
	// It is read, so that every transaction that changes the campaign at the same time conflicts.
	exists, err := campaigns.Has(s.rows, id)
	if err == nil && !exists {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	s.reportRemoved(id)
	// Delete by key rather than by what a scan finds: another transaction may be writing one of them right now.
	for _, k := range present {
		if err := k.Delete(s.rows, id); err != nil {
			return err
		}
	}
	more, err := s.rows.clearHistory(id)
	if err != nil || !more {
		return err
	}
	return deletions.Put(s.rows, none{}, id)
}

func (s WorkspaceTx) reportRemoved(id string) {
	if s.rows.watch != nil {
		s.rows.watch.CampaignRemoved(s.rows.id, id)
	}
}

// deleteBatch is the most records of each kind of a history that one transaction removes.
const deleteBatch = 2000

// clearHistory removes records of a campaign's history, and reports whether more may remain.
func (s rows) clearHistory(id string) (more bool, err error) {
	a, errA := record.Revisions.Clear(s, deleteBatch, id)
	b, errB := record.Documents.Clear(s, deleteBatch, id)
	return a == deleteBatch || b == deleteBatch, errors.Join(errA, errB)
}

// FinishDeletes implements [store.Campaigns].
func (s WorkspaceTx) FinishDeletes() (more bool, err error) {
	id := ""
	err = s.rows.keys(deletions.Kind, ScanOptions{Limit: 1}, func(parts []any) error {
		id = parts[0].(string)
		return nil
	})
	if err != nil || id == "" {
		return false, err
	}
	if more, err = s.rows.clearHistory(id); err != nil || more {
		return more, err
	}
	return true, deletions.Delete(s.rows, id)
}

package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// The kinds of records that belong to a campaign. Its document is stored twice: as the campaign, and as that of its newest
// revision.
var (
	campaignIDs = []string{"a campaign id"}

	campaigns     = withDocument(kind{id: 'c', parts: "s", ids: campaignIDs, name: store.CampaignName, plural: "campaigns", change: store.ChangedCampaign}, splitCampaign, joinCampaign)
	documents     = withDocument(kind{id: 'd', parts: "sn", ids: campaignIDs, name: store.RevisionName, plural: "earlier versions"}, splitCampaign, joinCampaign)
	revisions     = asJSON[wire.Revision](kind{id: 'r', parts: "sn", ids: campaignIDs, name: store.RevisionName, plural: "history entries"})
	summaries     = table[engine.Summary]{kind{id: 's', parts: "s", ids: campaignIDs, name: store.SummaryName, plural: "campaign summaries", change: store.ChangedCampaign}, encodeSummary, decodeSummary}
	workingCopies = withDocument(kind{id: 'w', parts: "s", ids: campaignIDs, name: store.WorkingCopyName, plural: "working copies", change: store.ChangedCampaign}, splitCopy, joinCopy)
	dismissals    = asJSON[[]engine.Dismissal](kind{id: 'v', parts: "s", ids: campaignIDs, name: store.DismissalsName, plural: "lists of dismissed warnings", change: store.ChangedCampaign})
	// A deletion marks a deleted campaign whose history is not fully removed yet.
	deletions = onlyKeys(kind{id: 'z', parts: "s", ids: campaignIDs, name: "the deletion mark of campaign %q", plural: "deletion marks"})

	ofCampaign = []kind{campaigns.kind, summaries.kind, workingCopies.kind, dismissals.kind, revisions.kind, documents.kind, deletions.kind}
)

func splitCampaign(c engine.Campaign) (wire.Head, doc.Value) { return wire.Head(c.Head), c.Body }

func joinCampaign(head wire.Head, body doc.Value) (engine.Campaign, error) {
	return engine.Campaign{Head: engine.Head(head), Body: body}, nil
}

func splitCopy(w engine.WorkingCopy) (wire.WorkingCopy, doc.Value) {
	return wire.WorkingCopy{Base: w.Base, At: w.At, Origin: string(w.Origin.Encode())}, w.Body
}

func joinCopy(head wire.WorkingCopy, body doc.Value) (w engine.WorkingCopy, err error) {
	w = engine.WorkingCopy{Base: head.Base, Body: body, At: head.At}
	if head.Origin != "" {
		w.Origin, err = doc.Parse([]byte(head.Origin))
	}
	return w, err
}

// Campaign returns a campaign. Its record and its summary have the same revision number, so a campaign that was lost, or
// is older than it should be, is seen. The document of its newest revision is a second copy, which is returned then.
func (s WorkspaceTx) Campaign(id string) (engine.Campaign, error) {
	c, err := campaigns.get(s, id)
	if err == nil && s.sameCommit(campaigns.key(s, id), summaries.key(s, id)) || err != nil && !isDamage(err) {
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
		err = s.Damaged(fmt.Sprintf(store.CampaignName, id), errOlder)
	case errors.Is(err, store.ErrNotFound):
		err = s.Damaged(fmt.Sprintf(store.CampaignName, id), errLost)
	}
	last, errLast := s.last(documents.kind, id)
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

// sameCommit reports whether two records were written by the same commit, which is quicker to find than what is in them.
func (s WorkspaceTx) sameCommit(a, b []byte) bool {
	t, ok := s.tx.(*tx)
	if !ok {
		return false
	}
	v, err := t.snap.Versions(t.ctx, [][]byte{a, b})
	return err == nil && v[0] != 0 && v[0] == v[1]
}

// PutCampaign implements [store.Campaigns]. It prunes a long history ([WorkspaceTx.pruneHistory]).
func (s WorkspaceTx) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	last, err := s.lastRevision(c.ID)
	if err != nil {
		return 0, err
	}
	n, replaced := store.NextRevision(last, coalesce)
	if replaced > 0 {
		err = s.dropRevision(c.ID, replaced)
	}
	return n, errors.Join(err, s.pruneHistory(c.ID, n), s.putRevision(c, sum, rev, n))
}

// lastRevision returns the revision number of a campaign, 0 for a new one.
func (s WorkspaceTx) lastRevision(id string) (int64, error) {
	sum, err := s.Summary(id)
	if err == nil {
		return sum.Revision, nil
	}
	c, err := s.Campaign(id)
	if !errors.Is(err, store.ErrNotFound) {
		return c.Revision, err
	}
	gone, err := deletions.exists(s, id)
	if err == nil && gone { // who removes the rest of it would mistake new records for that
		err = fmt.Errorf("campaign %q is being deleted; try again in a minute, or choose another id", id)
	}
	return 0, err
}

// AddCampaign implements [store.Campaigns], for an id that was newly generated: unlike [WorkspaceTx.PutCampaign], it does
// not look for remains of another campaign with that id.
func (s WorkspaceTx) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
	exists, err := campaigns.exists(s, c.ID)
	if err == nil && exists {
		err = fmt.Errorf(store.CampaignName+" already exists", c.ID)
	}
	if err != nil {
		return err
	}
	return s.putRevision(c, sum, rev, 1)
}

// putRevision stores a campaign's document, its summary, and its revision n.
func (s WorkspaceTx) putRevision(c engine.Campaign, sum engine.Summary, rev engine.Revision, n int64) error {
	if err := store.SetRevision(&c, &sum, &rev, n); err != nil {
		return err
	}
	return errors.Join(s.ImportCampaign(c, sum), s.ImportRevision(c.ID, rev, c))
}

// ImportCampaign implements [wire.Source].
func (s WorkspaceTx) ImportCampaign(c engine.Campaign, sum engine.Summary) error {
	if s.watch != nil {
		s.watch.SummaryStored(s.id, sum)
	}
	return errors.Join(campaigns.put(s, c, c.ID), summaries.put(s, sum, c.ID))
}

// ImportRevision implements [wire.Source].
func (s WorkspaceTx) ImportRevision(id string, rev engine.Revision, c engine.Campaign) error {
	return errors.Join(revisions.put(s, wire.Revision{Revision: rev, Status: c.Status}, id, rev.N), documents.put(s, c, id, rev.N))
}

// ClearCampaign implements [store.Campaigns].
func (s WorkspaceTx) ClearCampaign(id string) error {
	s.reportRemoved(id)
	for _, k := range ofCampaign {
		if _, err := k.clear(s, 0, id); err != nil {
			return err
		}
	}
	return nil
}

// DeleteCampaign implements [store.Campaigns]. Some records of a long history may remain; nobody reads them, and
// [WorkspaceTx.FinishDeletes] removes them.
func (s WorkspaceTx) DeleteCampaign(id string) error {
	// It is read, so that every transaction that changes the campaign at the same time conflicts.
	exists, err := campaigns.exists(s, id)
	if err == nil && !exists {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	s.reportRemoved(id)
	// Delete by key rather than by what a scan finds: another transaction may be writing one of them right now.
	for _, k := range []kind{campaigns.kind, summaries.kind, workingCopies.kind, dismissals.kind} {
		if err := k.delete(s, id); err != nil {
			return err
		}
	}
	more, err := s.clearHistory(id)
	if err != nil || !more {
		return err
	}
	return deletions.put(s, none{}, id)
}

func (s WorkspaceTx) reportRemoved(id string) {
	if s.watch != nil {
		s.watch.CampaignRemoved(s.id, id)
	}
}

// WorkingCopy implements [store.WorkingCopies].
func (s WorkspaceTx) WorkingCopy(id string) (engine.WorkingCopy, error) {
	return workingCopies.get(s, id)
}

// PutWorkingCopy implements [store.WorkingCopies].
func (s WorkspaceTx) PutWorkingCopy(id string, w engine.WorkingCopy) error {
	return workingCopies.put(s, w, id)
}

// DeleteWorkingCopy implements [store.WorkingCopies].
func (s WorkspaceTx) DeleteWorkingCopy(id string) error { return workingCopies.delete(s, id) }

// Dismissals implements [store.Dismissals].
func (s WorkspaceTx) Dismissals(id string) ([]engine.Dismissal, error) {
	list, err := dismissals.get(s, id)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return list, err
}

// PutDismissals implements [store.Dismissals].
func (s WorkspaceTx) PutDismissals(id string, list []engine.Dismissal) error {
	if len(list) == 0 {
		return dismissals.delete(s, id)
	}
	return dismissals.put(s, list, id)
}

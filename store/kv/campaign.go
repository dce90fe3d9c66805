package kv

import (
	"bytes"
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

const whatCampaign = "a campaign id"

// Campaign returns a campaign. Its record and its summary have the same revision number, so a campaign that was lost, or
// is older than it should be, is seen. The document of its newest revision is a second copy, which is returned then.
func (s WorkspaceTx) Campaign(id string) (engine.Campaign, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	c, err := s.campaign(fmt.Sprintf(store.CampaignName, id), s.key(kindCampaign, id))
	if err == nil && s.sameCommit(s.key(kindCampaign, id), s.key(kindSummary, id)) || err != nil && !isDamage(err) {
		return c, err
	}
	sum, errSum := s.Summary(id)
	switch {
	case errSum != nil && !isDamage(errSum):
		return engine.Campaign{}, errSum
	case err == nil && errSum == nil && c.Revision == sum.Revision:
		return c, nil
	case errors.Is(err, store.ErrNotFound) && errors.Is(errSum, store.ErrNotFound):
		return engine.Campaign{}, store.ErrNotFound
	}
	switch {
	case err == nil:
		err = s.damaged(fmt.Sprintf(store.CampaignName, id), errOlder)
	case errors.Is(err, store.ErrNotFound):
		err = s.damaged(fmt.Sprintf(store.CampaignName, id), errLost)
	}
	return s.newest(id, max(c.Revision, sum.Revision), err)
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

// errOlder is the damage of a campaign or a summary of which the newest version is lost.
var errOlder = errors.New("its newest version is lost")

// newest returns the campaign at its newest revision, which must be at least revision n; if there is none, the campaign is
// damaged, as damage says.
func (s WorkspaceTx) newest(id string, n int64, damage error) (engine.Campaign, error) {
	last, err := s.last(kindRevisionDocument, id)
	if err == nil && last >= n {
		var c engine.Campaign
		if c, err = s.Revision(id, last); err == nil {
			c.Revision = last
			return c, nil
		}
	}
	if err != nil && !isDamage(err) {
		return engine.Campaign{}, err
	}
	return engine.Campaign{}, damage
}

// errLost is the damage of a record that is missing although another one proves that it was there.
var errLost = errors.New("it is missing")

func (s WorkspaceTx) campaign(what string, key []byte) (engine.Campaign, error) {
	payload, err := s.get(what, key)
	if err != nil {
		return engine.Campaign{}, err
	}
	var h wire.Head
	body, err := wire.DecodeWith(payload, &h)
	if err != nil {
		return engine.Campaign{}, s.damaged(what, err)
	}
	return engine.Campaign{Head: engine.Head(h), Body: body}, nil
}

// Revision returns the campaign at revision n.
func (s WorkspaceTx) Revision(id string, n int64) (engine.Campaign, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	return s.campaign(revisionName(id, n), s.revisionKey(kindRevisionDocument, id, n))
}

func revisionName(id string, n int64) string { return fmt.Sprintf("campaign %q, revision %d", id, n) }

func (s WorkspaceTx) revisionKey(kind byte, id string, n int64) []byte {
	return appendNumber(s.key(kind, id), n)
}

// PutCampaign stores a campaign's document, its summary, and a revision, and returns the revision's number, which is one
// more than that of the last. It sets the number in the head, the summary, and the revision, and the size of the
// revision. It prunes a long history ([WorkspaceTx.pruneHistory]). With coalesce, the new revision replaces the newest
// one. The first revision, which is the campaign as it was created, is always kept.
func (s WorkspaceTx) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return 0, err
	}
	last, err := s.lastRevision(c.ID)
	if err != nil {
		return 0, err
	}
	n, replaced := store.NextRevision(last, coalesce)
	if replaced > 0 {
		if err := s.dropRevision(c.ID, replaced); err != nil {
			return 0, err
		}
	}
	if err := s.pruneHistory(c.ID, n); err != nil {
		return 0, err
	}
	return n, s.putRevision(c, sum, rev, n)
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
	if gone, err := s.deleted(id); err != nil {
		return 0, err
	} else if gone {
		return 0, fmt.Errorf("campaign %q is being deleted; try again in a minute, or choose another id", id)
	}
	return 0, nil
}

// AddCampaign stores the first revision of a campaign with a newly generated id. It fails if a campaign has that id.
// Unlike [WorkspaceTx.PutCampaign], it does not look for
// remains of another campaign with that id.
func (s WorkspaceTx) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return err
	}
	switch _, err := s.tx.Get(s.key(kindCampaign, c.ID)); {
	case err == nil:
		return fmt.Errorf("campaign %q already exists", c.ID)
	case !errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("reading campaign %q in workspace %q: %w", c.ID, s.id, err)
	}
	return s.putRevision(c, sum, rev, 1)
}

// putRevision stores a campaign's document, its summary, and its revision n.
func (s WorkspaceTx) putRevision(c engine.Campaign, sum engine.Summary, rev engine.Revision, n int64) error {
	what := fmt.Sprintf(store.CampaignName, c.ID)
	if err := store.SetRevision(&c, &sum, &rev, n); err != nil {
		return err
	}
	document, err := wire.EncodeWith(wire.Head(c.Head), c.Body)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return errors.Join(s.putCurrent(sum, document), s.putRevisionRecords(c.ID, wire.Revision{Revision: rev, Status: c.Status}, document))
}

// putCurrent stores the current document of a campaign, and its summary.
func (s WorkspaceTx) putCurrent(sum engine.Summary, document []byte) error {
	what := fmt.Sprintf("campaign %q", sum.ID)
	s.reportStored(sum)
	return errors.Join(
		s.put(what, s.key(kindCampaign, sum.ID), document),
		s.putJSON("the summary of "+what, s.key(kindSummary, sum.ID), wire.ToSummary(sum)),
	)
}

// putRevisionRecords stores the document of a revision, and its metadata.
func (s WorkspaceTx) putRevisionRecords(id string, rev wire.Revision, document []byte) error {
	what := revisionName(id, rev.N)
	return errors.Join(
		s.putJSON(what, s.revisionKey(kindRevision, id, rev.N), rev),
		s.put(what, s.revisionKey(kindRevisionDocument, id, rev.N), document),
	)
}

// campaignKinds are the kinds of records that belong to one campaign.
var campaignKinds = []byte{kindCampaign, kindSummary, kindRevision, kindRevisionDocument, kindCopy, kindDismissed, kindDeleted}

// ClearCampaign removes all records of a campaign.
func (s WorkspaceTx) ClearCampaign(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	s.reportRemoved(id)
	for _, kind := range campaignKinds {
		if _, err := s.clear(fmt.Sprintf(store.CampaignName, id), s.key(kind, id), 0); err != nil {
			return err
		}
	}
	return nil
}

// DeleteCampaign removes a campaign's document, summary, revisions, working copy, and dismissed warnings. Some records of a
// long history may remain; nobody reads them, and [WorkspaceTx.FinishDeletes] removes them.
func (s WorkspaceTx) DeleteCampaign(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	// Read the document, so that every transaction that changes the campaign at the same time conflicts.
	if _, err := s.tx.Get(s.key(kindCampaign, id)); err != nil {
		return err
	}
	s.reportRemoved(id)
	what := fmt.Sprintf(store.CampaignName, id)
	// Delete by key rather than by what a scan finds: another transaction may be writing one of them right now.
	for _, kind := range []byte{kindCampaign, kindSummary, kindCopy, kindDismissed} {
		if err := s.delete(what, s.key(kind, id)); err != nil {
			return err
		}
	}
	more, err := s.clearHistory(id)
	if err != nil || !more {
		return err
	}
	return s.put("the mark that "+what+" is deleted", s.key(kindDeleted, id), nil)
}

// FinishDeletes removes up to a few thousand records that deleted campaigns have left, and reports whether more may
// remain.
func (s WorkspaceTx) FinishDeletes() (more bool, err error) {
	if err := s.check(); err != nil {
		return false, err
	}
	id := ""
	prefix := s.key(kindDeleted)
	err = s.tx.Scan(prefix, ScanOptions{KeysOnly: true, Limit: 1}, func(key, _ []byte) error {
		id, _, err = cutName(key[len(prefix):])
		return err
	})
	if err != nil || id == "" {
		return false, err
	}
	more, err = s.clearHistory(id)
	if err != nil || more {
		return more, err
	}
	return true, s.delete("the deletion mark of a campaign", s.key(kindDeleted, id))
}

// BelongsTo reports whether key is the key of a record of a campaign.
func BelongsTo(key []byte, workspace, id string) bool {
	for _, kind := range campaignKinds {
		if bytes.HasPrefix(key, WorkspaceTx{id: workspace}.key(kind, id)) {
			return true
		}
	}
	return false
}

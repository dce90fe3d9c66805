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

// Documents are the documents of a workspace's campaigns and of their revisions.
type Documents struct{ *records }

// Campaign returns a campaign's document.
func (s Documents) Campaign(id string) (engine.Campaign, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	return s.campaign(fmt.Sprintf("campaign %q", id), s.key(kindCampaign, id))
}

func (s Documents) campaign(what string, key []byte) (engine.Campaign, error) {
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
func (s Documents) Revision(id string, n int64) (engine.Campaign, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	return s.campaign(revisionName(id, n), s.revisionKey(kindRevisionDocument, id, n))
}

func revisionName(id string, n int64) string { return fmt.Sprintf("campaign %q, revision %d", id, n) }

func (s Documents) revisionKey(kind byte, id string, n int64) []byte {
	return appendNumber(s.key(kind, id), n)
}

// Campaigns are the campaigns of a workspace. Each change of a campaign writes its document, its summary, and its
// history.
type Campaigns struct {
	Documents
	SummaryRows
	History
}

// PutCampaign stores a campaign's document, its summary, and a revision, and returns the revision's number. The number
// is one more than that of the last revision, which is found in the history, in the document that is replaced, or among
// documents of revisions whose metadata is lost. PutCampaign sets the number in the head, the summary, and the
// revision, and the size of the revision. It prunes a long history ([History.pruneHistory]). With coalesce, the new
// revision replaces the newest one. The first revision, which is the campaign as it was created, is always kept. The
// document that is replaced may be damaged.
func (s Campaigns) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return 0, err
	}
	what := fmt.Sprintf("campaign %q", c.ID)
	// Read the key even if it does not exist, so that two writers of one campaign conflict.
	old, err := s.get(what, s.key(kindCampaign, c.ID))
	if err != nil && !isDamage(err) {
		return 0, err
	}
	var before wire.Head
	if err == nil {
		_, _ = wire.DecodeWithRaw(old, &before) // a damaged document has no usable number
	}
	last, err := s.lastRevisionOf(c.ID, errors.Is(err, store.ErrNotFound))
	if err != nil {
		return 0, err
	}
	last = max(last, before.Revision)
	n, err := s.unusedRevision(c.ID, last+1)
	if err != nil {
		return 0, err
	}
	if coalesce && last > 1 {
		if err := s.dropRevision(c.ID, last); err != nil {
			return 0, err
		}
	}
	if err := s.pruneHistory(c.ID, n); err != nil {
		return 0, err
	}
	return n, s.putRevision(c, sum, rev, n)
}

// AddCampaign stores the first revision of a campaign with a newly generated id. It fails if a campaign has that id.
// Unlike [Campaigns.PutCampaign], it does not look for remains of another campaign with that id.
func (s Campaigns) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
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
func (s Campaigns) putRevision(c engine.Campaign, sum engine.Summary, rev engine.Revision, n int64) error {
	what := fmt.Sprintf("campaign %q", c.ID)
	if sum.ID != c.ID {
		return fmt.Errorf("%s cannot have the summary of campaign %q", what, sum.ID)
	}
	c.Revision, sum.Revision = n, n
	body := c.Body.Encode()
	rev.N, rev.Size = n, len(body)
	document, err := wire.EncodeWithRaw(wire.Head(c.Head), body)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return errors.Join(s.putCurrent(sum, document), s.putRevisionRecords(c.ID, wire.Revision{Revision: rev, Status: c.Status}, document))
}

// putCurrent stores the current document of a campaign, and its summary.
func (s Campaigns) putCurrent(sum engine.Summary, document []byte) error {
	what := fmt.Sprintf("campaign %q", sum.ID)
	s.reportStored(sum)
	return errors.Join(
		s.put(what, s.key(kindCampaign, sum.ID), document),
		s.putJSON("the summary of "+what, s.key(kindSummary, sum.ID), wire.ToSummary(sum)),
	)
}

// putRevisionRecords stores the document of a revision, and its metadata.
func (s Campaigns) putRevisionRecords(id string, rev wire.Revision, document []byte) error {
	what := revisionName(id, rev.N)
	return errors.Join(
		s.putJSON(what, s.revisionKey(kindRevision, id, rev.N), rev),
		s.put(what, s.revisionKey(kindRevisionDocument, id, rev.N), document),
	)
}

// campaignKinds are the kinds of records that belong to one campaign.
var campaignKinds = []byte{kindCampaign, kindSummary, kindRevision, kindRevisionDocument, kindCopy, kindDismissed, kindDeleted}

// ClearCampaign removes all records of a campaign.
func (s Campaigns) ClearCampaign(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	s.reportRemoved(id)
	for _, kind := range campaignKinds {
		if _, err := s.clear(fmt.Sprintf("campaign %q", id), s.key(kind, id), 0); err != nil {
			return err
		}
	}
	return nil
}

// DeleteCampaign removes a campaign's document, summary, revisions, working copy, and dismissed warnings. Some records of a
// long history may remain; nobody reads them, and [Campaigns.FinishDeletes] removes them.
func (s Campaigns) DeleteCampaign(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	// Read the document, so that every transaction that changes the campaign at the same time conflicts.
	if _, err := s.tx.Get(s.key(kindCampaign, id)); err != nil && !errors.Is(err, store.ErrDataLost) {
		return err
	}
	s.reportRemoved(id)
	what := fmt.Sprintf("campaign %q", id)
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
func (s Campaigns) FinishDeletes() (more bool, err error) {
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
		if bytes.HasPrefix(key, (&records{id: workspace}).key(kind, id)) {
			return true
		}
	}
	return false
}

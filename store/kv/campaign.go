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

// Documents are the documents of a workspace's campaigns, the present ones and those of their history.
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

// Revision returns a campaign as it was at a revision.
func (s Documents) Revision(id string, n int64) (engine.Campaign, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	return s.campaign(revisionName(id, n), s.revisionKey(kindVersion, id, n))
}

func revisionName(id string, n int64) string { return fmt.Sprintf("campaign %q, revision %d", id, n) }

func (s Documents) revisionKey(kind byte, id string, n int64) []byte {
	return appendNumber(s.key(kind, id), n)
}

// Campaigns are the campaigns of a workspace: each change of one writes its document, its summary and its history.
type Campaigns struct {
	Documents
	SummaryRows
	History
}

// PutCampaign stores a campaign's document, its summary, and a revision, and returns the number
// of the revision: one more than the last one's, be that known from the history, from the document that is
// replaced, or from documents of revisions whose note is lost. The head's, the summary's and the revision's
// own numbers, and the revision's size, are set here. Of a long history some revisions are dropped
// ([History.thinHistory]).
//
// With coalesce the new revision takes the place of the newest one. The first, which is the
// campaign as it was created, always stays.
//
// The document that it replaces may be damaged.
func (s Campaigns) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return 0, err
	}
	what := fmt.Sprintf("campaign %q", c.ID)
	// Reading the key, whatever is there, makes two writers of one campaign conflict.
	old, err := s.get(what, s.key(kindCampaign, c.ID))
	if err != nil && !isDamage(err) {
		return 0, err
	}
	var before wire.Head
	if err == nil {
		_, _ = wire.DecodeBefore(old, &before) // a damaged one says nothing
	}
	last, err := s.lastRevisionOf(c.ID, errors.Is(err, store.ErrNotFound))
	if err != nil {
		return 0, err
	}
	last = max(last, before.Revision)
	n, err := s.unused(c.ID, last+1)
	if err != nil {
		return 0, err
	}
	if coalesce && last > 1 {
		if err := s.dropRevision(c.ID, last); err != nil {
			return 0, err
		}
	}
	if err := s.thinHistory(c.ID, n); err != nil {
		return 0, err
	}
	return n, s.putRevision(c, sum, rev, n)
}

// AddCampaign stores the first revision of a campaign whose id was made for it and is in use nowhere else: nothing
// is looked for that may be left of another campaign with that id, as [Campaigns.PutCampaign] does. It fails where
// there is a campaign with it.
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
	document, err := wire.EncodeBefore(wire.Head(c.Head), body)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return errors.Join(s.putPresent(sum, document), s.putPast(c.ID, wire.Revision{Revision: rev, Status: c.Status}, document))
}

// putPresent stores the document of a campaign as it is, and its summary.
func (s Campaigns) putPresent(sum engine.Summary, document []byte) error {
	what := fmt.Sprintf("campaign %q", sum.ID)
	s.summarized(sum)
	return errors.Join(
		s.put(what, s.key(kindCampaign, sum.ID), document),
		s.putJSON("the summary of "+what, s.key(kindSummary, sum.ID), wire.ToSummary(sum)),
	)
}

// putPast stores the document of a revision, and its metadata.
func (s Campaigns) putPast(id string, rev wire.Revision, document []byte) error {
	what := revisionName(id, rev.N)
	return errors.Join(
		s.putJSON(what, s.revisionKey(kindRevision, id, rev.N), rev),
		s.put(what, s.revisionKey(kindVersion, id, rev.N), document),
	)
}

// ofCampaign are the kinds of records that belong to one campaign.
var ofCampaign = []byte{kindCampaign, kindSummary, kindRevision, kindVersion, kindCopy, kindDismissed, kindDeleted}

// ClearCampaign removes whatever there is of a campaign.
func (s Campaigns) ClearCampaign(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	s.cleared(id)
	for _, kind := range ofCampaign {
		if _, err := s.clear(fmt.Sprintf("campaign %q", id), s.key(kind, id), 0); err != nil {
			return err
		}
	}
	return nil
}

// DeleteCampaign removes a campaign's document, summary, revisions, working copy and dismissed warnings. Of a long history some
// records are left, which nobody reads any more: [Campaigns.FinishDeletes] removes them.
func (s Campaigns) DeleteCampaign(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	// Reading the document makes everybody who changes the campaign meanwhile conflict.
	if _, err := s.tx.Get(s.key(kindCampaign, id)); err != nil && !errors.Is(err, store.ErrLost) {
		return err
	}
	s.cleared(id)
	what := fmt.Sprintf("campaign %q", id)
	// By their keys, not by what is found of them: somebody may be writing one right now.
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

// FinishDeletes removes some thousand records at most that the deletion of campaigns has left, and reports
// whether more may be left.
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

// BelongsTo reports whether a key is that of a record of a campaign.
func BelongsTo(key []byte, workspace, id string) bool {
	for _, kind := range ofCampaign {
		if bytes.HasPrefix(key, (&records{id: workspace}).key(kind, id)) {
			return true
		}
	}
	return false
}

package store

import (
	"bytes"
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/engine/doc"
)

const whatCampaign = "a campaign id"

// Campaign gives a campaign's document.
func (s Space) Campaign(id string) (engine.Campaign, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	return s.campaign(fmt.Sprintf("campaign %q", id), s.key(kindCampaign, id))
}

func (s Space) campaign(what string, key []byte) (engine.Campaign, error) {
	payload, err := s.get(what, key)
	if err != nil {
		return engine.Campaign{}, err
	}
	var h head
	body, err := decodeWith(payload, &h)
	if err != nil {
		return engine.Campaign{}, s.damaged(what, err)
	}
	return engine.Campaign{Head: engine.Head(h), Body: body}, nil
}

// PutCampaign stores a campaign's document, its summary, and a revision, and returns the number
// of the revision: one more than the last one's, be that known from the history, from the document that is
// replaced, or from documents of revisions whose note is lost. The head's, the summary's and the revision's
// own numbers, and the revision's size, are set here. Of a long history some revisions are dropped
// ([Space.thinHistory]).
//
// With coalesce the new revision takes the place of the newest one. The first, which is the
// campaign as it was created, always stays.
//
// The document that it replaces may be damaged.
func (s Space) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return 0, err
	}
	what := fmt.Sprintf("campaign %q", c.ID)
	// Reading the key, whatever is there, makes two writers of one campaign conflict.
	old, err := s.get(what, s.key(kindCampaign, c.ID))
	if err != nil && !isDamage(err) {
		return 0, err
	}
	var before head
	if err == nil {
		_, _ = decodeBefore(old, &before) // a damaged one says nothing
	}
	last, err := s.lastRevisionOf(c.ID, errors.Is(err, ErrNotFound))
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
// is looked for that may be left of another campaign with that id, as [Space.PutCampaign] does. It fails where
// there is a campaign with it.
func (s Space) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
	if err := s.check(whatCampaign, c.ID); err != nil {
		return err
	}
	switch _, err := s.tx.Get(s.key(kindCampaign, c.ID)); {
	case err == nil:
		return fmt.Errorf("campaign %q already exists", c.ID)
	case !errors.Is(err, ErrNotFound):
		return fmt.Errorf("reading campaign %q in workspace %q: %w", c.ID, s.id, err)
	}
	return s.putRevision(c, sum, rev, 1)
}

// putRevision stores a campaign's document, its summary, and its revision n.
func (s Space) putRevision(c engine.Campaign, sum engine.Summary, rev engine.Revision, n int64) error {
	what := fmt.Sprintf("campaign %q", c.ID)
	if sum.ID != c.ID {
		return fmt.Errorf("%s cannot have the summary of campaign %q", what, sum.ID)
	}
	c.Revision, sum.Revision = n, n
	body := c.Body.Encode()
	rev.N, rev.Size = n, len(body)
	document, err := encodeBefore(head(c.Head), body)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	s.summarized(sum)
	return errors.Join(
		s.put(what, s.key(kindCampaign, c.ID), document),
		s.putJSON("the summary of "+what, s.key(kindSummary, c.ID), toSummary(sum)),
		s.putJSON(revisionName(c.ID, n), s.revisionKey(kindRevision, c.ID, n), revision{rev, c.Status}),
		s.put(revisionName(c.ID, n), s.revisionKey(kindVersion, c.ID, n), document),
	)
}

// ofCampaign are the kinds of records that belong to one campaign.
var ofCampaign = []byte{kindCampaign, kindSummary, kindRevision, kindVersion, kindCopy, kindDeleted}

// ClearCampaign removes whatever there is of a campaign.
func (s Space) ClearCampaign(id string) error {
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

// BelongsTo reports whether a key is that of a record of a campaign.
func BelongsTo(key []byte, workspace, id string) bool {
	for _, kind := range ofCampaign {
		if bytes.HasPrefix(key, Space{id: workspace}.key(kind, id)) {
			return true
		}
	}
	return false
}

// Summary gives a campaign's summary.
func (s Space) Summary(id string) (engine.Summary, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Summary{}, err
	}
	var w summary
	err := s.getJSON(fmt.Sprintf("the summary of campaign %q", id), s.key(kindSummary, id), &w)
	return w.engine(), err
}

// Summaries gives the summaries of all campaigns to fn, which may return [Stop]. That of a campaign
// whose summary is damaged is made from its document, where that is whole; the damage is returned as
// well.
func (s Space) Summaries(fn func(engine.Summary) error) error {
	if err := s.check(); err != nil {
		return err
	}
	prefix := s.key(kindSummary)
	var bad []error
	err := s.tx.Scan(prefix, ScanOptions{}, func(key, value []byte) error {
		var w summary
		payload, err := unseal(key, value)
		if err == nil {
			err = decodeSummary(payload, &w)
		}
		if err == nil {
			return fn(w.engine())
		}
		bad = append(bad, s.damaged("the summary of campaign "+label(key[len(prefix):]), err))
		return s.resummarize(key[len(prefix):], fn)
	})
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// Revisions gives what is known of a campaign's revisions, newest first; none where there is
// no such campaign.
func (s Space) Revisions(id string) ([]engine.Revision, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return nil, err
	}
	var out []engine.Revision
	if gone, err := s.deleted(id); err != nil || gone {
		return nil, err
	}
	err := s.walk(fmt.Sprintf("campaign %q, revision", id), s.key(kindRevision, id), ScanOptions{Reverse: true}, func(rest, payload []byte) error {
		var r engine.Revision
		if err := decode(payload, &r); err != nil {
			return s.damaged(fmt.Sprintf("campaign %q, revision %s", id, label(rest)), err)
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// Revision gives a campaign as it was at a revision.
func (s Space) Revision(id string, n int64) (engine.Campaign, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	return s.campaign(revisionName(id, n), s.revisionKey(kindVersion, id, n))
}

func revisionName(id string, n int64) string { return fmt.Sprintf("campaign %q, revision %d", id, n) }

func (s Space) revisionKey(kind byte, id string, n int64) []byte {
	return appendNumber(s.key(kind, id), n)
}

// lastRevisionOf is lastRevision for a campaign that is new, as it seems. Of one that has nothing to be
// found, the store is looked through forwards, which passes by all tables that cannot have any of it.
func (s Space) lastRevisionOf(id string, seemsNew bool) (int64, error) {
	if seemsNew {
		// The mark may be all that is left of a history: who removes it would take what is new for the rest.
		if gone, err := s.deleted(id); err != nil {
			return 0, err
		} else if gone {
			return 0, fmt.Errorf("campaign %q is being deleted; try again in a minute, or choose another id", id)
		}
		found := false
		err := s.tx.Scan(s.key(kindRevision, id), ScanOptions{KeysOnly: true, Limit: 1}, func(_, _ []byte) error {
			found = true
			return nil
		})
		if err != nil || !found {
			return 0, err
		}
	}
	return s.lastRevision(id)
}

// unused returns a number from n on that is higher than those of all documents of revisions.
func (s Space) unused(id string, n int64) (int64, error) {
	switch _, err := s.tx.Get(s.revisionKey(kindVersion, id, n)); {
	case errors.Is(err, ErrNotFound):
		return n, nil
	case err != nil && !errors.Is(err, ErrLost):
		return 0, fmt.Errorf("reading %s in workspace %q: %w", revisionName(id, n), s.id, err)
	}
	last, err := s.last(kindVersion, id)
	return max(n, last+1), err
}

// lastRevision returns the number of the newest revision, 0 where there is none.
func (s Space) lastRevision(id string) (int64, error) { return s.last(kindRevision, id) }

// last returns the highest number of the records of a kind that a campaign's revisions have, 0 where there is none.
func (s Space) last(kind byte, id string) (int64, error) {
	var last int64
	prefix := s.key(kind, id)
	err := s.tx.Scan(prefix, ScanOptions{Reverse: true, KeysOnly: true, Limit: 1}, func(key, _ []byte) error {
		n, _, err := cutNumber(key[len(prefix):])
		if err != nil {
			return s.damaged(fmt.Sprintf("the history of campaign %q", id), err)
		}
		last = n
		return nil
	})
	return last, err
}

func (s Space) dropRevision(id string, n int64) error {
	what := revisionName(id, n)
	return errors.Join(
		s.delete(what, s.revisionKey(kindRevision, id, n)),
		s.delete(what, s.revisionKey(kindVersion, id, n)),
	)
}

// Copy gives the working copy of a campaign.
func (s Space) Copy(id string) (engine.WorkingCopy, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.WorkingCopy{}, err
	}
	what := copyName(id)
	payload, err := s.get(what, s.key(kindCopy, id))
	if err != nil {
		return engine.WorkingCopy{}, err
	}
	var w workingCopy
	body, err := decodeWith(payload, &w)
	if err != nil {
		return engine.WorkingCopy{}, s.damaged(what, err)
	}
	out := engine.WorkingCopy{Base: w.Base, Body: body, At: w.At}
	if w.Origin != "" {
		if out.Origin, err = doc.Parse([]byte(w.Origin)); err != nil {
			return engine.WorkingCopy{}, s.damaged(what, err)
		}
	}
	return out, nil
}

// PutCopy stores the working copy of a campaign over an earlier one.
func (s Space) PutCopy(id string, w engine.WorkingCopy) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	head := workingCopy{Base: w.Base, At: w.At, Origin: string(w.Origin.Encode())}
	return s.putWith(copyName(id), s.key(kindCopy, id), head, w.Body)
}

// DeleteCopy removes the working copy of a campaign; that there is none is no error.
func (s Space) DeleteCopy(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	return s.delete(copyName(id), s.key(kindCopy, id))
}

func copyName(id string) string { return fmt.Sprintf("the working copy of campaign %q", id) }

func (s Space) putWith(what string, key []byte, v any, tree doc.Value) error {
	payload, err := encodeWith(v, tree)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return s.put(what, key, payload)
}

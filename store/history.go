package store

import (
	"errors"
	"fmt"
	"slices"

	"bugle/engine"
)

// How much of a campaign's history stays. Once there are more revisions than both together, every other one
// of the older ones goes.
const (
	NewestRevisions = 1000 // the newest ones, which all stay
	OlderRevisions  = 1000
	// thinEvery is after how many saves a history is looked through, and thinAtOnce how many revisions go
	// then at most, which keeps the save's transaction small.
	thinEvery  = 64
	thinAtOnce = 250
)

// thinHistory keeps the history of a campaign, whose next revision is n, bounded. The first revision, the
// [NewestRevisions] newest ones, and each one that changed the state of the campaign stay; of the rest some
// [OlderRevisions] stay, the fewer the older.
func (s Space) thinHistory(id string, n int64) error {
	if n <= NewestRevisions+OlderRevisions || n%thinEvery != 0 {
		return nil
	}
	var all []int64
	prefix := s.key(kindRevision, id)
	err := s.tx.Scan(prefix, ScanOptions{KeysOnly: true}, func(key, _ []byte) error {
		if n, _, err := cutNumber(key[len(prefix):]); err == nil {
			all = append(all, n)
		}
		return nil
	})
	if err != nil || len(all) <= NewestRevisions+OlderRevisions {
		return err
	}
	older, dropped := all[:len(all)-NewestRevisions], 0
	for i := 1; i < len(older) && dropped < thinAtOnce; i += 2 {
		same, err := s.sameState(id, older[i-1], older[i])
		if err != nil {
			return err
		}
		if !same {
			continue
		}
		if err := s.dropRevision(id, older[i]); err != nil {
			return err
		}
		dropped++
	}
	return nil
}

// sameState reports whether two revisions left a campaign in the same state; false where one of them cannot
// be read.
func (s Space) sameState(id string, a, b int64) (bool, error) {
	stateA, errA := s.revisionState(id, a)
	stateB, errB := s.revisionState(id, b)
	for _, err := range []error{errA, errB} {
		if isDamage(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return stateA == stateB, nil
}

func (s Space) revisionState(id string, n int64) (engine.State, error) {
	var r revision
	if err := s.getJSON(revisionName(id, n), s.revisionKey(kindRevision, id, n), &r); err != nil || r.Status != "" {
		return r.Status, err
	}
	c, err := s.Revision(id, n) // an earlier program did not note it
	return c.Status, err
}

// deleteAtOnce is how many records of a history one transaction removes at most.
const deleteAtOnce = 4000

// DeleteCampaign removes a campaign's document, summary, revisions and working copy. Of a long history some
// records are left, which nobody reads any more: [Space.FinishDeletes] removes them.
func (s Space) DeleteCampaign(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	// Reading the document makes everybody who changes the campaign meanwhile conflict.
	if _, err := s.tx.Get(s.key(kindCampaign, id)); err != nil && !errors.Is(err, ErrLost) {
		return err
	}
	s.cleared(id)
	what := fmt.Sprintf("campaign %q", id)
	// By their keys, not by what is found of them: somebody may be writing one right now.
	for _, kind := range []byte{kindCampaign, kindSummary, kindCopy} {
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
func (s Space) FinishDeletes() (more bool, err error) {
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

// clearHistory removes records of a campaign's history, and reports whether more may be left.
func (s Space) clearHistory(id string) (more bool, err error) {
	for _, kind := range []byte{kindRevision, kindVersion} {
		n, err := s.clear(fmt.Sprintf("the history of campaign %q", id), s.key(kind, id), deleteAtOnce/2)
		if err != nil {
			return false, err
		}
		more = more || n == deleteAtOnce/2
	}
	return more, nil
}

// deleted reports whether a campaign is deleted while records of its history are left.
func (s Space) deleted(id string) (bool, error) {
	_, err := s.tx.Get(s.key(kindDeleted, id))
	switch {
	case err == nil, errors.Is(err, errHidden):
		return true, nil
	case isDamage(err): // it is not there: a part of the disk where it may have been is lost
		return false, nil
	}
	return false, err
}

// deletion looks at the mark of a deleted campaign.
func (c spaceCheck) deletion(damage error) error {
	if damage == nil {
		return nil
	}
	key := slices.Clone(c.key)
	c.report(Finding{What: fmt.Sprintf("the deletion mark of campaign %s is damaged", label(c.rest)), Mend: "create it again", mend: func(tx Tx) error {
		bad, err := damaged(tx, key)
		if err != nil || !bad {
			return err
		}
		return tx.Set(key, Seal(key, nil))
	}})
	return nil
}

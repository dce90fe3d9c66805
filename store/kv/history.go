package kv

import (
	"errors"
	"fmt"
	"slices"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// History is the revisions of a workspace's campaigns.
type History struct{ Documents }

// Revisions returns the revisions of a campaign, newest first, or none if the campaign does not exist.
func (s History) Revisions(id string) ([]engine.Revision, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return nil, err
	}
	var out []engine.Revision
	if gone, err := s.deleted(id); err != nil || gone {
		return nil, err
	}
	err := s.walk(fmt.Sprintf("campaign %q, revision", id), s.key(kindRevision, id), ScanOptions{Reverse: true}, func(rest, payload []byte) error {
		var r engine.Revision
		if err := wire.Decode(payload, &r); err != nil {
			return s.damaged(fmt.Sprintf("campaign %q, revision %s", id, label(rest)), err)
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// lastRevisionOf is lastRevision for a campaign that seems to be new. For one without records it scans forwards, which
// skips all tables that cannot contain any of its keys.
func (s History) lastRevisionOf(id string, seemsNew bool) (int64, error) {
	if seemsNew {
		// The deletion marker may be all that is left of a history. Whoever removes it would mistake new records for
		// remains.
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
	return s.last(kindRevision, id)
}

// unusedRevision returns a number of at least n that is higher than those of all documents of revisions.
func (s History) unusedRevision(id string, n int64) (int64, error) {
	switch _, err := s.tx.Get(s.revisionKey(kindRevisionDocument, id, n)); {
	case errors.Is(err, store.ErrNotFound):
		return n, nil
	case err != nil && !errors.Is(err, store.ErrDataLost):
		return 0, fmt.Errorf("reading %s in workspace %q: %w", revisionName(id, n), s.id, err)
	}
	last, err := s.last(kindRevisionDocument, id)
	return max(n, last+1), err
}

// last returns the highest revision number among the records of a kind of a campaign, or 0.
func (s History) last(kind byte, id string) (int64, error) {
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

func (s History) dropRevision(id string, n int64) error {
	what := revisionName(id, n)
	return errors.Join(
		s.delete(what, s.revisionKey(kindRevision, id, n)),
		s.delete(what, s.revisionKey(kindRevisionDocument, id, n)),
	)
}

// pruneBatch is the most revisions that one save removes, which keeps its transaction small.
const pruneBatch = 250

// pruneHistory limits the history of a campaign whose next revision is n. It keeps the first revision, the newest
// [store.NewestRevisions], each revision that changed the campaign's state, and about [store.OlderRevisions] of the
// rest, fewer of the older ones.
func (s History) pruneHistory(id string, n int64) error {
	if !store.ShouldPruneHistory(n) {
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
	if err != nil || len(all) <= store.NewestRevisions+store.OlderRevisions {
		return err
	}
	older, dropped := all[:len(all)-store.NewestRevisions], 0
	for i := 1; i < len(older) && dropped < pruneBatch; i += 2 {
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

// sameState reports whether the campaign had the same state at two revisions, or false if one of them cannot be read.
func (s History) sameState(id string, a, b int64) (bool, error) {
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

func (s History) revisionState(id string, n int64) (engine.State, error) {
	var r wire.Revision
	if err := s.getJSON(revisionName(id, n), s.revisionKey(kindRevision, id, n), &r); err != nil || r.Status != "" {
		return r.Status, err
	}
	c, err := s.Revision(id, n) // earlier versions did not store it
	return c.Status, err
}

// deleteBatch is the most records of a history that one transaction removes.
const deleteBatch = 4000

// clearHistory removes records of a campaign's history, and reports whether more may remain.
func (s History) clearHistory(id string) (more bool, err error) {
	for _, kind := range []byte{kindRevision, kindRevisionDocument} {
		n, err := s.clear(fmt.Sprintf("the history of campaign %q", id), s.key(kind, id), deleteBatch/2)
		if err != nil {
			return false, err
		}
		more = more || n == deleteBatch/2
	}
	return more, nil
}

// deleted reports whether a campaign is deleted while records of its history remain.
func (s History) deleted(id string) (bool, error) {
	_, err := s.tx.Get(s.key(kindDeleted, id))
	switch {
	case err == nil, errors.Is(err, errUnreadable):
		return true, nil
	case isDamage(err): // missing, in a lost part of the disk
		return false, nil
	}
	return false, err
}

// putHistory rewrites the current revision from the campaign if it cannot be read.
func (s History) putHistory(c engine.Campaign) error {
	key := s.revisionKey(kindRevision, c.ID, c.Revision)
	var rev engine.Revision
	if err := s.getJSON("it", key, &rev); err == nil && rev.N == c.Revision {
		return nil
	} else if err != nil && !isDamage(err) {
		return err
	}
	rev = engine.Revision{N: c.Revision, At: c.UpdatedAt, By: c.UpdatedBy, Note: "repaired", Size: len(c.Body.Encode())}
	return s.putJSON(revisionName(c.ID, c.Revision), key, wire.Revision{Revision: rev, Status: c.Status})
}

// deletion checks the deletion marker of a campaign.
func (c recordCheck) deletion(damage error) error {
	if damage == nil {
		return nil
	}
	key := slices.Clone(c.key)
	c.report(Finding{What: fmt.Sprintf("the deletion mark of campaign %s is damaged", label(c.rest)), Repair: "create it again", repair: func(tx Tx) error {
		bad, err := damaged(tx, key)
		if err != nil || !bad {
			return err
		}
		return tx.Set(key, EncodeValue(key, nil))
	}})
	return nil
}

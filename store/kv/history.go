package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// Revisions returns the revisions of a campaign, newest first, or none if the campaign does not exist.
func (s WorkspaceTx) Revisions(id string) ([]engine.Revision, error) {
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

// last returns the highest revision number among the records of a kind of a campaign, or 0.
func (s WorkspaceTx) last(kind byte, id string) (int64, error) {
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

func (s WorkspaceTx) dropRevision(id string, n int64) error {
	what := revisionName(id, n)
	return errors.Join(
		s.delete(what, s.revisionKey(kindRevision, id, n)),
		s.delete(what, s.revisionKey(kindRevisionDocument, id, n)),
	)
}

// pruneHistory limits the history of a campaign whose next revision is n, see [store.PrunedRevisions].
func (s WorkspaceTx) pruneHistory(id string, n int64) error {
	if !store.ShouldPruneHistory(n) {
		return nil
	}
	var all []int64
	prefix := s.key(kindRevision, id)
	err := s.tx.Scan(prefix, ScanOptions{KeysOnly: true}, func(key, _ []byte) error {
		n, _, err := cutNumber(key[len(prefix):])
		all = append(all, n)
		return err
	})
	if err != nil {
		return err
	}
	pruned, err := store.PrunedRevisions(all, func(before, n int64) (bool, error) {
		a, err := s.revisionState(id, before)
		if err != nil {
			return false, err
		}
		b, err := s.revisionState(id, n)
		return a == b, err
	})
	for _, n := range pruned {
		err = errors.Join(err, s.dropRevision(id, n))
	}
	return err
}

func (s WorkspaceTx) revisionState(id string, n int64) (engine.State, error) {
	var r wire.Revision
	err := s.getJSON(revisionName(id, n), s.revisionKey(kindRevision, id, n), &r)
	return r.Status, err
}

// deleteBatch is the most records of a history that one transaction removes.
const deleteBatch = 4000

// clearHistory removes records of a campaign's history, and reports whether more may remain.
func (s WorkspaceTx) clearHistory(id string) (more bool, err error) {
	for _, kind := range []byte{kindRevision, kindRevisionDocument} {
		n, err := s.clear(fmt.Sprintf("the history of campaign %q", id), s.key(kind, id), deleteBatch/2)
		if err != nil {
			return false, err
		}
		more = more || n == deleteBatch/2
	}
	return more, nil
}

// deleted reports whether a campaign is deleted while records of its history remain. Whoever removes them would mistake
// new records for remains.
func (s WorkspaceTx) deleted(id string) (bool, error) {
	_, err := s.tx.Get(s.key(kindDeleted, id))
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

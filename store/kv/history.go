package kv

import (
	"errors"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// Revision implements [store.History].
func (s WorkspaceTx) Revision(id string, n int64) (engine.Campaign, error) {
	return documents.get(s, id, n)
}

// Revisions implements [store.History].
func (s WorkspaceTx) Revisions(id string) (out []engine.Revision, err error) {
	if gone, err := deletions.exists(s, id); err != nil || gone {
		return nil, err
	}
	err = revisions.each(s, ScanOptions{Reverse: true}, func(r wire.Revision) error {
		out = append(out, r.Revision)
		return nil
	}, id)
	return out, err
}

// last returns the highest revision number among the records of a kind of a campaign, or 0.
func (s WorkspaceTx) last(k kind, id string) (last int64, err error) {
	err = k.keys(s, ScanOptions{Reverse: true, Limit: 1}, func(parts []any) error {
		last = parts[1].(int64)
		return nil
	}, id)
	return last, err
}

func (s WorkspaceTx) dropRevision(id string, n int64) error {
	return errors.Join(revisions.delete(s, id, n), documents.delete(s, id, n))
}

// pruneHistory limits the history of a campaign whose next revision is n, see [store.PrunedRevisions].
func (s WorkspaceTx) pruneHistory(id string, n int64) error {
	if !store.ShouldPruneHistory(n) {
		return nil
	}
	var all []int64
	err := revisions.keys(s, ScanOptions{}, func(parts []any) error {
		all = append(all, parts[1].(int64))
		return nil
	}, id)
	if err != nil {
		return err
	}
	pruned, err := store.PrunedRevisions(all, func(before, n int64) (bool, error) {
		a, errA := revisions.get(s, id, before)
		b, errB := revisions.get(s, id, n)
		return a.Status == b.Status, errors.Join(errA, errB)
	})
	for _, n := range pruned {
		err = errors.Join(err, s.dropRevision(id, n))
	}
	return err
}

// deleteBatch is the most records of each kind of a history that one transaction removes.
const deleteBatch = 2000

// clearHistory removes records of a campaign's history, and reports whether more may remain.
func (s WorkspaceTx) clearHistory(id string) (more bool, err error) {
	a, errA := revisions.clear(s, deleteBatch, id)
	b, errB := documents.clear(s, deleteBatch, id)
	return a == deleteBatch || b == deleteBatch, errors.Join(errA, errB)
}

// FinishDeletes implements [store.Campaigns].
func (s WorkspaceTx) FinishDeletes() (more bool, err error) {
	id := ""
	err = deletions.keys(s, ScanOptions{Limit: 1}, func(parts []any) error {
		id = parts[0].(string)
		return nil
	})
	if err != nil || id == "" {
		return false, err
	}
	if more, err = s.clearHistory(id); err != nil || more {
		return more, err
	}
	return true, deletions.delete(s, id)
}

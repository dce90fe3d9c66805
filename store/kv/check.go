package kv

import (
	"context"
	"errors"
	"fmt"

	"bugle/store"
)

// Check reads everything in the store and reports what is damaged: the blocks on disk, the checksum of each record, the
// number of records, and what [store.Check] finds. progress, which may be nil, is called with the number of records read
// so far. Check reads snapshots, so others may write meanwhile.
func (s *Store) Check(ctx context.Context, progress func(records int)) (store.CheckResult, error) {
	var out store.CheckResult
	if err := s.enter(ctx); err != nil {
		return out, err
	}
	defer s.running.Done()
	var damaged *store.DamagedError
	err := s.driver.Verify(ctx)
	if err != nil && !errors.As(err, &damaged) {
		return out, fmt.Errorf("checking the store: %w", err)
	}
	if out, err = store.Check(ctx, s, progress); err != nil {
		return out, err
	}
	if damaged != nil {
		out.Findings = append(out.Findings, store.Finding{What: damaged.Why, Advice: store.AdviceStore})
	}
	err = s.View(ctx, func(t *Tx) error {
		raw, err := Export(t, nil)
		lost, errLost := lostCampaigns(t)
		for _, what := range append(raw, lost...) {
			out.Findings = append(out.Findings, store.Finding{What: what, Advice: store.AdviceStore})
		}
		return errors.Join(err, errLost)
	})
	return out, err
}

// lostCampaigns says which campaigns are read from their history, because only their summaries are there.
func lostCampaigns(t *Tx) (out []string, err error) {
	ids, err := Workspaces(t)
	for _, id := range ids {
		s := rows{t, id}
		err = errors.Join(err, s.keys(summaries.Kind, ScanOptions{}, func(parts []any) error {
			there, err := campaigns.Has(s, parts...)
			if !there && err == nil {
				out = append(out, fmt.Sprintf("%s in workspace %q is missing, but its summary is there", campaigns.NameOf(parts), id))
			}
			return err
		}))
	}
	return out, err
}

// describe names a record for messages.
func describe(key []byte) string {
	workspace, id, rest := cutKind(key)
	if workspace == "" {
		return fmt.Sprintf("a record of the store (%.40q)", key)
	}
	parts, _ := cut(kindOf(id), rest)
	return fmt.Sprintf("%s in workspace %q", kindOf(id).NameOf(parts), workspace)
}

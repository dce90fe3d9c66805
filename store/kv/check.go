package kv

import (
	"bytes"
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
	raw, err := s.checkRecords(ctx)
	out.Findings = append(out.Findings, raw...)
	return out, err
}

// checkRecords checks the checksums and the number of all records.
func (s *Store) checkRecords(ctx context.Context) (out []store.Finding, err error) {
	found := func(what string) { out = append(out, store.Finding{What: what, Advice: store.AdviceStore}) }
	err = s.View(ctx, func(t Tx) error {
		out = nil
		have := Counts{}
		err := t.Scan(nil, ScanOptions{}, func(key, value []byte) error {
			have.Add(key, 1)
			if _, err := decodeValue(key, value); err != nil {
				found(fmt.Sprintf("%s is damaged (%v)", describe(key), err))
			}
			of := campaignOf(key)
			if of == nil {
				return nil
			}
			_, err := t.Get(of)
			if errors.Is(err, store.ErrNotFound) { // it may be read from its history
				found(describe(of) + " is missing, but its summary is there")
				err = nil
			}
			return err
		})
		var bad *store.CorruptError
		if errors.As(err, &bad) {
			found(bad.Error())
		} else if err != nil {
			return err
		}
		want, err := t.(*tx).counts()
		for _, text := range have.missing(want) {
			found(text)
		}
		return err
	})
	return out, err
}

// campaignOf returns the key of the campaign to which a summary belongs, nil for other records.
func campaignOf(key []byte) []byte {
	workspace, kind, rest := cutKind(key)
	if workspace == "" || kind != summaries.ID {
		return nil
	}
	of := bytes.Clone(key)
	of[len(key)-len(rest)-1] = campaigns.ID
	return of
}

// describe names a record for messages.
func describe(key []byte) string {
	workspace, id, rest := cutKind(key)
	if workspace == "" {
		return fmt.Sprintf("a record of the store (%.40q)", key)
	}
	return fmt.Sprintf("%s in workspace %q", nameAt(kinds[id], rest), workspace)
}

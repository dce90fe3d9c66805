package kv

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// reportReferenced reports the missing campaigns of a workspace to which test sends, delivered messages, and child
// campaigns refer. It is used for a workspace that has lost campaigns, or may have.
func (c *checker) reportReferenced(workspace string) error {
	s := NewWorkspaceTx(c.tx, workspace)
	if s.check() != nil {
		return nil
	}
	by := map[string]string{} // id → what refers to it
	note := func(id, what string) {
		if id != "" && by[id] == "" {
			by[id] = what
		}
	}
	err := errors.Join(
		ignoreDamage(s.walk("it", s.key(kindTest), ScanOptions{}, func(_, payload []byte) error {
			var w wire.TestRecord
			if _, err := wire.DecodeWith(payload, &w); err == nil {
				note(w.CampaignID, "a test send")
			}
			return nil
		})),
		ignoreDamage(s.walk("it", s.key(kindOutbox), ScanOptions{}, func(_, payload []byte) error {
			var w wire.Delivered
			if _, err := wire.DecodeWith(payload, &w); err == nil {
				note(w.CampaignID, "a delivered message")
			}
			return nil
		})),
		ignoreDamage(s.Summaries(func(sum engine.Summary) error {
			note(sum.ParentID, "a run of it")
			return nil
		})),
	)
	for _, id := range slices.Sorted(maps.Keys(by)) {
		if err != nil || c.out.ConcernsCampaign(workspace, id) || s.check(whatCampaign, id) != nil {
			continue
		}
		_, errGet := c.tx.Get(s.key(kindCampaign, id))
		switch {
		case errors.Is(errGet, store.ErrNotFound), isDamage(errGet) && !errors.Is(errGet, errUnreadable):
			c.found(Finding{Workspace: workspace, Campaign: id, Advice: adviceOne,
				What: fmt.Sprintf("campaign %q in workspace %q is missing, but %s is still there; it was lost or deleted", id, workspace, by[id])})
		case !isDamage(errGet):
			err = errGet
		}
	}
	return err
}

// ignoreDamage returns err unless it is damage, which is reported elsewhere.
func ignoreDamage(err error) error {
	if isDamage(err) {
		return nil
	}
	return err
}

// MissingCampaign is a campaign that a backup has and the store does not, or only at an earlier revision.
type MissingCampaign struct {
	Workspace, Campaign string
	Backup, Store       int64 // revision numbers; Store is 0 if the store does not have the campaign
}

// CompareWithBackup compares a record of a backup with the store, and reports whether it is a campaign that the store
// does not have, or only at an earlier revision. A campaign that the store cannot read is not missing: [Check] reports
// it.
func CompareWithBackup(tx Tx, key, value []byte) (l MissingCampaign, missing bool, err error) {
	if !IsCampaign(key) {
		return l, false, nil
	}
	workspace, rest, err1 := cutName(key[1:])
	id, _, err2 := cutName(rest[1:])
	revision, err3 := revisionIn(key, value)
	if errors.Join(err1, err2, err3) != nil {
		return l, false, nil
	}
	l = MissingCampaign{Workspace: workspace, Campaign: id, Backup: revision}
	have, err := tx.Get(key)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrDataLost) && isDamage(err):
		return l, true, nil
	case err != nil:
		return l, false, err
	}
	if l.Store, err = revisionIn(key, have); err != nil {
		return l, false, nil
	}
	return l, l.Store < l.Backup, nil
}

// revisionIn returns the revision number in a campaign's record.
func revisionIn(key, value []byte) (int64, error) {
	payload, err := decodeValue(key, value)
	if err != nil {
		return 0, err
	}
	var h wire.Head
	_, err = wire.DecodeWithRaw(payload, &h)
	return h.Revision, err
}

// SummaryIn returns the summary of a campaign in a record of a backup, and its workspace. It returns false for other
// records, and for damaged ones.
func SummaryIn(key, value []byte) (workspace string, sum engine.Summary, ok bool) {
	if len(key) == 0 || key[0] != rootRecord {
		return "", sum, false
	}
	workspace, rest, err := cutName(key[1:])
	if err != nil || len(rest) == 0 || rest[0] != kindSummary {
		return "", sum, false
	}
	var w wire.Summary
	payload, err := decodeValue(key, value)
	if err == nil {
		err = wire.DecodeSummary(payload, &w)
	}
	return workspace, w.Engine(), err == nil
}

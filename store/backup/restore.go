package backup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
)

// Errors of restoring one campaign.
var (
	// ErrIntact reports that a campaign is not damaged.
	ErrIntact = errors.New("the campaign is not damaged; nothing was restored")
	// ErrNotInBackup reports that a backup does not contain a campaign.
	ErrNotInBackup = errors.New("this backup does not have the campaign")
)

// FoundCampaign is a campaign in a backup, and what the store has of it.
type FoundCampaign struct {
	Backup    Info      `json:"backup"`
	Workspace string    `json:"workspace_id"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Damaged   bool      `json:"damaged"` // in the store, or else it is missing there

	whole store.Record
}

// FindCampaign finds one campaign in a backup that is damaged or missing in the store. It fails with [ErrIntact] if the
// campaign can be read, and with [ErrNotInBackup] if the backup does not contain it.
func FindCampaign(ctx context.Context, db store.DB, file, passphrase, workspace, id string) (found FoundCampaign, err error) {
	found = FoundCampaign{Workspace: workspace, ID: id}
	found.Backup, err = read(ctx, file, passphrase, nil, func(page []kv.Item) error {
		page = slices.DeleteFunc(page, func(r kv.Item) bool {
			of := kv.OriginOf(r.Key)
			return of.Workspace != workspace || of.Campaign != id
		})
		if len(page) == 0 {
			return nil
		}
		list, err := decoded(ctx, page)
		for _, r := range list {
			if c, ok := r.(store.WholeCampaign); ok {
				found.whole, found.Name, found.UpdatedAt = c, c.Summary.Title(), c.Summary.UpdatedAt
			}
		}
		return err
	})
	switch {
	case err != nil:
		return found, err
	case found.whole == nil:
		return found, fmt.Errorf("%s: %w %q of workspace %q", file, ErrNotInBackup, id, workspace)
	}
	return found, db.Read(ctx, func(tx store.Tx) error {
		found.Damaged, err = isLost(tx.Workspace(workspace), id)
		return err
	})
}

// Restore restores the campaign with its history. It fails with [ErrIntact] if somebody else has restored it meanwhile.
func (f FoundCampaign) Restore(ctx context.Context, db store.DB) error {
	return db.Write(ctx, func(tx store.Tx) error {
		to := tx.Workspace(f.Workspace)
		if _, err := isLost(to, f.ID); err != nil {
			return err
		}
		if err := to.DeleteCampaign(f.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return to.PutRecords([]store.Record{f.whole})
	})
}

// isLost reports whether a campaign is damaged rather than missing. It fails with [ErrIntact] if it is neither.
func isLost(s store.WorkspaceTx, id string) (damaged bool, err error) {
	_, err = s.Campaign(id)
	switch {
	case err == nil:
		return false, ErrIntact
	case errors.As(err, new(*store.CorruptError)):
		return true, nil
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	}
	return false, err
}

// Side is what a store or a backup has of a workspace.
type Side struct {
	Campaigns int       `json:"campaigns"`
	Changed   time.Time `json:"last_change,omitzero"` // of its campaigns
}

// Difference is what a restore does to a workspace. A side that does not have it is nil.
type Difference struct {
	Workspace string `json:"workspace_id"`
	Now       *Side  `json:"now"`
	Backup    *Side  `json:"backup"`
	Removed   int    `json:"removed"` // campaigns that the backup does not have
	Undone    int    `json:"undone"`  // campaigns with later changes than in the backup
	Added     int    `json:"added"`   // campaigns that only the backup has
	// Behind are the campaigns that only the backup has, or has at a later revision.
	Behind []Behind `json:"-"`
}

// Behind is a campaign that a backup has at a later revision than the store.
type Behind struct {
	Campaign      string
	Store, Backup int64 // the revisions; 0: the store does not have it
}

// version is what the comparison needs of a campaign.
type version struct {
	changed  time.Time
	revision int64
}

// versions are those of campaigns, by their workspaces and ids.
type versions map[string]map[string]version

// read adds the campaigns of a workspace. It adds what can be read also if it fails.
func (v versions) read(tx store.Tx, workspace string) error {
	if v[workspace] == nil {
		v[workspace] = map[string]version{}
	}
	return tx.Workspace(workspace).Summaries(func(sum engine.Summary) error {
		v[workspace][sum.ID] = version{sum.UpdatedAt, sum.Revision}
		return nil
	})
}

func (v versions) side(workspace string) *Side {
	campaigns, ok := v[workspace]
	if !ok {
		return nil
	}
	side := &Side{Campaigns: len(campaigns)}
	for _, c := range campaigns {
		if c.changed.After(side.Changed) {
			side.Changed = c.changed
		}
	}
	return side
}

// Differences reads an entire backup, checks it, and compares it with a store, which may be nil. If some of the store cannot
// be read, it compares the rest and returns why in unread.
func Differences(ctx context.Context, db store.DB, file, passphrase string, progress func(records int)) (info Info, out []Difference, unread, err error) {
	now, then := versions{}, versions{}
	if db != nil {
		unread = db.Read(ctx, func(tx store.Tx) error {
			ids, err := tx.Workspaces()
			for _, id := range ids {
				err = errors.Join(err, now.read(tx, id))
			}
			return err
		})
	}
	info, err = read(ctx, file, passphrase, progress, func(page []kv.Item) error {
		db, err := opened(ctx, page)
		if err != nil {
			return err
		}
		return db.Read(ctx, func(tx store.Tx) error { return then.read(tx, kv.OriginOf(page[0].Key).Workspace) })
	})
	all := maps.Clone(now)
	maps.Copy(all, then)
	for _, workspace := range slices.Sorted(maps.Keys(all)) {
		out = append(out, compare(workspace, now, then))
	}
	return info, out, unread, err
}

// compare compares what a store has of a workspace with what a backup has.
func compare(workspace string, now, then versions) Difference {
	d := Difference{Workspace: workspace, Now: now.side(workspace), Backup: then.side(workspace)}
	for _, id := range slices.Sorted(maps.Keys(then[workspace])) {
		have, ok := now[workspace][id]
		was := then[workspace][id]
		switch {
		case !ok:
			d.Added++
		case have.changed.After(was.changed):
			d.Undone++
		}
		if have.revision < was.revision {
			d.Behind = append(d.Behind, Behind{id, have.revision, was.revision})
		}
	}
	d.Removed = len(now[workspace]) + d.Added - len(then[workspace])
	return d
}

package backup

import (
	"context"
	"maps"
	"slices"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
)

// Side is what a store or a backup has of a workspace.
type Side struct {
	Campaigns int       `json:"campaigns"`
	Changed   time.Time `json:"last_change,omitzero"` // of its campaigns
}

func (s *Side) add(changed time.Time) {
	if s.Campaigns++; changed.After(s.Changed) {
		s.Changed = changed
	}
}

// maxBehind is how many campaigns a [Difference] names.
const maxBehind = 500

// Difference is what a restore does to a workspace. A side that does not have it is nil.
type Difference struct {
	Workspace string `json:"workspace_id"`
	Now       *Side  `json:"now"`
	Backup    *Side  `json:"backup"`
	Removed   int    `json:"removed"` // campaigns that the backup does not have
	Undone    int    `json:"undone"`  // campaigns with later changes than in the backup
	Added     int    `json:"added"`   // campaigns that only the backup has
	// Behind are the first campaigns that only the backup has, or has at a later revision.
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

// Differences reads an entire backup, checks it, and compares it with a store, which may be nil. If some of the store cannot
// be read, it compares the rest and returns why in unread.
func Differences(ctx context.Context, db store.DB, file, passphrase string, progress func(records int)) (info Info, out []Difference, unread, err error) {
	by := map[string]*Difference{}
	of := func(workspace string) *Difference {
		if by[workspace] == nil {
			by[workspace] = &Difference{Workspace: workspace}
		}
		return by[workspace]
	}
	now := map[string]map[string]version{} // what the store has and the backup did not have so far
	if db != nil {
		if now, unread = versions(ctx, db); ctx.Err() != nil {
			return info, nil, nil, ctx.Err()
		}
	}
	for workspace, campaigns := range now {
		side := &Side{}
		for _, v := range campaigns {
			side.add(v.changed)
		}
		of(workspace).Now = side
	}
	info, err = read(ctx, file, passphrase, progress, func(page []kv.Item) error {
		workspace := kv.OriginOf(page[0].Key).Workspace
		d := of(workspace)
		if d.Backup == nil {
			d.Backup = &Side{}
		}
		db, err := opened(ctx, page)
		if err != nil {
			return err
		}
		return db.Read(ctx, func(tx store.Tx) error {
			return tx.Workspace(workspace).Summaries(func(sum engine.Summary) error {
				d.Backup.add(sum.UpdatedAt)
				have, ok := now[workspace][sum.ID]
				delete(now[workspace], sum.ID)
				switch {
				case !ok:
					d.Added++
				case have.changed.After(sum.UpdatedAt):
					d.Undone++
				}
				if have.revision < sum.Revision && len(d.Behind) < maxBehind {
					d.Behind = append(d.Behind, Behind{sum.ID, have.revision, sum.Revision})
				}
				return nil
			})
		})
	})
	for _, workspace := range slices.Sorted(maps.Keys(by)) {
		by[workspace].Removed = len(now[workspace])
		out = append(out, *by[workspace])
	}
	return info, out, unread, err
}

// versions returns the versions of the campaigns of a store by workspace, without those whose restore is not finished. It
// returns what can be read also with an error.
func versions(ctx context.Context, db store.DB) (out map[string]map[string]version, err error) {
	err = db.Read(ctx, func(tx store.Tx) error {
		out = map[string]map[string]version{}
		ids, err := tx.Workspaces()
		for _, id := range ids {
			if w, err := tx.Workspace(id).Settings(); err == nil && Unfinished(w) {
				continue
			}
			has := map[string]version{}
			out[id] = has
			failed := tx.Workspace(id).Summaries(func(sum engine.Summary) error {
				has[sum.ID] = version{sum.UpdatedAt, sum.Revision}
				return nil
			})
			if err == nil {
				err = failed
			}
		}
		return err
	})
	return out, err
}

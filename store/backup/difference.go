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

// Holding is what a store or a backup has of a workspace: the campaigns, and when each was changed.
type Holding map[string]time.Time

// Holdings are by the ids of the workspaces.
type Holdings map[string]Holding

func (h Holdings) add(workspace string, sum engine.Summary) {
	if h[workspace] == nil {
		h[workspace] = Holding{}
	}
	h[workspace][sum.ID] = sum.UpdatedAt
}

// Inspect is like [Verify], and also returns what the backup has.
func Inspect(ctx context.Context, file, passphrase string, progress func(records int)) (Info, Holdings, error) {
	has := Holdings{}
	info, err := Read(ctx, file, passphrase, func(n int, key, value []byte) error {
		if n%1024 == 0 {
			progress(n)
		}
		if workspace, sum, ok := kv.SummaryIn(key, value); ok {
			has.add(workspace, sum)
		}
		return nil
	})
	for _, id := range info.Workspaces {
		if has[id] == nil {
			has[id] = Holding{}
		}
	}
	return info, has, err
}

// HoldingsOf returns what a store has. If some of it is damaged, it returns the rest and the damage.
func HoldingsOf(ctx context.Context, db store.DB) (has Holdings, err error) {
	err = db.Read(ctx, func(tx store.Tx) error {
		has = Holdings{}
		ids, err := tx.Workspaces()
		for _, id := range ids {
			has[id] = Holding{}
			if failed := tx.Workspace(id).Summaries(func(sum engine.Summary) error { has.add(id, sum); return nil }); err == nil {
				err = failed
			}
		}
		return err
	})
	return has, err
}

// Side is what one side has of a workspace.
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
}

// Differences compares a store with the backup that replaces it.
func Differences(now, backup Holdings) (out []Difference) {
	all := Holdings{}
	maps.Copy(all, now)
	maps.Copy(all, backup)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		d := Difference{Workspace: id, Now: side(now[id]), Backup: side(backup[id])}
		for campaign, changed := range now[id] {
			then, ok := backup[id][campaign]
			switch {
			case !ok:
				d.Removed++
			case changed.After(then):
				d.Undone++
			}
		}
		for campaign := range backup[id] {
			if _, ok := now[id][campaign]; !ok {
				d.Added++
			}
		}
		out = append(out, d)
	}
	return out
}

func side(h Holding) *Side {
	if h == nil {
		return nil
	}
	return &Side{len(h), slices.MaxFunc(append(slices.Collect(maps.Values(h)), time.Time{}), time.Time.Compare)}
}

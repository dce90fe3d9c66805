package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// unfinishedName is the name of a workspace while its records are written. It has no API keys yet.
const unfinishedName = "Restore not finished"

// Unfinished reports whether a workspace does not have all its records, because [Load] is still writing them or was interrupted.
func Unfinished(w engine.Workspace) bool { return w.Name == unfinishedName && w.CreatedAt.IsZero() }

// Load writes the workspaces of a backup into a store that has none of them, in transactions of limited size. A folder, which
// must be empty, gets the records as they are. In a database, a workspace gets its settings last: until then its name says
// that it is not finished, and the next Load of it begins again. progress may be nil.
func Load(ctx context.Context, db store.DB, file, passphrase string, progress func(records int)) (info Info, err error) {
	err = fill(ctx, db, func(visit visitor) error {
		info, err = read(ctx, file, passphrase, progress, visit)
		return err
	})
	return info, err
}

// Compare fails unless a store has exactly the records that want describes. progress may be nil.
func Compare(ctx context.Context, db store.DB, want Contents, progress func(records int)) error {
	got, err := pages(ctx, db, progress, ignore)
	if err == nil && !got.same(want) {
		err = fmt.Errorf("the new store has %d campaigns and %d records instead of %d and %d, or others", got.Campaigns, got.Records, want.Campaigns, want.Records)
	}
	return err
}

// Copy copies all records of a store into an empty one. It fails with a [DamagedError] if some of them cannot be read.
// progress may be nil.
func Copy(ctx context.Context, from, to store.DB, progress func(records int)) (c Contents, err error) {
	err = fill(ctx, to, func(visit visitor) error {
		c, err = pages(ctx, from, progress, visit)
		return err
	})
	return c, err
}

// fill writes the pages that each visits into a store.
func fill(ctx context.Context, db store.DB, each func(visitor) error) error {
	to, ok := db.(kv.DB)
	if !ok {
		in := &importer{ctx: ctx, db: db, id: uuid.NewString()}
		if err := each(in.add); err != nil {
			return err
		}
		return in.finish()
	}
	err := to.View(ctx, func(tx kv.Tx) error {
		ids, err := kv.Workspaces(tx)
		if err == nil && len(ids) > 0 {
			err = existing(ids[0])
		}
		return err
	})
	if err != nil {
		return err
	}
	return each(func(page []kv.Item) error { return set(ctx, to, page) })
}

// existing is the error of a workspace that a store already has.
func existing(workspace string) error {
	return fmt.Errorf("there is already a workspace %q in this store; restore into an empty one", workspace)
}

// ClearUnfinished removes what a failed [Load] has left of workspaces.
func ClearUnfinished(ctx context.Context, db store.DB, workspaces []string) error {
	for _, id := range workspaces {
		for more := true; more; {
			err := apply(ctx, db, id, nil, func(to store.WorkspaceTx) error {
				more = false
				w, err := to.Settings()
				if err == nil && Unfinished(w) {
					more, err = to.ClearWorkspace()
				}
				if errors.Is(err, store.ErrNotFound) {
					return nil
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("removing the unfinished workspace %q: %w", id, err)
			}
		}
	}
	return nil
}

// importer writes pages into a database.
type importer struct {
	ctx      context.Context
	db       store.DB
	id       string             // tells its unfinished workspaces from those of another process
	settings []engine.Workspace // of the workspaces so far
}

// add writes a page.
func (in *importer) add(page []kv.Item) error {
	db, err := opened(in.ctx, page)
	if err != nil {
		return err
	}
	of := kv.OriginOf(page[0].Key)
	workspace, begins := of.Workspace, of.Settings
	if !begins {
		if len(in.settings) == 0 || in.settings[len(in.settings)-1].ID != workspace {
			return fmt.Errorf("%w: a record comes before its workspace", ErrDamaged)
		}
		if err := apply(in.ctx, db, workspace, []store.Record{engine.Workspace{ID: workspace}}, nil); err != nil {
			return err
		}
	}
	return db.Read(in.ctx, func(tx store.Tx) error {
		from := tx.Workspace(workspace)
		if begins {
			w, err := from.Settings()
			if err == nil {
				err = in.begin(w)
			}
			if err != nil {
				return err
			}
		}
		damage, err := batches(from, isSettings, func(batch []store.Record) error { return apply(in.ctx, in.db, workspace, batch, in.own) })
		if err == nil && len(damage) > 0 {
			err = fmt.Errorf("%w: %s", ErrDamaged, damage[0])
		}
		return err
	})
}

// begin starts a workspace, which must not exist.
func (in *importer) begin(w engine.Workspace) error {
	if err := ClearUnfinished(in.ctx, in.db, []string{w.ID}); err != nil {
		return err
	}
	in.settings = append(in.settings, w)
	return apply(in.ctx, in.db, w.ID, nil, func(to store.WorkspaceTx) error {
		if _, err := to.Settings(); err == nil {
			return existing(w.ID)
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return to.PutSettings(engine.Workspace{ID: w.ID, Name: unfinishedName, Author: in.id})
	})
}

// own fails unless this importer has begun the workspace, and nobody else since.
func (in *importer) own(to store.WorkspaceTx) error {
	w, err := to.Settings()
	if errors.Is(err, store.ErrNotFound) || err == nil && (!Unfinished(w) || w.Author != in.id) {
		return errors.New("another process is restoring this workspace")
	}
	return err
}

// finish stores the settings of all workspaces in one transaction.
func (in *importer) finish() error {
	return in.db.Write(in.ctx, func(tx store.Tx) error {
		for _, w := range in.settings {
			to := tx.Workspace(w.ID)
			err := in.own(to)
			if err == nil {
				err = to.PutSettings(w)
			}
			if err != nil {
				return fmt.Errorf("workspace %q: %w", w.ID, err)
			}
		}
		return nil
	})
}

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

	from *mem.DB // has only this campaign
}

// FindCampaign finds one campaign in a backup that is damaged or missing in the store. It fails with [ErrIntact] if the
// campaign can be read, and with [ErrNotInBackup] if the backup does not contain it.
func FindCampaign(ctx context.Context, db store.DB, file, passphrase, workspace, id string) (found FoundCampaign, err error) {
	found = FoundCampaign{Workspace: workspace, ID: id, from: mem.New()}
	has := false
	found.Backup, err = read(ctx, file, passphrase, nil, func(page []kv.Item) error {
		page = slices.DeleteFunc(page, func(r kv.Item) bool {
			of := kv.OriginOf(r.Key)
			return of.Workspace != workspace || of.Campaign != id
		})
		has = has || len(page) > 0
		return set(ctx, found.from, page)
	})
	if err == nil && !has {
		err = fmt.Errorf("%s: %w %q of workspace %q", file, ErrNotInBackup, id, workspace)
	}
	if err == nil {
		err = apply(ctx, found.from, workspace, []store.Record{engine.Workspace{ID: workspace}}, nil)
	}
	if err != nil {
		return found, err
	}
	err = found.from.Read(ctx, func(tx store.Tx) error {
		sum, err := tx.Workspace(workspace).Summary(id)
		found.Name, found.UpdatedAt = sum.Title(), sum.UpdatedAt
		return err
	})
	if err != nil {
		return found, err
	}
	return found, db.Read(ctx, func(tx store.Tx) error {
		found.Damaged, err = isLost(tx.Workspace(workspace), id)
		return err
	})
}

// Restore restores the campaign with its history. It fails with [ErrIntact] if somebody else has restored it meanwhile.
func (f FoundCampaign) Restore(ctx context.Context, db store.DB) error {
	return f.from.Read(ctx, func(tx store.Tx) error {
		_, err := batches(tx.Workspace(f.Workspace), isSettings, func(batch []store.Record) error {
			return apply(ctx, db, f.Workspace, batch, func(to store.WorkspaceTx) error {
				if _, err := isLost(to, f.ID); err != nil {
					return err
				}
				if err := to.DeleteCampaign(f.ID); !errors.Is(err, store.ErrNotFound) {
					return err
				}
				return nil
			})
		})
		return err
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

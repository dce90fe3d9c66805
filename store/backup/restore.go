package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/store"
)

// unfinishedName is the name of a workspace while its records are written. It has no API keys yet.
const unfinishedName = "Restore not finished"

// Unfinished reports whether a workspace does not have all its records, because [Load] is still writing them or was interrupted.
func Unfinished(w engine.Workspace) bool { return w.Name == unfinishedName && w.CreatedAt.IsZero() }

// Load writes the workspaces of a backup into a store, in transactions of limited size. It fails if one of them exists
// already. A workspace gets its settings last: until then its name says that it is not finished, and the next Load of it
// begins again. progress may be nil.
func Load(ctx context.Context, db store.DB, file, passphrase string, progress func(records int)) (Info, error) {
	in := newImporter(ctx, db)
	info, err := read(ctx, file, passphrase, progress, func(r record, _, document []byte) error { return in.add(r, document) })
	if err == nil {
		err = in.finish()
	}
	return info, err
}

// Compare fails unless a store has exactly the records that want describes. progress may be nil.
func Compare(ctx context.Context, db store.DB, want Contents, progress func(records int)) error {
	got, err := each(ctx, db, progress, ignore)
	if err == nil && !got.same(want) {
		err = fmt.Errorf("the new store has %d campaigns and %d records instead of %d and %d, or others", got.Campaigns, got.Records, want.Campaigns, want.Records)
	}
	return err
}

// Copy copies all records of a store into an empty one. It fails with a [DamagedError] if some of them cannot be read.
// progress may be nil.
func Copy(ctx context.Context, from, to store.DB, progress func(records int)) (Contents, error) {
	in := newImporter(ctx, to)
	c, err := each(ctx, from, progress, func(r record, _, document []byte) error { return in.add(r, document) })
	if err == nil {
		err = in.finish()
	}
	return c, err
}

// ClearUnfinished removes what a failed [Load] has left of workspaces.
func ClearUnfinished(ctx context.Context, db store.DB, workspaces []string) error {
	for _, id := range workspaces {
		for more := true; more; {
			err := db.Write(ctx, func(tx store.Tx) error {
				more = false
				to, err := transferable(tx, id)
				if err != nil {
					return err
				}
				if w, err := to.Settings(); errors.Is(err, store.ErrNotFound) || err == nil && !Unfinished(w) {
					return nil
				} else if err != nil {
					return err
				}
				more, err = to.ClearWorkspace()
				return err
			})
			if err != nil {
				return fmt.Errorf("removing the unfinished workspace %q: %w", id, err)
			}
		}
	}
	return nil
}

func transferable(tx store.Tx, workspace string) (store.Transferable, error) {
	to, ok := tx.Workspace(workspace).(store.Transferable)
	if !ok {
		return nil, errors.New("this store cannot be copied")
	}
	return to, nil
}

// Approximate limits of one transaction.
const (
	batchRecords = 500
	batchSize    = 1 << 20
)

// importer writes records into a store.
type importer struct {
	ctx      context.Context
	db       store.DB
	id       string             // tells its unfinished workspaces from those of another process
	settings []engine.Workspace // of the workspaces so far
	batch    []pending
	size     int
}

// pending is a record that waits for its transaction.
type pending struct {
	record
	document []byte
}

func newImporter(ctx context.Context, db store.DB) *importer {
	return &importer{ctx: ctx, db: db, id: uuid.NewString()}
}

// add writes a record. The settings of a workspace come before its other records.
func (in *importer) add(r record, document []byte) error {
	if r.Settings != nil {
		if err := in.flush(); err != nil {
			return err
		}
		return in.begin(*r.Settings)
	}
	if len(in.settings) == 0 || in.workspace() != r.Workspace {
		return fmt.Errorf("%w: a record comes before its workspace", ErrDamaged)
	}
	in.batch, in.size = append(in.batch, pending{r, bytes.Clone(document)}), in.size+len(document)
	if r.User != nil || r.Key != nil {
		in.size += 2 << 10
	}
	if len(in.batch) < batchRecords && in.size < batchSize {
		return nil
	}
	return in.flush()
}

func (in *importer) workspace() string { return in.settings[len(in.settings)-1].ID }

// begin starts a workspace, which must not exist.
func (in *importer) begin(w engine.Workspace) error {
	if err := ClearUnfinished(in.ctx, in.db, []string{w.ID}); err != nil {
		return err
	}
	in.settings = append(in.settings, w)
	return in.db.Write(in.ctx, func(tx store.Tx) error {
		to, err := transferable(tx, w.ID)
		if err != nil {
			return err
		}
		if _, err := to.Settings(); err == nil {
			return fmt.Errorf("there is already a workspace %q in this store; restore into an empty one", w.ID)
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return to.PutSettings(engine.Workspace{ID: w.ID, Name: unfinishedName, Author: in.id})
	})
}

// own returns the workspace if this importer has begun it, and nobody else since.
func (in *importer) own(tx store.Tx, workspace string) (store.Transferable, error) {
	to, err := transferable(tx, workspace)
	if err != nil {
		return nil, err
	}
	w, err := to.Settings()
	if errors.Is(err, store.ErrNotFound) || err == nil && (!Unfinished(w) || w.Author != in.id) {
		return nil, fmt.Errorf("another process is restoring the workspace %q", workspace)
	}
	return to, err
}

func (in *importer) flush() error {
	batch := in.batch
	in.batch, in.size = nil, 0
	return in.commit(batch)
}

// commit writes records in one transaction, or in several if they are more than the store takes at once: their sizes are
// estimates.
func (in *importer) commit(batch []pending) error {
	if len(batch) == 0 {
		return in.ctx.Err()
	}
	err := in.db.Write(in.ctx, func(tx store.Tx) error {
		to, err := in.own(tx, in.workspace())
		if err != nil {
			return err
		}
		var users []engine.User
		for _, r := range batch {
			if r.User != nil {
				users = append(users, *r.User)
			} else if err := r.put(to, r.document); err != nil {
				return err
			}
		}
		if len(users) == 0 {
			return nil
		}
		return to.PutProfiles(users)
	})
	if half := len(batch) / 2; half > 0 && errors.Is(err, store.ErrTooLarge) {
		if err = in.commit(batch[:half]); err == nil {
			err = in.commit(batch[half:])
		}
	}
	return err
}

// finish gives the workspaces their settings.
func (in *importer) finish() error {
	if err := in.flush(); err != nil {
		return err
	}
	return in.db.Write(in.ctx, func(tx store.Tx) error {
		for _, w := range in.settings {
			to, err := in.own(tx, w.ID)
			if err == nil {
				err = to.PutSettings(w)
			}
			if err != nil {
				return err
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

	records []pending
}

// FindCampaign finds one campaign in a backup that is damaged or missing in the store. It fails with [ErrIntact] if the
// campaign can be read, and with [ErrNotInBackup] if the backup does not contain it.
func FindCampaign(ctx context.Context, db store.DB, file, passphrase, workspace, id string) (found FoundCampaign, err error) {
	found = FoundCampaign{Workspace: workspace, ID: id}
	found.Backup, err = read(ctx, file, passphrase, nil, func(r record, _, document []byte) error {
		if r.Workspace != workspace || r.Campaign != id {
			return nil
		}
		found.records = append(found.records, pending{r, bytes.Clone(document)})
		if r.Summary != nil {
			sum := r.Summary.Engine()
			found.Name, found.UpdatedAt = sum.Title(), sum.UpdatedAt
		}
		return nil
	})
	if err == nil && len(found.records) == 0 {
		err = fmt.Errorf("%s: %w %q of workspace %q", file, ErrNotInBackup, id, workspace)
	}
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
	return db.Write(ctx, func(tx store.Tx) error {
		to, err := transferable(tx, f.Workspace)
		if err != nil {
			return err
		}
		if _, err := isLost(to, f.ID); err != nil {
			return err
		}
		if err := to.ClearCampaign(f.ID); err != nil {
			return err
		}
		for _, r := range f.records {
			if err := r.put(to, r.document); err != nil {
				return err
			}
		}
		return nil
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

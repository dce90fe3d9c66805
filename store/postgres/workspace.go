package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// workspace is the records of one workspace within one transaction.
type workspace struct {
	record.Workspace
	rows
}

var _ store.WorkspaceTx = workspace{}

// Workspace implements [store.Tx].
func (t *tx) Workspace(id string) store.WorkspaceTx {
	w := rows{t, id}
	return workspace{record.Workspace{B: w}, w}
}

// Records implements [store.Transfer].
func (w workspace) Records(fn func(store.Record) error) error { return record.Records(w, w.rows, fn) }

// PutRecords implements [store.Transfer].
func (w workspace) PutRecords(list []store.Record) error { return record.PutRecords(w, w.rows, list) }

// ClearWorkspace implements [store.Transfer]. Foreign keys delete the records of other tables.
func (w workspace) ClearWorkspace() (more bool, err error) { return false, settings.Delete(w.rows) }

var settings = record.AsJSON[engine.Workspace](record.Kind{Table: "workspace", Name: "the record with the settings", Change: store.ChangedSettings})

// Settings implements [store.Settings].
func (w workspace) Settings() (engine.Workspace, error) { return settings.Get(w.rows) }

// SettingsIfChanged implements [store.Settings].
func (w workspace) SettingsIfChanged(cached *store.CachedSettings) (*store.CachedSettings, error) {
	if err := store.CheckIDs(w.id); err != nil {
		return nil, err
	}
	if w.guess && cached != nil {
		w.guessed = true
		w.queue.Queue("SELECT bugle_unchanged($1, $2)", w.id, cached.Record)
		return cached, nil
	}
	lock := ""
	if w.write {
		lock = " FOR SHARE" // until the end: a change of the settings waits, and not everybody else who reads them
	}
	var row record.Row
	err := w.first("SELECT record FROM workspace WHERE workspace = $1"+lock, []any{w.id}, func(found pgx.Rows) error { return found.Scan(&row.Record) })
	switch {
	case err != nil:
		return nil, err
	case cached != nil && bytes.Equal(cached.Record, row.Record):
		return cached, nil
	}
	now, err := settings.Decode(row)
	if err != nil {
		return nil, w.Damaged(settings.Kind, nil, err)
	}
	return &store.CachedSettings{Workspace: now, Record: row.Record}, nil
}

// PutSettings implements [store.Settings].
func (w workspace) PutSettings(s engine.Workspace) error {
	if err := store.CheckSettings(w.id, s); err != nil {
		return err
	}
	if w.watch != nil {
		w.watch.SettingsStored(w.id)
	}
	return settings.Put(w.rows, s)
}

// FindProfiles implements [store.Users].
func (w workspace) FindProfiles(kind, value string) ([]string, error) {
	switch err := store.CheckIDs(w.id); {
	case err != nil:
		return nil, err
	case !store.IsIdentifier(kind):
		return nil, fmt.Errorf("there is no kind of identifier %q", kind)
	}
	value = record.Fold(kind, value)
	if value == "" {
		return nil, nil
	}
	return w.texts("SELECT user_id FROM user_identifier WHERE workspace = $1 AND kind = $2 AND digest = sha256($3) ORDER BY user_id", w.id, kind, []byte(value))
}

// PutProfiles implements [store.Users].
func (w workspace) PutProfiles(list ...engine.User) error {
	last := map[string]engine.User{} // of several with one id, the last one counts
	for _, p := range list {
		last[p.ID] = p
	}
	var ids, of, kinds []string
	var values [][]byte
	for _, id := range slices.Sorted(maps.Keys(last)) { // so that two of these lock rows in the same order
		if err := record.Users.Put(w.rows, last[id], id); err != nil {
			return err
		}
		ids = append(ids, id)
		for _, pair := range record.Identifiers(last[id]) {
			of, kinds, values = append(of, id), append(kinds, pair[0]), append(values, []byte(pair[1]))
		}
	}
	if len(ids) > 1 { // one change says that several have changed
		for _, id := range ids {
			delete(w.changes, store.Change{Workspace: w.id, Kind: store.ChangedUser, ID: id})
		}
		w.changed(store.Change{Workspace: w.id, Kind: store.ChangedUser})
	}
	return errors.Join(
		w.exec("DELETE FROM user_identifier WHERE workspace = $1 AND user_id = ANY ($2)", w.id, ids),
		w.exec(`INSERT INTO user_identifier (workspace, user_id, kind, digest)
			SELECT $1, i, k, sha256(d) FROM unnest($2::text[], $3::text[], $4::bytea[]) AS x (i, k, d)`, w.id, of, kinds, values),
	)
}

// DeleteProfile implements [store.Users]. A foreign key deletes the identifiers.
func (w workspace) DeleteProfile(id string) error { return record.Users.Remove(w.rows, id) }

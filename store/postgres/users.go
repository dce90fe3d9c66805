package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

const whatUser = "a user id"

var users = table[engine.User]{
	name: "app_user", key: []string{"id"}, ids: []string{whatUser}, what: store.UserName, decode: decode[engine.User],
}

// Profile implements [store.Users].
func (w workspace) Profile(id string) (engine.User, error) { return users.get(w, id) }

// ProfilesByID implements [store.Users].
func (w workspace) ProfilesByID(ids []string, fn func(engine.User) error) error {
	return users.getAll(w, ids, fn)
}

// Profiles implements [store.Users]. fn may use the transaction.
func (w workspace) Profiles(after string, fn func(engine.User) error) error {
	var o scanOptions
	if after != "" {
		o.after = []any{after}
	}
	return users.each(w, o, fn)
}

// FindProfiles implements [store.Users].
func (w workspace) FindProfiles(kind, value string) ([]string, error) {
	switch err := w.check(); {
	case err != nil:
		return nil, err
	case !store.IsIdentifier(kind):
		return nil, fmt.Errorf("there is no kind of identifier %q", kind)
	}
	value = wire.Fold(kind, value)
	if value == "" {
		return nil, nil
	}
	return w.texts("SELECT user_id FROM user_identifier WHERE workspace = $1 AND kind = $2 AND digest = sha256($3) ORDER BY user_id", w.id, kind, []byte(value))
}

// PutProfile implements [store.Users].
func (w workspace) PutProfile(p engine.User) error { return w.PutProfiles([]engine.User{p}) }

// PutProfiles implements [store.Users].
func (w workspace) PutProfiles(list []engine.User) error {
	last := map[string]engine.User{} // of several with one id, the last one counts
	for _, p := range list {
		last[p.ID] = p
	}
	var ids, of, kinds []string
	var values [][]byte
	for _, id := range slices.Sorted(maps.Keys(last)) { // so that two of these lock rows in the same order
		if err := users.put(w, []any{id}, last[id], doc.Value{}); err != nil {
			return err
		}
		ids = append(ids, id)
		for _, pair := range wire.Identifiers(last[id]) {
			of, kinds, values = append(of, id), append(kinds, pair[0]), append(values, []byte(pair[1]))
		}
	}
	c := store.Change{Workspace: w.id, Kind: store.ChangedUser}
	if len(last) == 1 {
		c.ID = list[0].ID
	}
	w.changed(c)
	return errors.Join(
		w.exec("DELETE FROM user_identifier WHERE workspace = $1 AND user_id = ANY ($2)", w.id, ids),
		w.exec("INSERT INTO user_identifier (workspace, user_id, kind, digest) SELECT $1, i, k, sha256(d) FROM unnest($2::text[], $3::text[], $4::bytea[]) AS x (i, k, d)", w.id, of, kinds, values),
	)
}

// DeleteProfile implements [store.Users]. A foreign key deletes the identifiers.
func (w workspace) DeleteProfile(id string) error {
	err := users.remove(w, id)
	if err == nil {
		w.changed(store.Change{Workspace: w.id, Kind: store.ChangedUser, ID: id})
	}
	return err
}

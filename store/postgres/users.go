package postgres

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// users are the users of a workspace, and what they are found by.
type users struct{ *records }

func profileName(id string) string { return fmt.Sprintf("the user %q", id) }

func (u users) profile(id string, b []byte, sum int64) (p engine.User, err error) {
	if sum != u.sum("app_user", []byte(id), b) {
		return p, u.damaged(profileName(id), errChecksum)
	}
	if err := wire.Decode(b, &p); err != nil {
		return engine.User{}, u.damaged(profileName(id), err)
	}
	return p, nil
}

// Profile implements [store.Users].
func (u users) Profile(id string) (engine.User, error) {
	if err := u.check("a user id", id); err != nil {
		return engine.User{}, err
	}
	var b []byte
	var sum int64
	err := u.one("SELECT profile, checksum FROM app_user WHERE workspace = $1 AND id = $2"+u.lock(""), []any{u.id, escape(id)}, &b, &sum)
	u.note(err, "app_user", id)
	if err != nil {
		return engine.User{}, err
	}
	return u.profile(id, b, sum)
}

// ProfilesByID implements [store.Users].
func (u users) ProfilesByID(ids []string, fn func(engine.User) error) error {
	for _, id := range ids {
		if err := u.check("a user id", id); err != nil {
			return err
		}
	}
	var out []engine.User
	var bad []error
	found := map[string]bool{}
	err := u.query("SELECT id, profile, checksum FROM app_user WHERE workspace = $1 AND id = ANY ($2) ORDER BY id"+u.lock(""), []any{u.id, escaped(ids)}, func(rows pgx.Rows) error {
		var id string
		var b []byte
		var sum int64
		if err := rows.Scan(&id, &b, &sum); err != nil {
			return err
		}
		id = unescape(id)
		found[id] = true
		p, err := u.profile(id, b, sum)
		if err != nil {
			bad = append(bad, err)
			return nil
		}
		out = append(out, p)
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !found[id] {
			u.note(store.ErrNotFound, "app_user", id)
		}
	}
	if err := give(out, fn); err != nil && !errors.Is(err, store.Stop) {
		return err
	}
	return errors.Join(bad...)
}

// Profiles implements [store.Users]. fn may use the transaction.
func (u users) Profiles(after string, fn func(engine.User) error) error {
	return byID(u.records, "SELECT id, profile, checksum FROM app_user WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3", after, u.profile, fn)
}

// digest returns the hash by which the value of an identifier is indexed.
func digest(value string) []byte {
	sum := sha256.Sum256([]byte(value))
	return sum[:]
}

// FindProfiles implements [store.Users].
func (u users) FindProfiles(kind, value string) ([]string, error) {
	if err := u.check("the kind of an identifier", kind); err != nil {
		return nil, err
	}
	if !store.IsIdentifier(kind) {
		return nil, fmt.Errorf("there is no kind of identifier %q", kind)
	}
	value = wire.Fold(kind, value)
	if value == "" {
		return nil, nil
	}
	var ids []string
	err := u.query("SELECT user_id FROM user_identifier WHERE workspace = $1 AND kind = $2 AND digest = $3 ORDER BY user_id", []any{u.id, kind, digest(value)}, func(rows pgx.Rows) error {
		id, err := pgx.RowTo[string](rows)
		ids = append(ids, unescape(id))
		return err
	})
	return ids, err
}

// PutProfile implements [store.Users].
func (u users) PutProfile(p engine.User) error { return u.PutProfiles([]engine.User{p}) }

// PutProfiles implements [store.Users], in few statements however many profiles there are.
func (u users) PutProfiles(list []engine.User) error {
	last := map[string]int{} // of several with one id, the last one counts
	for i, p := range list {
		last[p.ID] = i
	}
	var fresh, old columns
	var all []string
	var of, kinds []string
	var digests [][]byte
	for i, p := range list {
		if last[p.ID] != i {
			continue
		}
		if err := u.check("a user id", p.ID); err != nil {
			return err
		}
		b, err := wire.Encode(p)
		if err != nil {
			return fmt.Errorf("%s %w", profileName(p.ID), err)
		}
		to := &old
		if u.replacing("replace", "app_user", p.ID) == "" {
			to = &fresh
		}
		id := escape(p.ID)
		to.ids, to.docs, to.sums = append(to.ids, id), append(to.docs, b), append(to.sums, u.sum("app_user", []byte(p.ID), b))
		all = append(all, id)
		for _, pair := range wire.Identifiers(p) {
			of, kinds, digests = append(of, id), append(kinds, pair[0]), append(digests, digest(pair[1]))
		}
	}
	const insert = "INSERT INTO app_user (workspace, id, profile, checksum) SELECT $1, i, p, c FROM unnest($2::text[], $3::bytea[], $4::bigint[]) AS x (i, p, c) ORDER BY i"
	var err error
	if len(fresh.ids) > 0 {
		err = u.exec(insert, u.id, fresh.ids, fresh.docs, fresh.sums)
	}
	if len(old.ids) > 0 {
		err = errors.Join(err, u.exec(insert+" ON CONFLICT (workspace, id) DO UPDATE SET profile = excluded.profile, checksum = excluded.checksum", u.id, old.ids, old.docs, old.sums),
			u.exec("DELETE FROM user_identifier WHERE workspace = $1 AND user_id = ANY ($2)", u.id, old.ids))
	}
	if len(of) > 0 {
		err = errors.Join(err, u.exec(`INSERT INTO user_identifier (workspace, user_id, kind, digest) SELECT $1, i, k, d FROM unnest($2::text[], $3::text[], $4::bytea[]) AS x (i, k, d)`,
			u.id, of, kinds, digests))
	}
	c := store.Change{Workspace: u.id, Kind: store.ChangedUser}
	if len(all) == 1 {
		c.ID = list[0].ID
	}
	u.changed(c)
	return err
}

// DeleteProfile implements [store.Users].
func (u users) DeleteProfile(id string) error {
	if err := u.check("a user id", id); err != nil {
		return err
	}
	var there int
	if err := u.one("SELECT 1 FROM app_user WHERE workspace = $1 AND id = $2"+u.lock(""), []any{u.id, escape(id)}, &there); err != nil {
		return err
	}
	u.changed(store.Change{Workspace: u.id, Kind: store.ChangedUser, ID: id})
	return u.exec("DELETE FROM app_user WHERE workspace = $1 AND id = $2", u.id, escape(id))
}

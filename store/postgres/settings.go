package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// settings are the settings of a workspace. Segments and API keys have rows of their own.
type settings struct{ *records }

const whatSettings = "the settings"

// Settings implements [store.Settings].
func (s settings) Settings() (engine.Workspace, error) {
	lock := ""
	if s.write {
		lock = " FOR NO KEY UPDATE OF w" // not FOR UPDATE, which every insertion into the workspace would wait for
	}
	known, err := s.read(lock)
	if err != nil {
		return engine.Workspace{}, err
	}
	return known.Workspace, nil
}

// SettingsIfChanged implements [store.Settings].
func (s settings) SettingsIfChanged(known *store.CachedSettings) (*store.CachedSettings, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if known == nil {
		return s.read("")
	}
	var etag int64
	if err := s.one("SELECT etag FROM workspace WHERE id = $1", []any{s.id}, &etag); err != nil {
		return nil, err
	}
	if bytes.Equal(known.Record, number(etag)) {
		return known, nil
	}
	return s.read("")
}

// SettingsDamage implements [store.Settings].
func (s settings) SettingsDamage() error {
	_, err := s.read("")
	return err
}

// read reads the settings; lock is how the question ends.
func (s settings) read(lock string) (*store.CachedSettings, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var etag, sum int64
	var b []byte
	err := s.one("SELECT w.etag, w.settings, w.checksum FROM workspace w WHERE w.id = $1"+lock, []any{s.id}, &etag, &b, &sum)
	s.note(err, "workspace")
	if err != nil {
		return nil, err
	}
	out := &store.CachedSettings{Record: number(etag)}
	damaged := func(err error) error {
		return &store.CorruptError{What: fmt.Sprintf("the record with the settings of workspace %q", s.id), Err: err, Advice: "restore a backup with `bugle restore`"}
	}
	if sum != s.sum("workspace", b) {
		return nil, damaged(errChecksum)
	}
	if err := wire.Decode(b, &out.Workspace); err != nil {
		return nil, damaged(err)
	}
	var bad error
	err = s.list("SELECT segment, checksum FROM segment WHERE workspace = $1 ORDER BY position", "segment", &bad, func(b []byte) error {
		var v engine.Segment
		err := wire.Decode(b, &v)
		out.Workspace.Segments = append(out.Workspace.Segments, v)
		return err
	})
	if err == nil {
		err = s.list("SELECT key, checksum FROM api_key WHERE workspace = $1 ORDER BY position", "api_key", &bad, func(b []byte) error {
			var v engine.APIKey
			err := wire.Decode(b, &v)
			out.Workspace.Keys = append(out.Workspace.Keys, v)
			return err
		})
	}
	if err == nil && bad != nil {
		err = damaged(bad)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// list reads rows that are part of the settings. What is wrong with one is noted in bad.
func (s settings) list(sql, table string, bad *error, fn func([]byte) error) error {
	n := int64(0)
	return s.query(sql, []any{s.id}, func(rows pgx.Rows) error {
		var b []byte
		var sum int64
		if err := rows.Scan(&b, &sum); err != nil {
			return err
		}
		err := errChecksum
		if sum == s.sum(table, number(n), b) {
			err = fn(b)
		}
		*bad = errors.Join(*bad, err)
		n++
		return nil
	})
}

// PutSettings implements [store.Settings].
func (s settings) PutSettings(w engine.Workspace) error {
	if err := s.check(); err != nil {
		return err
	}
	if w.ID != s.id {
		return fmt.Errorf("the settings of workspace %q cannot be stored in workspace %q", w.ID, s.id)
	}
	own := w
	own.Segments, own.Keys = w.Segments[:0], w.Keys[:0] // whether there is a list stays
	b, err := wire.Encode(own)
	if err != nil {
		return fmt.Errorf("%s %w", whatSettings, err)
	}
	err = s.exec("INSERT INTO workspace (id, name, etag, settings, checksum) VALUES ($1, $2, $3, $4, $5)"+
		s.replacing(" ON CONFLICT (id) DO UPDATE SET name = excluded.name, etag = excluded.etag, settings = excluded.settings, checksum = excluded.checksum", "workspace"),
		s.id, escape(w.Name), rand.Int64(), b, s.sum("workspace", b))
	if err != nil {
		return err
	}
	segments, err := rowsOf(s.records, "segment", w.Segments, func(v engine.Segment) (string, string) { return v.ID, v.Name })
	if err != nil {
		return err
	}
	keys, err := rowsOf(s.records, "api_key", w.Keys, func(v engine.APIKey) (string, string) { return v.ID, "" })
	if err != nil {
		return err
	}
	if s.watch != nil {
		s.watch.SettingsStored(s.id)
	}
	s.changed(store.Change{Workspace: s.id, Kind: store.ChangedSettings})
	return errors.Join(
		s.exec("DELETE FROM segment WHERE workspace = $1", s.id),
		s.exec(`INSERT INTO segment (workspace, position, id, name, segment, checksum)
			SELECT $1, o - 1, i, n, b, c FROM unnest($2::text[], $3::text[], $4::bytea[], $5::bigint[]) WITH ORDINALITY AS x (i, n, b, c, o)`,
			s.id, segments.ids, segments.names, segments.docs, segments.sums),
		s.exec("DELETE FROM api_key WHERE workspace = $1", s.id),
		s.exec(`INSERT INTO api_key (workspace, position, id, key, checksum)
			SELECT $1, o - 1, i, b, c FROM unnest($2::text[], $3::bytea[], $4::bigint[]) WITH ORDINALITY AS x (i, b, c, o)`,
			s.id, keys.ids, keys.docs, keys.sums),
	)
}

// columns are rows as arrays.
type columns struct {
	ids, names []string
	docs       [][]byte
	sums       []int64
}

func rowsOf[T any](r *records, table string, list []T, name func(T) (id, name string)) (out columns, err error) {
	for i, v := range list {
		b, err := wire.Encode(v)
		if err != nil {
			return out, fmt.Errorf("%s %w", table, err)
		}
		id, label := name(v)
		out.ids, out.names = append(out.ids, escape(id)), append(out.names, escape(label))
		out.docs, out.sums = append(out.docs, b), append(out.sums, r.sum(table, number(int64(i)), b))
	}
	return out, nil
}

package kv_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
)

func wholeSettings() engine.Workspace {
	return engine.Workspace{
		ID: space, Name: "Demo", Timezone: "Europe/Berlin", Publish: engine.PublishEnabled, Teams: []string{"One", "Two"}, CreatedAt: noon,
		Keys: []engine.APIKey{
			{ID: "k1", Hash: "aa", Scopes: engine.KnownScopes(), CreatedAt: noon},
			{ID: "k2", Hash: "bb", Scopes: []string{engine.ScopeManage}, CreatedAt: noon.Add(time.Hour)},
		},
	}
}

func settingsOf(t *testing.T, db kv.DB) (w engine.Workspace, err error) {
	t.Helper()
	return w, db.View(t.Context(), func(tx kv.Tx) (err error) {
		w, err = kv.NewWorkspaceTx(tx, space).Settings()
		return err
	})
}

func workspaces(t *testing.T, db kv.DB) (ids []string) {
	t.Helper()
	if err := db.View(t.Context(), func(tx kv.Tx) (err error) { ids, err = kv.Workspaces(tx); return err }); err != nil {
		t.Fatal(err)
	}
	return ids
}

func change(t *testing.T, db kv.DB, key string, value []byte) {
	t.Helper()
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		if value == nil {
			return tx.Delete([]byte(key))
		}
		return tx.Set([]byte(key), value)
	})
	if err != nil {
		t.Fatal(err)
	}
}

const (
	settingsRecord = "nDEMO\x00\x01"
	settingsCopy   = "sDEMO\x00\x01n"
	keyRecords     = "sDEMO\x00\x01k"
)

// Whichever byte of the settings is damaged, and also when their record is gone: the workspace is found and
// its settings are read, and a repair restores the record with its API keys.
func TestDamagedSettings(t *testing.T) {
	origin := newStore(t)
	updateWorkspace(t, origin, func(s kv.WorkspaceTx) error { return s.PutSettings(wholeSettings()) })
	all := dump(t, origin)
	record := all[slices.IndexFunc(all, func(p pair) bool { return string(p.key) == settingsRecord })].value
	for at := -1; at < len(record); at++ {
		db := origin.Clone()
		spoiled := bytes.Clone(record)
		if at < 0 {
			spoiled = nil
		} else {
			spoiled[at] ^= 1
		}
		change(t, db, settingsRecord, spoiled)
		if ids := workspaces(t, db); !slices.Equal(ids, []string{space}) {
			t.Fatalf("byte %d: the workspaces are %q", at, ids)
		}
		w, err := settingsOf(t, db)
		if err != nil || !reflect.DeepEqual(w, wholeSettings()) {
			t.Fatalf("byte %d: the settings are %+v, %v", at, w, err)
		}
		err = db.View(t.Context(), func(tx kv.Tx) error { return kv.NewWorkspaceTx(tx, space).SettingsDamage() })
		if !errors.As(err, new(*store.CorruptError)) {
			t.Fatalf("byte %d: the damage is %v", at, err)
		}
		found, err := kv.Repair(t.Context(), db, nil)
		if err != nil || !found.Healthy() || len(found.Findings) != 1 {
			t.Fatalf("byte %d: %+v, %v", at, found.Findings, err)
		}
		left := dump(t, db)
		left = slices.DeleteFunc(left, func(p pair) bool { return p.key[0] == 'q' })
		if !equal(left, all) {
			t.Fatalf("byte %d: repaired, the store has %q", at, left)
		}
		db.Close()
	}
}

// If the copy of the settings is damaged as well, the error says so and what to do, and a repair resets the settings to
// the defaults and restores the API keys from their own records.
func TestDamagedSettingsAndCopy(t *testing.T) {
	for _, spoiled := range [][]byte{nil, []byte("spoiled")} {
		db := newStore(t)
		updateWorkspace(t, db, func(s kv.WorkspaceTx) error { return s.PutSettings(wholeSettings()) })
		change(t, db, settingsRecord, spoiled)
		change(t, db, settingsCopy, spoiled)
		if ids := workspaces(t, db); !slices.Equal(ids, []string{space}) {
			t.Errorf("the workspaces are %q", ids)
		}
		_, err := settingsOf(t, db)
		var corrupt *store.CorruptError
		if !errors.As(err, &corrupt) || corrupt.What != `the record with the settings of workspace "DEMO"` || corrupt.Advice == "" {
			t.Errorf("reading them: %v", err)
		}
		found, err := kv.Repair(t.Context(), db, nil)
		if err != nil || !found.Healthy() || len(found.Findings) != 1 {
			t.Errorf("%+v, %v", found.Findings, err)
		}
		w, err := settingsOf(t, db)
		if err != nil || !reflect.DeepEqual(w.Keys, wholeSettings().Keys) || w.Publish != engine.PublishBeta || w.Timezone != "UTC" || !w.CreatedAt.Equal(noon) {
			t.Errorf("restored are %+v, %v", w, err)
		}
		if again := check(t, db); len(again.Findings) > 0 {
			t.Errorf("then there is still %+v", again.Findings)
		}
	}
}

// The copies follow each change: a revoked key has no record, and settings that are older than their copy, as after a
// loss of a part of the disk, are replaced with it.
func TestCopiesFollowSettings(t *testing.T) {
	db := newStore(t)
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error { return s.PutSettings(wholeSettings()) })
	var old []byte
	for _, r := range dump(t, db) {
		if string(r.key) == settingsRecord {
			old = r.value
		}
	}
	now := wholeSettings()
	now.Keys = now.Keys[1:]
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error { return s.PutSettings(now) })
	for _, r := range dump(t, db) {
		if string(r.key) == keyRecords+"k1\x00\x01" {
			t.Error("the key that was revoked has a record")
		}
	}
	change(t, db, settingsRecord, old)
	found, err := kv.Repair(t.Context(), db, nil)
	if err != nil || len(found.Findings) != 1 || !found.Healthy() {
		t.Errorf("%+v, %v", found.Findings, err)
	}
	if w, err := settingsOf(t, db); err != nil || !reflect.DeepEqual(w, now) {
		t.Errorf("settings are %+v, %v", w, err)
	}
	for _, prefix := range []string{settingsCopy, keyRecords} {
		spoil(t, db, prefix)
		found, err := kv.Repair(t.Context(), db, nil)
		if err != nil || len(found.Findings) != 1 || !found.Healthy() {
			t.Errorf("%q is damaged: %+v, %v", prefix, found.Findings, err)
		}
		if again := check(t, db); len(again.Findings) > 0 {
			t.Errorf("%q was damaged, and then there is %+v", prefix, again.Findings)
		}
	}
}

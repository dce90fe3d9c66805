package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
)

func profile(id, mail, token string) engine.User {
	return engine.User{ID: id, Attributes: map[string]any{engine.AttrEmail: mail},
		Devices: []engine.Device{{Platform: "IOS", Token: token, AdvertiseID: "ad-" + id}, {Platform: "WEB", Token: token}}}
}

// wantFound checks which users an identifier finds.
func wantFound(t testing.TB, db store.DB, kind, value string, want ...string) {
	t.Helper()
	read(t, db, func(tx store.Tx) error {
		got, err := tx.Workspace(space).FindProfiles(kind, value)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s %q finds %q, %v, want %q", kind, value, got, err, want)
		}
		return nil
	})
}

func testProfiles(t *testing.T, db store.DB) {
	in(t, db, func(s store.WorkspaceTx) error {
		return errors.Join(s.PutProfile(profile("u1", "Same@x.org", "T")), s.PutProfile(profile("u2", "same@X.org", "t")))
	})
	wantFound(t, db, store.ByEmail, "SAME@x.org", "u1", "u2")
	wantFound(t, db, store.ByEmail, "same@x.or")
	wantFound(t, db, store.ByEmail, "")
	wantFound(t, db, store.ByToken, "T", "u1") // tokens are case-sensitive
	wantFound(t, db, store.ByAdvertising, "ad-u2", "u2")
	in(t, db, func(s store.WorkspaceTx) error { return s.PutProfile(profile("u1", "new@x.org", "T\x00")) })
	wantFound(t, db, store.ByEmail, "same@x.org", "u2")
	wantFound(t, db, store.ByEmail, "new@x.org", "u1")
	wantFound(t, db, store.ByToken, "T")
	wantFound(t, db, store.ByToken, "T\x00", "u1")
	for after, want := range map[string]string{"": "[u1 u2]", "u": "[u1 u2]", "u1": "[u2]", "u1\x00": "[u2]", "u2": "[]", "v": "[]"} {
		in(t, db, func(s store.WorkspaceTx) error {
			var got []string
			err := s.Profiles(after, func(p engine.User) error { got = append(got, p.ID); return nil })
			if fmt.Sprint(got) != want {
				t.Errorf("after %q come %v, want %s", after, got, want)
			}
			return err
		})
	}
	in(t, db, func(s store.WorkspaceTx) error { return s.DeleteProfile("u1") })
	wantFound(t, db, store.ByEmail, "new@x.org")
	wantFound(t, db, store.ByToken, "T\x00")
	in(t, db, func(s store.WorkspaceTx) error {
		wantErr(t, s.DeleteProfile("u1"), store.ErrNotFound)
		if _, err := s.FindProfiles("shoe_size", "44"); err == nil {
			t.Error("an unknown kind of identifier was looked up")
		}
		return nil
	})
}

// A damaged profile can be replaced and removed, and its old identifiers find nothing afterwards.
func testDamagedProfile(t *testing.T, db KeyValueDB) {
	for _, repair := range []func(kv.WorkspaceTx) error{
		func(s kv.WorkspaceTx) error { return s.PutProfile(profile("u1", "new@x.org", "N")) },
		func(s kv.WorkspaceTx) error { return s.DeleteProfile("u1") },
	} {
		inKeys(t, db, func(s kv.WorkspaceTx) error {
			return errors.Join(s.PutProfile(profile("u1", "old@x.org", "T")), s.PutProfile(profile("u2", "old@x.org", "u1")))
		})
		damage(t, db, `the user "u1" in workspace "DEMO"`, func(s kv.WorkspaceTx) error { _, err := s.Profile("u1"); return err })
		inKeys(t, db, repair)
		wantFound(t, db, store.ByEmail, "old@x.org", "u2")
		wantFound(t, db, store.ByToken, "T")
		wantFound(t, db, store.ByToken, "u1", "u2")
	}
	wantFound(t, db, store.ByEmail, "new@x.org")
}

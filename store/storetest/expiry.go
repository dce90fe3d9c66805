package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"bugle/store"
	"bugle/store/kv"
)

func testExpiry(t *testing.T, db KeyValueDB) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	inKeys(t, db, func(s kv.WorkspaceTx) error {
		put := func(key string, until time.Time) error {
			return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: key, ExpiresAt: until})
		}
		if err := s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: "k"}); err == nil {
			t.Error("a record was stored that never expires")
		}
		return errors.Join(put("old", at(1)), put("new", at(10)), put("longer", at(1)), put("longer", at(10)), put("shorter", at(10)), put("shorter", at(1)),
			put("gone", at(1)), s.DeleteIdempotencyRecord("create", "gone"), s.DeleteIdempotencyRecord("create", "gone"),
			s.PutRequestID("create", "old", at(1)), s.PutRequestID("create", "longer", at(1)), s.PutRequestID("create", "longer", at(10)))
	})
	left := func() (keys []string) {
		inKeys(t, db, func(s kv.WorkspaceTx) error {
			for _, key := range []string{"old", "new", "longer", "shorter", "gone"} {
				if i, err := s.IdempotencyRecord("create", key); err == nil {
					keys = append(keys, key)
					if !i.Expired(i.ExpiresAt) || i.Expired(i.ExpiresAt.Add(-1)) {
						t.Errorf("%q expires at another time than it says", key)
					}
				}
				if _, err := s.RequestID("create", key); err == nil {
					keys = append(keys, "request "+key)
				}
			}
			return nil
		})
		return keys
	}
	for _, step := range []struct {
		now  time.Time
		n    int
		left []string
	}{
		{at(1).Add(-1), 0, []string{"old", "request old", "new", "longer", "request longer", "shorter"}},
		{at(1), 3, []string{"new", "longer", "request longer"}},
		{at(9), 0, []string{"new", "longer", "request longer"}},
		{at(60), 3, nil},
	} {
		inKeys(t, db, func(s kv.WorkspaceTx) error {
			n, err := s.DeleteExpired(step.now)
			if n != step.n {
				t.Errorf("at %v %d expired, want %d", step.now, n, step.n)
			}
			return err
		})
		if got := left(); !slices.Equal(got, step.left) {
			t.Errorf("at %v left %q, want %q", step.now, got, step.left)
		}
	}
}

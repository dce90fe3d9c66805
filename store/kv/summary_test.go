package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// withRows is a store with n campaigns, whose ids are in the order of their numbers.
func withRows(t *testing.T, n int) *kv.Store {
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	err := db.Update(t.Context(), func(tx *kv.Tx) error {
		for i := range n {
			at := time.Date(2026, 1, 31, 23, 59, 59, i, time.UTC)
			c := engine.Campaign{Head: engine.Head{ID: rowID(i), Status: "DRAFT", CreatedAt: at, UpdatedAt: at}, Body: doc.NewObject()}
			sum := engine.Summary{Head: c.Head, Name: fmt.Sprintf("Name %d \"é\"", i), Tags: []string{"a", "b", "c", "d", fmt.Sprint(i)}[i%6:]}
			if i%2 == 0 {
				sum.Name, sum.Platforms = fmt.Sprint("plain ", i), []string{"IOS", "WEB"}
			}
			if _, err := tx.Workspace("W").PutCampaign(c, sum, engine.Revision{}, false); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db.Store
}

func rowID(i int) string { return fmt.Sprintf("c%06d", i) }

func walk(t *testing.T, db *kv.Store, of func(store.WorkspaceTx, func(engine.Summary) error) error, limit int) (rows []engine.Summary, err error) {
	t.Helper()
	_ = db.View(t.Context(), func(tx *kv.Tx) error {
		err = of(tx.Workspace("W"), func(sum engine.Summary) error {
			if len(rows) == limit {
				return store.Stop
			}
			rows = append(rows, sum)
			return nil
		})
		return nil
	})
	return rows, err
}

const noLimit = -1

func TestNewestSummaries(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 191, 192, 193, 3000} {
		db := withRows(t, n)
		want, err := walk(t, db, store.WorkspaceTx.Summaries, noLimit)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(want)
		for _, limit := range []int{noLimit, 0, 1, n / 2} {
			some := want
			if limit >= 0 {
				some = want[:min(limit, n)]
			}
			got, err := walk(t, db, store.WorkspaceTx.NewestSummaries, limit)
			if err != nil || len(got) != len(some) || len(some) > 0 && !reflect.DeepEqual(got, some) {
				t.Errorf("%d of %d rows: got %d, %v, or others than were wanted", limit, n, len(got), err)
			}
		}
	}
}

func TestNewestSummariesEnd(t *testing.T) {
	db := withRows(t, 3000)
	broken := errors.New("broken")
	err := db.View(t.Context(), func(tx *kv.Tx) error {
		return tx.Workspace("W").NewestSummaries(func(engine.Summary) error { return broken })
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want what the caller failed with", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err = db.View(ctx, func(tx *kv.Tx) error {
		return tx.Workspace("W").NewestSummaries(func(engine.Summary) error {
			if n++; n == 1 {
				cancel()
			}
			return nil
		})
	})
	if !errors.Is(err, context.Canceled) || n == 0 {
		t.Errorf("got %v after %d rows", err, n)
	}
}

// A damaged row hides no other. It is reported.
func TestNewestSummariesDamaged(t *testing.T) {
	db := withRows(t, 500)
	for _, id := range []string{rowID(0), rowID(250), rowID(499)} {
		err := db.Update(t.Context(), func(tx *kv.Tx) error {
			var key, value []byte
			err := tx.Scan(nil, kv.ScanOptions{}, func(k, v []byte) error {
				if bytes.Contains(k, []byte("W\x00\x01s"+id)) {
					key, value = slices.Clone(k), slices.Clone(v)
				}
				return nil
			})
			if err != nil || key == nil {
				t.Fatal("no summary of "+id, err)
			}
			value[len(value)-1] ^= 1
			return tx.Set(key, value)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want, wantErr := walk(t, db, store.WorkspaceTx.Summaries, noLimit)
	got, err := walk(t, db, store.WorkspaceTx.NewestSummaries, noLimit)
	byID := func(a, b engine.Summary) int { return strings.Compare(b.ID, a.ID) }
	slices.SortFunc(want, byID)
	slices.SortFunc(got, byID)
	if len(got) != 497 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %d rows, want %d, or others", len(got), len(want))
	}
	for _, err := range []error{err, wantErr} {
		var corrupt *store.CorruptError
		if !errors.As(err, &corrupt) {
			t.Errorf("the damage is not told: %v", err)
		}
	}
}

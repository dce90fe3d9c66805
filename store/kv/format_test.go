package kv

import (
	"context"
	"errors"
	"testing"

	"bugle/store"
)

// fake is a store of one transaction at a time.
type fake map[string][]byte

func (f fake) View(_ context.Context, fn func(Tx) error) error { return fn(f) }

func (f fake) Update(_ context.Context, fn func(Tx) error) error { return fn(f) }

func (f fake) Close() error { return nil }

func (f fake) Get(key []byte) ([]byte, error) {
	if v, ok := f[string(key)]; ok {
		return v, nil
	}
	return nil, store.ErrNotFound
}

func (f fake) Set(key, value []byte) error { f[string(key)] = value; return nil }

func (f fake) Delete(key []byte) error { delete(f, string(key)); return nil }

func (f fake) Scan([]byte, ScanOptions, func(key, value []byte) error) error {
	return errors.ErrUnsupported
}

// A store of an earlier layout goes through every step to the present one, and after a step that
// failed begins with that step again.
func TestMigrate(t *testing.T) {
	db := fake{}
	var ran []int
	fails := true
	step := func(n int) func(context.Context, DB) error {
		return func(context.Context, DB) error {
			ran = append(ran, n)
			if n == 2 && fails {
				return errors.New("the disk is full")
			}
			return nil
		}
	}
	steps := map[int]func(context.Context, DB) error{1: step(1), 2: step(2), 3: step(3)}
	if n, err := format(t.Context(), db); err != nil || n != Format {
		t.Fatalf("a new store has format %d, %v", n, err)
	}
	if err := writeFormat(db, 1); err != nil {
		t.Fatal(err)
	}
	err := migrate(t.Context(), db, 1, 4, steps)
	if err == nil || err.Error() != "upgrading the store from format 2 to 3: the disk is full" {
		t.Errorf("failed with %v", err)
	}
	if n, err := format(t.Context(), db); n != 2 || err != nil {
		t.Errorf("then its format is %d, %v", n, err)
	}
	fails = false
	if err := migrate(t.Context(), db, 2, 4, steps); err != nil {
		t.Error(err)
	}
	if n, err := format(t.Context(), db); n != 4 || err != nil {
		t.Errorf("in the end its format is %d, %v", n, err)
	}
	if want := []int{1, 2, 2, 3}; len(ran) != 4 || ran[2] != want[2] || ran[3] != want[3] {
		t.Errorf("ran %v, want %v", ran, want)
	}
	if err := migrate(t.Context(), db, 0, 1, steps); err == nil {
		t.Error("a layout that no step leads from was taken")
	}
}

// Every layout before the present one has a step that leads from it.
func TestMigrations(t *testing.T) {
	for n := 1; n < Format; n++ {
		if migrations[n] == nil {
			t.Errorf("nothing leads from format %d", n)
		}
	}
}

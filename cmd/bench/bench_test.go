//go:build unix

package main

import (
	"testing"
	"time"
)

// Every part has rows with plausible figures on a small store.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts the program")
	}
	report, err := measure(t.Context(), options{campaigns: 300, only: "start,keys,http", clients: 4, length: 20 * time.Millisecond, starts: 1, keys: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, r := range report.Rows {
		rows[r.Part]++
		if s := r.Spread; r.Value <= 0 && (s == nil || s.Count == 0 || s.Min <= 0 || s.Min > s.Median || s.Median > s.P99 || s.P99 > s.Max) {
			t.Errorf("this row cannot be true: %+v", r)
		}
	}
	for part, least := range map[string]int{partStart: 2, partKeys: 7, partHTTP: 6} {
		if rows[part] < least {
			t.Errorf("%s has %d rows, not %d", part, rows[part], least)
		}
	}
}

// A store with another number of campaigns is not measured.
func TestKeptStore(t *testing.T) {
	dir := t.TempDir()
	if _, err := fillStore(t.Context(), dir, 20, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if kept, err := keptStore(dir, 20); err != nil || len(kept.IDs) != 20 || kept.Key == "" {
		t.Errorf("%+v, %v", kept, err)
	}
	if _, err := keptStore(dir, 21); err == nil {
		t.Error("a store with fewer campaigns was taken")
	}
}

//go:build unix

package main

import (
	"os"
	"testing"
	"time"
)

// Every part has rows with plausible figures on a small store.
func TestMeasure(t *testing.T) {
	if os.Getenv("BUGLE_NEED_SLOW") == "" {
		t.Skip("it builds the program and starts it often; set BUGLE_NEED_SLOW=1 to run it")
	}
	report, err := measure(t.Context(), options{campaigns: 300, only: "start,keys,http", clients: 4, length: 20 * time.Millisecond, starts: 1, keys: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Rows {
		if r.Value <= 0 && (r.Median <= 0 || r.Median > r.P99 || r.P99 > r.Max) {
			t.Errorf("this row cannot be true: %+v", r)
		}
	}
	if len(report.Rows) < 2+7+6 {
		t.Errorf("there are %d rows", len(report.Rows))
	}
}

// A store with another number of campaigns is not measured.
func TestKeptStore(t *testing.T) {
	dir := t.TempDir()
	if _, err := fillStore(t.Context(), dir, 20); err != nil {
		t.Fatal(err)
	}
	if kept, err := keptStore(dir, 20); err != nil || len(kept.IDs) != 20 || kept.Key == "" {
		t.Errorf("%+v, %v", kept, err)
	}
	if _, err := keptStore(dir, 21); err == nil {
		t.Error("a store with fewer campaigns was taken")
	}
}

package sample_test

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/local"
	"bugle/engine/local/sample"
	"bugle/store/mem"
)

var now = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// install gives the service of a sample that was installed at [now], its clock standing still.
func install(t *testing.T) *local.Service {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	if key, err := sample.Install(t.Context(), db, sample.Options{Now: now}); err != nil || key == "" {
		t.Fatalf("Install gave key %q, error %v", key, err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return svc
}

func TestInstall(t *testing.T) {
	svc := install(t)
	all, err := svc.List(t.Context(), engine.ListQuery{Archived: true})
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
}

package bench

import (
	"context"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// A filled store has as many campaigns as asked for, nothing is wrong in it, and it is taken again.
func TestFill(t *testing.T) {
	dir := t.TempDir()
	const n = 300
	done := make(chan int, n)
	f, err := Fill(t.Context(), dir, n, 1, func(d int) { done <- d })
	if err != nil {
		t.Fatal(err)
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	checked, err := kv.Check(t.Context(), db, nil)
	if err != nil || !checked.Healthy() || checked.Campaigns != n {
		t.Errorf("checked: %+v, %v", checked, err)
	}
	rows := summaries(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	newest, far := engine.Summary{}, 0
	channels, types, states := map[engine.Channel]bool{}, map[engine.DeliveryType]bool{}, map[engine.State]bool{}
	for _, r := range rows {
		channels[r.Channel], types[r.DeliveryType], states[r.Status] = true, true, true
		if r.UpdatedAt.After(newest.UpdatedAt) {
			newest = r
		}
		if r.Name == FarName {
			far++
		}
	}
	if newest.Name != FirstName || far != 1 || newest.UpdatedAt.After(time.Now()) {
		t.Errorf("the newest is %q, %d are %q", newest.Name, far, FarName)
	}
	if len(channels) < 4 || len(types) < 5 || len(states) < 6 {
		t.Errorf("too much alike: %v %v %v", channels, types, states)
	}
	again, err := Fill(t.Context(), dir, n, 1, nil)
	if err != nil || again.Key != f.Key {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	if _, err := Fill(t.Context(), dir, n+1, 1, nil); err == nil {
		t.Error("a store with fewer campaigns was taken")
	}
}

func summaries(t *testing.T, db store.DB) (rows []engine.Summary) {
	t.Helper()
	err := db.Read(t.Context(), func(tx store.Tx) error {
		return tx.Workspace(Workspace).Summaries(func(s engine.Summary) error { rows = append(rows, s); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func BenchmarkMake(b *testing.B) {
	m, err := newMaker(context.Background(), Filled{Campaigns: 1000, Seed: 1, At: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	var rows []numbered
	batches := make(chan []numbered, 10)
	if err := cut(context.Background(), m.filled, batches); err != nil {
		b.Fatal(err)
	}
	close(batches)
	for r := range batches {
		rows = append(rows, r...)
	}
	size := 0
	for i := 0; b.Loop(); i++ {
		for _, s := range m.revisions(rows[i%len(rows)]) {
			size += len(s.Body.Encode())
			engine.Summarize(s.Campaign)
		}
	}
	b.ReportMetric(float64(size)/float64(b.N), "B/campaign")
}

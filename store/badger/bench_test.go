package badger_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/kv"
)

var summaryAt = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

// campaign is of 8 KB, as an email is.
func campaign(tb testing.TB, n int) (engine.Campaign, engine.Summary) {
	v, err := doc.Parse([]byte(`{"html":"` + strings.Repeat("<p>Hello</p>", 680) + `"}`))
	if err != nil {
		tb.Fatal(err)
	}
	id := fmt.Sprintf("%024x", n)
	h := engine.Head{ID: id, CampaignID: id, Status: "DRAFT", Channel: "EMAIL", DeliveryType: "ONE_TIME",
		CreatedBy: "ada@example.com", CreatedAt: summaryAt, UpdatedAt: summaryAt}
	return engine.Campaign{Head: h, Body: v}, engine.Summary{Head: h, Name: "Spring sale " + id, Tags: []string{"sale"}}
}

func BenchmarkPut(b *testing.B) {
	db := open(b, b.TempDir())
	c, sum := campaign(b, 1)
	for b.Loop() {
		err := db.Update(b.Context(), func(tx *kv.Tx) error {
			_, err := tx.Workspace("DEMO").PutCampaign(c, sum, engine.Revision{}, true)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPutParallel(b *testing.B) {
	db := open(b, b.TempDir())
	var n atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			c, sum := campaign(b, int(n.Add(1)))
			err := db.Update(b.Context(), func(tx *kv.Tx) error {
				_, err := tx.Workspace("DEMO").PutCampaign(c, sum, engine.Revision{}, true)
				return err
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	db := open(b, b.TempDir())
	fillStore(b, db.Store, 1000)
	n := 0
	for b.Loop() {
		c, _ := campaign(b, 0)
		c.ID = fmt.Sprintf("%024x", n%1000)
		n++
		err := db.View(b.Context(), func(tx *kv.Tx) error {
			_, err := tx.Workspace("DEMO").Campaign(c.ID)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSummaries100k(b *testing.B) {
	const rows = 100_000
	db := open(b, b.TempDir())
	fillStore(b, db.Store, rows)
	for b.Loop() {
		n := 0
		err := db.View(b.Context(), func(tx *kv.Tx) error {
			return tx.Workspace("DEMO").Summaries(func(engine.Summary) error { n++; return nil })
		})
		if err != nil || n != rows {
			b.Fatal(n, err)
		}
	}
}

// fillStore stores n campaigns, 100 in a transaction.
func fillStore(b *testing.B, db *kv.Store, n int) {
	b.Helper()
	for from := 0; from < n; from += 100 {
		err := db.Update(b.Context(), func(tx *kv.Tx) error {
			for i := from; i < min(from+100, n); i++ {
				c, sum := campaign(b, i)
				if _, err := tx.Workspace("DEMO").PutCampaign(c, sum, engine.Revision{}, false); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

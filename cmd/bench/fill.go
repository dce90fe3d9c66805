//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/search/index/indextest"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/mem"
)

// benchWorkspace is the id of the one workspace of a filled store.
const benchWorkspace = "BENCH"

// The two campaigns that are searched for by their unique names, which every column shows in full: the one changed
// last, and one that is older than nine tenths of the others.
const (
	firstName = "Kilimanjaro"
	farName   = "Zanzibar"
)

// filledFile has the description of a filled store, in its folder.
const filledFile = "bench.json"

// filled describes a filled store.
type filled struct {
	Campaigns int      `json:"campaigns"`
	Key       string   `json:"api_key"`
	IDs       []string `json:"ids"` // of campaigns that are read over HTTP
}

// keptStore returns the description of a store that an earlier run has filled. It fails if the folder has another one.
func keptStore(dir string, campaigns int) (f filled, err error) {
	b, err := os.ReadFile(filepath.Join(dir, filledFile))
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err == nil && f.Campaigns != campaigns {
		err = fmt.Errorf("the store in %s has %d campaigns; choose an empty folder", dir, f.Campaigns)
	}
	return f, err
}

const (
	batch      = 200  // campaigns in a transaction of about 1 MB
	candidates = 5000 // number of campaigns that are read over HTTP
	largest    = 4700 // size of a campaign's components, in bytes
)

// fillStore fills a new store with campaigns as they accumulate over years, each with the components of a sample
// campaign.
func fillStore(ctx context.Context, dir string, n int) (f filled, err error) {
	now := time.Now().UTC().Truncate(time.Second)
	workspace, templates, err := sampleTemplates(ctx, now)
	if err != nil {
		return f, err
	}
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f.Campaigns = n
	if f.Key, err = local.CreateWorkspace(ctx, db, workspace); err != nil {
		return f, err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rows := indextest.Rows(n, 1)
	for first := 0; first < n; first += batch {
		err := db.Write(ctx, func(tx store.Tx) error {
			for i := first; i < min(first+batch, n); i++ {
				of := templates[rows[i].Channel]
				c := campaignOf(rows[i], of[rng.IntN(len(of))], now)
				switch i {
				case 0:
					c.Status, c.Body = catalog.Draft, engine.WithName(c.Body, firstName)
				case n * 9 / 10:
					c.Status, c.Body = catalog.Stopped, engine.WithName(c.Body, farName)
				}
				if err := tx.Workspace(benchWorkspace).AddCampaign(c, engine.Summarize(c), engine.Revision{At: c.UpdatedAt, By: c.UpdatedBy, Note: "created"}); err != nil {
					return err
				}
				if i%max(1, n/candidates) == 0 {
					f.IDs = append(f.IDs, c.ID)
				}
			}
			return nil
		})
		if err != nil {
			return f, err
		}
	}
	b, err := json.Marshal(f)
	if err != nil {
		return f, err
	}
	return f, os.WriteFile(filepath.Join(dir, filledFile), b, 0o600)
}

// sampleTemplates returns a workspace like that of the sample, and the campaigns of the sample by channel.
func sampleTemplates(ctx context.Context, now time.Time) (w engine.Workspace, out map[engine.Channel][]engine.Campaign, err error) {
	db := mem.New()
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := sample.Install(ctx, db, sample.Options{Now: now}); err != nil {
		return w, nil, err
	}
	out = map[engine.Channel][]engine.Campaign{}
	err = db.Read(ctx, func(tx store.Tx) (err error) {
		sp := tx.Workspace(sample.ID)
		if w, err = sp.Settings(); err != nil {
			return err
		}
		w.ID, w.Name, w.Sample, w.Keys = benchWorkspace, "Measured", false, nil
		return sp.Summaries(func(s engine.Summary) error {
			c, err := sp.Campaign(s.ID)
			if err == nil && len(c.Body.Encode()) <= largest {
				out[c.Channel] = append(out[c.Channel], c)
			}
			return err
		})
	})
	return w, out, err
}

// campaignOf returns the campaign of a row, with the components of a template. The times of the rows end now.
func campaignOf(r engine.Summary, template engine.Campaign, now time.Time) engine.Campaign {
	c := engine.Campaign{Head: r.Head, Body: engine.WithName(template.Body, r.Name)}
	c.DeliveryType, c.Revision = template.DeliveryType, 0
	for _, at := range []*time.Time{&c.CreatedAt, &c.UpdatedAt, &c.SentTime} {
		if !at.IsZero() {
			*at = at.Add(now.Sub(indextest.Now))
		}
	}
	c.ID = fmt.Sprintf("%08x%s", c.CreatedAt.Unix(), r.ID[8:])
	c.CampaignID = c.ID
	if tags := doc.P(string(catalog.BasicDetails), "tags"); len(r.Tags) > 0 {
		if b, err := c.Body.Set(tags, doc.NewStrings(r.Tags...)); err == nil {
			c.Body = b
		}
	}
	return c
}

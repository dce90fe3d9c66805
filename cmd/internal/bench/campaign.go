package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/search/index/indextest"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/mem"
)

// maxComponents is the largest size of a campaign's components in bytes.
const maxComponents = 4700

// maker generates campaigns: rows that accumulate over years, each with the components of a sample campaign.
type maker struct {
	workspace engine.Workspace
	templates map[engine.Channel][]engine.Campaign
	filled    Filled
	shift     time.Duration // from the time of the rows to that of the store
}

func newMaker(ctx context.Context, f Filled) (*maker, error) {
	m := &maker{templates: map[engine.Channel][]engine.Campaign{}, filled: f, shift: f.At.Sub(indextest.Now)}
	db := mem.New()
	if _, err := sample.Install(ctx, db, sample.Options{Now: f.At}); err != nil {
		return nil, err
	}
	err := db.Read(ctx, func(tx store.Tx) error {
		sp := tx.Workspace(sample.ID)
		w, err := sp.Settings()
		if err != nil {
			return err
		}
		w.ID, w.Name, w.Sample, w.Keys = Workspace, "Measured", false, nil
		m.workspace = w
		return sp.Summaries(func(sum engine.Summary) error {
			c, err := sp.Campaign(sum.ID)
			if err == nil && len(c.Body.Encode()) <= maxComponents {
				m.templates[c.Channel] = append(m.templates[c.Channel], c)
			}
			return err
		})
	})
	return m, errors.Join(err, db.Close())
}

// revision is a campaign after one save.
type revision struct {
	engine.Campaign
	note string
}

// editedShare: one in so many campaigns has two saves.
const editedShare = 4

// revisions returns the revisions of the campaign of a row.
func (m *maker) revisions(row numbered) []revision {
	rng := rand.New(rand.NewPCG(m.filled.Seed, uint64(row.n)+1))
	c := m.campaign(row, rng)
	if c.Status != catalog.Draft {
		return []revision{{c, "published"}}
	}
	if rng.IntN(editedShare) > 0 {
		return []revision{{c, "created"}}
	}
	begun := c
	begun.UpdatedAt, begun.UpdatedBy = c.CreatedAt, c.CreatedBy
	begun.Body = doc.NewObject(doc.M(string(catalog.BasicDetails), c.Body.Get(string(catalog.BasicDetails))))
	return []revision{{begun, "created"}, {c, "edited"}}
}

func (m *maker) campaign(row numbered, rng *rand.Rand) engine.Campaign {
	choice := m.templates[row.Channel]
	t := choice[rng.IntN(len(choice))]
	c := engine.Campaign{Head: row.Head, Body: t.Body}
	c.DeliveryType, c.Revision = t.DeliveryType, 0
	for _, at := range []*time.Time{&c.CreatedAt, &c.UpdatedAt, &c.SentTime, &row.Start, &row.End} {
		if !at.IsZero() {
			*at = at.Add(m.shift)
		}
	}
	c.ID = fmt.Sprintf("%08x%s", c.CreatedAt.Unix(), row.ID[8:])
	c.CampaignID = c.ID
	switch row.n {
	case 0:
		row.Name, c.Status = FirstName, catalog.Draft
	case m.filled.Campaigns * 9 / 10:
		row.Name, c.Status = FarName, catalog.Stopped
	}
	c.Body = described(c.Body, row.Summary)
	return c
}

// described returns the components with the name, tags, team, and times of a row.
func described(body doc.Value, row engine.Summary) doc.Value {
	set := func(v doc.Value, p ...any) {
		if out, err := body.Set(doc.P(p...), v); err == nil {
			body = out
		}
	}
	basics, schedule := string(catalog.BasicDetails), string(catalog.SchedulingDetails)
	set(doc.NewString(row.Name), basics, "name")
	if len(row.Tags) > 0 {
		set(doc.NewStrings(row.Tags...), basics, "tags")
	}
	if row.Team != "" {
		set(doc.NewString(row.Team), basics, "team")
	}
	if s := body.Get(schedule); s.Get("start_time").Exists() && !row.Start.IsZero() {
		set(doc.NewString(row.Start.Format(time.RFC3339)), schedule, "start_time")
		if s.Get("expiry_time").Exists() && !row.End.IsZero() {
			set(doc.NewString(row.End.Format(time.RFC3339)), schedule, "expiry_time")
		}
	}
	return body
}

package local

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/store"
)

// Get gives a campaign with its current status.
func (s *Service) Get(ctx context.Context, id string) (engine.Campaign, error) {
	var out engine.Campaign
	err := s.view(ctx, func(sp store.Space) error {
		var err error
		out, err = s.campaign(sp, id)
		return err
	})
	return out, err
}

// List gives the campaigns that match, newest change first.
func (s *Service) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	var out []engine.Summary
	err := s.view(ctx, func(sp store.Space) error {
		var err error
		out, err = s.matching(sp, func(sum engine.Summary) bool {
			return q.Archived || sum.Status != catalog.Archived
		})
		return err
	})
	return out, err
}

// matching gives the summaries, as they are now, that keep takes: newest change first, ids
// breaking ties. A damaged one is logged and left out; it must not hide the others.
func (s *Service) matching(sp store.Space, keep func(engine.Summary) bool) ([]engine.Summary, error) {
	now := s.now()
	var out []engine.Summary
	err := sp.Summaries(func(sum engine.Summary) error {
		sum.Head = engine.HeadAt(sum, now)
		if keep(sum) {
			out = append(out, sum)
		}
		return nil
	})
	var corrupt *store.CorruptError
	if errors.As(err, &corrupt) {
		s.log.Error("damaged record", "what", corrupt.What, "error", err)
		err = nil
	}
	slices.SortFunc(out, func(a, b engine.Summary) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, err
}

// Search gives one page of the campaigns that match (spec.md, Search Campaigns).
func (s *Service) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	if err := checkPage(r.Limit, r.Page); err != nil {
		return nil, stamped(err, r.RequestID)
	}
	f := filter{
		channels: r.Channels, createdBy: r.CreatedBy, created: r.Created, types: r.DeliveryTypes, name: r.Name,
		status: r.Status, tags: r.Tags, version: r.Version, children: r.Children, archived: r.Archived, ids: r.IDs,
	}
	out := []engine.Campaign{}
	err := s.view(ctx, func(sp store.Space) error {
		out = out[:0]
		rows, err := s.matching(sp, f.keeps)
		if err != nil {
			return err
		}
		for _, sum := range page(rows, r.Limit, r.Page) {
			c, err := s.campaign(sp, sum.ID)
			if err != nil {
				return err
			}
			out = append(out, c)
		}
		return nil
	})
	return out, stamped(err, r.RequestID)
}

// Meta gives one page of light rows (spec.md, Get Campaign Meta).
func (s *Service) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	if err := checkPage(r.Limit, r.Page); err != nil {
		return nil, stamped(err, r.RequestID)
	}
	f := filter{
		channels: r.Channels, createdBy: r.CreatedBy, created: r.Created, name: r.Name,
		status: r.Status, tags: r.Tags, children: r.Children, archived: r.Archived,
	}
	if r.ID != "" {
		// One campaign by its id is shown whatever it is.
		f.ids, f.drafts, f.archived, f.children = []string{r.ID}, true, true, true
	}
	if r.DeliveryType != "" {
		f.types = []engine.DeliveryType{r.DeliveryType}
	}
	out := []engine.Meta{}
	err := s.view(ctx, func(sp store.Space) error {
		out = out[:0]
		children := map[string]int{}
		rows, err := s.matching(sp, func(sum engine.Summary) bool {
			if sum.ParentID != "" {
				children[sum.ParentID]++
			}
			return f.keeps(sum)
		})
		if err != nil {
			return err
		}
		for _, sum := range page(rows, r.Limit, r.Page) {
			m := engine.Meta{Summary: sum, ChildCampaigns: children[sum.ID]}
			if sum.CampaignID != sum.ID {
				m.ChildCampaigns += children[sum.CampaignID]
			}
			out = append(out, m)
		}
		return s.reach(ctx, sp, out)
	})
	return out, stamped(err, r.RequestID)
}

// filter is what search and meta narrow by. Empty members match all.
type filter struct {
	ids, createdBy, tags []string
	channels             []engine.Channel
	types                []engine.DeliveryType
	status               []engine.State
	created              engine.DateRange
	name                 string
	version              int
	children, archived   bool
	drafts               bool // drafts too where no status is asked for
}

func (f filter) keeps(sum engine.Summary) bool {
	switch {
	case sum.Status == catalog.Archived && !f.archived,
		sum.Status == catalog.Draft && len(f.status) == 0 && !f.drafts,
		!f.children && (sum.FlowID != "" || sum.ParentID != ""),
		!among(f.status, sum.Status),
		!among(f.channels, sum.Channel),
		!among(f.types, sum.DeliveryType),
		!among(f.createdBy, sum.CreatedBy),
		!among(f.ids, sum.ID) && !among(f.ids, sum.CampaignID),
		len(f.tags) > 0 && !sum.HasTag(f.tags),
		f.version > 0 && f.version != sum.Version,
		!inRange(f.created, sum.CreatedAt):
		return false
	}
	return f.name == "" || strings.Contains(strings.ToLower(sum.Name), strings.ToLower(f.name))
}

func among[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }

func inRange(r engine.DateRange, t time.Time) bool {
	return (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || !t.After(r.To))
}

func checkPage(limit, page int) error {
	switch {
	case limit < 1 || limit > engine.PageSize:
		return refuse("limit", "the limit must be from 1 to %d, not %d", engine.PageSize, limit)
	case page < 1:
		return refuse("page", "the page must be at least 1, not %d", page)
	}
	return nil
}

func page[T any](rows []T, limit, n int) []T {
	if n-1 > len(rows)/limit {
		return nil
	}
	from := min((n-1)*limit, len(rows))
	return rows[from:min(from+limit, len(rows))]
}

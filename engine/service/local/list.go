package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/store"
)

// lists reads single campaigns and pages of matching ones.
type lists struct {
	*reader
	index     *indexer
	reach     *reachability
	documents documentCache
}

// Get returns a campaign with its current status.
func (l *lists) Get(ctx context.Context, id string) (engine.Campaign, error) {
	var out engine.Campaign
	if g, ok := l.db.(store.Getter); ok && id != "" && len(id) <= maxID {
		c, err := g.Campaign(ctx, l.workspace, id)
		out, err = l.orMissing(id, c, err)
		return out, l.explain(ctx, err)
	}
	err := l.view(ctx, func(sp store.WorkspaceTx) error {
		var err error
		out, err = l.campaign(sp, id)
		return err
	})
	return out, err
}

// List returns the campaigns that match, newest change first.
func (l *lists) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	f := filter{
		children: true, drafts: true, archived: q.Archived, channels: q.Channels, status: q.Status, start: q.Start,
	}
	if ix := l.index.complete(); ix != nil {
		return ix.Page(ctx, f.index(), l.now(), 0, ix.Len())
	}
	var out []engine.Summary
	err := l.view(ctx, func(sp store.WorkspaceTx) error {
		var err error
		out, err = l.matching(sp, f.keeps)
		return err
	})
	return out, err
}

// matching returns the current summaries that keep selects, last changed first, then by id. Damaged ones are
// reported and skipped.
func (l *lists) matching(sp store.WorkspaceTx, keep func(engine.Summary) bool) ([]engine.Summary, error) {
	now := l.now()
	var out []engine.Summary
	err := l.skipDamage(sp.Summaries(func(sum engine.Summary) error {
		sum.Head = engine.HeadAt(sum, now)
		if keep(sum) {
			out = append(out, sum)
		}
		return nil
	}))
	slices.SortFunc(out, func(a, b engine.Summary) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, err
}

// Search returns one page of the campaigns that match (CONTRACT.md, Search and meta).
func (l *lists) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	if err := checkPage(r.Limit, r.Page); err != nil {
		return nil, withRequestID(err, r.RequestID)
	}
	f := filter{
		channels: r.Channels, createdBy: r.CreatedBy, created: r.Created, types: r.DeliveryTypes, name: r.Name,
		status: r.Status, tags: r.Tags, version: r.Version, children: r.Children, archived: r.Archived, ids: r.IDs,
	}
	// What another server has answered is found.
	if err := l.explain(ctx, l.index.follow.sync(ctx)); err != nil {
		return nil, withRequestID(err, r.RequestID)
	}
	for range maxPageTries {
		ix := l.index.complete()
		if ix == nil {
			break
		}
		out, whole, err := l.found(ctx, ix, f, r.Limit, r.Page)
		if whole || err != nil {
			return out, withRequestID(err, r.RequestID)
		}
	}
	out, err := l.scanned(ctx, f, r.Limit, r.Page)
	return out, withRequestID(err, r.RequestID)
}

// maxPageTries is how often a page is read using the index before the store is scanned, because other
// campaigns may be saved or deleted between reading the index and the store.
const maxPageTries = 3

// found returns a page using the index. It returns false if the store has other revisions than the index.
func (l *lists) found(ctx context.Context, ix *index.Index, f filter, limit, n int) ([]engine.Campaign, bool, error) {
	from, to := bounds(limit, n)
	rows, err := ix.Page(ctx, f.index(), l.now(), from, to)
	if err != nil {
		return nil, false, err
	}
	out, missing := make([]engine.Campaign, len(rows)), 0
	for i, row := range rows {
		c, ok := l.documents.get(row)
		if !ok {
			missing++
			continue
		}
		out[i] = c
		out[i].Head = row.Head
	}
	if missing == 0 {
		return out, true, nil
	}
	whole := true
	err = l.view(ctx, func(sp store.WorkspaceTx) error {
		for i, row := range rows {
			if out[i].ID != "" {
				continue
			}
			c, err := sp.Campaign(row.ID)
			if errors.Is(err, store.ErrNotFound) || err == nil && !sameSave(c, row) {
				whole = false
				return nil
			}
			if err != nil {
				return fmt.Errorf("reading campaign %s: %w", row.ID, err)
			}
			l.documents.put(c)
			out[i] = c
			out[i].Head = row.Head
		}
		return nil
	})
	return out, whole, err
}

// scanned returns a page by scanning all summaries.
func (l *lists) scanned(ctx context.Context, f filter, limit, n int) ([]engine.Campaign, error) {
	out := []engine.Campaign{}
	err := l.view(ctx, func(sp store.WorkspaceTx) error {
		out = out[:0]
		rows, err := l.matching(sp, f.keeps)
		if err != nil {
			return err
		}
		for _, sum := range page(rows, limit, n) {
			c, err := l.campaign(sp, sum.ID)
			if err != nil {
				return err
			}
			out = append(out, c)
		}
		return nil
	})
	return out, err
}

// Meta returns one page of light rows (CONTRACT.md, Search and meta).
func (l *lists) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	if err := checkPage(r.Limit, r.Page); err != nil {
		return nil, withRequestID(err, r.RequestID)
	}
	f := filter{
		channels: r.Channels, createdBy: r.CreatedBy, created: r.Created, name: r.Name,
		status: r.Status, tags: r.Tags, types: r.DeliveryTypes, children: r.Children, archived: r.Archived,
	}
	if r.ID != "" {
		// One campaign by its id is shown whatever it is.
		f.ids, f.drafts, f.archived, f.children = []string{r.ID}, true, true, true
	}
	if r.DeliveryType != "" {
		if !containsValue(r.DeliveryTypes, r.DeliveryType) {
			return nil, nil // both filters count
		}
		f.types = []engine.DeliveryType{r.DeliveryType}
	}
	out, err := l.metas(ctx, f, r.Limit, r.Page)
	if err == nil {
		err = l.reach.attach(ctx, out)
	}
	return out, withRequestID(err, r.RequestID)
}

// metas returns a page of rows with their counts, without reachability.
func (l *lists) metas(ctx context.Context, f filter, limit, n int) ([]engine.Meta, error) {
	var rows []engine.Summary
	var children func(id string) int
	if err := l.explain(ctx, l.index.follow.sync(ctx)); err != nil {
		return nil, err
	}
	if ix := l.index.complete(); ix != nil {
		from, to := bounds(limit, n)
		var err error
		if rows, err = ix.Page(ctx, f.index(), l.now(), from, to); err != nil {
			return nil, err
		}
		children = ix.Children
	} else {
		counts := map[string]int{}
		children = func(id string) int { return counts[id] }
		err := l.view(ctx, func(sp store.WorkspaceTx) error {
			all, err := l.matching(sp, func(sum engine.Summary) bool {
				if sum.ParentID != "" {
					counts[sum.ParentID]++
				}
				return f.keeps(sum)
			})
			rows = page(all, limit, n)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]engine.Meta, len(rows))
	for i, sum := range rows {
		out[i] = engine.Meta{Summary: sum, ChildCampaigns: children(sum.ID)}
		if sum.CampaignID != sum.ID {
			out[i].ChildCampaigns += children(sum.CampaignID)
		}
	}
	return out, nil
}

// filter is the filter of search and meta. Empty fields match everything.
type filter struct {
	ids, createdBy, tags []string
	channels             []engine.Channel
	types                []engine.DeliveryType
	status               []engine.State
	created, start       engine.DateRange
	name                 string
	version              int
	children, archived   bool
	drafts               bool // include drafts if no status is requested
}

// index returns the equivalent filter of the index.
func (f filter) index() index.Filter {
	out := index.Filter{
		IDs: f.ids, Status: f.status, Channels: f.channels, Types: f.types, CreatedBy: f.createdBy, Tags: f.tags,
		Name: f.name, Created: f.created, Start: f.start, Version: f.version, Nested: f.children,
	}
	if !f.archived {
		out.Without = append(out.Without, catalog.Archived)
	}
	if len(f.status) == 0 && !f.drafts {
		out.Without = append(out.Without, catalog.Draft)
	}
	return out
}

func (f filter) keeps(sum engine.Summary) bool {
	switch {
	case sum.Status == catalog.Archived && !f.archived,
		sum.Status == catalog.Draft && len(f.status) == 0 && !f.drafts,
		!f.children && (sum.FlowID != "" || sum.ParentID != ""),
		!containsValue(f.status, sum.Status),
		!containsValue(f.channels, sum.Channel),
		!containsValue(f.types, sum.DeliveryType),
		!containsValue(f.createdBy, sum.CreatedBy),
		!containsValue(f.ids, sum.ID) && !containsValue(f.ids, sum.CampaignID),
		len(f.tags) > 0 && !sum.HasTag(f.tags),
		f.version > 0 && f.version != sum.Version,
		!f.created.Contains(sum.CreatedAt),
		!f.start.Contains(sum.Start):
		return false
	}
	return f.name == "" || strings.Contains(strings.ToLower(sum.Name), strings.ToLower(f.name))
}

func containsValue[T comparable](list []T, v T) bool {
	return len(list) == 0 || slices.Contains(list, v)
}

func checkPage(limit, page int) error {
	switch {
	case limit < 1 || limit > engine.PageSize:
		return refuse("limit", "the limit must be between 1 and %d, not %d", engine.PageSize, limit)
	case page < 1:
		return refuse("page", "the page must be at least 1, not %d", page)
	}
	return nil
}

// bounds returns the range of a page.
func bounds(limit, n int) (from, to int) {
	if n-1 > math.MaxInt/limit-1 {
		return math.MaxInt, math.MaxInt
	}
	return (n - 1) * limit, n * limit
}

func page[T any](rows []T, limit, n int) []T {
	from, to := bounds(limit, n)
	return rows[min(from, len(rows)):min(to, len(rows))]
}

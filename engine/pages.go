package engine

import (
	"context"
	"iter"

	"bugle/engine/catalog"
)

// Records returns the campaigns of a list, whenever they start, page by page, drafts first and each campaign once, using one search per page.
// It stops at the first error.
//
// Search returns drafts only if they are requested, and then returns nothing but the requested states. The
// other campaigns are therefore searched without a state, which also finds campaigns in unknown states.
func Records(ctx context.Context, search func(context.Context, SearchRequest) ([]Campaign, error), q ListQuery) iter.Seq2[[]Campaign, error] {
	return func(yield func([]Campaign, error) bool) {
		seen := map[string]bool{}
		searches := [][]State{{catalog.Draft}, nil}
		if len(q.Status) > 0 {
			searches = [][]State{q.Status}
		}
		for _, states := range searches {
			for n := 1; ; n++ {
				found, err := search(ctx, SearchRequest{
					Channels: q.Channels, Status: states, Limit: PageSize, Page: n, Children: true, Archived: q.Archived,
				})
				if err != nil {
					yield(nil, err)
					return
				}
				page := unseen(found, seen)
				if len(page) > 0 && !yield(page, nil) {
					return
				}
				// A page of nothing but known ones is no page that moved on: the service repeats itself.
				if len(found) < PageSize || len(page) == 0 {
					break
				}
			}
		}
	}
}

func unseen(found []Campaign, seen map[string]bool) []Campaign {
	var out []Campaign
	for _, c := range found {
		if c.ID == "" || !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, c)
		}
	}
	return out
}

package remote

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
)

// List returns all campaigns, last changed first, reading all pages of search. [Service.Pages] returns them
// incrementally.
func (s *Service) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	out := []engine.Summary{}
	for page, err := range s.Pages(ctx, q) {
		if err != nil {
			return nil, err
		}
		out = append(out, page...)
	}
	slices.SortFunc(out, func(a, b engine.Summary) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Pages returns the campaigns page by page, drafts first and each campaign once. It stops at the first error.
//
// Search returns drafts only if they are requested, and then returns nothing but the requested states. The
// other campaigns are therefore searched without a state, which also finds campaigns in unknown states.
func (s *Service) Pages(ctx context.Context, q engine.ListQuery) iter.Seq2[[]engine.Summary, error] {
	return func(yield func([]engine.Summary, error) bool) {
		seen := map[string]bool{}
		for _, states := range [][]engine.State{{catalog.Draft}, nil} {
			for n := 1; ; n++ {
				found, err := s.Search(ctx, engine.SearchRequest{
					Status: states, Limit: engine.PageSize, Page: n, Children: true, Archived: q.Archived,
				})
				if err != nil {
					yield(nil, err)
					return
				}
				page := fresh(found, seen)
				if len(page) > 0 && !yield(page, nil) {
					return
				}
				// A page of nothing but known ones is no page that moved on: the service repeats itself.
				if len(found) < engine.PageSize || len(page) == 0 {
					break
				}
			}
		}
	}
}

func fresh(found []engine.Campaign, seen map[string]bool) []engine.Summary {
	var out []engine.Summary
	for _, c := range found {
		if c.ID == "" || !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, engine.Summarize(c))
		}
	}
	return out
}

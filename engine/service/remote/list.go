package remote

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
)

// List returns all campaigns, newest change first, which takes as many pages of search as there are.
// See [Service.Pages] for a list that grows as they come.
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

// Pages returns the campaigns page by page, drafts first, each campaign once. An error ends it.
//
// Search finds drafts only where they are asked for, and then nothing that it does not name, so the
// rest is asked for without a state: campaigns in a state that no table knows are found as well.
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

package remote

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"bugle/engine"
)

// List returns the campaigns, last changed first, reading all pages of search. [Service.Pages] returns them
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

// Pages returns the campaigns page by page, as [engine.Records] does.
func (s *Service) Pages(ctx context.Context, q engine.ListQuery) iter.Seq2[[]engine.Summary, error] {
	return func(yield func([]engine.Summary, error) bool) {
		for page, err := range engine.Records(ctx, s.Search, q) {
			var rows []engine.Summary
			for _, c := range page {
				if row := engine.Summarize(c); q.Start.Contains(row.Start) {
					rows = append(rows, row)
				}
			}
			if (err != nil || len(rows) > 0) && !yield(rows, err) {
				return
			}
		}
	}
}

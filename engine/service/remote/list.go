package remote

import (
	"cmp"
	"context"
	"slices"

	"bugle/engine"
)

// List returns the campaigns, last changed first, reading all pages of search.
func (s *Service) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	out := []engine.Summary{}
	for page, err := range engine.Records(ctx, s.Search, q) {
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if row := engine.Summarize(c); q.Start.Contains(row.Start) {
				out = append(out, row)
			}
		}
	}
	slices.SortFunc(out, func(a, b engine.Summary) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

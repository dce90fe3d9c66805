package cli

import (
	"context"
	"errors"

	"bugle/engine"
)

// ListAll returns the summaries of all campaigns of a service, including archived ones if requested. It fails if the
// service cannot list them.
func ListAll(ctx context.Context, svc engine.Service, archived bool) ([]engine.Summary, error) {
	lister, ok := svc.(engine.Lister)
	if !ok {
		return nil, errors.New("this service cannot list its campaigns")
	}
	return lister.List(ctx, engine.ListQuery{Archived: archived})
}

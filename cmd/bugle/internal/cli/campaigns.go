package cli

import (
	"context"
	"errors"

	"bugle/engine"
)

func ListAll(ctx context.Context, svc engine.Service, archived bool) ([]engine.Summary, error) {
	lister, ok := svc.(engine.Lister)
	if !ok {
		return nil, errors.New("this service cannot list its campaigns")
	}
	return lister.List(ctx, engine.ListQuery{Archived: archived})
}

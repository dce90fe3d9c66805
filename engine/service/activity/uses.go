package activity

import (
	"context"
	"net/http"

	"bugle/engine"
)

var _ engine.NameUses = (*recordingService)(nil)

// NameUses calls the service if it has the capability, without recording it.
func (s *recordingService) NameUses(ctx context.Context, ref engine.NameRef) ([]engine.ContentUse, error) {
	if u, ok := s.Service.(engine.NameUses); ok {
		return u.NameUses(ctx, ref)
	}
	return nil, engine.Errorf(engine.NotFound, http.StatusNotImplemented, "this service cannot report where a name is used")
}

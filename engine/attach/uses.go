package attach

import (
	"context"
	"net/http"

	"bugle/engine"
)

var _ engine.NameUses = (*session)(nil)

var nameUsesMethod = define(method[engine.NameRef, []engine.ContentUse]{name: "name-uses",
	run: func(ctx context.Context, t target, ref engine.NameRef) ([]engine.ContentUse, error) {
		if u, ok := t.svc.(engine.NameUses); ok {
			return u.NameUses(ctx, ref)
		}
		return nil, engine.Errorf(engine.NotFound, http.StatusNotImplemented, "this service cannot report where a name is used")
	}})

func (s *session) NameUses(ctx context.Context, ref engine.NameRef) ([]engine.ContentUse, error) {
	return call(ctx, s, nameUsesMethod, ref)
}

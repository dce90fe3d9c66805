package settings

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/doc"
)

// users keeps the profiles of the workspace.
type users struct{ of *Section }

func (users) lacks(svc any) string {
	if _, ok := svc.(engine.UserStore); !ok {
		return "This service does not share its users, so you can't list or change them here."
	}
	return ""
}

func (users) list(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error) {
	ps, err := svc.(engine.UserStore).Users(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	return toDocs(ps)
}

func (users) get(ctx context.Context, svc any, name string) (doc.Value, error) {
	p, err := svc.(engine.UserStore).User(ctx, name)
	if err != nil {
		return doc.Value{}, err
	}
	return toDoc(p)
}

func (u users) put(ctx context.Context, svc any, r PutRequest) (Saved, error) {
	k := svc.(engine.UserStore)
	p, err := fromDoc[engine.User](r.Value)
	if err != nil {
		return Saved{}, err
	}
	if r.Was != p.ID {
		if _, err := k.User(ctx, p.ID); err == nil {
			return Saved{}, u.of.taken(p.ID)
		}
	}
	if r.Was != "" && r.Base.Exists() {
		now, err := u.get(ctx, svc, r.Was)
		if err != nil {
			return Saved{}, err
		}
		if !doc.Equal(now, r.Base) {
			return Saved{}, u.of.errChanged(r.Was)
		}
	}
	if err := k.PutUser(ctx, p); err != nil {
		return Saved{}, err
	}
	if r.Was != "" && r.Was != p.ID {
		err = k.DeleteUser(ctx, r.Was)
	}
	return Saved{Name: p.ID}, err
}

func (users) remove(ctx context.Context, svc any, name string) error {
	return svc.(engine.UserStore).DeleteUser(ctx, name)
}

// uses returns the segments that have the user on their list.
func (users) uses(ctx context.Context, svc any, name string) ([]engine.ContentUse, error) {
	k, ok := keeperOf(svc)
	if !ok {
		return nil, nil
	}
	w, err := k.Workspace(ctx)
	if err != nil {
		return nil, err
	}
	var out []engine.ContentUse
	for _, s := range w.Segments {
		if slices.Contains(s.Members, name) {
			out = append(out, engine.ContentUse{In: engine.ContentRef{Kind: engine.KindSegment, Name: s.Name}, Name: s.Name})
		}
	}
	return out, nil
}

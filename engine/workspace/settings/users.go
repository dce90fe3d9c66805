package settings

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/doc"
)

// userStore stores the users of the workspace.
type userStore struct{ of *Section }

func (userStore) unavailable(svc any) string {
	if _, ok := svc.(engine.UserStore); !ok {
		return "This service does not share its users, so you can't list or change them here."
	}
	return ""
}

func (userStore) list(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error) {
	ps, err := svc.(engine.UserStore).Users(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	return toDocs(ps)
}

func (userStore) get(ctx context.Context, svc any, name string) (doc.Value, error) {
	p, err := svc.(engine.UserStore).User(ctx, name)
	if err != nil {
		return doc.Value{}, err
	}
	return toDoc(p)
}

func (u userStore) put(ctx context.Context, svc any, r PutRequest) (Saved, error) {
	k := svc.(engine.UserStore)
	p, err := fromDoc[engine.User](r.Value)
	if err != nil {
		return Saved{}, err
	}
	if r.Name != p.ID {
		if _, err := k.User(ctx, p.ID); err == nil {
			return Saved{}, u.of.errNameTaken(p.ID)
		}
	}
	if r.Name != "" && r.Base.Exists() {
		now, err := u.get(ctx, svc, r.Name)
		if err != nil {
			return Saved{}, err
		}
		if !doc.Equal(now, r.Base) {
			return Saved{}, u.of.errChanged(r.Name)
		}
	}
	if err := k.PutUser(ctx, p); err != nil {
		return Saved{}, err
	}
	if r.Name != "" && r.Name != p.ID {
		err = k.DeleteUser(ctx, r.Name)
	}
	return Saved{Name: p.ID}, err
}

func (userStore) remove(ctx context.Context, svc any, name string) error {
	return svc.(engine.UserStore).DeleteUser(ctx, name)
}

// uses returns the segments that list the user.
func (userStore) uses(ctx context.Context, svc any, name string) ([]engine.ContentUse, error) {
	k, ok := workspaceStore(svc)
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

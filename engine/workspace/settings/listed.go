package settings

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/doc"
)

const noWorkspace = "You can't change this workspace here. Use the dashboard of the service."

func workspaceStore(svc any) (engine.WorkspaceStore, bool) {
	k, ok := svc.(engine.WorkspaceStore)
	return k, ok
}

func workspaceOf(ctx context.Context, svc any) (engine.Workspace, error) {
	k, ok := workspaceStore(svc)
	if !ok {
		return engine.Workspace{}, errUnavailable(noWorkspace)
	}
	return k.Workspace(ctx)
}

// workspaceRecords is embedded by stores of records in the workspace's settings.
type workspaceRecords struct{}

func (workspaceRecords) unavailable(svc any) string {
	if _, ok := workspaceStore(svc); !ok {
		return noWorkspace
	}
	return ""
}

func update(ctx context.Context, svc any, change func(*engine.Workspace) error) error {
	k, ok := workspaceStore(svc)
	if !ok {
		return errUnavailable(noWorkspace)
	}
	return k.UpdateWorkspace(ctx, change)
}

// singleStore stores the only record of a section.
type singleStore[T any] struct {
	workspaceRecords
	of  *Section
	get func(engine.Workspace) T
	set func(*engine.Workspace, T)
}

func (s singleStore[T]) list(ctx context.Context, svc any, text string, _ int) ([]doc.Value, error) {
	w, err := workspaceOf(ctx, svc)
	if err != nil {
		return nil, err
	}
	v, err := toDoc(s.get(w))
	if err != nil || !holds(v, text) {
		return nil, err
	}
	return []doc.Value{v}, nil
}

func (s singleStore[T]) put(ctx context.Context, svc any, r PutRequest) (Saved, error) {
	record, err := fromDoc[T](r.Value)
	if err != nil {
		return Saved{}, err
	}
	return Saved{Name: s.of.Singular}, update(ctx, svc, func(w *engine.Workspace) error {
		if r.Base.Exists() {
			now, err := toDoc(s.get(*w))
			if err != nil {
				return err
			}
			if !doc.Equal(now, r.Base) {
				return s.of.errChanged(w.ID)
			}
		}
		s.set(w, record)
		return nil
	})
}

func (singleStore[T]) remove(context.Context, any, string) error { return nil }

func (singleStore[T]) uses(context.Context, any, string) ([]engine.ContentUse, error) {
	return nil, nil
}

// listStore stores the records of a list in the settings.
type listStore[T any] struct {
	workspaceRecords
	of    *Section
	read  func(engine.Workspace) []T // a copy
	write func(*engine.Workspace, []T)
	// lists returns the workspace's lists that contain the record's name; nil if nothing refers to it.
	lists func(T) []string
	// prepare completes a record; was is the one it replaces, or nil.
	prepare func(now *T, was *T, saved *Saved) error
	// shown hides secret parts; nil if there are none.
	shown func(T) T
}

func (l listStore[T]) doc(record T) (doc.Value, error) {
	if l.shown != nil {
		record = l.shown(record)
	}
	return toDoc(record)
}

func (l listStore[T]) docs(w engine.Workspace) ([]doc.Value, error) {
	var out []doc.Value
	for _, r := range l.read(w) {
		v, err := l.doc(r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (l listStore[T]) list(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error) {
	w, err := workspaceOf(ctx, svc)
	if err != nil {
		return nil, err
	}
	all, err := l.docs(w)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(v doc.Value) bool { return !holds(v, text) })
	if all = byName(l.of, all); limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all, nil
}

// index returns the index of the record with a name, or -1.
func (l listStore[T]) index(all []doc.Value, name string) int {
	return slices.IndexFunc(all, func(v doc.Value) bool { return l.of.NameOf(v) == name })
}

func (l listStore[T]) put(ctx context.Context, svc any, r PutRequest) (saved Saved, err error) {
	record, err := fromDoc[T](r.Value)
	if err != nil {
		return saved, err
	}
	saved.Name = l.of.NameOf(r.Value)
	err = update(ctx, svc, func(w *engine.Workspace) error {
		all, err := l.docs(*w)
		if err != nil {
			return err
		}
		at := -1
		if r.Name != "" {
			if at = l.index(all, r.Name); at < 0 {
				return l.of.errNotFound(r.Name)
			}
			if r.Base.Exists() && !doc.Equal(l.of.Settable(all[at]), l.of.Settable(r.Base)) {
				return l.of.errChanged(r.Name)
			}
		}
		if other := l.index(all, saved.Name); other >= 0 && other != at {
			return l.of.errNameTaken(saved.Name)
		}
		list := l.read(*w)
		now := record
		var was *T
		if at >= 0 {
			was = &list[at]
		}
		if l.prepare != nil {
			if err := l.prepare(&now, was, &saved); err != nil {
				return err
			}
		}
		if at >= 0 {
			list[at] = now
		} else {
			list = append(list, now)
		}
		l.write(w, list)
		return nil
	})
	return saved, err
}

func (l listStore[T]) remove(ctx context.Context, svc any, name string) error {
	return update(ctx, svc, func(w *engine.Workspace) error {
		all, err := l.docs(*w)
		if err != nil {
			return err
		}
		at := l.index(all, name)
		if at < 0 {
			return l.of.errNotFound(name)
		}
		l.write(w, slices.Delete(l.read(*w), at, at+1))
		return nil
	})
}

func (l listStore[T]) uses(ctx context.Context, svc any, name string) ([]engine.ContentUse, error) {
	u, ok := svc.(engine.NameUses)
	if !ok || l.lists == nil {
		return nil, nil
	}
	w, err := workspaceOf(ctx, svc)
	if err != nil {
		return nil, err
	}
	all, err := l.docs(w)
	if err != nil {
		return nil, err
	}
	at := l.index(all, name)
	if at < 0 {
		return nil, l.of.errNotFound(name)
	}
	var out []engine.ContentUse
	for _, list := range l.lists(l.read(w)[at]) {
		uses, err := u.NameUses(ctx, engine.NameRef{List: list, Name: name})
		if err != nil {
			return nil, err
		}
		out = append(out, uses...)
	}
	return out, nil
}

// nameRecord is a record that is only a name, such as a team.
type nameRecord struct {
	Name string `json:"name"`
}

// newNames returns a store for a list of names in the settings.
func newNames(of *Section, list string, at func(*engine.Workspace) *[]string) recordStore {
	return listStore[nameRecord]{
		of: of, lists: func(nameRecord) []string { return []string{list} },
		read: func(w engine.Workspace) []nameRecord {
			out := make([]nameRecord, 0, len(*at(&w)))
			for _, name := range *at(&w) {
				out = append(out, nameRecord{name})
			}
			return out
		},
		write: func(w *engine.Workspace, records []nameRecord) {
			out := make([]string, 0, len(records))
			for _, r := range records {
				out = append(out, r.Name)
			}
			*at(w) = out
		},
	}
}

// newListStore returns a store for the list that at returns.
func newListStore[T any](of *Section, at func(*engine.Workspace) *[]T) listStore[T] {
	return listStore[T]{
		of:    of,
		read:  func(w engine.Workspace) []T { return slices.Clone(*at(&w)) },
		write: func(w *engine.Workspace, records []T) { *at(w) = records },
	}
}

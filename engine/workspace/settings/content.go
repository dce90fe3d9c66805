package settings

import (
	"context"
	"fmt"
	"slices"

	"bugle/engine"
	"bugle/engine/doc"
)

// contentStore stores the items of one kind of content.
type contentStore struct {
	of   *Section
	kind engine.ContentKind
	// record returns the record in an item, and item the item for a record.
	record func(engine.ContentItem) any
	item   func(doc.Value) (engine.ContentItem, error)
}

func newContentStore[T any](of *Section, kind engine.ContentKind, at func(*engine.ContentItem) **T) contentStore {
	return contentStore{
		of: of, kind: kind,
		record: func(i engine.ContentItem) any { return *at(&i) },
		item: func(v doc.Value) (out engine.ContentItem, err error) {
			record, err := fromDoc[T](v)
			*at(&out) = &record
			return out, err
		},
	}
}

func (c contentStore) unavailable(svc any) string {
	if _, ok := svc.(engine.ContentStore); !ok {
		return noWorkspace
	}
	return ""
}

func (c contentStore) ref(name string) engine.ContentRef {
	return engine.ContentRef{Kind: c.kind, Name: name}
}

func (c contentStore) list(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error) {
	items, err := svc.(engine.ContentStore).Content(ctx, c.kind)
	if err != nil {
		return nil, err
	}
	records := make([]any, 0, len(items))
	for _, i := range items {
		records = append(records, c.record(i))
	}
	all, err := toDocs(records)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(v doc.Value) bool { return !holds(v, text) })
	if all = byName(c.of, all); limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all, nil
}

func (c contentStore) get(ctx context.Context, svc any, name string) (doc.Value, error) {
	item, err := svc.(engine.ContentStore).ContentItem(ctx, c.ref(name))
	if err != nil {
		return doc.Value{}, err
	}
	return toDoc(c.record(item))
}

// put stores an item. To rename it, it is added under the new name and then deleted under the old one; if
// that is interrupted, both exist.
func (c contentStore) put(ctx context.Context, svc any, r PutRequest) (Saved, error) {
	k := svc.(engine.ContentStore)
	name := c.of.NameOf(r.Value)
	if r.Name != "" {
		now, err := c.get(ctx, svc, r.Name)
		if err != nil {
			return Saved{}, err
		}
		if r.Base.Exists() && !doc.Equal(now, r.Base) {
			return Saved{}, c.of.errChanged(r.Name)
		}
	}
	if r.Name != name {
		if _, err := k.ContentItem(ctx, c.ref(name)); err == nil {
			return Saved{}, c.of.errNameTaken(name)
		}
	}
	value := r.Value
	if c.kind == engine.KindTemplate { // a version never changes: the next one is made
		value = value.Delete(doc.P("version")).Delete(doc.P("saved_at"))
	}
	item, err := c.item(value)
	if err != nil {
		return Saved{}, err
	}
	ref, err := k.PutContent(ctx, item)
	if err != nil {
		return Saved{}, c.placed(err)
	}
	saved := Saved{Name: ref.Name}
	if ref.Version > 0 {
		saved.Note = fmt.Sprintf("This is version %d. Earlier versions do not change.", ref.Version)
	}
	if r.Name != "" && r.Name != name {
		err = k.DeleteContent(ctx, c.ref(r.Name))
	}
	return saved, err
}

// placed converts the paths of problems with a template's content to paths in the record.
func (c contentStore) placed(err error) error {
	e := engine.AsError(err)
	if c.kind != engine.KindTemplate || e == nil {
		return err
	}
	within := doc.P("content")
	out := *e
	if p, perr := doc.ParsePath(e.Target); perr == nil && len(p) > 0 && c.of.Schema().Root().Child(p[0].Name) == nil {
		out.Target = within.Join(p...).String()
	}
	out.Problems = slices.Clone(e.Problems)
	for i := range out.Problems {
		out.Problems[i].Path = within.Join(out.Problems[i].Path...)
	}
	return &out
}

func (c contentStore) remove(ctx context.Context, svc any, name string) error {
	return svc.(engine.ContentStore).DeleteContent(ctx, c.ref(name))
}

func (c contentStore) uses(ctx context.Context, svc any, name string) ([]engine.ContentUse, error) {
	return svc.(engine.ContentStore).ContentUses(ctx, c.ref(name))
}

package render

import (
	"context"
	"maps"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
)

// TemplateCache has the saved templates that have been read, for a document that changes while it is shown. It
// is immutable; the zero value is empty.
type TemplateCache struct {
	items map[engine.ContentRef]*engine.ContentItem
} // nil if it does not exist

// Resolve returns a document with the content of its saved templates, and the templates. If some have not been
// read, it returns their references in unread, and the document unchanged.
func (s TemplateCache) Resolve(ch engine.Channel, document doc.Value) (whole doc.Value, t TemplateStatus, named, unread []engine.ContentRef) {
	l := cacheLookup{cache: s}
	whole, taken, err := assemble.ExpandTemplates(context.Background(), &l, ch, document)
	if err != nil || len(l.unread) > 0 {
		return document, nil, l.named, l.unread
	}
	return whole, TemplatesFromUses(taken), l.named, nil
}

// Read reads templates and returns a cache that contains them as well.
func (s TemplateCache) Read(ctx context.Context, from assemble.TemplateSource, refs []engine.ContentRef) (TemplateCache, error) {
	out := TemplateCache{make(map[engine.ContentRef]*engine.ContentItem, len(s.items)+len(refs))}
	maps.Copy(out.items, s.items)
	for _, ref := range refs {
		item, err := from.ContentItem(ctx, ref)
		switch e := engine.AsError(err); {
		case err == nil:
			out.items[ref] = &item
		case e != nil && e.Code == engine.NotFound:
			out.items[ref] = nil
		default:
			return s, err
		}
	}
	return out, nil
}

// cacheLookup is a cache as a source of templates. It records the references.
type cacheLookup struct {
	cache         TemplateCache
	named, unread []engine.ContentRef
}

func (l *cacheLookup) ContentItem(_ context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	l.named = append(l.named, ref)
	item, ok := l.cache.items[ref]
	if !ok {
		l.unread = append(l.unread, ref)
	}
	if item == nil {
		return engine.ContentItem{}, engine.Errorf(engine.NotFound, 404, "there is no %s", ref)
	}
	return *item, nil
}

package preview

import (
	"context"
	"maps"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/render"
)

// Shelf is the saved templates of a workspace as far as they were read, for a document that changes while it
// is shown. It does not change; the zero Shelf is empty.
type Shelf struct {
	read map[engine.ContentRef]*engine.ContentItem
} // nil: there is none

// Whole returns a document with what its messages have from saved templates, and what is known of those. While
// some that it names were not read, which it gives besides, the document is as it was.
func (s Shelf) Whole(ch engine.Channel, document doc.Value) (whole doc.Value, t render.TemplateStatus, named, unread []engine.ContentRef) {
	l := lookup{shelf: s}
	whole, taken, err := assemble.ExpandTemplates(context.Background(), &l, ch, document)
	if err != nil || len(l.unread) > 0 {
		return document, nil, l.named, l.unread
	}
	return whole, render.TemplatesFromUses(taken), l.named, nil
}

// Read reads templates, and gives a shelf that has those besides what is on this one.
func (s Shelf) Read(ctx context.Context, from assemble.TemplateSource, refs []engine.ContentRef) (Shelf, error) {
	out := Shelf{make(map[engine.ContentRef]*engine.ContentItem, len(s.read)+len(refs))}
	maps.Copy(out.read, s.read)
	for _, ref := range refs {
		item, err := from.ContentItem(ctx, ref)
		switch e := engine.AsError(err); {
		case err == nil:
			out.read[ref] = &item
		case e != nil && e.Code == engine.NotFound:
			out.read[ref] = nil
		default:
			return s, err
		}
	}
	return out, nil
}

// lookup is a shelf as templates are looked up on it; it notes which.
type lookup struct {
	shelf         Shelf
	named, unread []engine.ContentRef
}

func (l *lookup) ContentItem(_ context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	l.named = append(l.named, ref)
	item, ok := l.shelf.read[ref]
	if !ok {
		l.unread = append(l.unread, ref)
	}
	if item == nil {
		return engine.ContentItem{}, engine.Errorf(engine.NotFound, 404, "there is no %s", ref)
	}
	return *item, nil
}

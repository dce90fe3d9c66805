package kv

import (
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// content is the kind of records of all kinds of content. The version of what is no template is 0.
var content = kind{id: 'k', parts: "ssn", name: "%s %s, version %d", plural: "content items", change: store.ChangedSettings}

var contentTables = map[engine.ContentKind]table[engine.ContentItem]{
	engine.KindProducts: asJSON[engine.ContentItem](content.named(engine.KindProducts.Label() + " %[2]s")),
	engine.KindAPI:      asJSON[engine.ContentItem](content.named(engine.KindAPI.Label() + " %[2]s")),
	engine.KindTemplate: withDocument(content.named(engine.KindTemplate.Label()+" %[2]s, version %[3]d"), splitTemplate, joinTemplate),
}

func (k kind) named(name string) kind {
	k.name = name
	return k
}

func splitTemplate(item engine.ContentItem) (wire.Template, doc.Value) {
	return wire.ToTemplate(*item.Template), item.Template.Content
}

func joinTemplate(head wire.Template, content doc.Value) (engine.ContentItem, error) {
	template := head.Engine(content)
	return engine.ContentItem{Template: &template}, nil
}

// contentKey returns the parts of an item's key; without a version, it returns those that all versions of a template have
// in common.
func contentKey(ref engine.ContentRef) []any {
	key := []any{string(ref.Kind), ref.Name}
	if ref.Kind == engine.KindTemplate && ref.Version == 0 {
		return key
	}
	return append(key, int64(ref.Version))
}

// ContentItem implements [store.Content]. If ref is a template without a version, it returns the newest one.
func (s WorkspaceTx) ContentItem(ref engine.ContentRef) (item engine.ContentItem, err error) {
	if err := store.CheckContent(ref); err != nil {
		return item, err
	}
	items, key := contentTables[ref.Kind], contentKey(ref)
	if len(key) == len(items.parts) {
		return items.get(s, key...)
	}
	found := store.ErrNotFound
	err = items.each(s, ScanOptions{Reverse: true, Limit: 1}, func(i engine.ContentItem) error {
		item, found = i, nil
		return nil
	}, key...)
	if err == nil {
		err = found
	}
	return item, err
}

// Content implements [store.Content], with every version of a template.
func (s WorkspaceTx) Content(of engine.ContentKind, fn func(engine.ContentItem) error) error {
	if err := store.CheckContentKind(of); err != nil {
		return err
	}
	return contentTables[of].each(s, ScanOptions{}, fn, string(of))
}

// PutContent implements [store.Content].
func (s WorkspaceTx) PutContent(item engine.ContentItem) error {
	if err := store.CheckContentItem(item); err != nil {
		return err
	}
	return contentTables[item.Ref().Kind].put(s, item, contentKey(item.Ref())...)
}

// DeleteContent implements [store.Content]. If ref is a template without a version, it removes all versions.
func (s WorkspaceTx) DeleteContent(ref engine.ContentRef) error {
	if err := store.CheckContent(ref); err != nil {
		return err
	}
	n, err := contentTables[ref.Kind].clear(s, 0, contentKey(ref)...)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

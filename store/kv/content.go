package kv

import (
	"errors"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// Product sets, content APIs, and templates are records of their own; content blocks are part of the settings.

// ContentItem returns a product set, a content API, or a version of a template. If ref has no version, it returns the
// newest one.
func (s WorkspaceTx) ContentItem(ref engine.ContentRef) (engine.ContentItem, error) {
	var out engine.ContentItem
	if err := s.checkContent(ref); err != nil {
		return out, err
	}
	if ref.Kind != engine.KindTemplate || ref.Version > 0 {
		payload, err := s.get(ref.String(), s.contentKey(ref))
		if err != nil {
			return out, err
		}
		return s.contentItem(ref.Kind, ref.String(), payload)
	}
	found := false
	err := s.walk(ref.String(), s.contentKey(ref), ScanOptions{Reverse: true, Limit: 1}, func(_, payload []byte) (err error) {
		found = true
		out, err = s.contentItem(ref.Kind, ref.String(), payload)
		return err
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return out, err
}

// Content calls fn with all items of a kind in the order of their names, with every version of a template. fn may
// return [store.Stop].
func (s WorkspaceTx) Content(kind engine.ContentKind, fn func(engine.ContentItem) error) error {
	if err := s.checkContent(engine.ContentRef{Kind: kind, Name: "any"}); err != nil {
		return err
	}
	what := "the " + kind.Label()
	return s.walk(what, s.key(kindContent, string(kind)), ScanOptions{}, func(rest, payload []byte) error {
		item, err := s.contentItem(kind, what+" "+label(rest), payload)
		if err != nil {
			return err
		}
		return fn(item)
	})
}

// PutContent stores an item, and replaces the item with the same name and version.
func (s WorkspaceTx) PutContent(item engine.ContentItem) error {
	ref := item.Ref()
	if err := errors.Join(s.check(), store.CheckContentItem(item)); err != nil {
		return err
	}
	switch key := s.contentKey(ref); {
	case item.Products != nil:
		return s.putJSON(ref.String(), key, item.Products)
	case item.API != nil:
		return s.putJSON(ref.String(), key, item.API)
	default:
		return s.putWith(ref.String(), key, wire.ToTemplate(*item.Template), item.Template.Content)
	}
}

// DeleteContent removes an item. If ref names a template without a version, it removes all versions. It fails with
// [store.ErrNotFound] if there is none.
func (s WorkspaceTx) DeleteContent(ref engine.ContentRef) error {
	if err := s.checkContent(ref); err != nil {
		return err
	}
	key := s.contentKey(ref)
	if ref.Kind == engine.KindTemplate && ref.Version == 0 {
		n, err := s.clear(ref.String(), key, 0)
		if err == nil && n == 0 {
			err = store.ErrNotFound
		}
		return err
	}
	if _, err := s.tx.Get(key); err != nil {
		return err
	}
	return s.delete(ref.String(), key)
}

func (s WorkspaceTx) checkContent(ref engine.ContentRef) error {
	return errors.Join(s.check(), store.CheckContent(ref))
}

// contentKey returns the key of an item; without a version, it returns the common prefix of a template's versions.
func (s WorkspaceTx) contentKey(ref engine.ContentRef) []byte {
	key := s.key(kindContent, string(ref.Kind), ref.Name)
	if ref.Kind == engine.KindTemplate && ref.Version > 0 {
		key = appendNumber(key, int64(ref.Version))
	}
	return key
}

func (s WorkspaceTx) contentItem(kind engine.ContentKind, what string, payload []byte) (out engine.ContentItem, err error) {
	switch kind {
	case engine.KindProducts:
		out.Products = &engine.ProductSet{}
		err = wire.Decode(payload, out.Products)
	case engine.KindAPI:
		out.API = &engine.ContentAPI{}
		err = wire.Decode(payload, out.API)
	case engine.KindTemplate:
		var w wire.Template
		out.Template = &engine.ContentTemplate{}
		if out.Template.Content, err = wire.DecodeWith(payload, &w); err == nil {
			*out.Template = w.Engine(out.Template.Content)
		}
	}
	if err != nil {
		return engine.ContentItem{}, s.damaged(what, err)
	}
	return out, nil
}

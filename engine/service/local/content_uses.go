package local

import (
	"context"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/store"
)

// rootOf maps kinds of content to the names in expressions (CONTRACT.md, Personalization).
var rootOf = map[engine.ContentKind]string{
	engine.KindBlock: "ContentBlock", engine.KindProducts: "ProductSet", engine.KindAPI: "ContentApi",
}

// ContentUses returns the references to an item. It does not detect names that expressions compute.
func (u *uses) ContentUses(ctx context.Context, ref engine.ContentRef) ([]engine.ContentUse, error) {
	var out []engine.ContentUse
	err := u.view(ctx, func(sp store.WorkspaceTx) error {
		out = nil
		if _, err := u.content.item(sp, ref); err != nil {
			return err
		}
		w, err := u.settings(sp)
		if err != nil {
			return err
		}
		n := contentFinder{ref: ref, root: rootOf[ref.Kind]}
		for _, b := range w.ContentBlocks {
			if n.inText(b.Source) && !(ref.Kind == engine.KindBlock && ref.Name == b.Name) {
				out = append(out, engine.ContentUse{In: engine.ContentRef{Kind: engine.KindBlock, Name: b.Name}, Name: b.Name})
			}
		}
		err = sp.Content(engine.KindTemplate, func(item engine.ContentItem) error {
			if n.in(item.Template.Content) {
				out = append(out, engine.ContentUse{In: item.Ref(), Name: item.Ref().Name})
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		return u.sendable(ctx, sp, func(sum engine.Summary, c engine.Campaign) {
			if n.in(c.Body) {
				out = append(out, engine.ContentUse{Campaign: sum.ID, Name: sum.Name, Status: sum.Status})
			}
		})
	})
	return out, err
}

// contentFinder finds references to a content item.
type contentFinder struct {
	ref  engine.ContentRef
	root string // "" for a template
}

func (u contentFinder) in(v doc.Value) bool {
	switch v.Kind() {
	case doc.String:
		return u.root != "" && u.inText(v.Text())
	case doc.Array:
		for _, e := range v.Elems() {
			if u.in(e) {
				return true
			}
		}
	case doc.Object:
		if u.root == "" && u.usesTemplate(v) {
			return true
		}
		for _, m := range v.Members() {
			if u.in(m) {
				return true
			}
		}
	}
	return false
}

func (u contentFinder) usesTemplate(v doc.Value) bool {
	if v.Get(catalog.CustomTemplateID).Text() != u.ref.Name {
		return false
	}
	version, given := v.Get(catalog.CustomTemplateVersion).Int()
	return u.ref.Version == 0 || !given || int(version) == u.ref.Version
}

func (u contentFinder) inText(src string) bool {
	if u.root == "" || !strings.Contains(src, u.root) || !strings.Contains(src, u.ref.Name) {
		return false
	}
	used, err := template.Expressions(src)
	if err != nil {
		return true // it cannot be read, and has both words
	}
	return slices.ContainsFunc(used, func(e template.Expression) bool { return e.Root == u.root && e.Name == u.ref.Name })
}

package local

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/store"
)

var _ engine.ContentStore = (*Service)(nil)

// maxContentName is the longest name of a content item in bytes.
const maxContentName = 100

// content stores content blocks, product sets, content APIs and templates, and provides them for expressions.
type content struct{ *writer }

// Content returns the items of a kind by name, and the newest version of each template.
func (c *content) Content(ctx context.Context, kind engine.ContentKind) ([]engine.ContentItem, error) {
	if !slices.Contains(engine.ContentKinds(), kind) {
		return nil, refuse("kind", "unknown kind of content %q", kind)
	}
	var out []engine.ContentItem
	err := c.view(ctx, func(sp store.WorkspaceTx) (err error) {
		out, err = c.items(sp, kind)
		return err
	})
	return out, err
}

func (c *content) items(sp store.WorkspaceTx, kind engine.ContentKind) ([]engine.ContentItem, error) {
	var out []engine.ContentItem
	if kind == engine.KindBlock {
		w, err := c.settings(sp)
		for _, b := range w.ContentBlocks {
			out = append(out, engine.ContentItem{Block: &b})
		}
		slices.SortFunc(out, func(a, b engine.ContentItem) int { return strings.Compare(a.Block.Name, b.Block.Name) })
		return out, err
	}
	err := sp.Content(kind, func(item engine.ContentItem) error {
		if n := len(out); n > 0 && out[n-1].Ref().Name == item.Ref().Name {
			out[n-1] = item // a later version
			return nil
		}
		out = append(out, item)
		return nil
	})
	return out, err
}

// ContentItem returns one item, or NOT_FOUND.
func (c *content) ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	var out engine.ContentItem
	err := c.view(ctx, func(sp store.WorkspaceTx) (err error) {
		out, err = c.item(sp, ref)
		return err
	})
	return out, err
}

func (c *content) item(sp store.WorkspaceTx, ref engine.ContentRef) (engine.ContentItem, error) {
	if !slices.Contains(engine.ContentKinds(), ref.Kind) {
		return engine.ContentItem{}, refuse("kind", "unknown kind of content %q", ref.Kind)
	}
	if ref.Name == "" || len(ref.Name) > maxContentName || ref.Version < 0 {
		return engine.ContentItem{}, missingContent(ref)
	}
	if ref.Kind == engine.KindBlock {
		w, err := c.settings(sp)
		if err != nil {
			return engine.ContentItem{}, err
		}
		if i := blockAt(w, ref.Name); i >= 0 {
			return engine.ContentItem{Block: &w.ContentBlocks[i]}, nil
		}
		return engine.ContentItem{}, missingContent(ref)
	}
	item, err := sp.ContentItem(ref)
	if errors.Is(err, store.ErrNotFound) {
		return item, missingContent(ref)
	}
	return item, err
}

func missingContent(ref engine.ContentRef) error {
	return missing("there is no %s in this workspace", ref)
}

func blockAt(w engine.Workspace, name string) int {
	return slices.IndexFunc(w.ContentBlocks, func(b engine.ContentBlock) bool { return b.Name == name })
}

// PutContent adds or replaces an item, and returns its reference: a template without a version gets the next
// one.
func (c *content) PutContent(ctx context.Context, item engine.ContentItem) (engine.ContentRef, error) {
	if err := c.checkContent(item); err != nil {
		return engine.ContentRef{}, err
	}
	ref := item.Ref()
	err := c.update(ctx, func(sp store.WorkspaceTx) error {
		ref = item.Ref()
		switch ref.Kind {
		case engine.KindBlock:
			return c.putBlock(sp, *item.Block)
		case engine.KindTemplate:
			var err error
			ref, err = c.putTemplate(sp, *item.Template)
			return err
		}
		return sp.PutContent(item)
	})
	if err != nil {
		return engine.ContentRef{}, err
	}
	return ref, nil
}

func (c *content) putBlock(sp store.WorkspaceTx, b engine.ContentBlock) error {
	w, err := c.settings(sp)
	if err != nil {
		return err
	}
	w.ContentBlocks = slices.Clone(w.ContentBlocks)
	if i := blockAt(w, b.Name); i >= 0 {
		w.ContentBlocks[i] = b
	} else {
		w.ContentBlocks = append(w.ContentBlocks, b)
	}
	if chain := blockCycle(w, b.Name); chain != nil {
		return refuse("source", "the content block %q would contain itself: %s", b.Name, strings.Join(chain, " → "))
	}
	return sp.PutSettings(w)
}

// blockCycle returns the blocks through which a block includes itself, or nil. It does not detect names that
// expressions compute.
func blockCycle(w engine.Workspace, name string) []string {
	seen := map[string]bool{}
	var follow func(at string, way []string) []string
	follow = func(at string, way []string) []string {
		way = append(way, at)
		i := blockAt(w, at)
		if i < 0 || seen[at] {
			return nil
		}
		seen[at] = true
		used, _ := template.Expressions(w.ContentBlocks[i].Source) // one that cannot be read names nothing
		for _, e := range used {
			if e.Root != "ContentBlock" {
				continue
			}
			if e.Name == name {
				return append(way, name)
			}
			if chain := follow(e.Name, slices.Clone(way)); chain != nil {
				return chain
			}
		}
		return nil
	}
	return follow(name, nil)
}

func (c *content) putTemplate(sp store.WorkspaceTx, t engine.ContentTemplate) (engine.ContentRef, error) {
	ref := engine.ContentRef{Kind: engine.KindTemplate, Name: t.ID}
	newest, err := sp.ContentItem(ref)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return ref, err
	}
	if err == nil && (newest.Template.Channel != t.Channel || newest.Template.Platform != t.Platform) {
		return ref, refuse("channel", "earlier versions of the template %q are for %s; save this one under another ID", t.ID, assemble.TemplateTarget(*newest.Template))
	}
	if t.SavedAt.IsZero() {
		t.SavedAt = c.now()
	}
	switch {
	case t.Version > 0:
	case err != nil:
		t.Version = 1
	case newest.Template.Name == t.Name && slices.Equal(newest.Template.Content.Encode(), t.Content.Encode()):
		return newest.Ref(), nil // nothing is new
	default:
		t.Version = newest.Template.Version + 1
	}
	ref.Version = t.Version
	there, err := sp.ContentItem(ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return ref, sp.PutContent(engine.ContentItem{Template: &t})
	case err != nil:
		return ref, err
	case !slices.Equal(there.Template.Content.Encode(), t.Content.Encode()):
		e := engine.Errorf(engine.BadRequest, http.StatusConflict, "version %d of the template %q already exists with other content; leave out the version to save a new one", t.Version, t.ID)
		e.Target = "version"
		return ref, e
	}
	return ref, nil
}

// DeleteContent deletes an item, or returns NOT_FOUND.
func (c *content) DeleteContent(ctx context.Context, ref engine.ContentRef) error {
	return c.update(ctx, func(sp store.WorkspaceTx) error {
		if _, err := c.item(sp, ref); err != nil {
			return err
		}
		if ref.Kind != engine.KindBlock {
			return sp.DeleteContent(ref)
		}
		w, err := c.settings(sp)
		if err != nil {
			return err
		}
		w.ContentBlocks = slices.DeleteFunc(slices.Clone(w.ContentBlocks), func(b engine.ContentBlock) bool { return b.Name == ref.Name })
		return sp.PutSettings(w)
	})
}

// TryContentAPI calls a content API once.
func (c *content) TryContentAPI(ctx context.Context, name string, args []any) (engine.ContentTrial, error) {
	var api engine.ContentAPI
	var policy engine.ContentPolicy
	err := c.view(ctx, func(sp store.WorkspaceTx) error {
		item, err := c.item(sp, engine.ContentRef{Kind: engine.KindAPI, Name: name})
		if err != nil {
			return err
		}
		w, err := c.settings(sp)
		api, policy = *item.API, w.ContentAPIs
		return err
	})
	if err != nil {
		return engine.ContentTrial{}, err
	}
	out := (&contentapi.Client{Now: c.now}).Try(ctx, api, policy, args)
	return out, ctx.Err()
}

// checkContent refuses an item that no message could use.
func (c *content) checkContent(item engine.ContentItem) error {
	ref := item.Ref()
	switch {
	case ref.Kind == "":
		return refuse("kind", "send a content block, a product set, a content API or a template")
	case ref.Name == "" || len(ref.Name) > maxContentName || strings.TrimSpace(ref.Name) != ref.Name || strings.ContainsFunc(ref.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return refuse("name", "the name of a %s must have 1 to %d characters, without spaces at the start or end", ref.Kind.Label(), maxContentName)
	case strings.Contains(ref.Name, "'") && strings.Contains(ref.Name, `"`):
		return refuse("name", "a name cannot contain both single and double quotes")
	}
	switch {
	case item.Block != nil:
		if err := template.Check(item.Block.Source); err != nil {
			return refuse("source", "%w", err)
		}
	case item.Products != nil:
		if n := len(item.Products.Products); n > template.MaxItems {
			return refuse("products", "a product set can have at most %d products, not %d", template.MaxItems, n)
		}
	case item.API != nil:
		if err := contentapi.Check(*item.API); err != nil {
			return refuse("content_api", "%w", err)
		}
	case item.Template != nil:
		return c.checkTemplate(*item.Template)
	}
	return nil
}

// checkTemplate checks a template like the content of a message that uses it.
func (c *content) checkTemplate(t engine.ContentTemplate) error {
	at, ok := assemble.TemplatePath(t)
	switch {
	case !ok && t.Channel == catalog.Push:
		return refuse("platform", "the platform of a push template must be %s or %s, not %q", catalog.Android, catalog.IOS, t.Platform)
	case !ok:
		return refuse("channel", "the channel of a template must be %s or %s, not %q", catalog.Push, catalog.Email, t.Channel)
	case t.Version < 0:
		return refuse("version", "the version must be at least 1")
	case t.Content.Kind() != doc.Object:
		return refuse("content", "the content of a template must be a JSON object, not %s", describeKind(t.Content))
	case t.Content.Get(catalog.CustomTemplateID).Exists():
		return refuse("content", "a template cannot use another template")
	}
	if err := checkSize(t.Content); err != nil {
		return err
	}
	root := doc.NewObject(doc.M(mChannel, doc.NewString(string(t.Channel))))
	root, err := root.Set(at, t.Content)
	if err != nil {
		return refuse("content", "cannot read the content: %w", err)
	}
	var own []schema.Problem
	for _, p := range catalog.Campaign(t.Channel).Validate(root, schema.Env{Stage: schema.Draft, Now: c.now(), Expression: template.Check}) {
		if p.Path.HasPrefix(at) {
			p.Path = p.Path[len(at):]
			own = append(own, p)
		}
	}
	if err := invalid("the template", own); err != nil {
		return err
	}
	f := resolve.Texts{Table: catalog.Campaign(t.Channel), Root: root, Fill: func(p doc.Path, _ *schema.Node, text string) (string, error) {
		if err := template.Check(text); err != nil {
			return text, refuse(p[len(at):].String(), "%w", err)
		}
		return text, nil
	}}
	_, err = f.At(at)
	return err
}

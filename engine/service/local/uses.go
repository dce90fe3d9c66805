package local

import (
	"context"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/store"
)

var _ engine.NameUses = (*Service)(nil)

// The lists of names that filters refer to.
const (
	listAttributes = "user_attributes"
	listEvents     = "events"
	listSegments   = "segments"
)

// uses finds references to the names and the content of the workspace.
type uses struct {
	*reader
	content *content
}

// NameUses returns the references to a name of the workspace. It does not detect names that expressions
// compute.
func (u *uses) NameUses(ctx context.Context, ref engine.NameRef) ([]engine.ContentUse, error) {
	if _, ok := (engine.Workspace{}).Lists(ref.List); !ok {
		return nil, refuse("list", "unknown list of names %q", ref.List)
	}
	var out []engine.ContentUse
	err := u.view(ctx, func(sp store.WorkspaceTx) error {
		out = nil
		w, err := u.settings(sp)
		if err != nil {
			return err
		}
		n := newNameFinder(ref, w)
		out = n.inWorkspace(ctx, w)
		if n.list == listAttributes {
			err = sp.Content(engine.KindTemplate, func(item engine.ContentItem) error {
				if n.inTexts(ctx, item.Template.Content) {
					out = append(out, engine.ContentUse{In: item.Ref(), Name: item.Ref().Name})
				}
				return ctx.Err()
			})
			if err != nil {
				return err
			}
		}
		return u.sendable(ctx, sp, func(sum engine.Summary, c engine.Campaign) {
			if n.inCampaign(ctx, c) {
				out = append(out, engine.ContentUse{Campaign: sum.ID, Name: sum.Name, Status: sum.Status})
			}
		})
	})
	return out, err
}

// sendable iterates over the campaigns that can still be sent.
func (u *uses) sendable(ctx context.Context, sp store.WorkspaceTx, each func(engine.Summary, engine.Campaign)) error {
	var open []engine.Summary
	err := sp.Summaries(func(sum engine.Summary) error {
		sum.Head = engine.HeadAt(sum, u.now())
		if !slices.Contains([]engine.State{catalog.Sent, catalog.Stopped, catalog.Archived}, sum.Status) {
			open = append(open, sum)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, sum := range open {
		c, err := sp.Campaign(sum.ID)
		if err != nil {
			return err
		}
		each(sum, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// nameFinder finds references to a name.
type nameFinder struct {
	list, name string
	id         string // of a segment
}

func newNameFinder(ref engine.NameRef, w engine.Workspace) nameFinder {
	n := nameFinder{list: ref.List, name: ref.Name}
	if n.list == listSegments {
		for _, seg := range w.Segments {
			if seg.Name == n.name {
				n.id = seg.ID
			}
		}
	}
	return n
}

// inWorkspace finds the name in the segments and content blocks.
func (n nameFinder) inWorkspace(ctx context.Context, w engine.Workspace) []engine.ContentUse {
	var out []engine.ContentUse
	use := func(kind engine.ContentKind, name string) {
		out = append(out, engine.ContentUse{In: engine.ContentRef{Kind: kind, Name: name}, Name: name})
	}
	for _, seg := range w.Segments {
		itself := n.list == listSegments && seg.Name == n.name
		if group := seg.Group(); group.Exists() && !itself && n.inFilters(group, nil) {
			use(engine.KindSegment, seg.Name)
		}
	}
	for _, b := range w.ContentBlocks {
		if n.inText(ctx, b.Source) {
			use(engine.KindBlock, b.Name)
		}
	}
	return out
}

func (n nameFinder) inCampaign(ctx context.Context, c engine.Campaign) bool {
	root := c.Document()
	return n.inFields(catalog.Campaign(c.Channel).Root(), root, nil, root) || n.inTexts(ctx, c.Body)
}

// inFields finds the name in fields whose suggestions come from its list.
func (n nameFinder) inFields(at *schema.Node, v doc.Value, p doc.Path, root doc.Value) bool {
	switch {
	case at == nil:
		return false
	case at.Editor == schema.EditorFilters:
		return n.inFilters(root, p)
	}
	switch v.Kind() {
	case doc.String:
		return at.Suggest == n.list && v.Text() == n.name
	case doc.Array:
		for i, e := range v.Elems() {
			if n.inFields(at.Element, e, p.Elem(i), root) {
				return true
			}
		}
	case doc.Object:
		for name, m := range v.Members() {
			if n.inFields(at.Child(name), m, p.Child(name), root) {
				return true
			}
		}
	}
	return false
}

// inFilters finds the name in the filters of a group.
func (n nameFinder) inFilters(root doc.Value, group doc.Path) bool {
	kind, ok := map[string]audience.Kind{listAttributes: audience.Attribute, listEvents: audience.Action, listSegments: audience.Segment}[n.list]
	if !ok {
		return false
	}
	return slices.ContainsFunc(audience.Nodes(root, group, audience.Env{}, nil), func(node audience.Node) bool {
		if node.Kind != kind {
			return false
		}
		if kind == audience.Segment && n.id != "" && root.Lookup(node.Path).Get("id").Text() == n.id {
			return true
		}
		return root.Lookup(audience.Subject(root, node.Path)).Text() == n.name
	})
}

// inTexts finds a user attribute in a message's expressions.
func (n nameFinder) inTexts(ctx context.Context, v doc.Value) bool {
	switch v.Kind() {
	case doc.String:
		return n.inText(ctx, v.Text())
	case doc.Array:
		for _, e := range v.Elems() {
			if n.inTexts(ctx, e) {
				return true
			}
		}
	case doc.Object:
		for _, m := range v.Members() {
			if n.inTexts(ctx, m) {
				return true
			}
		}
	}
	return false
}

func (n nameFinder) inText(ctx context.Context, text string) bool {
	if n.list != listAttributes || !schema.HasExpression(text) {
		return false
	}
	used, err := template.Expressions(text)
	if err != nil {
		return strings.Contains(text, n.name) // it cannot be read, and has the word
	}
	return slices.ContainsFunc(used, func(e template.Expression) bool { return e.Root == "UserAttribute" && n.is(ctx, e.Name) })
}

// is reports whether name in an expression refers to the attribute: user.first_name is "First Name"
// (CONTRACT.md, Personalization).
func (n nameFinder) is(ctx context.Context, name string) bool {
	if name == n.name || name == "" {
		return name != ""
	}
	quoted := string(doc.NewString(name).Encode())
	_, err := template.Render(ctx, "{{ UserAttribute["+quoted+"] }}", template.Data{UserAttributes: map[string]any{n.name: "there"}})
	return err == nil
}

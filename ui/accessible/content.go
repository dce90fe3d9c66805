package accessible

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// messages edits the content of a campaign: a message per locale and variation.
type messages struct{ *fields }

// edit lists the messages of a campaign by locale and variation, and the fields beside them.
func (m messages) edit(ctx context.Context, p doc.Path) error {
	return m.choose(ctx, menu{
		header: func() []string {
			_, locales, variations := engine.KeyChoices(m.campaign.Channel, m.root)
			n := len(m.errorsAt(p))
			return []string{fmt.Sprintf("%s: %s, %s, %s.", placeName(m.schema, p), phrase.Count(len(locales), "locale"), phrase.Count(len(variations), "variation"), phrase.Count(n, "problem"))}
		},
		items: func() []item { return m.contentItems(p) },
		help: func() []string {
			return append(m.help(m.rowAt(p))(), "Choose a message to fill in, or one of the settings for locales and variations.")
		},
		listAlways: true, leaveOnEmpty: true,
	})
}

func (m messages) contentItems(p doc.Path) []item {
	var out []item
	cells := render.Cells(m.campaign.Channel, m.root)
	names := cellNames(cells)
	for i, c := range cells {
		label := "The message"
		if len(cells) > 1 {
			label = "Message for " + names[i]
		}
		out = append(out, item{label: label, state: m.cellState(c.Path), run: func(ctx context.Context) error { return m.open(ctx, c.Path) }})
	}
	if at, ok := m.newCell(p); ok && len(cells) == 0 {
		out = append(out, item{label: "The message", state: "empty", run: func(ctx context.Context) error { return m.open(ctx, at) }})
	}
	for _, r := range m.rows(p) {
		if r.Node == nil || !isMessageContainer(r.Node) {
			out = append(out, item{label: r.label, state: r.state(), run: func(ctx context.Context) error { return m.openOrAsk(ctx, r.Path) }})
		}
	}
	if m.edits.LockedAt(p) != "" {
		return out
	}
	if filled, some := catalog.FillCells(m.root.Lookup(p)); some {
		out = append(out, item{
			label: "Fill", word: "fill", state: "copy the message to every locale and variation that has none",
			run: func(ctx context.Context) error {
				root, err := m.root.Set(p, filled)
				if err != nil {
					return m.reportError(ctx, "Not filled", err)
				}
				return m.change(ctx, root, "messages filled in")
			},
		})
	}
	if len(cells) > 1 {
		out = append(out, item{label: "Remove a message", word: "remove", run: func(ctx context.Context) error { return m.removeCell(ctx, cells) }})
	}
	return out
}

// isMessageContainer reports whether a node contains the messages: an object that may have the fields of a
// message or locales.
func isMessageContainer(n *schema.Node) bool { return n.Kind == schema.Object && n.Element != nil }

// newCell returns the place of the first message of a campaign without messages.
func (m messages) newCell(p doc.Path) (doc.Path, bool) {
	_, locales, variations := engine.KeyChoices(m.campaign.Channel, m.root)
	for _, r := range m.rows(p) {
		if r.Node == nil || !isMessageContainer(r.Node) {
			continue
		}
		at := r.Path
		if len(locales) > 1 || len(variations) > 1 {
			at = at.Child(locales[0]).Child(variations[0])
		}
		for _, inner := range m.rows(at) {
			if inner.Node != nil && inner.Node.Kind == schema.Object && inner.Shown && inner.unusedReason == "" {
				return inner.Path, true
			}
		}
	}
	return nil, false
}

// cellNames names messages by the parts in which they differ: "German, variation B".
func cellNames(cells []render.Cell) []string {
	differ := func(part func(render.Cell) string) bool {
		return slices.ContainsFunc(cells, func(c render.Cell) bool { return part(c) != part(cells[0]) })
	}
	locales := differ(func(c render.Cell) string { return c.Locale })
	variations := differ(func(c render.Cell) string { return c.Variation })
	out := make([]string, len(cells))
	for i, c := range cells {
		var words []string
		if locales || !variations {
			words = append(words, localeName(c.Locale))
		}
		if variations {
			words = append(words, variationName(c.Variation))
		}
		out[i] = strings.Join(words, ", ")
	}
	return out
}

func localeName(locale string) string {
	if locale == engine.DefaultLocale {
		return "the default locale"
	}
	return grid.LocaleName(locale)
}

func variationName(variation string) string {
	if name := grid.VariationName(variation); name != variation && variation != engine.ControlVariation {
		return "variation " + name
	}
	return grid.VariationName(variation)
}

func (m messages) removeCell(ctx context.Context, cells []render.Cell) error {
	options := make([]option, len(cells))
	names := cellNames(cells)
	for i, c := range cells {
		options[i] = option{label: names[i], help: m.cellState(c.Path)}
	}
	n, err := m.chooseOption(ctx, "Remove which", options, -1)
	if err != nil {
		return err
	}
	name := "message for " + names[n]
	yes, err := m.confirm(ctx, "Remove the "+name, false)
	if err != nil || !yes {
		return err
	}
	root, err := m.set(cells[n].Path, doc.Value{})
	if err != nil {
		return m.reportError(ctx, "Not removed", err)
	}
	// Remove the cell, and the locale if it has no message left.
	for at := cells[n].Path.Parent(); len(at) > 2; at = at.Parent() {
		if v := root.Lookup(at); v.Kind() == doc.Object && v.Len() == 0 {
			root = root.Delete(at)
		}
	}
	return m.change(ctx, root, name+" removed")
}

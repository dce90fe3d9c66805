package accessible

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/render"
	"bugle/engine/schema"
)

// content offers the messages of a campaign, locale by variation, and what says which there are.
func (w *work) content(ctx context.Context, p doc.Path) error {
	return w.choose(ctx, menu{
		head: func() []string {
			_, locales, variations := engine.KeyChoices(w.campaign.Channel, w.root)
			n := len(w.errorsAt(p))
			return []string{fmt.Sprintf("%s: %s, %s, %s.", trail(w.schema, p), phrase.Count(len(locales), "locale"), phrase.Count(len(variations), "variation"), phrase.Count(n, "problem"))}
		},
		items: func() []item { return w.contentItems(p) },
		help: func() []string {
			return append(w.help(w.rowAt(p))(), "Choose a message to fill in, or one of the settings for locales and variations.")
		},
		full: true, leave: true,
	})
}

func (w *work) contentItems(p doc.Path) []item {
	var out []item
	cells := render.Cells(w.campaign.Channel, w.root)
	names := cellNames(cells)
	for i, c := range cells {
		label := "The message"
		if len(cells) > 1 {
			label = "Message for " + names[i]
		}
		out = append(out, item{label: label, state: w.cellState(c.Path), run: func(ctx context.Context) error { return w.open(ctx, c.Path) }})
	}
	if at, ok := w.newCell(p); ok && len(cells) == 0 {
		out = append(out, item{label: "The message", state: "empty", run: func(ctx context.Context) error { return w.open(ctx, at) }})
	}
	for _, r := range w.rows(p) {
		if r.Node == nil || !holdsCells(r.Node) {
			out = append(out, item{label: r.label, state: r.state(), run: func(ctx context.Context) error { return w.pass(ctx, r.Path) }})
		}
	}
	if w.editing.LockedAt(p) != "" {
		return out
	}
	if filled, some := catalog.FillCells(w.root.Lookup(p)); some {
		out = append(out, item{
			label: "Fill", word: "fill", state: "copy the message to every locale and variation that has none",
			run: func(ctx context.Context) error {
				root, err := w.root.Set(p, filled)
				if err != nil {
					return w.failed(ctx, "Not filled", err)
				}
				return w.change(ctx, root, "messages filled in")
			},
		})
	}
	if len(cells) > 1 {
		out = append(out, item{label: "Remove a message", word: "remove", run: func(ctx context.Context) error { return w.removeCell(ctx, cells) }})
	}
	return out
}

// pass goes into a field at once where it has questions of its own, and asks it where not.
func (w *work) pass(ctx context.Context, p doc.Path) error {
	r := w.rowAt(p)
	if r.Node != nil && r.Shown && opens(r.FieldState) {
		return w.open(ctx, p)
	}
	if err := w.field(ctx, r, 0, 0); !errors.Is(err, errList) {
		return err
	}
	return nil
}

// holdsCells tells the object that messages are in: one that takes members of both kinds, the message
// itself and locales.
func holdsCells(n *schema.Node) bool { return n.Kind == schema.Object && n.Element != nil }

// newCell gives the place of the first message of a campaign that has none.
func (w *work) newCell(p doc.Path) (doc.Path, bool) {
	_, locales, variations := engine.KeyChoices(w.campaign.Channel, w.root)
	for _, r := range w.rows(p) {
		if r.Node == nil || !holdsCells(r.Node) {
			continue
		}
		at := r.Path
		if len(locales) > 1 || len(variations) > 1 {
			at = at.Child(locales[0]).Child(variations[0])
		}
		for _, m := range w.rows(at) {
			if m.Node != nil && m.Node.Kind == schema.Object && m.Shown && m.kept == "" {
				return m.Path, true
			}
		}
	}
	return nil, false
}

// cellNames names messages by the parts in which they differ, as they are said: "German, variation B".
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
	return content.LocaleName(locale)
}

func variationName(variation string) string {
	if name := content.VariationName(variation); name != variation && variation != engine.ControlVariation {
		return "variation " + name
	}
	return content.VariationName(variation)
}

func (w *work) cellState(p doc.Path) string {
	if n := len(w.errorsAt(p)); n > 0 {
		return phrase.Count(n, "problem")
	}
	if w.root.Lookup(p).Empty() {
		return "empty"
	}
	return "done"
}

func (w *work) removeCell(ctx context.Context, cells []render.Cell) error {
	options := make([]option, len(cells))
	names := cellNames(cells)
	for i, c := range cells {
		options[i] = option{label: names[i], help: w.cellState(c.Path)}
	}
	n, err := w.among(ctx, "Remove which", options, -1)
	if err != nil {
		return err
	}
	name := "message for " + names[n]
	yes, err := w.yes(ctx, "Remove the "+name, false)
	if err != nil || !yes {
		return err
	}
	root, err := w.set(cells[n].Path, doc.Value{})
	if err != nil {
		return w.failed(ctx, "Not removed", err)
	}
	// A cell and a locale without a message are no longer one.
	for at := cells[n].Path.Parent(); len(at) > 2; at = at.Parent() {
		if v := root.Lookup(at); v.Kind() == doc.Object && v.Len() == 0 {
			root = root.Delete(at)
		}
	}
	return w.change(ctx, root, name+" removed")
}

// after tells what follows from a place that was just asked: when the campaign goes out, how its links
// come out.
func (w *work) after(p doc.Path) {
	n := w.schema.At(p)
	if n == nil {
		return
	}
	switch n.Editor {
	case schema.EditorSchedule:
		w.nextSends()
	case schema.EditorLinks:
		w.links()
	}
}

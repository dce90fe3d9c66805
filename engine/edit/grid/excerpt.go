package grid

import (
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// headlines are the members that a message is known by, the best first.
var headlines = map[engine.Channel][]doc.Path{
	catalog.Email: {doc.P(catalog.EmailSubject), doc.P(catalog.EmailPreviewText), doc.P(catalog.CustomTemplateID)},
	catalog.Push: {
		doc.P("basic_details", "title"), doc.P("basic_details", "message"), doc.P(catalog.CustomTemplateID),
	},
}

// Excerpt returns the words that a cell's message is known by: the subject of an email, the title of a
// push on its first platform. It is "" where there are none.
func (g Grid) Excerpt(c Cell) string {
	v := g.root.Lookup(c.Message)
	for _, m := range g.parts(v) {
		for _, p := range headlines[g.channel] {
			if text := strings.TrimSpace(m.Lookup(p).Text()); text != "" {
				return text
			}
		}
	}
	return ""
}

// parts returns the contents of a message: of a push one for each platform.
func (g Grid) parts(v doc.Value) []doc.Value {
	if g.channel != catalog.Push {
		return []doc.Value{v}
	}
	var out []doc.Value
	for _, p := range catalog.Platforms {
		if one := v.Get(p.Member()); !one.Empty() {
			out = append(out, one)
		}
	}
	return out
}

// Form leads to what is edited of a cell first: the message, of a push on the first platform that
// the campaign is for.
func (g Grid) Form(c Cell) doc.Path {
	if all := g.Platforms(c); len(all) > 0 {
		return all[0].Path
	}
	return c.Message
}

// Platform is one of a push's contents.
type Platform struct {
	Name       string // for people
	Path       doc.Path
	HasContent bool // it has content
	// Untargeted says that the campaign is not for it.
	Untargeted bool
}

// Platforms returns the contents of a cell's push: of the platforms that the campaign is for, and of
// those that have content. Where it says nothing yet these are all; an email has none.
func (g Grid) Platforms(c Cell) []Platform {
	if g.channel != catalog.Push {
		return nil
	}
	listed := g.root.Lookup(doc.P(string(catalog.BasicDetails), "platforms")).Strings()
	var out []Platform
	for _, p := range catalog.Platforms {
		at := c.Message.Child(p.Member())
		o := Platform{Name: p.Label(), Path: at, HasContent: !g.root.Lookup(at).Empty(), Untargeted: len(listed) > 0 && !slices.Contains(listed, string(p))}
		if !o.Untargeted || o.HasContent {
			out = append(out, o)
		}
	}
	return out
}

// Covers reports whether a grid stands for the form of a place: of content, of a locale, of a cell,
// and of a push, whose platforms are opened one by one.
func (g Grid) Covers(p doc.Path) bool {
	if !p.HasPrefix(messagesPath) {
		return false
	}
	c, ok := g.CellAt(p)
	if !ok || len(p) > len(c.Message) {
		return false
	}
	return len(p) < len(c.Message) || g.channel == catalog.Push && p.Equal(c.Message)
}

// Pair is one value of two messages: what both have at a place, absent where one has nothing.
type Pair struct {
	Path        doc.Path // from the message on
	Left, Right doc.Value
	Differ      bool
}

// Compare returns the values of two messages side by side, in the order of the first, then what only
// the second has.
func Compare(a, b doc.Value) []Pair { return compare(nil, nil, a, b) }

func compare(out []Pair, p doc.Path, a, b doc.Value) []Pair {
	switch {
	case mergeable(a, doc.Object) && mergeable(b, doc.Object):
		for name, v := range a.Members() {
			out = compare(out, p.Child(name), v, b.Get(name))
		}
		for name, v := range b.Members() {
			if !a.Get(name).Exists() {
				out = compare(out, p.Child(name), doc.Value{}, v)
			}
		}
		return out
	case mergeable(a, doc.Array) && mergeable(b, doc.Array):
		for i := range max(a.Len(), b.Len()) {
			out = compare(out, p.Elem(i), a.At(i), b.At(i))
		}
		return out
	}
	if !a.Exists() && !b.Exists() {
		return out
	}
	return append(out, Pair{Path: p, Left: a, Right: b, Differ: len(doc.Diff(a, b)) > 0})
}

// mergeable reports a value to go into: one of that kind with something in it, or nothing at all.
func mergeable(v doc.Value, k doc.Kind) bool {
	return v.Kind() == k && v.Len() > 0 || !v.Exists()
}

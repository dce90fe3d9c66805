package grid

import (
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// headlines are the fields that summarize a message, best first.
var headlines = map[engine.Channel][]doc.Path{
	catalog.Email: {doc.P(catalog.EmailSubject), doc.P(catalog.EmailPreviewText), doc.P(catalog.CustomTemplateID)},
	catalog.Push: {
		doc.P("basic_details", "title"), doc.P("basic_details", "message"), doc.P(catalog.CustomTemplateID),
	},
}

// Excerpt returns a short text that identifies a cell's message: the subject of an email, or the title of a
// push on its first platform. It returns "" if there is none.
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

// parts returns the contents of a message, one per platform for a push.
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

// Form returns the path of the form that opens first for a cell: the message or, for a push, its content on
// the campaign's first platform.
func (g Grid) Form(c Cell) doc.Path {
	if all := g.Platforms(c); len(all) > 0 {
		return all[0].Path
	}
	return c.Message
}

// Platform is the content of a push on one platform.
type Platform struct {
	Name       string // display name
	Path       doc.Path
	HasContent bool // it has content
	// Untargeted reports that the campaign is not sent to the platform.
	Untargeted bool
}

// Platforms returns the contents of a push message: those of the campaign's platforms and those that have
// content. If the campaign has no platforms yet, it returns all platforms. For email it returns none.
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

// Covers reports whether the grid replaces the form at p: at content, a locale, a cell, or a push, whose
// platforms have forms of their own.
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

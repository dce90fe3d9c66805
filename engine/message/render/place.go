package render

import (
	"slices"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// View is the model of one message: an email, or a push on one platform.
type View struct {
	engine.TestKey
	Notification *Notification // of push
	Mail         *Mail         // of email
	At           time.Time     // the time to show: when it was sent, or now; zero for none

	// Backup and Slide are the part of the message that the requested path belongs to: its backup, or a slide
	// from 1 (0: none).
	Backup bool
	Slide  int
}

// Cell is the place of one message in a document.
type Cell struct {
	Locale, Variation string
	// Path is the path of the message, `push` or `email`, in the document.
	Path doc.Path
}

// Cells returns the messages of a document, those of the default locale first (CONTRACT.md, Content). It
// returns none for read-only channels.
func Cells(ch engine.Channel, document doc.Value) []Cell {
	member := message(ch)
	content := doc.P(contentMember, "content")
	root := document.Lookup(content)
	var out []Cell
	if member == "" {
		return nil
	}
	if root.Get(member).Kind() == doc.Object {
		out = append(out, Cell{engine.DefaultLocale, engine.DefaultVariation, content.Child(member)})
	}
	for locale, cells := range root.Members() {
		if locale == member {
			continue
		}
		for variation, cell := range cells.Members() {
			if cell.Get(member).Kind() == doc.Object && len(out) < engine.MaxTestKeys {
				out = append(out, Cell{locale, variation, content.Child(locale).Child(variation).Child(member)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Cell) int { return rank(a) - rank(b) })
	return out
}

func rank(c Cell) int {
	if c.Locale == engine.DefaultLocale {
		return 0
	}
	return 1
}

func message(ch engine.Channel) string {
	switch ch {
	case catalog.Push:
		return "push"
	case catalog.Email:
		return "email"
	}
	return ""
}

// ViewsAt returns the views of the message that contains the path at: on the platform of the path, or else on
// each platform with content. It returns false if the path is in no message.
func ViewsAt(ch engine.Channel, document doc.Value, at doc.Path, o Options) ([]View, bool) {
	cell, rest, ok := cellAt(ch, document, at)
	if !ok {
		return nil, false
	}
	views := Views(ch, document, cell, o)
	if ch == catalog.Push && len(rest) > 0 && isPlatform(rest[0].Name) {
		views = slices.DeleteFunc(views, func(v View) bool { return catalog.Platform(v.Platform).Member() != rest[0].Name })
	}
	for i := range views {
		views[i].point(rest)
	}
	return views, len(views) > 0
}

func isPlatform(member string) bool {
	return slices.ContainsFunc(catalog.Platforms, func(p catalog.Platform) bool { return p.Member() == member })
}

// FirstViews returns the views of the first message of a document, or false if it has none.
func FirstViews(ch engine.Channel, document doc.Value, o Options) ([]View, bool) {
	cells := Cells(ch, document)
	if len(cells) == 0 {
		return nil, false
	}
	views := Views(ch, document, cells[0], o)
	return views, len(views) > 0
}

// SameContent reports whether the messages of two documents certainly look the same, because nothing that
// they depend on was edited. False means they may differ.
func SameContent(a, b doc.Value) bool {
	return a.Get(string(catalog.CampaignContent)).Same(b.Get(string(catalog.CampaignContent)))
}

// Views returns the views of one message.
func Views(ch engine.Channel, document doc.Value, c Cell, o Options) []View {
	content := document.Lookup(c.Path)
	key := engine.TestKey{Locale: c.Locale, Variation: c.Variation, Content: c.Path}
	o.at = c.Path
	if ch == catalog.Email {
		mail := Email(content, o)
		key.Platform = string(catalog.Email)
		return []View{{TestKey: key, Mail: &mail}}
	}
	var out []View
	for _, p := range catalog.Platforms {
		if content.Get(p.Member()).Kind() != doc.Object {
			continue
		}
		key.Platform, key.Content = string(p), c.Path.Child(p.Member())
		o.at = key.Content
		n := Push(p, content.Get(p.Member()), o)
		out = append(out, View{TestKey: key, Notification: &n})
	}
	return out
}

// cellAt returns the message that contains a path, and the path relative to it. A path above messages, such
// as a locale, belongs to its first message.
func cellAt(ch engine.Channel, document doc.Value, at doc.Path) (c Cell, rest doc.Path, ok bool) {
	if len(at) < 2 || at[0].Name != contentMember || at[1].Name != "content" {
		return Cell{}, nil, false
	}
	for _, c := range Cells(ch, document) {
		if at.HasPrefix(c.Path) {
			return c, at[len(c.Path):], true
		}
		if c.Path.HasPrefix(at) {
			return c, nil, true
		}
	}
	return Cell{}, nil, false
}

// point notes what in the message a place is about.
func (v *View) point(rest doc.Path) {
	for i, s := range rest {
		switch {
		case s.Name == "template_backup":
			v.Backup = true
		case s.IsIndex && i > 0 && rest[i-1].Name == "slide_data":
			v.Slide = s.Index + 1
		}
	}
}

package material

import (
	"context"
	"regexp"
	"strings"

	"bugle/engine"
	"bugle/engine/message/personalize"
)

// Attribute is one that content names: of the user, or of the event.
type Attribute struct {
	Event bool
	Name  string
}

// DataType returns the type that the workspace has for the attribute; empty where it does not know it.
func (a Attribute) DataType(w engine.Workspace) string {
	list := w.Attributes
	if a.Event {
		list = nil
		for _, e := range w.Events {
			list = append(list, e.Attributes...)
		}
	}
	for _, known := range list {
		if known.Name == a.Name {
			return known.DataType
		}
	}
	return ""
}

// Use is an expression of a text that names an attribute.
type Use struct {
	Attribute
	Source   string // as it is written, filters included
	Fallback string // what its default filter returns, as written; empty where it has none
}

// The roots of expressions, as [personalize.Expressions] names them.
const (
	rootUser          = "UserAttribute"
	rootEvent         = "EventAttribute"
	rootBusinessEvent = "BusinessEventAttribute"
	rootBlock         = "ContentBlock"
)

// Uses finds the attributes that texts name, also by the content blocks of the workspace. It is not safe for
// concurrent use.
type Uses struct {
	blocks map[string]string
	own    map[string]any   // the workspace's attributes: each name, and as its value again
	known  map[string][]Use // by text
}

// NewUses returns what finds the attributes in texts of the workspace.
func NewUses(w engine.Workspace) *Uses {
	u := &Uses{blocks: BlocksOf(w), own: map[string]any{}, known: map[string][]Use{}}
	for _, a := range w.Attributes {
		u.own[a.Name] = a.Name
	}
	return u
}

// BlocksOf returns the sources of the content blocks of a workspace by name.
func BlocksOf(w engine.Workspace) map[string]string {
	out := make(map[string]string, len(w.ContentBlocks))
	for _, b := range w.ContentBlocks {
		out[b.Name] = b.Source
	}
	return out
}

// mostNested is how deep content blocks are followed: one that includes itself is refused by the send.
const mostNested = 8

// Of returns the uses in a text, in its order; none where it cannot be read, as the send reports.
func (u *Uses) Of(text string) []Use { return u.text(text, 0) }

func (u *Uses) text(text string, depth int) []Use {
	if found, ok := u.known[text]; ok || depth > mostNested {
		return found
	}
	expressions, err := personalize.Expressions(text)
	if err != nil {
		return nil
	}
	var out []Use
	for _, e := range expressions {
		switch e.Root {
		case rootUser, rootEvent, rootBusinessEvent:
			a := Attribute{e.Root != rootUser, e.Name}
			if !a.Event {
				a.Name = u.canonical(a.Name)
			}
			if e.Name != "" {
				out = append(out, Use{a, e.Source, fallback(e)})
			}
		case rootBlock:
			out = append(out, u.text(u.blocks[e.Name], depth+1)...)
		}
	}
	u.known[text] = out
	return out
}

var defaultFilter = regexp.MustCompile(`\|\s*(?:default|d)\s*\(\s*('[^']*'|"[^"]*"|[^,)\s]*)`)

// fallback returns what an expression's default filter returns, as it is written.
func fallback(e personalize.Expression) string {
	if m := defaultFilter.FindStringSubmatch(e.Source); e.HasDefault && m != nil {
		return m[1]
	}
	return ""
}

// canonical returns the workspace's name for an attribute that content may also spell in snake case:
// user.first_name is First Name. Rendering finds it as the send will.
func (u *Uses) canonical(name string) string {
	if _, known := u.own[name]; known || strings.ContainsAny(name, `'\{}%#`) {
		return name
	}
	found, err := personalize.Render(context.Background(), "{{ UserAttribute['"+name+"'] }}", personalize.Data{UserAttributes: u.own})
	if err != nil {
		return name
	}
	return found
}

package assemble

import (
	"context"
	"strings"

	"bugle/engine"
	"bugle/engine/message/template"
)

// Attribute is a user or event attribute that content refers to.
type Attribute struct {
	Event bool
	Name  string
}

// DataType returns the data type of the attribute in the workspace, or "" if the workspace has no such attribute.
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

// AttributeUse is an expression in a text that refers to an attribute.
type AttributeUse struct {
	Attribute
	Source   string // as written, including filters
	Fallback string // what its default filter has, as written; empty without one
}

// The roots of expressions that [template.Expressions] returns.
const (
	rootUser          = "UserAttribute"
	rootEvent         = "EventAttribute"
	rootBusinessEvent = "BusinessEventAttribute"
	rootBlock         = "ContentBlock"
)

// AttributeScanner finds the attributes that texts refer to, directly or through content blocks. It is not
// safe for concurrent use.
type AttributeScanner struct {
	blocks     map[string]string
	attributes map[string]any            // the workspace's user attributes; each value is its own name
	cache      map[string][]AttributeUse // by text
}

// NewAttributeScanner returns a scanner for texts of the workspace.
func NewAttributeScanner(w engine.Workspace) *AttributeScanner {
	u := &AttributeScanner{blocks: BlockSources(w), attributes: map[string]any{}, cache: map[string][]AttributeUse{}}
	for _, a := range w.Attributes {
		u.attributes[a.Name] = a.Name
	}
	return u
}

// BlockSources returns the sources of the workspace's content blocks by name.
func BlockSources(w engine.Workspace) map[string]string {
	out := make(map[string]string, len(w.ContentBlocks))
	for _, b := range w.ContentBlocks {
		out[b.Name] = b.Source
	}
	return out
}

// maxBlockDepth limits the nesting of content blocks. A send refuses a block that includes itself.
const maxBlockDepth = 8

// Scan returns the attribute uses in a text in order. It returns none for a text with a syntax error, which
// the send reports.
func (u *AttributeScanner) Scan(text string) []AttributeUse { return u.scan(text, 0) }

func (u *AttributeScanner) scan(text string, depth int) []AttributeUse {
	if found, ok := u.cache[text]; ok || depth > maxBlockDepth {
		return found
	}
	expressions, err := template.Expressions(text)
	if err != nil {
		return nil
	}
	var out []AttributeUse
	for _, e := range expressions {
		switch e.Root {
		case rootUser, rootEvent, rootBusinessEvent:
			a := Attribute{e.Root != rootUser, e.Name}
			if !a.Event {
				a.Name = u.canonical(a.Name)
			}
			if e.Name != "" {
				out = append(out, AttributeUse{a, e.Source, e.Default})
			}
		case rootBlock:
			out = append(out, u.scan(u.blocks[e.Name], depth+1)...)
		}
	}
	u.cache[text] = out
	return out
}

// canonical returns the workspace's name for an attribute that content may also write in snake case:
// user.first_name is First Name. It renders an expression, so that it finds the same attribute as the send.
func (u *AttributeScanner) canonical(name string) string {
	if _, known := u.attributes[name]; known || strings.ContainsAny(name, `'\{}%#`) {
		return name
	}
	found, err := template.Render(context.Background(), "{{ UserAttribute['"+name+"'] }}", template.Data{UserAttributes: u.attributes})
	if err != nil {
		return name
	}
	return found
}

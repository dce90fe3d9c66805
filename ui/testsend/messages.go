package testsend

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/personalize"
	"bugle/engine/schema"
)

// message is one message of the draft, and what it takes from its recipients. It does not change.
type message struct {
	key   engine.TestKey
	id    string // {PLATFORM}_{locale}_{variation}
	name  string // for people
	texts []engine.TestText
	uses  []use
}

// use is an expression of a message that names an attribute.
type use struct {
	attribute
	source   string // as it is written, filters included
	fallback string // what its default filter gives, as written; empty where it has none
}

// attribute is one that the content uses.
type attribute struct {
	event bool
	name  string
}

// The roots of expressions, as [personalize.Expressions] gives them.
const (
	rootUser          = "UserAttribute"
	rootEvent         = "EventAttribute"
	rootBusinessEvent = "BusinessEventAttribute"
	rootBlock         = "ContentBlock"
)

// readMessages finds the messages of a draft. It reads every text of them: too long for a keystroke.
func readMessages(ch engine.Channel, document doc.Value, w engine.Workspace) []message {
	env := schema.Env{Flags: w.Flags, Lists: w.Lists}
	r := usesReader{blocks: contentBlocks(w), own: map[string]any{}, known: map[string][]use{}}
	for _, a := range w.Attributes {
		r.own[a.Name] = a.Name
	}
	keys := engine.TestKeys(ch, document, engine.KeyFilter{})
	names := content.KeyNames(keys)
	var out []message
	for i, k := range keys {
		m := message{key: k, id: k.String(), name: names[i], texts: k.Texts(ch, document, env)}
		for _, t := range m.texts {
			m.uses = append(m.uses, r.text(t.Source, 0)...)
		}
		out = append(out, m)
	}
	return out
}

func contentBlocks(w engine.Workspace) map[string]string {
	out := make(map[string]string, len(w.ContentBlocks))
	for _, b := range w.ContentBlocks {
		out[b.Name] = b.Source
	}
	return out
}

// usesReader finds the attributes that texts use.
type usesReader struct {
	blocks map[string]string
	own    map[string]any   // the workspace's attributes: each name, and as its value again
	known  map[string][]use // by text
}

// mostNested is how deep content blocks are followed: one that includes itself is refused by the send.
const mostNested = 8

func (r *usesReader) text(text string, depth int) []use {
	if found, ok := r.known[text]; ok || depth > mostNested {
		return found
	}
	expressions, err := personalize.Expressions(text)
	if err != nil {
		return nil // the forecast and the send say so
	}
	var out []use
	for _, e := range expressions {
		switch e.Root {
		case rootUser, rootEvent, rootBusinessEvent:
			a := attribute{e.Root != rootUser, e.Name}
			if !a.event {
				a.name = r.canonical(a.name)
			}
			if e.Name != "" {
				out = append(out, use{a, e.Source, fallback(e)})
			}
		case rootBlock:
			out = append(out, r.text(r.blocks[e.Name], depth+1)...)
		}
	}
	r.known[text] = out
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
func (r *usesReader) canonical(name string) string {
	if _, known := r.own[name]; known || strings.ContainsAny(name, `'\{}%#`) {
		return name
	}
	found, err := personalize.Render(context.Background(), "{{ UserAttribute['"+name+"'] }}", personalize.Data{UserAttributes: r.own})
	if err != nil {
		return name
	}
	return found
}

// matches reports whether a filter leaves the key.
func matches(k engine.TestKey, f engine.KeyFilter) bool {
	return (f.Platform == "" || f.Platform == k.Platform) && (f.Locale == "" || f.Locale == k.Locale) &&
		(f.Variation == "" || f.Variation == k.Variation)
}

// going are the messages that would go out.
func (s *Screen) going() []message { return s.matching(s.form.filter) }

// matching are the messages that a filter leaves.
func (s *Screen) matching(f engine.KeyFilter) []message {
	if f == (engine.KeyFilter{}) {
		return s.messages
	}
	var out []message
	for _, m := range s.messages {
		if matches(m.key, f) {
			out = append(out, m)
		}
	}
	return out
}

// shorten names the messages by the parts in which they differ, or by their platform alone.
func shorten(messages []message) []string {
	same := func(part func(engine.TestKey) string) bool {
		return !slices.ContainsFunc(messages, func(m message) bool { return part(m.key) != part(messages[0].key) })
	}
	parts := []func(engine.TestKey) string{
		func(k engine.TestKey) string { return content.CellName(k.Platform, "", "") },
		func(k engine.TestKey) string { return content.LocaleName(k.Locale) },
		func(k engine.TestKey) string { return content.VariationName(k.Variation) },
	}
	differ := slices.DeleteFunc(slices.Clone(parts), func(p func(engine.TestKey) string) bool { return same(p) })
	if len(differ) == 0 {
		differ = parts[:1]
	}
	out := make([]string, len(messages))
	for i, m := range messages {
		var words []string
		for _, p := range differ {
			words = append(words, p(m.key))
		}
		out[i] = strings.Join(words, " · ")
	}
	return out
}

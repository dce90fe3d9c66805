package testsend

import (
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/material"
	"bugle/engine/schema"
)

// message is one message of the draft, and what it takes from its recipients. It does not change.
type message struct {
	key   engine.TestKey
	id    string // {PLATFORM}_{locale}_{variation}
	name  string // for people
	texts []engine.TestText
	uses  []material.Use
}

// readMessages finds the messages of a draft. It reads every text of them: too long for a keystroke.
func readMessages(ch engine.Channel, document doc.Value, w engine.Workspace) []message {
	env := schema.Env{Flags: w.Flags, Lists: w.Lists}
	r := material.NewUses(w)
	keys := engine.TestKeys(ch, document, engine.KeyFilter{})
	names := content.KeyNames(keys)
	var out []message
	for i, k := range keys {
		m := message{key: k, id: k.String(), name: names[i], texts: k.Texts(ch, document, env)}
		for _, t := range m.texts {
			m.uses = append(m.uses, r.Of(t.Source)...)
		}
		out = append(out, m)
	}
	return out
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

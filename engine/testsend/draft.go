// Package testsend implements test sends for all user interfaces: it lists the messages of a draft, resolves
// recipients, predicts what each recipient will receive, tracks a running send, retries failed messages, and
// reads earlier tests.
package testsend

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/assemble"
	"bugle/engine/message/delivery"
	"bugle/engine/message/resolve"
	"bugle/engine/schema"
)

// Draft is a campaign to test, with what its messages need. It is immutable.
type Draft struct {
	Campaign  engine.Campaign
	Workspace engine.Workspace // empty if the service does not provide it
	Document  doc.Value        // with its saved templates expanded
	Messages  []Message
	Fields    engine.TestFields
	filters   []FilterField
	filled    *resolve.Campaign // which calls no content API
}

// Message is one message of a draft, with the attributes that it uses.
type Message struct {
	Key   engine.TestKey
	ID    string // {PLATFORM}_{locale}_{variation}
	Name  string // for people
	texts []resolve.Text
	uses  []assemble.AttributeUse
}

// Load loads a campaign for testing.
func Load(ctx context.Context, service engine.Service, id string) (Draft, error) {
	c, w, err := Read(ctx, service, id)
	if err != nil {
		return Draft{}, err
	}
	return New(ctx, service, w, c)
}

// Read reads a campaign and its workspace. The workspace is empty if the service does not provide it.
func Read(ctx context.Context, service engine.Service, id string) (engine.Campaign, engine.Workspace, error) {
	var w engine.Workspace
	c, err := service.Get(ctx, id)
	if k, ok := service.(engine.WorkspaceStore); ok && err == nil {
		w, err = k.Workspace(ctx)
	}
	return c, w, err
}

// New returns the draft of a loaded campaign. It scans every text, so it is too slow for each keystroke.
func New(ctx context.Context, service engine.Service, w engine.Workspace, c engine.Campaign) (Draft, error) {
	d := Draft{Campaign: c, Workspace: w, Document: c.Document()}
	prepared, err := resolve.Prepare(ctx, service, w, c.Channel, d.Document)
	if err != nil && ctx.Err() != nil {
		return d, ctx.Err() // without what the workspace keeps there is still everything else
	}
	d.filled, d.Document = prepared.Deferred(), prepared.Document
	if !c.Channel.Writable() {
		return d, nil
	}
	d.Fields = engine.NewTestFields(c.Channel)
	d.filters = d.filterFields()
	d.Messages = messagesOf(d.filled)
	return d, nil
}

func messagesOf(c *resolve.Campaign) []Message {
	r := assemble.NewAttributeScanner(c.Workspace)
	names := grid.KeyNames(c.Keys)
	var out []Message
	for i, k := range c.Keys {
		m := Message{Key: k, ID: k.String(), Name: names[i], texts: c.Texts(k)}
		for _, t := range m.texts {
			m.uses = append(m.uses, r.Scan(t.Source)...)
		}
		out = append(out, m)
	}
	return out
}

// UntestableReason returns why the campaign cannot be tested, or "".
func (d Draft) UntestableReason() string {
	switch {
	case !d.Campaign.Channel.Writable():
		return "You can only test push and email campaigns."
	case d.Campaign.Status != catalog.Draft:
		return "You can only test drafts. Clone this campaign to test its content."
	}
	return ""
}

// IsEmpty reports whether a message has no content.
func (d Draft) IsEmpty(m Message) bool { return d.Document.Lookup(m.Key.Content).Empty() }

// Matching returns the messages that a filter selects.
func (d Draft) Matching(f engine.KeyFilter) []Message {
	if f == (engine.KeyFilter{}) {
		return d.Messages
	}
	var out []Message
	for _, m := range d.Messages {
		if matches(m.Key, f) {
			out = append(out, m)
		}
	}
	return out
}

// CopiesTo returns the addresses in Cc and Bcc of the messages that a filter selects, as they are written and each once.
func (d Draft) CopiesTo(f engine.KeyFilter) (out []string) {
	for _, m := range d.Matching(f) {
		content := d.Document.Lookup(m.Key.Content)
		for _, to := range slices.Concat(content.Get(catalog.EmailCc).Strings(), content.Get(catalog.EmailBcc).Strings()) {
			same := func(have string) bool { return delivery.Mailbox(have) == delivery.Mailbox(to) }
			if !slices.ContainsFunc(out, same) {
				out = append(out, to)
			}
		}
	}
	return out
}

// matches reports whether a filter selects the key.
func matches(k engine.TestKey, f engine.KeyFilter) bool {
	return (f.Platform == "" || f.Platform == k.Platform) && (f.Locale == "" || f.Locale == k.Locale) &&
		(f.Variation == "" || f.Variation == k.Variation)
}

// FilterField is a field of a test's filter: platform, locale or variation.
type FilterField struct {
	Node  *schema.Node
	Names []string // the values that the draft has
	part  func(*engine.KeyFilter) *string
	label func(string) string
}

// FilterFields returns the filter fields for which the draft has several values.
func (d Draft) FilterFields() []FilterField { return d.filters }

func (d Draft) filterFields() []FilterField {
	platforms, locales, variations := engine.KeyChoices(d.Campaign.Channel, d.Document)
	all := []FilterField{
		{d.Fields.Platform, platforms, func(f *engine.KeyFilter) *string { return &f.Platform }, func(p string) string { return grid.CellName(p, "", "") }},
		{d.Fields.Locale, locales, func(f *engine.KeyFilter) *string { return &f.Locale }, grid.LocaleName},
		{d.Fields.Variation, variations, func(f *engine.KeyFilter) *string { return &f.Variation }, grid.VariationName},
	}
	return slices.DeleteFunc(all, func(n FilterField) bool { return len(n.Names) < 2 })
}

// Choices returns the values to choose from. The first one is empty and means all.
func (n FilterField) Choices() []string { return append([]string{""}, n.Names...) }

// Selected returns the field's value in a filter; empty means all.
func (n FilterField) Selected(f engine.KeyFilter) string { return *n.part(&f) }

// With returns the filter with another value of the field.
func (n FilterField) With(f engine.KeyFilter, name string) engine.KeyFilter {
	*n.part(&f) = name
	return f
}

// Label returns the display name of a choice.
func (n FilterField) Label(name string) string {
	if name == "" {
		return "All"
	}
	return n.label(name)
}

// Normalize returns the filter without the parts for which the draft has only one value.
func (d Draft) Normalize(f engine.KeyFilter) engine.KeyFilter {
	var out engine.KeyFilter
	for _, n := range d.FilterFields() {
		if name := n.Selected(f); slices.Contains(n.Names, name) {
			out = n.With(out, name)
		}
	}
	return out
}

// FilterName describes the messages that a filter selects. It names the default locale and the first
// variation only if nothing else is named.
func FilterName(f engine.KeyFilter) string {
	if f.Locale == engine.DefaultLocale && f != (engine.KeyFilter{Locale: f.Locale}) {
		f.Locale = ""
	}
	if f.Variation == engine.DefaultVariation && f != (engine.KeyFilter{Variation: f.Variation}) {
		f.Variation = ""
	}
	if f.Locale == engine.DefaultLocale {
		return grid.LocaleName(f.Locale)
	}
	return grid.CellName(f.Platform, f.Locale, f.Variation)
}

// ShortNames returns names of messages that only contain the parts in which they differ, or their platforms.
func ShortNames(messages []Message) []string {
	same := func(part func(engine.TestKey) string) bool {
		return !slices.ContainsFunc(messages, func(m Message) bool { return part(m.Key) != part(messages[0].Key) })
	}
	parts := []func(engine.TestKey) string{
		func(k engine.TestKey) string { return grid.CellName(k.Platform, "", "") },
		func(k engine.TestKey) string { return grid.LocaleName(k.Locale) },
		func(k engine.TestKey) string { return grid.VariationName(k.Variation) },
	}
	differ := slices.DeleteFunc(slices.Clone(parts), func(p func(engine.TestKey) string) bool { return same(p) })
	if len(differ) == 0 {
		differ = parts[:1]
	}
	out := make([]string, len(messages))
	for i, m := range messages {
		for j, p := range differ {
			if j > 0 {
				out[i] += " · "
			}
			out[i] += p(m.Key)
		}
	}
	return out
}

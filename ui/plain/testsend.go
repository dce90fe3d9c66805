package plain

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// testWhy says why no test can be sent; empty where one can.
func (w *work) testWhy() string {
	switch {
	case !w.campaign.Channel.Writable():
		return w.campaign.Channel.Label() + " campaigns cannot be tested here."
	case w.campaign.Status != catalog.Draft:
		return "only drafts can be tested."
	case !w.inPlace() && w.pending:
		return "there are changes that are not applied. A test would be sent without them."
	}
	return ""
}

// testSend asks who gets which messages, sends them, and tells how it went.
func (w *work) testSend(ctx context.Context) error {
	var ask engine.TestSend
	for _, part := range []func(context.Context, *engine.TestSend) error{w.askIdentifier, w.askRecipients, w.askNarrowing, w.askOverrides} {
		if err := part(ctx, &ask); err != nil {
			return err
		}
	}
	keys := engine.TestKeys(w.campaign.Channel, w.root, ask.Filter)
	if len(keys) == 0 {
		w.say("There is no message to send yet.")
		return nil
	}
	w.say("This will be sent to %s:", strings.Join(w.names(ctx, ask), ", "))
	for i, name := range keyNames(keys) {
		w.say("%d. %s", i+1, name)
	}
	yes, err := w.yes(ctx, "Send "+counted(len(keys), "message")+" to "+counted(len(ask.Values), "recipient"), true)
	if err != nil || !yes {
		return err
	}
	return w.send(ctx, keys, []engine.TestSend{ask}, ask)
}

// keyNames names messages as they are said.
func keyNames(keys []engine.TestKey) []string {
	out := content.KeyNames(keys)
	for i := range out {
		out[i] = unjoined(out[i])
	}
	return out
}

// nameOfKey names a message by its wire spelling, as far as the campaign has it.
func nameOfKey(keys []engine.TestKey, wire string) string {
	if i := slices.IndexFunc(keys, func(k engine.TestKey) bool { return k.String() == wire }); i >= 0 {
		return keyNames(keys)[i]
	}
	return unjoined(content.KeyName(wire))
}

// askIdentifier asks by what recipients are named.
func (w *work) askIdentifier(ctx context.Context, t *engine.TestSend) error {
	node := engine.TestFieldsOf(w.campaign.Channel).Identifier
	options := make([]option, len(node.Options))
	first := 0
	last, _ := w.lastTest(ctx)
	for i, o := range node.Options {
		options[i] = option{label: o.Title(), help: o.Help}
		if o.Value == last.Identifier {
			first = i
		}
	}
	n, err := w.among(ctx, node.Label(), options, first)
	if err != nil {
		return err
	}
	t.Identifier = node.Options[n].Value
	return nil
}

// lastTest gives what was asked for in the campaign's last test.
func (w *work) lastTest(ctx context.Context) (engine.TestSend, bool) {
	h, ok := w.deps.Service.(engine.TestHistory)
	if !ok {
		return engine.TestSend{}, false
	}
	found, err := h.Tests(ctx, w.campaign.ID, 1)
	if err != nil || len(found) == 0 {
		return engine.TestSend{}, false
	}
	return engine.ParseTestSend(found[0].Body), true
}

// mostRecent is how many recipients are offered, mostMatches how many users are looked through for a name.
const (
	mostRecent  = 9
	mostMatches = 40
)

// askRecipients asks for recipients, one a line or several with commas, until an empty line.
func (w *work) askRecipients(ctx context.Context, t *engine.TestSend) error {
	node := engine.TestFieldsOf(w.campaign.Channel).Values
	limit := catalog.MaxIdentifierValues
	if engine.TakesSegment(t.Identifier) {
		limit = 1
	}
	offers := w.recipients(ctx, t.Identifier)
	offer := func(values []string) {
		offers = values
		for i, o := range offers {
			w.say("%d. %s", i+1, w.valueAndName(ctx, t.Identifier, o))
		}
	}
	offer(offers)
	for len(t.Values) < limit {
		prompt := "Recipient"
		if w.keeper() != nil && !engine.TakesSegment(t.Identifier) {
			prompt += " or name"
		}
		if len(offers) > 0 {
			prompt += ", or a number from above"
		}
		if len(t.Values) > 0 {
			prompt = fmt.Sprintf("Another recipient, %d of %d so far, Enter when done", len(t.Values), limit)
		}
		done := false
		err := w.ask(ctx, question{
			prompt: prompt, help: func() []string { return w.schema.Notes(node) },
			take: func(a answer) error {
				if strings.TrimSpace(a.text) == "" {
					if len(t.Values) == 0 {
						return wrong("Enter at least one recipient, or type back.")
					}
					done = true
					return nil
				}
				return w.addRecipients(ctx, t, a.text, offers, offer)
			},
		})
		if err != nil || done {
			return err
		}
		w.say("Recipients: %s.", strings.Join(w.names(ctx, *t), ", "))
	}
	return nil
}

// addRecipients takes the recipients of a line: all of them, or none. A part of a name is the user who has it;
// where several have it, they are offered.
func (w *work) addRecipients(ctx context.Context, t *engine.TestSend, text string, offers []string, offer func([]string)) error {
	typed := []string{text}
	if !engine.TakesSegment(t.Identifier) {
		typed = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;\t", r) })
	}
	next := *t
	next.Values = slices.Clone(t.Values)
	for _, v := range typed {
		v = strings.TrimSpace(v)
		if n, err := strconv.Atoi(v); err == nil && n >= 1 && n <= len(offers) {
			v = offers[n-1]
		} else if named := w.named(ctx, t.Identifier, v); len(named) == 1 {
			v = named[0]
		} else if len(named) > 1 {
			offer(named)
			return wrong("%q can mean %s. Type a number.", v, counted(len(named), "user"))
		}
		if v != "" && !slices.Contains(next.Values, v) {
			next.Values = append(next.Values, v)
		}
	}
	bad, others := next.CheckRecipients(w.campaign.Channel)
	for i, why := range bad {
		return wrong("%s %s.", next.Values[i], strings.TrimSuffix(why, "."))
	}
	if len(others) > 0 {
		return wrong("%s", sentence(others[0]))
	}
	*t = next
	return nil
}

func (w *work) keeper() engine.ProfileKeeper {
	k, _ := w.deps.Service.(engine.ProfileKeeper)
	return k
}

// person returns the user that a value leads to; nil where nobody is known.
func (w *work) person(ctx context.Context, identifier, value string) *engine.Profile {
	if w.keeper() == nil || engine.TakesSegment(identifier) {
		return nil
	}
	p, _, err := engine.FindProfile(ctx, w.keeper(), identifier, value)
	if err != nil {
		return nil // without the name there is still the value
	}
	return p
}

// who names a recipient for people: by their name where the workspace knows it, else by the value.
func (w *work) who(ctx context.Context, identifier, value string) string {
	if p := w.person(ctx, identifier, value); p != nil && p.DisplayName() != p.ID {
		return p.DisplayName()
	}
	return value
}

func (w *work) valueAndName(ctx context.Context, identifier, value string) string {
	if name := w.who(ctx, identifier, value); name != value {
		return value + ", " + name
	}
	return value
}

// names names the recipients of a test.
func (w *work) names(ctx context.Context, t engine.TestSend) []string {
	out := make([]string, len(t.Values))
	for i, v := range t.Values {
		out[i] = w.who(ctx, t.Identifier, v)
	}
	return out
}

// named returns the recipients whose names a text is part of; none where it is a recipient itself.
func (w *work) named(ctx context.Context, identifier, text string) []string {
	if text == "" || w.keeper() == nil || engine.TakesSegment(identifier) || w.person(ctx, identifier, text) != nil {
		return nil
	}
	found, err := w.keeper().Profiles(ctx, text, mostMatches)
	if err != nil {
		return nil // it is taken as it was typed
	}
	var out []string
	for _, p := range found {
		if !strings.Contains(strings.ToLower(p.DisplayName()), strings.ToLower(text)) {
			continue
		}
		for _, v := range engine.ByProfile(identifier, p) {
			if !slices.Contains(out, v) && len(out) < mostRecent {
				out = append(out, v)
			}
		}
	}
	return out
}

// recipients gives those of earlier tests; of segments those that there are.
func (w *work) recipients(ctx context.Context, identifier string) []string {
	if engine.TakesSegment(identifier) {
		var out []string
		for _, s := range w.workspace.Segments {
			out = append(out, s.Name)
		}
		return out
	}
	var out []string
	if h, ok := w.deps.Service.(engine.TestHistory); ok {
		out, _ = h.Recipients(ctx, w.campaign.Channel, identifier, mostRecent) // a convenience: without it they are typed
	}
	return out
}

// askNarrowing asks for less than all messages, where there are several.
func (w *work) askNarrowing(ctx context.Context, t *engine.TestSend) error {
	fields := engine.TestFieldsOf(w.campaign.Channel)
	platforms, locales, variations := engine.KeyChoices(w.campaign.Channel, w.root)
	for _, n := range []struct {
		node  *schema.Node
		names []string
		to    *string
		named func(string) string
	}{
		{fields.Platform, platforms, &t.Filter.Platform, func(p string) string { return content.CellName(p, "", "") }},
		{fields.Locale, locales, &t.Filter.Locale, content.LocaleName},
		{fields.Variation, variations, &t.Filter.Variation, content.VariationName},
	} {
		if len(n.names) < 2 {
			continue
		}
		options := []option{{label: "All"}}
		for _, name := range n.names {
			options = append(options, option{label: n.named(name)})
		}
		i, err := w.among(ctx, n.node.Label(), options, 0)
		if err != nil {
			return err
		}
		if i > 0 {
			*n.to = n.names[i-1]
		}
	}
	return nil
}

// askOverrides asks for values in place of the recipients' own, for the attributes that the content
// uses.
func (w *work) askOverrides(ctx context.Context, t *engine.TestSend) error {
	used := w.used()
	if len(used) == 0 {
		return nil
	}
	var names []string
	for _, a := range used {
		names = append(names, a.Name)
	}
	yes, err := w.yes(ctx, "The content uses "+strings.Join(names, ", ")+". Use other values for this test", false)
	if err != nil || !yes {
		return err
	}
	for _, a := range used {
		whose := "the recipient's own"
		if a.Event {
			whose = "none"
		}
		err := w.ask(ctx, question{
			prompt: a.Name + ", Enter for " + whose,
			take: func(got answer) error {
				if got.text == "" {
					return nil
				}
				v, err := engine.OverrideValue(a.DataType(w.workspace), got.text)
				if err != nil {
					return wrong("%s %s.", a.Name, err.Error())
				}
				if a.Event {
					t.EventAttributes = append(t.EventAttributes, doc.M(a.Name, v))
				} else {
					t.UserAttributes = append(t.UserAttributes, doc.M(a.Name, v))
				}
				return nil
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

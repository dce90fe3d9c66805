package accessible

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
)

// testDisabledReason returns why no test can be sent; empty if one can.
func (w *campaignMenu) testDisabledReason() string {
	if why := (model.Draft{Campaign: w.campaign}).UntestableReason(); why != "" {
		return why
	}
	if !w.inPlace() && w.pending {
		return "there are changes that are not applied. A test would be sent without them."
	}
	return ""
}

// testSend sends test messages of the campaign.
func (w *campaignMenu) testSend(ctx context.Context) error {
	draft, err := model.New(ctx, w.deps.Service, w.workspace, w.current())
	if err != nil {
		return w.reportError(ctx, "Cannot send the test", err)
	}
	t := tester{console: w.console, service: w.deps.Service, draft: draft, people: model.NewDirectory()}
	ask, yes, err := t.question(ctx)
	if err != nil || !yes {
		return err
	}
	run := model.NewRun(draft, ask)
	for asks := []engine.TestSend{ask}; len(asks) > 0; {
		run.Begin(asks, t.forecast, w.deps.Now())
		out, err := model.Send(ctx, w.deps.Service, draft, asks, w.deps.Now, func(s model.Step) { t.step(ctx, ask, s) })
		if err != nil && len(out.Results) == 0 {
			return w.reportError(ctx, "Cannot send the test", err)
		}
		run.End(out, err, w.deps.Now())
		t.report(out, run.Message)
		asks = nil
		if run.Count(model.Failed) > 0 {
			yes, err := w.confirm(ctx, "Retry the failed messages", false)
			if err != nil {
				return err
			}
			if yes {
				asks = run.Retry(model.Failed) // of a segment, that is all members
				if yes, err := t.confirmKnown(ctx, asks); err != nil || !yes {
					return err
				}
			}
		}
		// What may have been delivered is no failure: it is sent again only if that is asked for.
		if unknown := run.Retry(model.Unknown); len(asks) == 0 && len(unknown) > 0 {
			var names []string
			for _, ask := range unknown {
				names = append(names, t.names(ctx, ask.Identifier, ask.Values)...)
			}
			if yes, err := t.confirmRepeat(ctx, names); err != nil || !yes {
				return err
			}
			asks = unknown
		}
	}
	return nil
}

// confirmKnown asks before it sends tests to recipients who may have received them already, as the history shows.
func (t *tester) confirmKnown(ctx context.Context, asks []engine.TestSend) (bool, error) {
	var names []string
	tests, _ := t.service.(engine.TestHistory)
	for _, ask := range asks {
		repeated, err := model.Repeated(ctx, tests, engine.DraftTest(t.draft.Campaign.ID, ask), nil)
		if err != nil {
			return false, err
		}
		names = append(names, t.names(ctx, ask.Identifier, repeated)...)
	}
	return t.confirmRepeat(ctx, names)
}

// confirmRepeat asks whether to send messages that recipients, if there are any, may have got already.
func (t *tester) confirmRepeat(ctx context.Context, names []string) (bool, error) {
	if len(names) == 0 {
		return true, nil
	}
	slices.Sort(names)
	t.println("%s", model.RepeatWarning(slices.Compact(names)))
	return t.confirm(ctx, "Send it again", false)
}

// tester asks which recipients get which messages of a draft, and prints the progress.
type tester struct {
	*console
	service  engine.Service
	draft    model.Draft
	people   *model.Directory
	forecast model.Forecast
}

// question asks for everything a test needs, and whether to send it.
func (t *tester) question(ctx context.Context) (ask engine.TestSend, yes bool, err error) {
	for _, part := range []func(context.Context, *engine.TestSend) error{t.askIdentifier, t.askRecipients, t.askMessageFilter, t.askCopies, t.askOverrides} {
		if err := part(ctx, &ask); err != nil {
			return ask, false, err
		}
	}
	messages := t.draft.Matching(ask.Filter)
	if len(messages) == 0 {
		t.println("There is no message to send yet.")
		return ask, false, nil
	}
	t.println("This will be sent to %s:", strings.Join(t.names(ctx, ask.Identifier, ask.Values), ", "))
	for i, m := range messages {
		t.println("%d. %s", i+1, withCommas(m.Name))
	}
	if err := t.warn(ctx, ask, messages); err != nil {
		return ask, false, err
	}
	if yes, err := t.confirmKnown(ctx, []engine.TestSend{ask}); err != nil || !yes {
		return ask, false, err
	}
	yes, err = t.confirm(ctx, "Send "+phrase.Count(len(messages), "message")+" to "+phrase.Count(len(ask.Values), "recipient"), true)
	return ask, yes, err
}

// warn prints which messages will not arrive, and why.
func (t *tester) warn(ctx context.Context, ask engine.TestSend, messages []model.Message) error {
	f, err := t.draft.Forecast(ctx, t.service, ask, t.people.All())
	if err != nil {
		return err
	}
	t.forecast = f
	t.people.Add(f.Resolved)
	reasons, stopped := t.draft.FailureReasons(f, messages, t.people.Names(engine.TestSend{Identifier: f.Identifier, Values: f.Values}))
	if stopped > 0 {
		t.println("%d of %s will not arrive.", stopped, phrase.Count(len(messages)*len(f.Values), "message"))
	}
	for _, m := range messages {
		if t.draft.IsEmpty(m) {
			t.println("%s: there is no content.", withCommas(m.Name))
		}
	}
	for _, r := range reasons {
		t.println("%s.", withCommas(strings.TrimSuffix(r, ".")))
	}
	return nil
}

// step prints one step of a send.
func (t *tester) step(ctx context.Context, ask engine.TestSend, s model.Step) {
	if !s.Done {
		return
	}
	who := t.message(s.Key)
	if s.Recipient != "" {
		identifier, _ := model.ResolveValues(t.draft.Workspace, ask)
		who += ", to " + t.name(ctx, identifier, s.Recipient)
	}
	switch {
	case s.Unknown:
		t.println("%s: unknown. %s", who, phrase.Sentence(s.Err))
		return
	case s.Err != "":
		t.println("%s: failed. %s", who, phrase.Sentence(s.Err))
		return
	}
	t.println("%s: sent.", who)
}

// report prints the outcome of the messages whose recipients were not reported individually.
func (t *tester) report(out model.Outcome, summary string) {
	each := map[string]bool{}
	for _, s := range out.Steps {
		each[s.Key] = each[s.Key] || s.Done && s.Recipient != ""
	}
	t.println("%s", phrase.Sentence(summary))
	for _, r := range out.Results {
		for _, key := range r.Keys {
			switch res := r.Data[key]; {
			case each[key]:
			case res.Status == engine.Sent:
				t.println("%s: sent.", t.message(key))
			default:
				t.println("%s: %s. %s", t.message(key), res.Outcome(), phrase.Sentence(res.FailureReason))
			}
		}
	}
}

// message returns the display name of a message by its wire key.
func (t *tester) message(wire string) string {
	if i := slices.IndexFunc(t.draft.Messages, func(m model.Message) bool { return m.ID == wire }); i >= 0 {
		return withCommas(t.draft.Messages[i].Name)
	}
	return withCommas(grid.KeyName(wire))
}

// askIdentifier asks for the identifier of recipients.
func (t *tester) askIdentifier(ctx context.Context, ask *engine.TestSend) error {
	node := t.draft.Fields.Identifier
	options := make([]option, len(node.Options))
	first := 0
	last := t.lastTest(ctx)
	for i, o := range node.Options {
		options[i] = option{label: o.Title(), help: o.Help}
		if o.Value == last.Identifier {
			first = i
		}
	}
	n, err := t.chooseOption(ctx, node.Label(), options, first)
	if err != nil {
		return err
	}
	ask.Identifier = node.Options[n].Value
	return nil
}

// lastTest returns the request of the campaign's last test; the zero value if there is none.
func (t *tester) lastTest(ctx context.Context) engine.TestSend {
	h, ok := t.service.(engine.TestHistory)
	if !ok {
		return engine.TestSend{}
	}
	found, err := h.Tests(ctx, t.draft.Campaign.ID, 1)
	if err != nil || len(found) == 0 {
		return engine.TestSend{}
	}
	return found[0].Ask()
}

// Limits for suggested recipients, and for users that are searched by name.
const (
	maxRecent  = 9
	maxMatches = 40
)

// askRecipients asks for recipients, one per line or separated by commas, until an empty line.
func (t *tester) askRecipients(ctx context.Context, ask *engine.TestSend) error {
	limit := model.MaxRecipients(ask.Identifier)
	offers := t.recent(ctx, ask.Identifier)
	offer := func(values []string) {
		offers = values
		for i, o := range offers {
			text := o
			if name := t.name(ctx, ask.Identifier, o); name != o {
				text += ", " + name
			}
			t.println("%d. %s", i+1, text)
		}
	}
	offer(offers)
	for len(ask.Values) < limit {
		prompt := "Recipient"
		if t.profileKeeper(ask.Identifier) != nil {
			prompt += " or name"
		}
		if len(offers) > 0 {
			prompt += ", or a number from above"
		}
		if len(ask.Values) > 0 {
			prompt = fmt.Sprintf("Another recipient, %d of %d so far, Enter when done", len(ask.Values), limit)
		}
		done := false
		err := t.ask(ctx, question{
			prompt: prompt, help: func() []string { return catalog.TestMeta(t.draft.Campaign.Channel).Notes(t.draft.Fields.Values) },
			handle: func(a answer) error {
				if strings.TrimSpace(a.text) == "" {
					if len(ask.Values) == 0 {
						return invalid("Enter at least one recipient, or type back.")
					}
					done = true
					return nil
				}
				return t.addRecipients(ctx, ask, a.text, offers, offer)
			},
		})
		if err != nil || done {
			return err
		}
		t.println("Recipients: %s.", strings.Join(t.names(ctx, ask.Identifier, ask.Values), ", "))
	}
	return nil
}

// addRecipients adds the recipients in a line, all or none. A part of a name stands for the user with that
// name; if there are several, they are listed.
func (t *tester) addRecipients(ctx context.Context, ask *engine.TestSend, text string, offers []string, offer func([]string)) error {
	next := *ask
	next.Values = slices.Clone(ask.Values)
	for _, v := range model.Split(ask.Identifier, text) {
		if n, err := strconv.Atoi(v); err == nil && n >= 1 && n <= len(offers) {
			v = offers[n-1]
		} else if called := t.recipientsByName(ctx, ask.Identifier, v); len(called) == 1 {
			v = called[0]
		} else if len(called) > 1 {
			offer(called)
			return invalid("%q can mean %s. Type a number.", v, phrase.Count(len(called), "user"))
		}
		if engine.IndexRecipient(next.Values, ask.Identifier, v) < 0 {
			next.Values = append(next.Values, v)
		}
	}
	bad, others := next.CheckRecipients(t.draft.Campaign.Channel)
	for i, v := range next.Values {
		if bad[i] != "" {
			return invalid("%s %s.", v, strings.TrimSuffix(bad[i], "."))
		}
	}
	if len(others) > 0 {
		return invalid("%s", phrase.Sentence(others[0]))
	}
	*ask = next
	return nil
}

// profileKeeper returns the service's users for an identifier; nil if it has none.
func (t *tester) profileKeeper(identifier string) engine.UserStore {
	k, ok := t.service.(engine.UserStore)
	if !ok || engine.IsSegmentIdentifier(identifier) {
		return nil
	}
	return k
}

// name returns the display name of a recipient: the user's name if it is known, else the value.
func (t *tester) name(ctx context.Context, identifier, value string) string {
	r := model.Recipient{Identifier: identifier, Value: value}
	if !t.people.HasName(r) {
		if p, err := model.LookUp(ctx, t.service, r); err == nil { // without the name, the value is used
			t.people.Add(map[model.Recipient]model.ResolvedUser{r: p})
		}
	}
	return t.people.Name(identifier, value)
}

func (t *tester) names(ctx context.Context, identifier string, values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = t.name(ctx, identifier, v)
	}
	return out
}

// recipientsByName returns the recipients whose names contain a text; none if the text is a recipient.
func (t *tester) recipientsByName(ctx context.Context, identifier, text string) []string {
	keeper := t.profileKeeper(identifier)
	if keeper == nil {
		return nil
	}
	t.name(ctx, identifier, text)
	if p, _ := t.people.Lookup(model.Recipient{Identifier: identifier, Value: text}); p.User != nil {
		return nil
	}
	found, err := keeper.Users(ctx, text, maxMatches)
	if err != nil {
		return nil // it is used as typed
	}
	var out []string
	for _, p := range found {
		if !strings.Contains(strings.ToLower(p.DisplayName()), strings.ToLower(text)) {
			continue
		}
		for _, v := range engine.IdentifierValues(identifier, p) {
			if !slices.Contains(out, v) && len(out) < maxRecent {
				out = append(out, v)
			}
		}
	}
	return out
}

// recent returns the recipients of earlier tests; for segments, those that exist.
func (t *tester) recent(ctx context.Context, identifier string) []string {
	var out []string
	if engine.IsSegmentIdentifier(identifier) {
		for _, s := range t.draft.Workspace.Segments {
			out = append(out, s.Name)
		}
	} else if h, ok := t.service.(engine.TestHistory); ok {
		out, _ = h.Recipients(ctx, t.draft.Campaign.Channel, identifier, maxRecent) // optional: without them the user types recipients
	}
	return out
}

// askMessageFilter asks which messages to send if there are several.
func (t *tester) askMessageFilter(ctx context.Context, ask *engine.TestSend) error {
	for _, n := range t.draft.FilterFields() {
		choices := n.Choices()
		options := make([]option, len(choices))
		for i, name := range choices {
			options[i] = option{label: n.Label(name)}
		}
		i, err := t.chooseOption(ctx, n.Node.Label(), options, 0)
		if err != nil {
			return err
		}
		ask.Filter = n.With(ask.Filter, choices[i])
	}
	return nil
}

// askCopies asks whether the addresses in Cc and Bcc get the test as well.
func (t *tester) askCopies(ctx context.Context, ask *engine.TestSend) (err error) {
	if to := t.draft.CopiesTo(ask.Filter); len(to) > 0 && !engine.IsExternal(t.service) {
		ask.Copies, err = t.confirm(ctx, "Also send copies to "+strings.Join(to, ", "), false)
	}
	return err
}

// askOverrides asks for values that replace the recipients' own, for the attributes that the messages use.
func (t *tester) askOverrides(ctx context.Context, ask *engine.TestSend) error {
	used := t.draft.Values(t.draft.Matching(ask.Filter))
	if len(used) == 0 {
		return nil
	}
	var names []string
	for _, v := range used {
		names = append(names, v.Name)
	}
	yes, err := t.confirm(ctx, "The content uses "+strings.Join(names, ", ")+". Use other values for this test", false)
	if err != nil || !yes {
		return err
	}
	for _, v := range used {
		whose := "the recipient's own"
		if v.Event {
			whose = "none"
		}
		err := t.ask(ctx, question{
			prompt: v.Name + ", Enter for " + whose, text: true,
			handle: func(got answer) error {
				if err := v.SetOverride(ask, got.text); err != nil {
					return invalid("%s %s.", v.Name, err.Error())
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

package testsend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/personalize"
	"bugle/engine/message/render"
)

// Forecast is the expected result of a test before it is sent. The zero value knows nothing.
type Forecast struct {
	Identifier string         // the identifier of Values; for a segment that of its members
	Values     []string       // the recipients
	Users      []ResolvedUser // the users of Values
	// Calls are the content APIs that the messages need, which are only called when the messages are sent.
	Calls []string
	// Resolved are the recipients that were looked up.
	Resolved map[Recipient]ResolvedUser

	asked engine.TestSend
	// why has, by message id, the reason for each of Values why the message will not arrive, or "".
	why map[string][]string
}

// Forecast looks up the recipients of a test and renders every message for each of them, without calling
// content APIs. It does not look up recipients in known again.
func (d Draft) Forecast(ctx context.Context, service engine.Service, ask engine.TestSend, known map[Recipient]ResolvedUser) (Forecast, error) {
	f := Forecast{asked: ask, why: map[string][]string{}, Resolved: map[Recipient]ResolvedUser{}}
	f.Identifier, f.Values = ResolveValues(d.Workspace, ask)
	if err := f.addPicked(ctx, d.Workspace, service); err != nil {
		return f, err
	}
	for _, v := range f.Values {
		r := Recipient{f.Identifier, v}
		p, ok := known[r]
		if !ok {
			p, ok = f.Resolved[r]
		}
		if !ok {
			var err error
			if p, err = LookUp(ctx, service, r); err != nil {
				return f, err
			}
			f.Resolved[r] = p
		}
		f.Users = append(f.Users, p)
	}
	fill := newFillContext(d)
	for _, m := range d.Messages {
		list := make([]string, len(f.Values))
		for i, p := range f.Users {
			if err := ctx.Err(); err != nil {
				return f, err
			}
			list[i] = d.blockedReason(ctx, m, ask, Recipient{f.Identifier, f.Values[i]}, p, fill)
		}
		f.why[m.ID] = list
	}
	f.Calls = fill.deferred
	return f, nil
}

// addPicked adds the users that match the segment's filters, up to the limit of a test. It adds none if the
// service cannot evaluate them.
func (f *Forecast) addPicked(ctx context.Context, w engine.Workspace, service engine.Service) error {
	at := slices.IndexFunc(w.Segments, func(s engine.Segment) bool {
		return engine.IsSegmentIdentifier(f.asked.Identifier) && len(f.asked.Values) > 0 && s.Name == f.asked.Values[0] && s.Group().Exists()
	})
	reader, ok := service.(engine.AudienceReader)
	if at < 0 || !ok || len(f.Values) == engine.MaxTestMembers {
		return nil
	}
	seg := w.Segments[at]
	more, err := reader.AudienceMembers(ctx, engine.AudienceRequest{
		Filters: audience.SegmentFilters(seg.Name), Limit: engine.MaxTestMembers + len(seg.Members),
	})
	if err != nil {
		return ctx.Err()
	}
	values := slices.Clone(f.Values) // which are the segment's own
	for _, p := range more {
		if len(values) < engine.MaxTestMembers && !slices.Contains(seg.Members, p.ID) {
			values = append(values, p.ID)
			f.Resolved[Recipient{engine.MemberIdentifier, p.ID}] = ResolvedUser{&p, true}
		}
	}
	f.Values = values
	return nil
}

// ResolveValues returns the recipients of a test like the function [ResolveValues]; for the forecast segment
// it includes the users that match its filters.
func (f Forecast) ResolveValues(w engine.Workspace, ask engine.TestSend) (identifier string, values []string) {
	if engine.IsSegmentIdentifier(ask.Identifier) && ask.Identifier == f.asked.Identifier && slices.Equal(ask.Values, f.asked.Values) {
		return f.Identifier, f.Values
	}
	return ResolveValues(w, ask)
}

// Why returns why a message will not reach the i-th recipient. known is false if that has not been
// determined.
func (f Forecast) Why(m Message, i int) (why string, known bool) {
	list := f.why[m.ID]
	if i >= len(list) {
		return "", false
	}
	return list[i], true
}

// Recipients returns the forecast without the results for messages, for a draft that has changed.
func (f Forecast) Recipients() Forecast {
	f.why, f.Calls = nil, nil
	return f
}

// Certain reports whether all recipients were resolved to users for certain, so that an attribute that none
// of them has is missing.
func (f Forecast) Certain() bool {
	return len(f.Users) > 0 && !slices.ContainsFunc(f.Users, func(p ResolvedUser) bool { return !p.Certain })
}

// maxNamed is the number of messages that a failure reason names.
const maxNamed = 2

// FailureReasons returns why messages will not arrive, each reason once with the names of the affected
// recipients, and the number of those messages. A message without content counts but adds no reason.
func (d Draft) FailureReasons(f Forecast, messages []Message, names []string) (list []string, stopped int) {
	short := ShortNames(messages)
	var whys []string
	who := map[string][]string{}
	for i, name := range names {
		of := map[string][]string{}
		var own []string
		for j, m := range messages {
			why, _ := f.Why(m, i)
			if why == "" {
				continue
			}
			stopped++
			if d.IsEmpty(m) {
				continue
			}
			if of[why] == nil {
				own = append(own, why)
			}
			of[why] = append(of[why], short[j])
		}
		for _, why := range own {
			text := why
			if !strings.HasSuffix(why, platformOf(messages, of[why][0], short)) { // it names them already
				text += among(of[why], len(messages))
			}
			if who[text] == nil {
				whys = append(whys, text)
			}
			who[text] = append(who[text], name)
		}
	}
	for _, why := range whys {
		list = append(list, Summarize(who[why])+": "+why)
	}
	return list, stopped
}

// platformOf returns the display name of a message's platform.
func platformOf(messages []Message, name string, short []string) string {
	return " " + catalog.Platform(messages[max(slices.Index(short, name), 0)].Key.Platform).Label()
}

// among names the messages that a reason applies to, unless it applies to all.
func among(names []string, all int) string {
	switch {
	case len(names) == all:
		return ""
	case len(names) > maxNamed:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// blockedReason returns why a message will not reach a recipient, or "" if nothing is known to prevent it.
func (d Draft) blockedReason(ctx context.Context, m Message, ask engine.TestSend, r Recipient, p ResolvedUser, fill *fillContext) string {
	if why := fill.MissingTemplate(m.Key.Content); why != "" {
		return why
	}
	if p.Certain || d.IsEmpty(m) {
		if why := m.Key.BlockedReason(d.Campaign.Channel, d.Document, r.Identifier, r.Value, p.User); why != "" {
			return why
		}
	}
	if !p.Certain || d.content == nil {
		return ""
	}
	return fill.missing(ctx, m, fill.data(d.Document, ask, p))
}

// Fill returns the function that fills the draft's texts for a user.
func (d Draft) Fill(ask engine.TestSend, p ResolvedUser) render.Fill {
	filling := newFillContext(d)
	data := filling.data(d.Document, ask, p)
	return func(_ doc.Path, text string) (string, []string) {
		out, holes, err := personalize.Preview(context.Background(), text, data)
		if err != nil {
			return text, nil
		}
		var missing []string
		for _, h := range holes {
			if !assemble.IsDeferred(h) { // what the content API returned went out, and is not known here
				missing = append(missing, h.Expression)
			}
		}
		return out, missing
	}
}

// fillContext holds what texts are rendered with before sending: the same as for a send, except that content
// APIs are not called.
type fillContext struct {
	*assemble.Content
	apis     assemble.Functions
	deferred []string // the APIs that a text would have called
	calls    int      // number of calls
}

func newFillContext(d Draft) *fillContext {
	m := d.content
	if m == nil {
		m = &assemble.Content{Blocks: assemble.BlockSources(d.Workspace)}
	}
	f := &fillContext{Content: m}
	f.apis = m.DeferredAPIs(d.Workspace.ContentAPIs, func(api string) {
		f.calls++
		if !slices.Contains(f.deferred, api) {
			f.deferred = append(f.deferred, api)
		}
	})
	return f
}

// data returns the data for rendering the messages of a user.
func (f *fillContext) data(document doc.Value, ask engine.TestSend, p ResolvedUser) personalize.Data {
	user, event := expressionValues(ask.UserAttributes), expressionValues(ask.EventAttributes)
	if p.User != nil {
		user = override(p.User.Attributes, user)
		event = override(engine.TriggerAttributes(document, *p.User), event)
	}
	return f.Data(user, event, f.apis)
}

// missing returns the values that a message lacks. Results of content APIs are not missing.
func (f *fillContext) missing(ctx context.Context, m Message, data personalize.Data) string {
	var reasons []string
	for _, t := range m.texts {
		before := f.calls
		_, err := personalize.Render(ctx, t.Source, data)
		var holes *personalize.MissingError
		switch {
		case errors.As(err, &holes):
			for _, u := range holes.Unresolved {
				if !assemble.IsDeferred(u) && !slices.Contains(reasons, u.Reason) {
					reasons = append(reasons, u.Reason)
				}
			}
		case err != nil && f.calls == before: // a text without its content API proves nothing
			return err.Error()
		}
	}
	if len(reasons) > 2 {
		return fmt.Sprintf("%s, and %d more values are missing", reasons[0], len(reasons)-1)
	}
	return strings.Join(reasons, ", ")
}

func override(own, instead map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, own)
	maps.Copy(out, instead)
	return out
}

// expressionValues returns the values of a request for use in expressions. Numbers keep their spelling.
func expressionValues(list []doc.Member) map[string]any {
	out := map[string]any{}
	for _, m := range list {
		switch m.Value.Kind() {
		case doc.Number:
			out[m.Name] = json.Number(m.Value.Literal())
		case doc.Bool:
			out[m.Name] = m.Value.True()
		default:
			out[m.Name] = m.Value.Text()
		}
	}
	return out
}

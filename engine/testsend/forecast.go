package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
)

// Forecast is the expected result of a test before it is sent. The zero value knows nothing.
type Forecast struct {
	Identifier string         // the identifier of Values; for a segment that of its members
	Values     []string       // the recipients
	Users      []ResolvedUser // the users of Values
	// DataUsers are the users whose data the messages have: the personas of the test, or Users.
	DataUsers []ResolvedUser
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
	for _, m := range d.Messages {
		f.why[m.ID] = make([]string, len(f.Values))
	}
	personas := make([]ResolvedUser, len(ask.As))
	for i, p := range ask.As {
		r := Recipient{engine.MemberIdentifier, p.ID}
		found, ok := known[r]
		if !ok {
			var err error
			if found, err = LookUp(ctx, service, r); err != nil {
				return f, err
			}
			f.Resolved[r] = found
		}
		personas[i] = found
	}
	if f.DataUsers = personas; len(personas) == 0 {
		f.DataUsers = f.Users
	}
	for i, p := range f.Users {
		r, seenAs := Recipient{f.Identifier, f.Values[i]}, []ResolvedUser{p}
		if len(personas) > 0 {
			seenAs = personas
		}
		fills := make([]*resolve.Filling, len(seenAs))
		for j, as := range seenAs {
			fills[j] = d.filled.For(viewer(ask, as))
		}
		for _, m := range d.Messages {
			if err := ctx.Err(); err != nil {
				return f, err
			}
			f.why[m.ID][i] = d.blockedReason(ctx, m, ask, r, p, seenAs, fills)
		}
		for _, fill := range fills {
			for _, api := range fill.Deferred() {
				if !slices.Contains(f.Calls, api) {
					f.Calls = append(f.Calls, api)
				}
			}
		}
	}
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

// blocks reports whether it is known why a message will not reach a recipient.
func (f Forecast) blocks(id, identifier, value string) bool {
	i := engine.IndexRecipient(f.Values, identifier, value)
	return f.Identifier == identifier && len(f.asked.As) < 2 && i >= 0 && i < len(f.why[id]) && f.why[id][i] != ""
}

// Recipients returns the forecast without the results for messages, for a draft that has changed.
func (f Forecast) Recipients() Forecast {
	f.why, f.Calls = nil, nil
	return f
}

// Certain reports whether all users whose data the messages have were found for certain, so that an attribute that
// none of them has is missing.
func (f Forecast) Certain() bool {
	return len(f.DataUsers) > 0 && !slices.ContainsFunc(f.DataUsers, func(p ResolvedUser) bool { return !p.Certain })
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
func (d Draft) blockedReason(ctx context.Context, m Message, ask engine.TestSend, r Recipient, p ResolvedUser, seenAs []ResolvedUser, fills []*resolve.Filling) string {
	if why := d.filled.Obstacle(m.Key); why != "" {
		return why
	}
	if p.Certain || d.IsEmpty(m) {
		if why := m.Key.BlockedReason(d.Campaign.Channel, d.Document, r.Identifier, r.Value, p.User); why != "" {
			return why
		}
	}
	var reasons []string
	for i, as := range seenAs {
		if !as.Certain || !d.filled.Knows() {
			continue
		}
		why := lacks(ctx, m, fills[i])
		if len(ask.As) > 0 && as.User == nil {
			why = "there is no user with this ID"
		}
		if why != "" && len(ask.As) > 0 {
			why = "as " + ask.As[i].String() + ": " + why
		}
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	return strings.Join(reasons, "; ")
}

// Fill returns the function that fills the draft's texts for a user.
func (d Draft) Fill(ask engine.TestSend, p ResolvedUser) render.Fill {
	filling := d.filled.For(viewer(ask, p))
	return func(_ doc.Path, text string) (string, []string) {
		out, holes, err := filling.Text(context.Background(), text)
		if err != nil {
			return text, nil
		}
		var missing []string
		for _, h := range holes {
			if !h.Deferred && h.Expression != "" { // what the content API returned went out, and is not known here
				missing = append(missing, h.Expression)
			}
		}
		return out, missing
	}
}

// fillContext holds what texts are rendered with before sending: the same as for a send, except that content
// APIs are not called.
func viewer(ask engine.TestSend, p ResolvedUser) resolve.Viewer {
	return resolve.Viewer{User: p.User, UserAttributes: ask.UserAttributes, EventAttributes: ask.EventAttributes}
}

// lacks names the values that a message has not. What a content API will return is not missing.
func lacks(ctx context.Context, m Message, f *resolve.Filling) string {
	missing, err := f.Lacks(ctx, m.texts)
	if err != nil {
		return ""
	}
	var reasons []string
	for _, h := range missing {
		if h.Expression == "" && !h.Deferred {
			return h.Reason // the text cannot be read
		}
		if !h.Deferred && !slices.Contains(reasons, h.Reason) {
			reasons = append(reasons, h.Reason)
		}
	}
	if len(reasons) > 2 {
		return fmt.Sprintf("%s, and %d more values are missing", reasons[0], len(reasons)-1)
	}
	return strings.Join(reasons, ", ")
}

package testsend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/material"
	"bugle/engine/personalize"
)

// person is who an identifier's value leads to.
type person struct {
	profile *engine.Profile // nil: nobody
	sure    bool            // the workspace's profiles were asked, and can answer
}

// forecast is what a test would come to, as far as can be told before it is sent.
type forecast struct {
	of         string // what it was asked for
	identifier string // of that
	values     []string
	names      []string
	people     []person
	// why says for each message, by its id, and for each of the names, why it will not arrive; empty
	// where nothing is known to stand in its way.
	why map[string][]string
	// asks are the content APIs that messages need: they are asked when those are sent, and not before.
	asks []string
	// found are the people that were looked up, by identifier and value.
	found map[string]person
}

// question is what a forecast is made from. Nothing in it changes.
type question struct {
	channel   engine.Channel
	document  doc.Value
	messages  []message
	workspace engine.Workspace
	material  *material.Material // nil where the service does not tell it
	ask       engine.TestSend
	known     map[string]person
	keeper    engine.ProfileKeeper  // nil where the service has none
	reader    engine.AudienceReader // the same
}

func personKey(identifier, value string) string { return identifier + "\x00" + value }

// foresee asks for the forecast of what the form asks for, where that has changed.
func (s *Screen) foresee() tea.Cmd {
	ask := s.ask()
	ask.Filter = engine.KeyFilter{}
	of := string(engine.DraftTest("", ask).Encode())
	if !s.ready() || of == s.asked {
		return nil
	}
	s.asked = of
	q := question{
		channel: s.campaign.Channel, document: s.document, messages: s.messages, workspace: s.workspace, material: s.material, ask: ask,
		known: maps.Clone(s.people),
	}
	q.keeper, _ = s.deps.Service.(engine.ProfileKeeper)
	q.reader, _ = s.deps.Service.(engine.AudienceReader)
	return s.Run(taskForecast, func(ctx context.Context) (any, error) {
		f, err := q.forecast(ctx)
		f.of = of
		return f, err
	})
}

// foreseen takes a forecast.
func (s *Screen) foreseen(f forecast) {
	s.forecast = f
	maps.Copy(s.people, f.found)
	s.meet(f.found)
	s.presentValues()
}

// reason returns why a message will not reach the i-th of the recipients; known is false while that is
// being found out.
func (s *Screen) reason(m message, i int) (why string, known bool) {
	list := s.forecast.why[m.id]
	if s.forecast.of != s.asked || i >= len(list) {
		return "", false
	}
	return list[i], true
}

// materialOf returns what the messages of a draft are made of, and the document with its saved templates. The
// material is nil where the service does not tell it.
func materialOf(ctx context.Context, service engine.Service, w engine.Workspace, c engine.Campaign) (*material.Material, doc.Value, error) {
	document := c.Document()
	keeper, ok := service.(engine.ContentKeeper)
	if !ok {
		return nil, document, nil
	}
	m, whole, err := material.Of(ctx, keeper, w, c.Channel, document)
	if err != nil {
		return nil, document, ctx.Err() // without it there is still everything else
	}
	return m, whole, nil
}

// asksLater returns which content APIs the messages need: a forecast does not ask them.
func (s *Screen) asksLater(names []string) []string {
	if s.forecast.of != s.asked || len(names) == 0 {
		return nil
	}
	var out []string
	for _, api := range s.forecast.asks {
		out = append(out, fmt.Sprintf("The content API %s is called when the message is sent.", api))
	}
	return out
}

// forecast finds out whom the values lead to, and fills every message for each of them.
func (q question) forecast(ctx context.Context) (forecast, error) {
	f := forecast{identifier: q.ask.Identifier, values: q.ask.Values, why: map[string][]string{}, found: map[string]person{}}
	var identifier string
	identifier, f.names = peopleOf(q.workspace, q.ask)
	if err := q.picked(ctx, &f); err != nil {
		return f, err
	}
	for _, name := range f.names {
		key := personKey(identifier, name)
		p, ok := q.known[key]
		if !ok {
			p, ok = f.found[key]
		}
		if !ok {
			var err error
			if p, err = lookUp(ctx, q.keeper, identifier, name); err != nil {
				return f, err
			}
			f.found[key] = p
		}
		f.people = append(f.people, p)
	}
	fill := newFilling(q.material, q.workspace)
	for _, m := range q.messages {
		list := make([]string, len(f.names))
		for i, p := range f.people {
			if err := ctx.Err(); err != nil {
				return f, err
			}
			list[i] = q.why(ctx, m, identifier, f.names[i], p, fill)
		}
		f.why[m.id] = list
	}
	f.asks = fill.asked
	return f, nil
}

// peopleOf names the people that a test goes to, and by what they are found: of a segment, its members.
func peopleOf(w engine.Workspace, ask engine.TestSend) (identifier string, names []string) {
	if !engine.TakesSegment(ask.Identifier) {
		return ask.Identifier, ask.Values
	}
	for _, seg := range w.Segments {
		if len(ask.Values) > 0 && seg.Name == ask.Values[0] {
			return engine.MemberIdentifier, seg.TestMembers()
		}
	}
	return engine.MemberIdentifier, nil
}

// picked adds the members of a segment that its filters pick, as far as a test goes to them. What a
// service cannot tell is left out.
func (q question) picked(ctx context.Context, f *forecast) error {
	at := slices.IndexFunc(q.workspace.Segments, func(s engine.Segment) bool {
		return engine.TakesSegment(q.ask.Identifier) && len(q.ask.Values) > 0 && s.Name == q.ask.Values[0] && s.Group().Exists()
	})
	if at < 0 || q.reader == nil || len(f.names) == engine.MaxTestMembers {
		return nil
	}
	seg := q.workspace.Segments[at]
	more, err := q.reader.AudienceMembers(ctx, engine.AudienceRequest{
		Filters: audience.OfSegment(seg.Name), Limit: engine.MaxTestMembers + len(seg.Members),
	})
	if err != nil {
		return ctx.Err()
	}
	names := slices.Clone(f.names) // which are the segment's own
	for _, p := range more {
		if len(names) < engine.MaxTestMembers && !slices.Contains(seg.Members, p.ID) {
			names = append(names, p.ID)
			f.found[personKey(engine.MemberIdentifier, p.ID)] = person{&p, true}
		}
	}
	f.names = names
	return nil
}

// lookUp finds the user that a value leads to. Without profiles there is still everything else.
func lookUp(ctx context.Context, keeper engine.ProfileKeeper, identifier, value string) (person, error) {
	if keeper == nil {
		return person{}, nil
	}
	p, sure, err := engine.FindProfile(ctx, keeper, identifier, value)
	if err != nil {
		return person{}, ctx.Err()
	}
	return person{p, sure}, nil
}

// why returns what stands between a message and a person.
func (q question) why(ctx context.Context, m message, identifier, value string, p person, fill *filling) string {
	if why := fill.Untaken(m.key.Content); why != "" {
		return why
	}
	if p.sure || q.document.Lookup(m.key.Content).Empty() {
		if why := m.key.Obstacle(q.channel, q.document, identifier, value, p.profile); why != "" {
			return why
		}
	}
	if !p.sure || q.material == nil {
		return ""
	}
	return fill.missing(ctx, m, fill.data(q.document, q.ask, p))
}

// filling is what texts are filled with before they are sent: all that a send has, but for the answers of
// content APIs, which are not asked.
type filling struct {
	*material.Material
	apis  material.Functions
	asked []string // the APIs that a text would have asked
	calls int      // how often
}

func newFilling(m *material.Material, w engine.Workspace) *filling {
	if m == nil {
		m = &material.Material{Blocks: material.BlocksOf(w)}
	}
	f := &filling{Material: m}
	f.apis = m.Unasked(w.ContentAPIs, func(api string) {
		f.calls++
		if !slices.Contains(f.asked, api) {
			f.asked = append(f.asked, api)
		}
	})
	return f
}

// data returns what the expressions of a person's messages can name.
func (f *filling) data(document doc.Value, ask engine.TestSend, p person) personalize.Data {
	user, event := plain(ask.UserAttributes), plain(ask.EventAttributes)
	if p.profile != nil {
		user = over(p.profile.Attributes, user)
		event = over(engine.Trigger(document, *p.profile), event)
	}
	return f.Data(user, event, f.apis)
}

// missing names the values that a message lacks. What a content API will say is not missing.
func (f *filling) missing(ctx context.Context, m message, data personalize.Data) string {
	var reasons []string
	for _, t := range m.texts {
		before := f.calls
		_, err := personalize.Render(ctx, t.Source, data)
		var holes *personalize.MissingError
		switch {
		case errors.As(err, &holes):
			for _, u := range holes.Unresolved {
				if !material.AskedLater(u) && !slices.Contains(reasons, u.Reason) {
					reasons = append(reasons, u.Reason)
				}
			}
		case err != nil && f.calls == before: // what a text is without its content API says nothing
			return err.Error()
		}
	}
	if len(reasons) > 2 {
		return fmt.Sprintf("%s, and %d more values are missing", reasons[0], len(reasons)-1)
	}
	return strings.Join(reasons, ", ")
}

func over(own, instead map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, own)
	maps.Copy(out, instead)
	return out
}

// plain returns the values of a request as expressions take them; numbers keep their spelling.
func plain(list []doc.Member) map[string]any {
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

package testsend

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
)

// SplitPersonas returns the requests that a test is sent with: one for each persona, or the test as it is where it has none.
func SplitPersonas(asks []engine.TestSend) []engine.TestSend {
	var out []engine.TestSend
	for _, ask := range asks {
		if len(ask.As) < 2 {
			out = append(out, ask)
			continue
		}
		for _, p := range ask.As {
			one := ask
			one.As = []engine.TestPersona{p}
			out = append(out, one)
		}
	}
	return out
}

// Persona returns the only persona of a request; nil where it has none.
func Persona(ask engine.TestSend) *engine.TestPersona {
	if len(ask.As) != 1 {
		return nil
	}
	return &ask.As[0]
}

func personaID(ask engine.TestSend) string {
	if p := Persona(ask); p != nil {
		return p.ID
	}
	return ""
}

// FindPersona returns the user with an ID, or an email address, as one whose data messages can have. A service that
// does not show its users is not asked. A user who is not there is [engine.NotFound].
func FindPersona(ctx context.Context, service engine.Service, name string) (engine.TestPersona, error) {
	v, err := resolve.Find(ctx, service, resolve.PersonNamed(name))
	if err != nil || v.User == nil {
		return engine.TestPersona{ID: name}, err
	}
	out := engine.TestPersona{ID: v.User.ID, Name: v.User.DisplayName()}
	if out.Name == out.ID {
		out.Name = ""
	}
	return out, nil
}

// WithPersona returns a request with the data of its persona among its attributes, which is how a service takes it.
// Attributes that messages use and the persona does not have are null, so that the recipient's own are not used. Where
// the service does not show its users, previews of it tell the values; those of the event, and those that only content
// blocks of the service use, stay the recipient's.
func (d Draft) WithPersona(ctx context.Context, service engine.Service, ask engine.TestSend) (engine.TestSend, error) {
	p := Persona(ask)
	if p == nil {
		return ask, nil
	}
	v, err := resolve.Find(ctx, service, resolve.PersonNamed(p.ID))
	if err != nil {
		return ask, err
	}
	var user, event []string
	for _, use := range d.Values(d.Matching(ask.Filter)) {
		if use.Event {
			event = append(event, use.Name)
		} else {
			user = append(user, use.Name)
		}
	}
	var theirs, ofEvent []doc.Member
	if v.User == nil {
		if theirs, err = probe(ctx, service, v.Person, user); err != nil {
			return ask, fmt.Errorf("cannot read the data of %s: %w", p, err)
		}
	} else {
		of := engine.TriggerAttributes(d.Document, *v.User)
		if d.computesNames(ask.Filter) {
			user, event = append(user, slices.Sorted(maps.Keys(v.User.Attributes))...), append(event, slices.Sorted(maps.Keys(of))...)
		}
		theirs, ofEvent = attributes(ctx, user, v.User.Attributes), attributes(ctx, event, of)
	}
	out := *p
	ask.UserAttributes, out.UserAttributes = beneath(ask.UserAttributes, theirs)
	ask.EventAttributes, out.EventAttributes = beneath(ask.EventAttributes, ofEvent)
	ask.As = []engine.TestPersona{out}
	return ask, nil
}

// computesNames reports whether a message, or a content block, looks attributes up by names that it computes.
func (d Draft) computesNames(f engine.KeyFilter) bool {
	computes := func(text string) bool {
		list, _ := template.Expressions(text) // one that cannot be read is not sent
		return slices.ContainsFunc(list, func(e template.Expression) bool {
			return strings.HasSuffix(e.Root, "Attribute") && e.Name == ""
		})
	}
	for _, source := range assemble.BlockSources(d.Workspace) {
		if computes(source) {
			return true
		}
	}
	return slices.ContainsFunc(d.Matching(f), func(m Message) bool {
		return slices.ContainsFunc(m.texts, func(t resolve.Text) bool { return computes(t.Source) })
	})
}

// attributes returns the values of names as a request carries them; null for those that are not there.
func attributes(ctx context.Context, names []string, values map[string]any) []doc.Member {
	own := make(map[string]any, len(values)) // each name, as its own value
	for name := range values {
		own[name] = name
	}
	var out []doc.Member
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		v, ok := values[name]
		if !ok { // it may be written in snake case
			full, err := template.Render(ctx, "{{ "+reference(name)+" }}", template.Data{UserAttributes: own})
			if v = values[full]; err != nil {
				v = nil
			}
		}
		value, ok := resolve.Document(v)
		if !ok {
			value = doc.NullValue()
		}
		out = append(out, doc.M(name, value))
	}
	return out
}

// reference returns the expression that names an attribute of the user.
func reference(name string) string {
	quote := "'"
	if strings.Contains(name, quote) {
		quote = `"`
	}
	return "UserAttribute[" + quote + name + quote + "]"
}

// beneath returns what was typed with the other attributes beneath it, and the names of those.
func beneath(typed, others []doc.Member) (all []doc.Member, names []string) {
	all = slices.Clip(typed)
	for _, m := range others {
		if !slices.ContainsFunc(typed, func(t doc.Member) bool { return t.Name == m.Name }) {
			all, names = append(all, m), append(names, m.Name)
		}
	}
	return all, names
}

// probe asks a service for the attributes of a user by a preview of a text that names them: it has no other way to tell.
func probe(ctx context.Context, service engine.Service, who resolve.Person, names []string) ([]doc.Member, error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.ContainsAny(name, "{}\\\n") || strings.Contains(name, "'") && strings.Contains(name, `"`)
	})
	if len(names) == 0 {
		return nil, nil
	}
	mark := "~" + rand.Text() + "~"
	for _, filter := range []string{" | tojson", ""} { // not every service has the filter
		var text strings.Builder
		for _, name := range names {
			text.WriteString(mark + "{{ " + reference(name) + " }}" + mark + "{{ " + reference(name) + filter + " }}")
		}
		content := doc.NewObject(doc.M("content", doc.NewObject(doc.M("email", doc.NewObject(doc.M(catalog.EmailHTML, doc.NewString(text.String()+mark)))))))
		shown, err := service.Preview(ctx, engine.PreviewRequest{
			Call: engine.NewCall(), Body: engine.PreviewBodyFor(catalog.Email, who.Kind, who.ID, content, nil),
		})
		if e := engine.AsError(err); e != nil && e.Code == engine.ValidationFailed && filter != "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		parts := strings.Split(shown.Content.Get("content").Get("email").Get(catalog.EmailHTML).Text(), mark)
		if len(parts) != 2*len(names)+2 {
			break
		}
		var out []doc.Member
		for i, name := range names {
			out = append(out, doc.M(name, told(reference(name), parts[1+2*i], parts[2+2*i])))
		}
		return out, nil
	}
	return nil, engine.Errorf(engine.BadRequest, http.StatusBadGateway, "the service did not preview a text as expected")
}

// told returns the value that a service filled in for an expression, as text and as JSON. Numbers keep the spelling of
// the text.
func told(expression, text, asJSON string) doc.Value {
	if strings.Contains(text, expression) { // it stands there as it was
		return doc.NullValue()
	}
	v, err := doc.Parse([]byte(asJSON))
	if err != nil {
		return doc.NewString(text)
	}
	switch v.Kind() {
	case doc.Number:
		if n, ok := doc.NewNumber(text); ok {
			return n
		}
	case doc.String:
		return doc.NewString(text)
	}
	return v
}

package testsend

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
)

// Recipient is who a test is sent to: a value of an identifier.
type Recipient struct{ Identifier, Value string }

// Person is who a recipient is found to be.
type Person struct {
	Profile *engine.Profile // nil: nobody
	Sure    bool            // the workspace's users were asked, and can answer
}

// MostRecipients returns how many recipients a test by the identifier can have.
func MostRecipients(identifier string) int {
	if engine.TakesSegment(identifier) {
		return 1
	}
	return catalog.MaxIdentifierValues
}

// Separates reports whether a text ends one recipient and begins another.
func Separates(identifier, text string) bool {
	return !engine.TakesSegment(identifier) && strings.ContainsAny(text, separators)
}

const separators = ",;\n\r\t"

// Split returns the recipients in a text.
func Split(identifier, text string) []string {
	parts := []string{text}
	if Separates(identifier, text) {
		parts = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
	}
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// Refused returns why a recipient cannot be added to a test; empty where it can.
func Refused(ch engine.Channel, t engine.TestSend, value string) string {
	t.Values = append(slices.Clip(t.Values), value)
	wrong, others := t.CheckRecipients(ch)
	if why := wrong[len(t.Values)-1]; why != "" {
		return why
	}
	if len(others) > 0 {
		return others[0]
	}
	return ""
}

// Addressed returns who a test goes to, and by what they are found: of a segment, its own members.
func Addressed(w engine.Workspace, ask engine.TestSend) (identifier string, values []string) {
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

// LookUp finds the user that a recipient is. A service that cannot answer is no error: nobody is found then.
func LookUp(ctx context.Context, service engine.Service, r Recipient) (Person, error) {
	keeper, ok := service.(engine.ProfileKeeper)
	if !ok || engine.TakesSegment(r.Identifier) {
		return Person{}, nil
	}
	p, sure, err := engine.FindProfile(ctx, keeper, r.Identifier, r.Value)
	if err != nil {
		return Person{}, ctx.Err()
	}
	return Person{p, sure}, nil
}

// LookUpAll finds the users that several recipients are.
func LookUpAll(ctx context.Context, service engine.Service, all []Recipient) (map[Recipient]Person, error) {
	found := map[Recipient]Person{}
	for _, r := range all {
		p, err := LookUp(ctx, service, r)
		if err != nil {
			return found, err
		}
		found[r] = p
	}
	return found, nil
}

// People are the users that recipients were found to be, and what they are called.
type People struct {
	known  map[Recipient]Person
	called map[Recipient]string // empty where nobody is known
}

// NewPeople returns an empty list.
func NewPeople() *People {
	return &People{known: map[Recipient]Person{}, called: map[Recipient]string{}}
}

// Meet takes the people that were looked up.
func (p *People) Meet(found map[Recipient]Person) {
	for r, who := range found {
		p.known[r], p.called[r] = who, ""
		if who.Profile != nil {
			p.Call(r, *who.Profile)
		}
	}
}

// Call notes what a recipient is called.
func (p *People) Call(r Recipient, as engine.Profile) {
	p.called[r] = ""
	if name := as.DisplayName(); name != as.ID {
		p.called[r] = name
	}
}

// Forget forgets who recipients are, since they may have changed. What they are called stays.
func (p *People) Forget() { p.known = map[Recipient]Person{} }

// All returns everybody who was looked up.
func (p *People) All() map[Recipient]Person { return maps.Clone(p.known) }

// Known returns the person that a recipient was found to be; false where nobody looked.
func (p *People) Known(r Recipient) (Person, bool) {
	who, ok := p.known[r]
	return who, ok
}

// Met reports whether it was looked up what a recipient is called.
func (p *People) Met(r Recipient) bool {
	_, ok := p.called[r]
	return ok
}

// Name names a recipient for people: by their name where the workspace knows it, else by the value.
func (p *People) Name(identifier, value string) string {
	if name := p.called[Recipient{identifier, value}]; name != "" {
		return name
	}
	return value
}

// NameBeside returns the name of a recipient to show beside the value; empty where it adds nothing.
func (p *People) NameBeside(identifier, value string) string {
	if name := p.Name(identifier, value); name != value {
		return name
	}
	return ""
}

// Names names every recipient of a test.
func (p *People) Names(ask engine.TestSend) []string {
	out := slices.Clone(ask.Values)
	for i, v := range out {
		out[i] = p.Name(ask.Identifier, v)
	}
	return out
}

// NamesAndValues names every recipient of a test, with the values that they are found by.
func (p *People) NamesAndValues(ask engine.TestSend) []string {
	out := slices.Clone(ask.Values)
	for i, v := range out {
		if name := p.NameBeside(ask.Identifier, v); name != "" {
			out[i] = fmt.Sprintf("%s (%s)", name, v)
		}
	}
	return out
}

// Summary names the recipients of a test in a few words.
func (p *People) Summary(ask engine.TestSend) string {
	names := p.Names(ask)
	switch n := len(names); n {
	case 0:
		return "nobody"
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return fmt.Sprintf("%s and %d more", names[0], n-1)
	}
}

// Explain returns why a message failed, with the recipient in it by their name.
func (p *People) Explain(why string, w engine.Workspace, ask engine.TestSend) string {
	identifier, values := Addressed(w, ask)
	for _, v := range values {
		if name := p.NameBeside(identifier, v); name != "" && strings.HasPrefix(why, v+":") {
			return name + strings.TrimPrefix(why, v)
		}
	}
	return why
}

// Some puts values into words, the first ones by name.
func Some(values []string) string {
	const most = 3
	if len(values) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:most], ", "), len(values)-most)
	}
	return strings.Join(values, ", ")
}

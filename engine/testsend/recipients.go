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

// ResolvedUser is who a recipient is found to be.
type ResolvedUser struct {
	User    *engine.User // nil: nobody
	Certain bool         // the workspace's users were asked, and can answer
}

// MaxRecipients returns how many recipients a test by the identifier can have.
func MaxRecipients(identifier string) int {
	if engine.IsSegmentIdentifier(identifier) {
		return 1
	}
	return catalog.MaxIdentifierValues
}

// EndsRecipient reports whether a text ends one recipient and begins another.
func EndsRecipient(identifier, text string) bool {
	return !engine.IsSegmentIdentifier(identifier) && strings.ContainsAny(text, separators)
}

const separators = ",;\n\r\t"

// Split returns the recipients in a text.
func Split(identifier, text string) []string {
	parts := []string{text}
	if EndsRecipient(identifier, text) {
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

// RefusalReason returns why a recipient cannot be added to a test; empty where it can.
func RefusalReason(ch engine.Channel, t engine.TestSend, value string) string {
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

// ResolveValues returns who a test goes to, and by what they are found: of a segment, its own members.
func ResolveValues(w engine.Workspace, ask engine.TestSend) (identifier string, values []string) {
	if !engine.IsSegmentIdentifier(ask.Identifier) {
		return ask.Identifier, ask.Values
	}
	for _, seg := range w.Segments {
		if len(ask.Values) > 0 && seg.Name == ask.Values[0] {
			return engine.MemberIdentifier, seg.TestUserIDs()
		}
	}
	return engine.MemberIdentifier, nil
}

// LookUp finds the user that a recipient is. A service that cannot answer is no error: nobody is found then.
func LookUp(ctx context.Context, service engine.Service, r Recipient) (ResolvedUser, error) {
	keeper, ok := service.(engine.UserStore)
	if !ok || engine.IsSegmentIdentifier(r.Identifier) {
		return ResolvedUser{}, nil
	}
	p, sure, err := engine.FindUser(ctx, keeper, r.Identifier, r.Value)
	if err != nil {
		return ResolvedUser{}, ctx.Err()
	}
	return ResolvedUser{p, sure}, nil
}

// LookUpAll finds the users that several recipients are.
func LookUpAll(ctx context.Context, service engine.Service, all []Recipient) (map[Recipient]ResolvedUser, error) {
	found := map[Recipient]ResolvedUser{}
	for _, r := range all {
		p, err := LookUp(ctx, service, r)
		if err != nil {
			return found, err
		}
		found[r] = p
	}
	return found, nil
}

// Directory are the users that recipients were found to be, and what they are called.
type Directory struct {
	known map[Recipient]ResolvedUser
	names map[Recipient]string // empty where nobody is known
}

// NewDirectory returns an empty list.
func NewDirectory() *Directory {
	return &Directory{known: map[Recipient]ResolvedUser{}, names: map[Recipient]string{}}
}

// Add takes the people that were looked up.
func (p *Directory) Add(found map[Recipient]ResolvedUser) {
	for r, who := range found {
		p.known[r], p.names[r] = who, ""
		if who.User != nil {
			p.SetName(r, *who.User)
		}
	}
}

// SetName notes what a recipient is called.
func (p *Directory) SetName(r Recipient, as engine.User) {
	p.names[r] = ""
	if name := as.DisplayName(); name != as.ID {
		p.names[r] = name
	}
}

// Reset forgets who recipients are, since they may have changed. What they are called stays.
func (p *Directory) Reset() { p.known = map[Recipient]ResolvedUser{} }

// All returns everybody who was looked up.
func (p *Directory) All() map[Recipient]ResolvedUser { return maps.Clone(p.known) }

// Lookup returns the person that a recipient was found to be; false where nobody looked.
func (p *Directory) Lookup(r Recipient) (ResolvedUser, bool) {
	who, ok := p.known[r]
	return who, ok
}

// HasName reports whether it was looked up what a recipient is called.
func (p *Directory) HasName(r Recipient) bool {
	_, ok := p.names[r]
	return ok
}

// Name names a recipient for people: by their name where the workspace knows it, else by the value.
func (p *Directory) Name(identifier, value string) string {
	if name := p.names[Recipient{identifier, value}]; name != "" {
		return name
	}
	return value
}

// Caption returns the name of a recipient to show beside the value; empty where it adds nothing.
func (p *Directory) Caption(identifier, value string) string {
	if name := p.Name(identifier, value); name != value {
		return name
	}
	return ""
}

// Names names every recipient of a test.
func (p *Directory) Names(ask engine.TestSend) []string {
	out := slices.Clone(ask.Values)
	for i, v := range out {
		out[i] = p.Name(ask.Identifier, v)
	}
	return out
}

// NamesAndValues names every recipient of a test, with the values that they are found by.
func (p *Directory) NamesAndValues(ask engine.TestSend) []string {
	out := slices.Clone(ask.Values)
	for i, v := range out {
		if name := p.Caption(ask.Identifier, v); name != "" {
			out[i] = fmt.Sprintf("%s (%s)", name, v)
		}
	}
	return out
}

// Summary names the recipients of a test in a few words.
func (p *Directory) Summary(ask engine.TestSend) string {
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
func (p *Directory) Explain(why string, w engine.Workspace, ask engine.TestSend) string {
	identifier, values := ResolveValues(w, ask)
	for _, v := range values {
		if name := p.Caption(identifier, v); name != "" && strings.HasPrefix(why, v+":") {
			return name + strings.TrimPrefix(why, v)
		}
	}
	return why
}

// Summarize puts values into words, the first ones by name.
func Summarize(values []string) string {
	const most = 3
	if len(values) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:most], ", "), len(values)-most)
	}
	return strings.Join(values, ", ")
}

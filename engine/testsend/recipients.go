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

// Recipient is a recipient of a test: an identifier and its value.
type Recipient struct{ Identifier, Value string }

// ResolvedUser is the user that a recipient was resolved to.
type ResolvedUser struct {
	User    *engine.User // nil: none
	Certain bool         // the service was asked and its answer is reliable
}

// MaxRecipients returns how many recipients a test with the identifier may have.
func MaxRecipients(identifier string) int {
	if engine.IsSegmentIdentifier(identifier) {
		return 1
	}
	return catalog.MaxIdentifierValues
}

// HasSeparator reports whether text contains a separator between recipients.
func HasSeparator(identifier, text string) bool {
	return !engine.IsSegmentIdentifier(identifier) && strings.ContainsAny(text, separators)
}

const separators = ",;\n\r\t"

// Split splits a text into recipients.
func Split(identifier, text string) []string {
	parts := []string{text}
	if HasSeparator(identifier, text) {
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

// RefusalReason returns why a recipient cannot be added to a test, or "".
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

// ResolveValues returns the identifier and values that a test is sent to. For a segment these are the users
// on its list.
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

// LookUp finds the user of a recipient. A service that cannot look up users is not an error; the result has
// no user then.
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

// LookUpAll looks up the users of several recipients.
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

// Directory holds the users of recipients, and their display names.
type Directory struct {
	known map[Recipient]ResolvedUser
	names map[Recipient]string // empty if there is no user
}

// NewDirectory returns an empty directory.
func NewDirectory() *Directory {
	return &Directory{known: map[Recipient]ResolvedUser{}, names: map[Recipient]string{}}
}

// Add adds recipients that were looked up.
func (p *Directory) Add(found map[Recipient]ResolvedUser) {
	for r, who := range found {
		p.known[r], p.names[r] = who, ""
		if who.User != nil {
			p.SetName(r, *who.User)
		}
	}
}

// SetName sets the display name of a recipient from a user.
func (p *Directory) SetName(r Recipient, as engine.User) {
	p.names[r] = ""
	if name := as.DisplayName(); name != as.ID {
		p.names[r] = name
	}
}

// Reset forgets the users of the recipients, because they may have changed. Display names stay.
func (p *Directory) Reset() { p.known = map[Recipient]ResolvedUser{} }

// All returns all recipients that were looked up.
func (p *Directory) All() map[Recipient]ResolvedUser { return maps.Clone(p.known) }

// Lookup returns the user of a recipient, or false if it was not looked up.
func (p *Directory) Lookup(r Recipient) (ResolvedUser, bool) {
	who, ok := p.known[r]
	return who, ok
}

// HasName reports whether the display name of a recipient was looked up.
func (p *Directory) HasName(r Recipient) bool {
	_, ok := p.names[r]
	return ok
}

// Name returns the display name of a recipient: the user's name if known, or else the value.
func (p *Directory) Name(identifier, value string) string {
	if name := p.names[Recipient{identifier, value}]; name != "" {
		return name
	}
	return value
}

// Caption returns the name to show next to a recipient's value, or "" if it adds nothing.
func (p *Directory) Caption(identifier, value string) string {
	if name := p.Name(identifier, value); name != value {
		return name
	}
	return ""
}

// Names returns the display names of all recipients of a test.
func (p *Directory) Names(ask engine.TestSend) []string {
	out := slices.Clone(ask.Values)
	for i, v := range out {
		out[i] = p.Name(ask.Identifier, v)
	}
	return out
}

// NamesAndValues returns the display names of all recipients of a test, with their values.
func (p *Directory) NamesAndValues(ask engine.TestSend) []string {
	out := slices.Clone(ask.Values)
	for i, v := range out {
		if name := p.Caption(ask.Identifier, v); name != "" {
			out[i] = fmt.Sprintf("%s (%s)", name, v)
		}
	}
	return out
}

// Summary describes the recipients of a test in a few words.
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

// Explain returns why a message failed, with the recipient's value replaced by their name.
func (p *Directory) Explain(why string, w engine.Workspace, ask engine.TestSend) string {
	identifier, values := ResolveValues(w, ask)
	for _, v := range values {
		if name := p.Caption(identifier, v); name != "" && strings.HasPrefix(why, v+":") {
			return name + strings.TrimPrefix(why, v)
		}
	}
	return why
}

// Summarize lists values in a few words, naming only the first ones.
func Summarize(values []string) string {
	const most = 3
	if len(values) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:most], ", "), len(values)-most)
	}
	return strings.Join(values, ", ")
}

package query

import (
	"slices"
	"strings"

	"bugle/engine/catalog"
)

// Key is a query word: what stands before the colon.
type Key string

// The query words. Sort takes those of [Columns]; Is takes archived, all and live.
const (
	Status   Key = "status"
	Channel  Key = "channel"
	Type     Key = "type"
	Tag      Key = "tag"
	By       Key = "by"
	Team     Key = "team"
	Platform Key = "platform"
	Updated  Key = "updated"
	Created  Key = "created"
	Start    Key = "start"
	Version  Key = "version"
	ID       Key = "id"
	Is       Key = "is"
	Sort     Key = "sort"
)

// Name is the column that campaigns can be sorted by beside the query words.
const Name Key = "name"

// The values of [Is].
const (
	IsArchived = "archived" // the archived, and only they unless a state is asked for too
	IsAll      = "all"      // the archived too
	IsLive     = "live"     // scheduled, active, sending or paused
)

// Columns are what campaigns can be sorted by.
var Columns = []Key{Updated, Created, Start, Name, Status, Channel, Type, Team, By, Version}

// Facets are the query words whose values are counted beside the list.
var Facets = []Key{Status, Channel, Type, Tag, By, Team, Platform}

// kind is what the values of a query word are.
type kind int

const (
	ofList  kind = iota // those of options
	ofRows              // what the campaigns have
	ofTime              // dates and ages
	ofCount             // whole numbers
	ofID                // identifiers, or how they begin
)

// keyword is one query word.
type keyword struct {
	key     Key
	aliases []string
	help    string
	kind    kind
	options []option
}

// option is one value of a list.
type option struct {
	text  string // as the language writes it
	wire  string // as the rows have it
	label string // for people
}

var keywords = []keyword{
	{key: Status, aliases: []string{"state"}, help: "state", options: options(catalog.States, catalog.State.Label)},
	{key: Channel, help: "channel", options: options(catalog.Channels, catalog.Channel.Label)},
	{key: Type, help: "delivery type", options: options(deliveryTypes(), catalog.DeliveryType.Label)},
	{key: Tag, aliases: []string{"tags"}, help: "tag", kind: ofRows},
	{key: By, aliases: []string{"creator", "author"}, help: "creator", kind: ofRows},
	{key: Team, help: "team", kind: ofRows},
	{key: Platform, aliases: []string{"platforms"}, help: "platform", options: options(catalog.Platforms, catalog.Platform.Label)},
	{key: Updated, help: "last change", kind: ofTime},
	{key: Created, help: "creation", kind: ofTime},
	{key: Start, help: "start", kind: ofTime},
	{key: Version, help: "version", kind: ofCount},
	{key: ID, help: "id", kind: ofID},
	{key: Is, help: "archived, all or live", options: []option{
		{IsArchived, IsArchived, archivedOnly}, {IsAll, IsAll, "the archived too"},
		{IsLive, IsLive, "scheduled, active, sending or paused"},
	}},
	{key: Sort, help: "order", options: columns()},
}

func deliveryTypes() []catalog.DeliveryType {
	var out []catalog.DeliveryType
	for _, t := range catalog.DeliveryTypes(catalog.Push) {
		out = append(out, t.Type)
	}
	return out
}

func columns() []option {
	var out []option
	for _, c := range Columns {
		label := columnLabel(c)
		out = append(out, option{string(c), string(c), "by " + label}, option{"-" + string(c), "-" + string(c), "by " + label + ", down"})
	}
	return out
}

func columnLabel(c Key) string {
	if w := findKeyword(c); w != nil {
		return w.help
	}
	return string(c)
}

func options[S ~string](names []S, label func(S) string) []option {
	out := make([]option, len(names))
	for i, n := range names {
		out[i] = option{slug(string(n)), string(n), label(n)}
	}
	return out
}

// slug returns a wire value as the language writes it: GOOGLE ADS is google-ads.
func slug(s string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(s))
}

// lookup is filled once: wordOf is used while words itself is being made.
var lookup map[string]*keyword

func init() {
	lookup = map[string]*keyword{}
	for i := range keywords {
		w := &keywords[i]
		for _, name := range append(w.aliases, string(w.key)) {
			lookup[name] = w
		}
	}
}

func findKeyword(k Key) *keyword { return lookup[strings.ToLower(string(k))] }

// names are the query words themselves, without their other names.
func names() []string {
	out := make([]string, len(keywords))
	for i, w := range keywords {
		out[i] = string(w.key)
	}
	return out
}

// find returns the option that a person means by s: its text, wire value or label in any case, or
// the only one that begins so.
func (w *keyword) find(s string) (option, bool) {
	want := slug(s)
	var begins []option
	for _, o := range w.options {
		if o.text == want || slug(o.label) == want {
			return o, true
		}
		if want != "" && strings.HasPrefix(o.text, want) {
			begins = append(begins, o)
		}
	}
	if len(begins) == 1 {
		return begins[0], true
	}
	return option{}, false
}

// label returns a value for people.
func (w *keyword) label(text string) string {
	if i := slices.IndexFunc(w.options, func(o option) bool { return o.text == text }); i >= 0 {
		return w.options[i].label
	}
	return text
}

// Wire returns the value of a list, such as status, as the rows have it: DRAFT for draft. Other
// values come back as they are.
func Wire(k Key, text string) string {
	if w := findKeyword(k); w != nil {
		if i := slices.IndexFunc(w.options, func(o option) bool { return o.text == text }); i >= 0 {
			return w.options[i].wire
		}
	}
	return text
}

// Text returns a value of a row as the language writes it: draft for DRAFT. Values of tags, teams
// and people come back as they are.
func Text(k Key, wire string) string {
	if w := findKeyword(k); w != nil && w.kind == ofList {
		return slug(wire)
	}
	return wire
}

// Label returns a value of a row for people: Draft for DRAFT.
func Label(k Key, wire string) string {
	if w := findKeyword(k); w != nil && w.kind == ofList {
		if i := slices.IndexFunc(w.options, func(o option) bool { return o.wire == wire }); i >= 0 {
			return w.options[i].label
		}
	}
	return wire
}

// Options returns the values of a list such as status as rows have them, in their order; nil for
// words whose values are what the rows have.
func Options(k Key) []string {
	w := findKeyword(k)
	if w == nil || w.kind != ofList {
		return nil
	}
	out := make([]string, len(w.options))
	for i, o := range w.options {
		out[i] = o.wire
	}
	return out
}

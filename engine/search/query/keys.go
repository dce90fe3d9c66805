package query

import (
	"slices"
	"strings"

	"bugle/engine/catalog"
)

// Key is a keyword: the part before the colon.
type Key string

// The keywords. Sort accepts [Columns]; Is accepts archived, all and live.
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

// Name is a sort column in addition to the keywords.
const Name Key = "name"

// The values of the keyword is.
const (
	IsArchived = "archived" // only archived campaigns, unless a state is requested too
	IsAll      = "all"      // archived campaigns too
	IsLive     = "live"     // scheduled, active, sending or paused
)

// Columns are the columns that campaigns can be sorted by.
var Columns = []Key{Updated, Created, Start, Name, Status, Channel, Type, Team, By, Version}

// Facets are the keywords whose values are counted next to the list.
var Facets = []Key{Status, Channel, Type, Tag, By, Team, Platform}

// kind is the type of a keyword's values.
type kind int

const (
	ofList  kind = iota // one of options
	ofRows              // values of the campaigns
	ofTime              // dates and ages
	ofCount             // whole numbers
	ofID                // identifiers or their prefixes
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
	text  string // query language
	wire  string // rows
	label string // display name
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

// slug returns the query language's spelling of a wire value: google-ads for GOOGLE ADS.
func slug(s string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(s))
}

// lookup is filled once, because findKeyword is used while keywords is initialized.
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

// names returns the keywords without their aliases.
func names() []string {
	out := make([]string, len(keywords))
	for i, w := range keywords {
		out[i] = string(w.key)
	}
	return out
}

// find returns the option that s refers to: its text, wire value or label in any case, or
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

// Named returns the row's value that a search word names: DRAFT for draft as a state.
func Named(k Key, word string) (wire string, ok bool) {
	w, text := findKeyword(k), slug(word)
	if w == nil || w.kind != ofList {
		return "", false
	}
	for _, o := range w.options {
		if o.text == text || slug(o.label) == text {
			return o.wire, true
		}
	}
	return "", false
}

// label returns a value for people.
func (w *keyword) label(text string) string {
	if i := slices.IndexFunc(w.options, func(o option) bool { return o.text == text }); i >= 0 {
		return w.options[i].label
	}
	return text
}

// Wire returns the row's spelling of a value: DRAFT for draft. It returns other values unchanged.
func Wire(k Key, text string) string {
	if w := findKeyword(k); w != nil {
		if i := slices.IndexFunc(w.options, func(o option) bool { return o.text == text }); i >= 0 {
			return w.options[i].wire
		}
	}
	return text
}

// Text returns the query language's spelling of a row's value: draft for DRAFT. It returns tags, teams and
// creators unchanged.
func Text(k Key, wire string) string {
	if w := findKeyword(k); w != nil && w.kind == ofList {
		return slug(wire)
	}
	return wire
}

// Label returns the display name of a row's value: Draft for DRAFT.
func Label(k Key, wire string) string {
	if w := findKeyword(k); w != nil && w.kind == ofList {
		if i := slices.IndexFunc(w.options, func(o option) bool { return o.wire == wire }); i >= 0 {
			return w.options[i].label
		}
	}
	return wire
}

// Options returns the possible values of a keyword such as status, as in rows and in order, or nil if any
// value is possible.
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

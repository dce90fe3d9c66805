// Package check finds what is likely wrong with a campaign although the specification allows it: an audience of
// nobody, a link that leads nowhere, a subject that phones cut, an email that Gmail clips. It reads the messages as a
// recipient without any attributes gets them, with content blocks, product sets and saved templates in place.
//
// What the specification refuses is found by the tables of the catalog, and never here.
//
// [Run] needs no service and no network: what it knows beside the campaign are [Facts], which [Read] gathers from a
// service once. A check whose facts are not there is not made, and the [Result] says so. [Online] is the only part that
// asks other servers.
package check

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/assemble"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Severity is how much a finding matters.
type Severity string

// The severities.
const (
	Warning Severity = "warning" // likely a mistake
	Note    Severity = "note"    // worth knowing
)

// Check is one row of the table of checks.
type Check struct {
	ID       string           `json:"id"` // in lower case with dashes; it never changes
	Severity Severity         `json:"severity"`
	Channels []engine.Channel `json:"channels,omitempty"` // none: all that can be written
	Title    string           `json:"title"`
	Why      string           `json:"why"`
	Remedy   string           `json:"remedy"`
	Source   string           `json:"source,omitempty"` // the document that says so
	Online   bool             `json:"online,omitempty"` // made by [Online] alone

	needs need
	run   func(*run) // nil where another row's makes it
}

// need is what a check has to know beside the document.
type need uint8

const (
	needWorkspace need = 1 << iota
	needContent
	needAudience
	needOthers
	needNow
)

// Checks returns the table of checks, in the order in which they are made.
func Checks() []Check { return slices.Clone(table) }

// Of returns the row of a check; false where there is none of that id.
func Of(id string) (Check, bool) {
	i, ok := rows[id]
	if !ok {
		return Check{}, false
	}
	return table[i], true
}

// Finding is one thing that a check found.
type Finding struct {
	Check    string   // the id of the check
	Severity Severity // that of the check, or a lower one
	Path     doc.Path // of the place in the campaign's document
	Trail    []string // the place for people, a name for each step
	// Cell is the message that it is about; its Platform is empty where it is about no single one.
	Cell    engine.TestKey
	Message string // one sentence, with the value
	Remedy  string // what to do, one sentence
	Source  string // the document that says so; may be empty
	Fix     string // the text of the place with the remedy applied; empty where somebody has to decide
	Value   string // the hash of what stands at the place
	// Dismissed is why it does not count; nil where it does.
	Dismissed *engine.Dismissal
}

// ID names the finding among those of its campaign: the check and the place.
func (f Finding) ID() string { return f.Check + "@" + f.Path.String() }

// Place returns the place for people, in one line. Messages are named by their locale and variation.
func (f Finding) Place() string {
	trail := f.Trail
	if len(f.Path) > 2 && f.Path[0].Name == string(catalog.CampaignContent) && f.Path[1].Name == "content" {
		trail = trail[2:] // who reads it knows where messages are
		if name, steps := grid.CellAt(f.Path); steps > 0 {
			trail = append([]string{name}, trail[steps:]...)
		}
	}
	return strings.Join(trail, " › ")
}

// Text returns the message without the name of its place at the start, for use after [Finding.Place]. It has no period.
func (f Finding) Text() string {
	text := strings.TrimSuffix(f.Message, ".")
	if n := len(f.Trail); n > 0 {
		text = strings.TrimPrefix(text, f.Trail[n-1]+": ")
	}
	return text
}

// Dismiss returns the dismissal of a finding.
func (f Finding) Dismiss(by, reason string, at time.Time) engine.Dismissal {
	return engine.Dismissal{Warning: f.ID(), Value: f.Value, By: by, At: at.UTC(), Reason: reason}
}

// Fixes reports whether Fix is still right: the text of its place in the document is the one that was checked.
func (f Finding) Fixes(document doc.Value) bool {
	return f.Fix != "" && hash(document.Lookup(f.Path)) == f.Value
}

// Skipped is a check that was not made.
type Skipped struct {
	Check string `json:"check"` // its id; "messages" where no check was made of some of them
	Why   string `json:"why"`   // one clause
}

// Result is what the checks of a campaign found.
type Result struct {
	// Findings are those that count, the warnings before the notes.
	Findings []Finding
	// Dismissed are those that somebody dismissed, in the same order.
	Dismissed []Finding
	// Skipped are the checks that were not made, in the order of the table.
	Skipped []Skipped
}

// Count returns how many findings of a severity count.
func (r Result) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Summary counts the findings in words: "3 warnings and 1 note". It is empty if there are none.
func (r Result) Summary() string {
	var words []string
	for _, s := range []Severity{Warning, Note} {
		if n := r.Count(s); n > 0 {
			words = append(words, phrase.Count(n, string(s)))
		}
	}
	return strings.Join(words, " and ")
}

// Find returns the finding of that id, dismissed or not.
func (r Result) Find(id string) (Finding, bool) {
	for _, f := range slices.Concat(r.Findings, r.Dismissed) {
		if f.ID() == id {
			return f, true
		}
	}
	return Finding{}, false
}

// NotChecked returns the checks that were not made in sentences, one for each reason.
func (r Result) NotChecked() []string {
	ids := map[string][]string{}
	var reasons []string
	for _, s := range r.Skipped {
		if ids[s.Why] == nil {
			reasons = append(reasons, s.Why)
		}
		ids[s.Why] = append(ids[s.Why], s.Check)
	}
	var out []string
	for _, why := range reasons {
		out = append(out, fmt.Sprintf("Not checked, because %s: %s", why, strings.Join(ids[why], ", ")))
	}
	return out
}

// Run makes all checks that the facts allow, but for those of [Online]. It reads c as it is: an edited body that was
// not saved will do. An ended ctx ends it with the error of ctx; nothing else makes it fail. It is safe for concurrent
// use.
func Run(ctx context.Context, c engine.Campaign, f Facts) (Result, error) {
	r, err := newRun(ctx, c, f)
	if err != nil || r == nil {
		return Result{}, err
	}
	for i := range table {
		k := &table[i]
		if k.Online || len(k.Channels) > 0 && !slices.Contains(k.Channels, r.channel) {
			continue
		}
		if why := r.lacks(k.needs); why != "" {
			r.skipped = append(r.skipped, Skipped{k.ID, why})
			continue
		}
		if k.run != nil {
			k.run(r)
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
	}
	return r.result(), nil
}

// run is one run of the checks.
type run struct {
	ctx       context.Context
	channel   engine.Channel
	campaign  engine.Campaign
	own       doc.Value // the campaign's document
	document  doc.Value // the same with the content of its saved templates
	facts     Facts
	schema    *schema.Schema
	env       schema.Env
	assembled *assemble.Content
	messages  []*message
	cut       string              // why not all messages are read; empty where they are
	known     map[string]*reading // of texts

	attributes *assemble.AttributeScanner // nil before it is used

	found   []Finding
	byID    map[string]bool
	skipped []Skipped
}

func newRun(ctx context.Context, c engine.Campaign, f Facts) (*run, error) {
	if !c.Channel.Writable() {
		return nil, ctx.Err()
	}
	r := &run{
		ctx: ctx, channel: c.Channel, campaign: c, own: c.Document(), facts: f, schema: catalog.Campaign(c.Channel),
		byID: map[string]bool{}, known: map[string]*reading{},
	}
	r.document = r.own
	r.assembled = &assemble.Content{}
	if f.Workspace != nil {
		r.assembled = assemble.OfSettings(*f.Workspace, r.own)
	}
	if f.Content != nil {
		var w engine.Workspace
		if f.Workspace != nil {
			w = *f.Workspace
		}
		m, whole, err := assemble.Load(ctx, f.Content, w, c.Channel, r.own)
		switch {
		case err == nil:
			r.assembled, r.document = m, whole
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
	r.readMessages()
	return r, ctx.Err()
}

// lacks says which facts are not there; empty where nothing is missing.
func (r *run) lacks(n need) string {
	f := r.facts
	switch {
	case n&(needAudience|needOthers) != 0 && !r.unsent():
		return "the campaign is over"
	case n&needWorkspace != 0 && f.Workspace == nil:
		return cmp.Or(f.whyNot(needWorkspace), "the settings of the workspace are not known")
	case n&needContent != 0 && f.Content == nil:
		return cmp.Or(f.whyNot(needContent), "the content of the workspace is not known")
	case n&needAudience != 0 && f.Audience == nil:
		return cmp.Or(f.whyNot(needAudience), "the audience was not counted")
	case n&needOthers != 0 && f.Others == nil:
		return cmp.Or(f.whyNot(needOthers), "the other campaigns are not known")
	case n&needNow != 0 && f.Now.IsZero():
		return "the time is not known"
	}
	return ""
}

// skip reports that a check could not be made for a reason found on the way.
func (r *run) skip(id, why string) {
	if !slices.ContainsFunc(r.skipped, func(s Skipped) bool { return s.Check == id && s.Why == why }) {
		r.skipped = append(r.skipped, Skipped{id, why})
	}
}

// find reports a finding at a place. Of several of one check at one place the first counts: a check says all that it
// has to say of a place at once.
func (r *run) find(id string, at doc.Path, cell engine.TestKey, format string, args ...any) {
	r.grade(id, "", at, cell, format, args...)
}

// grade is find with a severity of its own.
func (r *run) grade(id string, s Severity, at doc.Path, cell engine.TestKey, format string, args ...any) {
	row := &table[rows[id]]
	at = r.place(at)
	f := Finding{
		Check: id, Severity: cmp.Or(s, row.Severity), Path: at, Cell: cell,
		Message: clean(fmt.Sprintf(format, args...)), Remedy: row.Remedy, Source: row.Source,
	}
	if r.byID[f.ID()] || len(r.found) >= maxFindings {
		return
	}
	r.byID[f.ID()] = true
	f.Trail, f.Value = r.schema.Trail(at), hash(r.own.Lookup(at))
	r.found = append(r.found, f)
}

// maxFindings is how many findings one run lists.
const maxFindings = 1000

// place returns where in the campaign itself a place of the resolved document is: what a saved template has is where
// the template is named.
func (r *run) place(at doc.Path) doc.Path {
	if r.own.Lookup(at).Exists() {
		return at
	}
	for up := at; len(up) > 0; up = up.Parent() {
		if named := up.Child(catalog.CustomTemplateID); r.own.Lookup(named).Exists() && r.document.Lookup(at).Exists() {
			return named
		}
	}
	return at
}

// hash returns a short hash of a value; empty where there is none.
func hash(v doc.Value) string {
	if !v.Exists() {
		return ""
	}
	sum := sha256.Sum256(v.Encode())
	return hex.EncodeToString(sum[:8])
}

// sorted sorts findings: the warnings first, then in the order of the table, then as they were found.
func sorted(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(rows[a.Check], rows[b.Check]))
	})
	return list
}

func (r *run) result() Result {
	out := Result{Findings: r.found}.WithDismissals(r.facts.Dismissed)
	if r.cut != "" {
		r.skip("messages", r.cut)
	}
	out.Skipped = r.skipped
	slices.SortStableFunc(out.Skipped, func(a, b Skipped) int { return cmp.Compare(rows[a.Check], rows[b.Check]) })
	return out
}

// WithDismissals returns the result with other dismissals: those that are about what stands at the places now.
func (r Result) WithDismissals(list []engine.Dismissal) Result {
	out := Result{Skipped: r.Skipped}
	for _, f := range sorted(slices.Concat(r.Findings, r.Dismissed)) {
		f.Dismissed = nil
		for i, d := range list {
			if d.Warning == f.ID() && d.Value == f.Value {
				f.Dismissed = &list[i]
			}
		}
		if f.Dismissed != nil {
			out.Dismissed = append(out.Dismissed, f)
		} else {
			out.Findings = append(out.Findings, f)
		}
	}
	return out
}

// Stale returns the dismissals that count no longer: what stood at their place has changed, or is gone.
func Stale(c engine.Campaign, list []engine.Dismissal) []engine.Dismissal {
	document := c.Document()
	var out []engine.Dismissal
	for _, d := range list {
		_, place, _ := strings.Cut(d.Warning, "@")
		if p, err := doc.ParsePath(place); err != nil || hash(document.Lookup(p)) != d.Value {
			out = append(out, d)
		}
	}
	return out
}

// Document returns the finding as a JSON object for people and programs to read.
func (f Finding) Document() doc.Value {
	ms := []doc.Member{
		doc.M("id", doc.NewString(f.ID())), doc.M("check", doc.NewString(f.Check)), doc.M("severity", doc.NewString(string(f.Severity))),
		doc.M("path", doc.NewString(f.Path.String())), doc.M("trail", doc.NewStrings(f.Trail...)),
	}
	for _, m := range []struct{ name, text string }{
		{"platform", f.Cell.Platform}, {"locale", f.Cell.Locale}, {"variation", f.Cell.Variation},
		{"message", f.Message}, {"remedy", f.Remedy}, {"source", f.Source},
	} {
		if m.text != "" {
			ms = append(ms, doc.M(m.name, doc.NewString(m.text)))
		}
	}
	if d := f.Dismissed; d != nil {
		ms = append(ms, doc.M("dismissed", doc.NewObject(
			doc.M("by", doc.NewString(d.By)), doc.M("at", doc.NewString(d.At.UTC().Format(time.RFC3339))), doc.M("reason", doc.NewString(d.Reason)),
		)))
	}
	return doc.NewObject(ms...)
}

// Documents returns findings as a JSON array.
func Documents(list []Finding) doc.Value {
	out := make([]doc.Value, len(list))
	for i, f := range list {
		out[i] = f.Document()
	}
	return doc.NewArray(out...)
}

// Package texts takes the texts of a campaign out for translation, as CSV or XLIFF, and puts them back: every text that
// users read, of each locale and variation, with its place. What changed meanwhile, and what a translation may not change,
// is found before anything is put back.
package texts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/message/render"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// File is the texts of one campaign.
type File struct {
	Campaign string // its id
	Name     string
	Units    []Unit
}

// Unit is one text.
type Unit struct {
	Path      doc.Path `json:"path"`
	Locale    string   `json:"locale"`          // default of a campaign with one message
	Variation string   `json:"variation"`       // variation_1 of a campaign with one message
	Place     string   `json:"place"`           // where it is, for people
	Help      string   `json:"-"`               // what it is; may be empty
	Limit     int      `json:"limit,omitempty"` // about how many characters are shown; 0 if all are
	Source    string   `json:"source"`          // the text of the default locale
	Text      string   `json:"text"`            // the text of this locale
	// Check is the hash of the text when it was exported.
	Check string `json:"-"`
	Line  int    `json:"line,omitempty"` // where it was read, from 1; 0 if unknown
}

// Of returns the texts of a campaign in the order of its document. A text that the default locale has and another one
// lacks is empty.
func Of(c engine.Campaign) File {
	f := File{Campaign: c.ID, Name: engine.CampaignName(c.Body)}
	x := extractor{table: catalog.Campaign(c.Channel), channel: c.Channel, root: c.Document()}
	x.walk(nil, x.root)
	f.Units = x.units
	return f
}

type extractor struct {
	table   *schema.Schema
	channel engine.Channel
	root    doc.Value
	units   []Unit
}

func (x *extractor) walk(p doc.Path, v doc.Value) {
	for i, e := range v.Elems() {
		x.walk(p.Elem(i), e)
	}
	for name, m := range v.Members() {
		at := p.Child(name)
		if n := x.table.At(at); n != nil && n.Words && m.Kind() == doc.String {
			x.add(at, n, editable(n, m.Text()))
		}
		x.walk(at, m)
	}
	if v.Kind() != doc.Object {
		return
	}
	of, ok := sourcePath(p)
	if !ok || of.Equal(p) {
		return
	}
	for name, m := range x.root.Lookup(of).Members() { // what the default locale has, and this one lacks
		at := p.Child(name)
		if n := x.table.At(at); n != nil && n.Words && m.Kind() == doc.String && !v.Get(name).Exists() {
			x.add(at, n, "")
		}
	}
}

// editable returns the text that is translated: the MJML that HTML was compiled from.
func editable(n *schema.Node, text string) string {
	if mjml.InField(n) {
		return mjml.Editable(text)
	}
	return text
}

func (x *extractor) add(at doc.Path, n *schema.Node, text string) {
	u := Unit{Path: at, Locale: engine.DefaultLocale, Variation: engine.DefaultVariation, Place: strings.Join(x.table.Trail(at), " › "), Help: n.Help, Source: text, Text: text, Check: hash(text)}
	if locale, variation, ok := cellOf(at); ok {
		u.Locale, u.Variation = locale, variation
	}
	if of, ok := sourcePath(at); ok {
		u.Source = editable(n, x.root.Lookup(of).Text())
	}
	u.Limit = x.limit(at)
	x.units = append(x.units, u)
}

// limit returns about how many characters of a text are shown, or 0.
func (x *extractor) limit(at doc.Path) int {
	for i, s := range at {
		on := string(x.channel)
		if s.Name != "email" {
			on = strings.ToUpper(s.Name)
		}
		if i < 2 || s.Name != "email" && !slices.Contains(catalog.Platforms, catalog.Platform(on)) {
			continue
		}
		g, ok := render.GaugeOf(on, at[i+1:])
		if !ok {
			continue
		}
		most := 0
		for _, l := range g.Limits() {
			most = max(most, l.Visible)
		}
		return most
	}
	return 0
}

// contentPath is where the messages of a campaign are.
var contentPath = doc.P(string(catalog.CampaignContent), "content")

// cellOf returns the locale and variation of a place in keyed content.
func cellOf(p doc.Path) (locale, variation string, ok bool) {
	n := len(contentPath)
	if len(p) < n+2 || !p.HasPrefix(contentPath) || p[n].Name == "push" || p[n].Name == "email" {
		return "", "", false
	}
	return p[n].Name, p[n+1].Name, true
}

// sourcePath returns the same place in the default locale.
func sourcePath(p doc.Path) (doc.Path, bool) {
	if _, _, ok := cellOf(p); !ok {
		return nil, false
	}
	out := p.Join()
	out[len(contentPath)] = doc.Name(engine.DefaultLocale)
	return out, true
}

// lines returns a text with lines that end with LF, whatever a tool made of them.
func lines(s string) string { return lineEnds.Replace(s) }

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// hash is that of a text whatever its line ends.
func hash(s string) string {
	sum := sha256.Sum256([]byte(lines(s)))
	return hex.EncodeToString(sum[:8])
}

// Change is a text that a file changes.
type Change struct {
	Unit
	Before string `json:"before"` // the text of the campaign now
	// Stale is what changed in the campaign since the export; empty if nothing did.
	Stale string `json:"stale,omitempty"`
}

// Problem is a text that cannot be put back.
type Problem struct {
	Unit
	Message string
}

// Compare returns what the file changes in a campaign, and what is wrong with it. Texts that the translator left as they
// were but for line ends, or empty, are no changes.
func Compare(c engine.Campaign, f File) (changes []Change, problems []Problem) {
	now := map[string]Unit{}
	for _, u := range Of(c).Units {
		now[u.Path.String()] = u
	}
	seen := map[string]bool{}
	for _, u := range f.Units {
		wrong := func(format string, args ...any) {
			problems = append(problems, Problem{u, fmt.Sprintf(format, args...)})
		}
		key := u.Path.String()
		is, ok := now[key]
		switch {
		case seen[key]:
			wrong("is in the file twice; remove one")
			continue
		case u.Text == "" || hash(u.Text) == u.Check:
			seen[key] = true
			continue
		case !ok:
			wrong("the campaign has no such text; export the texts again")
			continue
		}
		seen[key] = true
		if lines(u.Text) == lines(is.Text) {
			continue
		}
		if lost := string(utf8.RuneError); strings.Contains(u.Text, lost) && !strings.Contains(is.Source+is.Text, lost) {
			wrong("has %s in place of a letter; export the texts again, and save the file as UTF-8", lost)
			continue
		}
		u.Text = doc.LinesLike(cmp.Or(is.Text, is.Source), lines(u.Text))
		if why := differingExpressions(u.Text, is, u.Source); why != "" {
			wrong("%s", why)
			continue
		}
		change := Change{Unit: u, Before: is.Text}
		switch {
		case hash(is.Text) != u.Check:
			change.Stale = "the text changed since the export"
		case u.Locale != engine.DefaultLocale && lines(is.Source) != lines(u.Source):
			change.Stale = "the text of the default locale changed since the export"
		}
		changes = append(changes, change)
	}
	return changes, problems
}

// Apply returns the campaign's body with the changes. MJML in it has to be compiled.
func Apply(body doc.Value, changes []Change) (doc.Value, error) {
	for _, c := range changes {
		var err error
		if body, err = body.Set(c.Path, doc.NewString(c.Text)); err != nil {
			return body, fmt.Errorf("setting %s: %w", c.Path, err)
		}
	}
	return body, nil
}

// expressions returns the expressions, statements and comments of a text, sorted, with single spaces
// and without the texts of fallbacks.
func expressions(text string) []string {
	var list []string
	for part := range template.Parts(text) {
		if isTag(part) {
			list = append(list, withoutFallbacks(strings.Join(strings.Fields(part.Source), " ")))
		}
	}
	slices.Sort(list)
	return list
}

func isTag(p template.Part) bool { return p.Kind != template.TextPart && p.Kind != template.RawPart }

// differingExpressions returns why a text has other expressions than those that it translates, or "". The expressions of
// the text that it replaces are fine, too.
func differingExpressions(text string, is Unit, source string) string {
	have, want := expressions(text), expressions(cmp.Or(source, is.Source))
	if slices.Equal(have, want) || is.Text != "" && slices.Equal(have, expressions(is.Text)) {
		return ""
	}
	lost, added := without(want, have), without(have, want)
	switch {
	case len(lost) > 0 && len(added) > 0:
		return fmt.Sprintf("has %s instead of %s; expressions must stay as they are", strings.Join(added, ", "), strings.Join(lost, ", "))
	case len(lost) > 0:
		return fmt.Sprintf("lacks %s; expressions must stay as they are", strings.Join(lost, ", "))
	}
	return fmt.Sprintf("has %s, which the original does not have; remove it", strings.Join(added, ", "))
}

// without returns the strings of a sorted list that another one lacks, as often as it lacks them.
func without(list, other []string) (out []string) {
	other = slices.Clone(other)
	for _, s := range list {
		if i := slices.Index(other, s); i >= 0 {
			other = slices.Delete(other, i, i+1)
			continue
		}
		out = append(out, s)
	}
	return out
}

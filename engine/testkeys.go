package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// The names that stand in a key where nothing is configured (CONTRACT.md, Test sends).
const (
	DefaultLocale    = "default"
	DefaultVariation = "variation_1"
	ControlVariation = "control" // the control group's cell, which does not count as a variation
)

// MaxTestKeys is the most keys that [TestKeys] returns. It protects against a huge no_of_variations; real
// campaigns have far fewer.
const MaxTestKeys = 1000

// TestKey identifies one message of a test send: a platform, a locale and a variation.
type TestKey struct {
	Platform  string // ANDROID, IOS or WEB; EMAIL for email
	Locale    string
	Variation string
	// Content is the path of the message's content in the document. The content may be absent.
	Content doc.Path
}

// String returns the composite key {PLATFORM}_{locale}_{variation}.
func (k TestKey) String() string { return k.Platform + "_" + k.Locale + "_" + k.Variation }

// KeyFilter limits a test to some of its messages (CONTRACT.md, Test sends). Empty fields match everything.
type KeyFilter struct{ Platform, Locale, Variation string }

// TestKeys returns the keys of a campaign document or of the body of an inline test, sorted by locale as
// listed, then by variation and platform. It returns none if the filter names something that the document
// does not have.
func TestKeys(ch Channel, document doc.Value, f KeyFilter) []TestKey {
	content := document.Get(string(catalog.CampaignContent))
	cells := content.Get("content")
	member := messageMember(ch)
	flat := cells.Get(member).Exists() && !cells.Get(DefaultLocale).Exists()
	var out []TestKey
	for _, locale := range matching(testLocales(content), f.Locale) {
		for _, variation := range matching(testVariations(content, flat), f.Variation) {
			path := doc.P(string(catalog.CampaignContent), "content", locale, variation, member)
			if flat && locale == DefaultLocale && variation == DefaultVariation {
				path = doc.P(string(catalog.CampaignContent), "content", member)
			}
			for _, platform := range matching(testPlatforms(ch, document, cells, flat), f.Platform) {
				key := TestKey{Platform: platform, Locale: locale, Variation: variation, Content: path}
				if ch == catalog.Push {
					key.Content = path.Child(catalog.Platform(platform).Member())
				}
				if out = append(out, key); len(out) == MaxTestKeys {
					return out
				}
			}
		}
	}
	return out
}

// KeyChoices returns the platforms, locales and variations that a test of the document can be limited to, in
// the order in which they are sent.
func KeyChoices(ch Channel, document doc.Value) (platforms, locales, variations []string) {
	content := document.Get(string(catalog.CampaignContent))
	cells := content.Get("content")
	flat := cells.Get(messageMember(ch)).Exists() && !cells.Get(DefaultLocale).Exists()
	return testPlatforms(ch, document, cells, flat), testLocales(content), testVariations(content, flat)
}

func messageMember(ch Channel) string {
	if ch == catalog.Email {
		return "email"
	}
	return "push"
}

func testLocales(content doc.Value) []string {
	out := []string{DefaultLocale}
	for _, l := range content.Get("locales").Strings() {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
		if len(out) == MaxTestKeys {
			break
		}
	}
	return out
}

// testVariations returns the configured variations; where none are, those of the default locale.
func testVariations(content doc.Value, flat bool) []string {
	n, ok := content.Get("variation_details").Get("no_of_variations").Int()
	if ok && n >= 1 {
		var out []string
		for i := range min(n, MaxTestKeys) {
			out = append(out, "variation_"+strconv.FormatInt(i+1, 10))
		}
		if content.Get("content").Get(DefaultLocale).Get(ControlVariation).Exists() {
			out = append(out, ControlVariation)
		}
		return out
	}
	var out []string
	if !flat {
		for name := range content.Get("content").Get(DefaultLocale).Members() {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return []string{DefaultVariation}
	}
	return out
}

// testPlatforms returns the platforms that the campaign lists; where it lists none, those that
// some cell has content for, in the order of the catalog.
func testPlatforms(ch Channel, document, cells doc.Value, flat bool) []string {
	if ch != catalog.Push {
		return []string{string(ch)}
	}
	listed := document.Get(string(catalog.BasicDetails)).Get("platforms").Strings()
	var out []string
	for _, p := range catalog.Platforms {
		if slices.Contains(listed, string(p)) || len(listed) == 0 && hasPlatform(cells, p, flat) {
			out = append(out, string(p))
		}
	}
	return out
}

func hasPlatform(cells doc.Value, p catalog.Platform, flat bool) bool {
	if flat {
		return !cells.Get("push").Get(p.Member()).Empty()
	}
	for _, locale := range cells.Members() {
		for _, cell := range locale.Members() {
			if !cell.Get("push").Get(p.Member()).Empty() {
				return true
			}
		}
	}
	return false
}

func matching(names []string, want string) []string {
	if want == "" {
		return names
	}
	if slices.Contains(names, want) {
		return []string{want}
	}
	return nil
}

// Missing returns the part of the filter that the document does not have, as a field of `test_campaign_meta`
// and a sentence. ok is true if the document has all parts.
func (f KeyFilter) Missing(ch Channel, document doc.Value) (member, why string, ok bool) {
	platforms, locales, variations := KeyChoices(ch, document)
	for _, c := range []struct {
		member, want string
		have         []string
	}{{"platform", f.Platform, platforms}, {"locale_name", f.Locale, locales}, {"variation", f.Variation, variations}} {
		if c.want != "" && !slices.Contains(c.have, c.want) {
			return c.member, fmt.Sprintf("%q is not in this campaign; choose from %s", c.want, listSome(c.have)), false
		}
	}
	return "", "", true
}

func listSome(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > 8:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:8], ", "), len(names)-8)
	}
	return strings.Join(names, ", ")
}

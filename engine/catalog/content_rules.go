package catalog

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// messageNames are the fields of content that are messages, not locales.
var messageNames = []string{"push", "email"}

// shapes returns which fields of content are flat messages and which are locales.
func shapes(content doc.Value) (flat, keyed []string) {
	for name := range content.Members() {
		if slices.Contains(messageNames, name) {
			flat = append(flat, name)
		} else {
			keyed = append(keyed, name)
		}
	}
	return flat, keyed
}

// hasVariations reports whether an A/B test is configured. One variation is not an A/B test.
func hasVariations(details doc.Value) bool {
	n, ok := details.Get("no_of_variations").Int()
	return !details.Empty() && (!ok || n != 1)
}

func oneShape(p schema.Place) []schema.Finding {
	flat, keyed := shapes(p.Value)
	if len(flat) == 0 {
		return nil
	}
	where := doc.P(flat[0])
	switch {
	case len(keyed) > 0:
		return []schema.Finding{{
			Path:        where,
			Message:     fmt.Sprintf("not allowed beside the locale %q; keep one message, or move it to content.default.variation_1", keyed[0]),
			FormMessage: fmt.Sprintf("this message has no locale, but %q has one; move it to the default locale", keyed[0]),
		}}
	case p.Object.Get("locales").Len() > 0:
		return []schema.Finding{{
			Path: where, Message: "not allowed when there are locales; move it to content.default.variation_1",
			FormMessage: "every locale needs its own message; move this one to the default locale",
		}}
	case hasVariations(p.Object.Get("variation_details")):
		return []schema.Finding{{
			Path: where, Message: "not allowed when there are A/B variations; move it to content.default.variation_1",
			FormMessage: "every A/B variation needs its own message; move this one to variation A",
		}}
	}
	return nil
}

func defaultLocale(p schema.Place) []schema.Finding {
	flat, keyed := shapes(p.Value)
	if len(flat) > 0 || len(keyed) == 0 || slices.Contains(keyed, "default") {
		return nil
	}
	return []schema.Finding{{Path: doc.P("default"), Message: "missing: the default locale is required"}}
}

func listedLocales(p schema.Place) []schema.Finding {
	listed := map[string]bool{}
	for _, name := range p.Object.Get("locales").Strings() {
		listed[name] = true
	}
	_, keyed := shapes(p.Value)
	var out []schema.Finding
	for _, name := range keyed {
		if name != "default" && !listed[name] {
			out = append(out, schema.Finding{Path: doc.P(name), Message: "not listed in locales; add it there or remove it here"})
		}
	}
	return out
}

func everyCell(p schema.Place) []schema.Finding {
	if flat, _ := shapes(p.Value); len(flat) > 0 || p.Value.Len() == 0 {
		return nil
	}
	var out []schema.Finding
	names := variations(p.Object, maxReported)
	for _, locale := range append([]string{"default"}, p.Object.Get("locales").Strings()...) {
		cells := p.Value.Get(locale)
		if !cells.Exists() {
			if locale != "default" { // default_locale reports that one
				out = append(out, schema.Finding{Path: doc.P(locale), Message: "missing: add a message for this locale", FormMessage: "add a message for this locale"})
			}
			continue
		}
		for _, name := range names {
			if !cells.Get(name).Exists() {
				out = append(out, schema.Finding{Path: doc.P(locale, name), Message: "missing: every locale needs every variation", FormMessage: "add a message for this variation"})
			}
		}
		if len(out) >= maxReported {
			break
		}
	}
	return out
}

// splitKnown requires a split if there are several variations.
func splitKnown(p schema.Place) []schema.Finding {
	several := len(variations(p.Value, 2)) > 1
	for _, cells := range p.Value.Get("content").Members() {
		named := 0
		for name := range cells.Members() {
			if variationName.MatchString(name) {
				named++
			}
		}
		several = several || named > 1
	}
	if !several || !p.Value.Get("variation_details").Get("distribution_type").Empty() {
		return nil
	}
	return []schema.Finding{{
		Path:        doc.P("variation_details", "distribution_type"),
		Message:     "required with several variations: it says how the audience is split between them",
		FormMessage: "choose how the audience is split between the variations",
	}}
}

func everyPlatform(p schema.Place) []schema.Finding {
	var out []schema.Finding
	for _, platform := range p.Root.Get("basic_details").Get("platforms").Strings() {
		name := strings.ToLower(platform)
		known := platform == "ANDROID" || platform == "IOS" || platform == "WEB"
		if known && p.Value.Get(name).Empty() {
			out = append(out, schema.Finding{Path: doc.P(name), Message: "missing: basic_details.platforms lists " + platform, FormMessage: "add a message for " + Platform(platform).Label()})
		}
	}
	return out
}

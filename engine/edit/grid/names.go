package grid

import (
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// Language is a language tag (BCP 47), possibly with a region, and its English name.
type Language struct{ Tag, Name string }

// Languages lists the languages that campaigns are most often written in, sorted by name.
var Languages = []Language{
	{"ar", "Arabic"}, {"bn", "Bengali"}, {"bg", "Bulgarian"}, {"ca", "Catalan"}, {"zh-Hans", "Chinese, simplified"},
	{"zh-Hant", "Chinese, traditional"}, {"hr", "Croatian"}, {"cs", "Czech"}, {"da", "Danish"}, {"nl", "Dutch"},
	{"en", "English"}, {"en-AU", "English, Australia"}, {"en-CA", "English, Canada"}, {"en-IN", "English, India"},
	{"en-GB", "English, United Kingdom"}, {"en-US", "English, United States"}, {"et", "Estonian"}, {"fil", "Filipino"},
	{"fi", "Finnish"}, {"fr", "French"}, {"fr-BE", "French, Belgium"}, {"fr-CA", "French, Canada"}, {"fr-CH", "French, Switzerland"},
	{"de", "German"}, {"de-AT", "German, Austria"}, {"de-CH", "German, Switzerland"}, {"el", "Greek"}, {"gu", "Gujarati"},
	{"he", "Hebrew"}, {"hi", "Hindi"}, {"hu", "Hungarian"}, {"is", "Icelandic"}, {"id", "Indonesian"}, {"ga", "Irish"},
	{"it", "Italian"}, {"ja", "Japanese"}, {"kn", "Kannada"}, {"km", "Khmer"}, {"ko", "Korean"}, {"lv", "Latvian"},
	{"lt", "Lithuanian"}, {"ms", "Malay"}, {"ml", "Malayalam"}, {"mr", "Marathi"}, {"ne", "Nepali"}, {"nb", "Norwegian"},
	{"fa", "Persian"}, {"pl", "Polish"}, {"pt-BR", "Portuguese, Brazil"}, {"pt-PT", "Portuguese, Portugal"}, {"pa", "Punjabi"},
	{"ro", "Romanian"}, {"ru", "Russian"}, {"sr", "Serbian"}, {"sk", "Slovak"}, {"sl", "Slovenian"}, {"es", "Spanish"},
	{"es-419", "Spanish, Latin America"}, {"es-MX", "Spanish, Mexico"}, {"es-ES", "Spanish, Spain"}, {"sw", "Swahili"},
	{"sv", "Swedish"}, {"ta", "Tamil"}, {"te", "Telugu"}, {"th", "Thai"}, {"tr", "Turkish"}, {"uk", "Ukrainian"},
	{"ur", "Urdu"}, {"vi", "Vietnamese"},
}

// LanguageName returns the name of a language tag in any spelling ("pt_br"), or the name of its language if
// the region is unknown, or "".
func LanguageName(tag string) string {
	tag = strings.ReplaceAll(tag, "_", "-")
	if name := known(tag); name != "" {
		return name
	}
	if base, region, ok := strings.Cut(tag, "-"); ok && known(base) != "" {
		return known(base) + ", " + strings.ToUpper(region)
	}
	return ""
}

func known(tag string) string {
	for _, l := range Languages {
		if strings.EqualFold(l.Tag, tag) {
			return l.Name
		}
	}
	return ""
}

// LocaleName returns the display name of a locale: "Default", the language of a tag, or the name itself.
func LocaleName(locale string) string {
	if locale == engine.DefaultLocale {
		return "Default"
	}
	if name := LanguageName(locale); name != "" {
		return name
	}
	return locale
}

// VariationName returns the display name of a variation: "A" for variation_1, "Control", or the name itself.
func VariationName(variation string) string {
	if variation == engine.ControlVariation {
		return "Control"
	}
	n, err := strconv.Atoi(strings.TrimPrefix(variation, namePrefix))
	switch {
	case err != nil || !variationName.MatchString(variation):
		return variation
	case n > 26:
		return strconv.Itoa(n)
	}
	return string(rune('A' + n - 1))
}

// CellName returns the display name of a message from its platform, locale and variation: "Android", "Android
// · German · B". It leaves out empty parts and the default locale.
func CellName(platform, locale, variation string) string {
	var parts []string
	switch platform {
	case "":
	case string(catalog.Email):
		parts = append(parts, catalog.Email.Label())
	default:
		parts = append(parts, catalog.Platform(platform).Label())
	}
	if locale != "" && locale != engine.DefaultLocale {
		parts = append(parts, LocaleName(locale))
	}
	if variation != "" {
		parts = append(parts, VariationName(variation))
	}
	return strings.Join(parts, " · ")
}

// CellAt returns the display name of the message that a place in a campaign is in, and how many steps of the path it
// replaces, from the third on: those of the locale and the variation. Without locales and variations it returns 0.
func CellAt(p doc.Path) (name string, steps int) {
	if len(p) < 3 || p[0].Name != string(catalog.CampaignContent) || p[1].Name != "content" || p[2].Name == "push" || p[2].Name == "email" {
		return "", 0
	}
	if len(p) == 3 {
		return LocaleName(p[2].Name), 1
	}
	return CellName("", p[2].Name, p[3].Name), 2
}

// Name returns the display name of a cell: "German · B", or only the part that differs between cells. A
// single message has no name.
func (g Grid) Name(c Cell) string {
	switch many := len(g.Variations) > 1; {
	case len(g.Locales) > 1 && many:
		return LocaleName(c.Locale) + " · " + VariationName(c.Variation)
	case many:
		return "Variation " + VariationName(c.Variation)
	}
	return LocaleName(c.Locale)
}

// KeyNames returns the display names of the messages of one test, in order. Variations are named only if
// there are several.
func KeyNames(keys []engine.TestKey) []string {
	several := slices.ContainsFunc(keys, func(k engine.TestKey) bool { return k.Variation != keys[0].Variation })
	out := make([]string, len(keys))
	for i, k := range keys {
		if !several && k.Variation == engine.DefaultVariation {
			k.Variation = ""
		}
		out[i] = CellName(k.Platform, k.Locale, k.Variation)
	}
	return out
}

// KeyName returns the display name of a message from the composite key of a test's result, such as
// ANDROID_default_variation_1, without knowing the other messages. It returns other keys unchanged.
func KeyName(key string) string { return ResultNames([]string{key})[0] }

// ResultNames returns the display names of the messages of a test's result by their composite keys, like
// [KeyNames]. It returns other keys unchanged.
func ResultNames(keys []string) []string {
	var known []engine.TestKey
	var at []int
	for i, key := range keys {
		if k, ok := ParseKey(key); ok {
			known, at = append(known, k), append(at, i)
		}
	}
	out := slices.Clone(keys)
	for i, name := range KeyNames(known) {
		out[at[i]] = name
	}
	return out
}

// ParseKey parses the composite key of a test's result, but for where its content is.
func ParseKey(key string) (engine.TestKey, bool) {
	platform, rest, ok := strings.Cut(key, "_")
	at := max(strings.LastIndex(rest, "_"+namePrefix), strings.LastIndex(rest, "_"+engine.ControlVariation))
	if !ok || at < 0 {
		return engine.TestKey{}, false
	}
	return engine.TestKey{Platform: platform, Locale: rest[:at], Variation: rest[at+1:]}, true
}

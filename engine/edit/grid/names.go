package grid

import (
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
)

// Language is the tag of a language or a region's (BCP 47), and its name in English.
type Language struct{ Tag, Name string }

// Languages are those that campaigns are written in most, by name.
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

// LanguageName returns the name of a tag, however it is spelled ("pt_br"), or that of its language where
// the region is not known; "" where neither is.
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

// LocaleName names a locale for people: "Default", the language of a tag, or the name as it is.
func LocaleName(locale string) string {
	if locale == engine.DefaultLocale {
		return "Default"
	}
	if name := LanguageName(locale); name != "" {
		return name
	}
	return locale
}

// VariationName names a variation for people: "A" for variation_1, "Control", or the name as it is.
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

// CellName names a message for people by its platform, locale and variation: "Android", "Android · German · B". What
// is empty is left out, as the default locale is.
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

// Name names a cell of g for people: "German · B", or by the one of the two that there are several of. A lone message
// has none.
func (g Grid) Name(c Cell) string {
	switch many := len(g.Variations) > 1; {
	case len(g.Locales) > 1 && many:
		return LocaleName(c.Locale) + " · " + VariationName(c.Variation)
	case many:
		return "Variation " + VariationName(c.Variation)
	}
	return LocaleName(c.Locale)
}

// KeyNames names the messages of one test, in their order. Variations are named where there are several.
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

// KeyName names a message by the composite key of a test's result, such as ANDROID_default_variation_1, where the
// other messages are not known. It returns a key of another form as it is.
func KeyName(key string) string { return ResultNames([]string{key})[0] }

// ResultNames names the messages of a test's result by their composite keys, in their order, as [KeyNames] does. A
// key of another form is its own name.
func ResultNames(keys []string) []string {
	var known []engine.TestKey
	var at []int
	for i, key := range keys {
		if k, ok := parseKey(key); ok {
			known, at = append(known, k), append(at, i)
		}
	}
	out := slices.Clone(keys)
	for i, name := range KeyNames(known) {
		out[at[i]] = name
	}
	return out
}

func parseKey(key string) (engine.TestKey, bool) {
	platform, rest, ok := strings.Cut(key, "_")
	at := max(strings.LastIndex(rest, "_"+namePrefix), strings.LastIndex(rest, "_"+engine.ControlVariation))
	if !ok || at < 0 {
		return engine.TestKey{}, false
	}
	return engine.TestKey{Platform: platform, Locale: rest[:at], Variation: rest[at+1:]}, true
}

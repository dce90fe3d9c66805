package content

import "strings"

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

// LanguageName gives the name of a tag, however it is spelled ("pt_br"), or that of its language where
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

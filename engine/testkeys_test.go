package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func TestTestKeys(t *testing.T) {
	const keyed = `{"default":{"variation_1":{"push":{"web":{"a":1}}},"variation_2":{"push":{"android":{"a":1}}}},"de":{"variation_1":{"push":{"ios":{"a":1}}}}}`
	for _, tt := range []struct {
		name, document string
		ch             engine.Channel
		f              engine.KeyFilter
		want           string // key@content
	}{
		{"flat mail", `{"campaign_content":{"content":{"email":{"subject":"s"}}}}`, catalog.Email, engine.KeyFilter{},
			"EMAIL_default_variation_1@campaign_content.content.email"},
		{"keyed mail", `{"campaign_content":{"locales":["de","de"],"content":{"default":{"variation_1":{}}}}}`, catalog.Email, engine.KeyFilter{},
			"EMAIL_default_variation_1@campaign_content.content.default.variation_1.email EMAIL_de_variation_1@campaign_content.content.de.variation_1.email"},
		{"flat push on its platforms", `{"basic_details":{"platforms":["WEB","ANDROID"]},"campaign_content":{"content":{"push":{"ios":{"a":1}}}}}`, catalog.Push, engine.KeyFilter{},
			"ANDROID_default_variation_1@campaign_content.content.push.android WEB_default_variation_1@campaign_content.content.push.web"},
		{"flat push by content", `{"campaign_content":{"content":{"push":{"ios":{"a":1},"android":{}}}}}`, catalog.Push, engine.KeyFilter{},
			"IOS_default_variation_1@campaign_content.content.push.ios"},
		{"platforms of any cell, narrowed", `{"campaign_content":{"locales":["de"],"variation_details":{"no_of_variations":2},"content":` + keyed + `}}`, catalog.Push,
			engine.KeyFilter{Locale: "de", Variation: "variation_2", Platform: "IOS"}, "IOS_de_variation_2@campaign_content.content.de.variation_2.push.ios"},
		{"the control group's cell beside the numbered ones", `{"campaign_content":{"variation_details":{"no_of_variations":1},"content":{"default":{"variation_1":{},"control":{}}}}}`, catalog.Email,
			engine.KeyFilter{Variation: "control"}, "EMAIL_default_control@campaign_content.content.default.control.email"},
		{"variations of the content", `{"campaign_content":{"content":` + keyed + `}}`, catalog.Push, engine.KeyFilter{Platform: "WEB"},
			"WEB_default_variation_1@campaign_content.content.default.variation_1.push.web WEB_default_variation_2@campaign_content.content.default.variation_2.push.web"},
		{"what is not there", `{"campaign_content":{"content":{"email":{}}}}`, catalog.Email, engine.KeyFilter{Locale: "fr"}, ""},
		{"nothing", `{}`, catalog.Push, engine.KeyFilter{}, ""},
	} {
		var got []string
		for _, k := range engine.TestKeys(tt.ch, parse(t, tt.document), tt.f) {
			got = append(got, fmt.Sprintf("%s@%s", k, k.Content))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, s, tt.want)
		}
	}
	huge := parse(t, `{"campaign_content":{"variation_details":{"no_of_variations":9e17},"content":{"email":{}}}}`)
	if n := len(engine.TestKeys(catalog.Email, huge, engine.KeyFilter{})); n != engine.MaxTestKeys {
		t.Errorf("%d keys", n)
	}
}

func TestMissingKeys(t *testing.T) {
	document := parse(t, `{"campaign_content":{"locales":["de"],"content":{"default":{"variation_1":{"push":{"web":{"a":1}}}}}}}`)
	for f, want := range map[engine.KeyFilter]string{
		{}:                           "",
		{Platform: "WEB"}:            "",
		{Platform: "IOS"}:            `platform: "IOS" is not in this campaign; choose from WEB`,
		{Locale: "fr"}:               `locale_name: "fr" is not in this campaign; choose from default, de`,
		{Variation: "variation_2"}:   `variation: "variation_2" is not in this campaign; choose from variation_1`,
		{Locale: "de", Platform: ""}: "",
	} {
		member, why, ok := f.Missing(catalog.Push, document)
		if got := member + ": " + why; ok != (want == "") || !ok && got != want {
			t.Errorf("%+v: got %q, want %q", f, got, want)
		}
	}
	if member, why, ok := (engine.KeyFilter{}).Missing(catalog.Push, parse(t, `{"campaign_content":{"content":{"push":{}}}}`)); !ok {
		t.Errorf("without a filter %s is missing: %s", member, why)
	}
}

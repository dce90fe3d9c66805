package grid_test

import (
	"slices"
	"testing"

	"bugle/engine"
	"bugle/engine/edit/grid"
)

func TestKeyName(t *testing.T) {
	for key, want := range map[string]string{
		"ANDROID_default_variation_1": "Android",
		"ANDROID_de_variation_2":      "Android · German · B",
		"IOS_pt_br_variation_1":       "iOS · Portuguese, Brazil",
		"WEB_Rest of world_control":   "Web · Rest of world · Control",
		"EMAIL_default_variation_27":  "Email · 27",
		"EMAIL_default_variation_x":   "Email · variation_x",
		"strange":                     "strange",
		"":                            "",
	} {
		if got := grid.KeyName(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func TestResultNames(t *testing.T) {
	keys := []string{"EMAIL_default_variation_1", "strange", "EMAIL_de_variation_2"}
	if got, want := grid.ResultNames(keys), []string{"Email · A", "strange", "Email · German · B"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if keys[0] != "EMAIL_default_variation_1" {
		t.Error("the keys were changed")
	}
}

func TestKeyNames(t *testing.T) {
	keys := []engine.TestKey{
		{Platform: "ANDROID", Locale: "default", Variation: "variation_1"}, {Platform: "ANDROID", Locale: "de", Variation: "variation_1"},
		{Platform: "ANDROID", Locale: "default", Variation: "variation_2"},
	}
	if got, want := grid.KeyNames(keys), []string{"Android · A", "Android · German · A", "Android · B"}; !slices.Equal(got, want) {
		t.Errorf("with two variations: %q, want %q", got, want)
	}
	if got, want := grid.KeyNames(keys[:2]), []string{"Android", "Android · German"}; !slices.Equal(got, want) {
		t.Errorf("with one variation: %q, want %q", got, want)
	}
	if got := grid.KeyNames(nil); len(got) > 0 {
		t.Errorf("no keys: %q", got)
	}
}

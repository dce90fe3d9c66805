package catalog_test

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

func TestFillCells(t *testing.T) {
	const one, two, three = `{"email":{"subject":"One"}}`, `{"email":{"subject":"Two"}}`, `{"email":{"subject":"Three"}}`
	for name, c := range map[string]struct{ is, want string }{
		"one message alone":        {`{"content":` + one + `}`, ""},
		"nothing yet":              {`{"locales":["de"]}`, ""},
		"all there":                {`{"locales":["de"],"content":{"default":{"variation_1":` + one + `},"de":{"variation_1":` + two + `}}}`, ""},
		"one variation is no test": {`{"variation_details":{"no_of_variations":1},"content":` + one + `}`, ""},
		"a locale": {
			`{"locales":["de"],"content":` + one + `}`,
			`{"locales":["de"],"content":{"default":{"variation_1":` + one + `},"de":{"variation_1":` + one + `}}}`,
		},
		"variations": {
			`{"variation_details":{"no_of_variations":2},"content":` + one + `}`,
			`{"variation_details":{"no_of_variations":2},"content":{"default":{"variation_1":` + one + `,"variation_2":` + one + `}}}`,
		},
		"the nearest message, and what is there stays": {
			`{"locales":["de","fr"],"variation_details":{"no_of_variations":2},"content":{"default":{"variation_1":` + one + `,"variation_2":` + two + `},"de":{"variation_1":` + three + `},"old":{}}}`,
			`{"locales":["de","fr"],"variation_details":{"no_of_variations":2},"content":{"default":{"variation_1":` + one + `,"variation_2":` + two + `},"de":{"variation_1":` + three + `,"variation_2":` + three + `},"old":{},"fr":{"variation_1":` + one + `,"variation_2":` + two + `}}}`,
		},
		"a message beside locales": {
			`{"locales":["de"],"content":{"email":{"subject":"One"},"de":{}}}`,
			`{"locales":["de"],"content":{"de":{"variation_1":` + one + `},"default":{"variation_1":` + one + `}}}`,
		},
		"two default messages are a person's to choose from": {
			`{"locales":["de"],"content":{"email":{"subject":"One"},"default":{"variation_1":` + two + `},"de":{"variation_1":` + two + `}}}`, "",
		},
		"a place that takes nothing": {`{"locales":["de"],"content":{"default":{"variation_1":` + one + `},"de":5}}`, ""},
	} {
		is, err := doc.Parse([]byte(c.is))
		if err != nil {
			t.Fatal(err)
		}
		got, filled := catalog.FillCells(is)
		want := c.want
		if want == "" {
			want = c.is
		}
		if string(got.Encode()) != want || filled != (c.want != "") {
			t.Errorf("%s: %v\n got %s\nwant %s", name, filled, got.Encode(), want)
		}
		if again, filled := catalog.FillCells(got); filled {
			t.Errorf("%s: filled again: %s", name, again.Encode())
		}
	}
}

package typeahead_test

import (
	"testing"

	"bugle/forms/typeahead"
)

func TestBestMatchIsHighlighted(t *testing.T) {
	items := typeahead.Items([]string{"Repurchase", "Product Viewed", "First Purchase", "Purchase_Completed"})
	for text, want := range map[string]string{"purch": "Purchase_Completed", "PRO": "Product Viewed", "purchase comp": "Purchase_Completed", "view": "Product Viewed", "repurchase": "Repurchase"} {
		var l typeahead.List
		l.Show(typeahead.Options{Items: typeahead.Match(items, text), Text: text, Typed: true, Free: true})
		if r, _ := l.Highlighted(); r.Value != want {
			t.Errorf("%q highlights %q", text, r.Value)
		}
	}
}

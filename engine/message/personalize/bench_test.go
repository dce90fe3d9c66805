package personalize_test

import (
	"fmt"
	"strings"
	"testing"

	"bugle/engine/message/personalize"
)

// push is the texts of a push of 4 KB: as many as a notification with buttons, slides and pairs has.
func push() []string {
	texts := []string{
		"{{ UserAttribute['First Name']|default('friend') }}, {{ event.product }} is back",
		"{% if user.vip %}For you first{% else %}New{% endif %}: {{ ProductSet.shoes[0].title }} from {{ ProductSet.shoes[0].price }}. {{ContentBlock['footer']}}",
		"https://shop.example.com/{{ event.product|urlencode }}?u={{ user.age }}",
	}
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("Slide %d, {{ user.first_name }}: %s", i, strings.Repeat("plain words ", 20)), fmt.Sprintf("https://cdn.example.com/%d.png", i))
	}
	return texts
}

// BenchmarkPush fills a push of 4 KB for 10 recipients × 8 keys.
func BenchmarkPush(b *testing.B) {
	texts, size := push(), 0
	for _, s := range texts {
		size += len(s)
	}
	if size < 3900 || size > 4400 {
		b.Fatalf("the push has %d bytes", size)
	}
	people := make([]personalize.Data, 10)
	for i := range people {
		people[i] = data()
		for n := range 50 {
			people[i].UserAttributes[fmt.Sprint("Attribute ", n)] = n
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range people {
			for range 8 {
				for _, s := range texts {
					if _, err := personalize.Render(b.Context(), s, people[i]); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	}
}

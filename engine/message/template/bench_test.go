package template_test

import (
	"fmt"
	"strings"
	"testing"

	"bugle/engine/message/template"
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

// email is an email of 108 KB with an expression in each of its paragraphs.
func email() string {
	var html strings.Builder
	for i := 0; html.Len() < 108<<10; i++ {
		fmt.Fprintf(&html, `<p>Hello {{UserAttribute['First Name']|default('friend')}}, <a href="https://example.com/%d?q={{ event.product|urlencode }}">{%% if user.vip %%}item{%% else %%}thing{%% endif %%} %d</a> %s</p>`, i, i, strings.Repeat("lorem ipsum ", 30))
	}
	return html.String()
}

// recipients are ten users with 50 more attributes.
func recipients() []template.Data {
	list := make([]template.Data, 10)
	for i := range list {
		list[i] = data()
		for n := range 50 {
			list[i].UserAttributes[fmt.Sprint("Attribute ", n)] = n
		}
	}
	return list
}

func benchmark(b *testing.B, texts ...string) {
	b.ReportAllocs()
	people := recipients()
	for i := 0; b.Loop(); i++ {
		for _, text := range texts {
			if _, err := template.Render(b.Context(), text, people[i%len(people)]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkPush renders a push of 4 KB for one recipient after another.
func BenchmarkPush(b *testing.B) { benchmark(b, push()...) }

// BenchmarkEmail renders an email of 108 KB for one recipient after another.
func BenchmarkEmail(b *testing.B) { benchmark(b, email()) }

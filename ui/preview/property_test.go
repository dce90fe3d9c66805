package preview_test

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/preview"
	"bugle/ui/uitest"
)

// texts generates texts of documents: words, markup, expressions, and sequences that break terminals.
func texts() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{
			"word ", "a longer sentence with words ", "<b>", "</b>", "<a href='x'>", "</a>", "<br>", "<p style='color:#c00'>", "&amp;", "&#27;[31m",
			"{{user.name}}", "{{", "{% if x %}", "{% endif %}", "{# c #}", "漢字", "👩‍👩‍👧", "🇩🇪", "é", "e\u0301", "\u200d", "\ufe0f", "\x1b[2J", "\x1b]0;x\a", "\u009b31m",
			"\n", "\t", "\r\n", "\u202e", "\u0301", "\U000F0001", "\U000F0010", "<table><tr><td>", "</td></tr></table>", "<ul><li>", "<pre>", "<img src=x>", "<hr>",
			"#ff0000", "#fff", "3", "https://e.com/a.png?x={{y}}", "BASIC", "TIMER", "\xff",
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") })
}

// randomContent generates content with the fields of like, or anything else.
func randomContent(t *rapid.T, like doc.Value, deep int) doc.Value {
	switch rapid.IntRange(0, 9).Draw(t, "as") {
	case 0:
		return doc.NewString(texts().Draw(t, "text"))
	case 1:
		return doc.NewInt(rapid.Int64().Draw(t, "int"))
	case 2:
		return doc.NullValue()
	}
	switch like.Kind() {
	case doc.Object:
		var ms []doc.Member
		for name, m := range like.Members() {
			if name == "template_type" {
				ms = append(ms, doc.M(name, doc.NewString(rapid.SampledFrom([]string{
					"BASIC", "STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT", "TIMER", "TIMER_WITH_PROGRESS_BAR", "Custom", "x",
				}).Draw(t, "template"))))
				continue
			}
			ms = append(ms, doc.M(name, randomContent(t, m, deep+1)))
		}
		return doc.NewObject(ms...)
	case doc.Array:
		var vs []doc.Value
		for _, e := range like.Elems() {
			vs = append(vs, randomContent(t, e, deep+1))
		}
		return doc.NewArray(vs...)
	case doc.String:
		if rapid.Bool().Draw(t, "own") {
			return doc.NewString(texts().Draw(t, "text"))
		}
	}
	return like
}

// For any document, the preview has the size that was set and contains no control sequence of the document.
func TestAnyDocumentFits(t *testing.T) {
	messages, letter := load(t, "messages.json"), load(t, "mail.json")
	var names []string
	for name := range messages.Members() {
		names = append(names, name)
	}
	color, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var o render.Options
		if rapid.Bool().Draw(t, "filled") {
			filled := texts().Draw(t, "filled text")
			o.Fill = func(doc.Path, string) (string, []string) { return filled, []string{"user.name"} }
		}
		var v render.View
		if rapid.IntRange(0, 3).Draw(t, "mail") == 0 {
			m := render.Email(randomContent(t, letter, 0), o)
			v.Mail = &m
		} else {
			message := messages.Get(rapid.SampledFrom(names).Draw(t, "message"))
			for _, p := range catalog.Platforms {
				if c := message.Get(p.Member()); c.Exists() {
					n := render.Push(p, randomContent(t, c, 0), o)
					v.Notification = &n
				}
			}
		}
		theme := themes.Plain()
		if rapid.Bool().Draw(t, "color") {
			theme = color
		}
		p := preview.New(theme)
		w, h := rapid.IntRange(1, 70).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
		p.SetSize(w, h)
		p.Show(v)
		for range 4 {
			if wrong := uitest.ViewError(p.View(), w, h); wrong != "" {
				t.Fatalf("%s\n%s", wrong, p.View())
			}
			p.Next()
			p.TurnSlide(1)
		}
	})
}

package utm_test

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/utm"
)

var params = []utm.Param{{"utm_source", "news letter"}, {"utm_medium", "email"}}

func TestTag(t *testing.T) {
	const added = "utm_source=news+letter&utm_medium=email"
	for link, want := range map[string]string{
		"https://shop.example.com":                               "https://shop.example.com?" + added,
		"https://shop.example.com/a?x=1":                         "https://shop.example.com/a?x=1&" + added,
		"https://shop.example.com/a?":                            "https://shop.example.com/a?" + added,
		"https://shop.example.com/a?x=1&":                        "https://shop.example.com/a?x=1&" + added,
		"https://shop.example.com/a#top":                         "https://shop.example.com/a?" + added + "#top",
		"https://shop.example.com/a?utm_source=own&b=%20":        "https://shop.example.com/a?utm_source=own&b=%20&utm_medium=email",
		"HTTPS://shop.example.com":                               "HTTPS://shop.example.com?" + added,
		"shop://offers/spring":                                   "shop://offers/spring",
		"whatsapp://send?text=https://shop.example.com":          "whatsapp://send?text=https://shop.example.com",
		"sms:+123&body=https://shop.example.com/p":               "sms:+123&body=https://shop.example.com/p",
		"javascript:window.open('https://shop.example.com')":     "javascript:window.open('https://shop.example.com')",
		"urn:x:https://z":                                        "urn:x:https://z",
		"mailto:ann@example.com":                                 "mailto:ann@example.com",
		"tel:+4930123":                                           "tel:+4930123",
		"#top":                                                   "#top",
		"com.example.MainScreen":                                 "com.example.MainScreen",
		"{{UserAttribute['link']}}":                              "{{UserAttribute['link']}}",
		"see https://shop.example.com for more":                  "see https://shop.example.com for more",
		"":                                                       "",
		" https://shop.example.com/b\n":                          " https://shop.example.com/b?" + added + "\n",
		"https://shop.example.com/?city=New York#a b":            "https://shop.example.com/?city=New%20York&" + added + "#a%20b",
		"https://shop.example.com/a\n\t?x=<1>":                   "https://shop.example.com/a?x=%3C1%3E&" + added,
		"https://shop.example.com for more":                      "https://shop.example.com for more",
		"https://shop.example.com/?utm_source=a b&utm_medium=c":  "https://shop.example.com/?utm_source=a b&utm_medium=c",
		"https://a.example/?c={{ UserAttribute[\"#1\"] }} x#top": "https://a.example/?c={{ UserAttribute[\"#1\"] }}%20x&" + added + "#top",
	} {
		if got := utm.Tag(link, params); got != want {
			t.Errorf("Tag(%q)\n got %q\nwant %q", link, got, want)
		}
	}
}

func TestAnExpressionInAParameterStaysReadable(t *testing.T) {
	got := utm.Tag("https://a.example", []utm.Param{{"utm_campaign", "{{UserAttribute['City']}}"}})
	if got != "https://a.example?utm_campaign={{UserAttribute['City']}}" {
		t.Error(got)
	}
}

func TestTagHTMLChangesNothingButLinks(t *testing.T) {
	before := "<!-- <a href=\"https://no.example\"> -->\n<P>Hi\t<A class=x data-href='https://no.example' HREF='https://a.example/?q=1&amp;r=2' >go</A>" +
		"<img src=\"https://pic.example/1.png\"><a href=https://b.example>b</a> <a>none</a> <a href=\"mailto:x@y.example\">m</a> </P"
	want := strings.NewReplacer(
		"HREF='https://a.example/?q=1&amp;r=2'", `HREF="https://a.example/?q=1&amp;r=2&amp;utm_source=news+letter&amp;utm_medium=email"`,
		"href=https://b.example>", `href="https://b.example?utm_source=news+letter&amp;utm_medium=email">`,
	).Replace(before)
	if got := utm.TagHTML(before, params); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := utm.TagHTML(before, nil); got != before {
		t.Errorf("without parameters: %s", got)
	}
}

// The parameters go into the address that readers follow, wherever it stands, and nowhere else.
func TestTagHTMLFindsTheLinkOfEachElement(t *testing.T) {
	const to, tagged = "https://a.example/x", "https://a.example/x?utm_source=news+letter&amp;utm_medium=email"
	for _, want := range []string{
		`<a title='x href="https://a.example/x" y' href="|">a</a>`,
		`<a data-x=href='https://a.example/x' href="|">a</a>`,
		`<a onclick="x('href=https://a.example/x')" href="|" title="href=https://a.example/x">a</a>`,
		`<a href="|" href="https://a.example/x">a</a>`,
		`<a href=" | ">a</a>`,
		"<a\nhref\n=\n\"\n|\n\">a</a>",
		`<AREA HREF="|">`,
		`<!--[if mso]><v:roundrect xmlns:v="urn:x" href="|" arcsize="10%"><center>a</center></v:roundrect><![endif]--><p>a</p>`,
		`<!--[if (gte mso 9)|(IE)]><a href="|">a</a><![endif]-->`,
		`<!--[if !mso]><!--><a href="|">a</a><!--<![endif]-->`,
		`<![if !mso]><a href="|">a</a><![endif]>`,
		`<!-- <a href="https://a.example/x"> --><a href="|">a</a>`,
		`<base href="https://a.example/x"><link rel=x href="https://a.example/x"><a href="|">a</a>`,
		`<style>/* <a href="https://a.example/x"> */</style><title><a href="https://a.example/x"></title><a href="|">a</a>`,
		`<p title=">" >&lt;a href="https://a.example/x"></p><a class=">" href="|">a</a>`,
	} {
		source := strings.ReplaceAll(want, "|(IE)", "\x00")
		want = strings.ReplaceAll(strings.ReplaceAll(source, "|", tagged), "\x00", "|(IE)")
		source = strings.ReplaceAll(strings.ReplaceAll(source, "|", to), "\x00", "|(IE)")
		if got := utm.TagHTML(source, params); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

func FuzzTagHTML(f *testing.F) {
	for _, s := range []string{"<a href", "<a href=", `<a href="https://x`, "<a href='https://x.example'>", "a<b<a/href=https://x.example/>", "<a =href href =https://x>", "<!--[if a]><a href=https://x><!--[if b]>", `<a href="https://x/{{ '#' }} {{"`, "<a a='href=https://x' href=/ >", "<a \x00href=https://x>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := utm.TagHTML(text, nil); got != text {
			t.Fatalf("changed without parameters: %q", got)
		}
		once := utm.TagHTML(text, params)
		if again := utm.TagHTML(once, params); again != once {
			t.Fatalf("tagged twice:\n%q\n%q", once, again)
		}
	})
}

func TestLinksFindsTheLinksOfEachMessage(t *testing.T) {
	d, err := doc.Parse([]byte(`{"utm_params":{"utm_source":"s","utm_medium":"m"},"campaign_content":{"content":{"push":{
		"android":{"basic_details":{"image_url":"https://pic.example","default_click_action_value":"https://a.example"},"buttons":[{"click_action_value":"+4930"},{"click_action_value":"https://b.example"}]},
		"web":{"basic_details":{"redirect_url":"https://c.example"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range utm.Links(catalog.Push, d, 10) {
		got = append(got, l.Tagged)
	}
	want := "https://a.example?utm_source=s&utm_medium=m https://b.example?utm_source=s&utm_medium=m https://c.example?utm_source=s&utm_medium=m"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v", got)
	}
	if n := len(utm.Links(catalog.Push, d, 2)); n != 2 {
		t.Errorf("%d links for a limit of 2", n)
	}
}

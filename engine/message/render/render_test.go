package render_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/engine/message/template"
	"bugle/engine/templates"
)

func parse(t testing.TB, src string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func android(t testing.TB, src string, o render.Options) render.Notification {
	t.Helper()
	return render.Push(catalog.Android, parse(t, src), o)
}

func body(t testing.TB, message string, o render.Options) render.Text {
	t.Helper()
	c := doc.NewObject(doc.M("basic_details", doc.NewObject(doc.M("message", doc.NewString(message)))))
	return render.Push(catalog.Android, c, o).Body
}

func TestMessageMarkup(t *testing.T) {
	for _, test := range []struct {
		message string
		want    render.Text
	}{
		{"two\nlines", render.Text{{Text: "two\nlines"}}},
		{"1 < 2 &amp; 3", render.Text{{Text: "1 < 2 & 3"}}},
		{"<b>a</b> b", render.Text{{Text: "a ", Bold: true}, {Text: "b"}}},
		{"a<br>b<p>c</p>d", render.Text{{Text: "a\nb\nc\nd"}}},
		{"x  <i>y\n z</i>", render.Text{{Text: "x "}, {Text: "y z", Italic: true}}},
		{"<u>u</u><s>s</s>", render.Text{{Text: "u", Underline: true}, {Text: "s", Strike: true}}},
		{`<font color="#C00">r</font>`, render.Text{{Text: "r", Color: "#cc0000"}}},
		{`<span style="color: rgb(255, 0,10); font-weight:bold">r</span>`, render.Text{{Text: "r", Color: "#ff000a", Bold: true}}},
		{`<a href="https://e.com">go</a>`, render.Text{{Text: "go", Link: "https://e.com"}}},
		{"<ul><li>a<li>b</ul>", render.Text{{Text: "• a\n• b"}}},
		{"<b>open", render.Text{{Text: "open", Bold: true}}},
		{"<script>x</script>a", render.Text{{Text: "a"}}},
		{"<b>{{ a }}</b>, b", render.Text{{Text: "{{ a }}", Kind: render.Expression, Bold: true}, {Text: ", b"}}},
		{"{% if a < 3 %}<b>x</b>{% endif %}", render.Text{
			{Text: "{% if a < 3 %}", Kind: render.Expression}, {Text: "x", Bold: true}, {Text: "{% endif %}", Kind: render.Expression},
		}},
		{`<a href="{{ link }}">go</a>`, render.Text{{Text: "go", Link: "{{ link }}"}}},
		{"{% raw %}{{ a }}{% endraw %}", render.Text{
			{Text: "{% raw %}", Kind: render.Expression}, {Text: "{{ a }}"}, {Text: "{% endraw %}", Kind: render.Expression},
		}},
		{`{{ "}}" }}{{ open`, render.Text{{Text: `{{ "}}" }}`, Kind: render.Expression}, {Text: "{{ open"}}},
		{"{{a}}<br>{{b}}", render.Text{{Text: "{{a}}", Kind: render.Expression}, {Text: "\n"}, {Text: "{{b}}", Kind: render.Expression}}},
	} {
		got := body(t, test.message, render.Options{})
		// Neighbours may be split where blanks belong to neither; what counts is text and look.
		if !reflect.DeepEqual(merged(got), merged(test.want)) {
			t.Errorf("%q gives\n%#v, want\n%#v", test.message, got, test.want)
		}
	}
}

func merged(t render.Text) render.Text {
	var out render.Text
	for _, s := range t {
		if n := len(out); n > 0 {
			a, b := out[n-1], s
			a.Text, b.Text = "", ""
			if a == b {
				out[n-1].Text += s.Text
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// filled renders as the program does: with the personalization of a profile.
func filled(t testing.TB) render.Fill {
	data := template.Data{UserAttributes: map[string]any{"name": "Ann", "tag": "<b>VIP</b>", "vip": true}}
	return func(_ doc.Path, text string) (string, []string) {
		out, missing, err := template.Preview(context.Background(), text, data)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range missing {
			names = append(names, m.Expression)
		}
		return out, names
	}
}

func TestFilledForAUser(t *testing.T) {
	value := func(s string) render.Span { return render.Span{Text: s, Kind: render.Value} }
	for _, test := range []struct {
		message string
		want    render.Text
	}{
		{"Hi {{user.name}}!", render.Text{{Text: "Hi "}, value("Ann"), {Text: "!"}}},
		{"{{user.name}}", render.Text{value("Ann")}},
		{"Hi {{user.age}}!", render.Text{{Text: "Hi "}, {Text: "{{user.age}}", Kind: render.Unresolved}, {Text: "!"}}},
		{"{{user.name}} {{user.age}}", render.Text{value("Ann"), {Text: " "}, {Text: "{{user.age}}", Kind: render.Unresolved}}},
		{"{{user.name}}{{user.age}}", render.Text{value("Ann"), {Text: "{{user.age}}", Kind: render.Unresolved}}},
		{"{{user.age|default('x')}}", render.Text{value("x")}},
		{"{{user.tag}} you", render.Text{{Text: "VIP", Kind: render.Value, Bold: true}, {Text: " you"}}},
		{"a {% if user.vip %}b{% endif %} c", render.Text{{Text: "a "}, value("b"), {Text: " c"}}},
		{"a {# note #}c", render.Text{{Text: "a "}, {Text: "c"}}},
	} {
		if got := body(t, test.message, render.Options{Fill: filled(t)}); !reflect.DeepEqual(merged(got), merged(test.want)) {
			t.Errorf("%q gives\n%#v, want\n%#v", test.message, got, test.want)
		}
	}
	n := android(t, `{"basic_details": {"title": "{{user.age}}", "message": "{{user.age}} {{user.x}}"}}`, render.Options{Fill: filled(t)})
	want := []render.Missing{{"Title", "user.age"}, {"Message", "user.age"}, {"Message", "user.x"}}
	if !slices.Equal(n.Missing, want) {
		t.Errorf("missing are %+v, want %+v", n.Missing, want)
	}
}

// What a template does not use is in the document, and not in the picture.
func TestUnusedMembersAreNotDrawn(t *testing.T) {
	const all = `"basic_details": {"title": "T", "message": "M", "image_url": "https://e.com/i.png", "banner_image_url": "https://e.com/b.png",
		"input_gif_url": "https://e.com/g.gif", "background_color_code": "#123456", "collapsed_push_notification": "C",
		"carousel_content": {"slide_data": [{"image_url": "https://e.com/s.png"}]}},
		"timer": {"timer_ends_at": "DURATION", "duration_hour": "1", "duration_minute": "1"}, "custom_template_id": "x", "template_backup": {"title": "B"}`
	for _, test := range []struct {
		template, image, ground string
		slides                  int
		timer, bar, banner      bool
		custom, backup          bool
	}{
		{template: "BASIC", image: "g.gif"},
		{template: "STYLIZED_BASIC", image: "i.png", ground: "#123456", backup: true},
		{template: "SIMPLE_IMAGE_CAROUSEL", image: "i.png", ground: "#123456", slides: 1, backup: true},
		{template: "IMAGE_BANNER_WITH_TEXT", image: "b.png", ground: "#123456", banner: true, backup: true},
		{template: "TIMER", image: "i.png", timer: true, backup: true},
		{template: "TIMER_WITH_PROGRESS_BAR", image: "i.png", timer: true, bar: true, backup: true},
		{template: "Custom", image: "i.png", custom: true},
	} {
		n := android(t, `{"template_type": "`+test.template+`", `+all+`}`, render.Options{})
		if n.Image == nil || n.Image.Name != test.image {
			t.Errorf("%s shows the picture %+v, want %s", test.template, n.Image, test.image)
		}
		if n.Colors.Background != test.ground || len(n.Slide) != test.slides || (n.Timer != nil) != test.timer || (n.Banner != nil) != test.banner ||
			(n.Custom.Name != "") != test.custom || (n.Backup != nil) != test.backup || test.timer && n.Timer.Bar != test.bar {
			t.Errorf("%s gives %+v", test.template, n)
		}
	}
}

func TestCountdown(t *testing.T) {
	now := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		timer, words string
		left         time.Duration
		known        bool
	}{
		{`{"timer_ends_at": "DURATION", "duration_hour": "1", "duration_minute": "30"}`, "Ends 1 hour 30 minutes after it arrives", 90 * time.Minute, true},
		{`{"timer_ends_at": "DURATION", "duration_hour": "0", "duration_minute": "1"}`, "Ends 1 minute after it arrives", time.Minute, true},
		{`{"timer_ends_at": "SPECIFIC_TIME_CAMPAIGN_TIMEZONE", "personalized_value": true, "specific_time": "2026-03-14T12:00:00Z"}`,
			"Ends Sat 14 Mar, 12:00, in the campaign's time zone", 2 * time.Hour, true},
		{`{"timer_ends_at": "SPECIFIC_TIME_USER_TIMEZONE", "specific_time": "{{user.until}}"}`, "Ends {{user.until}}, in the user's time zone", 0, false},
		{`{"timer_ends_at": "DURATION", "duration_hour": "x"}`, "No end time set", 0, false},
	} {
		n := android(t, `{"template_type": "TIMER", "timer": `+test.timer+`}`, render.Options{Now: now})
		if n.Timer.Text != test.words || n.Timer.Left != test.left || n.Timer.Known != test.known {
			t.Errorf("%s gives %+v, want %q %v", test.timer, *n.Timer, test.words, test.left)
		}
	}
}

func warnings(list []render.Warning) string {
	var out []string
	for _, w := range list {
		out = append(out, w.Text)
	}
	return strings.Join(out, "\n")
}

func TestLengthWarnings(t *testing.T) {
	e := func(n int) string { return strings.Repeat("é", n) } // two code points, one character
	for _, test := range []struct{ got, want string }{
		{warnings(android(t, `{"basic_details": {"title": "`+e(65)+`", "message": "`+e(49)+`"}}`, render.Options{}).Warnings), ""},
		{warnings(android(t, `{"basic_details": {"title": "`+e(66)+`"}}`, render.Options{}).Warnings), "Title: 66 characters; about 65 are shown"},
		{warnings(android(t, `{"basic_details": {"title": "`+e(66)+`{{user.name}}"}}`, render.Options{}).Warnings), "Title: 66 characters without its expressions; about 65 are shown"},
		{warnings(android(t, `{"basic_details": {"message": "`+e(50)+`"}}`, render.Options{}).Warnings), "Message: 50 characters; about 49 are shown while collapsed"},
		{warnings(android(t, `{"basic_details": {"message": "<b>`+e(241)+`</b>"}}`, render.Options{}).Warnings), "Message: its formatting is only shown where the app draws the notification, not in a test\nMessage: 241 characters; about 240 are shown when expanded"},
		{warnings(render.Push(catalog.IOS, parse(t, `{"basic_details": {"message": "`+e(179)+`"}}`), render.Options{}).Warnings), "Message: 179 characters; about 178 are shown before it is held"},
		{warnings(render.Push(catalog.IOS, parse(t, `{"basic_details": {"message": "<b>x</b>"}}`), render.Options{}).Warnings), "Message: HTML tags are left out"},
		{warnings(render.Push(catalog.Web, parse(t, `{"basic_details": {"title": "`+e(51)+`"}, "buttons": [{"title": "a"}, {"title": "b"}, {"title": "c"}]}`), render.Options{}).Warnings),
			"Title: 51 characters; about 50 are shown\n3 buttons: Web shows at most 2"},
		{warnings(android(t, `{"template_type": "STYLIZED_BASIC", "basic_details": {"background_color_code": "#fff", "message": "<font color='#eee'>x</font>"}}`, render.Options{}).Warnings),
			"Message: #eeeeee on #ffffff is hard to read (contrast 1.2; use at least 3)"},
	} {
		if test.got != test.want {
			t.Errorf("warns of\n%q, want\n%q", test.got, test.want)
		}
	}
}

const letter = `{
	"subject": "Hi {{user.name}}", "sender_name": "Shop", "from_address": "a@e.com", "cc_ids": ["b@e.com", 3],
	"html_content": "<div style='display:none'>before all</div><h2>Head</h2><p>Text <a href='https://e.com/{{user.name}}'>here</a></p><ol><li><p>one</p><li>two</ol><img src='https://e.com/p.png'><p><a href='https://e.com/u'>Unsubscribe</a></p>",
	"attachments": [{"url": "https://e.com/a/terms.pdf"}]
}`

func TestMail(t *testing.T) {
	m := render.Email(parse(t, letter), render.Options{})
	if m.Sender.String() != "Shop" || m.Subject[1].Kind != render.Expression || !slices.Equal(m.Cc, []string{"b@e.com"}) || m.Attachments[0].Name != "terms.pdf" {
		t.Errorf("the head is %+v", m)
	}
	var kinds []render.BlockKind
	for _, b := range m.Blocks {
		kinds = append(kinds, b.Kind)
	}
	if want := []render.BlockKind{render.Heading, render.Paragraph, render.Item, render.Item, render.Media, render.Paragraph}; !slices.Equal(kinds, want) {
		t.Errorf("the blocks are %v, want %v: %+v", kinds, want, m.Blocks)
	}
	if m.Blocks[3].Mark != "2." || m.Blocks[1].Text[1].Link != "https://e.com/{{user.name}}" {
		t.Errorf("the blocks are %+v", m.Blocks)
	}
	if m.FromBody || m.Preview.String() != "before all" { // not what follows it
		t.Errorf("inboxes show %q", m.Preview.String())
	}
	if m.Unsubscribe != "https://e.com/u" {
		t.Errorf("the way out is %q", m.Unsubscribe)
	}
	if text := m.Text.String(); !strings.Contains(text, "here (https://e.com/{{user.name}})") || strings.Contains(text, "before all") {
		t.Errorf("the text is %q", text)
	}
	if got, want := warnings(m.Warnings), "Preview text: 10 characters; below 35, inboxes add the start of the email"; got != want {
		t.Errorf("warns of\n%s\nwant\n%s", got, want)
	}
	for _, test := range []struct{ content, want string }{
		{`{"subject": "` + strings.Repeat("x", 49) + `", "preview_text": "` + strings.Repeat("x", 40) + `"}`, "Subject: 49 characters; about 48 are shown on phones"},
		{`{"subject": "` + strings.Repeat("x", 61) + `", "preview_text": "` + strings.Repeat("x", 91) + `"}`,
			"Subject: 61 characters; about 60 are shown on desktops\nPreview text: 91 characters; about 90 are shown"},
		{`{"html_content": "<p>Start</p>"}`, "No preview text; inboxes show the start of the email instead"},
		{`{"preview_text": "` + strings.Repeat("x", 40) + `", "html_content": "<div style='display:none'>Placeholder of {{user.name}}</div>"}`,
			"The HTML hides a text of its own at its start; inboxes show “Placeholder of {{user.name}}” instead of the preview text"},
		{`{"preview_text": "` + strings.Repeat("x", 40) + `", "html_content": "<div style='display:none'> ` + strings.Repeat("x", 40) + `&zwnj;&nbsp;</div>"}`, ""},
		{`{"preview_text": "short"}`, "Preview text: 5 characters; below 35, inboxes add the start of the email"},
		{`{}`, ""},
	} {
		if got := warnings(render.Email(parse(t, test.content), render.Options{}).Warnings); got != test.want {
			t.Errorf("%s warns of\n%s\nwant\n%s", test.content, got, test.want)
		}
	}
}

const keyed = `{"basic_details": {"content_type": "PROMOTIONAL"}, "campaign_content": {"locales": ["de"], "content": {
	"de": {"variation_1": {"push": {"web": {"basic_details": {"title": "Hallo"}}}}},
	"default": {"variation_1": {"push": {"android": {"basic_details": {"title": "A"}, "template_backup": {"title": "B"}}, "ios": {"basic_details": {"title": "I {{user.x}}"}}}},
		"variation_2": {"push": {"android": {"basic_details": {"title": "A2"}}}}}
}}}`

func TestPlaces(t *testing.T) {
	d := parse(t, keyed)
	for _, test := range []struct {
		at   string
		want []string // key and title of each view
	}{
		{"campaign_content.content.default.variation_1.push.ios.basic_details.title", []string{"IOS_default_variation_1 I {{user.x}}"}},
		{"campaign_content.content.default.variation_1.push", []string{"ANDROID_default_variation_1 A", "IOS_default_variation_1 I {{user.x}}"}},
		{"campaign_content.content.default.variation_1", []string{"ANDROID_default_variation_1 A", "IOS_default_variation_1 I {{user.x}}"}},
		{"campaign_content.content.default.variation_2.push.android", []string{"ANDROID_default_variation_2 A2"}},
		{"campaign_content.content.de", []string{"WEB_de_variation_1 Hallo"}},
		{"campaign_content.content", []string{"ANDROID_default_variation_1 A", "IOS_default_variation_1 I {{user.x}}"}},
		{"campaign_content.content.de.variation_1.push.android", nil},
		{"campaign_content.content.fr", nil},
		{"campaign_content.locales[0]", nil},
		{"basic_details.content_type", nil},
	} {
		at, err := doc.ParsePath(test.at)
		if err != nil {
			t.Fatal(err)
		}
		views, ok := render.ViewsAt(catalog.Push, d, at, render.Options{})
		var got []string
		for _, v := range views {
			got = append(got, v.String()+" "+v.Notification.Title.String())
		}
		if !slices.Equal(got, test.want) || ok != (len(test.want) > 0) {
			t.Errorf("%s belongs to %q (%v), want %q", test.at, got, ok, test.want)
		}
	}
	cells := render.Cells(catalog.Push, d)
	if len(cells) != 3 || cells[0].Locale != "default" || cells[2].Locale != "de" {
		t.Errorf("the cells are %+v", cells)
	}
	if _, ok := render.ViewsAt(catalog.SMS, d, nil, render.Options{}); ok {
		t.Error("there is a view of a channel that is only read")
	}
	backup, _ := render.ViewsAt(catalog.Push, parse(t, strings.Replace(keyed, `"A"`, `"A"`, 1)), cells[0].Path.Join(doc.Name("android"), doc.Name("template_backup"), doc.Name("title")), render.Options{})
	if !backup[0].Backup {
		t.Error("a place in the backup does not say so")
	}
}

// What a service has resolved is found by the paths that it returns.
func TestResolvedByAService(t *testing.T) {
	d := parse(t, keyed)
	at := doc.P("campaign_content", "content", "default", "variation_1", "push", "android", "basic_details", "title")
	done, err := d.Set(at, doc.NewString("Ann"))
	if err != nil {
		t.Fatal(err)
	}
	d, err = d.Set(at, doc.NewString("{{user.name}}"))
	if err != nil {
		t.Fatal(err)
	}
	fill := render.FillFromPreview(engine.Preview{
		Content:    done.Get("campaign_content"),
		Unresolved: []engine.Unresolved{{Field: "campaign_content.content.default.variation_1.push.ios.basic_details.title", Expression: "user.x"}},
	})
	views, ok := render.FirstViews(catalog.Push, d, render.Options{Fill: fill})
	if !ok || len(views) != 2 {
		t.Fatalf("the first message has %d views", len(views))
	}
	if got := views[0].Notification.Title; !reflect.DeepEqual(got, render.Text{{Text: "Ann", Kind: render.Value}}) {
		t.Errorf("the title is %+v", got)
	}
	if got := views[1].Notification; got.Title[1].Kind != render.Unresolved || len(got.Missing) != 1 {
		t.Errorf("the title is %+v, missing %+v", got.Title, got.Missing)
	}
}

// Every starting draft has a first message to show.
func TestTemplatesRender(t *testing.T) {
	all, err := templates.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		ch := engine.Channel(s.Doc.Get("channel").Text())
		views, ok := render.FirstViews(ch, s.Doc, render.Options{})
		if !ok {
			t.Errorf("%s has nothing to show", s.Title)
		}
		for _, v := range views {
			if v.Mail != nil && v.Mail.Blank || v.Notification != nil && v.Notification.Blank {
				t.Errorf("%s shows nothing on %s", s.Title, v.Platform)
			}
		}
	}
}

func TestParseAcceptsAnyText(t *testing.T) {
	for _, src := range []string{`null`, `3`, `[]`, `""`, `{"basic_details": []}`, `{"basic_details": {"title": {}, "message": 3, "carousel_content": {"slide_data": [null, 3]}}, "buttons": [1, {}], "timer": 3}`} {
		for _, p := range append(catalog.Platforms, "X") {
			if n := render.Push(p, parse(t, src), render.Options{}); n.Platform != p || n.Template != "BASIC" || n.Title.String() != "" || n.Blank != (p == "X" || parse(t, src).Empty()) {
				t.Errorf("%s of %s: %+v", p, src, n)
			}
		}
		if m := render.Email(parse(t, src), render.Options{}); m.Subject.String() != "" || m.Blank != parse(t, src).Empty() {
			t.Errorf("email of %s: %+v", src, m)
		}
	}
}

func TestCut(t *testing.T) {
	text := render.Text{{Text: "ab"}, {Text: "{{long expression}}", Kind: render.Expression}, {Text: "cdé fg"}}
	for n, want := range map[int]string{0: "…", 1: "a…", 3: "ab{{long expression}}c…", 6: "ab{{long expression}}cdé…", 8: "ab{{long expression}}cdé fg"} {
		if got := text.Cut(n).String(); got != want {
			t.Errorf("cut at %d it is %q, want %q", n, got, want)
		}
	}
}

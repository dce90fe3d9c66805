package texts_test

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/engine/texts"
	"bugle/store/mem"
)

// sampleCampaigns returns the campaigns of the sample workspace.
func sampleCampaigns(t testing.TB) (out []engine.Campaign) {
	t.Helper()
	db := mem.New()
	if _, err := sample.Install(t.Context(), db, sample.Options{}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "DEMO", local.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := svc.List(t.Context(), engine.ListQuery{Archived: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		c, err := svc.Get(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// nasty are texts that a spreadsheet, a line or markup could change.
var nasty = []string{
	"x", "one\ntwo\n", "cr\r\nlf\r\n", "lone\rcr", "a\tb", " spaces ", `"quotes", and, commas; semicolons`, `""`, "=1+1", "'=1", "''-x", "@x", "+49", "-", "'", "'x", "\t=", "\r=",
	"<b>&amp;</b>", "]]>", "{{ user.name }} and {% if x %}y{% endif %}", "{{ a }}{{ a }}", "{{ unclosed", "é😀", "\ufeff", "\u2028", "<ph id=\"1\">{{ x }}</ph>",
}

func replaced(rt *rapid.T, c engine.Campaign) engine.Campaign {
	for _, u := range texts.Of(c).Units {
		if u.Text == "" {
			continue
		}
		c.Body, _ = c.Body.Set(u.Path, doc.NewString(rapid.SampledFrom(nasty).Draw(rt, "text")+rapid.SampledFrom(nasty).Draw(rt, "more")))
	}
	return c
}

func formats(t testing.TB, f texts.File) map[string]string {
	t.Helper()
	x, err := f.XLIFF("en")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"CSV": string(f.CSV()), "XLIFF": string(x)}
}

// A file that nobody changed changes nothing, and one with other texts puts exactly those into the campaign.
func TestRoundTrip(t *testing.T) {
	all := sampleCampaigns(t)
	total := 0
	check := func(fatal func(string, ...any), c, other engine.Campaign) {
		want := texts.Of(c)
		total += len(want.Units)
		for format, text := range formats(t, want) {
			got, err := texts.Parse([]byte(text))
			if len(want.Units) == 0 {
				continue
			}
			if err != nil || got.Campaign != c.ID || len(got.Units) != len(want.Units) {
				fatal("%s of %s: %d texts, want %d (%v)", format, c.ID, len(got.Units), len(want.Units), err)
			}
			for i, u := range got.Units {
				if j := slices.IndexFunc(want.Units, func(w texts.Unit) bool { return w.Path.Equal(u.Path) }); j < 0 ||
					u.Text != want.Units[j].Text || u.Source != want.Units[j].Source || u.Locale != want.Units[j].Locale || u.Check != want.Units[j].Check || u.Limit != want.Units[j].Limit || u.Line == 0 {
					fatal("%s: %d: got %+v", format, i, u)
				}
			}
			if changes, problems := texts.Compare(c, got); len(changes)+len(problems) > 0 {
				fatal("%s: %v, %v", format, changes, problems)
			}
		}
		// The texts of another version of the campaign make that version of it.
		into := texts.Of(other)
		for i := range into.Units {
			into.Units[i].Check, into.Units[i].Source = want.Units[i].Check, into.Units[i].Text
		}
		for format, text := range formats(t, into) {
			if len(into.Units) == 0 {
				continue
			}
			got, err := texts.Parse([]byte(text))
			if err != nil {
				fatal("%s: %v", format, err)
			}
			changes, problems := texts.Compare(c, got)
			body, err := texts.Apply(c.Body, changes)
			if len(problems) > 0 || err != nil || len(doc.Diff(unixLines(body), unixLines(other.Body))) > 0 {
				fatal("%s: %v, %v: %v", format, problems, err, doc.Diff(body, other.Body))
			}
		}
	}
	for _, c := range all {
		check(t.Fatalf, c, c)
	}
	if total < 100 {
		t.Errorf("there are only %d texts", total)
	}
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(all).Draw(rt, "campaign")
		check(rt.Fatalf, replaced(rt, c), replaced(rt, c))
	})
}

// unixLines returns a document whose texts have lines that end with LF.
func unixLines(v doc.Value) doc.Value {
	out, err := doc.Parse([]byte(strings.NewReplacer(`\r\n`, `\n`, `\r`, `\n`).Replace(string(v.Encode()))))
	if err != nil {
		panic(err)
	}
	return out
}

// campaign returns an email in two locales.
func campaign(t testing.TB) engine.Campaign {
	t.Helper()
	body, err := doc.Parse([]byte(`{"basic_details": {"name": "Sale"}, "campaign_content": {"locales": ["de"], "content": {
		"default": {"variation_1": {"email": {"subject": "Hi {{ user.name }}", "sender_name": "Shop", "from_address": "a@example.com", "html_content": "<p>{% if x %}a{% endif %}</p>"}}},
		"de": {"variation_1": {"email": {"subject": "Hallo {{user.name}}", "html_content": "<p>{% if x %}b{% endif %}</p>"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return engine.Campaign{Head: engine.Head{ID: "65f0a1b2c3d4e5f60718293a", Channel: catalog.Email}, Body: body}
}

// Which texts there are, with what a translator has to know.
func TestOf(t *testing.T) {
	var got []string
	for _, u := range texts.Of(campaign(t)).Units {
		got = append(got, strings.Join([]string{u.Locale, u.Variation, u.Path.Last().Name, u.Source, u.Text}, "|"))
		if u.Path.Last().Name == "subject" && u.Limit != 60 {
			t.Errorf("the limit is %d", u.Limit)
		}
	}
	want := []string{
		"default|variation_1|subject|Hi {{ user.name }}|Hi {{ user.name }}", "default|variation_1|sender_name|Shop|Shop",
		"default|variation_1|html_content|<p>{% if x %}a{% endif %}</p>|<p>{% if x %}a{% endif %}</p>",
		"de|variation_1|subject|Hi {{ user.name }}|Hallo {{user.name}}", "de|variation_1|html_content|<p>{% if x %}a{% endif %}</p>|<p>{% if x %}b{% endif %}</p>",
		"de|variation_1|sender_name|Shop|",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What may not be put back is found, with its place.
func TestCompare(t *testing.T) {
	for _, tt := range []struct{ name, at, text, now, put, changed, problem, stale string }{
		{name: "a translation", at: "de.variation_1.email.subject", text: "Servus {{ user.name }}"},
		{name: "a text that the locale lacked", at: "de.variation_1.email.sender_name", text: "Laden"},
		{name: "a lost expression", at: "de.variation_1.email.subject", text: "Servus", problem: "lacks {{ user.name }}; expressions must stay"},
		{name: "a translated expression", at: "de.variation_1.email.subject", text: "Servus {{ nutzer.name }}", problem: "has {{ nutzer.name }} instead of {{ user.name }}"},
		{name: "one more", at: "de.variation_1.email.sender_name", text: "Laden {{ x }}", problem: "has {{ x }}, which the original does not have"},
		{name: "a lost statement", at: "de.variation_1.email.html_content", text: "<p>{% if x %}b</p>", problem: "lacks {% endif %}"},
		{name: "a letter that a program has lost", at: "de.variation_1.email.sender_name", text: "M\uFFFDller", problem: "has \uFFFD in place of a letter; export the texts again, and save the file as UTF-8"},
		{name: "line ends of Windows", at: "de.variation_1.email.html_content", text: "<p>{% if x %}\r\nc{% endif %}</p>", put: "<p>{% if x %}\nc{% endif %}</p>"},
		{name: "line ends of Windows that the campaign has", at: "de.variation_1.email.html_content", text: "<p>{% if x %}\nc{% endif %}</p>", now: "<p>{% if x %}\r\nb{% endif %}</p>", put: "<p>{% if x %}\r\nc{% endif %}</p>"},
		{name: "changed since", at: "de.variation_1.email.subject", text: "Servus {{ user.name }}", changed: "de.variation_1.email.subject", stale: "the text changed since the export"},
		{name: "another source", at: "de.variation_1.email.subject", text: "Servus {{ user.name }}", changed: "default.variation_1.email.subject", stale: "the text of the default locale changed"},
	} {
		c := campaign(t)
		if tt.now != "" {
			p, _ := doc.ParsePath("campaign_content.content." + tt.at)
			c.Body, _ = c.Body.Set(p, doc.NewString(tt.now))
		}
		file := texts.Of(c)
		for i, u := range file.Units {
			if strings.HasSuffix(u.Path.String(), tt.at) {
				file.Units[i].Text = tt.text
			}
		}
		if tt.changed != "" {
			p, _ := doc.ParsePath("campaign_content.content." + tt.changed)
			c.Body, _ = c.Body.Set(p, doc.NewString("Now {{ user.name }}"))
		}
		changes, problems := texts.Compare(c, file)
		switch {
		case tt.problem != "":
			if len(problems) != 1 || !strings.Contains(problems[0].Message, tt.problem) || len(changes) > 0 {
				t.Errorf("%s: %v, %v", tt.name, changes, problems)
			}
		case len(changes) != 1 || len(problems) > 0 || !strings.Contains(changes[0].Stale, tt.stale) || (tt.stale == "") != (changes[0].Stale == ""):
			t.Errorf("%s: %+v, %v", tt.name, changes, problems)
		case tt.put != "" && changes[0].Text != tt.put:
			t.Errorf("%s: %q", tt.name, changes[0].Text)
		}
	}
	c := campaign(t)
	file := texts.Of(c)
	file.Units = append(file.Units, file.Units[0], texts.Unit{Path: doc.P("basic_details", "name"), Text: "x"})
	if _, problems := texts.Compare(c, file); len(problems) != 2 || !strings.Contains(problems[0].Message, "twice") || !strings.Contains(problems[1].Message, "no such text") {
		t.Errorf("%v", problems)
	}
}

// Tools and git change line ends, which alone are no change, also of the text of the default locale.
func TestLineEnds(t *testing.T) {
	c := campaign(t)
	for _, locale := range []string{"default", "de"} {
		c.Body, _ = c.Body.Set(doc.P("campaign_content", "content", locale, "variation_1", "email", "html_content"), doc.NewString("<p>"+locale+"</p>\r\n<p>x</p>\n"))
	}
	csv := strings.ReplaceAll(string(texts.Of(c).CSV()), "\r\n", "\n")
	for _, end := range []string{"\n", "\r\n", "\r"} {
		file, err := texts.Parse([]byte(strings.ReplaceAll(csv, "\n", end)))
		if err != nil {
			t.Fatal(err)
		}
		if changes, problems := texts.Compare(c, file); len(changes)+len(problems) > 0 {
			t.Errorf("%q: %v, %v", end, changes, problems)
		}
		i := slices.IndexFunc(file.Units, func(u texts.Unit) bool { return u.Locale == "de" && u.Path.Last().Name == "html_content" })
		file.Units[i].Text = strings.ReplaceAll(file.Units[i].Text, "x", "y")
		if changes, problems := texts.Compare(c, file); len(changes) != 1 || len(problems) > 0 || changes[0].Stale != "" {
			t.Errorf("%q, translated: %v, %v", end, changes, problems)
		}
	}
}

// The text of a fallback can be translated, and nothing else of an expression.
func TestFallbacks(t *testing.T) {
	for _, c := range []struct {
		source, text string
		fine         bool
	}{
		{`Hi {{ user.name|default('you') }}`, `Salut {{ user.name|default('toi') }}`, true},
		{`Hi {{ user.name | default("you", true)|upper }}`, `Salut {{ user.name | default("l'ami", true)|upper }}`, true},
		{`Hi {{ user.name|default(default_value='you') }}`, `Salut {{ user.name|default(default_value="l'ami") }}`, true},
		{`Hi {{- user.name|d('you') -}}`, `Salut {{- user.name|d('l\'ami') -}}`, true},
		{`{{ a|default('x') }} {{ b|default('y') }}`, `{{ b|default('u') }} {{ a|default('z') }}`, true},
		{`Hi {{ user.name|default('you') }}`, `Salut {{ user.nom|default('toi') }}`, false},
		{`Hi {{ user.name|default('you') }}`, `Salut {{ user.name|default(toi) }}`, false},
		{`Hi {{ user.name|default('you') }}`, `Salut {{ user.name|default('toi'|upper) }}`, false},
		{`Hi {{ user.name|default('you') }}`, `Salut {{ user.name|default('toi') }} {{ x|default('toi') }}`, false},
		{`Hi {{ user.name|default('you') }}`, `Salut {{ user.name|replace('you', 'toi') }}`, false},
		{`{{ UserAttribute['City'] }}`, `{{ UserAttribute['Ville'] }}`, false},
		{`{{ "|default('x')" }}`, `{{ "|default('y')" }}`, false},
		{`{# |default('x') #}`, `{# |default('y') #}`, false},
		{`{% set t = user.tier|default('silver') %}{{ t }}`, `{% set t = user.tier|default('Silber') %}{{ t }}`, false},
		{`{% if user.tier|default('silver') == 'silver' %}Silver offer{% endif %}`, `{% if user.tier|default('Silber') == 'silver' %}Silber{% endif %}`, false},
		{`{{ user.a|replace(user.b|default('x'), 'y') }}`, `{{ user.a|replace(user.b|default('z'), 'y') }}`, false},
		{`{{ (user.a|default('x')).get('x') }}`, `{{ (user.a|default('z')).get('x') }}`, false},
		{`{{ user.a|default('x') ~ '' }}`, `{{ user.a|default('z') ~ '' }}`, false},
		{`{{ -user.a|default('x') }}`, `{{ -user.a|default('z') }}`, false},
		{`{{ x[user.t|default('a')] }}`, `{{ x[user.t|default('b')] }}`, false},
		{`{{ user.t|default('a') in 'ab' }}`, `{{ user.t|default('c') in 'ab' }}`, false},
		{`{{ 1 if user.t|default('a') == 'a' else 2 }}`, `{{ 1 if user.t|default('b') == 'a' else 2 }}`, false},
	} {
		now := campaign(t)
		subject := func(locale string) doc.Path {
			return doc.P("campaign_content", "content", locale, "variation_1", "email", "subject")
		}
		for _, locale := range []string{"default", "de"} {
			now.Body, _ = now.Body.Set(subject(locale), doc.NewString(c.source))
		}
		file := texts.Of(now)
		for i, u := range file.Units {
			if u.Path.Equal(subject("de")) {
				file.Units[i].Text = c.text
			}
		}
		if changes, problems := texts.Compare(now, file); (len(problems) == 0) != c.fine || c.fine != (len(changes) == 1) {
			t.Errorf("%s as %s: %v, %v", c.source, c.text, changes, problems)
		}
	}
}

// What translators' tools make of the files is read, too.
func TestParse(t *testing.T) {
	file := texts.Of(campaign(t))
	csv := string(file.CSV())
	semicolons := strings.NewReplacer("\ufeff", "", "\r\n", "\n").Replace(csv)
	semicolons = strings.ReplaceAll(semicolons, ",", ";")
	if got, err := texts.Parse([]byte(semicolons)); err != nil || len(got.Units) != len(file.Units) || got.Units[0].Text != file.Units[0].Text {
		t.Errorf("with semicolons: %v, %v", got, err)
	}
	x, err := file.XLIFF("en")
	if err != nil {
		t.Fatal(err)
	}
	utf16 := func(text string) string {
		out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	header, _, _ := strings.Cut(semicolons, "\n")
	for name, in := range map[string]string{
		"CR": strings.ReplaceAll(semicolons, "\n", "\r"), "sep=": "sep=;\r\n" + semicolons, "empty columns": strings.ReplaceAll(semicolons, header+"\n", header+";;\n") + ";;;\n",
		"UTF-16": utf16(semicolons), "XLIFF in UTF-16": utf16(strings.Replace(string(x), `encoding="UTF-8"`, `encoding="utf-16"`, 1)),
	} {
		if got, err := texts.Parse([]byte(in)); err != nil || len(got.Units) != len(file.Units) || got.Units[0].Text != file.Units[0].Text || got.Units[1].Line <= got.Units[0].Line {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if !strings.Contains(string(x), `<source>Hi <ph id="1">{{ user.name }}</ph></source>`) || xml.Unmarshal(x, new(struct{})) != nil {
		t.Errorf("%s", x)
	}
	for in, want := range map[string]string{
		"": "no column", "a,b\n": `no column "campaign"`, "campaign,source,text,path,check\nx,\"y": "line 2: a quote is not closed",
		"campaign,source,text,path,check\nx,\"y\"z,t,p,c": "text after a quote", "campaign,source,text,path,check\nx,s,t,[,c": "line 2: the column path",
		"campaign,source,text,path,check\nx,s,t,a,c\ny,s,t,b,c": "line 3: another campaign", "campaign,source,text,path,check\n": "line 1: no text comes after this line, which was read as the names of the columns: campaign, source, text, path, check",
		"campaign,source,text,path,check\nx,s,gr\xF6\xDFer,a,c": "line 2: it is not UTF-8 text; save the file as UTF-8", "campaign,source,text,path,check\nx,s,one, two,a,c": "line 2: it has 6 cells, but there are 5 columns",
		misread(t, csv): "taken for another encoding", misread(t, string(x)): "taken for another encoding", "PK\x03\x04": "it is a workbook or an archive; save its table as CSV UTF-8",
		"<?xml version='1.0' encoding='windows-1252'?><a/>": "line 1: its encoding is windows-1252; save the file as UTF-8",
		"<": "line 1", "<a/>": "not XLIFF", "<xliff xmlns='urn:oasis:names:tc:xliff:document:1.2'><file": "line 1", "<xliff xmlns='urn:oasis:names:tc:xliff:document:1.2'/>": "no texts",
	} {
		if _, err := texts.Parse([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	hostile := campaign(t)
	hostile.Body, _ = hostile.Body.Set(doc.P("campaign_content", "content", "de", "variation_1", "email", "subject"), doc.NewString("\x1b[31m"))
	if _, err := texts.Of(hostile).XLIFF("en"); err == nil || !strings.Contains(err.Error(), "export it as CSV instead") {
		t.Errorf("%v", err)
	}
}

// misread returns UTF-8 text as a program writes it that took it for Windows-1252.
func misread(t *testing.T, text string) string {
	t.Helper()
	out, err := charmap.Windows1252.NewDecoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func FuzzParse(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Add(string(texts.Of(campaign(f)).CSV()))
	f.Fuzz(func(t *testing.T, s string) {
		file, err := texts.Parse([]byte(s))
		if err != nil {
			return
		}
		texts.Compare(campaign(t), file)
		again, err := texts.Parse(file.CSV())
		if err != nil || len(again.Units) != len(file.Units) {
			t.Fatalf("%v: %d texts of %d", err, len(again.Units), len(file.Units))
		}
	})
}

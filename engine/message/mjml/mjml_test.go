package mjml

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIsSource(t *testing.T) {
	for text, want := range map[string]bool{
		"<mjml>":                                 true,
		"<mjml/>":                                true,
		"<mjml lang=\"de\">":                     true,
		"\uFEFF \r\n\t<mjml\n>":                  true,
		"<!-- a <mjml> -->\n<!-- b --><mjml>":    true,
		"":                                       false,
		"<mjml":                                  false,
		"<mjml-x>":                               false,
		"<mjmlx>":                                false,
		"<mj-body>":                              false,
		"<p><mjml></p>":                          false,
		"<!-- <mjml>":                            false,
		"<!-- a --><html><!-- <mjml> --></html>": false,
		"<!doctype html>\n<mjml>":                false,
		"text <mjml>":                            false,
	} {
		if got := IsSource(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

const page = "<!doctype html>\n<html><body>Hi {{ x }}</body></html>\n"

// The source of a compiled body comes back byte for byte, whatever is in it, and the body without it is what was compiled.
func TestSourceComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := "<mjml>" + string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		html := page + rapid.StringMatching(`(<!-- bugle:mjml:1 x -->| -->|\s)?`).Draw(t, "end")
		body := attach(html, source)
		if got, ok := Source(body); !ok || got != source {
			t.Fatalf("%q, %v", got, ok)
		}
		if got := Without(body); got != strings.TrimRight(html, " \t\r\n")+"\n" {
			t.Fatalf("%q", got)
		}
		if strings.ContainsAny(strings.TrimPrefix(body, strings.TrimRight(html, " \t\r\n")), "{}%") {
			t.Fatal("the comment has what may be an expression")
		}
	})
}

func FuzzSource(f *testing.F) {
	f.Add(attach(page, "<mjml></mjml>"))
	f.Add(page + commentStart + "0123456789abcdef AAAA" + commentEnd)
	f.Add(commentStart + commentEnd)
	f.Fuzz(func(t *testing.T, html string) {
		source, ok := Source(html)
		if ok && !IsSource(source) {
			t.Errorf("%q", source)
		}
		if out := Without(html); !strings.HasPrefix(html, out) {
			t.Errorf("%q", out)
		}
		if Editable(html) != html && !ok {
			t.Error("another text is edited")
		}
	})
}

// What was changed after it was compiled has no source any more; how its lines end is no change.
func TestSourceOfChangedHTML(t *testing.T) {
	const source = "<mjml>{{ x }}</mjml>"
	body := attach(page, source)
	for what, text := range map[string]string{
		"CRLF":      strings.ReplaceAll(body, "\n", "\r\n"),
		"line end":  body + "\n",
		"blanks":    body + " \r\n\t",
		"unchanged": body,
	} {
		if got, ok := Source(text); !ok || got != source {
			t.Errorf("%s: %q, %v", what, got, ok)
		}
	}
	for what, text := range map[string]string{
		"another word":     strings.Replace(body, "Hi", "Hello", 1),
		"text after it":    body + "<p>",
		"no comment":       page,
		"cut":              body[:len(body)-20],
		"another source":   strings.Replace(body, commentEnd, "A"+commentEnd, 1),
		"not deflate":      page + commentStart + hash(page) + " AAAA" + commentEnd,
		"no MJML":          attach(page, "<p>"),
		"larger than 1 MB": attach(page, "<mjml>"+strings.Repeat("x", maxSource)),
	} {
		if got, ok := Source(text); ok {
			t.Errorf("%s: %q", what, got)
		}
	}
	if got := Without(strings.Replace(body, "Hi", "Hello", 1)); got != strings.Replace(page, "Hi", "Hello", 1) {
		t.Errorf("%q", got)
	}
}

func TestStructure(t *testing.T) {
	for source, want := range map[string]string{
		"<mjml><mj-body></mj-body></mjml>":               "",
		"<mjml><mj-body>\n<mj-text>a\n</mj-body></mjml>": "line 2: mj-text is not closed before the end of mj-body in line 3",
		"<mjml>\n</mj-body></mjml>":                      "line 2: mj-body is closed here, but was not opened",
		"<mjml></mjml>\n</mjml>":                         "line 2: mjml is closed here, but was not opened",
		"\n<mjml>":                                       "line 2: mjml is not closed",
		"<mjml><mj-image src='a>b' />\n<mj-divider/><mj-spacer /></mjml>":          "",
		"<mjml><!-- <mj-text> --><mj-text\n  color=\"a > b\"\n>x</mj-text></mjml>": "",
		"<mjml>\n<mj-include path=\"/etc/passwd\" /></mjml>":                       "line 2: mj-include is not supported, because it reads files; put the content itself here",
		"<mjml><!--\n <mj-include path='x'/> --></mjml>":                           "line 2: mj-include is not supported, because it reads files; put the content itself here",
		"<mjml>\n\n<MJ-Include path='x'/></mjml>":                                  "line 3: mj-include is not supported, because it reads files; put the content itself here",
	} {
		var got []string
		for _, p := range structure(source) {
			got = append(got, p.String())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q:\n%s\nwant\n%s", source, strings.Join(got, "\n"), want)
		}
	}
}

func TestLostExpressions(t *testing.T) {
	const source = "<!-- {{ gone }} --><mjml>{{ a }}\n{{ b|default('x') }}\n{% if c %}{# note #}{% endif %}{% endif %}</mjml>"
	if got := lostExpressions(source, "{{a}} {{ a }}{{ b|default('x')\n}}{% if c %}{% endif %} {% endif %}"); got != nil {
		t.Errorf("%v", got)
	}
	got := lostExpressions(source, "{{ a }} {{ b|default(&quot;x&quot;) }}{% if c %}{% endif %}")
	if len(got) != 2 || !strings.HasPrefix(got[0].String(), "line 2: {{ b|default('x') }} is not in the compiled HTML") || !strings.HasPrefix(got[1].String(), "line 3: {% endif %} is not") {
		t.Errorf("%v", got)
	}
}

func TestReported(t *testing.T) {
	const stderr = "(node:1) Warning: x\n" +
		"Line 12 of /tmp/a (b)/c (mj-txt) — Element mj-txt doesn't exist or is not registered\n" +
		"Line 3 of /tmp (mj-section) — Attribute foo is illegal\r\nLine x of y\n"
	got := reported(stderr)
	if len(got) != 2 || got[0].String() != "line 12: Element mj-txt doesn't exist or is not registered" || got[1].String() != "line 3: mj-section: Attribute foo is illegal" {
		t.Errorf("%q", got)
	}
	err := failed(got...)
	if got := err.Error(); got != "the MJML cannot be compiled: line 3: mj-section: Attribute foo is illegal, and 1 problem more" {
		t.Errorf("%s", got)
	}
}

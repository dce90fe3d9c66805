package mjml

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The real program: BUGLE_MJML is its path.
func TestRealProgram(t *testing.T) {
	program := os.Getenv("BUGLE_MJML")
	if program == "" {
		t.Skip("BUGLE_MJML does not name the program mjml")
	}
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	const around = "<mjml>\n  <mj-body>\n    <mj-section>\n      <mj-column>\n%\n      </mj-column>\n    </mj-section>\n  </mj-body>\n</mjml>\n"
	source := func(inside string) string { return strings.Replace(around, "%", inside, 1) }

	good := source("<mj-text>Hi {{ user.name|default('you') }}, {% if a < b and c > d %}x{% endif %}</mj-text>\n<mj-raw>{% for p in products %}</mj-raw>\n" +
		"<mj-button href=\"https://shop.example.com/?a={{ p.id|urlencode }}&b=2\">Buy</mj-button>\n<mj-raw>{% endfor %}</mj-raw>\n<!-- {{ note }} -->")
	body, err := Update(t.Context(), "", good)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(strings.ToLower(body), "<!doctype html") {
		t.Errorf("it begins with %q", body[:40])
	}
	if got, ok := Source(body); !ok || got != good {
		t.Errorf("the source is %q", got)
	}
	for range 2 { // mjml numbers menus and carousels at random
		body, err := Update(t.Context(), "", source("<mj-navbar hamburger=\"hamburger\"><mj-navbar-link href=\"/\">x</mj-navbar-link></mj-navbar></mj-column></mj-section><mj-section><mj-column><mj-carousel><mj-carousel-image src=\"https://x.example.com/a.png\" /></mj-carousel>"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(t.Context(), good); err != nil { // the other one is compiled again
			t.Fatal(err)
		}
		if err := Verify(t.Context(), body); err != nil {
			t.Error(err)
		}
	}
	for bad, want := range map[string]string{
		source("<mj-txt>Hi</mj-txt>"):                              "line 5: Element mj-txt doesn't exist or is not registered",
		source("\n<mj-text foo=\"x\">Hi</mj-text>"):                "line 6: mj-text: Attribute foo is illegal",
		source("<mj-text>Hi"):                                      "line 5: mj-text is not closed before the end of mj-column in line 6",
		source("{% if x %}<mj-text>Hi</mj-text>{% endif %}"):       "line 5: {% if x %} is not in the compiled HTML; put it in the text of an element, or in <mj-raw>, and 1 problem more",
		source("<mj-include path=\"/etc/passwd\" type=\"html\"/>"): "line 5: mj-include is not supported, because it reads files; put the content itself here",
	} {
		if _, err := Compile(t.Context(), bad); err == nil || err.Error() != "the MJML cannot be compiled: "+want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

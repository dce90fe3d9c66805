package resolve_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/resolve"
	"bugle/engine/schema"
)

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTextsAreThoseThatASendFills(t *testing.T) {
	document := parse(t, `{"utm_params": {"utm_source": "{{user.plan}}"}, "campaign_content": {"content": {"push": {"android": {"template_type": "BASIC",
		"basic_details": {"title": "{{user.a}}", "message": "plain", "image_url": "https://example.com/{{user.b}}"},
		"timer": {"duration": "{{user.unused}}"}}}}}}`)
	key := engine.TestKeys(catalog.Push, document, engine.KeyFilter{})[0]
	var got []string
	for _, text := range resolve.TextsOf(catalog.Push, document, schema.Env{}, key) {
		if document.Lookup(text.Path).Text() != text.Source {
			t.Errorf("%s does not lead to %q", text.Path, text.Source)
		}
		got = append(got, text.Source)
	}
	all := strings.Join(got, "|")
	for _, want := range []string{"{{user.a}}", "plain", "{{user.b}}", "{{user.plan}}"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q", want, all)
		}
	}
	if strings.Contains(all, "unused") || strings.Contains(all, "BASIC") {
		t.Errorf("it fills %q", all)
	}
}

package edit_test

import (
	"strings"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The builder says what is wrong with an expression as soon as it is typed.
func TestExpressionsAreChecked(t *testing.T) {
	b := newBench(t)
	s := b.open(b.service, nil)
	at := doc.P("campaign_content", "content", "email", "subject")
	for src, want := range map[string]string{
		"{{ user.name|uper }}":         "there is no filter uper, did you mean upper?",
		"{{ user.name.titel() }}":      "there is no method titel, did you mean title?",
		"{{ user.name|truncate(a=1)}}": "filter truncate has no argument a",
		"{{ user.name":                 "is not closed",
		"{{ user.name|upper }}":        "",
	} {
		root, err := s.Root().Set(at, doc.NewString(src))
		if err != nil {
			t.Fatal(err)
		}
		s.Change(root, at, "Subject")
		said := ""
		for _, p := range schema.Errors(s.Problems()) {
			if p.Path.Equal(at) {
				said += p.Message
			}
		}
		if !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%s: %q, want %q", src, said, want)
		}
	}
}

package files_test

import (
	"io/fs"
	"maps"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/files"
	"bugle/engine/message/mjml"
)

// compiled is HTML with the MJML that it was compiled from.
const compiled = "<!doctype html>\n    <p>Servus {{user.first_name}}</p>\n<!-- bugle:mjml:1 e143d94abbeeea01 ssnNys2x41JQsMnN0k3KT6kEsSG8ktSKErvg1KKy0mKF6urS4tQivbTMouKS+LzE3NTaWht9mBqQbn24dhATZCQgAAD//w== -->"

// HTML that was compiled has its source in a file of its own, and comes back with it as long as that stays.
func TestFolderOfMJML(t *testing.T) {
	source, ok := mjml.Source(compiled)
	if !ok {
		t.Fatal("the HTML has no source")
	}
	body, err := doc.Parse([]byte(`{"campaign_content":{"content":{"email":{"html_content":""}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	at, err := doc.ParsePath("campaign_content.content.email.html_content")
	if err != nil {
		t.Fatal(err)
	}
	if body, err = body.Set(at, doc.NewString(compiled)); err != nil {
		t.Fatal(err)
	}
	main, parts := files.Split(engine.Campaign{Head: engine.Head{Channel: catalog.Email}, Body: body})
	folder := map[string]string{}
	for _, p := range parts {
		folder[p.Name] = p.Text
	}
	if want := map[string]string{"email.html": compiled, "email.mjml": source}; !maps.Equal(folder, want) {
		t.Fatalf("the folder has %q", folder)
	}
	for name, tt := range map[string]struct {
		change func()
		want   string // the text, or the error
		file   string // that the text is from
	}{
		"as it was":              {func() {}, compiled, "email.html"},
		"other ends of lines":    {func() { folder["email.mjml"] = strings.ReplaceAll(source, "\n", "\r\n") }, compiled, "email.html"},
		"changed MJML":           {func() { folder["email.mjml"] = source + "\n" }, source + "\n", "email.mjml"},
		"without HTML":           {func() { delete(folder, "email.html") }, source, "email.mjml"},
		"HTML of something else": {func() { folder["email.html"] = "<p>" }, source, "email.mjml"},
		"changed HTML":           {func() { folder["email.html"] = strings.Replace(compiled, "Servus", "Moin", 1) }, "email.html was changed after it was compiled; change email.mjml instead", ""},
		"without MJML":           {func() { delete(folder, "email.mjml") }, "file does not exist", ""},
	} {
		t.Run(name, func(t *testing.T) {
			was := maps.Clone(folder)
			defer func() { folder = was }()
			tt.change()
			got, from, err := files.Join(main, func(name string) (string, error) {
				text, ok := folder[name]
				if !ok {
					return "", fs.ErrNotExist
				}
				return text, nil
			})
			switch {
			case tt.file == "":
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %s", err, tt.want)
				}
			case err != nil || got.Lookup(at).Text() != tt.want:
				t.Errorf("the text is %q (%v), want %q", got.Lookup(at).Text(), err, tt.want)
			case len(from) != 1 || from[0].Name != tt.file || from[0].Text != tt.want:
				t.Errorf("the text is from %+v, want %s", from, tt.file)
			}
		})
	}
}

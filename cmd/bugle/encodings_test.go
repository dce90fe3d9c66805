package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Each way into the store reads the same encodings, and refuses others with the line and what to do.
func TestEncodings(t *testing.T) {
	dir := t.TempDir()
	b := newBugle(t)
	bugle := func(in string, args ...string) (code int, text string) {
		code, out, errs := b.try(in, args...)
		return code, out + errs
	}
	bugle("", "init")
	const campaign = `{"channel": "EMAIL", "campaign_delivery_type": "ONE_TIME", "created_by": "ann@example.com",
"basic_details": {"name": "NAME", "content_type": "TRANSACTIONAL"}, "campaign_content": {"content": {"email": {"subject":
"größer"}}}}`
	const yaml = "channel: EMAIL\ncampaign_delivery_type: ONE_TIME\ncreated_by: ann@example.com\nbasic_details: {name: NAME, content_type: TRANSACTIONAL}\ncampaign_content: {content: {email: {html_content@: email.html}}}\n"
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for way, c := range map[string]struct {
		file, text string
		args       []string
		line       string
	}{
		"users":        {"users.csv", "id,City\nU1,größer\n", []string{"users", "import", "users.csv", "--dry-run"}, "line 2"},
		"JSON lines":   {"users.jsonl", "{\"id\": \"U1\"}\n{\"id\": \"größer\"}\n", []string{"users", "import", "users.jsonl", "--dry-run"}, "line 2"},
		"JSON":         {"a.json", strings.ReplaceAll(campaign, "NAME", "a"), []string{"lint", "a.json", "--stage", "draft"}, "3:"},
		"YAML":         {"a.yaml", "# größer\n" + yaml, []string{"lint", "a.yaml", "--stage", "draft"}, "1:"},
		"a folder":     {"folder/email.html", "<p>\ngrößer</p>", []string{"lint", "folder", "--stage", "draft"}, "line 2"},
		"MJML":         {"folder/email.mjml", "<mjml><mj-body><mj-section><mj-column>\n<mj-text>größer</mj-text></mj-column></mj-section></mj-body></mjml>", []string{"blocks", "put", "m", "source=@folder/email.mjml"}, "line 2"},
		"products":     {"set.json", "[\n{\"title\": \"größer\"}]", []string{"products", "put", "p", "products=@set.json"}, "line 2"},
		"a field":      {"field.html", "<p>\ngrößer</p>", []string{"blocks", "put", "f", "source=@field.html"}, "line 2"},
		"texts":        {"texts.csv", "campaign,source,text,path,check\nx,s,größer,a,c\n", []string{"texts", "import", "texts.csv"}, "line 2"},
		"texts in XML": {"texts.xlf", "<?xml version=\"1.0\"?>\n<x>größer</x>", []string{"texts", "import", "texts.xlf"}, "line 2"},
	} {
		if way == "a folder" {
			if err := os.WriteFile(filepath.Join(folder, "campaign.yaml"), []byte(yaml), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		try := func(e encoding.Encoding) (int, string) {
			text, err := e.NewEncoder().String(c.text)
			if err == nil {
				err = os.WriteFile(c.file, []byte(text), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return bugle("", c.args...)
		}
		wantCode, want := try(unicode.UTF8)
		if strings.Contains(want, "UTF-8") {
			t.Errorf("%s: %s", way, want)
		}
		for _, e := range []encoding.Encoding{unicode.UTF8BOM, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM)} {
			if code, got := try(e); code != wantCode || got != want {
				t.Errorf("%s, %s: %d, %swant %d, %s", way, e, code, got, wantCode, want)
			}
		}
		if code, got := try(charmap.Windows1252); code == 0 || !strings.Contains(got, c.line) || !strings.Contains(got, "save the file as UTF-8") {
			t.Errorf("%s in another encoding: %d, %s", way, code, got)
		}
	}
}

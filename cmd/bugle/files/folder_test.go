package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/files"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
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
	rows, err := engine.List(t.Context(), svc, engine.ListQuery{Archived: true})
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
	if len(out) < 10 {
		t.Fatalf("there are only %d campaigns", len(out))
	}
	return out
}

// canonical returns a value whose strings and names are spelled as doc spells them: a file has their text, not their
// escapes.
func canonical(v doc.Value) doc.Value {
	switch v.Kind() {
	case doc.String:
		return doc.NewString(v.Text())
	case doc.Array:
		var elems []doc.Value
		for _, e := range v.Elems() {
			elems = append(elems, canonical(e))
		}
		return doc.NewArray(elems...)
	case doc.Object:
		var ms []doc.Member
		for name, m := range v.Members() {
			ms = append(ms, doc.M(name, canonical(m)))
		}
		return doc.NewObject(ms...)
	}
	return v
}

// strings that a file, an editor or YAML could change.
var nastyTexts = []string{
	"", " ", "\n", "x", "one\ntwo\n", "no final newline\n\nx", "a\tb\n\tc", "cr\r\nlf\r\n", "lone\rcr\n", "trail \n \n", "\ufeffbom\n", "nul\x00\n", "\u2028\u0085\n",
	"#!\n---\n...\n", "{{ user.name }}\n{% if x %}\n", `"quotes" \back` + "\n", strings.Repeat("long ", 60), strings.Repeat("é", 201), "\x1b[31mred\n", "😀\n",
}

// mutated returns a campaign with texts, fields and numbers that must come back as they are.
func mutated(rt *rapid.T, c engine.Campaign) engine.Campaign {
	table := catalog.Campaign(c.Channel)
	var walk func(p doc.Path, v doc.Value) doc.Value
	walk = func(p doc.Path, v doc.Value) doc.Value {
		switch v.Kind() {
		case doc.Array:
			var elems []doc.Value
			for i, e := range v.Elems() {
				elems = append(elems, walk(p.Elem(i), e))
			}
			return doc.NewArray(elems...)
		case doc.Object:
			var ms []doc.Member
			for name, m := range v.Members() {
				at := p.Child(name)
				if catalog.HasTextFile(table.At(at)) {
					m = doc.NewString(rapid.SampledFrom(nastyTexts).Draw(rt, "text") + rapid.SampledFrom(nastyTexts).Draw(rt, "more"))
					for _, odd := range []string{"@", "@@", "@@@", "@x"} {
						if rapid.IntRange(0, 4).Draw(rt, "odd") == 0 {
							ms = append(ms, doc.M(name+odd, doc.NewString("../campaign.yaml")))
						}
					}
				} else {
					m = walk(at, m)
				}
				ms = append(ms, doc.M(name, m))
			}
			if rapid.IntRange(0, 3).Draw(rt, "unknown") == 0 {
				number, _ := doc.NewNumber(rapid.SampledFrom([]string{"1.0", "1e2", "-0", "0.10", "12345678901234567890.50"}).Draw(rt, "number"))
				ms = append(ms, doc.M("x_"+rapid.SampledFrom(nastyTexts).Draw(rt, "name"), doc.NewObject(doc.M("n", number), doc.M("message@", doc.NewString("a")))))
			}
			return doc.NewObject(ms...)
		}
		return v
	}
	return c.With(walk(nil, c.Body))
}

// What a campaign has comes back from its folder byte for byte, and exporting it again changes no file.
func TestFolderRoundTrip(t *testing.T) {
	all := sampleCampaigns(t)
	check := func(t testing.TB, fatal func(string, ...any), c engine.Campaign) {
		c.Body = canonical(c.Body)
		dir, err := os.MkdirTemp(t.TempDir(), "folder")
		if err != nil {
			fatal("%v", err)
		}
		e := export{dir: dir, folders: true}
		out := exportedFile{File: filepath.Join(dir, e.name(c))}
		if _, err := e.writeFolder(&out, c); err != nil {
			fatal("%v", err)
		}
		h := campaignfile.Read(t.Context(), cli.Streams{}, campaignfile.File{Name: out.File})
		if h.Err != nil {
			fatal("%s: %v", c.ID, h.Err)
		}
		if want, got := string(files.Document(c).Encode()), string(engine.WithRevision(h.Body, h.Revision).Encode()); got != want {
			fatal("got  %s\nwant %s", got, want)
		}
		if changed, err := e.writeFolder(&out, c); changed || err != nil || len(out.Replaces) > 0 {
			fatal("again it changed: %v, %v, %v", changed, err, out.Replaces)
		}
		_, parts := files.Split(c)
		if n := len(h.Source.Files()); n != 1+len(parts) {
			fatal("%d files, want %d", n, 1+len(parts))
		}
		for _, p := range parts {
			if l := h.Source.In(p.Path, 0); l.File != filepath.Join(out.File, p.Name) || l.Line != 1 || l.Column != 1 {
				fatal("%s is at %s", p.Path, l)
			}
		}
		for _, p := range h.Source.Files() {
			if rel, err := filepath.Rel(out.File, p); err != nil || !filepath.IsLocal(rel) || strings.ContainsAny(rel, `/\`) {
				fatal("it has the file %s", p)
			}
		}
	}
	parts := map[string]bool{}
	for _, c := range all {
		check(t, t.Fatalf, c)
		_, list := files.Split(c)
		for _, p := range list {
			parts[p.Name] = true
		}
	}
	if !parts["email.html"] {
		t.Errorf("the parts are %v", parts)
	}
	rapid.Check(t, func(rt *rapid.T) {
		check(t, rt.Fatalf, mutated(rt, rapid.SampledFrom(all).Draw(rt, "campaign")))
	})
}

// Locales that only differ in what a file name cannot have get files of their own.
func TestPartNames(t *testing.T) {
	long := doc.NewString("one\ntwo")
	android := doc.NewObject(doc.M("basic_details", doc.NewObject(doc.M("message", long), doc.M("title", long))), doc.M("template_backup", doc.NewObject(doc.M("message", long))))
	ios := doc.NewObject(doc.M("basic_details", doc.NewObject(doc.M("message", doc.NewString("short")))))
	message := doc.NewObject(doc.M("push", doc.NewObject(doc.M("android", android), doc.M("ios", ios))))
	content := doc.NewObject()
	for _, locale := range []string{"default", "de", "DE", "../d/e", "d e", "日本"} {
		content, _ = content.Set(doc.P(locale, "variation_1"), message)
	}
	c := engine.Campaign{Head: engine.Head{Channel: catalog.Push}}
	c.Body, _ = doc.NewObject().Set(doc.P("campaign_content", "content"), content)
	_, parts := files.Split(c)
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	want := []string{
		"android.default.variation_1.txt", "android-template_backup.default.variation_1.txt", "android.de.variation_1.txt", "android-template_backup.de.variation_1.txt",
		"android.DE.variation_1-2.txt", "android-template_backup.DE.variation_1-2.txt", "android.d-e.variation_1.txt", "android-template_backup.d-e.variation_1.txt",
		"android.d-e.variation_1-2.txt", "android-template_backup.d-e.variation_1-2.txt", "android.variation_1.txt", "android-template_backup.variation_1.txt",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
}

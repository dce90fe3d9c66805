package grid_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
)

func tree(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func inContent(v doc.Value) string { return string(v.Get("campaign_content").Encode()) }

const (
	flat  = `{"campaign_content":{"content":{"email":{"subject":"Hi","x":1.0}}}}`
	keyed = `{"campaign_content":{"locales":["de","fr"],"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":60,"variation_2":40}},
		"content":{"default":{"variation_1":{"email":{"subject":"A"}},"variation_2":{"email":{"subject":"B"}}},"de":{"variation_1":{"email":{"subject":"A"}},"variation_2":{}}}}}`
)

func TestReadsTheGrid(t *testing.T) {
	g := grid.New(catalog.Email, tree(t, keyed))
	if len(g.Locales) != 3 || len(g.Variations) != 2 || g.Split != grid.Manual || g.Flat || !g.HasMany() {
		t.Fatalf("%+v", g)
	}
	if sum, ok := g.Sum(); sum != 100 || !ok || g.Variations[0].Share != "60" {
		t.Errorf("shares %+v", g.Variations)
	}
	c := g.Cell("de", "variation_1")
	if twin, ok := g.Duplicates(nil).Find(c); !ok || twin.Locale != "default" || g.Excerpt(c) != "A" {
		t.Errorf("the twin of %v is %v, %v", c, twin, ok)
	}
	if g.Value(g.Cell("de", "variation_2")).Exists() || g.Value(g.Cell("fr", "variation_1")).Exists() {
		t.Error("an empty cell has a message")
	}
	stray := grid.New(catalog.Email, tree(t, `{"campaign_content":{"content":{"default":{"variation_7":{"email":{"subject":"A"}}},"it":{}}}}`))
	if !stray.Locales[1].Unlisted || stray.Variations[0].Unlisted || !stray.Variations[1].Unlisted {
		t.Errorf("strays: %+v", stray)
	}
}

func TestAddAndRemoveVariation(t *testing.T) {
	root := tree(t, flat)
	two, name, err := grid.AddVariation(catalog.Email, root)
	if err != nil || name != "variation_2" {
		t.Fatal(name, err)
	}
	want := `{"content":{"default":{"variation_1":{"email":{"subject":"Hi","x":1.0}},"variation_2":{"email":{"subject":"Hi","x":1.0}}}},` +
		`"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}}}`
	if got := inContent(two); got != want {
		t.Errorf("two are\n%s", got)
	}
	three, _, err := grid.AddVariation(catalog.Email, two)
	if err != nil || !strings.Contains(inContent(three), `{"variation_1":34,"variation_2":33,"variation_3":33}`) {
		t.Errorf("an even split does not stay one: %v\n%s", err, inContent(three))
	}
	back, err := grid.RemoveVariation(three, "variation_2")
	if err != nil || inContent(back) != want {
		t.Errorf("back are %v\n%s", err, inContent(back))
	}
	if one, err := grid.RemoveVariation(back, "variation_1"); err != nil || inContent(one) != inContent(root) {
		t.Errorf("one is %v\n%s", err, inContent(one))
	}
	if _, err := grid.RemoveVariation(root, "variation_1"); err == nil {
		t.Error("the last variation can be removed")
	}
}

// A split that people chose is theirs: a new variation gets the rest, a removed one leaves a gap.
func TestAnUnevenSplitStays(t *testing.T) {
	root := tree(t, strings.Replace(keyed, `"variation_2":40`, `"variation_2":25`, 1))
	three, name, err := grid.AddVariation(catalog.Email, root)
	if err != nil || !strings.Contains(inContent(three), `{"variation_1":60,"variation_2":25,"variation_3":15}`) {
		t.Errorf("%s %v\n%s", name, err, inContent(three))
	}
	two, err := grid.RemoveVariation(three, "variation_2")
	if err != nil || !strings.Contains(inContent(two), `{"variation_1":60,"variation_2":15}`) {
		t.Errorf("%v\n%s", err, inContent(two))
	}
}

func TestTheOptimizersSettingsStay(t *testing.T) {
	root := tree(t, `{"campaign_content":{"variation_details":{"distribution_type":"OPTIMIZER","no_of_variations":2,"optimizer_campaign_duration":6},"content":{"default":{"variation_1":{"email":{"subject":"A"}},"variation_2":{"email":{"subject":"B"}}}}}}`)
	one, err := grid.RemoveVariation(root, "variation_1")
	want := `{"variation_details":{"distribution_type":"OPTIMIZER","no_of_variations":1,"optimizer_campaign_duration":6},"content":{"email":{"subject":"B"}}}`
	if err != nil || inContent(one) != want {
		t.Errorf("%v\n%s", err, inContent(one))
	}
	again, _, err := grid.AddVariation(catalog.Email, one)
	if err != nil || strings.Contains(inContent(again), "percentage") {
		t.Errorf("%v\n%s", err, inContent(again))
	}
}

func TestLocales(t *testing.T) {
	root := tree(t, flat)
	for _, bad := range []string{"", " de", "default", "email"} {
		if out, err := grid.AddLocale(catalog.Email, root, bad); err == nil || !out.Same(root) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	de, err := grid.AddLocale(catalog.Email, root, "de")
	want := `{"content":{"default":{"variation_1":{"email":{"subject":"Hi","x":1.0}}},"de":{"variation_1":{"email":{"subject":"Hi","x":1.0}}}},"locales":["de"]}`
	if err != nil || inContent(de) != want {
		t.Errorf("%v\n%s", err, inContent(de))
	}
	if _, err := grid.AddLocale(catalog.Email, de, "de"); err == nil {
		t.Error("a locale can be added twice")
	}
	fr, err := grid.RenameLocale(de, "de", "fr")
	if err != nil || inContent(fr) != strings.ReplaceAll(want, "de\"", "fr\"") {
		t.Errorf("renamed: %v\n%s", err, inContent(fr))
	}
	if _, err := grid.RemoveLocale(de, "default"); err == nil {
		t.Error("the default locale can be removed")
	}
}

func TestMessagesGoFromCellToCell(t *testing.T) {
	root := tree(t, keyed)
	g := grid.New(catalog.Email, root)
	out, err := grid.SetMessage(catalog.Email, root, "fr", "variation_2", g.Value(g.Cell("default", "variation_2")))
	if err != nil || !strings.Contains(inContent(out), `"fr":{"variation_2":{"email":{"subject":"B"}}}`) {
		t.Errorf("%v\n%s", err, inContent(out))
	}
	out, err = grid.SetMessage(catalog.Email, out, "fr", "variation_2", doc.Value{})
	if err != nil || strings.Contains(inContent(out), `"fr":{"variation_2"`) {
		t.Errorf("%v\n%s", err, inContent(out))
	}
	one := tree(t, flat)
	out, err = grid.SetMessage(catalog.Email, one, "default", "variation_1", doc.Value{})
	if err != nil || inContent(out) != `{"content":{}}` {
		t.Errorf("%v\n%s", err, inContent(out))
	}
}

func TestGridCovers(t *testing.T) {
	at := func(s string) doc.Path {
		p, err := doc.ParsePath("campaign_content." + s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	mail, push := grid.New(catalog.Email, tree(t, keyed)), grid.New(catalog.Push, tree(t, keyed))
	for path, want := range map[string][2]bool{
		"content": {true, true}, "content.de": {true, true}, "content.de.variation_2": {true, true},
		"content.de.variation_2.email": {false, false}, "content.de.variation_2.push": {false, true},
		"content.de.variation_2.push.android": {false, false}, "locales": {false, false},
	} {
		if got := [2]bool{mail.Covers(at(path)), push.Covers(at(path))}; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

var languages = []string{"de", "fr", "pt-BR", "zh-Hant", "a.b"}

// drawContent makes the content of an email or a push in either shape, members of its own and odd
// spellings included.
func drawContent(t *rapid.T) (engine.Channel, doc.Value) {
	ch := rapid.SampledFrom([]engine.Channel{catalog.Email, catalog.Push}).Draw(t, "channel")
	member := map[engine.Channel]string{catalog.Email: "email", catalog.Push: "push"}[ch]
	cell := func() string {
		text := rapid.SampledFrom([]string{`{"subject":"a"}`, `{"x":1.0,"subject":"a"}`, `{"android":{"title":"t\u0061"}}`, `{"y":[1e2,{}]}`}).Draw(t, "message")
		name := rapid.SampledFrom([]string{member, `\u00` + fmt.Sprintf("%x", member[0]) + member[1:]}).Draw(t, "spelling")
		return `{"` + name + `":` + text + `}`
	}
	n := rapid.IntRange(1, 3).Draw(t, "variations")
	names := rapid.SliceOfDistinct(rapid.SampledFrom(languages), rapid.ID).Draw(t, "locales")
	if n == 1 && len(names) == 0 {
		return ch, tree2(t, `{"a":1,"campaign_content":{"content":`+cell()+`,"own":true}}`)
	}
	var rows, listed []string
	for i, l := range append([]string{"default"}, names...) {
		var cells []string
		for v := range n {
			if i+v == 0 || rapid.Bool().Draw(t, "there") {
				cells = append(cells, fmt.Sprintf(`"variation_%d":%s`, v+1, cell()))
			}
		}
		rows = append(rows, fmt.Sprintf("%q:{%s}", l, strings.Join(cells, ",")))
		if i > 0 {
			listed = append(listed, fmt.Sprintf("%q", l))
		}
	}
	body := `"content":{` + strings.Join(rows, ",") + `}`
	if len(listed) > 0 {
		body = `"locales":[` + strings.Join(listed, ",") + `],` + body
	}
	if n > 1 {
		var of []string
		for v, left := 0, 100; v < n; v++ {
			share := left
			if v < n-1 {
				share = rapid.IntRange(0, left).Draw(t, "share")
			}
			left -= share
			of = append(of, fmt.Sprintf(`"variation_%d":%d`, v+1, share))
		}
		body += fmt.Sprintf(`,"variation_details":{"distribution_type":"MANUAL","no_of_variations":%d,"manual_distribution_percentage":{%s}}`, n, strings.Join(of, ","))
	}
	return ch, tree2(t, `{"a":1,"campaign_content":{`+body+`}}`)
}

func tree2(t *rapid.T, s string) doc.Value {
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What stands alone becomes keyed and alone again, byte for byte.
func TestKeyedAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, root := drawContent(t)
		out, err := grid.ToKeyed(root)
		if err != nil {
			t.Fatal(err)
		}
		g := grid.New(catalog.Email, root)
		if g.Flat && out.Same(root) {
			t.Fatal("what stands alone is not keyed")
		}
		back, _ := grid.Flatten(out)
		if string(back.Encode()) != string(root.Encode()) {
			t.Fatalf("%s\nbecame %s\nand then %s", root.Encode(), out.Encode(), back.Encode())
		}
	})
}

// A locale or a variation that is added and removed leaves the document as it was, byte for byte, and
// while it is there every other message is what it was.
func TestAddedAndRemoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch, root := drawContent(t)
		before := grid.New(ch, root)
		var out, back doc.Value
		var err error
		if rapid.Bool().Draw(t, "a locale") {
			if out, err = grid.AddLocale(ch, root, "new"); err != nil {
				t.Fatal(err)
			}
			back, err = grid.RemoveLocale(out, "new")
		} else {
			var name string
			if out, name, err = grid.AddVariation(ch, root); err != nil {
				t.Fatal(err)
			}
			back, err = grid.RemoveVariation(out, name)
		}
		if err != nil || string(back.Encode()) != string(root.Encode()) {
			t.Fatalf("%v: %s\nbecame %s\nand then %s", err, root.Encode(), out.Encode(), back.Encode())
		}
		after := grid.New(ch, out)
		for _, l := range before.Locales {
			for _, v := range before.Variations {
				a, b := before.Value(before.Cell(l.Name, v.Name)), after.Value(after.Cell(l.Name, v.Name))
				if string(a.Encode()) != string(b.Encode()) {
					t.Fatalf("%s %s was %s, is %s", l.Name, v.Name, a.Encode(), b.Encode())
				}
			}
		}
	})
}

// Whatever is added, removed and split, the check finds nothing wrong with the shape, the variations
// or the percentages.
func TestOperationsKeepTheRules(t *testing.T) {
	own := []string{"one_shape", "default_locale", "listed_locales", "every_cell", "names_variations", "keys"}
	found := catalog.Campaign(catalog.Email).Validate(tree(t, keyed), schema.Env{Stage: schema.Publish})
	if !slices.ContainsFunc(found, func(p schema.Problem) bool { return strings.HasSuffix(p.Rule, "#every_cell") }) {
		t.Fatalf("an incomplete grid is fine: %v", found)
	}
	rapid.Check(t, func(t *rapid.T) {
		root := tree2(t, flat)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			g := grid.New(catalog.Email, root)
			var err error
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				name := rapid.SampledFrom(languages).Draw(t, "locale")
				if grid.CheckLocale(root, name) == "" {
					root, err = grid.AddLocale(catalog.Email, root, name)
				}
			case 1:
				if l := rapid.SampledFrom(g.Locales).Draw(t, "row"); l.Name != "default" {
					root, err = grid.RemoveLocale(root, l.Name)
				}
			case 2:
				root, _, err = grid.AddVariation(catalog.Email, root)
			case 3:
				if len(g.Variations) > 1 {
					root, err = grid.RemoveVariation(root, rapid.SampledFrom(g.Variations).Draw(t, "column").Name)
				}
			case 4:
				if len(g.Variations) > 1 {
					root, err = grid.SplitEvenly(root)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range catalog.Campaign(catalog.Email).Validate(root, schema.Env{Stage: schema.Publish}) {
				_, rule, _ := strings.Cut(p.Rule, "#")
				if slices.Contains(own, rule) {
					t.Fatalf("%s: %s\n%s", p.Path, p.Message, root.Encode())
				}
			}
		}
	})
}
